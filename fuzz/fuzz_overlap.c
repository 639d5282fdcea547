/*
 * The exact overlap of two texts, by following their common passages, against sorted sets of all
 * fingerprints.
 *
 * Input: two bytes for the view and how often each text is repeated, then the texts with "|||" between them.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "estimate/overlap.h"
#include "shingle/whole.h"

#define MOST 20000 /* bytes of a text */

/* The canonical text of the bytes, repeated; exact but for the slack, so that a sanitizer sees a read behind
 * it. */
static uint8_t *canonical(struct whole *whole, const uint8_t *bytes, size_t size, size_t times,
                          size_t *out_size) {
    struct buf raw = {0};
    const uint8_t *text;
    for (size_t i = 0; i < times && raw.len + size <= MOST; i++) REQUIRE(buf_add(&raw, bytes, size));
    REQUIRE(!whole_canon(whole, raw.data, raw.len, &text, out_size, NULL));
    uint8_t *copy = mem_zero(1, *out_size + KERNEL_SLACK);
    REQUIRE(copy);
    memcpy(copy, text, *out_size);
    buf_release(&raw);
    return copy;
}

static void sorted_set(struct whole *whole, const uint8_t *text, size_t size, struct vec64 *out) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    REQUIRE(!whole_shingles(whole, text, size, &fp, &count, &tokens, NULL));
    REQUIRE(vec64_reserve(out, count + 1));
    memcpy(out->data, fp, count * sizeof *fp);
    REQUIRE(sort_u64(out->data, count));
    out->len = unique_u64(out->data, count);
}

/* What is there is never given up. */
static void reach_own_aim(struct overlap_base *base, const uint8_t *text, size_t size,
                          const struct overlap *expected) {
    double all = (double)(expected->a + expected->b - expected->common);
    const struct overlap_aim aim = {all > 0 ? (double)expected->common / all : 1, 0};
    struct overlap found = {0};
    bool hopeless;
    REQUIRE(!overlap_with(base, text, size, &aim, &found, &hopeless, NULL));
    REQUIRE(!hopeless && found.a == expected->a && found.b == expected->b &&
            found.common == expected->common);
}

static void check(struct overlap_base *base, struct whole *whole, const uint8_t *a, size_t a_size,
                  const uint8_t *b, size_t b_size, bool exactly) {
    struct vec64 x = {0}, y = {0};
    struct overlap found;
    sorted_set(whole, a, a_size, &x);
    sorted_set(whole, b, b_size, &y);
    overlap_base_set(base, a, a_size);
    REQUIRE(!overlap_with(base, b, b_size, NULL, &found, NULL, NULL));
    REQUIRE(found.a == x.len && found.b == y.len);
    REQUIRE(found.common == common_u64(x.data, x.len, y.data, y.len));
    if (exactly) reach_own_aim(base, b, b_size, &found);
    vec64_release(&x);
    vec64_release(&y);
}

/* Narrow fingerprints are equal by chance now and then. */
static struct view view_of(uint8_t choice) {
    static const unsigned folds[] = {FOLD_TEXT, FOLD_TEXT, FOLD_RAW, FOLD_CODE};
    static const uint32_t windows[] = {1, 3, 5, 20};
    return (struct view){.folds = folds[choice & 3],
                         .unit = (enum unit)(choice >> 2 & 3),
                         .window = windows[choice >> 4 & 3],
                         .hash = choice & 64 ? HASH_RABIN : HASH_MIX,
                         .width = choice & 128 ? 32 : 64};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct documents d = split_documents(data + 2, size - 2);
    struct view view = view_of(data[0]);
    struct shingle_tables tables;
    struct whole *whole;
    struct overlap_base *base;
    size_t a_size, b_size;
    REQUIRE(!shingle_tables_init(&tables, &view, NULL));
    REQUIRE(!whole_new(&view, &tables, &whole, NULL));
    REQUIRE(!overlap_base_new(&view, &tables, &base, NULL));
    uint8_t *a = canonical(whole, d.a, d.a_size, 1 + (data[1] & 15) * 9, &a_size);
    uint8_t *b = canonical(whole, d.b, d.b_size, 1 + (size_t)(data[1] >> 4) * 7, &b_size);
    bool exactly = !whole_samples_fast(&view); /* samples may err, if chosen by who knows them */
    check(base, whole, a, a_size, b, b_size, exactly);
    check(base, whole, b, b_size, a, a_size, exactly);
    mem_free(a);
    mem_free(b);
    overlap_base_free(base);
    whole_free(whole);
    shingle_tables_release(&tables);
    return 0;
}

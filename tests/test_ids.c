/* Tokens as numbers: equal bytes, equal number, in order of appearance, however many there are. */
#include "align/tokens/ids.h"
#include "effort.h"

#include "base/buf.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sample {
    struct buf text;
    struct packed_token tokens[400];
    size_t count;
};

/* Tokens side by side, of two letters only: so that many are equal, or differ in one place. */
static void draw(struct sample *sample, size_t most, uint64_t *rng) {
    sample->count = rng_below(rng, 400);
    for (size_t i = 0; i < sample->count; i++) {
        size_t size = 1 + rng_below(rng, most);
        sample->tokens[i] = (struct packed_token){sample->text.len, size};
        uint64_t odd = rng_below(rng, 2 * size);
        for (size_t at = 0; at < size; at++) buf_add_byte(&sample->text, at == odd ? 'b' : 'a');
    }
    size_t size = sample->text.len;
    uint8_t *exact = malloc(size + !size); /* so that a sanitizer sees a read outside */
    if (size) memcpy(exact, sample->text.data, size);
    buf_release(&sample->text);
    sample->text = (struct buf){.data = exact, .len = size};
}

static struct token_text given(const struct sample *sample) {
    return (struct token_text){sample->text.data, sample->text.len, sample->tokens, sample->count};
}

/* The i-th token of both texts in turn. */
static size_t token_at(const struct sample samples[2], size_t i, const uint8_t **bytes) {
    const struct sample *sample = &samples[i >= samples[0].count];
    struct packed_token token = sample->tokens[sample == samples ? i : i - samples[0].count];
    *bytes = sample->text.data + token.begin;
    return token.size;
}

static uint32_t id_at(const struct id_pair *pair, size_t i) {
    return i < pair->a.count ? pair->a.ids[i] : pair->b.ids[i - pair->a.count];
}

/* The obvious way: compare with every token before. */
static void check(const struct sample samples[2], const struct id_pair *pair) {
    uint32_t next = 0;
    for (size_t i = 0; i < samples[0].count + samples[1].count; i++) {
        const uint8_t *bytes, *earlier;
        size_t size = token_at(samples, i, &bytes), first = 0;
        while (token_at(samples, first, &earlier) != size || memcmp(bytes, earlier, size)) first++;
        assert_int_equal(id_at(pair, i), first == i ? next : id_at(pair, first));
        next += first == i;
    }
}

static void test_random(void **state) {
    (void)state;
    uint64_t rng = 17;
    for (size_t round = effort(60); round; round--) {
        struct sample samples[2] = {0};
        size_t most = 1 + rng_below(&rng, 40);
        draw(&samples[0], most, &rng);
        draw(&samples[1], most, &rng);
        struct token_text a = given(&samples[0]), b = given(&samples[1]);
        struct id_pair pair;
        assert_int_equal(id_pair_init(&pair, &a, &b, NULL), STEMMA_OK);
        check(samples, &pair);
        id_pair_release(&pair);
        free(samples[0].text.data);
        free(samples[1].text.data);
    }
}

/* More different tokens than the table has room for at first: every one keeps its number while it grows. */
static void test_many(void **state) {
    (void)state;
    enum { TOKENS = 5000 };
    static uint32_t text[TOKENS];
    static struct packed_token tokens[TOKENS];
    for (uint32_t i = 0; i < TOKENS; i++) {
        text[i] = i * 0x01000193u;
        tokens[i] = (struct packed_token){i * sizeof *text, sizeof *text};
    }
    struct token_text both = {(const uint8_t *)text, sizeof text, tokens, TOKENS};
    struct id_pair pair;
    assert_int_equal(id_pair_init(&pair, &both, &both, NULL), STEMMA_OK);
    for (uint32_t i = 0; i < TOKENS; i++) {
        assert_int_equal(pair.a.ids[i], i);
        assert_int_equal(pair.b.ids[i], i);
    }
    id_pair_release(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

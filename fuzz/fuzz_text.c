/*
 * The canonical form must not depend on how the text was cut, nor on whether offsets are kept; once decoded
 * it is UTF-8, and its tokens cover it.
 *
 * Input: a byte of switches and unit, a byte that seeds the cuts, the text.
 */
#include "fuzz.h"

#include "base/rng.h"
#include "text/tokens.h"

struct choice {
    unsigned folds;
    enum unit unit;
    uint64_t cuts; /* 0: whole */
};

static struct buf canonical(struct choice choice, const uint8_t *bytes, size_t size, struct offset_map *map) {
    struct buf out = {0};
    struct canon *canon = NULL;
    REQUIRE(canon_new(choice.folds, choice.unit, map, &canon, NULL) == STEMMA_OK);
    for (size_t at = 0; at < size;) {
        size_t piece = choice.cuts ? 1 + rng_below(&choice.cuts, 100) : size;
        if (piece > size - at) piece = size - at;
        REQUIRE(canon_feed(canon, bytes + at, piece, &out, NULL) == STEMMA_OK);
        at += piece;
    }
    REQUIRE(canon_finish(canon, &out, NULL) == STEMMA_OK);
    canon_free(canon);
    return out;
}

static void check_same(const struct buf *a, const struct buf *b) {
    REQUIRE(a->len == b->len && (a->len == 0 || !memcmp(a->data, b->data, a->len)));
}

static void check_tokens(const struct buf *text, struct choice choice, const struct offset_map *map,
                         size_t size) {
    size_t at = 0, covered = 0;
    struct token token;
    uint64_t source = 0;
    for (; token_next(choice.unit, text->data, text->len, true, &at, &token); covered = token.end) {
        REQUIRE(token.begin >= covered && token.end > token.begin && token.end <= text->len);
        if (choice.folds & FOLD_SPACE && choice.unit >= UNIT_WORD && covered)
            REQUIRE(token.begin == covered + 1);
        REQUIRE(offset_map_find(map, token.begin) >= source);
        source = offset_map_find(map, token.end);
        REQUIRE(source <= size);
    }
    if (choice.folds & FOLD_SPACE) REQUIRE(covered == text->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct choice whole = {.folds = data[0] & 15, .unit = (enum unit)(data[0] >> 4 & 3)}, cut = whole;
    cut.cuts = data[1] + 1u;
    data += 2, size -= 2;
    struct offset_map map = {0};
    struct buf plain = canonical(whole, data, size, NULL), pieces = canonical(cut, data, size, NULL);
    struct buf mapped = canonical(cut, data, size, &map);
    check_same(&plain, &pieces);
    check_same(&plain, &mapped);
    if (whole.folds & (FOLD_NFC | FOLD_CASE | FOLD_PUNCT)) require_utf8(plain.data, plain.len);
    check_tokens(&plain, whole, &map, size);
    buf_release(&plain);
    buf_release(&pieces);
    buf_release(&mapped);
    offset_map_release(&map);
    return 0;
}

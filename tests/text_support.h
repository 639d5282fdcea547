/* Running the canonical form in tests, whole, in pieces and by the plain path; random text to run it on; and
 * what to say when results differ. */
#ifndef TESTS_TEXT_SUPPORT_H
#define TESTS_TEXT_SUPPORT_H

#include "base/rng.h"
#include "text/canon.h"
#include "text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Feed the next piece, in memory of its own: so that a sanitizer sees a read behind it. */
static inline void feed(struct canon *canon, const void *bytes, size_t size, struct buf *out) {
    uint8_t *exact = malloc(size + !size);
    memcpy(exact, bytes, size);
    assert_int_equal(canon_feed(canon, exact, size, out, NULL), STEMMA_OK);
    free(exact);
}

static inline struct buf run(unsigned folds, enum unit unit, const void *bytes, size_t size,
                             struct offset_map *map, uint64_t *cuts) {
    struct buf out = {0};
    struct canon *canon = NULL;
    assert_int_equal(canon_new(folds, unit, map, &canon, NULL), STEMMA_OK);
    for (size_t at = 0; at < size;) {
        size_t piece = cuts ? 1 + rng_below(cuts, 1 + rng_below(cuts, rng_below(cuts, 4) ? 12 : 9000)) : size;
        if (piece > size - at) piece = size - at;
        feed(canon, (const uint8_t *)bytes + at, piece, &out);
        at += piece;
    }
    assert_int_equal(canon_finish(canon, &out, NULL), STEMMA_OK);
    canon_free(canon);
    return out;
}

/* Character by character: pieces of one byte are too short for any short cut. */
static inline struct buf run_plainly(unsigned folds, enum unit unit, const struct buf *source,
                                     struct offset_map *map) {
    struct buf out = {0};
    struct canon *canon = NULL;
    assert_int_equal(canon_new(folds, unit, map, &canon, NULL), STEMMA_OK);
    for (size_t at = 0; at < source->len; at++) feed(canon, source->data + at, 1, &out);
    assert_int_equal(canon_finish(canon, &out, NULL), STEMMA_OK);
    canon_free(canon);
    return out;
}

static const char *const nasty[] = {
    "a",
    "Z",
    "0",
    "word ",
    "Word",
    ", ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\f",
    "\xC2\x85",
    "\xE2\x80\xA8",
    "\xC2\xA0",
    "e\xCC\x81",
    "\xCC\x81",
    "\xCC\xA3",
    "\xCD\x84",
    "\xCD\x85",
    "\xCE\xB1",
    "\xE1\xBE\xB4",
    "\xE0\xBD\xB3",
    "\xC3\x9F",
    "\xE1\xBA\x9E",
    "\xC4\xB0",
    "\xC4\xB1",
    "\xCF\x82",
    "\xCE\xA3",
    "\xC5\x89",
    "\xEF\xAC\x83",
    "\xE2\x84\xAB",
    "\xE2\x84\xA6",
    "\xCD\xBE",
    "\xE1\xBF\xAF",
    "\xE2\x80\x80",
    "\xE2\xAB\x9C",
    "=\xCC\xB8",
    "\xE0\xA5\x98",
    "\xE0\xA4\xBC",
    "\xE0\xA5\x8D",
    "\xE0\xA4\x95",
    "\xEF\xAC\xAC",
    "\xF0\x9D\x85\xA0",
    "\xEF\xA4\x80",
    "\xE6\xBC\xA2",
    "\xE5\xAD\x97",
    "\xE3\x81\x8B",
    "\xE3\x82\x99",
    "\xEF\xBD\xB6",
    "\xEF\xBE\x9E",
    "\xE3\x83\xBC",
    "\xE0\xB8\x99",
    "\xE0\xB9\x89",
    "\xE0\xB8\xB3",
    "\xE1\x80\x80",
    "\xE1\x80\xAD",
    "\xE1\x80\xBA",
    "\xE1\x84\x92",
    "\xE1\x85\xA1",
    "\xE1\x86\xAB",
    "\xED\x95\x98",
    "\xED\x95\x9C",
    "\xE1\x85\x9F",
    "\xE3\x85\xA4",
    "\xC2\xAD",
    "\xE2\x80\x8B",
    "\xE2\x80\x8D",
    "\xEF\xB8\x8F",
    "\xEF\xBB\xBF",
    "\xCD\x8F",
    "\xF0\x9F\x91\xA9",
    "\xE2\x83\xA3",
    "\xCD\xB8",
    "\xF0\xBF\xBF\xBF",
    "\xEE\x80\x80",
    "\xF4\x8F\xBF\xBF",
    "\xE0\xB7\x99",
    "\xE0\xB7\x8F",
    "\xE0\xB7\x8A",
    "\xD0\x96",
    "\xD0\xB8",
    "\xCC\x86",
    "\xD9\x83",
    "\xD9\x8E",
    "\xD9\x80",
    "\xEA\xAD\xB0",
    "\x80",
    "\xC0\xAF",
    "\xED\xA0\x80",
    "\xE2\x82",
    "\xF0\x9F\x92",
    "\xF0",
    "\xF5",
    "\xFF",
    "\xE0\xA0",
    "\x01",
    "The quick Brown FOX, jumps over 12 lazy dogs; and then (again) it sleeps until the morning comes. Oh!",
    "\xD0\xA1\xD1\x8A\xD0\xB5\xD1\x88\xD1\x8C \xD0\xB6\xD0\xB5 \xD0\xB5\xD1\x89\xD1\x91 \xD1\x8D\xD1\x82\xD0\xB8\xD1\x85 ",
};

static inline void add_random(struct buf *source, uint64_t *rng) {
    uint64_t kind = rng_below(rng, 20);
    if (kind == 0) {
        buf_add_byte(source, (uint8_t)rng_next(rng));
    } else if (kind < 4) { /* any character but a surrogate, low ones more often */
        uint32_t cp = (uint32_t)rng_below(rng, kind == 1 ? 0x110000 : kind == 2 ? 0x3000 : 0x600);
        uint8_t bytes[4];
        if (cp >> 11 != 0x1B) buf_add(source, bytes, utf8_encode(cp, bytes));
    } else {
        buf_add_string(source, nasty[rng_below(rng, sizeof nasty / sizeof *nasty)]);
    }
}

static inline struct buf random_source(uint64_t *rng) {
    struct buf source = {0};
    size_t pieces = rng_below(rng, 100) ? rng_below(rng, 30) : rng_below(rng, 3000);
    for (size_t i = 0; i < pieces; i++) add_random(&source, rng);
    return source;
}

static inline bool same(const struct buf *a, const struct buf *b) {
    return a->len == b->len && (a->len == 0 || !memcmp(a->data, b->data, a->len));
}

/* What was got and wanted from shortly before the first difference. */
static inline void explain(const char *what, unsigned folds, enum unit unit, const struct buf *source,
                           const struct buf *got, const struct buf *wanted) {
    size_t from = 0;
    while (from < got->len && from < wanted->len && got->data[from] == wanted->data[from]) from++;
    from = from > 24 ? from - 24 : 0;
    const struct buf *both[] = {got, wanted};
    print_error("%s: folds %u, unit %d, %zu bytes\n", what, folds, (int)unit, source->len);
    for (int k = 0; k < 2; k++) {
        for (size_t i = from; i < both[k]->len && i < from + 60; i++) print_error("%02X ", both[k]->data[i]);
        print_error("\n");
    }
    fail();
}

/* Not only what maps say is the same, but they themselves: a breakpoint stands only where one is needed. */
static inline void expect_map(const struct offset_map *got, const struct offset_map *wanted) {
    assert_int_equal(got->len, wanted->len);
    if (got->len) assert_memory_equal(got->pairs, wanted->pairs, got->len * sizeof *got->pairs);
}

#endif

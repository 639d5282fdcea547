/*
 * Documents to bundles, for ever: the digest of the bundle of a few texts under many recipes, as stored in
 * tests/golden/documents.txt. A change there is a change of format, and breaks every sketch that users keep.
 *
 *   STEMMA_REGENERATE=1 test_golden     writes the file anew
 */
#include "base/buf.h"
#include "base/digest.h"
#include "base/rng.h"
#include "sketch/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const recipes[] = {
    "",
    "seed=12345",
    "preset=raw unit=byte window=20; mod n=100; min n=128; bsw n=100; bsw-chunk n=100",
    "preset=raw unit=byte window=20 width=40; mod n=128; level",
    "preset=code unit=line window=2; mod n=1; oph n=64 bits=64",
    "preset=text unit=char window=9; minhash n=64; minmod n=32 mod=4",
    "unit=char window=4 hash=rabin; simhash bits=128; mod n=8",
    "unit=word hash=rabin; mod n=4; oph n=100 bits=4",
    "unit=word window=3 hash=padded; min n=50; minhash n=100 bits=1",
    "unit=word window=2 labelled=yes; mod n=2; oph n=333 bits=16",
    "fold=nfc+space unit=word window=3 width=33; simhash; mod n=3",
    "unit=line window=1; minhash n=40 bits=8; oph n=200 bits=2",
    "signature; signature n=3 c=5 alphabet=1000 positions=yes; signature2011",
    "preset=raw unit=byte; signature c=16 positions=yes; signature2011 n=6 c=9 k=2",
    "preset=code unit=line seed=5; signature n=64 c=2 alphabet=2; signature n=1 c=1",
    "preset=raw unit=char; signature n=5 c=8 positions=yes",
};

static const char KEY[] = "a key that is not secret at all";

/* Words of several scripts, punctuation, line ends, bytes that are not UTF-8; the same for ever. */
static void make_text(struct buf *text, size_t size, uint64_t state) {
    static const char *const pieces[] = {"the ",
                                         "Quick ",
                                         "brown, ",
                                         "fox\n",
                                         "jumps; ",
                                         "over\r\n",
                                         "Stra\xc3\x9f"
                                         "e ",
                                         "na\xc3\xafve ",
                                         "na\x69\xcc\x88ve ",
                                         "\xe4\xb8\xad\xe6\x96\x87 ",
                                         "\xd0\x9c\xd0\xb8\xd1\x80 ",
                                         "\xff",
                                         "12,5 ",
                                         "\xe0\xb8\x81\xe0\xb8\xb2 ",
                                         "lazy ",
                                         "dog. "};
    while (text->len < size) assert_true(buf_add_string(text, pieces[rng_below(&state, 16)]));
}

static void digest_of(const char *recipe_text, bool keyed, size_t size, char hex[2 * DIGEST_SIZE + 1]) {
    stemma_recipe *plain, *recipe;
    stemma_sketch *sketch;
    struct buf text = {0}, bundle = {0};
    struct digest digest;
    uint8_t bytes[DIGEST_SIZE];
    make_text(&text, size, 99 + size);
    assert_int_equal(stemma_recipe_parse(recipe_text, &plain, NULL), STEMMA_OK);
    recipe = plain;
    if (keyed) assert_int_equal(stemma_recipe_with_key(plain, KEY, sizeof KEY, &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_bytes(text.data, text.len, "golden", recipe, NULL, &sketch, NULL),
                     STEMMA_OK);
    assert_int_equal(codec_put_header(recipe, &bundle, NULL), STEMMA_OK);
    assert_int_equal(codec_put_sketch(sketch, &bundle, NULL), STEMMA_OK);
    assert_int_equal(codec_put_end(1, &bundle, NULL), STEMMA_OK);
    digest_init(&digest);
    digest_add(&digest, bundle.data, bundle.len);
    digest_finish(&digest, bytes);
    for (int i = 0; i < DIGEST_SIZE; i++) sprintf(hex + 2 * i, "%02x", bytes[i]);
    stemma_sketch_free(sketch);
    if (keyed) stemma_recipe_free(recipe);
    stemma_recipe_free(plain);
    buf_release(&text);
    buf_release(&bundle);
}

static void make_lines(struct buf *out) {
    const size_t sizes[] = {0, 3, 60, 5000, 80000};
    for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int keyed = 0; keyed < 2; keyed++) {
                char hex[2 * DIGEST_SIZE + 1];
                digest_of(recipes[r], keyed, sizes[s], hex);
                assert_true(buf_add_format(out, "%s  %zu bytes%s, %s\n", hex, sizes[s],
                                           keyed ? ", keyed" : "", recipes[r]));
            }
}

static void documents_give_the_stored_bundles(void **unused) {
    (void)unused;
    const char *path = GOLDEN_DIR "/documents.txt";
    struct buf lines = {0}, stored = {0};
    make_lines(&lines);
    if (getenv("STEMMA_REGENERATE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(lines.data, 1, lines.len, file), lines.len);
        assert_int_equal(fclose(file), 0);
    }
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(buf_reserve(&stored, 1 << 20));
    stored.len = fread(stored.data, 1, 1 << 20, file);
    fclose(file);
    assert_int_equal(stored.len, lines.len);
    assert_memory_equal(stored.data, lines.data, lines.len);
    buf_release(&lines);
    buf_release(&stored);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(documents_give_the_stored_bundles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

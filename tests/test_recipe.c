/* The recipe's text form: defaults, canonical text, refusals by name, keys, and which recipes compare. */
#include "sketch_support.h"

#include <pthread.h>

#define DEFAULT_VIEW "preset=text unit=word window=5 hash=mix width=64 seed=0"
#define BYTE_VIEW    "preset=raw unit=byte window=20 hash=rabin width=64 seed=0"

static void expect_text(const char *given, const char *canonical) {
    struct stemma_recipe *recipe = recipe_of(given);
    assert_string_equal(recipe->text, canonical);
    struct stemma_recipe *again = recipe_of(recipe->text);
    assert_string_equal(again->text, canonical);
    recipe_release(recipe);
    recipe_release(again);
}

static void test_canonical_text(void **state) {
    (void)state;
    expect_text("", DEFAULT_VIEW "; oph n=2048 bits=1; mod n=32");
    expect_text(" \n", DEFAULT_VIEW "; oph n=2048 bits=1; mod n=32");
    expect_text("; mod", DEFAULT_VIEW "; mod n=32");
    expect_text("mod n=100", DEFAULT_VIEW "; mod n=100");
    expect_text("seed=7 window=3 ; min",
                "preset=text unit=word window=3 hash=mix width=64 seed=7; min n=128");
    expect_text("unit=byte preset=raw; minmod", BYTE_VIEW "; minmod n=128 mod=8");
    expect_text("unit=byte fold=none; level", BYTE_VIEW "; level");
    expect_text("fold=punct+space+case+nfc; bsw", DEFAULT_VIEW "; bsw n=100");
    expect_text("fold=space unit=line;simhash",
                "preset=code unit=line window=5 hash=mix width=64 seed=0; simhash bits=64");
    expect_text("fold=case+nfc unit=char hash=rabin width=32; bsw-chunk n=1",
                "fold=nfc+case unit=char window=5 hash=rabin width=32 seed=0; bsw-chunk n=1");
    expect_text("signature; signature positions=yes c=7 n=64 alphabet=2; signature2011 k=49",
                DEFAULT_VIEW "; signature n=8 c=64 alphabet=65536 positions=no"
                             "; signature n=64 c=7 alphabet=2 positions=yes; signature2011 n=4 c=50 k=49");
    expect_text(
        "hash=padded labelled=yes keyid=00ff00ff00ff00ff; minhash; oph n=1 bits=64",
        "preset=text unit=word window=5 labelled=yes hash=padded width=64 seed=0 keyid=00ff00ff00ff00ff; "
        "minhash n=256 bits=64; oph n=1 bits=64");
    expect_text(
        "labelled=no window=1024 seed=18446744073709551615; mod n=4294967295",
        "preset=text unit=word window=1024 hash=mix width=64 seed=18446744073709551615; mod n=4294967295");
}

static void test_null_is_the_default(void **state) {
    (void)state;
    struct stemma_recipe *recipe;
    assert_int_equal(recipe_parse(NULL, 0, &recipe, NULL), STEMMA_OK);
    expect_text("", recipe->text);
    recipe_release(recipe);
}

static void test_longest_text_fits(void **state) {
    (void)state;
    char text[RECIPE_TEXT_MAX] = "fold=nfc+space+punct labelled=yes hash=padded window=1024 "
                                 "seed=18446744073709551615 keyid=0123456789abcdef";
    for (int i = 0; i < SPECS_MOST; i++)
        sprintf(text + strlen(text), "; minmod n=%d mod=4294967295", (int)SPEC_N_MOST - i);
    struct stemma_recipe *recipe = recipe_of(text);
    expect_text(text, recipe->text);
    assert_non_null(strstr(recipe->text, "; minmod n=1048569 mod=4294967295"));
    recipe_release(recipe);
}

static void expect_refusal(const char *text, const char *why) {
    struct stemma_recipe *recipe = NULL;
    stemma_error err = {0};
    assert_int_equal(recipe_parse(text, strlen(text), &recipe, &err), STEMMA_INVALID);
    if (!strstr(err.message, why)) fail_msg("'%s' gave '%s', not '%s'", text, err.message, why);
    assert_null(recipe);
}

static void test_refusals(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"preset=html", "unknown preset 'html'"},
        {"colour=red", "no field 'colour'"},
        {"window", "'window' is not of the form"},
        {"window=0", "window=0 is not a number from 1 to 1024"},
        {"window=1025", "window=1025"},
        {"window=", "window= is not a number"},
        {"window=-1", "window=-1"},
        {"window=5 window=6", "window is given twice"},
        {"width=31", "width=31"},
        {"width=65", "from 32 to 64"},
        {"seed=18446744073709551616", "seed=18446744073709551616"},
        {"unit=page", "unknown unit 'page'"},
        {"hash=md5", "unknown hash 'md5'"},
        {"hash=padded unit=char", "hash=padded is for unit=word"},
        {"labelled=maybe", "unknown labelled 'maybe'"},
        {"preset=text fold=nfc", "exclude each other"},
        {"fold=nfc+nfc", "fold 'nfc' is given twice"},
        {"fold=nfc+", "unknown fold ''"},
        {"fold=none+nfc", "unknown fold 'none'"},
        {"keyid=12", "keyid=12 is not 16"},
        {"keyid=00FF00FF00FF00FF", "lower-case"},
        {"window=5;", "a sketch spec is empty"},
        {"; ; mod", "a sketch spec is empty"},
        {"; mod; ", "a sketch spec is empty"},
        {"; mad n=3", "unknown scheme 'mad'"},
        {"; mod n=0", "mod n=0 is not a number from 1 to 4294967295"},
        {"; mod n=4294967296", "mod n=4294967296"},
        {"; mod bits=2", "mod takes no bits"},
        {"; level n=3", "level takes no n"},
        {"; min n=1048577", "from 1 to 1048576"},
        {"; min mod=3", "min takes no mod"},
        {"; minmod mod=0", "minmod mod=0"},
        {"; oph bits=3", "oph bits=3 is not one of 1, 2, 4, 8, 16, 64"},
        {"; minhash bits=128", "minhash bits=128"},
        {"; simhash bits=32", "simhash bits=32 is not one of 64, 128"},
        {"; simhash n=3", "simhash takes no n"},
        {"; mod n=3 n=3", "n is given twice"},
        {"; mod q=3", "mod has no field 'q'"},
        {"; mod k=3", "mod takes no k"},
        {"; signature bits=3", "signature takes no bits"},
        {"; signature n=65", "signature n=65 is not a number from 1 to 64"},
        {"; signature c=0", "signature c=0 is not a number from 1 to 1048576"},
        {"; signature alphabet=1", "signature alphabet=1 is not a number from 2 to 65536"},
        {"; signature alphabet=65537", "signature alphabet=65537"},
        {"; signature positions=1", "unknown signature positions '1'"},
        {"; signature; signature n=8", "the same signature is asked for twice"},
        {"; signature2011 alphabet=2", "signature2011 takes no alphabet"},
        {"; signature2011 c=7 k=7", "signature2011 k=7 is not below c=7"},
        {"; mod n=3; min; mod n=3", "the same mod is asked for twice"},
        {"labelled=yes; bsw", "bsw cannot be made of labelled"},
        {"labelled=yes; bsw-chunk", "bsw-chunk cannot be made of labelled"},
        {"; mod n=1; mod n=2; mod n=3; mod n=4; mod n=5; mod n=6; mod n=7; mod n=8; mod n=9", "more than 8"},
        {"\x01\xff=1", "no field '\?\?'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_refusal(cases[i][0], cases[i][1]);
}

/* A size that ends early, bytes behind the end, NUL inside. */
static void test_size_is_obeyed(void **state) {
    (void)state;
    struct stemma_recipe *recipe;
    assert_int_equal(recipe_parse("window=55", 8, &recipe, NULL), STEMMA_OK);
    assert_int_equal(recipe->view.window, 5);
    recipe_release(recipe);
    assert_int_equal(recipe_parse("window=5\0", 9, &recipe, NULL), STEMMA_INVALID);
}

static void test_keys(void **state) {
    (void)state;
    struct stemma_recipe *plain = recipe_of("; mod"), *a, *b, *c;
    stemma_error err;
    assert_int_equal(recipe_with_key(plain, "0123456789abcde", 15, &a, &err), STEMMA_INVALID);
    assert_int_equal(recipe_with_key(plain, "0123456789abcdef", 16, &a, &err), STEMMA_OK);
    assert_int_equal(recipe_with_key(plain, "0123456789abcdeg", 16, &b, &err), STEMMA_OK);
    assert_true(a->view.secret != b->view.secret && a->view.key_id != b->view.key_id && a->view.has_secret);
    assert_true(a->view.secret != a->view.key_id);
    c = recipe_of(a->text);
    assert_string_equal(c->text, a->text);
    assert_false(c->view.has_secret);
    recipe_release(b);
    assert_int_equal(recipe_with_key(c, "0123456789abcdeg", 16, &b, &err), STEMMA_MISMATCH);
    assert_int_equal(recipe_with_key(c, "0123456789abcdef", 16, &b, &err), STEMMA_OK);
    assert_true(b->view.secret == a->view.secret);
    assert_int_equal(recipe_comparable(a, plain, &err), STEMMA_MISMATCH);
    assert_non_null(strstr(err.message, "keyid is"));
    assert_int_equal(recipe_comparable(a, c, &err), STEMMA_OK);
    struct stemma_recipe *made[] = {plain, a, b, c};
    for (int i = 0; i < 4; i++) recipe_release(made[i]);
}

/* Only the hashes of Rabin need tables, and a key that is not there gives none at all. */
static void test_tables_follow_the_view(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "unit=byte",
                                        "hash=rabin unit=char",
                                        "hash=padded",
                                        "unit=byte hash=mix",
                                        "unit=byte keyid=0123456789abcdef"};
    static const int windows[] = {0, 20, 4 * 5, 8 * 5, 0, 0}; /* in bytes */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct stemma_recipe *recipe = recipe_of(texts[i]);
        const struct rabin_tables *rabin = recipe->tables.rabin;
        assert_int_equal(rabin ? rabin->window : 0, windows[i]);
        assert_int_equal(recipe->tables.keys.multiplier != 0, !recipe->view.keyed);
        recipe_release(recipe);
    }
}

enum { HOLDERS = 4, TURNS = 20000 };

static void *hold_and_let_go(void *recipe) {
    for (int i = 0; i < TURNS; i++) recipe_release(recipe_retain(recipe));
    recipe_release(recipe);
    return NULL;
}

/* A reference that was lost or counted twice is a leak or a use after free, which a sanitizer sees. */
static void test_references_from_many_threads(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("unit=byte");
    pthread_t threads[HOLDERS];
    for (int i = 0; i < HOLDERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_let_go, (void *)recipe_retain(recipe)),
                         0);
    for (int i = 0; i < HOLDERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&recipe->references), 1);
    recipe_release(recipe);
}

static void expect_mismatch(const char *a, const char *b, const char *why) {
    struct stemma_recipe *ra = recipe_of(a), *rb = recipe_of(b);
    stemma_error err = {0};
    assert_int_equal(recipe_comparable(ra, rb, &err), STEMMA_MISMATCH);
    if (!strstr(err.message, why)) fail_msg("'%s' and '%s' gave '%s'", a, b, err.message);
    assert_int_equal(recipe_equal(ra, rb, &err), STEMMA_MISMATCH);
    if (!strstr(err.message, why)) fail_msg("'%s' and '%s' gave '%s'", a, b, err.message);
    recipe_release(ra);
    recipe_release(rb);
}

static void test_mismatches_are_named(void **state) {
    (void)state;
    expect_mismatch("window=5", "window=7", "recipes differ: window is 5 in one and 7 in the other");
    expect_mismatch("preset=text", "preset=code", "preset is text in one and code");
    expect_mismatch("preset=text", "fold=nfc+case", "preset is text in one and nfc+case");
    expect_mismatch("unit=word", "unit=line", "unit is word");
    expect_mismatch("labelled=yes", "", "labelled is yes in one and no");
    expect_mismatch("hash=mix", "hash=rabin", "hash is mix");
    expect_mismatch("width=64", "width=40", "width is 64");
    expect_mismatch("seed=1", "seed=2", "seed is 1");
    expect_mismatch("keyid=0000000000000001", "", "keyid is 0000000000000001 in one and none");
    expect_mismatch("; mod n=64", "; mod n=100", "mod n is 64 in one and 100");
    expect_mismatch("; mod", "; min", "scheme is mod in one and min");
    expect_mismatch("; oph n=512", "; oph n=1024", "oph n is 512");
    expect_mismatch("; oph bits=1", "; oph bits=2", "oph bits is 1");
    expect_mismatch("; minhash bits=64", "; minhash bits=2", "minhash bits is 64");
    expect_mismatch("; minmod mod=2", "; minmod mod=4", "minmod mod is 2");
    expect_mismatch("; bsw n=2", "; bsw n=4", "bsw n is 2");
}

static void expect_pairs(const char *a, const char *b, size_t count, const size_t (*pairs)[2]) {
    struct stemma_recipe *ra = recipe_of(a), *rb = recipe_of(b);
    struct spec_pair found[SPECS_MOST];
    assert_int_equal(recipe_comparable(ra, rb, NULL), STEMMA_OK);
    assert_int_equal(recipe_pairs(ra, rb, found), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].a, pairs[i][0]);
        assert_int_equal(found[i].b, pairs[i][1]);
    }
    recipe_release(ra);
    recipe_release(rb);
}

static void test_resolutions_that_nest(void **state) {
    (void)state;
    static const size_t first[][2] = {{0, 0}}, crossed[][2] = {{0, 1}, {1, 0}}, exact[][2] = {{1, 0}};
    expect_pairs("; mod n=64", "; mod n=128", 1, first);
    expect_pairs("; mod n=100", "; mod n=50", 1, first);
    expect_pairs("; level", "; level", 1, first);
    expect_pairs("; min n=10", "; min n=20", 1, first);
    expect_pairs("; minmod n=10", "; minmod n=20", 1, first);
    expect_pairs("; minhash n=10 bits=2", "; minhash n=20 bits=2", 1, first);
    expect_pairs("; simhash bits=64", "; simhash bits=128", 1, first);
    expect_pairs("; mod; oph", "; oph; mod", 2, crossed);
    expect_pairs("; mod n=64; mod n=128", "; mod n=128", 1, exact); /* equal before nested */
    expect_pairs("; oph n=512; mod", "; mod n=64; oph n=1024", 1, exact);
}

/* The caller's recipe goes first: the sketcher still needs its tables, the sketch its text. */
static void test_sketches_outlive_the_recipe(void **state) {
    (void)state;
    stemma_recipe *recipe;
    stemma_sketcher *sketcher;
    stemma_sketch *sketch;
    assert_int_equal(stemma_recipe_parse(BYTE_VIEW "; mod n=2", &recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketcher_new(recipe, "name", NULL, &sketcher, NULL), STEMMA_OK);
    stemma_recipe_free(recipe);
    assert_int_equal(stemma_sketcher_add(sketcher, BYTE_VIEW, strlen(BYTE_VIEW), NULL), STEMMA_OK);
    assert_int_equal(stemma_sketcher_finish(sketcher, &sketch, NULL), STEMMA_OK);
    stemma_sketcher_free(sketcher);
    assert_string_equal(stemma_recipe_text(stemma_sketch_recipe(sketch)), BYTE_VIEW "; mod n=2");
    stemma_sketch_free(sketch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_text),
        cmocka_unit_test(test_null_is_the_default),
        cmocka_unit_test(test_longest_text_fits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_size_is_obeyed),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_mismatches_are_named),
        cmocka_unit_test(test_resolutions_that_nest),
        cmocka_unit_test(test_tables_follow_the_view),
        cmocka_unit_test(test_references_from_many_threads),
        cmocka_unit_test(test_sketches_outlive_the_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

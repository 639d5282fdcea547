/* Fragments against their definition: every window compared with every window, token by token. */
#include "align/fragments/search.h"
#include "base/rng.h"
#include "effort.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the twin ---- */

struct doc {
    const char *bytes;
    size_t size;
    stemma_text *text;
    size_t count;
};

static struct doc doc_of(const char *bytes, size_t size, const stemma_recipe *recipe) {
    struct doc doc = {.bytes = bytes, .size = size};
    stemma_limits limits = stemma_limits_default();
    limits.encoding = STEMMA_ENCODING_UTF8; /* which files are searched as */
    assert_int_equal(stemma_text_bytes(bytes, size, recipe, &limits, &doc.text, NULL), STEMMA_OK);
    doc.count = stemma_text_token_count(doc.text);
    return doc;
}

static stemma_token token_at(const struct doc *doc, size_t index) {
    stemma_token token;
    assert_int_equal(stemma_text_token(doc->text, index, &token, NULL), STEMMA_OK);
    return token;
}

static bool same(const struct doc *a, size_t i, const struct doc *b, size_t j) {
    size_t size;
    if (i >= a->count || j >= b->count) return false;
    stemma_token x = token_at(a, i), y = token_at(b, j);
    return x.end - x.begin == y.end - y.begin &&
           !memcmp(stemma_text_data(a->text, &size) + x.begin, stemma_text_data(b->text, &size) + y.begin,
                   x.end - x.begin);
}

static size_t common(const struct doc *a, size_t i, const struct doc *b, size_t j) {
    size_t length = 0;
    while (same(a, i + length, b, j + length)) length++;
    return length;
}

static bool repeats_itself(const struct doc *doc, size_t at, size_t window) {
    for (size_t period = 1; period <= (window < 8 ? 1 : window / 4) && period < window; period++)
        if (common(doc, at, doc, at + period) >= window - period) return true;
    return false;
}

static uint64_t line_at(const struct doc *doc, uint64_t offset) {
    uint64_t line = 1;
    for (uint64_t i = 0; i < offset; i++) line += doc->bytes[i] == '\n';
    return line;
}

/* The longest of the first places that share the window at `at`; length 0 when none does. */
static stemma_fragment longest_from(const struct doc *file, size_t at, const struct doc *targets,
                                    size_t count, size_t window) {
    stemma_fragment best = {0};
    size_t tried = 0, position = 0;
    if (at + window > file->count || repeats_itself(file, at, window)) return best;
    for (size_t t = 0; t < count; t++)
        for (size_t j = 0; j < targets[t].count && tried < 32; j++) {
            size_t length = common(file, at, &targets[t], j);
            if (length < window) continue;
            tried++;
            if (length > best.tokens) best = (stemma_fragment){.target = t, .tokens = length}, position = j;
        }
    if (best.tokens == 0) return best;
    stemma_token last = token_at(file, at + best.tokens - 1);
    best.begin = token_at(file, at).source_begin;
    best.end = last.source_end;
    best.first_line = line_at(file, best.begin);
    best.last_line = line_at(file, last.source_begin);
    best.target_begin = token_at(&targets[best.target], position).source_begin;
    best.target_end = token_at(&targets[best.target], position + best.tokens - 1).source_end;
    return best;
}

static size_t twin(const struct doc *file, const struct doc *targets, size_t count, size_t window,
                   size_t least, stemma_fragment *out) {
    size_t found = 0;
    for (size_t at = 0; at < file->count;) {
        stemma_fragment f = longest_from(file, at, targets, count, window);
        size_t wanted = f.tokens && targets[f.target].count < least ? targets[f.target].count : least;
        if (f.tokens >= wanted && f.tokens) out[found++] = f;
        at += f.tokens ? f.tokens - window + 1 : 1;
    }
    return found;
}

/* ---- holding them together ---- */

static stemma_recipe *recipe_of(const char *text) {
    stemma_recipe *recipe;
    assert_int_equal(stemma_recipe_parse(text, &recipe, NULL), STEMMA_OK);
    return recipe;
}

static stemma_finder *finder_of(const struct doc *targets, size_t count, const stemma_recipe *recipe,
                                uint64_t least, bool thorough, uint64_t block) {
    stemma_target given[4] = {{0}};
    stemma_finder *finder;
    stemma_error error;
    stemma_find_options options = stemma_find_options_default();
    options.least = least;
    options.thorough = thorough;
    options.block = block;
    for (size_t i = 0; i < count; i++) given[i] = (stemma_target){NULL, targets[i].bytes, targets[i].size};
    if (stemma_finder_new(given, count, recipe, &options, NULL, &finder, &error))
        fail_msg("%s", error.message);
    return finder;
}

static void check_fragment(const stemma_fragment *got, const stemma_fragment *wanted) {
    assert_int_equal(got->begin, wanted->begin);
    assert_int_equal(got->end, wanted->end);
    assert_int_equal(got->first_line, wanted->first_line);
    assert_int_equal(got->last_line, wanted->last_line);
    assert_int_equal(got->target, wanted->target);
    assert_int_equal(got->target_begin, wanted->target_begin);
    assert_int_equal(got->target_end, wanted->target_end);
    assert_int_equal(got->tokens, wanted->tokens);
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t begin, uint64_t end) {
    uint64_t from = a > begin ? a : begin, to = b < end ? b : end;
    return to > from ? to - from : 0;
}

/* Bytes of [begin, end) in any fragment: one at a time. */
static uint64_t covered(const stemma_fragment *all, size_t count, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t byte = begin; byte < end; byte++) {
        bool in = false;
        for (size_t i = 0; i < count && !in; i++) in = overlap(all[i].begin, all[i].end, byte, byte + 1);
        sum += in;
    }
    return sum;
}

static void check_blocks(const stemma_findings *findings, const stemma_fragment *all, size_t count,
                         uint64_t size) {
    size_t blocks, next = 0;
    const stemma_block *got = stemma_findings_blocks(findings, &blocks);
    stemma_find_summary summary = stemma_findings_summary(findings);
    for (uint64_t begin = 0; begin < summary.bytes; begin += size) {
        uint64_t end = begin + size < summary.bytes ? begin + size : summary.bytes;
        uint64_t sum = covered(all, count, begin, end);
        if (sum == 0) continue;
        assert_true(next < blocks);
        assert_int_equal(got[next].begin, begin);
        assert_int_equal(got[next].end, end);
        assert_int_equal(got[next].covered, sum);
        assert_true(got[next].target_share >= 0 && got[next].target_share <= summary.share);
        next++;
    }
    assert_int_equal(next, blocks);
    assert_int_equal(summary.blocks, blocks);
    assert_int_equal(summary.covered, covered(all, count, 0, summary.bytes));
}

static void hold_together(const struct doc *file, const struct doc *targets, size_t count,
                          const stemma_recipe *recipe, size_t window, uint64_t least) {
    stemma_fragment *wanted = calloc(file->count + 1, sizeof *wanted);
    stemma_finder *finder = finder_of(targets, count, recipe, least, true, 512);
    stemma_findings *findings;
    size_t got, expected = twin(file, targets, count, window, stemma_finder_get_info(finder).least, wanted);
    assert_int_equal(stemma_find_bytes(finder, file->bytes, file->size, NULL, &findings, NULL), STEMMA_OK);
    const stemma_fragment *all = stemma_findings_fragments(findings, &got);
    assert_int_equal(got, expected);
    for (size_t i = 0; i < got; i++) check_fragment(&all[i], &wanted[i]);
    if (file->size < 20000) check_blocks(findings, wanted, expected, 512);
    stemma_findings_free(findings);
    stemma_finder_free(finder);
    free(wanted);
}

/* ---- random documents ---- */

static const struct form {
    const char *recipe;
    size_t window;
} forms[] = {{"", 5},
             {"window=1", 1},
             {"window=3", 3},
             {"preset=raw unit=byte window=8", 8},
             {"preset=raw unit=byte window=20", 20},
             {"preset=text unit=byte window=9", 9},
             {"preset=text unit=char window=6", 6},
             {"preset=code unit=word window=2", 2},
             {"preset=code unit=line window=2", 2},
             {"preset=raw unit=word window=3 hash=padded labelled=yes", 3}};

static const char *const words[] = {"a",
                                    "ab",
                                    "Stra\xc3\x9f"
                                    "e",
                                    "e\xcc\x81t\xc3\xa9",
                                    "\xe6\xbc\xa2\xe5\xad\x97",
                                    "tree",
                                    "\xff\xfe",
                                    "x",
                                    "Zebra",
                                    "1984",
                                    "don't",
                                    "\xef\xac\x81n"};
static const char *const gaps[] = {" ", " ", " ", "\r\n", "\n", "  ", ", ", "\n\n", "\xc2\xa0", "-"};

static size_t random_text(char *out, size_t size, uint64_t *seed, unsigned vocabulary) {
    size_t length = 0;
    while (length + 24 < size) {
        const char *word = words[rng_below(seed, vocabulary)], *gap = gaps[rng_below(seed, 10)];
        length += (size_t)sprintf(out + length, "%s%s", word, gap);
        if (rng_below(seed, 3) == 0)
            length += (size_t)sprintf(out + length, "%u ", (unsigned)rng_below(seed, 50));
    }
    return length;
}

/* Pieces of the target are put into the file, some over others. */
static void plant(char *file, size_t file_size, const char *target, size_t target_size, uint64_t *seed) {
    for (unsigned i = (unsigned)rng_below(seed, 6); i > 0; i--) {
        size_t size = 1 + rng_below(seed, target_size < file_size ? target_size : file_size);
        memcpy(file + rng_below(seed, file_size - size + 1), target + rng_below(seed, target_size - size + 1),
               size);
    }
}

static void test_random_documents(void **state) {
    (void)state;
    uint64_t seed = 11;
    char file[3000], bytes[2][1500];
    for (size_t round = 0; round < effort(80); round++) {
        const struct form *form = &forms[round % (sizeof forms / sizeof *forms)];
        stemma_recipe *recipe = recipe_of(form->recipe);
        unsigned vocabulary = 2 + (unsigned)rng_below(&seed, 10);
        size_t count = 1 + rng_below(&seed, 2),
               size = random_text(file, 100 + rng_below(&seed, 2900), &seed, vocabulary);
        struct doc targets[2];
        bool usable = true;
        for (size_t i = 0; i < count; i++) {
            size_t length = random_text(bytes[i], 150 + rng_below(&seed, 1350), &seed, vocabulary);
            plant(file, size, bytes[i], length, &seed);
            targets[i] = doc_of(bytes[i], length, recipe);
            usable &= targets[i].count >= form->window;
        }
        struct doc doc = doc_of(file, size, recipe);
        if (usable) hold_together(&doc, targets, count, recipe, form->window, rng_below(&seed, 30));
        stemma_text_free(doc.text);
        for (size_t i = 0; i < count; i++) stemma_text_free(targets[i].text);
        stemma_recipe_free(recipe);
    }
}

/* Bytes that are mostly the same one, which the scan passes over: what stands between them is found all the
 * same. */
static void test_equal_bytes(void **state) {
    (void)state;
    uint64_t seed = 21;
    char file[4000], target[600];
    for (size_t round = 0; round < effort(60); round++) {
        const struct form *form = &forms[3 + round % 2];
        stemma_recipe *recipe = recipe_of(form->recipe);
        memset(file, 0, sizeof file);
        memset(target, 0, sizeof target);
        for (size_t i = rng_below(&seed, 12); i > 0; i--) file[rng_below(&seed, sizeof file)] = (char)i;
        for (size_t i = rng_below(&seed, 12); i > 0; i--) target[rng_below(&seed, sizeof target)] = (char)i;
        plant(file, sizeof file, target, sizeof target, &seed);
        struct doc doc = doc_of(file, sizeof file, recipe), wanted = doc_of(target, sizeof target, recipe);
        hold_together(&doc, &wanted, 1, recipe, form->window, rng_below(&seed, 80));
        stemma_text_free(doc.text);
        stemma_text_free(wanted.text);
        stemma_recipe_free(recipe);
    }
}

/* Fragments at the borders of the segments that a file is searched in,
 * between much that is not the target's. */
static void test_borders(void **state) {
    (void)state;
    enum { SEGMENT = 65536, SIZE = 3 * SEGMENT + 1000 };
    char *file = malloc(SIZE), target[400];
    uint64_t seed = 5;
    size_t length = 0;
    while (length < 360)
        length += (size_t)sprintf(target + length, "t%u ", (unsigned)rng_below(&seed, 1000000));
    for (size_t round = 0; round < effort(15); round++) {
        const struct form *form = round % 3 == 0 ? &forms[0] : round % 3 == 1 ? &forms[4] : &forms[5];
        stemma_recipe *recipe = recipe_of(form->recipe);
        for (size_t i = 0; i < SIZE; i++) file[i] = i % 7 == 6 ? '\n' : (char)('a' + rng_below(&seed, 26));
        size_t size = 100 + rng_below(&seed, length - 100), from = rng_below(&seed, length - size + 1);
        size_t border = (1 + rng_below(&seed, 3)) * SEGMENT,
               at = border - size - 10 + rng_below(&seed, size + 20);
        memcpy(file + at, target + from, size);
        stemma_findings *findings;
        struct doc wanted = {.bytes = target, .size = length};
        stemma_finder *finder = finder_of(&wanted, 1, recipe, 0, true, 65536);
        size_t total = round % 5 ? SIZE : at + size;
        assert_int_equal(stemma_find_bytes(finder, file, total, NULL, &findings, NULL), STEMMA_OK);
        size_t count;
        const stemma_fragment *all = stemma_findings_fragments(findings, &count);
        uint64_t lines = 1;
        assert_int_equal(count, 1);
        for (uint64_t i = 0; i < all->begin; i++) lines += file[i] == '\n';
        assert_true(all->begin + 3 >= at && all->begin <= at + 8); /* a neighbour may agree by chance */
        assert_true(all->end <= at + size + 3 && all->end + 9 >= at + size);
        assert_int_equal(all->first_line, lines);
        stemma_findings_free(findings);
        stemma_finder_free(finder);
        stemma_recipe_free(recipe);
    }
    free(file);
}

/* ---- single cases ---- */

static stemma_find_summary search_once(const char *target, const char *file, const char *form,
                                       stemma_fragment *first) {
    stemma_recipe *recipe = recipe_of(form);
    struct doc doc = {.bytes = target, .size = strlen(target)};
    stemma_finder *finder = finder_of(&doc, 1, recipe, 0, false, 65536);
    stemma_findings *findings;
    size_t count;
    assert_int_equal(stemma_find_bytes(finder, file, strlen(file), NULL, &findings, NULL), STEMMA_OK);
    stemma_find_summary summary = stemma_findings_summary(findings);
    const stemma_fragment *all = stemma_findings_fragments(findings, &count);
    if (first && count) *first = all[0];
    stemma_findings_free(findings);
    stemma_finder_free(finder);
    stemma_recipe_free(recipe);
    return summary;
}

static void test_folded_text_is_found(void **state) {
    (void)state;
    stemma_fragment f;
    const char *target = "One two three, four five six seven eight nine ten.";
    stemma_find_summary s =
        search_once(target, "x y\r\nTWO   three -- FOUR\r\nfive six\tSeven eight: NINE z", "", &f);
    assert_int_equal(s.fragments, 1);
    assert_int_equal(f.begin, 5);
    assert_int_equal(f.end, 52);
    assert_int_equal(f.first_line, 2);
    assert_int_equal(f.last_line, 3);
    assert_int_equal(f.target_begin, 4);
    assert_int_equal(f.target_end, 45);
    assert_int_equal(f.tokens, 8);
    assert_true(s.share == .8);
    assert_int_equal(search_once(target, "two three four five six seven eight X nine", "", NULL).fragments,
                     0);
    assert_int_equal(search_once(target, target, "", NULL).fragments, 1);
    assert_true(search_once(target, target, "", NULL).share == 1);
    assert_int_equal(search_once(target, "", "", NULL).fragments, 0);
    assert_int_equal(search_once(target, "two", "", NULL).fragments, 0);
}

/* Shorter than what is worth mentioning: found whole. Shorter than a window: refused by name. */
static void test_short_targets(void **state) {
    (void)state;
    stemma_finder *finder = (stemma_finder *)state;
    stemma_error error;
    assert_int_equal(
        search_once("five little words in here", "and FIVE little words, in here it is", "", NULL).fragments,
        1);
    assert_int_equal(
        search_once("six little words are in here", "little words are in here it", "", NULL).fragments, 0);
    stemma_target few = {NULL, "only four words here", 20}, none = {NULL, "", 0};
    assert_int_equal(stemma_finder_new(&few, 1, NULL, NULL, NULL, &finder, &error), STEMMA_UNSUPPORTED);
    assert_non_null(strstr(error.message, "4 tokens, fewer than the window of 5"));
    assert_int_equal(stemma_finder_new(&none, 1, NULL, NULL, NULL, &finder, &error), STEMMA_UNSUPPORTED);
    assert_int_equal(stemma_finder_new(NULL, 0, NULL, NULL, NULL, &finder, &error), STEMMA_INVALID);
    assert_ptr_equal(finder, state);
}

/* One per cent of a large file, in three places; not one is left to chance. */
static void test_one_per_cent(void **state) {
    (void)state;
    enum { SIZE = 3000000, PART = 10000 };
    uint64_t seed = 8;
    char *file = malloc(SIZE), *target = malloc(3 * PART);
    for (size_t i = 0; i < SIZE; i++) file[i] = (char)rng_next(&seed);
    for (size_t i = 0; i < 3 * PART; i++) target[i] = (char)rng_next(&seed);
    for (size_t i = 0; i < 3; i++) memcpy(file + 700000 * (i + 1), target + i * PART, PART);
    stemma_recipe *recipe = recipe_of("preset=raw unit=byte window=20");
    struct doc doc = {.bytes = target, .size = 3 * PART};
    stemma_finder *finder = finder_of(&doc, 1, recipe, 0, false, 65536);
    stemma_findings *findings;
    size_t count;
    assert_int_equal(stemma_finder_get_info(finder).modulus, 1);
    assert_int_equal(stemma_find_bytes(finder, file, SIZE, NULL, &findings, NULL), STEMMA_OK);
    const stemma_fragment *all = stemma_findings_fragments(findings, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(all[i].begin, 700000 * (i + 1));
        assert_int_equal(all[i].tokens, PART);
        assert_int_equal(all[i].target_begin, i * PART);
    }
    assert_true(stemma_findings_summary(findings).share == 1 && stemma_findings_share(findings, 0) == 1);
    assert_true(stemma_findings_share(findings, 1) == 0);
    stemma_findings_free(findings);
    stemma_finder_free(finder);
    stemma_recipe_free(recipe);
    free(file);
    free(target);
}

/* How many comparisons of tokens a search costs, for each token of the file. */
static double work_per_token(const char *target, size_t target_size, const char *file, size_t size,
                             uint64_t tokens) {
    struct doc doc = {.bytes = target, .size = target_size};
    stemma_finder *finder = finder_of(&doc, 1, NULL, 0, false, 65536);
    struct search *search;
    assert_int_equal(search_new(finder, &search, NULL), STEMMA_OK);
    for (size_t at = 0; at <= size; at += 65536)
        assert_int_equal(
            search_segment(search, (const uint8_t *)file + at, size - at < 65536 ? size - at : 65536, NULL),
            STEMMA_OK);
    double work = (double)search_work(search) / (double)tokens;
    search_free(search);
    stemma_finder_free(finder);
    return work;
}

/* Equal lines by the hundred thousand on both sides, and one that differs: no square. */
static void test_repetition_is_linear(void **state) {
    (void)state;
    const size_t lines = effort(100000);
    static const char line[] = "to be or not to be that is\n";
    size_t unit = sizeof line - 1, size = lines * unit;
    char *text = malloc(size + 1), *same_words = malloc(size + 1);
    for (size_t i = 0; i < lines; i++) memcpy(text + i * unit, line, unit);
    for (size_t i = 0; i < size; i++) same_words[i] = i % 2 ? ' ' : 'x';
    double whole = work_per_token(text, size, text, size, 8 * lines);
    double broken = work_per_token(text, size / 1000, text, size, 8 * lines);
    double poor = work_per_token(same_words, size, same_words, size, size / 2);
    print_message("comparisons per token: %.2f whole, %.2f in parts, %.2f of one word\n", whole, broken,
                  poor);
    assert_true(whole < 40 && broken < 80 && poor < 1);
    free(text);
    free(same_words);
}

/* A file gives what its bytes give. */
static void test_files(void **state) {
    (void)state;
    char path[] = "/tmp/stemma-finder-XXXXXX";
    enum { SIZE = 400000 };
    uint64_t seed = 3;
    char *bytes = malloc(SIZE);
    size_t size = random_text(bytes, SIZE, &seed, 12), counts[2];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    struct doc doc = {.bytes = bytes + 300000, .size = 5000};
    stemma_finder *finder = finder_of(&doc, 1, NULL, 12, false, 4096);
    stemma_findings *a, *b;
    assert_int_equal(stemma_find_bytes(finder, bytes, size, NULL, &a, NULL), STEMMA_OK);
    assert_int_equal(stemma_find_file(finder, path, NULL, &b, NULL), STEMMA_OK);
    const stemma_fragment *x = stemma_findings_fragments(a, &counts[0]),
                          *y = stemma_findings_fragments(b, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    assert_true(counts[0] > 0);
    assert_memory_equal(x, y, counts[0] * sizeof *x);
    stemma_findings_free(a);
    stemma_findings_free(b);
    unlink(path);
    assert_int_equal(stemma_find_file(finder, path, NULL, &a, NULL), STEMMA_NOT_FOUND);
    int stop = 1;
    stemma_limits limits = stemma_limits_default();
    limits.stop = &stop;
    assert_int_equal(stemma_find_bytes(finder, bytes, size, &limits, &a, NULL), STEMMA_INTERRUPTED);
    stemma_finder_free(finder);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_documents),
        cmocka_unit_test(test_equal_bytes),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_folded_text_is_found),
        cmocka_unit_test(test_short_targets),
        cmocka_unit_test(test_one_per_cent),
        cmocka_unit_test(test_repetition_is_linear),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("finder", tests, NULL, NULL);
}

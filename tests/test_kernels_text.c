/*
 * The text kernels of every instruction set against the portable ones, on random text.
 *
 * Buffers end at a page that may not be touched, with exactly the slack that kernels.h allows, so that a read
 * or write too far stops the test.
 */
#include "base/rng.h"
#include "kernels/generic.h"
#include "kernels/run_chars.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include "effort.h"
#if STEMMA_EMULATED
#include "emulate/emulated.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT_MOST         6000 /* bytes: several blocks of the word kernel */
#define FOLDED_MOST(size) (2 * (size) + 1)

/* ---- which tables ---- */

static size_t tables(const struct kernels *out[4]) {
    static const char *const names[] = {"portable", "avx2", "avx512"};
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (kernels_named(names[i])) out[count++] = kernels_named(names[i]);
#if STEMMA_EMULATED
    out[count++] = &kernels_avx512_emulated;
#endif
    return count;
}

/* ---- memory that ends where it must ---- */

struct guarded {
    uint8_t *pages, *limit; /* limit: the first byte that may not be touched */
    size_t size;
};

static struct guarded guarded_new(size_t most) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (most + page - 1) / page * page;
    uint8_t *pages = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + size, page, PROT_NONE), 0);
    return (struct guarded){pages, pages + size, size + page};
}

static void guarded_free(struct guarded *memory) {
    munmap(memory->pages, memory->size);
}

/* Room for `size` bytes and `slack` more; what the slack holds is random and must not matter. */
static uint8_t *guarded_at(const struct guarded *memory, size_t size, size_t slack, uint64_t *rng) {
    uint8_t *at = memory->limit - slack - size;
    for (size_t i = 0; i < size + slack; i++) at[i] = (uint8_t)rng_next(rng);
    return at;
}

/* ---- random text ---- */

enum {
    LETTERS,
    SPACES,
    ALTERNATING,
    PUNCTUATION,
    CONTROLS,
    ASCII,
    PROSE,
    SOME_HIGH,
    MANY_HIGH,
    ACCENTS, /* from here on characters, not bytes */
    WESTERN, /* accents, and little else */
    CYRILLIC,
    GREEK,
    CHINESE,
    JAPANESE,
    KOREAN,
    THAI,
    INDIC,
    SCRIPTS, /* all of these, mixed */
    BROKEN,  /* and bytes lost */
    KINDS
};

/* Characters of each, most of them such as need no care. */
static const struct {
    uint32_t first, last;
} scripts[] = {[ACCENTS] = {0xC0, 0x17F},   [WESTERN] = {0xC0, 0xFF},     [CYRILLIC] = {0x410, 0x451},
               [GREEK] = {0x391, 0x3CE},    [CHINESE] = {0x4E00, 0x9FFF}, [JAPANESE] = {0x3041, 0x30FE},
               [KOREAN] = {0xAC00, 0xD7A3}, [THAI] = {0xE01, 0xE47},      [INDIC] = {0x904, 0x94C}};

static uint32_t script_char(int kind, uint64_t *rng) {
    static const uint32_t others[] = {0x2019, 0x2014, 0xA0,    0xAB,    0x3002, 0xFF0C,
                                      0xDF,   0x3C2,  0x1F600, 0x20000, 0x10400};
    uint64_t die = rng_below(rng, 200);
    if (kind == WESTERN && die >= 20 && rng_below(rng, 10)) die = die < 185 ? 149 : 199; /* a letter */
    if (die < 20) return ' ';
    if (die < 30) return (uint32_t)(' ' + rng_below(rng, 95));
    if (die < 40) return others[rng_below(rng, sizeof others / sizeof *others)];
    if (die == 40) return (uint32_t)rng_below(rng, 0xD800);
    if (kind >= SCRIPTS) kind = die < 60 ? LETTERS : ACCENTS + (int)rng_below(rng, SCRIPTS - ACCENTS);
    if (kind == LETTERS || (kind <= WESTERN && die < 150)) return (uint32_t)('a' + rng_below(rng, 26));
    return scripts[kind].first + (uint32_t)rng_below(rng, scripts[kind].last - scripts[kind].first + 1);
}

/* The last character may be cut. Some texts hold on to a script for a while, so that runs of it get long. */
static void random_script(uint8_t *text, size_t size, int kind, uint64_t *rng) {
    int now = kind;
    for (size_t at = 0; at < size;) {
        uint8_t bytes[4];
        if (kind == SCRIPTS && rng_below(rng, 12) == 0)
            now = ACCENTS + (int)rng_below(rng, SCRIPTS - ACCENTS + 1);
        size_t length = utf8_encode(script_char(now, rng), bytes);
        bool loses = kind == BROKEN && rng_below(rng, 10) == 0;
        for (size_t i = loses && rng_below(rng, 2); i < length - (loses && length > 1) && at < size; i++)
            text[at++] = bytes[i];
    }
}

static uint8_t prose_byte(uint64_t *rng) {
    static const char bytes[] = "etaoin shrdlu etaoin shrdlu ETAOIN 0123456789,.  \n'-\"@[`{/:";
    return (uint8_t)bytes[rng_below(rng, sizeof bytes - 1)];
}

static uint8_t random_byte(int kind, size_t at, uint64_t *rng) {
    uint64_t r = rng_next(rng);
    switch (kind) {
    case LETTERS:
        return (uint8_t)((r & 1 ? 'a' : 'A') + r / 2 % 26);
    case SPACES:
        return ' ';
    case ALTERNATING:
        return at % 2 ? 'x' : ' ';
    case PUNCTUATION:
        return (uint8_t)(r & 64 ? ' ' + r % 16 : ':' + r % 7);
    case CONTROLS:
        return (uint8_t)(r % 34);
    case ASCII:
        return r % 128;
    case SOME_HIGH:
        return r % 97 ? prose_byte(rng) : (uint8_t)(128 | r >> 32);
    case MANY_HIGH:
        return (uint8_t)r;
    default:
        return prose_byte(rng);
    }
}

static void random_text(uint8_t *text, size_t size, int kind, uint64_t *rng) {
    if (kind >= ACCENTS) {
        random_script(text, size, kind, rng);
        return;
    }
    for (size_t i = 0; i < size; i++) text[i] = random_byte(kind, i, rng);
}

/* ---- fold_text ---- */

struct folding {
    const struct kernels *table;
    struct guarded in, out, list;
    uint64_t rng;
};

/* How a run starts, and what is asked for. */
struct fold_case {
    bool gap, any, listed, splits;
};

static struct run_chars fold_chars(struct fold_case c) {
    return unicode_run_chars(1u << RUN_ENDS | (c.listed ? 1u << RUN_LETTERS : 0) |
                             (c.splits ? 1u << RUN_SINGLE : 0));
}

/* With breaks or without, the text is the same. */
static void check_fold(struct folding *f, const uint8_t *text, size_t size, struct fold_case c) {
    static uint8_t expected[FOLDED_MOST(TEXT_MOST) + KERNEL_SLACK];
    static struct fold_break breaks_expected[FOLD_BREAKS_MOST(TEXT_MOST)];
    const struct run_chars chars = fold_chars(c);
    bool gap = c.gap, any = c.any, gap_expected = c.gap, any_expected = c.any;
    size_t wrote_expected, wrote = SIZE_MAX, most = FOLD_BREAKS_MOST(size) * sizeof(struct fold_break);
    struct fold_breaks wanted = {.list = breaks_expected};
    struct fold_breaks got = {(struct fold_break *)(void *)guarded_at(&f->list, most, 0, &f->rng), SIZE_MAX};
    size_t read = generic_fold_text(&chars, text, size, expected, &wrote_expected, &gap_expected,
                                    &any_expected, &wanted);
    assert_true(wrote_expected <= FOLDED_MOST(read));
    uint8_t *result = guarded_at(&f->out, wrote_expected, KERNEL_SLACK, &f->rng);
    assert_int_equal(
        f->table->fold_text(&chars, text, size, result, &wrote, &gap, &any, c.listed ? &got : NULL), read);
    assert_int_equal(wrote, wrote_expected);
    assert_memory_equal(result, expected, wrote);
    assert_int_equal(gap, gap_expected);
    assert_int_equal(any, any_expected);
    if (!c.listed) return;
    assert_int_equal(got.count, wanted.count);
    assert_memory_equal(got.list, wanted.list, wanted.count * sizeof *wanted.list);
}

/* From the beginning, and from behind each place where a run ends. */
static void check_random_fold(struct folding *f, size_t size, int kind, struct fold_case c) {
    uint8_t *text = guarded_at(&f->in, size, KERNEL_SLACK, &f->rng);
    random_text(text, size, kind, &f->rng);
    const struct run_chars chars = fold_chars(c);
    for (size_t at = 0; at <= size; at++) {
        static uint8_t ignored[FOLDED_MOST(TEXT_MOST) + KERNEL_SLACK];
        bool gap = c.gap, any = c.any;
        size_t wrote;
        check_fold(f, text + at, size - at, c);
        at += generic_fold_text(&chars, text + at, size - at, ignored, &wrote, &gap, &any, NULL);
    }
}

static struct folding folding_new(const struct kernels *table) {
    return (struct folding){table, guarded_new(TEXT_MOST + KERNEL_SLACK),
                            guarded_new(FOLDED_MOST(TEXT_MOST) + KERNEL_SLACK),
                            guarded_new(FOLD_BREAKS_MOST(TEXT_MOST) * sizeof(struct fold_break)), 1};
}

static void folding_free(struct folding *f) {
    guarded_free(&f->in);
    guarded_free(&f->out);
    guarded_free(&f->list);
}

static void test_fold(void **state) {
    (void)state;
    const struct kernels *all[4];
    size_t count = tables(all);
    for (size_t t = 0; t < count; t++) {
        struct folding f = folding_new(all[t]);
        for (int kind = 0; kind < KINDS; kind++)
            for (unsigned s = 0; s < 16; s++) {
                struct fold_case c = {s & 1, s & 2, s & 4, s & 8};
                for (size_t size = 0; size <= 300; size += effort_step())
                    check_random_fold(&f, size, kind, c);
                check_random_fold(&f, TEXT_MOST, kind, c);
            }
        folding_free(&f);
    }
}

/* Every character of the first three planes, at every place of a block in turn. */
static void test_fold_every_character(void **state) {
    (void)state;
    const struct kernels *all[4];
    size_t count = tables(all);
    for (size_t t = 0; t < count; t++) {
        struct folding f = folding_new(all[t]);
        for (uint32_t cp = 0x80; cp < 0x30000; cp += (uint32_t)effort_step()) {
            uint8_t *text = guarded_at(&f.in, 70, KERNEL_SLACK, &f.rng);
            memset(text, cp & 1 ? 'q' : ' ', 70);
            utf8_encode(cp, text + cp % 66);
            check_fold(&f, text, 70, (struct fold_case){false, true, cp & 4, cp & 8});
        }
        folding_free(&f);
    }
}

/* And among characters that are words of their own. */
static void test_fold_every_character_among_words(void **state) {
    (void)state;
    enum { SIZE = 210 };
    const struct kernels *all[4];
    size_t count = tables(all);
    for (size_t t = 0; t < count; t++) {
        struct folding f = folding_new(all[t]);
        for (uint32_t cp = 0; cp < 0x30000; cp += (uint32_t)effort_step()) {
            uint8_t *text = guarded_at(&f.in, SIZE, KERNEL_SLACK, &f.rng);
            for (size_t i = 0; i < SIZE; i += 3) memcpy(text + i, cp & 1 ? "\xE4\xB8\xAD" : "a\xC3\xA9", 3);
            memcpy(text, "\xE6\x96\x87", 3);
            utf8_encode(cp, text + 3 * (1 + cp % 44));
            check_fold(&f, text, SIZE, (struct fold_case){false, true, false, true});
        }
        folding_free(&f);
    }
}

/* The definition of a break, on text that has one of each kind. */
static void test_fold_breaks(void **state) {
    (void)state;
    static const char text[] = " Ab c, D--7\r\n";
    static const struct fold_break wanted[] = {{1, 1}, {7, 6}, {10, 8}};
    uint8_t padded[sizeof text + KERNEL_SLACK] = {0}, folded[sizeof text + KERNEL_SLACK];
    struct fold_break list[FOLD_BREAKS_MOST(sizeof text)];
    const struct run_chars chars = fold_chars((struct fold_case){.splits = true});
    const struct kernels *all[4];
    memcpy(padded, text, sizeof text - 1);
    for (size_t t = 0, count = tables(all); t < count; t++) {
        struct fold_breaks breaks = {.list = list};
        bool gap = false, any = true;
        size_t wrote;
        assert_int_equal(
            all[t]->fold_text(&chars, padded, sizeof text - 1, folded, &wrote, &gap, &any, &breaks),
            sizeof text - 1);
        assert_int_equal(wrote, 9);
        assert_memory_equal(folded, " ab c d 7", 9);
        assert_int_equal(breaks.count, 3);
        assert_memory_equal(list, wanted, sizeof wanted);
    }
}

/* Every byte value in every place of a block, so that no class boundary is off by one. */
static void test_fold_every_byte(void **state) {
    (void)state;
    const struct run_chars chars = fold_chars((struct fold_case){.splits = true});
    const struct kernels *all[4];
    size_t count = tables(all);
    for (size_t t = 0; t < count; t++)
        for (unsigned c = 0; c < 256; c++)
            for (size_t at = 0; at < 70; at++) {
                uint8_t text[70 + KERNEL_SLACK];
                uint8_t expected[FOLDED_MOST(70) + KERNEL_SLACK], result[FOLDED_MOST(70) + KERNEL_SLACK];
                memset(text, 'q', sizeof text);
                text[at] = (uint8_t)c;
                bool gap[2] = {false, false}, any[2] = {true, true};
                size_t wrote[2];
                size_t read =
                    generic_fold_text(&chars, text, 70, expected, &wrote[0], &gap[0], &any[0], NULL);
                assert_int_equal(
                    all[t]->fold_text(&chars, text, 70, result, &wrote[1], &gap[1], &any[1], NULL), read);
                assert_int_equal(wrote[0], wrote[1]);
                assert_memory_equal(expected, result, wrote[0]);
            }
}

/* ---- hash_words ---- */

static struct mix_keys random_keys(size_t window, uint64_t *rng) {
    struct mix_keys keys = {.multiplier = rng_next(rng) << 3 | 5, .leave = 1, .finish = rng_next(rng)};
    for (int i = 0; i < 3; i++) keys.token[i] = rng_next(rng);
    for (size_t i = 0; i < window; i++) keys.leave *= keys.multiplier;
    return keys;
}

/* Words of mean length `mean`, or of exactly -mean; bytes above 127 among them. */
static void random_words(uint8_t *text, size_t size, int mean, uint64_t *rng) {
    size_t length = 0;
    for (size_t i = 0; i < size; i++, length++) {
        bool ends = mean < 0 ? length == (size_t)-mean : rng_below(rng, (uint64_t)mean + 1) == 0;
        text[i] = ends ? ' ' : (uint8_t)('!' + rng_below(rng, 200));
        if (ends) length = SIZE_MAX;
    }
}

static void check_hash(const struct kernels *table, const struct guarded memory[2], size_t size, int mean,
                       uint64_t *rng) {
    static uint64_t expected[TEXT_MOST];
    struct mix_keys keys = random_keys(1, rng);
    uint8_t *text = guarded_at(&memory[0], size, KERNEL_SLACK, rng);
    random_words(text, size, mean, rng);
    size_t used_expected, used = SIZE_MAX;
    size_t words = generic_hash_words(text, size, &keys, expected, &used_expected);
    uint64_t *result = (uint64_t *)(void *)guarded_at(&memory[1], 8 * words, 8 * KERNEL_SLACK, rng);
    assert_int_equal(table->hash_words(text, size, &keys, result, &used), words);
    assert_int_equal(used, used_expected);
    assert_memory_equal(result, expected, 8 * words);
}

static void check_map(const struct kernels *table, const struct guarded memory[2], size_t size, int mean,
                      uint64_t *rng) {
    static struct space_block blocks[TEXT_MOST / 64 + 1], expected_blocks[TEXT_MOST / 64 + 1];
    static uint32_t expected[TEXT_MOST];
    uint8_t *text = guarded_at(&memory[0], size, KERNEL_SLACK, rng);
    size_t offset = 64 * rng_below(rng, 1000), before = rng_below(rng, 1000);
    random_words(text, size, mean, rng);
    size_t spaces = generic_map_spaces(text, size, offset, before, expected_blocks, expected);
    uint32_t *result = (uint32_t *)(void *)guarded_at(&memory[1], 4 * spaces, 4 * KERNEL_SLACK, rng);
    assert_int_equal(table->map_spaces(text, size, offset, before, blocks, result), spaces);
    assert_memory_equal(blocks, expected_blocks, (size + 63) / 64 * sizeof *blocks);
    assert_memory_equal(result, expected, 4 * spaces);
}

static void test_hash(void **state) {
    (void)state;
    static const int means[] = {0, 1, 2, 4, 9, 40, 3000, -7, -8, -9, -15, -16, -17, -31, -32, -33, -100};
    const struct kernels *all[4];
    size_t count = tables(all);
    uint64_t rng = 2;
    for (size_t t = 0; t < count; t++) {
        struct guarded memory[2] = {guarded_new(TEXT_MOST + KERNEL_SLACK),
                                    guarded_new(8 * (TEXT_MOST + KERNEL_SLACK))};
        for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
            for (size_t size = 0; size <= 300; size++) check_hash(all[t], memory, size, means[m], &rng);
            for (size_t size = 2040; size < 2060; size++) check_hash(all[t], memory, size, means[m], &rng);
            check_hash(all[t], memory, TEXT_MOST, means[m], &rng);
            for (size_t size = 0; size <= 300; size++) check_map(all[t], memory, size, means[m], &rng);
            check_map(all[t], memory, TEXT_MOST, means[m], &rng);
        }
        guarded_free(&memory[0]);
        guarded_free(&memory[1]);
    }
}

/* ---- combine ---- */

static void check_combine(const struct kernels *table, const struct guarded memory[2], size_t count,
                          size_t window, uint64_t *rng) {
    static uint64_t expected[TEXT_MOST];
    struct mix_keys keys = random_keys(window, rng);
    uint64_t *tokens = (uint64_t *)(void *)guarded_at(&memory[0], 8 * count, KERNEL_SLACK, rng);
    generic_combine(tokens, count, window, &keys, expected);
    size_t windows = count - window + 1;
    uint64_t *result = (uint64_t *)(void *)guarded_at(&memory[1], 8 * windows, 8 * KERNEL_SLACK, rng);
    table->combine(tokens, count, window, &keys, result);
    assert_memory_equal(result, expected, 8 * windows);
}

static void test_combine(void **state) {
    (void)state;
    static const size_t windows[] = {1, 2, 3, 4, 5, 8, 20, 63, 64, 65, 200};
    const struct kernels *all[4];
    size_t count = tables(all);
    uint64_t rng = 3;
    for (size_t t = 0; t < count; t++) {
        struct guarded memory[2] = {guarded_new(8 * TEXT_MOST + KERNEL_SLACK),
                                    guarded_new(8 * (TEXT_MOST + KERNEL_SLACK))};
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            for (size_t n = windows[w]; n <= windows[w] + 70; n++)
                check_combine(all[t], memory, n, windows[w], &rng);
            for (size_t n = 1020; n < 1050; n++) check_combine(all[t], memory, n, windows[w], &rng);
            check_combine(all[t], memory, 2500, windows[w], &rng);
        }
        guarded_free(&memory[0]);
        guarded_free(&memory[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_fold_breaks),
        cmocka_unit_test(test_fold_every_byte),
        cmocka_unit_test(test_fold_every_character),
        cmocka_unit_test(test_fold_every_character_among_words),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_combine),
    };
    const struct kernels *all[4];
    size_t count = tables(all);
    for (size_t t = 0; t < count; t++)
        print_message("table: %s%s\n", all[t]->name,
                      kernels_named(all[t]->name) == all[t] ? "" : ", emulated");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The canonical form of running text in many scripts: the short cuts against the plain path and the twin, for
 * text as it is written, with now and then a character that needs care, and cut at every place.
 */
#include "effort.h"
#include "text_support.h"
#include "text_twin.h"

#include "kernels/run_chars.h"

/* ---- text as it is written ---- */

struct script {
    uint32_t first, last; /* its letters */
    int word;             /* of so many letters at most */
    const char *marks[4]; /* what its letters may bear */
    const char *gaps[6];
};

static const struct script scripts[] = {
    {'a',
     'z',
     9,
     {"\xCC\x81", "\xCC\x88", "\xCC\xA3"},
     {" ", " ", ", ", "\xE2\x80\x99", " \xE2\x80\x9C", "\n"}},
    {'A', 'Z', 5, {"\xCC\x81", "\xCC\xA7"}, {" ", ". ", "\xE2\x80\x94", "\xC2\xA0", "\r\n", "\xE2\x80\xA6 "}},
    {0xC0, 0x17F, 7, {"\xCC\x81", "\xCC\xA3"}, {" ", ", ", "\xC2\xAB", "\xC2\xBB ", " \xE2\x80\x93 ", "-"}},
    {0x1E00, 0x1EF9, 5, {"\xCC\x81", "\xCC\xA3"}, {" ", " ", ". "}},
    {0x391, 0x3CE, 8, {"\xCC\x81", "\xCD\x85", "\xCC\x93"}, {" ", " ", ", ", "\xC2\xB7 ", "\xCD\xBE "}},
    {0x410, 0x451, 8, {"\xCC\x86", "\xCC\x81", "\xCC\x88"}, {" ", " ", ", ", " \xE2\x80\x94 ", "\xC2\xAB"}},
    {0x430, 0x44F, 12, {"\xCC\x86"}, {" ", " ", " "}},
    {0x5D0, 0x5EA, 6, {"\xD6\xB8", "\xD6\xBC"}, {" ", "\xD6\xBE", ". "}},
    {0x620, 0x64A, 7, {"\xD9\x8E", "\xD9\x91", "\xD9\x94"}, {" ", " ", "\xD8\x8C "}},
    {0x904,
     0x939,
     5,
     {"\xE0\xA4\xBE", "\xE0\xA5\x8D", "\xE0\xA4\xBC", "\xE0\xA4\x82"},
     {" ", " ", "\xE0\xA5\xA4 "}},
    {0xE01, 0xE30, 20, {"\xE0\xB8\xB1", "\xE0\xB9\x89", "\xE0\xB8\xB3", "\xE0\xB8\xB4"}, {" ", "  "}},
    {0x4E00,
     0x9FFF,
     25,
     {"\xE3\x82\x99", "\xEF\xB8\x80"},
     {"\xE3\x80\x82", "\xEF\xBC\x8C", "\xE3\x80\x81", "\n"}},
    {0x3041,
     0x3096,
     9,
     {"\xE3\x82\x99", "\xE3\x82\x9A", "\xE3\x83\xBC"},
     {"\xE3\x80\x82", "\xE3\x80\x8C", "", ""}},
    {0x30A1, 0x30FA, 9, {"\xE3\x82\x99", "\xE3\x83\xBC"}, {"\xE3\x83\xBB", "\xE3\x80\x8D", "", " "}},
    {0xFF10, 0xFF5A, 6, {"\xEF\xBE\x9E"}, {"\xEF\xBC\x8E", "\xE3\x80\x80", ""}},
    {0xAC00, 0xD7A3, 5, {"\xE1\x86\xA8", "\xE1\x85\xA1"}, {" ", " ", ", ", "\n"}},
    {0x1100, 0x1112, 3, {"\xE1\x85\xA1", "\xE1\x85\xA1\xE1\x86\xAB"}, {" ", ""}},
    {0x20000, 0x20010, 4, {"\xE3\x82\x99"}, {"\xE3\x80\x82", ""}},
    {0x10400, 0x10427, 4, {"\xCC\x81"}, {" ", "\xF0\x9F\x98\x80"}},
};
#define SCRIPTS (sizeof scripts / sizeof *scripts)

/* What may stand in the middle of a word and needs care: ligatures, sharp s, dotted and dotless i, sigma,
 * Kelvin, unassigned, invisible, broken. */
static const char *const careful[] = {
    "\xEF\xAC\x81", "\xC3\x9F", "\xE1\xBA\x9E", "\xC4\xB0",     "\xC4\xB1",     "\xCF\x82", "\xE2\x84\xAA",
    "\xCD\xB8",     "\xC2\xAD", "\xE2\x80\x8D", "\xE2\x81\xA0", "\xE2\x80\x8B", "\xC5\x89", "\xC7\xB0",
    "\xEF\xA4\x80", "\x80",     "\xE2\x82",     "\xF0\x9F\x92", "\xED\xA0\x80", "\xFF",     "\xE1\x83\x80"};

static const char *one_of(const char *const *list, size_t most, uint64_t *rng) {
    size_t count = 0;
    while (count < most && list[count]) count++;
    return list[rng_below(rng, count)];
}

/* How often marks and careful characters come, per thousand letters. */
struct manner {
    uint64_t marks, careful;
};

static void add_word(struct buf *source, const struct script *script, struct manner manner, uint64_t *rng) {
    for (size_t letters = 1 + rng_below(rng, (uint64_t)script->word); letters; letters--) {
        uint8_t bytes[4];
        uint32_t cp = script->first + (uint32_t)rng_below(rng, script->last - script->first + 1);
        buf_add(source, bytes, utf8_encode(cp, bytes));
        if (rng_below(rng, 1000) < manner.marks) buf_add_string(source, one_of(script->marks, 4, rng));
        if (rng_below(rng, 1000) < manner.careful)
            buf_add_string(source, one_of(careful, sizeof careful / sizeof *careful, rng));
    }
    buf_add_string(source, one_of(script->gaps, 6, rng));
}

/* Mostly one script, as documents are, or all of them. */
static struct buf random_document(uint64_t *rng, size_t size) {
    static const struct manner manners[] = {{0, 0}, {0, 5}, {10, 10}, {200, 20}};
    struct manner manner = manners[rng_below(rng, 4)];
    size_t most = rng_below(rng, SCRIPTS);
    bool mixed = rng_below(rng, 3) == 0;
    struct buf source = {0};
    while (source.len < size)
        add_word(&source, &scripts[mixed || !rng_below(rng, 9) ? rng_below(rng, SCRIPTS) : most], manner,
                 rng);
    return source;
}

/* ---- comparing ---- */

static void check_document(const struct buf *source, enum unit unit, uint64_t *rng) {
    struct offset_map plain_map = {0}, map = {0}, cut_map = {0};
    struct buf plain = run_plainly(FOLD_TEXT, unit, source, &plain_map);
    struct buf results[] = {run(FOLD_TEXT, unit, source->data, source->len, NULL, NULL),
                            run(FOLD_TEXT, unit, source->data, source->len, NULL, rng),
                            run(FOLD_TEXT, unit, source->data, source->len, &map, NULL),
                            run(FOLD_TEXT, unit, source->data, source->len, &cut_map, rng),
                            twin_canon(FOLD_TEXT, unit, source->data, source->len)};
    static const char *const names[] = {"whole", "pieces", "mapped", "mapped pieces", "twin"};
    bool frozen = !strcmp(utf8proc_unicode_version(), "15.0.0");
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if ((i < 4 || frozen) && !same(&results[i], &plain))
            explain(names[i], FOLD_TEXT, unit, source, &results[i], &plain);
        buf_release(&results[i]);
    }
    expect_map(&map, &plain_map);
    expect_map(&cut_map, &plain_map);
    buf_release(&plain);
    offset_map_release(&plain_map);
    offset_map_release(&map);
    offset_map_release(&cut_map);
}

static void test_documents(void **state) {
    (void)state;
    uint64_t rng = 11;
    for (size_t round = effort(3000); round; round--) {
        struct buf source = random_document(&rng, rng_below(&rng, rng_below(&rng, 9) ? 600 : 12000));
        check_document(&source, (enum unit)rng_below(&rng, 4), &rng);
        buf_release(&source);
    }
}

/* Two pieces, for every place to cut. */
static void check_cut(const struct buf *source, size_t place, const struct buf *wanted,
                      const struct offset_map *wanted_map) {
    struct buf out = {0};
    struct offset_map map = {0};
    struct canon *canon = NULL;
    assert_int_equal(canon_new(FOLD_TEXT, UNIT_WORD, wanted_map ? &map : NULL, &canon, NULL), STEMMA_OK);
    feed(canon, source->data, place, &out);
    feed(canon, source->data + place, source->len - place, &out);
    assert_int_equal(canon_finish(canon, &out, NULL), STEMMA_OK);
    if (!same(&out, wanted)) explain("cut", FOLD_TEXT, UNIT_WORD, source, &out, wanted);
    if (wanted_map) expect_map(&map, wanted_map);
    canon_free(canon);
    buf_release(&out);
    offset_map_release(&map);
}

static void test_every_cut(void **state) {
    (void)state;
    uint64_t rng = 12;
    for (size_t round = effort(100); round; round--) {
        struct buf source = random_document(&rng, 300);
        struct offset_map map = {0};
        struct buf wanted = run_plainly(FOLD_TEXT, UNIT_WORD, &source, &map);
        for (size_t place = 0; place <= source.len; place++) {
            check_cut(&source, place, &wanted, NULL);
            check_cut(&source, place, &wanted, &map);
        }
        buf_release(&source);
        buf_release(&wanted);
        offset_map_release(&map);
    }
}

/* ---- what the kernel is told ---- */

static uint32_t effect(const struct run_chars *chars, uint32_t cp) {
    return chars->effects[chars->stage2[(uint32_t)chars->stage1[cp >> 8] << 8 | (cp & 255)]];
}

/* What can be told faster is what the effects say. */
static void test_faster_tables(void **state) {
    (void)state;
    const struct run_chars chars = unicode_run_chars(1u << RUN_ENDS);
    for (uint32_t cp = 0; cp < 0x10000; cp++)
        assert_int_equal(chars.letters[cp >> 6] >> (cp & 63) & 1,
                         cp >= 0x80 && effect(&chars, cp) == (uint32_t)RUN_LETTER << 24);
    for (uint32_t row = 0; row < 0x800 / 8; row++)
        assert_int_equal(chars.rows[row >> 3] >> (row & 7) & 1,
                         (chars.letters[row >> 3] >> 8 * (row & 7) & 255) == 255);
    for (size_t i = 0; i < RUN_RANGES; i++)
        for (uint32_t bytes = run_singles[i][0]; bytes <= run_singles[i][1]; bytes++) {
            uint8_t text[4] = {(uint8_t)(bytes >> 16), (uint8_t)(bytes >> 8), (uint8_t)bytes};
            uint32_t cp;
            if (utf8_decode(text, 3, &cp) != 3) continue;
            assert_int_equal(effect(&chars, cp), (uint32_t)RUN_SINGLE << 24);
            assert_true(text[0] >= 0xE3 && text[0] <= 0xE9);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_faster_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

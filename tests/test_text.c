/* The canonical form: what each switch does, what must be equal, and the random comparison with its twin. */
#include "effort.h"
#include "text_support.h"
#include "text_twin.h"

#include "base/digest.h"
#include "text/tokens.h"

/* ---- running it ---- */

static void expect_sized(unsigned folds, enum unit unit, const char *source, size_t size,
                         const char *canonical) {
    struct offset_map map = {0};
    struct buf out = run(folds, unit, source, size, NULL, NULL),
               mapped = run(folds, unit, source, size, &map, NULL);
    buf_add_byte(&out, 0);
    buf_add_byte(&mapped, 0);
    assert_string_equal((char *)out.data, canonical);
    assert_string_equal((char *)mapped.data, canonical);
    buf_release(&out);
    buf_release(&mapped);
    offset_map_release(&map);
}

static void expect(unsigned folds, enum unit unit, const char *source, const char *canonical) {
    expect_sized(folds, unit, source, strlen(source), canonical);
}

static void text(const char *source, const char *canonical) {
    expect(FOLD_TEXT, UNIT_WORD, source, canonical);
}

/* ---- examples ---- */

static void test_presets(void **state) {
    (void)state;
    const char *source = "  If (x\t>= 10)\r\n\r\n    Return\xC2\xA0; \n";
    expect(FOLD_RAW, UNIT_WORD, source, source);
    expect(FOLD_RAW, UNIT_LINE, source, source);
    expect(FOLD_CODE, UNIT_WORD, source, "If (x >= 10) Return ;");
    expect(FOLD_CODE, UNIT_LINE, source, "If (x >= 10)\nReturn ;");
    expect(FOLD_TEXT, UNIT_WORD, source, "if x 10 return");
    expect(FOLD_TEXT, UNIT_LINE, source, "if x 10\nreturn");
    expect(FOLD_TEXT, UNIT_BYTE, source, "if x 10 return");
    text("", "");
    text(" .,; \n", "");
    text("\xE2\x80\x9CIt\xE2\x80\x99s\xE2\x80\x9D", "it s");
}

static void test_switches(void **state) {
    (void)state;
    const char *source = " E\xCC\x81, \t\xC2\xAD\xEF\xAC\x81!  B ";
    expect(FOLD_NFC, UNIT_WORD, source, " \xC3\x89, \t\xC2\xAD\xEF\xAC\x81!  B ");
    expect(FOLD_CASE, UNIT_WORD, source, " e\xCC\x81, \t\xC2\xAD\x66i!  b ");
    expect(FOLD_SPACE, UNIT_WORD, source, "E\xCC\x81, \xC2\xAD\xEF\xAC\x81! B");
    expect(FOLD_PUNCT, UNIT_WORD, source, " E\xCC\x81  \t\xEF\xAC\x81   B ");
    expect(FOLD_PUNCT | FOLD_SPACE, UNIT_WORD, source, "E\xCC\x81 \xEF\xAC\x81 B");
    expect(FOLD_NFC | FOLD_CASE, UNIT_WORD, source, " \xC3\xA9, \t\xC2\xAD\x66i!  b ");
    expect(FOLD_CASE | FOLD_SPACE, UNIT_WORD, source, "e\xCC\x81, \xC2\xAD\x66i! b");
}

static void test_white_space(void **state) {
    (void)state;
    const char *source =
        "a\vb\fc\rd\r\ne\xC2\x85\x66\xE2\x80\xA8g\xE2\x80\xA9h\xE3\x80\x80i\xE1\x9A\x80j \n k";
    expect(FOLD_CODE, UNIT_WORD, source, "a b c d e f g h i j k");
    expect(FOLD_CODE, UNIT_LINE, source, "a\nb\nc\nd\ne\nf\ng\nh i j\nk");
    expect(FOLD_CODE, UNIT_LINE, "\n\n a \n\n", "a");
    text("zero\xE2\x80\x8Bwidth", "zero width");
}

static void test_scripts(void **state) {
    (void)state;
    text("Stra\xC3\x9F\x65 STRASSE \xE1\xBA\x9E", "strasse strasse ss");
    text("\xCE\x9F\xCE\x94\xCE\x9F\xCE\xA3 \xCE\xBF\xCE\xB4\xCF\x8C\xCF\x82",
         "\xCE\xBF\xCE\xB4\xCE\xBF\xCF\x83 \xCE\xBF\xCE\xB4\xCF\x8C\xCF\x83"); /* final sigma is sigma */
    text("\xC4\xB0I\xC4\xB1", "i\xCC\x87i\xC4\xB1");                           /* no Turkish rules: I is i */
    text("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xEA\xB8\x80", "\xED\x95\x9C\xEA\xB8\x80"); /* jamo compose */
    text("\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\xB7\xE0\xA4\xBF\xE0\xA5\xA4",
         "\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\xB7\xE0\xA4\xBF");
    text("\xE0\xA5\x98", "\xE0\xA4\x95\xE0\xA4\xBC"); /* Devanagari qa is excluded from composition */
    text("\xE0\xB8\x99\xE0\xB9\x89\xE0\xB8\xB3",
         "\xE0\xB8\x99\xE0\xB9\x89 \xE0\xB8\xB3"); /* Thai, mark on letter */
    text("\xD9\x83\xD9\x80\xD8\xAA\xD9\x8E\xD8\xA8",
         "\xD9\x83\xD9\x80\xD8\xAA\xD9\x8E\xD8\xA8"); /* tatweel, fatha */
    text("\xE6\xBC\xA2\xE5\xAD\x97"
         "abc\xE3\x81\x8B\xE3\x82\x99\xEF\xBD\xB6\xE3\x83\xBC\xE3\x80\x82\xEF\xBC\x91",
         "\xE6\xBC\xA2 \xE5\xAD\x97 abc \xE3\x81\x8C \xEF\xBD\xB6 \xE3\x83\xBC \xEF\xBC\x91");
    expect(FOLD_TEXT, UNIT_CHAR,
           "\xE6\xBC\xA2\xE5\xAD\x97"
           "a",
           "\xE6\xBC\xA2\xE5\xAD\x97"
           "a");
    text("ok \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB\xEF\xB8\x8F done",
         "ok done"); /* emoji, joiner, selector */
    text("co\xC2\xADop\xE2\x81\xA0\x65rate\xEF\xBB\xBF", "cooperate");
    text("\xCC\x81!\xCC\x81x", "\xCC\x81 \xCC\x81x"); /* a mark without a letter starts a word */
    text("\xCE\xB1\xCD\x85\xCC\x81 \xE1\xBE\xB4", "\xCE\xAC\xCE\xB9 \xCE\xAC\xCE\xB9");
}

static void test_equal_texts(void **state) {
    (void)state;
    const char *same = "caf\xC3\xA9 na\xC3\xAFve \xE1\xBB\x87";
    text("Caf\xC3\xA9 Na\xC3\xAFve \xE1\xBB\x86", same);
    text("cafe\xCC\x81\n nai\xCC\x88ve, e\xCC\xA3\xCC\x82", same);
    text("\"CAFE\xCC\x81\" -- nai\xCC\x88ve (E\xCC\x82\xCC\xA3).", same);
}

static void test_invalid_utf8(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *replaced;
    } cases[] = {
        {"a\x80z", "a\xEF\xBF\xBDz"},                                 /* lone continuation */
        {"a\xC0\xAFz", "a\xEF\xBF\xBD\xEF\xBF\xBDz"},                 /* overlong */
        {"a\xE0\x9F\xBFz", "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"}, /* overlong, three bytes */
        {"a\xED\xA0\x80z", "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"}, /* surrogate */
        {"a\xF4\x90\x80\x80z", "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"}, /* above 0x10FFFF */
        {"a\xF5\xFFz", "a\xEF\xBF\xBD\xEF\xBF\xBDz"},                                 /* never a lead byte */
        {"a\xF0\x9F\x92z", "a\xEF\xBF\xBDz"}, /* cut short: one error */
        {"a\xE2\x82", "a\xEF\xBF\xBD"},       /* by the end of the text */
        {"a\xC3\xC3\xA9z", "a\xEF\xBF\xBD\xC3\xA9z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(FOLD_NFC, UNIT_CHAR, cases[i].bytes, cases[i].replaced);
        expect(FOLD_CODE, UNIT_CHAR, cases[i].bytes, cases[i].bytes);
        expect(FOLD_RAW, UNIT_CHAR, cases[i].bytes, cases[i].bytes);
    }
    text("a\xE2\x82 b\xFF"
         "c",
         "a b c");
    expect_sized(FOLD_TEXT, UNIT_WORD, "a\0b", 3, "a b");
}

/* ---- the table ---- */

static void test_table(void **state) {
    (void)state;
    if (strcmp(utf8proc_unicode_version(), "15.0.0")) skip();
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        const struct char_record *record = unicode_record(cp);
        assert_int_equal(record->class, twin_class(cp));
        bool unassigned = utf8proc_category((utf8proc_int32_t)cp) == UTF8PROC_CATEGORY_CN;
        assert_int_equal(!!(record->flags & CHAR_ALONE), unassigned);
        if (utf8proc_get_property((utf8proc_int32_t)cp)->combining_class)
            assert_true(record->flags & CHAR_BACK);
    }
}

/* Nothing may be said about what a later Unicode could assign: it is neither composed nor reordered with. */
static void test_unassigned(void **state) {
    (void)state;
    expect(FOLD_NFC, UNIT_CHAR, "\xCD\xB8\xCC\x81\xCC\xA3\xCD\xB8", "\xCD\xB8\xCC\xA3\xCC\x81\xCD\xB8");
    text("a\xCD\xB8z", "a z");
}

/* Surrogates are no characters; planes 4 to 13, 15 and 16 hold nothing but unassigned and private ones. */
static bool is_worth_pinning(uint32_t cp) {
    return cp >> 11 != 0x1B && (cp >> 16 < 4 || cp >> 16 == 14 || cp % 0x1000 == 0);
}

/* Every character alone, behind a letter, and below two marks, under every set of switches: the canonical
 * form of today is that of ever after, whatever utf8proc is installed. */
static void test_frozen(void **state) {
    (void)state;
    if (!effort_is_full()) skip(); /* a digest is of all */
    struct buf source = {0};
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        uint8_t bytes[4];
        size_t size = utf8_encode(cp, bytes);
        if (!is_worth_pinning(cp)) continue;
        buf_add(&source, bytes, size);
        buf_add_string(&source, " A");
        buf_add(&source, bytes, size);
        buf_add_string(&source, "\xCC\x81\xCC\xA3 ");
    }
    struct digest digest;
    digest_init(&digest);
    for (unsigned folds = 0; folds < 16; folds++) {
        struct buf out = run(folds, UNIT_WORD, source.data, source.len, NULL, NULL);
        digest_add(&digest, out.data, out.len);
        buf_release(&out);
    }
    uint8_t got[DIGEST_SIZE];
    digest_finish(&digest, got);
    static const uint8_t wanted[8] = {0xED, 0x49, 0x9D, 0xCD, 0xF5, 0x57, 0x94, 0x1E};
    assert_memory_equal(got, wanted, sizeof wanted);
    buf_release(&source);
}

/* ---- long runs of marks ---- */

static struct buf marks(size_t count) {
    struct buf source = {0};
    buf_add_byte(&source, 'e');
    for (size_t i = 0; i < count; i++) buf_add_string(&source, i % 2 ? "\xCC\xA3" : "\xCC\x81");
    return source;
}

static void test_mark_runs(void **state) {
    (void)state;
    /* 32 marks are ordered together: all dots below, then all accents, the first of each composed. The 33rd,
     * an accent, begins anew. */
    struct buf source = marks(33), wanted = {0};
    buf_add_string(&wanted, "\xE1\xBA\xB9");
    for (int i = 0; i < 15; i++) buf_add_string(&wanted, "\xCC\xA3");
    for (int i = 0; i < 17; i++) buf_add_string(&wanted, "\xCC\x81");
    uint64_t cuts = 1;
    for (int i = 0; i < 50; i++) {
        struct buf out = run(FOLD_TEXT, UNIT_WORD, source.data, source.len, NULL, &cuts);
        assert_int_equal(out.len, wanted.len);
        assert_memory_equal(out.data, wanted.data, wanted.len);
        buf_release(&out);
    }
    buf_release(&source);
    buf_release(&wanted);
}

static void test_million_marks(void **state) {
    (void)state;
    struct buf source = marks(1000000);
    uint64_t cuts = 2;
    struct buf whole = run(FOLD_TEXT, UNIT_WORD, source.data, source.len, NULL, NULL);
    struct buf pieces = run(FOLD_TEXT, UNIT_WORD, source.data, source.len, NULL, &cuts);
    assert_int_equal(whole.len, pieces.len);
    assert_memory_equal(whole.data, pieces.data, whole.len);
    assert_true(whole.len <= source.len);
    buf_release(&source);
    buf_release(&whole);
    buf_release(&pieces);
}

/* ---- random text against the twin ---- */

static void test_twin(void **state) {
    (void)state;
    if (strcmp(utf8proc_unicode_version(), "15.0.0")) skip();
    uint64_t rng = 20250101;
    for (size_t round = effort(40000); round; round--) {
        unsigned folds = rng_below(&rng, 3) ? (unsigned)rng_below(&rng, 16) : FOLD_TEXT;
        enum unit unit = (enum unit)rng_below(&rng, 4);
        struct buf source = random_source(&rng);
        struct buf wanted = twin_canon(folds, unit, source.data, source.len);
        struct offset_map map = {0}, cut_map = {0};
        struct buf whole = run(folds, unit, source.data, source.len, NULL, NULL);
        struct buf pieces = run(folds, unit, source.data, source.len, NULL, &rng);
        struct buf mapped = run(folds, unit, source.data, source.len, &map, NULL);
        struct buf cut = run(folds, unit, source.data, source.len, &cut_map, &rng);
        if (!same(&whole, &wanted)) explain("whole", folds, unit, &source, &whole, &wanted);
        if (!same(&pieces, &wanted)) explain("pieces", folds, unit, &source, &pieces, &wanted);
        if (!same(&mapped, &wanted)) explain("mapped", folds, unit, &source, &mapped, &wanted);
        if (!same(&cut, &wanted)) explain("mapped pieces", folds, unit, &source, &cut, &wanted);
        expect_map(&cut_map, &map);
        buf_release(&source);
        buf_release(&wanted);
        buf_release(&whole);
        buf_release(&pieces);
        buf_release(&mapped);
        buf_release(&cut);
        offset_map_release(&map);
        offset_map_release(&cut_map);
    }
}

/* ---- the way back ---- */

/* Mostly ASCII, with gaps of every kind and, now and then, something else. */
static struct buf random_prose(uint64_t *rng, size_t size) {
    static const char *const gaps[] = {" ",    " ",        " ",  ", ", ". ", "\n",
                                       "\r\n", "\n\n    ", " (", "--", "'",  "\t"};
    struct buf source = {0};
    uint64_t others = rng_below(rng, 3) ? 0 : 1 + rng_below(rng, 20);
    if (rng_below(rng, 2)) buf_add_string(&source, gaps[rng_below(rng, 12)]);
    while (source.len < size) {
        for (size_t letters = 1 + rng_below(rng, 9); letters; letters--)
            buf_add_byte(&source, (uint8_t)("aZ5e"[rng_below(rng, 4)]));
        if (rng_below(rng, 100) < others) add_random(&source, rng);
        if (rng_below(rng, 8)) buf_add_string(&source, gaps[rng_below(rng, 12)]);
    }
    return source;
}

/* Text and map of the short cuts against those of the plain path. */
static void test_mapped_short_cuts(void **state) {
    (void)state;
    uint64_t rng = 99;
    for (size_t round = effort(2000); round; round--) {
        enum unit unit = (enum unit)rng_below(&rng, 4);
        struct buf source = rng_below(&rng, 4)
                                ? random_prose(&rng, rng_below(&rng, rng_below(&rng, 9) ? 500 : 20000))
                                : random_source(&rng);
        struct offset_map plain_map = {0}, map = {0}, cut_map = {0};
        struct buf plain = run_plainly(FOLD_TEXT, unit, &source, &plain_map);
        struct buf whole = run(FOLD_TEXT, unit, source.data, source.len, &map, NULL);
        struct buf cut = run(FOLD_TEXT, unit, source.data, source.len, &cut_map, &rng);
        if (!same(&whole, &plain)) explain("whole", FOLD_TEXT, unit, &source, &whole, &plain);
        if (!same(&cut, &plain)) explain("pieces", FOLD_TEXT, unit, &source, &cut, &plain);
        expect_map(&map, &plain_map);
        expect_map(&cut_map, &plain_map);
        buf_release(&source);
        buf_release(&plain);
        buf_release(&whole);
        buf_release(&cut);
        offset_map_release(&plain_map);
        offset_map_release(&map);
        offset_map_release(&cut_map);
    }
}

/* Offsets are asked for before the document ends: up to the last space they are then
 * those of the whole text. */
static void expect_so_far(const struct buf *out, const struct offset_map *map,
                          const struct offset_map *whole) {
    size_t known = out->len;
    while (known && out->data[known - 1] != ' ') known--;
    for (size_t at = 0; at < known; at++)
        assert_int_equal(offset_map_find(map, at), offset_map_find(whole, at));
}

static void cut_at(const struct buf *source, size_t place, const struct buf *wanted,
                   const struct offset_map *wanted_map) {
    struct buf out = {0};
    struct offset_map map = {0};
    struct canon *canon = NULL;
    assert_int_equal(canon_new(FOLD_TEXT, UNIT_WORD, &map, &canon, NULL), STEMMA_OK);
    feed(canon, source->data, place, &out);
    expect_so_far(&out, &map, wanted_map);
    feed(canon, source->data + place, source->len - place, &out);
    assert_int_equal(canon_finish(canon, &out, NULL), STEMMA_OK);
    assert_true(same(&out, wanted));
    expect_map(&map, wanted_map);
    canon_free(canon);
    buf_release(&out);
    offset_map_release(&map);
}

static void test_mapped_cuts(void **state) {
    (void)state;
    uint64_t rng = 5;
    for (size_t round = effort(20); round; round--) {
        struct buf source = random_prose(&rng, 400);
        struct offset_map map = {0};
        struct buf wanted = run_plainly(FOLD_TEXT, UNIT_WORD, &source, &map);
        for (size_t place = 0; place <= source.len; place++) cut_at(&source, place, &wanted, &map);
        buf_release(&source);
        buf_release(&wanted);
        offset_map_release(&map);
    }
}

static void test_offsets(void **state) {
    (void)state;
    const char *source = "\xC3\x9F \xE2\x80\x9C"
                         "E\xCC\x81t\xC3\xA9\xE2\x80\x9D\xE6\xBC\xA2\xE5\xAD\x97\xC2\xAD.";
    struct offset_map map = {0};
    struct buf out = run(FOLD_TEXT, UNIT_WORD, source, strlen(source), &map, NULL);
    static const char canonical[] = "ss \xC3\xA9t\xC3\xA9 \xE6\xBC\xA2 \xE5\xAD\x97";
    assert_memory_equal(out.data, canonical, out.len);
    static const size_t wanted[][4] = {{0, 2, 0, 2}, {3, 8, 6, 12}, {9, 12, 15, 18}, {13, 16, 18, 21}};
    struct token token;
    size_t at = 0, i = 0;
    for (; token_next(UNIT_WORD, out.data, out.len, true, &at, &token); i++) {
        assert_int_equal(token.begin, wanted[i][0]);
        assert_int_equal(token.end, wanted[i][1]);
        assert_int_equal(offset_map_find(&map, token.begin), wanted[i][2]);
        assert_int_equal(offset_map_find(&map, token.end), wanted[i][3]);
    }
    assert_int_equal(i, 4);
    buf_release(&out);
    offset_map_release(&map);
}

/* Whether the source begins with what may have composed with something before it. */
static bool begins_with_mark(const struct buf *source, uint64_t at) {
    uint32_t cp = UTF8_INVALID;
    if (at < source->len) utf8_decode(source->data + at, source->len - at, &cp);
    return cp != UTF8_INVALID && unicode_record(cp)->flags & CHAR_BACK;
}

struct token_checks {
    size_t done, shared;
};

/* The source of a token, alone, gives that token again, where no segment reaches over its borders. */
static void check_tokens(const struct buf *source, const struct buf *canonical, const struct offset_map *map,
                         struct token_checks *checks) {
    size_t at = 0;
    struct token token;
    bool shared = false;
    while (token_next(UNIT_WORD, canonical->data, canonical->len, true, &at, &token)) {
        uint64_t begin = offset_map_find(map, token.begin), end = offset_map_find(map, token.end);
        bool behind_shared = shared,
             crossed = begins_with_mark(source, begin) || begins_with_mark(source, end);
        assert_true(begin <= end && end <= source->len);
        struct buf alone = run(FOLD_TEXT, UNIT_WORD, source->data + begin, end - begin, NULL, NULL);
        struct buf wanted = {.data = canonical->data + token.begin, .len = token.end - token.begin};
        shared = alone.len > wanted.len && alone.data[wanted.len] == ' ';
        if (shared)
            checks->shared++;
        else if (!behind_shared && !crossed && !same(&alone, &wanted))
            explain("token", FOLD_TEXT, UNIT_WORD, source, &alone, &wanted);
        buf_release(&alone);
        checks->done++;
    }
}

static void test_token_sources(void **state) {
    (void)state;
    uint64_t rng = 7;
    struct token_checks checks = {0};
    for (size_t round = effort(2000); round; round--) {
        struct buf source = random_source(&rng);
        struct offset_map map = {0};
        struct buf canonical = run(FOLD_TEXT, UNIT_WORD, source.data, source.len, &map, NULL);
        check_tokens(&source, &canonical, &map, &checks);
        buf_release(&source);
        buf_release(&canonical);
        offset_map_release(&map);
    }
    assert_true(checks.done > effort(10000));
    assert_true(checks.shared * 100 < checks.done);
}

static void test_offsets_grow(void **state) {
    (void)state;
    uint64_t rng = 8;
    for (size_t round = effort(500); round; round--) {
        unsigned folds = (unsigned)rng_below(&rng, 16);
        struct buf source = random_source(&rng);
        struct offset_map map = {0};
        struct buf canonical = run(folds, UNIT_CHAR, source.data, source.len, &map, NULL);
        for (size_t i = 1; i <= canonical.len; i++)
            assert_true(offset_map_find(&map, i - 1) <= offset_map_find(&map, i));
        assert_true(offset_map_find(&map, canonical.len) <= source.len);
        buf_release(&source);
        buf_release(&canonical);
        offset_map_release(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),       cmocka_unit_test(test_switches),
        cmocka_unit_test(test_white_space),   cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_equal_texts),   cmocka_unit_test(test_invalid_utf8),
        cmocka_unit_test(test_table),         cmocka_unit_test(test_unassigned),
        cmocka_unit_test(test_frozen),        cmocka_unit_test(test_mark_runs),
        cmocka_unit_test(test_million_marks), cmocka_unit_test(test_twin),
        cmocka_unit_test(test_offsets),       cmocka_unit_test(test_token_sources),
        cmocka_unit_test(test_offsets_grow),  cmocka_unit_test(test_mapped_short_cuts),
        cmocka_unit_test(test_mapped_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

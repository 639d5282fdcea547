/*
 * Writes src/text/unicode_table.inc to standard output: what the canonical form has to know of every code
 * point (src/text/unicode.h). Run by hand, once per frozen version of Unicode:
 *
 *   make-unicode-table > src/text/unicode_table.inc
 *
 * Categories, decompositions and case foldings are utf8proc's; what it does not have (White_Space,
 * Default_Ignorable_Code_Point, scripts) is in unicode-ranges.h.
 */
#include "text/unicode.h"
#include "text/utf8.h"
#include "unicode-ranges.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define CODE_POINTS  0x110000u
#define BLOCK        256u
#define BLOCKS       (CODE_POINTS / BLOCK)
#define LETTER_PAGES (0x10000u / 64)
#define PAIR_PAGES   (0x800u / 64) /* of characters of two bytes */

struct sequence {
    uint32_t cp[CHAR_MAP_MOST];
    size_t count;
};

static struct sequence maps[3][CODE_POINTS]; /* by enum char_mapping */
static struct char_record properties[CODE_POINTS];

static void die(const char *what, uint32_t cp) {
    fprintf(stderr, "make-unicode-table: %s at U+%04X\n", what, (unsigned)cp);
    exit(1);
}

static utf8proc_category_t category(uint32_t cp) {
    return utf8proc_category((utf8proc_int32_t)cp);
}

static enum char_class class_of(uint32_t cp) {
    if (IN(ignorable, cp)) return CHAR_IGNORE;
    if (IN(white_space, cp)) return CHAR_SPACE;
    utf8proc_category_t c = category(cp);
    bool letter = c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
    if ((letter || c == UTF8PROC_CATEGORY_NL) && IN(unspaced, cp)) return CHAR_SINGLE;
    if (letter || (c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO)) return CHAR_WORD;
    if (c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME) return CHAR_MARK;
    return CHAR_OTHER;
}

/* Decompose every code point of a sequence under options, and compose if they say so. */
static struct sequence transform(const struct sequence *from, int options, uint32_t cp) {
    utf8proc_int32_t out[32];
    utf8proc_ssize_t used = 0;
    for (size_t i = 0; i < from->count; i++) {
        int boundary = 0;
        used += utf8proc_decompose_char((utf8proc_int32_t)from->cp[i], out + used, 32 - used,
                                        (utf8proc_option_t)options, &boundary);
    }
    if (options & UTF8PROC_COMPOSE) used = utf8proc_normalize_utf32(out, used, (utf8proc_option_t)options);
    if (used < 1 || used > CHAR_MAP_MOST) die("mapping of impossible length", cp);
    struct sequence to = {.count = (size_t)used};
    for (size_t i = 0; i < to.count; i++) to.cp[i] = (uint32_t)out[i];
    return to;
}

static void fill_maps(uint32_t cp) {
    const int nfc = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    struct sequence self = {.cp = {cp}, .count = 1};
    bool assigned = category(cp) != UTF8PROC_CATEGORY_CN && category(cp) != UTF8PROC_CATEGORY_CS;
    maps[MAP_NFC][cp] = assigned ? transform(&self, nfc, cp) : self;
    maps[MAP_FOLD][cp] = assigned ? transform(&self, UTF8PROC_STABLE | UTF8PROC_CASEFOLD, cp) : self;
    maps[MAP_NFC_FOLD][cp] = assigned ? transform(&maps[MAP_NFC][cp], nfc | UTF8PROC_CASEFOLD, cp) : self;
}

static bool equal(const struct sequence *a, const struct sequence *b) {
    return a->count == b->count && !memcmp(a->cp, b->cp, a->count * sizeof *a->cp);
}

static bool is_single(const struct sequence *s, uint32_t cp) {
    return s->count == 1 && s->cp[0] == cp;
}

/* Second halves of compositions, and all that canonical ordering can move. */
static void flag_back(uint32_t cp) {
    if (utf8proc_get_property((utf8proc_int32_t)cp)->combining_class) properties[cp].flags |= CHAR_BACK;
    if (!is_single(&maps[MAP_NFC][cp], cp)) return;
    utf8proc_int32_t out[32];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char((utf8proc_int32_t)cp, out, 32,
                                                     UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &boundary);
    if (count > 1) properties[out[count - 1]].flags |= CHAR_BACK | CHAR_COMPOSES;
}

/* A character that becomes something that looks back looks back itself. */
static void flag_back_by_mapping(uint32_t cp) {
    for (int m = 0; m < 3; m++)
        if (properties[maps[m][cp].cp[0]].flags & CHAR_BACK) properties[cp].flags |= CHAR_BACK;
}

static bool class_survives(uint32_t cp) {
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < maps[m][cp].count; i++)
            if (class_of(maps[m][cp].cp[i]) != class_of(cp)) return false;
    return true;
}

static void check(uint32_t cp) {
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < maps[m][cp].count; i++)
            if (!is_single(&maps[m][cp], cp) && class_of(maps[m][cp].cp[i]) == CHAR_IGNORE)
                die("mapping to an ignored character", cp);
    for (int m = 0; m < 3; m++)
        if (properties[cp].flags & CHAR_BACK && maps[m][cp].count > 2)
            die("a mark that becomes more than two", cp);
}

static void fill_properties(uint32_t cp) {
    struct char_record *p = &properties[cp];
    const struct sequence *fold = &maps[MAP_FOLD][cp];
    p->class = (uint8_t)class_of(cp);
    if (category(cp) == UTF8PROC_CATEGORY_CN) p->flags |= CHAR_ALONE;
    if (IN(line_ends, cp)) p->flags |= CHAR_LINE;
    bool plain =
        is_single(&maps[MAP_NFC][cp], cp) && fold->count == 1 && equal(fold, &maps[MAP_NFC_FOLD][cp]);
    if (plain && class_survives(cp))
        p->fold = (int32_t)fold->cp[0] - (int32_t)cp;
    else
        p->flags |= CHAR_LISTED;
    check(cp);
}

/* The bytes of a sequence in UTF-8, the first lowest; 0 when there are more than four. */
static uint32_t bytes_of(const struct sequence *s, size_t *size) {
    uint8_t bytes[CHAR_MAP_MOST * 4] = {0};
    *size = 0;
    for (size_t i = 0; i < s->count; i++) *size += utf8_encode(s->cp[i], bytes + *size);
    return *size > 4 ? 0 : bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* What folding xors to the bytes of a character; false when it changes their number, or a fourth byte. */
static bool change_of(uint32_t cp, uint32_t *change) {
    const struct sequence self = {.cp = {cp}, .count = 1};
    size_t size, folded_size;
    *change = bytes_of(&self, &size) ^ bytes_of(&maps[MAP_NFC_FOLD][cp], &folded_size);
    return size == folded_size && *change <= 0xFFFFFF;
}

/* How running text takes a character under all the switches (struct run_chars). */
static uint32_t effect_of(uint32_t cp) {
    static const enum run_kind kinds[] = {
        [CHAR_OTHER] = RUN_BREAK, [CHAR_SPACE] = RUN_BREAK,   [CHAR_IGNORE] = RUN_ENDS,
        [CHAR_WORD] = RUN_LETTER, [CHAR_SINGLE] = RUN_SINGLE, [CHAR_MARK] = RUN_MARK};
    const struct char_record *p = &properties[cp];
    uint32_t kind = kinds[p->class], change = 0;
    if (p->flags & (CHAR_BACK | CHAR_ALONE) || !class_survives(cp)) kind = RUN_ENDS;
    if (kind > RUN_BREAK && !change_of(cp, &change)) kind = RUN_ENDS;
    if (kind == RUN_LETTER && maps[MAP_NFC_FOLD][cp].count > 1) kind = RUN_LETTERS;
    if (kind > RUN_LETTERS && change)
        kind = RUN_ENDS; /* compatibility ideographs: each has a change of its own */
    return kind == RUN_ENDS ? kind << 24 : kind << 24 | change;
}

static struct char_record records[256];
static uint32_t effects[256]; /* of the same characters */
static size_t record_count;

static uint8_t record_of(const struct char_record *p, uint32_t cp) {
    uint32_t effect = effect_of(cp);
    size_t i = 0;
    while (i < record_count && (memcmp(&records[i], p, sizeof *p) || effects[i] != effect)) i++;
    if (i == 256) die("too many records", cp);
    if (i == record_count) {
        records[record_count] = *p;
        effects[record_count++] = effect;
    }
    return (uint8_t)i;
}

static uint8_t stage1[BLOCKS], stage2[BLOCKS][BLOCK];
static size_t block_count;

static void fill_block(uint32_t block) {
    uint8_t row[BLOCK];
    for (uint32_t i = 0; i < BLOCK; i++)
        row[i] = record_of(&properties[block * BLOCK + i], block * BLOCK + i);
    size_t same = 0;
    while (same < block_count && memcmp(stage2[same], row, BLOCK)) same++;
    if (same == 256) die("too many blocks", block * BLOCK);
    if (same == block_count) memcpy(stage2[block_count++], row, BLOCK);
    stage1[block] = (uint8_t)same;
}

static void print_bytes(const char *name, const uint8_t *bytes, size_t size) {
    printf("\n%s[%zu] = {", name, size);
    for (size_t i = 0; i < size; i++) printf("%s%u,", i % 24 ? "" : "\n    ", bytes[i]);
    printf("\n};\n");
}

static void print_records(void) {
    printf("\nconst struct char_record unicode_records[%zu] = {", record_count);
    for (size_t i = 0; i < record_count; i++)
        printf("%s{%d,%u,%u},", i % 8 ? " " : "\n    ", records[i].fold, records[i].class, records[i].flags);
    printf("\n};\n");
}

static void print_effects(void) {
    printf("\nstatic const uint32_t unicode_effects[%zu] = {", record_count);
    for (size_t i = 0; i < record_count; i++)
        printf("%s0x%X,", i % 10 ? " " : "\n    ", (unsigned)effects[i]);
    printf("\n};\n");
}

static uint64_t letters_of(uint32_t page) {
    uint64_t letters = 0;
    for (uint32_t cp = page * 64; page > 1 && cp < page * 64 + 64; cp++)
        letters |= (uint64_t)(effect_of(cp) == (uint32_t)RUN_LETTER << 24) << (cp % 64);
    return letters;
}

static void print_letters(void) {
    printf("\nstatic const uint64_t unicode_letters[%u] = {", LETTER_PAGES);
    for (uint32_t page = 0; page < LETTER_PAGES; page++)
        printf("%s0x%llX,", page % 6 ? " " : "\n    ", (unsigned long long)letters_of(page));
    printf("\n};\n");
}

static void print_rows(void) {
    uint8_t rows[PAIR_PAGES] = {0};
    for (uint32_t page = 0; page < PAIR_PAGES; page++)
        for (int k = 0; k < 8; k++) rows[page] |= (uint8_t)((letters_of(page) >> 8 * k & 0xFF) == 0xFF) << k;
    print_bytes("static const uint8_t unicode_rows", rows, PAIR_PAGES);
}

/* The mappings of a listed character lie behind each other; each is its length, then its code points. */
static size_t print_sequences(void) {
    size_t at = 0;
    printf("\nstatic const uint32_t unicode_sequences[] = {");
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) {
        if (!(properties[cp].flags & CHAR_LISTED)) continue;
        printf("\n   ");
        for (int m = 0; m < 3; m++) {
            at += 1 + maps[m][cp].count;
            printf(" %zu,", maps[m][cp].count);
            for (size_t i = 0; i < maps[m][cp].count; i++) printf("0x%X,", (unsigned)maps[m][cp].cp[i]);
        }
    }
    printf("\n};\n");
    return at;
}

static size_t print_list(void) {
    size_t at = 0, count = 0;
    printf("\nstatic const struct listed unicode_listed[] = {");
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) {
        if (!(properties[cp].flags & CHAR_LISTED)) continue;
        printf("%s{0x%X,%zu},", count++ % 8 ? " " : "\n    ", (unsigned)cp, at);
        for (int m = 0; m < 3; m++) at += 1 + maps[m][cp].count;
    }
    if (at > UINT16_MAX) die("too many sequences", 0);
    printf("\n};\n");
    return count;
}

int main(void) {
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) fill_maps(cp);
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) flag_back(cp);
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) flag_back_by_mapping(cp);
    for (uint32_t cp = 0; cp < CODE_POINTS; cp++) fill_properties(cp);
    for (uint32_t block = 0; block < BLOCKS; block++) fill_block(block);

    printf("/* Unicode %s, written by tools/make-unicode-table.c: do not edit. */\n",
           utf8proc_unicode_version());
    print_bytes("const uint8_t unicode_stage1", stage1, BLOCKS);
    print_bytes("const uint8_t unicode_stage2", stage2[0], block_count * BLOCK);
    print_records();
    print_effects();
    print_letters();
    print_rows();
    size_t numbers = print_sequences(), listed = print_list();
    size_t size = BLOCKS + block_count * BLOCK + record_count * (sizeof *records + sizeof *effects) +
                  LETTER_PAGES * 8 + PAIR_PAGES + numbers * 4 + listed * 8;
    fprintf(stderr, "%zu blocks, %zu records, %zu listed, %zu bytes\n", block_count, record_count, listed,
            size);
    return ferror(stdout) || fclose(stdout) ? 1 : 0;
}

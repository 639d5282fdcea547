/*
 * What the canonical form has to know of a character, frozen at Unicode 15.0.
 *
 * Two-stage tables in unicode_table.inc, written by tools/make-unicode-table.c. Most characters share a
 * record; the few whose mapping is not "add a number to the code point" are listed and searched for.
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include "kernels/kernels.h"

#include <stddef.h>
#include <stdint.h>

enum char_class {
    CHAR_OTHER,  /* punctuation, symbols, controls, unassigned, private use */
    CHAR_SPACE,  /* White_Space */
    CHAR_IGNORE, /* invisible: soft hyphen, joiners, variation selectors;
                  * no part of a word, no border either */
    CHAR_WORD,   /* letters and numbers */
    CHAR_SINGLE, /* letters of scripts written without spaces: each a word of its own */
    CHAR_MARK    /* continues what stands before, starts a word where nothing does */
};

enum char_flag {
    CHAR_BACK = 1,     /* may compose with, or move before, what stands before it */
    CHAR_ALONE = 2,    /* unassigned in 15.0: a later Unicode may give it any behaviour, so it gets none */
    CHAR_LISTED = 4,   /* its mappings are in the list */
    CHAR_LINE = 8,     /* white space that ends a line: LF, VT, FF, CR, NEL, LS, PS */
    CHAR_COMPOSES = 16 /* may become one with what stands before it */
};

struct char_record {
    int32_t fold; /* what case folding adds to the code point (0 when listed) */
    uint8_t class;
    uint8_t flags;
};

enum char_mapping {
    MAP_NFC,     /* canonical composition */
    MAP_FOLD,    /* full case folding */
    MAP_NFC_FOLD /* composed, folded, composed again */
};
#define CHAR_MAP_MOST 4 /* code points a single one can become */

extern const uint8_t unicode_stage1[];
extern const uint8_t unicode_stage2[];
extern const struct char_record unicode_records[];

/* cp at most 0x10FFFF. */
static inline const struct char_record *unicode_record(uint32_t cp) {
    return &unicode_records[unicode_stage2[(uint32_t)unicode_stage1[cp >> 8] << 8 | (cp & 0xFF)]];
}

/* What becomes of a single code point; returns how many it became. */
size_t unicode_map(uint32_t cp, enum char_mapping mapping, uint32_t out[CHAR_MAP_MOST]);

/* One character and the marks behind it (count at most UNICODE_SEGMENT_MOST, none of them CHAR_ALONE),
 * composed, and folded too when asked. Returns how many code points came of it,
 * at most UNICODE_COMPOSED_MOST. */
size_t unicode_compose(const uint32_t *segment, size_t count, enum char_mapping mapping, uint32_t *out);

/* What the kernel for running text has to know of characters under FOLD_TEXT, and what it shall leave
 * (run_chars). */
struct run_chars unicode_run_chars(unsigned ends);

#define UNICODE_SEGMENT_MOST  33
#define UNICODE_COMPOSED_MOST (UNICODE_SEGMENT_MOST * CHAR_MAP_MOST)

#endif

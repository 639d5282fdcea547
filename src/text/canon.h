/*
 * The canonical form: bytes in, the text that counts out. What is folded is a set of switches; the presets
 * are named sets. The result does not depend on how the input was cut into pieces.
 *
 * Fixed to Unicode 15.0 by a table of our own (unicode_table.inc): a character unknown to it is punctuation,
 * so that the canonical form, and with it every stored sketch, stays the same for ever.
 */
#ifndef TEXT_CANON_H
#define TEXT_CANON_H

#include "base/buf.h"
#include "base/error.h"

enum fold {
    FOLD_NFC = 1,   /* canonical composition */
    FOLD_CASE = 2,  /* full case folding */
    FOLD_SPACE = 4, /* a run of white space is one space, none at the ends */
    FOLD_PUNCT = 8  /* anything but letters, digits and their marks is white space */
};
#define FOLD_RAW  0u
#define FOLD_CODE ((unsigned)FOLD_SPACE)
#define FOLD_TEXT ((unsigned)(FOLD_NFC | FOLD_CASE | FOLD_SPACE | FOLD_PUNCT))

enum unit { UNIT_BYTE, UNIT_CHAR, UNIT_WORD, UNIT_LINE };

/* Breakpoints of the way back: canonical offset `canon` came from source offset `source`; between
 * breakpoints both advance byte by byte. */
struct offset_pair {
    uint64_t canon, source;
};
struct offset_map {
    struct offset_pair *pairs;
    size_t len, cap;
};
/* Source offset of the character that canonical byte `canon` belongs to. */
uint64_t offset_map_find(const struct offset_map *map, uint64_t canon);
void offset_map_release(struct offset_map *map);

struct canon; /* state of one document in progress */

/* With map, breakpoints are kept (slower: the plain twin of the fast path does the work). */
stemma_status canon_new(unsigned folds, enum unit unit, struct offset_map *map, struct canon **out,
                        stemma_error *err);
/* Append the canonical text of the next piece to out. */
stemma_status canon_feed(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out,
                         stemma_error *err);
/* The document ends: append what was held back. */
stemma_status canon_finish(struct canon *canon, struct buf *out, stemma_error *err);
void canon_free(struct canon *canon);

#endif

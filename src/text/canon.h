/*
 * The canonical form: bytes in, the text that counts out. What is folded is a set of switches; the presets
 * are named sets. The result does not depend on how the input was cut into pieces.
 *
 * Fixed to Unicode 15.0 by a table of our own (unicode_table.inc): a character unknown to it is punctuation,
 * so that the canonical form, and with it every stored sketch, stays the same for ever.
 * The rules and their reasons: docs/design/canonical-form.md.
 */
#ifndef TEXT_CANON_H
#define TEXT_CANON_H

#include "base/buf.h"
#include "base/error.h"

/* With NFC, CASE or PUNCT what is not UTF-8 becomes U+FFFD; else such bytes pass as they are. */
enum fold {
    FOLD_NFC = 1,   /* canonical composition */
    FOLD_CASE = 2,  /* full case folding */
    FOLD_SPACE = 4, /* a run of white space is one space, none at the ends; by lines: see UNIT_LINE */
    FOLD_PUNCT = 8  /* anything but letters, digits and their marks is a space; invisible characters vanish */
};
#define FOLD_RAW  0u
#define FOLD_CODE ((unsigned)FOLD_SPACE)
#define FOLD_TEXT ((unsigned)(FOLD_NFC | FOLD_CASE | FOLD_SPACE | FOLD_PUNCT))

/* What the tokens will be. It changes the canonical text in two cases: for words under FOLD_PUNCT letters of
 * scripts written without spaces are set off by spaces; for lines under FOLD_SPACE line ends stay, as one
 * '\n' between lines that are not blank. */
enum unit { UNIT_BYTE, UNIT_CHAR, UNIT_WORD, UNIT_LINE };

/* Breakpoints of the way back: canonical offset `canon` came from source offset `source`; between
 * breakpoints both advance byte by byte. Both grow. */
struct offset_pair {
    uint64_t canon, source;
};
struct offset_map {
    struct offset_pair *pairs;
    size_t len, cap;
};
/* For the first byte of a canonical character: where in the source the character begins that it came from.
 * For the white space behind a token, or the end of the text: where the source of that token ends. So
 * [find(begin), find(end)) is what a token came from. (Where several characters that
 * compose are parts of two tokens, the source of all of them is said to be the first token's.) */
uint64_t offset_map_find(const struct offset_map *map, uint64_t canon);
/* The same for offsets asked for in ascending order: *cursor is 0 at first, and after offset_map_forget. */
uint64_t offset_map_follow(const struct offset_map *map, size_t *cursor, uint64_t canon);
/* Nothing before `canon` will be asked for: what only that needs is dropped. */
void offset_map_forget(struct offset_map *map, uint64_t canon);
void offset_map_release(struct offset_map *map);

struct canon; /* state of one document in progress */

/* With map, breakpoints are kept. The map is empty at first, belongs to the caller, and is complete after
 * canon_finish; before that, it is for what stands before the last white space written. */
stemma_status canon_new(unsigned folds, enum unit unit, struct offset_map *map, struct canon **out,
                        stemma_error *err);
/* Append the canonical text of the next piece to out, which the caller may empty between calls.
 * After a failure out is as it was, and canon can only be freed. */
stemma_status canon_feed(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out,
                         stemma_error *err);
/* No more than so many bytes behind out->len are asked for while a document of that
 * size is fed and finished. */
size_t canon_most(size_t size);
/* The document ends: append what was held back. */
stemma_status canon_finish(struct canon *canon, struct buf *out, stemma_error *err);
/* Another document follows, whatever became of the last. The caller empties the map, if there is one. */
void canon_reset(struct canon *canon);
void canon_free(struct canon *canon);

#endif

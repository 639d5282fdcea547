/*
 * The characters of a canonical text that edits change, for those who have no more of a document.
 *
 * They are those of the edit text (edit_text.h), but for letters of scripts written without spaces. These are
 * words of their own, and set off by spaces in the canonical text of words, which would be half of what is
 * counted. Here each of them loses the spaces beside it: also those that stood for punctuation, which nothing
 * tells from the others any more.
 */
#ifndef SKETCH_TEXT_CHARS_H
#define SKETCH_TEXT_CHARS_H

#include "shingle/view.h"

struct text_chars {
    bool bytes;  /* they are the characters */
    bool splits; /* words of one letter are set off by spaces */
    bool lines;  /* ends of lines stand for spaces */
    /* of the text so far */
    uint64_t at;    /* bytes */
    bool single;    /* the last character, marks aside, is a word of its own */
    bool space;     /* one was met last, and not given: it goes where such a letter follows */
    uint8_t cut[3]; /* the beginning of a character that the last piece ended in */
    size_t cut_size;
};
#define TEXT_CHARS_MORE 4 /* of a piece so many characters may come that it has no bytes for */

/* Of texts under this view: the first. */
void text_chars_init(struct text_chars *chars, const struct view *view);
/* Another text follows. */
void text_chars_begin(struct text_chars *chars);
/* The characters of the next piece, which is cut anywhere, and unless NULL the byte of the text where each
 * begins. Returns how many; there is room for size + TEXT_CHARS_MORE. */
size_t text_chars_put(struct text_chars *chars, const uint8_t *bytes, size_t size, uint32_t *out,
                      uint64_t *places);
/* The text ends: what was held back, TEXT_CHARS_MORE at most. */
size_t text_chars_finish(struct text_chars *chars, uint32_t *out, uint64_t *places);

#endif

/*
 * The edit text of a document: the characters that edit distances count, and that signatures are made of.
 *
 * It is the canonical text under the view's folds, read by characters (letters of scripts without spaces are
 * not set off from each other). A character is a code point, or 0x110000 + b for a byte b that is not part of
 * one. Where nothing is folded bytes count, unless the unit is char.
 */
#ifndef SKETCH_EDIT_TEXT_H
#define SKETCH_EDIT_TEXT_H

#include "shingle/view.h"

/* Characters are counted in this many bins: ASCII each in its own, the others shared. More bins would cost
 * memory, and change `agree` by less than its last digits. */
#define AGREE_BINS  4096u
#define AGREE_SCALE 65535u
#define STRAY_BYTE  0x110000u

struct edit_text {
    uint32_t *chars; /* those that were not dropped yet, with KERNEL_SLACK readable bytes behind them */
    size_t count, cap;
    struct vec64 places; /* of each of them: where in the source it begins; only when asked for */
    uint64_t length;     /* characters so far, dropped ones too */
    /* the rest is edit_text.c's */
    struct canon *canon;
    struct offset_map map;
    size_t pair;        /* breakpoint of the map that `done` lies behind */
    struct buf text;    /* canonical text that is not yet characters */
    uint64_t done;      /* canonical bytes that are */
    bool bytes, placed; /* characters are bytes; places are wanted */
    bool passes;        /* the canonical text is the source */
    uint64_t bins[AGREE_BINS];
    uint16_t beyond[AGREE_BINS]; /* bins behind those of ASCII that are not 0: often few, so that they are */
    size_t beyond_count;         /* summed up and cleared at little cost */
};

/* Whether the characters of documents under this view are their bytes. */
bool edit_text_is_bytes(const struct view *view);

/* In place; bytes: they are the characters. After a failure it may be released, and must not be used. */
stemma_status edit_text_init(struct edit_text *text, unsigned folds, bool bytes, bool placed,
                             stemma_error *err);
/* Append the characters of the next piece; give pieces that fit the cache. */
stemma_status edit_text_feed(struct edit_text *text, const uint8_t *bytes, size_t size, stemma_error *err);
stemma_status edit_text_finish(struct edit_text *text, stemma_error *err);
/* The same of characters that are known already: they are put behind those that are there, with their places,
 * and then taken. False when memory is refused. */
bool edit_text_reserve(struct edit_text *text, size_t count);
void edit_text_take(struct edit_text *text, size_t count);
/* Forget the first `count` characters. */
void edit_text_drop(struct edit_text *text, size_t count);
/* The chance that two characters drawn from the text agree, in parts of AGREE_SCALE; 0 for no text. */
uint16_t edit_text_agree(const struct edit_text *text);
/* Another document follows, whatever became of the last. */
void edit_text_reset(struct edit_text *text);
void edit_text_release(struct edit_text *text);

#endif

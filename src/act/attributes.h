/* What belongs to a file besides its bytes: owner, mode, times, extended attributes (access lists among
 * them). */
#ifndef ACT_ATTRIBUTES_H
#define ACT_ATTRIBUTES_H

#include "act/place.h"
#include "base/buf.h"

/* The extended ones as bytes, added to out: of equal sets equal bytes. None: nothing is added. */
stemma_status attributes_note(const struct held *held, struct buf *out, stemma_error *err);

/* UNSUPPORTED when owner, group, mode or an extended attribute differs; times may. */
stemma_status attributes_compare(const struct held *a, const struct held *b, stemma_error *err);

/* To a new file: what was noted, then owner, mode and times. A failure to give one is a failure: nothing is
 * lost without a word. */
stemma_status attributes_give(const struct buf *noted, const struct stat *info, int to, const char *name,
                              stemma_error *err);

#endif

/* What belongs to a file besides its bytes: owner, mode, times, extended attributes (access lists among
 * them). */
#ifndef ACT_ATTRIBUTES_H
#define ACT_ATTRIBUTES_H

#include "act/place.h"

/* UNSUPPORTED when owner, group, mode or an extended attribute differs; times may. */
stemma_status attributes_compare(const struct held *a, const struct held *b, stemma_error *err);

/* For a new file, extended ones first: writing them needs the mode that it was made with. A failure to give
 * one is a failure: nothing is lost without a word. */
stemma_status attributes_copy_extended(const struct held *from, int to, const char *name, stemma_error *err);
stemma_status attributes_give(const struct stat *noted, int to, const char *name, stemma_error *err);

#endif

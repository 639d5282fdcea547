/*
 * A close look at a part of a file: every token with its place in the original, every window, given to the
 * matcher.
 *
 * Many times slower than the scan that decides where to look (search.c).
 */
#ifndef ALIGN_CLOSEUP_H
#define ALIGN_CLOSEUP_H

#include "align/fragments/matcher.h"

struct closeup;

stemma_status closeup_new(const stemma_finder *finder, struct matcher *matcher, struct closeup **out,
                          stemma_error *err);
/* Begin anew at that offset, in that line. The first token behind an offset that is not 0 may be half of one:
 * it is left out. */
stemma_status closeup_begin(struct closeup *closeup, uint64_t offset, uint64_t line, stemma_error *err);
stemma_status closeup_feed(struct closeup *closeup, const uint8_t *bytes, size_t size, bool last,
                           stemma_error *err);
uint64_t closeup_end(const struct closeup *closeup); /* the offset behind what was fed */
void closeup_free(struct closeup *closeup);

#endif

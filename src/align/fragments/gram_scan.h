/*
 * The fast scan of a file for places where a fragment may be, by the grams of the targets.
 *
 * Canonical text is looked at in one place of many. Where a gram of the targets stands, its neighbours are
 * asked for until one is not known; in so long a stretch of known grams that it may hold a fragment, windows
 * are looked up.
 */
#ifndef ALIGN_GRAM_SCAN_H
#define ALIGN_GRAM_SCAN_H

#include "align/fragments/finder.h"

struct gram_scan;

/* The finder has grams. */
stemma_status gram_scan_new(const stemma_finder *finder, struct gram_scan **out, stemma_error *err);
/* The next piece of the file, in front of which stand the `before` bytes before it, if not as many as
 * GRAM_SCAN_BEFORE then all. *hit: a fragment begins in it or before, and what tells it is behind. An empty
 * piece is the end of the file. */
#define GRAM_SCAN_BEFORE 32768
stemma_status gram_scan_feed(struct gram_scan *scan, const uint8_t *bytes, size_t size, size_t before,
                             bool *hit, stemma_error *err);
void gram_scan_free(struct gram_scan *scan);

#endif

/*
 * One file, searched for fragments of the targets, in bounded memory.
 *
 * The file goes by in segments. A fast scan looks for windows of the targets; a segment in which it finds
 * enough of them is looked at closely (closeup.c), with the segment before, where a fragment may have begun.
 * Segments lie at fixed offsets, so that what is found does not depend on how the file was read.
 */
#ifndef ALIGN_SEARCH_H
#define ALIGN_SEARCH_H

#include "align/fragments/findings.h"

struct search;

stemma_status search_new(const stemma_finder *finder, struct search **out, stemma_error *err);
size_t search_segment_size(const stemma_finder *finder);
/* The next segment; all but the last are of the segment size. As many bytes before it as there are in the
 * file, but no more than a segment, must stand in front of it in memory. An empty segment is the end of the
 * file. */
stemma_status search_segment(struct search *search, const uint8_t *bytes, size_t size, stemma_error *err);
stemma_status search_finish(struct search *search, stemma_findings **out, stemma_error *err);
uint64_t search_work(const struct search *search); /* comparisons of tokens */
void search_free(struct search *search);

#endif

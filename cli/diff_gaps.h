/* diff_gaps.h - the differences of an alignment, and those between its tokens where they count. */
#ifndef STEMMA_CLI_DIFF_GAPS_H
#define STEMMA_CLI_DIFF_GAPS_H

#include <stddef.h>

#include <stemma.h>

typedef struct difference_list {
    stemma_difference *differences; /* in order; free them */
    size_t count, cap;
} difference_list;

difference_list differences_with_gaps(const stemma_text *a, const stemma_text *b,
                                      const stemma_alignment *alignment);

#endif

/* What a scan says, as text. */
#ifndef TESTS_TOLD_SUPPORT_H
#define TESTS_TOLD_SUPPORT_H

#include "stemma.h"

#include <stdio.h>

/* context: a file. */
static inline stemma_status print_pair(void *context, const stemma_scan_pair *pair, stemma_error *err) {
    (void)err;
    fprintf(context, "pair %llu %llu %d %.17g %.17g %.17g\n", (unsigned long long)pair->a,
            (unsigned long long)pair->b, (int)pair->relation, pair->resemblance, pair->a_in_b, pair->b_in_a);
    return STEMMA_OK;
}

#endif

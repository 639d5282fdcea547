/* Every pair of classes above a threshold, in keep order, and the documents of a class. */
#ifndef SCAN_PAIRS_H
#define SCAN_PAIRS_H

#include "scan/scan.h"

stemma_status scan_pairs(struct stemma_scan *scan, stemma_scan_take_pair *take, void *context,
                         stemma_error *err);

/* Numbers of the documents with the text of this one; NULL without memory. */
const uint64_t *scan_copies(struct stemma_scan *scan, uint32_t document, size_t *count);

#endif

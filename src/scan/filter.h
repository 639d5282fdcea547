/* The data sets of a scan, without their redundant records. */
#ifndef SCAN_FILTER_H
#define SCAN_FILTER_H

#include "scan/scan.h"

/* Data sets of one kind alone are written, and under no name of another kind: nobody could read what is
 * there. */
stemma_status scan_filter_check(const struct stemma_scan *scan, const char *path, stemma_error *err);
stemma_status scan_filter(struct stemma_scan *scan, const char *path, uint64_t *kept, stemma_error *err);

#endif

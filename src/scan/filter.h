/* The data sets of a scan, without their redundant records. */
#ifndef SCAN_FILTER_H
#define SCAN_FILTER_H

#include "scan/scan.h"

stemma_status scan_filter(struct stemma_scan *scan, const char *path, uint64_t *kept, stemma_error *err);

#endif

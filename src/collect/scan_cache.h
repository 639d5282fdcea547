/* A collection as the cache of scans: of each file that was read its facts, and the keys that the scan made
 * of it. */
#ifndef COLLECT_SCAN_CACHE_H
#define COLLECT_SCAN_CACHE_H

#include "scan/scan.h"

struct cache_of_scans;

/* Opens the collection at this path, or makes it, and lets the scan, which has not run, use it. MISMATCH
 * where it was made with another view; INVALID where it is not a cache. Where it is damaged, where another
 * process uses it or the disk fails, the scan notes so and goes on without it: *out may be NULL. */
stemma_status scan_cache_open(const char *path, struct stemma_scan *scan, struct cache_of_scans **out,
                              stemma_error *err);
/* What was learned is committed, also of a scan that did not come to its end. After a whole one files below
 * its paths that are no longer there are forgotten. cache may be NULL. */
stemma_status scan_cache_close(struct cache_of_scans *cache, bool whole, stemma_error *err);

#endif

/* What many documents share, as text. */
#ifndef SCAN_BOILERPLATE_H
#define SCAN_BOILERPLATE_H

#include "scan/scan.h"

/* See stemma_scan_boilerplate. */
stemma_status scan_boilerplate(struct stemma_scan *scan, uint64_t least, size_t most,
                               stemma_scan_take_passage *take, void *context, stemma_error *err);

#endif

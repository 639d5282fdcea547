/* The text of a document as it stands there, for those who show it: read again after the scan, and checked.
 */
#ifndef SCAN_ORIGINAL_H
#define SCAN_ORIGINAL_H

#include "scan/scan.h"

/* The document is one of the catalogue. See stemma_scan_get_text. */
stemma_status scan_original(struct stemma_scan *scan, uint32_t document, const char **text, size_t *size,
                            bool *canonical, stemma_error *err);
void original_reader_free(struct original_reader *originals);

#endif

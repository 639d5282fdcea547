/* Office Open XML: the text of DOCX, PPTX and XLSX. */
#ifndef READ_OOXML_H
#define READ_OOXML_H

#include "base/buf.h"
#include "base/error.h"
#include "read/format.h"
#include "read/reading_limits.h"

/* Append it, in the order of pages, slides or sheets; parts that are missing are damage. Errors: CORRUPT,
 * UNSUPPORTED (encrypted, or beyond the limits), NO_MEMORY, INTERRUPTED. */
stemma_status ooxml_text(enum text_format format, const uint8_t *bytes, size_t size,
                         const struct reading_limits *limits, struct buf *out, stemma_error *damage,
                         stemma_error *err);

#endif

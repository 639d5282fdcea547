/* The text of a PDF document: what poppler's pdftotext finds, without the marks of its pages. */
#ifndef READ_PDF_H
#define READ_PDF_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

/* Append it; damage: as in damage.h. Errors: as of converter_run; UNSUPPORTED also for a document behind a
 * password. */
stemma_status pdf_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err);

#endif

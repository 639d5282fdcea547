/* OpenDocument: the text of ODT, ODS and ODP. */
#ifndef READ_ODF_H
#define READ_ODF_H

#include "base/buf.h"
#include "base/error.h"
#include "read/format.h"
#include "read/reading_limits.h"

/* Append it: headers and footers once, the body, footnotes. Damage and errors: as of ooxml_text. */
stemma_status odf_text(enum text_format format, const uint8_t *bytes, size_t size,
                       const struct reading_limits *limits, struct buf *out, stemma_error *damage,
                       stemma_error *err);

#endif

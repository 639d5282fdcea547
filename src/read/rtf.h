/* The text of a document in Rich Text Format. */
#ifndef READ_RTF_H
#define READ_RTF_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

/* Append it: headers and footers once, the body, footnotes. One pass; what is broken is read as far as it
 * goes, and noted as damage. Errors: UNSUPPORTED (groups nested too deep, a text that is too long),
 * NO_MEMORY, INTERRUPTED. */
stemma_status rtf_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err);

#endif

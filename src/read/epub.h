/* The text of a book: its pages, in the order of its spine. */
#ifndef READ_EPUB_H
#define READ_EPUB_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

/* Append it; pages that are missing are damage. Errors: as of ooxml_text. */
stemma_status epub_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                        struct buf *out, stemma_error *damage, stemma_error *err);

#endif

/* The text of a Markdown document: words without the marks, links by their text, images by theirs, code as it
 * is. */
#ifndef READ_MARKDOWN_H
#define READ_MARKDOWN_H

#include "base/buf.h"
#include "base/error.h"

/* Append it. Errors: UNSUPPORTED (2 GB and more), NO_MEMORY. */
stemma_status markdown_text(const uint8_t *bytes, size_t size, struct buf *out, stemma_error *err);

#endif

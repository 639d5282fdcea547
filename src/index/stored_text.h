/* Canonical texts as a collection stores them: each compressed by itself. */
#ifndef INDEX_STORED_TEXT_H
#define INDEX_STORED_TEXT_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the compressed text. */
stemma_status stored_text_pack(const uint8_t *text, size_t size, struct buf *out, stemma_error *err);

/* out is replaced by the text, with KERNEL_SLACK zeros behind it. CORRUPT when it is not one of `text_size`
 * bytes. */
stemma_status stored_text_unpack(const uint8_t *bytes, size_t size, uint64_t text_size, struct buf *out,
                                 stemma_error *err);

#endif

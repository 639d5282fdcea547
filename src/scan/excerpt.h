/* Some tokens of a document as they stand in it, before the canonical form. */
#ifndef SCAN_EXCERPT_H
#define SCAN_EXCERPT_H

#include "scan/texts.h"

struct excerpt {
    uint8_t *text; /* its own */
    size_t size;
    uint64_t offset; /* in the document's text */
};

/* Tokens [first, first + count) of the text of a class. Of a document that cannot be read again as it was,
 * the canonical text. */
stemma_status excerpt_read(struct text_reader *reader, uint32_t class, size_t first, size_t count,
                           struct excerpt *out, stemma_error *err);
void excerpt_release(struct excerpt *excerpt);

#endif

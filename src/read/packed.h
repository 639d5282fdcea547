/* A document that is compressed by itself, as notes.txt.gz is: its text is that of the document inside. */
#ifndef READ_PACKED_H
#define READ_PACKED_H

#include "read/document.h"

/* As document_extract, of bytes that are compressed. Where there is no document inside they are BINARY. */
stemma_status packed_extract(struct extractor *extractor, const char *name, const uint8_t *bytes, size_t size,
                             const struct document_options *options, struct document_text *out,
                             stemma_error *err);

/* The name of what is in a compressed file of this name: the last part, without its ending.
 * Both may be one. */
#define PACKED_NAME_MOST 256
void packed_name(const char *name, char inside[PACKED_NAME_MOST]);

#endif

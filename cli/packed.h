/*
 * packed.h - a stream that is compressed (zlib's format, which every browser can unpack) and then written in
 * base64: letters that mean nothing to HTML, whatever was written.
 */
#ifndef STEMMA_CLI_PACKED_H
#define STEMMA_CLI_PACKED_H

#include <stdio.h>

typedef struct packed packed;

/* What is written to *in is packed and goes to `out`. */
packed *packed_open(FILE *out, FILE **in);
/* Writes the rest and closes `in`. 0, or the errno of what was lost. */
int packed_close(packed *p);

#endif

/*
 * Documents that are too large to be held in memory: they are read in pieces, and compared by sets of
 * shingles that are sorted on disk.
 */
#ifndef SCAN_HUGE_H
#define SCAN_HUGE_H

#include "scan/reading.h"
#include "shingle/stream.h"

/* Hands the document to the worker's taker. Problems of the document are those of reading files; UNSUPPORTED
 * for one that would have to be converted, and is too large for that. */
stemma_status huge_read(struct worker *worker, uint32_t source, stemma_error *err);

/* The text of a document that was begun, and is small until it is converted. Errors: as of
 * document_extract. */
stemma_status huge_convert(struct worker *worker, const char *name, const uint8_t *bytes, size_t size,
                           stemma_error *err);

/* All fingerprints of a huge class, read again. CORRUPT when it changed meanwhile. */
stemma_status huge_shingles(struct text_reader *reader, uint32_t class, struct shingle_sink sink,
                            stemma_error *err);

/* Numbers of two classes of which at least one is huge. *base is the set of the first, made when it is NULL.
 */
struct spill;
stemma_status huge_compare(struct text_reader *reader, uint32_t first, uint32_t second, struct spill **base,
                           struct numbers *out, stemma_error *err);

#endif

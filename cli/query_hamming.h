/*
 * query_hamming.h - stemma query --hamming: the bare range query on fingerprints.
 */
#ifndef STEMMA_CLI_QUERY_HAMMING_H
#define STEMMA_CLI_QUERY_HAMMING_H

#include "options.h"
#include "output.h"
#include "progress.h"

/* What is asked about: paths, and one text in memory (NULL: none). */
typedef struct hamming_subjects {
    const char *const *paths;
    size_t count;
    const char *text;
    size_t text_size;
} hamming_subjects;

/* Complains of what goes wrong. */
enum exit_code query_hamming(const options *o, stemma_collection *c, const hamming_subjects *subjects);

#endif

/*
 * query_hamming.h - stemma query --hamming: the bare range query on fingerprints.
 */
#ifndef STEMMA_CLI_QUERY_HAMMING_H
#define STEMMA_CLI_QUERY_HAMMING_H

#include "options.h"
#include "output.h"
#include "subjects.h"

/* Complains of what goes wrong. */
enum exit_code query_hamming(const options *o, stemma_collection *c, const subjects *s);

#endif

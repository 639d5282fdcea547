/*
 * stored.h - sketches found in files: FILE with one sketch, or FILE#NAME in a bundle of many.
 */
#ifndef STEMMA_CLI_STORED_H
#define STEMMA_CLI_STORED_H

#include <stemma.h>

/* The sketch that `name` stands for; *out stays NULL when it is a document. What a file is, its content says.
 */
stemma_status stored_open(const char *name, stemma_sketch **out, stemma_error *error);

#endif

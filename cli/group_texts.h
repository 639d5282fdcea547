/*
 * group_texts.h - the texts of a group, of which each line is kept once.
 *
 * Versions of a document share most of their lines, often further apart than a compressor looks back. A text
 * is runs of lines; lines have the numbers in which they first came.
 */
#ifndef STEMMA_CLI_GROUP_TEXTS_H
#define STEMMA_CLI_GROUP_TEXTS_H

#include <stddef.h>

#include "json.h"

typedef struct group_texts group_texts;

group_texts *group_texts_new(void);
void group_texts_free(group_texts *g);

/* The next document's text, or only its canonical form (folded). What it takes: the bytes of lines that were
 * not there yet, and what is known of them. */
size_t group_texts_add(group_texts *g, const char *text, size_t size, bool folded);
void group_texts_add_none(group_texts *g);
/* The next document has the text of the first. */
void group_texts_add_first(group_texts *g);

/* {"lines": [...], "documents": [[first line, count, ...], null, number of the document of the same text,
 * ...], "folded": [number of a document, ...]} */
void group_texts_write(const group_texts *g, FILE *out);

#endif

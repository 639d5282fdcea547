/* One document, searched: what a search of files and one of documents (find_documents.c) have in common. */
#ifndef API_FIND_H
#define API_FIND_H

#include "align/fragments/search.h"
#include "base/file.h"

/* What is left of a file, behind the bytes that were read already. */
stemma_status find_in_input(const stemma_finder *finder, struct input *input, const struct buf *begun,
                            const volatile int *stop, stemma_findings **out, stemma_error *err);
stemma_status find_in_bytes(const stemma_finder *finder, const uint8_t *bytes, size_t size,
                            const volatile int *stop, stemma_findings **out, stemma_error *err);

/* The text of a file that is looked for; an archive is refused, and says what is in it. */
stemma_status find_add_target(stemma_finder *finder, const char *path, const stemma_limits *limits,
                              stemma_error *err);

#endif

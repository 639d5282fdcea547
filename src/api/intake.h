/* One document's way from bytes to a sink of fingerprints, with its digests: what comparing and sketching
 * share. */
#ifndef API_INTAKE_H
#define API_INTAKE_H

#include "base/digest.h"
#include "base/file.h"
#include "read/document.h"
#include "shingle/labels.h"
#include "shingle/stream.h"
#include "sketch/recipe.h"

/* What is known of a document besides its fingerprints. */
struct facts {
    uint64_t bytes, tokens, shingles;
    uint8_t digest[DIGEST_SIZE], text_digest[DIGEST_SIZE];
};

/* Where the document's own bytes go besides, when something is made of them; take may be NULL. */
struct byte_sink {
    void *context;
    stemma_status (*take)(void *context, const uint8_t *bytes, size_t size, stemma_error *err);
};

struct intake {
    struct shingler *shingler;
    struct labeller *labeller;  /* NULL unless the view is labelled */
    struct byte_sink byte_sink; /* zeroed: none; set it before the first byte */
    struct digest raw, text;
    struct document_options reading;
    stemma_limits limits; /* memory: what a document which has to be converted may take */
    uint64_t bytes;
    stemma_status failed; /* the first failure: after it the document has a hole */
};

/* In place: the intake must not move until it is released, and the recipe must outlive it. */
stemma_status intake_init(struct intake *intake, const struct stemma_recipe *recipe, struct shingle_sink sink,
                          const stemma_limits *limits, stemma_error *err);
/* A piece of the text, as it is. */
stemma_status intake_add(struct intake *intake, const void *bytes, size_t size, stemma_error *err);
/* Text of a document whose own bytes were read before: they are not counted here. */
stemma_status intake_add_extracted(struct intake *intake, const void *text, size_t size, stemma_error *err);
/* Bytes that are no text. */
stemma_status intake_add_binary(struct intake *intake, const void *bytes, size_t size, stemma_error *err);
/* All of a document: its text, whatever its encoding and format. name may be NULL. */
stemma_status intake_add_document(struct intake *intake, const char *name, const void *bytes, size_t size,
                                  stemma_error *err);
/* The same of a file, of which no more than a piece is held where it is plain text already. */
stemma_status intake_add_file(struct intake *intake, const char *path, stemma_error *err);
stemma_status intake_finish(struct intake *intake, struct facts *out, stemma_error *err);
void intake_release(struct intake *intake);

#endif

/* One document's way from bytes to a sink of fingerprints, with its digests: what comparing and sketching share. */
#ifndef API_DOCUMENT_H
#define API_DOCUMENT_H

#include "base/digest.h"
#include "base/file.h"
#include "shingle/labels.h"
#include "shingle/stream.h"
#include "sketch/recipe.h"

#define DEFAULT_MEMORY ((size_t)1 << 30)

struct document {
    struct shingler *shingler;
    struct labeller *labeller; /* NULL unless the view is labelled */
    struct digest raw, text;
    const volatile int *stop;
    uint64_t bytes, tokens, shingles;
    uint8_t digest[DIGEST_SIZE], text_digest[DIGEST_SIZE]; /* after finish */
};

/* In place: the document must not move until it is released, and the recipe must outlive it. */
stemma_status document_init(struct document *document, const struct stemma_recipe *recipe,
                            struct shingle_sink sink, const stemma_limits *limits, stemma_error *err);
stemma_status document_add(struct document *document, const void *bytes, size_t size, stemma_error *err);
stemma_status document_add_file(struct document *document, const char *path, stemma_error *err);
stemma_status document_finish(struct document *document, stemma_error *err);
void document_release(struct document *document);

/* What limits say, with the defaults filled in. */
size_t limits_memory(const stemma_limits *limits);
const char *limits_directory(const stemma_limits *limits);

/* identical, same-text, unknown where there is too little text, or what the numbers say. */
struct facts {
    const uint8_t *digest, *text_digest;
    uint64_t bytes, tokens;
};
struct estimates;
void conclude(const struct facts *a, const struct facts *b, uint32_t window, const struct estimates *estimates,
              const stemma_thresholds *thresholds, stemma_comparison *out);

#endif

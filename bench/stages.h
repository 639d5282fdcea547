/* What the micro-benchmark measures: one function per stage, the same for every table of kernels. */
#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#include "kernels/kernels.h"
#include "scan/identity.h"

#define CACHED_SIZE (256u << 10) /* rows marked cached work on this many bytes again and again */

/* The text and everything made from it beforehand, so that a stage is measured alone. */
struct corpus {
    uint8_t *raw, *canon, *copy; /* copy: where stages write */
    size_t size, canon_size;
    uint64_t *tokens, *prints, *values; /* values: where stages write */
    size_t token_count, print_count;
    struct mix_keys keys;
    struct rabin_tables rabin;
    struct identity_key identity;
    uint64_t coefficients[3 * 128];
};

/* Make all from raw text; false when memory is refused. */
bool corpus_init(struct corpus *corpus, size_t size);
void corpus_derive(struct corpus *corpus);
void corpus_release(struct corpus *corpus);

/* What a stage did: bytes is what the ratio is reckoned with, check must be the same for every table. */
struct work {
    size_t bytes;
    uint64_t check;
};

/* A stage works on what belongs to the first `size` bytes of the text. */
typedef struct work (*stage)(const struct kernels *kernels, struct corpus *corpus, size_t size);

struct row {
    const char *name;
    stage run;
    stage textbook; /* NULL: the portable kernels are the textbook's way */
    unsigned share; /* measured on 1 / share of the text: slow stages need less of it */
    bool cached;
    bool plain; /* one version for all: no kernels in it */
};

extern const struct row rows[];
extern const size_t row_count;

struct work stage_memcpy(const struct kernels *kernels, struct corpus *corpus, size_t size);

#endif

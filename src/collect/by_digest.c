#include "collect/by_digest.h"

#include <string.h>

/* A key is shorter than a digest. */
static stemma_status has_digest(struct collection *reader, uint64_t number, const uint8_t *digest, bool *has,
                                stemma_error *err) {
    struct facts facts;
    struct row row;
    TRY(collection_record(reader, number, &row, has, err));
    if (!*has) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    *has = facts.state != FACTS_DATASET && memcmp(facts.digest, digest, FACTS_DIGEST) == 0;
    return STEMMA_OK;
}

stemma_status by_digest_find(struct collection *reader, const uint8_t digest[FACTS_DIGEST], size_t most,
                             struct vec64 *numbers, stemma_error *err) {
    const int part = schema_find(collection_schema(reader), KIND_DIGEST_KEYS, 0);
    size_t kept = 0;
    bool has;
    numbers->len = 0;
    if (part < 0) return STEMMA_OK;
    TRY(collection_lookup(reader, (size_t)part, digest_key(digest), most, numbers, err));
    for (size_t i = 0; i < numbers->len; i++) {
        TRY(has_digest(reader, numbers->data[i], digest, &has, err));
        if (has) numbers->data[kept++] = numbers->data[i];
    }
    numbers->len = kept;
    return STEMMA_OK;
}

struct looking {
    struct collection *reader;
    const uint8_t *digest;
    take_number *take;
    void *context;
};

static stemma_status look_at(void *context, const struct record *postings, size_t count, stemma_error *err) {
    const struct looking *l = context;
    for (size_t i = 0; i < count; i++) {
        bool has;
        TRY(has_digest(l->reader, postings[i].value, l->digest, &has, err));
        if (has) TRY(l->take(l->context, postings[i].value, err));
    }
    return STEMMA_OK;
}

stemma_status by_digest_each(struct collection *reader, const uint8_t digest[FACTS_DIGEST], take_number *take,
                             void *context, stemma_error *err) {
    const int part = schema_find(collection_schema(reader), KIND_DIGEST_KEYS, 0);
    const uint64_t key = digest_key(digest);
    struct looking l = {reader, digest, take, context};
    return part < 0 ? STEMMA_OK : collection_range(reader, (size_t)part, key, key, look_at, &l, err);
}

/* The sketch of two documents together, for the schemes whose parts say everything about a union of sets. */
#include "base/alloc.h"
#include "sketch/maker.h"

#include <stdio.h>
#include <string.h>

/* Ascending, each once, at most `most`. */
static stemma_status merge(const struct vec64 *a, const struct vec64 *b, size_t most, struct vec64 *out,
                           stemma_error *err) {
    if (!vec64_append(out, a->data, a->len) || !vec64_append(out, b->data, b->len) || !vec64_make_set(out))
        return fail_memory(err);
    if (out->len > most) out->len = most;
    return STEMMA_OK;
}

static void drop_if_not_multiple(struct vec64 *values, uint64_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < values->len; i++)
        if (values->data[i] % n == 0) values->data[kept++] = values->data[i];
    values->len = kept;
}

/* Whether the smallest fingerprints of the document are known: a level of 0 keeps them all. */
static const struct vec64 *smallest_of(const struct part *part, uint64_t n) {
    return part->empty || part->smallest.len ? &part->smallest : n == 1 ? &part->values : NULL;
}

static stemma_status unite_multiples(const struct spec *spec, const struct part *a, const struct part *b,
                                     struct part *out, stemma_error *err) {
    bool level = spec->scheme == SCHEME_LEVEL;
    out->level = a->level > b->level ? a->level : b->level;
    TRY(merge(&a->values, &b->values, SIZE_MAX, &out->values, err));
    if (level) drop_if_not_multiple(&out->values, UINT64_C(1) << out->level);
    if (out->values.len >= SAMPLE_FLOOR) return STEMMA_OK;
    const struct vec64 *from_a = smallest_of(a, level ? UINT64_C(1) << a->level : spec->n);
    const struct vec64 *from_b = smallest_of(b, level ? UINT64_C(1) << b->level : spec->n);
    return from_a && from_b ? merge(from_a, from_b, SAMPLE_FLOOR, &out->smallest, err) : STEMMA_OK;
}

static stemma_status unite_lowest(const struct spec *spec, const struct part *a, const struct part *b,
                                  struct part *out, stemma_error *err) {
    TRY(merge(&a->values, &b->values, SIZE_MAX, &out->values, err));
    out->complete = a->complete && b->complete && out->values.len <= spec->n;
    if (out->values.len > spec->n) out->values.len = spec->n;
    return STEMMA_OK;
}

static stemma_status unite_minima(const struct spec *spec, const struct part *a, const struct part *b,
                                  uint64_t shingles, struct part *out, stemma_error *err) {
    if (!vec64_append(&out->values, a->values.data, a->values.len)) return fail_memory(err);
    for (size_t i = 0; i < spec->n; i++)
        if (b->values.data[i] < out->values.data[i]) out->values.data[i] = b->values.data[i];
    if (spec->scheme == SCHEME_OPH)
        oph_count(out, out->values.data, spec->n, shingles);
    else
        minhash_count(out, out->values.data, spec->n, shingles);
    return STEMMA_OK;
}

static stemma_status unite_part(const struct spec *spec, const struct part *a, const struct part *b,
                                uint64_t shingles, struct part *out, stemma_error *err) {
    out->empty = a->empty && b->empty;
    switch (spec->scheme) {
    case SCHEME_MOD:
    case SCHEME_LEVEL:
        return unite_multiples(spec, a, b, out, err);
    case SCHEME_MIN:
    case SCHEME_MINMOD:
        return unite_lowest(spec, a, b, out, err);
    case SCHEME_MINHASH:
    case SCHEME_OPH:
        if (spec->bits == 64) return unite_minima(spec, a, b, shingles, out, err);
        return fail(err, STEMMA_UNSUPPORTED, "%s with bits=%u has no union: whole minima (bits=64) have",
                    scheme_name(spec->scheme), spec->bits);
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
    case SCHEME_SIMHASH:
    case SCHEME_SIGNATURE:
    case SCHEME_SIGNATURE2011:
        break;
    }
    return fail(err, STEMMA_UNSUPPORTED, "%s has no union", scheme_name(spec->scheme));
}

static void unite_digests(const uint8_t *a, const uint8_t *b, uint8_t *out) {
    struct digest digest;
    bool swapped = memcmp(a, b, DIGEST_SIZE) > 0;
    digest_init(&digest);
    digest_add(&digest, swapped ? b : a, DIGEST_SIZE);
    digest_add(&digest, swapped ? a : b, DIGEST_SIZE);
    digest_finish(&digest, out);
}

static uint64_t sum(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static stemma_status unite_names(const char *a, const char *b, char **out, stemma_error *err) {
    size_t size = strlen(a) + strlen(b) + sizeof " + ";
    char *name = mem_alloc(size);
    if (!name) return fail_memory(err);
    snprintf(name, size, "%s + %s", a, b);
    *out = name;
    return STEMMA_OK;
}

static stemma_status unite(const struct stemma_sketch *a, const struct stemma_sketch *b,
                           struct stemma_sketch *out, stemma_error *err) {
    out->bytes = sum(a->bytes, b->bytes);
    out->tokens = sum(a->tokens, b->tokens);
    out->shingles = sum(a->shingles, b->shingles);
    unite_digests(a->digest, b->digest, out->digest);
    unite_digests(a->text_digest, b->text_digest, out->text_digest);
    TRY(unite_names(a->name ? a->name : "", b->name ? b->name : "", &out->name, err));
    for (size_t i = 0; i < out->recipe->spec_count; i++)
        TRY(unite_part(&out->recipe->specs[i], &a->parts[i], &b->parts[i], out->shingles, &out->parts[i],
                       err));
    return STEMMA_OK;
}

stemma_status sketch_union(const struct stemma_sketch *a, const struct stemma_sketch *b,
                           struct stemma_sketch **out, stemma_error *err) {
    TRY(recipe_equal(a->recipe, b->recipe, err));
    struct stemma_sketch *both = sketch_new(a->recipe);
    if (!both) return fail_memory(err);
    stemma_status status = unite(a, b, both, err);
    if (status != STEMMA_OK) {
        sketch_free(both);
        return status;
    }
    *out = both;
    return STEMMA_OK;
}

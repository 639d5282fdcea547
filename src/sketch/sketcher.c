/* A sketcher hands every block of fingerprints, or of bytes, to the makers of its recipe's parts, one per
 * spec. */
#include "base/alloc.h"
#include "sketch/maker.h"

#include <inttypes.h>

struct sketcher {
    const struct stemma_recipe *recipe;
    size_t most; /* values that a part may hold */
    struct maker *makers[SPECS_MOST];
};

static struct maker *maker_new(const struct spec *spec, const struct view *view, size_t memory) {
    uint64_t seed = view_seed(view);
    switch (spec->scheme) {
    case SCHEME_MOD:
    case SCHEME_MIN:
    case SCHEME_MINMOD:
    case SCHEME_LEVEL:
        return sample_maker_new(spec);
    case SCHEME_MINHASH:
        return minhash_maker_new(spec, seed);
    case SCHEME_OPH:
        return oph_maker_new(spec, seed);
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        return chunk_maker_new(spec, seed);
    case SCHEME_SIMHASH:
        return simhash_maker_new(spec, seed);
    case SCHEME_SIGNATURE:
    case SCHEME_SIGNATURE2011:
        return signature_maker_new(spec, view, memory);
    }
    return NULL;
}

stemma_status sketcher_new(const struct stemma_recipe *recipe, size_t memory, struct sketcher **out,
                           stemma_error *err) {
    const struct view *view = &recipe->view;
    if (!view_can_read(view))
        return fail(err, STEMMA_INVALID, "the recipe is keyed (key id %016" PRIx64 "): sketches need its key",
                    view->key_id);
    struct sketcher *sketcher = mem_zero(1, sizeof *sketcher);
    if (!sketcher) return fail_memory(err);
    sketcher->recipe = recipe_retain(recipe);
    sketcher->most = memory / (2 * sizeof(uint64_t)); /* sorting needs as much again */
    for (size_t i = 0; i < recipe->spec_count; i++) {
        sketcher->makers[i] = maker_new(&recipe->specs[i], view, memory);
        if (sketcher->makers[i]) continue;
        sketcher_free(sketcher);
        return fail_memory(err);
    }
    *out = sketcher;
    return STEMMA_OK;
}

void sketcher_free(struct sketcher *sketcher) {
    if (!sketcher) return;
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++)
        if (sketcher->makers[i]) sketcher->makers[i]->class->free(sketcher->makers[i]);
    recipe_release(sketcher->recipe);
    mem_free(sketcher);
}

bool sketcher_wants_tokens(const struct sketcher *sketcher) {
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++)
        if (sketcher->recipe->specs[i].scheme == SCHEME_BSW_CHUNK) return true;
    return false;
}

bool sketcher_wants_bytes(const struct sketcher *sketcher) {
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++)
        if (spec_is_signature(&sketcher->recipe->specs[i])) return true;
    return false;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t sketcher_modulus(const struct sketcher *sketcher) {
    uint64_t modulus = 0;
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++) {
        if (spec_is_signature(&sketcher->recipe->specs[i])) continue;
        if (!sketcher->makers[i]->enough) return 1;
        modulus = gcd(sketcher->recipe->specs[i].n, modulus);
    }
    return modulus ? modulus : 1;
}

stemma_status sketcher_take(struct sketcher *sketcher, const uint64_t *fp, size_t count,
                            const uint64_t *tokens, size_t token_count, stemma_error *err) {
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++) {
        struct maker *maker = sketcher->makers[i];
        if (!maker->class->take) continue;
        TRY(maker->class->take(maker, fp, count, tokens, token_count, err));
        if (maker->held > sketcher->most && maker->held > 2 * count)
            return fail(
                err, STEMMA_UNSUPPORTED,
                "the sample of %s n=%u outgrows the memory allowed: choose a larger n, or allow more (--memory)",
                scheme_name(maker->spec.scheme), maker->spec.n);
    }
    return STEMMA_OK;
}

stemma_status sketcher_take_bytes(struct sketcher *sketcher, const uint8_t *bytes, size_t size,
                                  stemma_error *err) {
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++) {
        struct maker *maker = sketcher->makers[i];
        if (maker->class->take_bytes) TRY(maker->class->take_bytes(maker, bytes, size, err));
    }
    return STEMMA_OK;
}

stemma_status sketcher_finish(struct sketcher *sketcher, uint64_t shingles, struct stemma_sketch **out,
                              stemma_error *err) {
    struct stemma_sketch *sketch = sketch_new(sketcher->recipe);
    if (!sketch) return fail_memory(err);
    sketch->shingles = shingles;
    for (size_t i = 0; i < sketcher->recipe->spec_count; i++) {
        struct maker *maker = sketcher->makers[i];
        sketch->parts[i].empty = shingles == 0;
        stemma_status status = maker->class->finish(maker, shingles, &sketch->parts[i], err);
        if (status == STEMMA_OK) continue;
        sketch_free(sketch);
        return status;
    }
    *out = sketch;
    return STEMMA_OK;
}

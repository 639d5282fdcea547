#include "speed.h"

#include "align/signature/symbols.h"
#include "cpu_time.h"
#include "signs.h"

struct pair {
    struct text a, b;
    stemma_sketch *first, *second;
};

static stemma_status sketch_again(const stemma_recipe *recipe, struct text text, stemma_error *err) {
    stemma_sketch *sketch;
    TRY(sketch_make(recipe, text.bytes, text.size, &sketch, err));
    stemma_sketch_free(sketch);
    return STEMMA_OK;
}

static stemma_status distance_again(const struct pair *pair, stemma_error *err) {
    uint64_t distance;
    return stemma_distance(pair->a.bytes, pair->a.size, pair->b.bytes, pair->b.size, STEMMA_EDIT_BYTES,
                           UINT64_MAX, NULL, &distance, err);
}

static stemma_status signature_again(const struct pair *pair, stemma_error *err) {
    stemma_sketch_part x = part_of(pair->first, 0), y = part_of(pair->second, 0);
    uint64_t distance;
    return symbols_distance((struct symbols){x.symbols, x.symbol_count},
                            (struct symbols){y.symbols, y.symbol_count}, UINT64_MAX, &distance, err);
}

static stemma_status time_pair(const stemma_recipe *recipe, const struct pair *pair, struct speed *out,
                               stemma_error *err) {
    stemma_status status;
    CPU_TIME(out->making, status, sketch_again(recipe, pair->a, err));
    if (status != STEMMA_OK) return status;
    CPU_TIME(out->whole, status, distance_again(pair, err));
    if (status != STEMMA_OK) return status;
    CPU_TIME(out->signatures, status, signature_again(pair, err));
    return status;
}

stemma_status speed_of(const stemma_recipe *recipe, struct text a, struct text b, struct speed *out,
                       stemma_error *err) {
    struct pair pair = {.a = a, .b = b};
    stemma_status status = sketch_make(recipe, a.bytes, a.size, &pair.first, err);
    if (status == STEMMA_OK) status = sketch_make(recipe, b.bytes, b.size, &pair.second, err);
    if (status == STEMMA_OK) status = time_pair(recipe, &pair, out, err);
    stemma_sketch_free(pair.first);
    stemma_sketch_free(pair.second);
    return status;
}

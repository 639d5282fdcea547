/* The sketch as a value, and the small tools that making, uniting and reading it share. */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "kernels/kernels.h"
#include "sketch/maker.h"

#include <string.h>

struct stemma_sketch *sketch_new(const struct stemma_recipe *recipe) {
    struct stemma_sketch *sketch = mem_zero(1, sizeof *sketch + recipe->spec_count * sizeof *sketch->parts);
    if (sketch) sketch->recipe = recipe_retain(recipe);
    return sketch;
}

void sketch_free(struct stemma_sketch *sketch) {
    if (!sketch) return;
    for (size_t i = 0; i < sketch->recipe->spec_count; i++) {
        vec64_release(&sketch->parts[i].values);
        vec64_release(&sketch->parts[i].smallest);
        buf_release(&sketch->parts[i].bits);
        signature_data_release(&sketch->parts[i].signature);
    }
    recipe_release(sketch->recipe);
    mem_free(sketch->name);
    mem_free(sketch);
}

bool fields_reserve(struct buf *out, size_t n, uint32_t bits) {
    size_t size = (n * bits + 7) / 8;
    if (!buf_reserve(out, size + KERNEL_SLACK)) return false;
    memset(out->data + out->len, 0, size + KERNEL_SLACK);
    out->len += size;
    return true;
}

void fields_set(struct buf *out, size_t i, uint32_t bits, uint64_t value) {
    size_t first = i * bits;
    for (uint32_t b = 0; b < bits; b++)
        out->data[(first + b) / 8] |= (uint8_t)((value >> b & 1) << ((first + b) % 8));
}

/* The upper bits of a product depend on all of the minimum; the index is mixed in so that bins which borrowed
 * the same minimum agree by chance each on its own. */
void fields_of_minima(struct buf *out, const uint64_t *minima, size_t n, uint32_t bits) {
    uint64_t index = 0, word = 0;
    uint32_t filled = 0;
    uint8_t *at = out->data;
    for (size_t i = 0; i < n; i++) {
        index += FIELD_INDEX;
        word |= ((minima[i] ^ index) * MIX64_MULTIPLIER) >> (64 - bits) << filled;
        filled += bits;
        if (filled < 64 && i + 1 < n) continue;
        for (uint32_t b = 0; b < filled; b += 8) *at++ = (uint8_t)(word >> b);
        word = filled = 0;
    }
}

bool vec64_make_set(struct vec64 *vec) {
    if (!sort_u64(vec->data, vec->len)) return false;
    vec->len = unique_u64(vec->data, vec->len);
    return true;
}

bool vec64_append(struct vec64 *vec, const uint64_t *values, size_t count) {
    if (!vec64_reserve(vec, count)) return false;
    if (count) memcpy(vec->data + vec->len, values, count * sizeof *values);
    vec->len += count;
    return true;
}

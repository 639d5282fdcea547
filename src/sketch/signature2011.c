/* Every sum that a window can have is judged once, in a table: the text then costs an addition, a subtraction
 * and a look-up for each byte. */
#include "sketch/signature2011.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "sketch/signature.h"

#include <sodium/utils.h>

enum verdict { NOTHING, BIT_0, BIT_1 };

struct bit_sampler {
    size_t n;
    uint8_t verdict[SIGNATURE_WINDOW_MOST * 255 + 1]; /* of each sum */
};

/* The bit follows from the sum, not from the sum mod c: that is k, always. */
stemma_status bit_sampler_new(const struct spec *spec, uint64_t seed, struct bit_sampler **out,
                              stemma_error *err) {
    struct bit_sampler *sampler = mem_zero(1, sizeof *sampler);
    if (!sampler) return fail_memory(err);
    sampler->n = spec->n;
    for (uint32_t sum = spec->k; sum < sizeof sampler->verdict; sum += spec->c)
        sampler->verdict[sum] = mix64(sum ^ seed) & 1 ? BIT_1 : BIT_0;
    *out = sampler;
    return STEMMA_OK;
}

void bit_sampler_free(struct bit_sampler *sampler) {
    if (sampler) sodium_memzero(sampler, sizeof *sampler); /* it may follow from a key */
    mem_free(sampler);
}

bool bit_sampler_take(const struct bit_sampler *sampler, const uint32_t *bytes, size_t windows,
                      struct vec16 *out) {
    const size_t n = sampler->n;
    uint32_t sum = 0;
    if (!vec16_reserve(out, windows)) return false;
    for (size_t i = 0; i + 1 < n; i++) sum += bytes[i];
    for (size_t i = 0; i < windows; i++) {
        sum += bytes[i + n - 1];
        if (sampler->verdict[sum] != NOTHING) out->data[out->len++] = sampler->verdict[sum] == BIT_1;
        sum -= bytes[i];
    }
    return true;
}

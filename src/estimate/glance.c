#include "estimate/glance.h"

#include "kernels/kernels.h"

#include <math.h>

#define LOSS_LOG 14 /* nats: 8e-7 */

void glance_init(struct glance *glance) {
    *glance = (struct glance){0};
    tally_base_init(&glance->shingles);
}

void glance_release(struct glance *glance) {
    vec64_release(&glance->base);
    vec64_release(&glance->other);
    tally_base_release(&glance->shingles);
    tally_release(&glance->tally);
}

static stemma_status sample(struct vec64 *out, const uint64_t *fp, size_t count, stemma_error *err) {
    out->len = 0;
    if (!vec64_reserve(out, count + KERNEL_SLACK)) return fail_memory(err);
    out->len = kernels_get()->filter_mod(fp, count, GLANCE_MODULUS, out->data);
    return STEMMA_OK;
}

stemma_status glance_set(struct glance *glance, const uint64_t *fp, size_t count, stemma_error *err) {
    TRY(sample(&glance->base, fp, count, err));
    return tally_base_set(&glance->shingles, glance->base.data, glance->base.len, err);
}

stemma_status glance_at(struct glance *glance, const uint64_t *fp, size_t count,
                        const struct overlap_aim *aim, bool *hopeless, stemma_error *err) {
    struct overlap samples;
    TRY(sample(&glance->other, fp, count, err));
    TRY(tally_all(&glance->tally, &glance->shingles, glance->other.data, glance->other.len, &samples, err));
    *hopeless = glance_is_hopeless(&samples, aim);
    return STEMMA_OK;
}

/* Chernoff's bound: of `all` samples, each in common with a probability of `share` at least, so few are with
 * a probability of exp(-all * divergence) at most. */
static bool too_few(uint64_t common, uint64_t all, double share) {
    double part = all ? (double)common / (double)all : 1;
    if (part >= share) return false;
    if (share >= 1) return true;
    double divergence = (1 - part) * log((1 - part) / (1 - share));
    if (common > 0) divergence += part * log(part / share);
    return (double)all * divergence > LOSS_LOG;
}

bool glance_is_hopeless(const struct overlap *samples, const struct overlap_aim *aim) {
    uint64_t common = samples->common;
    if (!too_few(common, samples->a + samples->b - common, aim->resemblance)) return false;
    return aim->contained == 0 ||
           (too_few(common, samples->a, aim->contained) && too_few(common, samples->b, aim->contained));
}

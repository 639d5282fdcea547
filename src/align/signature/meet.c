#include "align/signature/meet.h"

static stemma_status bring_to(struct signature_rate rate, const struct signature *from,
                              struct signature_data *own, struct signature *out, stemma_error *err) {
    *out = *from;
    if (from->c == rate.c && from->alphabet == rate.alphabet) return STEMMA_OK;
    return signature_coarsen(from, rate, own, out, err);
}

stemma_status meet_signatures(const struct signature *a, const struct signature *b,
                              struct met_signatures *out, stemma_error *err) {
    struct signature_rate rate;
    if (a->n != b->n)
        return fail(err, STEMMA_MISMATCH, "signatures differ: n is %u in one and %u in the other", a->n,
                    b->n);
    if (!signature_rates_meet((struct signature_rate){a->c, a->alphabet},
                              (struct signature_rate){b->c, b->alphabet}, &rate))
        return fail(err, STEMMA_MISMATCH, "signatures differ: no rate suits both %u and %u", a->c, b->c);
    struct met_signatures met = {0};
    stemma_status status = bring_to(rate, a, &met.own_a, &met.a, err);
    if (status == STEMMA_OK) status = bring_to(rate, b, &met.own_b, &met.b, err);
    if (status == STEMMA_OK)
        *out = met;
    else
        met_signatures_release(&met);
    return status;
}

void met_signatures_release(struct met_signatures *met) {
    signature_data_release(&met->own_a);
    signature_data_release(&met->own_b);
}

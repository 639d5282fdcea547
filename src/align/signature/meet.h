/* Two signatures brought to one rate, so that their symbols can be compared. */
#ifndef ALIGN_MEET_H
#define ALIGN_MEET_H

#include "sketch/signature.h"

struct met_signatures {
    struct signature a, b;
    struct signature_data own_a, own_b; /* what had to be made coarser */
};

/* MISMATCH when they differ in n or no rate suits both. Points into a and b. */
stemma_status meet_signatures(const struct signature *a, const struct signature *b,
                              struct met_signatures *out, stemma_error *err);
void met_signatures_release(struct met_signatures *met);

#endif

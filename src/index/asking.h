/*
 * How a question is put to a collection: which lookups, and what a candidate must have in common with the
 * document, so that the floors of recall are reached at the thresholds asked. Nothing of it is fixed when the
 * collection is made. (docs/design/query.md)
 */
#ifndef INDEX_ASKING_H
#define INDEX_ASKING_H

#include "index/keys.h"
#include "sketch/sharing.h"

struct asking {
    double threshold, contained; /* 0: not asked for */
    uint32_t bands;              /* to look up; 0: they do not reach the floors, all minima are read */
    uint32_t agree;              /* minima that a document found by bands has in common at least; */
    uint32_t scan_agree;         /* one that is found by reading all minima */
    struct sharing sharing;      /* of containment */
};

/* threshold: resemblance, up to 1, or 0; contained likewise; one of them is not 0. Errors: INVALID. */
stemma_status asking_init(struct asking *asking, double threshold, double contained, stemma_error *err);

/* The probability that a document of this resemblance becomes a candidate by so many bands and agreeing
 * minima; bands 0: by reading all. */
double asking_chance(uint32_t bands, uint32_t agree, double resemblance);

#endif

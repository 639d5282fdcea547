/* How candidates are looked for: everything that follows from the thresholds, before any document is read. */
#ifndef JOIN_PLAN_H
#define JOIN_PLAN_H

#include "sketch/sharing.h"

struct join_options {
    double threshold; /* resemblance, .3 to 1 */
    double contained; /* containment, .5 to 1; 0: it is not looked for */
    uint64_t modulus; /* samples are the fingerprints that are 0 mod it; 0: JOIN_MODULUS */
    uint64_t coarse;  /* those that are 0 mod it come first among minima; divides modulus; 0 or 1: no order */
    uint32_t cap;     /* classes of a bucket that are all compared with each other; 0: JOIN_CAP */
    uint64_t seed;
};
#define JOIN_MODULUS 32
#define JOIN_CAP     256
#define JOIN_FEW     8 /* classes at the head of a larger bucket with which all of it are compared */

struct join_plan {
    double threshold, contained;
    uint32_t rows, bands, minima; /* minima = rows * bands */
    uint32_t agree;               /* minima that a candidate has in common at least */
    uint64_t modulus, coarse, seed;
    uint32_t cap, few;
    size_t checks;          /* 1 for each band, or none: bytes behind the minima */
    size_t key_bytes;       /* of all minima of a document, and these */
    struct sharing sharing; /* where containment is looked for */
};

/* Errors: INVALID. */
stemma_status join_plan_make(const struct join_options *options, struct join_plan *plan, stemma_error *err);

/* What the keys of documents have to be like. */
struct key_form join_plan_form(const struct join_plan *plan);

/* The probability that a pair of this resemblance becomes a candidate by its minima (where no bucket is
 * over-full). */
double join_plan_found(const struct join_plan *plan, double resemblance);

#endif

/* How long two texts take: compared as they are, as signatures, and until there are signatures. CPU time. */
#ifndef LAB_SPEED_H
#define LAB_SPEED_H

#include "corpus.h"

struct speed {
    double whole, signatures, making; /* seconds of one pair, one pair, one text */
};
/* By the recipe's first sketch, which has symbols. */
stemma_status speed_of(const stemma_recipe *recipe, struct text a, struct text b, struct speed *out,
                       stemma_error *err);

#endif

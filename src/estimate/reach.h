/* What two documents must have in common to be worth reporting, and when they cannot any more. */
#ifndef ESTIMATE_REACH_H
#define ESTIMATE_REACH_H

#include <stddef.h>
#include <stdint.h>

/* What makes two documents worth comparing: a resemblance, or one of them contained in the other (0: that
 * does not count). */
struct overlap_aim {
    double resemblance, contained;
};

/* Of the `most` distinct shingles that b has at most, so many may not be in a, which has `a`: with more of
 * them b does not reach the aim. */
double reach_limit(const struct overlap_aim *aim, uint64_t a, uint64_t most);

#endif

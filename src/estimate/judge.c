/* From numbers to a relation. */
#include "estimate/estimate.h"

/* The three numbers a verdict needs; what is not known is negative. */
struct numbers {
    double resemblance, a_in_b, b_in_a;
};

/* Two documents that contain each other to a share c resemble each other to c / (2 - c) at least. An estimate that says
 * otherwise has its containments from too few samples: the resemblance is the better witness. */
static bool contradicts(struct numbers n, double c) {
    return n.a_in_b >= c && n.b_in_a >= c && n.resemblance >= 0 && n.resemblance < c / (2 - c) - 1e-9;
}

static stemma_relation verdict(struct numbers n, const stemma_thresholds *t) {
    double more = n.a_in_b >= n.b_in_a ? n.a_in_b : n.b_in_a;
    if (n.resemblance < 0 && more < 0) return STEMMA_UNKNOWN;
    if (n.resemblance >= t->resemblance) return STEMMA_NEAR_DUPLICATE;
    if (more >= t->containment && !contradicts(n, t->containment))
        return more == n.a_in_b ? STEMMA_CONTAINED : STEMMA_CONTAINS;
    if (n.resemblance > t->chance || more > t->chance) return STEMMA_RELATED;
    return STEMMA_UNRELATED;
}

/* An estimate that may as well be nothing does not count as above chance. */
static double believed(stemma_quantity q) {
    return !q.known ? -1 : q.low > 0 ? q.value : 0;
}

static double lower(stemma_quantity q) {
    return q.known ? q.low : -1;
}

static double upper(stemma_quantity q) {
    return q.known ? q.high : -1;
}

stemma_relation judge(const struct estimates *e, const stemma_thresholds *t, bool *certain) {
    struct numbers best = {believed(e->resemblance), believed(e->a_in_b), believed(e->b_in_a)};
    struct numbers low = {lower(e->resemblance), lower(e->a_in_b), lower(e->b_in_a)};
    struct numbers high = {upper(e->resemblance), upper(e->a_in_b), upper(e->b_in_a)};
    stemma_relation relation = verdict(best, t);
    *certain = relation != STEMMA_UNKNOWN && verdict(low, t) == relation && verdict(high, t) == relation;
    return relation;
}

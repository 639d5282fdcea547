/* From numbers to a relation. */
#include "estimate/estimate.h"

#include <math.h>

/* The three numbers a verdict needs; what is not known is negative. */
struct numbers {
    double resemblance, a_in_b, b_in_a;
};

/* Two documents that contain each other to a share c resemble each other to c / (2 - c) at least. An estimate
 * that says otherwise has its containments from too few samples: the resemblance is the better witness. */
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

/* ---- certainty ---- */

struct range {
    double low, high;
};

static struct range resemblance_range(stemma_quantity j) {
    return j.known ? (struct range){j.low, j.high} : (struct range){0, 1};
}

/* A containment is at least the resemblance, and what is not known may be anything else. */
static struct range containment_range(stemma_quantity c, struct range j) {
    struct range range = c.known ? (struct range){c.low, c.high} : (struct range){0, 1};
    if (range.low < j.low) range.low = j.low;
    if (range.high < range.low) range.high = range.low;
    return range;
}

/* 1/J = 1/a + 1/b - 1: with J at most j and b at least b_low, a cannot be more than this. */
static double most_containment(struct range a, double j, double b_low) {
    if (j <= 0) return a.high;
    double inverse = 1 + 1 / j - (b_low > 0 ? 1 / b_low : HUGE_VAL);
    double most = inverse > 1 ? 1 / inverse : 1;
    return most < a.high ? most : a.high;
}

static double larger(double x, double y) {
    return x > y ? x : y;
}

/* Whether everything the ranges allow would be called the same. */
static bool certain_of(stemma_relation relation, const struct estimates *e, const stemma_thresholds *t) {
    struct range j = resemblance_range(e->resemblance);
    struct range a = containment_range(e->a_in_b, j), b = containment_range(e->b_in_a, j);
    double a_most = most_containment(a, j.high, b.low), b_most = most_containment(b, j.high, a.low);
    bool no_duplicate = j.high < t->resemblance;
    bool no_containment = a_most < t->containment && b_most < t->containment;
    switch (relation) {
    case STEMMA_NEAR_DUPLICATE:
        return j.low >= t->resemblance;
    case STEMMA_CONTAINED:
        return no_duplicate && a.low >= t->containment && (b_most < t->containment || b_most < a.low);
    case STEMMA_CONTAINS:
        return no_duplicate && b.low >= t->containment && (a_most < t->containment || a_most < b.low);
    case STEMMA_RELATED:
        return no_duplicate && no_containment && larger(a.low, b.low) > t->chance;
    case STEMMA_UNRELATED:
        return no_duplicate && no_containment && larger(j.high, larger(a_most, b_most)) <= t->chance;
    case STEMMA_IDENTICAL:
    case STEMMA_SAME_TEXT:
    case STEMMA_UNKNOWN:
        break;
    }
    return false;
}

stemma_relation judge(const struct estimates *e, const stemma_thresholds *t, bool *certain) {
    struct numbers best = {believed(e->resemblance), believed(e->a_in_b), believed(e->b_in_a)};
    stemma_relation relation = verdict(best, t);
    bool exact = e->resemblance.exact && e->a_in_b.exact && e->b_in_a.exact;
    *certain = relation != STEMMA_UNKNOWN && (exact || certain_of(relation, e, t));
    return relation;
}

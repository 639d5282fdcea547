/*
 * From candidate pairs to groups: who is kept, and who is redundant beside it. (docs/design/groups.md)
 *
 * Everything is in ranks, 0 .. count-1: places in keep order. A pair is (first, second) with first < second,
 * packed as first << 32 | second. Only pairs that a rule has to know are verified. The result follows from
 * candidates, numbers and rule alone, however the verifier shares out its work.
 */
#ifndef GROUP_GROUP_H
#define GROUP_GROUP_H

#include "base/buf.h"
#include "runs/runs.h"

/* Distinct shingles of each of two, and of both: exact. */
struct numbers {
    uint64_t first, second, common;
};

static inline double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}
static inline double numbers_resemblance(const struct numbers *n) {
    return share_of(n->common, n->first + n->second - n->common);
}

/* How every threshold in the program is met: by the quotient as it is reported, rounded once to a double, so
 * that a resemblance that prints as the threshold meets it, on every machine. Without anything in common
 * nothing is met. */
static inline bool share_reaches(uint64_t part, uint64_t whole, double least) {
    return part > 0 && share_of(part, whole) >= least;
}
static inline bool numbers_resemble(const struct numbers *n, double threshold) {
    return n->common > 0 && numbers_resemblance(n) >= threshold;
}
/* A threshold of 0: containment does not count. */
static inline bool numbers_second_contained(const struct numbers *n, double contained) {
    return contained > 0 && share_reaches(n->common, n->second, contained);
}
static inline bool numbers_first_contained(const struct numbers *n, double contained) {
    return contained > 0 && share_reaches(n->common, n->first, contained);
}

enum group_kind {
    GROUP_STARS,      /* a class not yet taken is kept, and takes all that join it */
    GROUP_COMPONENTS, /* whatever a chain of pairs that join links */
    GROUP_FIRST,      /* each joins the kept one that it resembles most */
    GROUP_POPULAR     /* each joins the group whose most popular fingerprints it resembles most */
};

struct group_rule {
    enum group_kind kind;
    double threshold, contained; /* contained 0: it does not count */
    size_t popular;              /* fingerprints that represent a group; 0: 128 */
};

/* The second joins the first: it resembles it, or is contained in it. That it contains it does not count,
 * since then it would be removed for what it has more. */
static inline bool numbers_join(const struct numbers *n, const struct group_rule *rule) {
    return numbers_resemble(n, rule->threshold) || numbers_second_contained(n, rule->contained);
}

/* What the rules ask about documents. */
struct group_verifier {
    void *context;
    /* Fills numbers[i] for pairs[i]. At most a few thousand at a time; those with the same first stand
     * together. */
    stemma_status (*verify)(void *context, const uint64_t *pairs, size_t count, struct numbers *numbers,
                            stemma_error *err);
    /* Adds the `most` smallest distinct fingerprints of a class, ascending. Only GROUP_POPULAR asks for it,
     * and is INVALID where it is NULL. */
    stemma_status (*sample)(void *context, uint32_t rank, size_t most, struct vec64 *sample,
                            stemma_error *err);
};

struct group_member {
    uint32_t rank, kept;    /* kept < rank, and is no member of another */
    struct numbers numbers; /* of (kept, rank) */
};

struct group_members {
    struct group_member *list; /* ordered by kept, then rank; a rank stands there once at most */
    size_t count, cap;
    uint64_t candidates; /* distinct pairs, without those that cannot join */
    uint64_t verified;   /* pairs that were asked for */
    uint64_t batches;    /* in so many calls */
};

/* Candidates: key a pair, value bits of how it was found (enum candidate_kind of join.h), duplicates
 * possible, finished. One with value 4 alone (the first in the second) cannot join and is not looked at.
 * `members` is zeroed before; on failure it is left empty. Held in memory: up to 16 bytes a class, and the
 * members (GROUP_POPULAR: also the samples of the largest set of classes that candidates link). Errors: those
 * of the verifier and of the sorter, NO_MEMORY. */
stemma_status group_make(const struct group_rule *rule, uint32_t count, struct sorter *candidates,
                         const struct group_verifier *verifier, struct group_members *members,
                         stemma_error *err);
void group_members_release(struct group_members *members);

#endif

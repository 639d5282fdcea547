/* The rules, each in a file of its own. They leave members in any order. */
#ifndef GROUP_RULES_H
#define GROUP_RULES_H

#include "group/group.h"

/* What a rule works on. */
struct grouping {
    const struct group_rule *rule;
    uint32_t count;
    struct sorter *candidates;
    const struct group_verifier *verifier;
    struct group_members *members;
};

stemma_status group_in_order(struct grouping *grouping, stemma_error *err); /* stars, first */
stemma_status group_components(struct grouping *grouping, stemma_error *err);
stemma_status group_popular(struct grouping *grouping, stemma_error *err);

stemma_status add_member(struct group_members *members, struct group_member member, stemma_error *err);
/* By kept, then rank, from `from` on. */
void order_members(struct group_members *members, size_t from);

#endif

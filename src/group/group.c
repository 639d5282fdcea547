#include "group/group.h"

#include "base/alloc.h"
#include "group/rules.h"

#include <stdlib.h>

stemma_status add_member(struct group_members *members, struct group_member member, stemma_error *err) {
    if (!mem_grow((void **)&members->list, &members->cap, members->count + 1, sizeof *members->list))
        return fail_memory(err);
    members->list[members->count++] = member;
    return STEMMA_OK;
}

static int by_kept(const void *a, const void *b) {
    const struct group_member *x = a, *y = b;
    if (x->kept != y->kept) return x->kept < y->kept ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

void order_members(struct group_members *members, size_t from) {
    if (members->count > from)
        qsort(members->list + from, members->count - from, sizeof *members->list, by_kept);
}

static stemma_status apply_rule(struct grouping *grouping, stemma_error *err) {
    switch (grouping->rule->kind) {
    case GROUP_STARS:
    case GROUP_FIRST:
        return group_in_order(grouping, err);
    case GROUP_COMPONENTS:
        return group_components(grouping, err);
    case GROUP_POPULAR:
        return group_popular(grouping, err);
    }
    return fail(err, STEMMA_INVALID, "no such rule of grouping: %d", (int)grouping->rule->kind);
}

stemma_status group_make(const struct group_rule *rule, uint32_t count, struct sorter *candidates,
                         const struct group_verifier *verifier, struct group_members *members,
                         stemma_error *err) {
    struct grouping grouping = {rule, count, candidates, verifier, members};
    stemma_status status = apply_rule(&grouping, err);
    if (status == STEMMA_OK)
        order_members(members, 0);
    else
        group_members_release(members);
    return status;
}

void group_members_release(struct group_members *members) {
    mem_free(members->list);
    *members = (struct group_members){0};
}

/*
 * Whatever a chain of pairs that join links is one group; its first in keep order is kept.
 *
 * A pair inside one component tells nothing new and is not verified; nor, for the time being, one inside what
 * would be a component if all pairs asked for in this batch joined. Of a thousand copies this verifies about
 * a thousand pairs.
 */
#include "group/forest.h"
#include "group/rules.h"
#include "group/window.h"

#include <string.h>

struct components {
    struct grouping *grouping;
    struct forest joined; /* by verified pairs */
    struct forest hoped;  /* over the sets of joined: by the pairs of this batch, too */
};

static void forget_hopes(struct components *c, const struct window *w) {
    for (size_t i = 0; i < w->count; i++) {
        uint32_t a = forest_find(&c->joined, w->pairs[i].first),
                 b = forest_find(&c->joined, w->pairs[i].second);
        c->hoped.up[a] = a;
        c->hoped.up[b] = b;
    }
}

/* What was verified joins or leaves. The pair is noted as a member: it is one if its first comes to be the
 * kept one. */
static stemma_status use_verified(struct components *c, struct window *w, stemma_error *err) {
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct window_pair *pair = &w->pairs[i];
        if (forest_holds_both(&c->joined, pair->first, pair->second)) continue;
        if (!pair->verified) {
            w->pairs[kept++] = *pair;
        } else if (numbers_join(&pair->numbers, c->grouping->rule)) {
            forest_join(&c->joined, pair->first, pair->second);
            TRY(add_member(c->grouping->members,
                           (struct group_member){pair->second, pair->first, pair->numbers}, err));
        }
    }
    w->count = kept;
    return STEMMA_OK;
}

static void ask_hopefully(struct components *c, struct window *w) {
    forget_hopes(c, w);
    for (size_t i = 0; i < w->count; i++) {
        struct window_pair *pair = &w->pairs[i];
        uint32_t a = forest_find(&c->joined, pair->first), b = forest_find(&c->joined, pair->second);
        if (forest_join(&c->hoped, a, b) && !window_ask(w, pair)) return;
    }
}

static stemma_status join_all(struct components *c, struct window *w, stemma_error *err) {
    for (;;) {
        TRY(window_fill(w, forest_holds_both, &c->joined, err));
        if (w->count == 0) return STEMMA_OK;
        ask_hopefully(c, w);
        TRY(window_verify(w, err));
        TRY(use_verified(c, w, err));
    }
}

/* Of the pairs noted, those with the kept one stay; a second one of a rank is the same pair seen from a
 * larger component. */
static void drop_others(struct components *c) {
    struct group_members *members = c->grouping->members;
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++)
        if (members->list[i].kept == forest_find(&c->joined, members->list[i].rank))
            members->list[kept++] = members->list[i];
    members->count = kept;
}

/* Members that no verified pair links with the kept one. */
static stemma_status add_others(struct components *c, stemma_error *err) {
    struct group_members *members = c->grouping->members;
    size_t known = members->count;
    for (size_t i = 0; i < known; i++) c->hoped.up[members->list[i].rank] = UINT32_MAX; /* marks it */
    for (uint32_t rank = 0; rank < c->grouping->count; rank++) {
        uint32_t kept = forest_find(&c->joined, rank);
        if (kept == rank || c->hoped.up[rank] == UINT32_MAX) continue;
        TRY(add_member(members, (struct group_member){.rank = rank, .kept = kept}, err));
    }
    order_members(members, known);
    return verify_members(c->grouping->verifier, members, known, err);
}

static stemma_status link_pairs(struct components *c, struct window *w, stemma_error *err) {
    if (!forest_init(&c->joined, c->grouping->count) || !forest_init(&c->hoped, c->grouping->count))
        return fail_memory(err);
    TRY(join_all(c, w, err));
    drop_others(c);
    return add_others(c, err);
}

stemma_status group_components(struct grouping *grouping, stemma_error *err) {
    struct components c = {.grouping = grouping};
    struct window window;
    TRY(window_open(&window, grouping->candidates, grouping->verifier, grouping->members, err));
    stemma_status status = link_pairs(&c, &window, err);
    forest_release(&c.joined);
    forest_release(&c.hoped);
    window_close(&window);
    return status;
}

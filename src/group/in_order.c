/*
 * The two rules that go through the classes in keep order.
 *
 * Stars: a class that nobody has taken is kept, and takes every class not yet taken that joins it. First
 * (Broder 1997, 4.4): a class joins the kept one that it resembles most of those it may join, or is kept.
 *
 * Both as if one class after the other was decided, but many at once: in a sweep over the window, a class
 * *waits* when an earlier pair that may yet make it a member is open. Whoever does not wait is decided, so
 * its pairs are asked for: also those with classes that wait, on the chance that nobody else takes them,
 * because its document is being made ready for comparisons now.
 */
#include "base/alloc.h"
#include "group/rules.h"
#include "group/window.h"

#include <string.h>

enum { VAIN_SHARE = 8 }; /* one pair in so many may be verified in vain before chances are no longer taken */

struct order {
    struct grouping *grouping;
    bool nearest; /* all kept ones are compared, the most alike is taken; else the first one that takes it */
    uint32_t *member; /* of each class: 1 + its place among the members; 0: it is none */
    uint32_t *waits;  /* of each class: the last sweep in which it waited */
    uint32_t sweep;
    uint64_t vain; /* pairs that were verified and then settled by others */
};

/* A member takes nobody; and is taken once, unless the nearest is looked for. */
static bool is_settled(const void *context, uint32_t first, uint32_t second) {
    const struct order *o = context;
    return o->member[first] || (o->member[second] && !o->nearest);
}

/* The first is kept: it takes the second if that joins. Of two that are equally near, the first in keep order
 * has come first. */
static stemma_status take(struct order *o, const struct window_pair *pair, stemma_error *err) {
    struct group_members *members = o->grouping->members;
    struct group_member member = {pair->second, pair->first, pair->numbers};
    if (!numbers_join(&pair->numbers, o->grouping->rule)) return STEMMA_OK;
    if (o->member[pair->second]) {
        struct group_member *before = &members->list[o->member[pair->second] - 1];
        double own = numbers_resemblance(&pair->numbers), other = numbers_resemblance(&before->numbers);
        if (own > other || (own == other && pair->first < before->kept)) *before = member;
        return STEMMA_OK;
    }
    TRY(add_member(members, member, err));
    o->member[pair->second] = (uint32_t)members->count;
    return STEMMA_OK;
}

/* What a sweep does with a pair. */
enum verdict { SETTLED, OPEN, LIKELY, NEEDED };

static enum verdict judge_pair(const struct order *o, const struct window_pair *pair) {
    if (is_settled(o, pair->first, pair->second)) return SETTLED;
    if (o->waits[pair->first] == o->sweep) return OPEN;
    if (o->waits[pair->second] == o->sweep && !o->nearest) return LIKELY; /* another may take it before */
    return NEEDED;
}

static bool take_chances(const struct order *o) {
    return o->vain * VAIN_SHARE <= o->grouping->members->verified;
}

/* Settled pairs leave the window; what is needed and not known is asked for, until a batch is full. */
static stemma_status sweep(struct order *o, struct window *w, stemma_error *err) {
    size_t kept = 0, i = 0;
    o->sweep++;
    for (; i < w->count; i++) {
        struct window_pair *pair = &w->pairs[i];
        enum verdict verdict = judge_pair(o, pair);
        if (verdict == SETTLED) {
            o->vain += pair->verified;
            continue;
        }
        if (verdict == NEEDED && pair->verified) {
            TRY(take(o, pair, err));
            continue;
        }
        if (verdict == NEEDED && !window_ask(w, pair)) break;
        if (verdict == LIKELY && !pair->verified && take_chances(o)) window_ask(w, pair);
        o->waits[pair->second] = o->sweep;
        w->pairs[kept++] = *pair;
    }
    memmove(w->pairs + kept, w->pairs + i, (w->count - i) * sizeof *w->pairs);
    w->count -= i - kept;
    return STEMMA_OK;
}

static stemma_status decide_all(struct order *o, struct window *w, stemma_error *err) {
    for (;;) {
        TRY(window_fill(w, is_settled, o, err));
        if (w->count == 0) return STEMMA_OK;
        TRY(sweep(o, w, err));
        TRY(window_verify(w, err));
    }
}

stemma_status group_in_order(struct grouping *grouping, stemma_error *err) {
    struct order o = {.grouping = grouping, .nearest = grouping->rule->kind == GROUP_FIRST};
    struct window window;
    TRY(window_open(&window, grouping->candidates, grouping->verifier, grouping->members, err));
    o.member = mem_zero(grouping->count, sizeof *o.member);
    o.waits = mem_zero(grouping->count, sizeof *o.waits);
    stemma_status status = o.member && o.waits ? decide_all(&o, &window, err) : fail_memory(err);
    mem_free(o.member);
    mem_free(o.waits);
    window_close(&window);
    return status;
}

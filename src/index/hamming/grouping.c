/*
 * Alg. G: for every choice of m - r_h groups, the documents that agree with the query in all of them (eq.
 * 11).
 *
 * As the paper has it, each choice is a condition of its own: its lists are intersected anew, whatever other
 * choices have in common with it. The lists themselves are read once.
 */
#include "index/hamming/ways.h"

#include "base/alloc.h"
#include "base/log_factorial.h"

#include <math.h>
#include <string.h>

struct grouping {
    const struct hamming_question *q;
    struct vec64 numbers, ends; /* lists, one behind the other: that of group i ends at ends[i] */
    uint32_t *chosen;           /* groups, ascending */
    uint32_t groups, count;     /* m, m - r_h */
    struct vec64 common;        /* what the chosen ones so far have in common */
    struct spill *met;
};

static const uint64_t *list_of(const struct grouping *g, uint32_t group, size_t *count) {
    uint64_t begin = group ? g->ends.data[group - 1] : 0;
    *count = (size_t)(g->ends.data[group] - begin);
    return g->numbers.data + begin;
}

/* `common` keeps what the list has, too. */
static void intersect(struct vec64 *common, const uint64_t *list, size_t count) {
    size_t kept = 0, i = 0, k = 0;
    while (i < common->len && k < count) {
        uint64_t a = common->data[i], b = list[k];
        common->data[kept] = a;
        kept += a == b;
        i += a <= b;
        k += b <= a;
    }
    common->len = kept;
}

static stemma_status try_choice(struct grouping *g, stemma_error *err) {
    struct hamming_work *work = g->q->work;
    size_t count;
    TRY(check_stop(g->q->source->stop, err));
    const uint64_t *list = list_of(g, g->chosen[0], &count);
    g->common.len = 0;
    if (!vec64_add_all(&g->common, list, count)) return fail_memory(err);
    work->postings += count;
    for (uint32_t i = 1; i < g->count; i++) {
        list = list_of(g, g->chosen[i], &count);
        intersect(&g->common, list, count);
        work->postings += count;
    }
    work->combinations++;
    work->searches += g->count;
    return hamming_take_met(g->met, g->common.data, g->common.len, err);
}

/* The next choice in lexical order; false after the last. */
static bool next_choice(struct grouping *g) {
    uint32_t at = g->count;
    while (at && g->chosen[at - 1] == g->groups - g->count + at - 1) at--;
    if (!at) return false;
    g->chosen[at - 1]++;
    for (; at < g->count; at++) g->chosen[at] = g->chosen[at - 1] + 1;
    return true;
}

static double choices(uint32_t groups, uint32_t count) {
    return round(exp(log_factorial(groups) - log_factorial(count) - log_factorial(groups - count)));
}

static stemma_status check_cost(const struct grouping *g, stemma_error *err) {
    double all = choices(g->groups, g->count);
    double postings = all * g->count * ((double)g->numbers.len / g->groups + 1);
    if (postings <= HAMMING_G_MOST) return STEMMA_OK;
    return fail(
        err, STEMMA_INVALID,
        "algorithm g would try %.3g choices of %u out of %u groups, and go through %.2g postings (at most %.2g): "
        "take h, mih or scan",
        all, g->count, g->groups, postings, HAMMING_G_MOST);
}

static stemma_status take(void *to, const uint64_t *numbers, size_t count, stemma_error *err) {
    struct grouping *g = to;
    if (count > HAMMING_G_HELD - g->numbers.len)
        return fail(err, STEMMA_INVALID, "algorithm g would hold more than %zu postings: take h, mih or scan",
                    HAMMING_G_HELD);
    return hamming_take_all(&g->numbers, numbers, count, err);
}

static stemma_status read_lists(struct grouping *g, stemma_error *err) {
    const struct hamming_source *source = g->q->source;
    for (uint32_t i = 0; i < source->group_count; i++) {
        TRY(source->lookup(source->context, bit_group_key(source->groups[i], g->q->query), take, g, err));
        if (!vec64_add(&g->ends, g->numbers.len)) return fail_memory(err);
    }
    return STEMMA_OK;
}

static stemma_status try_all(struct grouping *g, stemma_error *err) {
    TRY(read_lists(g, err));
    TRY(check_cost(g, err));
    for (uint32_t i = 0; i < g->count; i++) g->chosen[i] = i;
    do TRY(try_choice(g, err));
    while (next_choice(g));
    return hamming_verify(g->q, g->met, 1, err);
}

stemma_status hamming_grouping(const struct hamming_question *q, stemma_error *err) {
    struct grouping g = {.q = q, .groups = q->source->group_count};
    TRY(spill_new(true, HAMMING_MEMORY, q->source->directory, &g.met, err));
    g.count = g.groups - q->radius;
    g.chosen = mem_zero(g.count, sizeof *g.chosen);
    stemma_status status = g.chosen ? try_all(&g, err) : fail_memory(err);
    mem_free(g.chosen);
    vec64_release(&g.common);
    vec64_release(&g.numbers);
    vec64_release(&g.ends);
    spill_free(g.met);
    return status;
}

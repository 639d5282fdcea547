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
    struct hamming_lists lists;
    uint32_t *chosen;       /* groups, ascending */
    uint32_t groups, count; /* m, m - r_h */
    struct vec64 common;    /* what the chosen ones so far have in common */
    struct vec64 candidates;
};

static const uint64_t *list_of(const struct grouping *g, uint32_t group, size_t *count) {
    uint64_t begin = group ? g->lists.ends.data[group - 1] : 0;
    *count = (size_t)(g->lists.ends.data[group] - begin);
    return g->lists.numbers.data + begin;
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
    return vec64_add_all(&g->candidates, g->common.data, g->common.len) ? STEMMA_OK : fail_memory(err);
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
    double postings = all * g->count * ((double)g->lists.numbers.len / g->groups + 1);
    if (postings <= HAMMING_G_MOST) return STEMMA_OK;
    return fail(
        err, STEMMA_INVALID,
        "algorithm g would try %.3g choices of %u out of %u groups, and go through %.2g postings (at most %.2g): "
        "take h, mih or scan",
        all, g->count, g->groups, postings, HAMMING_G_MOST);
}

static stemma_status try_all(struct grouping *g, stemma_error *err) {
    TRY(hamming_lists_read(g->q, &g->lists, err));
    TRY(check_cost(g, err));
    for (uint32_t i = 0; i < g->count; i++) g->chosen[i] = i;
    do TRY(try_choice(g, err));
    while (next_choice(g));
    return hamming_verify(g->q, &g->candidates, err);
}

stemma_status hamming_grouping(const struct hamming_question *q, stemma_error *err) {
    struct grouping g = {.q = q, .groups = q->source->group_count};
    g.count = g.groups - q->radius;
    g.chosen = mem_zero(g.count, sizeof *g.chosen);
    stemma_status status = g.chosen ? try_all(&g, err) : fail_memory(err);
    mem_free(g.chosen);
    vec64_release(&g.common);
    vec64_release(&g.candidates);
    hamming_lists_release(&g.lists);
    return status;
}

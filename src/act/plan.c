#include "act/plan.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- documents ---- */

static const struct document *document_at(const struct stemma_scan *scan, uint32_t number) {
    return &scan->catalogue.documents[number];
}

/* A document that is all of a file: neither a record nor a text in memory. */
static bool is_file(const struct stemma_scan *scan, uint32_t number) {
    const struct document *document = document_at(scan, number);
    return !document->id && scan->catalogue.sources[document->source].kind == SOURCE_FILE;
}

/* ---- steps ---- */

static stemma_status add_step(struct stemma_plan *plan, struct step step, stemma_error *err) {
    if (!mem_grow((void **)&plan->steps, &plan->capacity, plan->count + 1, sizeof *plan->steps))
        return fail_memory(err);
    plan->steps[plan->count++] = step;
    plan->totals.steps++;
    plan->totals.bytes += document_at(plan->scan, step.document)->bytes;
    return STEMMA_OK;
}

static bool is_near(const struct stemma_plan *plan, const stemma_scan_member *m) {
    return (plan->near > 0 && m->resemblance >= plan->near) ||
           (plan->near_contained > 0 && m->contained >= plan->near_contained);
}

/* A document of a group, in keep order. */
struct candidate {
    uint32_t document;
    size_t place; /* 0: the kept one; else that of the member + 1 */
};

/* Equal bytes stand together, and the first in keep order before the others. */
static int by_identity(const void *a, const void *b, void *context) {
    const struct candidate *x = a, *y = b;
    const struct identity p = document_at(context, x->document)->bytes_identity,
                          q = document_at(context, y->document)->bytes_identity;
    if (p.high != q.high) return p.high > q.high ? 1 : -1;
    if (p.low != q.low) return p.low > q.low ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b) {
    size_t x = ((const struct candidate *)a)->place, y = ((const struct candidate *)b)->place;
    return (x > y) - (x < y);
}

/* Each file of the group for which another is kept: kept_for[place], NO_DOCUMENT for none. Empty files are
 * copies of one another by accident, but they are never in a group. */
static void find_identical(const struct stemma_scan *scan, struct candidate *candidates, size_t count,
                           uint32_t *kept_for) {
    qsort_r(candidates, count, sizeof *candidates, by_identity, (void *)scan);
    for (size_t i = 1, first = 0; i < count; i++) {
        if (scan_same_bytes(scan, candidates[i].document, candidates[first].document))
            kept_for[candidates[i].place] = candidates[first].document;
        else
            first = i;
    }
    qsort(candidates, count, sizeof *candidates, by_place);
}

/* A group while its steps are found. */
struct group_view {
    uint32_t kept;
    bool kept_is_file;
    const stemma_scan_member *members;
    size_t count;
    struct candidate *candidates; /* plain files that stay, or may */
    size_t candidate_count;
    uint32_t *kept_for; /* by place */
};

/* Near enough, but the numbers say nothing of what it holds: the attachments of a mail, say. */
static bool holds_more(const struct stemma_plan *plan, const struct group_view *g, uint32_t document,
                       const stemma_scan_member *m) {
    return document_at(plan->scan, document)->filled && is_near(plan, m) &&
           !scan_same_bytes(plan->scan, document, g->kept);
}

/* What goes by the numbers, without being the same in its bytes. */
static bool goes_as_near(const struct stemma_plan *plan, const struct group_view *g, uint32_t document,
                         const stemma_scan_member *m) {
    return g->kept_is_file && is_near(plan, m) && !holds_more(plan, g, document, m) &&
           !scan_same_bytes(plan->scan, document, g->kept);
}

static void sort_out(const struct stemma_plan *plan, struct group_view *g) {
    const struct stemma_scan *scan = plan->scan;
    if (g->kept_is_file) g->candidates[g->candidate_count++] = (struct candidate){g->kept, 0};
    for (size_t i = 0; i <= g->count; i++) g->kept_for[i] = NO_DOCUMENT;
    for (size_t i = 0; i < g->count; i++) {
        uint32_t document = scan->order[g->members[i].document];
        if (!is_file(scan, document)) continue;
        if (goes_as_near(plan, g, document, &g->members[i]))
            g->kept_for[i + 1] = g->kept;
        else
            g->candidates[g->candidate_count++] = (struct candidate){document, i + 1};
    }
    find_identical(scan, g->candidates, g->candidate_count, g->kept_for);
}

static stemma_status add_steps(struct stemma_plan *plan, const struct group_view *g, stemma_error *err) {
    const struct stemma_scan *scan = plan->scan;
    for (size_t i = 0; i < g->count; i++) {
        const stemma_scan_member *m = &g->members[i];
        uint32_t document = scan->order[m->document], kept = g->kept_for[i + 1];
        if (kept == NO_DOCUMENT) {
            bool wanted = m->relation == STEMMA_IDENTICAL || is_near(plan, m);
            bool are_files = is_file(scan, document) && g->kept_is_file;
            plan->totals.not_files += wanted && !are_files;
            plan->totals.holding += are_files && holds_more(plan, g, document, m);
            continue;
        }
        bool identical = scan_same_bytes(scan, document, kept);
        struct step step = {document, kept, identical ? STEMMA_IDENTICAL : m->relation,
                            identical ? 1 : m->resemblance, identical ? 1 : m->contained};
        TRY(add_step(plan, step, err));
    }
    return STEMMA_OK;
}

static stemma_status plan_group(struct stemma_plan *plan, const struct result_group *group,
                                stemma_error *err) {
    const struct stemma_scan *scan = plan->scan;
    struct group_view g = {.kept = group->kept,
                           .kept_is_file = is_file(scan, group->kept),
                           .members = scan->results.members + group->first,
                           .count = group->count};
    g.candidates = mem_alloc((g.count + 1) * sizeof *g.candidates);
    g.kept_for = mem_alloc((g.count + 1) * sizeof *g.kept_for);
    stemma_status status = g.candidates && g.kept_for ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) {
        sort_out(plan, &g);
        status = add_steps(plan, &g, err);
    }
    mem_free(g.candidates);
    mem_free(g.kept_for);
    return status;
}

/* ---- the plan ---- */

/* The working directory: names in the log have to be found from anywhere. */
static stemma_status find_here(struct stemma_plan *plan, stemma_error *err) {
    size_t capacity = 0;
    do {
        if (!mem_grow((void **)&plan->here, &capacity, capacity + 4096, 1)) return fail_memory(err);
        plan->here[0] = 0;
    } while (!getcwd(plan->here, capacity) && errno == ERANGE);
    if (plan->here[0] == '/') return STEMMA_OK;
    return fail(err, STEMMA_NOT_FOUND, "the working directory is gone");
}

char *plan_absolute(const struct stemma_plan *plan, const char *path) {
    if (path[0] == '/') return mem_copy_string(path);
    struct buf joined = {0};
    bool whole = buf_add_string(&joined, strcmp(plan->here, "/") ? plan->here : "") &&
                 buf_add_byte(&joined, '/') && buf_add(&joined, path, strlen(path) + 1);
    if (!whole) buf_release(&joined);
    return (char *)joined.data;
}

static stemma_status set_directory(struct stemma_plan *plan, const char *directory, stemma_error *err) {
    if (plan->action != STEMMA_ACT_MOVE) return STEMMA_OK;
    plan->directory = plan_absolute(plan, directory);
    if (!plan->directory) return fail_memory(err);
    for (size_t end = strlen(plan->directory); end > 1 && plan->directory[end - 1] == '/';)
        plan->directory[--end] = 0;
    return STEMMA_OK;
}

static stemma_status fill(struct stemma_plan *plan, const stemma_act_options *options, stemma_error *err) {
    TRY(find_here(plan, err));
    TRY(set_directory(plan, options->directory, err));
    for (size_t i = 0; i < plan->scan->results.group_count; i++)
        TRY(plan_group(plan, &plan->scan->results.groups[i], err));
    return STEMMA_OK;
}

stemma_status plan_new(struct stemma_scan *scan, const stemma_act_options *options, struct stemma_plan **out,
                       stemma_error *err) {
    struct stemma_plan *plan = mem_zero(1, sizeof *plan);
    if (!plan) return fail_memory(err);
    plan->scan = scan;
    plan->action = options->action;
    plan->near = options->near;
    plan->near_contained = options->near_contained;
    stemma_status status = fill(plan, options, err);
    if (status == STEMMA_OK)
        *out = plan;
    else
        plan_free(plan);
    return status;
}

void plan_free(struct stemma_plan *plan) {
    if (!plan) return;
    mem_free(plan->steps);
    mem_free(plan->directory);
    mem_free(plan->here);
    mem_free(plan);
}

#include "index/hamming/retrieval.h"

#include "base/alloc.h"
#include "index/hamming/ways.h"

#include <math.h>
#include <stdlib.h>

const char *hamming_via_name(enum hamming_via via) {
    static const char *const names[] = {"auto", "scan", "g", "h", "mih"};
    return names[via];
}

/* ---- matches ---- */

void hamming_matches_release(struct hamming_matches *matches) {
    mem_free(matches->list);
    *matches = (struct hamming_matches){0};
}

int hamming_nearest_first(const void *a, const void *b) {
    const struct hamming_match *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static int by_number(const void *a, const void *b) {
    const struct hamming_match *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

static void leave_out(struct hamming_matches *m) {
    if (m->most == 0 || m->count <= m->most) return;
    qsort(m->list, m->count, sizeof *m->list, hamming_nearest_first);
    m->left_out += m->count - m->most;
    m->count = m->most;
    qsort(m->list, m->count, sizeof *m->list, by_number);
}

stemma_status hamming_matches_add(struct hamming_matches *matches, uint64_t number, uint32_t distance,
                                  stemma_error *err) {
    if (matches->take) return matches->take(matches->to, number, distance, err);
    if (matches->most && matches->count / 2 >= matches->most) leave_out(matches);
    if (!mem_grow((void **)&matches->list, &matches->capacity, matches->count + 1, sizeof *matches->list))
        return fail_memory(err);
    matches->list[matches->count++] = (struct hamming_match){number, distance};
    return STEMMA_OK;
}

/* ---- what the ways share ---- */

stemma_status hamming_take_all(void *vec, const uint64_t *numbers, size_t count, stemma_error *err) {
    return vec64_add_all(vec, numbers, count) ? STEMMA_OK : fail_memory(err);
}

stemma_status hamming_take_met(void *spill, const uint64_t *numbers, size_t count, stemma_error *err) {
    return spill_add(spill, numbers, count, err);
}

static stemma_status verify_one(const struct hamming_question *q, uint64_t number, stemma_error *err) {
    uint32_t distance;
    q->work->candidates++;
    q->work->distances++;
    TRY(check_stop(q->source->stop, err));
    TRY(q->source->distance(q->source->context, q->query, number, q->radius, &distance, err));
    return distance <= q->radius ? hamming_matches_add(q->matches, number, distance, err) : STEMMA_OK;
}

/* Each number when it is met for the `least`th time. */
static stemma_status count_met(const struct hamming_question *q, struct spill_cursor *cursor, uint64_t least,
                               stemma_error *err) {
    uint64_t numbers[1024], last = UINT64_MAX, times = 0;
    for (;;) {
        size_t count;
        TRY(spill_cursor_read(cursor, numbers, 1024, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++) {
            times = numbers[i] == last ? times + 1 : 1;
            last = numbers[i];
            if (times == least) TRY(verify_one(q, last, err));
        }
    }
}

stemma_status hamming_verify(const struct hamming_question *q, struct spill *met, uint64_t least,
                             stemma_error *err) {
    struct spill_cursor *cursor;
    TRY(spill_finish(met, err));
    TRY(spill_cursor_new(met, &cursor, err));
    stemma_status status = count_met(q, cursor, least, err);
    spill_cursor_free(cursor);
    return status;
}

size_t hamming_head(uint32_t bits, uint32_t radius) {
    size_t words = hamming_words(bits), head = 1;
    /* Of 64 n bits 32 n differ, with a standard deviation of 4 sqrt(n): four of them are left. */
    while (head < words && 32. * (double)head - 16 * sqrt((double)head) <= radius) head++;
    return head;
}

/* ---- choosing ---- */

/* Lookups of mih, and how many candidates they bring if bits are random. */
static void hamming_mih_cost(const struct hamming_source *source, uint32_t radius, double *searches,
                             double *postings) {
    *searches = *postings = 0;
    for (uint32_t i = 0; i < source->group_count; i++) {
        double probes =
            hamming_probes(source->groups[i].width, hamming_group_radius(radius, source->group_count, i));
        *searches += probes;
        *postings += probes * (double)source->documents / exp2(fmin(source->groups[i].width, 32));
    }
}

static enum hamming_via cheapest(const struct hamming_source *source, uint32_t radius) {
    double searches, postings;
    hamming_mih_cost(source, radius, &searches, &postings);
    double cost = searches * source->search_cost + postings * source->posting_cost;
    return source->group_count && cost < (double)source->documents ? HAMMING_MIH : HAMMING_SCAN;
}

static bool can_decide(const struct hamming_source *source, uint32_t radius, enum hamming_via via) {
    if (!source->group_count) return false;
    if (via != HAMMING_MIH) return radius < source->group_count;
    double searches, postings;
    hamming_mih_cost(source, radius, &searches, &postings);
    return searches <= fmax(HAMMING_PROBES, (double)source->documents);
}

static stemma_status answer(const struct hamming_question *q, stemma_error *err) {
    const struct hamming_source *source = q->source;
    switch (q->work->used) {
    case HAMMING_G:
        return hamming_grouping(q, err);
    case HAMMING_H:
        return hamming_merging(q, err);
    case HAMMING_MIH:
        return hamming_multi_index(q, err);
    case HAMMING_AUTO:
    case HAMMING_SCAN:
        break;
    }
    return source->scan(source->context, q->query, q->radius, q->matches, q->work, err);
}

stemma_status hamming_query(const struct hamming_source *source, const uint64_t *query, uint32_t radius,
                            enum hamming_via via, struct hamming_matches *matches, struct hamming_work *work,
                            stemma_error *err) {
    struct hamming_work own;
    if (!work) work = &own;
    if (via == HAMMING_AUTO) via = cheapest(source, radius);
    if (via != HAMMING_SCAN && !can_decide(source, radius, via)) via = HAMMING_SCAN;
    *work = (struct hamming_work){
        .used = via, .bits = source->bits, .radius = radius, .groups = source->group_count};
    matches->count = matches->left_out = 0;
    TRY(answer(&(struct hamming_question){source, query, radius, matches, work}, err));
    leave_out(matches);
    return STEMMA_OK;
}

#include "collect/many_candidates.h"

#include "base/alloc.h"

/* Memory to sort them in, and how many are given together: these are verified in the order of their files,
 * and of a compressed data set each such block may be read from its beginning. */
enum { MEMORY = 8 << 20, TOGETHER = 1 << 16 };

struct many_candidates {
    struct sorter *sorter;
    struct sorter_cursor *cursor;
    struct record records[1024]; /* that come next */
    size_t at, count;
};

stemma_status many_candidates_new(const stemma_limits *limits, struct many_candidates **out,
                                  stemma_error *err) {
    const struct sorter_options options = {
        .memory = MEMORY, .directory = limits->temporary_directory, .stop = limits->stop};
    struct many_candidates *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory(err);
    stemma_status status = sorter_new(&options, &m->sorter, err);
    if (status == STEMMA_OK)
        *out = m;
    else
        mem_free(m);
    return status;
}

void many_candidates_free(struct many_candidates *m) {
    if (!m) return;
    sorter_cursor_free(m->cursor);
    sorter_free(m->sorter);
    mem_free(m);
}

void many_candidates_take(struct many_candidates *m, uint32_t question, struct candidates *list) {
    list->to = m->sorter;
    list->question = question;
}

stemma_status many_candidates_finish(struct many_candidates *m, stemma_error *err) {
    TRY(sorter_finish(m->sorter, err));
    return sorter_read(m->sorter, &m->cursor, err);
}

static stemma_status next_record(struct many_candidates *m, const struct record **record, stemma_error *err) {
    if (m->at == m->count) {
        m->at = 0;
        TRY(sorter_next(m->cursor, m->records, sizeof m->records / sizeof *m->records, &m->count, err));
    }
    *record = m->at < m->count ? &m->records[m->at] : NULL;
    return STEMMA_OK;
}

stemma_status many_candidates_next(struct many_candidates *m, uint32_t question, struct candidates *block,
                                   stemma_error *err) {
    for (block->count = 0;; m->at++) {
        const struct record *record;
        uint32_t asked;
        TRY(next_record(m, &record, err));
        if (!record) return STEMMA_OK;
        const struct candidate c = candidate_of_record(record, &asked);
        struct candidate *last = block->count ? &block->list[block->count - 1] : NULL;
        if (asked != question) return STEMMA_OK;
        if (last && last->number == c.number) {
            last->reasons |= c.reasons;
            if (c.agree > last->agree) last->agree = c.agree;
            continue;
        }
        if (block->count == TOGETHER) return STEMMA_OK;
        if (!mem_grow((void **)&block->list, &block->cap, block->count + 1, sizeof *block->list))
            return fail_memory(err);
        block->list[block->count++] = c;
    }
}

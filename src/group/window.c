#include "group/window.h"

#include "base/alloc.h"

#include <string.h>

enum {
    READ = 1024,    /* records read at a time */
    MEMBERS = 1024, /* verified at a time: fits onto a stack */
    FIRST_IN_SECOND_ALONE =
        4 /* found as a pair of which the second contains the first, and in no other way */
};

/* Records on their way into the window; equal pairs become one, found in all their ways. */
struct window_source {
    struct record records[READ];
    size_t at, filled;
    bool ended;
    bool holds;
    struct record held; /* a pair whose other ways may still follow */
    uint64_t batch[WINDOW_BATCH];
    struct numbers numbers[WINDOW_BATCH];
};

void window_close(struct window *w) {
    sorter_cursor_free(w->cursor);
    mem_free(w->source);
    mem_free(w->pairs);
}

stemma_status window_open(struct window *window, struct sorter *candidates,
                          const struct group_verifier *verifier, struct group_members *members,
                          stemma_error *err) {
    struct window w = {.verifier = verifier, .members = members};
    w.pairs = mem_alloc(WINDOW_PAIRS * sizeof *w.pairs);
    w.source = mem_zero(1, sizeof *w.source);
    stemma_status status = w.pairs && w.source ? sorter_read(candidates, &w.cursor, err) : fail_memory(err);
    if (status == STEMMA_OK)
        *window = w;
    else
        window_close(&w);
    return status;
}

/* ---- filling ---- */

static stemma_status next_record(struct window *w, struct record *record, bool *any, stemma_error *err) {
    struct window_source *s = w->source;
    if (s->at == s->filled && !s->ended) {
        s->at = 0;
        TRY(sorter_next(w->cursor, s->records, READ, &s->filled, err));
        s->ended = s->filled == 0;
    }
    *any = s->at < s->filled;
    if (*any) *record = s->records[s->at++];
    return STEMMA_OK;
}

/* The next distinct pair; *any is false at the end. */
static stemma_status next_pair(struct window *w, struct record *pair, bool *any, stemma_error *err) {
    struct window_source *s = w->source;
    for (;;) {
        struct record record;
        bool more;
        TRY(next_record(w, &record, &more, err));
        if (more && s->holds && record.key == s->held.key) {
            s->held.value |= record.value;
            continue;
        }
        *any = s->holds;
        *pair = s->held;
        s->holds = more;
        if (more) s->held = record;
        if (*any || !more) return STEMMA_OK;
    }
}

stemma_status window_fill(struct window *w, window_settled *settled, const void *context, stemma_error *err) {
    while (w->count < WINDOW_PAIRS) {
        struct record pair;
        bool any;
        TRY(next_pair(w, &pair, &any, err));
        if (!any) return STEMMA_OK;
        uint32_t first = (uint32_t)(pair.key >> 32), second = (uint32_t)pair.key;
        if (pair.value == FIRST_IN_SECOND_ALONE) continue;
        w->members->candidates++;
        if (!settled(context, first, second))
            w->pairs[w->count++] = (struct window_pair){.first = first, .second = second};
    }
    return STEMMA_OK;
}

/* ---- verifying ---- */

bool window_ask(struct window *w, struct window_pair *pair) {
    if (w->asked == WINDOW_BATCH) return false;
    pair->asked = true;
    w->asked++;
    return true;
}

static void ask_ahead(struct window *w) {
    for (size_t i = 0; i < w->count && w->asked < WINDOW_AHEAD; i++)
        if (!w->pairs[i].asked && !w->pairs[i].verified) window_ask(w, &w->pairs[i]);
}

static stemma_status verify_batch(const struct group_verifier *verifier, struct group_members *members,
                                  const uint64_t *pairs, size_t count, struct numbers *numbers,
                                  stemma_error *err) {
    TRY(verifier->verify(verifier->context, pairs, count, numbers, err));
    members->verified += count;
    members->batches++;
    return STEMMA_OK;
}

stemma_status window_verify(struct window *w, stemma_error *err) {
    struct window_source *s = w->source;
    size_t count = 0;
    ask_ahead(w);
    for (size_t i = 0; i < w->count && count < w->asked; i++)
        if (w->pairs[i].asked) s->batch[count++] = (uint64_t)w->pairs[i].first << 32 | w->pairs[i].second;
    if (count) TRY(verify_batch(w->verifier, w->members, s->batch, count, s->numbers, err));
    for (size_t i = 0, at = 0; at < count; i++) {
        if (!w->pairs[i].asked) continue;
        w->pairs[i].asked = false;
        w->pairs[i].verified = true;
        w->pairs[i].numbers = s->numbers[at++];
    }
    w->asked = 0;
    return STEMMA_OK;
}

stemma_status verify_members(const struct group_verifier *verifier, struct group_members *members,
                             size_t from, stemma_error *err) {
    uint64_t pairs[MEMBERS];
    struct numbers numbers[MEMBERS];
    while (from < members->count) {
        size_t count = members->count - from < MEMBERS ? members->count - from : MEMBERS;
        for (size_t i = 0; i < count; i++)
            pairs[i] = (uint64_t)members->list[from + i].kept << 32 | members->list[from + i].rank;
        TRY(verify_batch(verifier, members, pairs, count, numbers, err));
        for (size_t i = 0; i < count; i++) members->list[from + i].numbers = numbers[i];
        from += count;
    }
    return STEMMA_OK;
}

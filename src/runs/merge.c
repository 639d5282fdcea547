/* A tournament of runs: each inner place of the tree keeps the loser of its match, so the next winner is
 * known after one match per level on the way up from the run whose record was taken. */
#include "runs/merge.h"

#include "base/alloc.h"
#include "runs/record_sort.h"

/* One run that is merged; with nothing left it loses against all others. */
struct source {
    unsigned __int128 head; /* of the record it stands at; the largest number at the end */
    const struct record *at, *end;
    struct run *run;
    struct run_reader *reader;
};

struct merge {
    size_t leaves; /* sources, rounded up to a power of two */
    struct source sources[LEVELS_FAN];
    unsigned losers[LEVELS_FAN]; /* [1 .. leaves - 1] */
    unsigned winner;
    bool unique, started;
    struct record last;
};

_Static_assert((LEVELS_FAN & (LEVELS_FAN - 1)) == 0, "the tournament's places are a power of two");

static stemma_status advance(struct source *source, stemma_error *err) {
    if (source->at == source->end && source->reader) {
        size_t count;
        TRY(run_reader_next(source->reader, &source->at, &count, err));
        source->end = source->at + count;
    }
    source->head = source->at < source->end ? record_number(*source->at) : ~(unsigned __int128)0;
    return STEMMA_OK;
}

static bool wins(const struct merge *m, unsigned a, unsigned b) {
    const struct source *x = &m->sources[a], *y = &m->sources[b];
    return x->head < y->head || (x->head == y->head && x->at < x->end);
}

/* Plays all matches below a place of the tree and returns who comes up. */
static unsigned play(struct merge *m, size_t place) {
    if (place >= m->leaves) return (unsigned)(place - m->leaves);
    unsigned a = play(m, 2 * place), b = play(m, 2 * place + 1);
    bool first = wins(m, a, b);
    m->losers[place] = first ? b : a;
    return first ? a : b;
}

static void replay(struct merge *m) {
    unsigned winner = m->winner;
    for (size_t place = (m->leaves + winner) / 2; place > 0; place /= 2)
        if (wins(m, m->losers[place], winner)) {
            unsigned loser = winner;
            winner = m->losers[place];
            m->losers[place] = loser;
        }
    m->winner = winner;
}

static stemma_status open_source(struct source *source, const struct merge_run *run, uint64_t from,
                                 stemma_error *err) {
    TRY(run_open(&run->place, run->size, &source->run, err));
    TRY(run_reader_new(source->run, &source->reader, err));
    if (from > 0) TRY(run_reader_seek(source->reader, from, err));
    return advance(source, err);
}

stemma_status merge_new(const struct merge_run *runs, size_t count, bool unique, uint64_t from,
                        struct merge **out, stemma_error *err) {
    struct merge *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory(err);
    m->unique = unique;
    m->leaves = 1;
    while (m->leaves < count) m->leaves *= 2;
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < m->leaves && status == STEMMA_OK; i++)
        status = i < count ? open_source(&m->sources[i], &runs[i], from, err) : advance(&m->sources[i], err);
    if (status != STEMMA_OK) {
        merge_free(m);
        return status;
    }
    m->winner = play(m, 1);
    *out = m;
    return STEMMA_OK;
}

stemma_status merge_levels(const struct level_run *runs, size_t count, const char *directory, bool unique,
                           uint64_t from, struct merge **out, stemma_error *err) {
    struct merge_run places[LEVELS_FAN];
    for (size_t i = 0; i < count; i++)
        places[i] = (struct merge_run){
            {.fd = runs[i].fd, .offset = runs[i].offset, .name = directory, .unnamed = true}, runs[i].extent};
    return merge_new(places, count, unique, from, out, err);
}

stemma_status merge_next(struct merge *m, struct record *records, size_t room, size_t *count,
                         stemma_error *err) {
    size_t filled = 0;
    while (filled < room) {
        struct source *source = &m->sources[m->winner];
        if (source->at == source->end) break;
        struct record record = *source->at++;
        TRY(advance(source, err));
        replay(m);
        if (m->unique && m->started && record_number(record) == record_number(m->last)) continue;
        m->started = true;
        m->last = record;
        records[filled++] = record;
    }
    *count = filled;
    return STEMMA_OK;
}

void merge_free(struct merge *m) {
    if (!m) return;
    for (size_t i = 0; i < LEVELS_FAN; i++) {
        run_reader_free(m->sources[i].reader);
        run_close(m->sources[i].run);
    }
    mem_free(m);
}

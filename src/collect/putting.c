/* Rows that were made of documents: each is counted and put. Those that are made while another thread writes
 * a segment wait, so that theirs goes on reading. */
#include "collect/collector.h"

#include <string.h>

/* ---- counting ---- */

bool is_same_document(const struct facts *old, const struct facts *now) {
    return old->state != FACTS_FAILED && !old->no_bits && old->format == now->format &&
           old->way == now->way && memcmp(old->digest, now->digest, sizeof old->digest) == 0;
}

/* What a document is counted as. */
static uint64_t *counter_of(struct collecting *all, const struct facts *old, const struct facts *now) {
    if (!old || old->state == FACTS_FAILED) return &all->counts.added;
    return is_same_document(old, now) ? &all->counts.unchanged : &all->counts.replaced;
}

bool is_again(const struct collecting *all, uint64_t number, const struct facts *old, const struct facts *now,
              bool record) {
    return record && old->path_bytes == now->path_bytes && old->state != FACTS_DATASET &&
           (number >= all->first || is_gone(&all->met, number));
}

/* Instead of an earlier record, which was counted, there is this one. What both are counted as follows from
 * what was there before them. */
static stemma_status recount(struct collecting *all, struct cell id, const struct facts *earlier,
                             const struct facts *now, stemma_error *err) {
    struct facts old;
    struct row row;
    uint64_t number;
    bool found;
    TRY(collection_find(all->before, id.bytes, id.size, &number, &found, err));
    if (found) TRY(collection_record(all->before, number, &row, &found, err));
    if (found) TRY(facts_read(row.facts, &old, err));
    --*counter_of(all, found ? &old : NULL, earlier);
    ++*counter_of(all, found ? &old : NULL, now);
    return STEMMA_OK;
}

/* ---- putting ---- */

/* With the lock held. A record does not count if a later one with its id was put before. */
static stemma_status put_now(struct collecting *all, const struct row *row, const struct facts *facts,
                             bool record, stemma_error *err) {
    struct id_place place;
    struct facts old;
    TRY(collecting_find(all, row->id.bytes, row->id.size, &place, &old, err));
    if (place.found && is_again(all, place.number, &old, facts, record)) {
        all->superseded++;
        if (old.offset >= facts->offset) return STEMMA_OK;
        TRY(recount(all, row->id, &old, facts, err));
    } else {
        ++*counter_of(all, place.found ? &old : NULL, facts);
    }
    TRY(pending_put_at(all->pending, &place, row, facts->bytes, NULL, err));
    all->counts.bytes += facts->bytes;
    return STEMMA_OK;
}

/* ---- waiting ---- */

void waiting_init(struct waiting *w, const struct collection *store) {
    *w = (struct waiting){.schema = collection_schema(store), .most = collection_memory(store) / 4};
    pthread_mutex_init(&w->lock, NULL);
}

static void release_rows(struct waiting_rows *rows) {
    rows_release(&rows->rows);
    buf_release(&rows->records);
}

void waiting_release(struct waiting *w) {
    release_rows(&w->coming);
    release_rows(&w->going);
    pthread_mutex_destroy(&w->lock);
}

/* Whether there was room. */
static bool wait_in_line(struct waiting *w, const struct row *row, bool record) {
    struct waiting_rows *to = &w->coming;
    pthread_mutex_lock(&w->lock);
    const bool room = to->rows.bytes.len < w->most && rows_reserve(&to->rows, w->schema, row) &&
                      buf_add_byte(&to->records, record);
    if (room) rows_add(&to->rows, w->schema, row);
    pthread_mutex_unlock(&w->lock);
    return room;
}

/* With the lock of pending held: whether any has come since. */
static bool take_those_that_came(struct waiting *w) {
    release_rows(&w->going);
    w->gone = 0;
    pthread_mutex_lock(&w->lock);
    w->going = w->coming;
    w->coming = (struct waiting_rows){.rows.first = 0};
    pthread_mutex_unlock(&w->lock);
    return w->going.records.len > 0;
}

stemma_status collecting_put_waiting(struct collecting *all, stemma_error *err) {
    struct waiting *w = &all->waiting;
    while (w->gone < w->going.records.len || take_those_that_came(w)) {
        const size_t at = w->gone++; /* also one that fails: the others may not */
        struct facts facts;
        struct row row;
        rows_get(&w->going.rows, w->schema, at, &row);
        TRY(facts_read(row.facts, &facts, err));
        TRY(put_now(all, &row, &facts, w->going.records.data[at], err));
    }
    return STEMMA_OK;
}

stemma_status collecting_put(struct collecting *all, const struct row *row, const struct facts *facts,
                             bool record, stemma_error *err) {
    pthread_mutex_t *lock = &all->pending->lock;
    if (pthread_mutex_trylock(lock) != 0) {
        if (wait_in_line(&all->waiting, row, record)) return STEMMA_OK;
        pthread_mutex_lock(lock);
    }
    stemma_status status = collecting_put_waiting(all, err);
    if (status == STEMMA_OK) status = put_now(all, row, facts, record, err);
    pthread_mutex_unlock(lock);
    return status;
}

/* Files and data sets that hold documents: whether they have to be read, and, when all inside them was taken,
 * that they need not be the next time. */
#include "collect/collector.h"

#include "base/alloc.h"
#include "collect/removing.h"
#include "collect/unchanged.h"

#include <string.h>

/* ---- before it is read: what is known ---- */

/* How the records of a data set are read, so that it is read again where that is another way. */
static void way_of_reading(const struct collecting *all, uint8_t digest[FACTS_DIGEST]) {
    const stemma_scan_options *o = &all->scan->settings.options;
    struct identity_state state;
    uint8_t sizes[16];
    store_u64(sizes, o->least_bytes);
    store_u64(sizes + 8, o->most_bytes);
    identity_begin(&state, &all->scan->key);
    identity_add(&state, sizes, sizeof sizes);
    if (o->text_field) identity_add(&state, o->text_field, strlen(o->text_field) + 1);
    identity_add(&state, "", 1);
    if (o->id_field) identity_add(&state, o->id_field, strlen(o->id_field) + 1);
    identity_store(identity_end(&state), digest);
}

/* Nothing has to be read. */
static bool is_settled(const struct collecting *all, const struct source *source, const struct facts *facts) {
    uint8_t way[FACTS_DIGEST];
    const bool dataset = source->kind == SOURCE_DATASET;
    if (!is_unchanged(source, facts) || facts->no_bits || facts->way != collecting_way(all)) return false;
    if (dataset != (facts->state == FACTS_DATASET)) return false;
    if (!dataset) return facts->looked_into || all->scan->settings.options.no_archives;
    way_of_reading(all, way);
    return memcmp(way, facts->digest, sizeof way) == 0;
}

static stemma_status count_inside(struct collecting *all, const char *path, size_t most, size_t *count,
                                  stemma_error *err) {
    return collection_count(all->pending->store, all->member_part, path_key(path, strlen(path)), most, count,
                            err);
}

/* Whether the file need not be read: then *inside is how many documents it holds. */
static stemma_status check_settled(struct collecting *all, const struct source *source,
                                   const struct facts *facts, size_t *inside, bool *settled,
                                   stemma_error *err) {
    *settled = is_settled(all, source, facts);
    if (!*settled) return STEMMA_OK;
    TRY(count_inside(all, source->name, SIZE_MAX, inside, err));
    const bool opens = source->kind == SOURCE_DATASET || !all->scan->settings.options.no_archives;
    *settled = *inside == facts->offset || !opens;
    return STEMMA_OK;
}

/* With the lock held. */
static stemma_status look_up_source(struct collecting *all, uint32_t number, bool *wanted,
                                    stemma_error *err) {
    const struct source *source = collecting_source(all, number);
    struct source_state *state = &all->states[number];
    struct facts facts;
    struct id_place place;
    size_t inside;
    bool settled = false;
    TRY(collecting_find(all, source->name, strlen(source->name), &place, &facts, err));
    state->known = place.found;
    if (place.found) TRY(check_settled(all, source, &facts, &inside, &settled, err));
    *wanted = !settled;
    if (settled) {
        all->counts.unchanged += inside + (source->kind == SOURCE_FILE);
    } else if (state->known || source->kind == SOURCE_DATASET) { /* which may have been read in part */
        TRY(count_inside(all, source->name, 1, &inside, err));
        state->holds = inside > 0;
        state->known = state->known || inside > 0;
    }
    return STEMMA_OK;
}

stemma_status collecting_knows_dataset(struct stemma_scan *scan, const struct source *source, bool *known,
                                       bool *is, stemma_error *err) {
    struct collecting *all = scan->taken_for;
    struct facts facts;
    struct id_place place;
    pthread_mutex_lock(&all->pending->lock);
    stemma_status status = collecting_find(all, source->name, strlen(source->name), &place, &facts, err);
    pthread_mutex_unlock(&all->pending->lock);
    TRY(status);
    *known = place.found && is_unchanged(source, &facts);
    *is = *known && facts.state == FACTS_DATASET;
    return STEMMA_OK;
}

stemma_status collecting_take_source(void *taker, uint32_t number, bool *wanted, stemma_error *err) {
    struct collecting *all = ((struct collector *)taker)->all;
    struct source_state *state = &all->states[number];
    *wanted = true;
    if (is_standard_input(collecting_source(all, number))) {
        state->known = true; /* for all that is known, its records are */
        return STEMMA_OK;
    }
    pthread_mutex_lock(&all->pending->lock);
    stemma_status status = look_up_source(all, number, wanted, err);
    pthread_mutex_unlock(&all->pending->lock);
    if (*wanted && collecting_source(all, number)->kind == SOURCE_DATASET) state->holds = true;
    return status;
}

/* ---- when all is read ---- */

/* Data sets have no row of a document: only so that they can be skipped. */
static stemma_status put_dataset(struct collecting *all, const struct source *source, uint64_t inside,
                                 stemma_error *err) {
    uint8_t bytes[FACTS_BYTES];
    struct row row;
    struct collector c = {.all = all};
    const struct document none = {.state = DOCUMENT_CONTAINER};
    c.facts.path_bytes = (uint32_t)strlen(source->name);
    collector_set_facts(&c, source, &none);
    c.facts.state = FACTS_DATASET;
    c.facts.offset = inside;
    way_of_reading(all, c.facts.digest);
    facts_write(&c.facts, bytes);
    row.id = (struct cell){(const uint8_t *)source->name, c.facts.path_bytes};
    row.facts = (struct cell){bytes, sizeof bytes};
    TRY(row_maker_new(collection_schema(all->pending->store), all->recipe, &c.maker, err));
    row_maker_none(c.maker);
    row_maker_give(c.maker, &row);
    stemma_status status = pending_put(all->pending, &row, 0, NULL, err);
    row_maker_free(c.maker);
    return status;
}

static stemma_status settle_container(struct collecting *all, const struct source *source, uint64_t inside,
                                      stemma_error *err) {
    struct facts facts;
    struct id_place place;
    TRY(collecting_find(all, source->name, strlen(source->name), &place, &facts, err));
    if (!place.found || !facts.unsettled || facts.modified > all->settled) return STEMMA_OK;
    facts.unsettled = false;
    facts.offset = inside;
    return collecting_rewrite(all, &place, &facts, err);
}

static stemma_status settle_source(struct collecting *all, uint32_t number, stemma_error *err) {
    const struct source *source = collecting_source(all, number);
    uint64_t left = 0;
    size_t inside;
    TRY(count_inside(all, source->name, SIZE_MAX, &inside, err));
    /* Also where the row of the file was lost, by which it would be known. */
    TRY(remove_inside(all->pending, source->name, strlen(source->name), all->first, &all->met, &left, err));
    all->counts.removed += left;
    return source->kind == SOURCE_DATASET ? put_dataset(all, source, inside - left, err)
                                          : settle_container(all, source, inside - left, err);
}

/* All sources that were listed have been read. What is not known to be complete is left to the next time. */
static stemma_status settle(struct collecting *all, stemma_error *err) {
    size_t holding = 0;
    for (size_t i = 0; i < all->scan->catalogue.source_count; i++) holding += all->states[i].holds;
    if (holding == 0) return STEMMA_OK;
    TRY(pending_commit(all->pending, err));
    for (uint32_t i = 0; i < all->scan->catalogue.source_count; i++)
        if (all->states[i].holds && !all->states[i].failed) TRY(settle_source(all, i, err));
    return STEMMA_OK;
}

/* What was taken by then is put, whatever ended it. */
static stemma_status read_sources(struct collecting *all, stemma_error *err) {
    stemma_error cause;
    const stemma_status status = scan_read_sources(all->scan, err);
    const stemma_status put = collecting_put_waiting(all, &cause);
    return status == STEMMA_OK && put != STEMMA_OK ? fail(err, put, "%s", cause.message) : status;
}

stemma_status collecting_read_listed(struct stemma_scan *scan, stemma_error *err) {
    struct collecting *all = scan->taken_for;
    all->states = mem_zero(scan->catalogue.source_count + 1, sizeof *all->states);
    if (!all->states) return fail_memory(err);
    stemma_status status = read_sources(all, err);
    if (status == STEMMA_OK) status = settle(all, err);
    mem_free(all->states);
    all->states = NULL;
    gone_release(&all->met);
    scan_forget_sources(scan);
    return status;
}

#include "collect/collecting.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "collect/latest.h"
#include "collect/removing.h"
#include "collect/row_maker.h"
#include "collect/unchanged.h"
#include "collect/vanished.h"
#include "index/facts.h"
#include "scan/reading.h"
#include "scan/taker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the collection has of a source. */
struct source_state {
    bool known; /* it, or something inside it */
    bool holds; /* it is read, and documents are inside it, or were */
};

struct collecting {
    struct pending *pending;
    const struct stemma_recipe *recipe;
    struct stemma_scan *scan;
    size_t member_part;
    int64_t settled; /* files that were modified after this are looked at again */
    struct source_state *states;
    /* under the lock of pending */
    stemma_add_summary counts;
    struct gone met;      /* numbers of what is still inside files: bits, since they may be many */
    struct latest latest; /* of the records that were met */
    uint64_t superseded;  /* of those */
    struct worker *texts; /* for documents one by one; NULL: there were none */
    watch_taken *watch;   /* NULL: nobody */
    void *watcher;
    bool dry;
};

/* One worker's. */
struct collector {
    struct collecting *all;
    struct row_maker *maker;
    struct buf id;
    uint64_t key; /* of the id, of a record */
    struct facts facts;
    bool wanted;   /* the row is to be put, */
    bool replaces; /* in place of another */
    bool record;   /* others may have its id */
    bool later;    /* than one that was met before */
    struct {       /* that the last document had: its neighbours in a file have the same */
        bool made;
        uint64_t inode;
        int64_t changed;
        uint32_t is;
    } stamp;
};

static void collector_free(void *taker) {
    struct collector *c = taker;
    if (!c) return;
    row_maker_free(c->maker);
    buf_release(&c->id);
    mem_free(c);
}

static stemma_status collector_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct collector *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    c->all = scan->taken_for;
    stemma_status status =
        row_maker_new(collection_schema(c->all->pending->store), c->all->recipe, &c->maker, err);
    if (status == STEMMA_OK)
        *out = c;
    else
        collector_free(c);
    return status;
}

static const struct source *source_of(const struct collecting *all, uint32_t number) {
    return &all->scan->catalogue.sources[number];
}

/* ---- what is known ---- */

/* With the lock held. */
static stemma_status find_facts(struct collecting *all, const void *id, size_t size, uint64_t *number,
                                struct facts *facts, bool *found, stemma_error *err) {
    struct collection *store = all->pending->store;
    struct row row;
    TRY(collection_find(store, id, size, number, found, err));
    if (*found) TRY(collection_record(store, *number, &row, found, err));
    return *found ? facts_read(row.facts, facts, err) : STEMMA_OK;
}

/* How texts are made. */
static uint32_t text_way(const struct collecting *all) {
    return DOCUMENT_READING << 8 | (uint32_t)all->scan->settings.limits.encoding;
}

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
    if (!is_unchanged(source, facts) || facts->way != text_way(all)) return false;
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

/* With the lock held. */
static stemma_status look_up_source(struct collecting *all, uint32_t number, bool *wanted,
                                    stemma_error *err) {
    const struct source *source = source_of(all, number);
    struct source_state *state = &all->states[number];
    struct facts facts;
    uint64_t row;
    size_t inside;
    TRY(find_facts(all, source->name, strlen(source->name), &row, &facts, &state->known, err));
    *wanted = !state->known || !is_settled(all, source, &facts);
    if (!*wanted) {
        TRY(count_inside(all, source->name, SIZE_MAX, &inside, err));
        all->counts.unchanged += inside + (source->kind == SOURCE_FILE);
    } else if (state->known || source->kind == SOURCE_DATASET) { /* which may have been read in part */
        TRY(count_inside(all, source->name, 1, &inside, err));
        state->holds = inside > 0;
        state->known = state->known || inside > 0;
    }
    return STEMMA_OK;
}

static bool is_standard_input(const struct source *source) {
    return source->kind == SOURCE_DATASET && strcmp(source->name, "-") == 0;
}

static stemma_status take_source(void *taker, uint32_t number, bool *wanted, stemma_error *err) {
    struct collecting *all = ((struct collector *)taker)->all;
    struct source_state *state = &all->states[number];
    *wanted = true;
    if (is_standard_input(source_of(all, number))) {
        state->known = true; /* for all that is known, its records are */
        return STEMMA_OK;
    }
    pthread_mutex_lock(&all->pending->lock);
    stemma_status status = look_up_source(all, number, wanted, err);
    pthread_mutex_unlock(&all->pending->lock);
    if (*wanted && source_of(all, number)->kind == SOURCE_DATASET) state->holds = true;
    return status;
}

/* ---- one document ---- */

/* Whether a record goes by its line, FILE:LINE. */
static bool has_file_name(const char *id, size_t id_size, const char *name, size_t size) {
    return id_size > size && memcmp(id, name, size) == 0 && id[size] == ':';
}

/* The name that a record has comes behind that of the data set, also when it is that of another file; what is
 * inside an archive comes with its whole name. */
static stemma_status name_document(struct collector *c, const struct source *source, const char *id,
                                   size_t id_size, stemma_error *err) {
    const size_t path = strlen(source->name);
    const bool in_file = source->kind != SOURCE_MEMORY && !is_standard_input(source);
    const bool record =
        id && in_file && source->kind == SOURCE_DATASET && !has_file_name(id, id_size, source->name, path);
    bool room = true;
    c->id.len = 0;
    if (!id || record) room = buf_add(&c->id, source->name, path);
    if (record) room = room && buf_add(&c->id, ":", 1);
    if (id) room = room && buf_add(&c->id, id, id_size);
    c->facts.path_bytes = in_file ? (uint32_t)path : 0;
    return room ? STEMMA_OK : fail_memory(err);
}

static uint32_t stamp_of(struct collector *c, const struct source *source) {
    if (!c->stamp.made || c->stamp.inode != source->inode || c->stamp.changed != source->changed) {
        c->stamp.made = true;
        c->stamp.inode = source->inode;
        c->stamp.changed = source->changed;
        c->stamp.is = source_stamp(source);
    }
    return c->stamp.is;
}

static void set_facts(struct collector *c, const struct source *source, const struct document *d) {
    struct collecting *all = c->all;
    const uint32_t path = c->facts.path_bytes;
    c->facts = (struct facts){.state = (enum facts_state)d->state,
                              .format = d->format,
                              .looked_into = path && !all->scan->settings.options.no_archives,
                              .unsettled = path && (source->modified > all->settled || d->holds),
                              .path_bytes = path,
                              .bytes = d->bytes,
                              .way = text_way(all),
                              .offset = d->offset,
                              .record_bytes = d->record_size,
                              .stamp = stamp_of(c, source),
                              .file_bytes = source->size,
                              .modified = source->modified};
    identity_store(d->bytes_identity, c->facts.digest);
}

/* Whether what is written of a document with the same bytes is still true. */
static bool is_same_place(const struct facts *a, const struct facts *b, bool inside) {
    if (a->offset != b->offset || a->record_bytes != b->record_bytes) return false;
    return inside || (a->file_bytes == b->file_bytes && a->modified == b->modified && a->stamp == b->stamp &&
                      a->looked_into == b->looked_into && a->unsettled == b->unsettled);
}

/* With the lock held: the same row with other facts. */
static stemma_status rewrite(struct collecting *all, const struct facts *facts, uint64_t *number,
                             stemma_error *err) {
    uint8_t bytes[FACTS_BYTES];
    struct row row;
    bool found;
    TRY(collection_row(all->pending->store, *number, &row, &found, err));
    facts_write(facts, bytes);
    row.facts = (struct cell){bytes, sizeof bytes};
    return found ? pending_put(all->pending, &row, 0, number, err) : STEMMA_OK;
}

/* ---- records with one id ---- */

static uint64_t *count_of(struct collecting *all, enum outcome outcome) {
    stemma_add_summary *counts = &all->counts;
    return outcome == OUTCOME_ADDED      ? &counts->added
           : outcome == OUTCOME_REPLACED ? &counts->replaced
                                         : &counts->unchanged;
}

/* With the lock held: what became of the document, unless a later record has come meanwhile (*counts). */
static stemma_status conclude(struct collector *c, enum outcome outcome, bool *counts, stemma_error *err) {
    *counts = true;
    if (c->record) {
        struct latest_record *latest = latest_find(&c->all->latest, c->key);
        if (!latest) return fail_memory(err);
        *counts = latest->place == c->facts.offset + 1;
        if (*counts) latest->outcome = outcome;
    }
    *count_of(c->all, outcome) += *counts;
    return STEMMA_OK;
}

/* With the lock held. What an earlier record of the id became is taken back. */
static stemma_status meet(struct collector *c, stemma_error *err) {
    struct collecting *all = c->all;
    struct latest_record *latest = latest_find(&all->latest, c->key);
    if (!latest) return fail_memory(err);
    c->later = latest->place && latest->place < c->facts.offset + 1;
    c->wanted = latest->place < c->facts.offset + 1;
    all->superseded += latest->place != 0;
    if (!c->wanted) return STEMMA_OK;
    if (latest->outcome != OUTCOME_NONE) --*count_of(all, latest->outcome);
    latest->place = c->facts.offset + 1;
    latest->outcome = OUTCOME_NONE;
    return STEMMA_OK;
}

/* ---- what has not changed ---- */

/* With the lock held. */
static stemma_status compare(struct collector *c, stemma_error *err) {
    struct collecting *all = c->all;
    struct facts old;
    uint64_t number;
    bool counts;
    const bool inside = facts_inside(&c->facts, c->id.len);
    TRY(find_facts(all, c->id.data, c->id.len, &number, &old, &c->replaces, err));
    if (c->replaces && !c->later && pending_drops(all->pending, number))
        return STEMMA_OK; /* another came in between */
    if (!c->replaces || old.state == FACTS_FAILED || old.format != c->facts.format ||
        old.way != c->facts.way || memcmp(old.digest, c->facts.digest, sizeof old.digest) != 0)
        return STEMMA_OK;
    c->wanted = false;
    TRY(conclude(c, OUTCOME_UNCHANGED, &counts, err));
    if (c->later || !is_same_place(&old, &c->facts, inside)) {
        c->facts.state = old.state;
        c->facts.text_bytes = old.text_bytes;
        c->facts.shingles = old.shingles;
        memcpy(c->facts.text_digest, old.text_digest, sizeof old.text_digest);
        TRY(rewrite(all, &c->facts, &number, err));
    }
    return inside && !gone_add(&all->met, number) ? fail_memory(err) : STEMMA_OK;
}

/* With the lock held. */
static stemma_status look_up_document(struct collector *c, bool known, stemma_error *err) {
    if (c->record) TRY(meet(c, err));
    return known && c->wanted ? compare(c, err) : STEMMA_OK;
}

static stemma_status take_document(void *taker, const struct document *d, const char *id, size_t id_size,
                                   bool *wanted, stemma_error *err) {
    struct collector *c = taker;
    struct collecting *all = c->all;
    const struct source *source = source_of(all, d->source);
    TRY(name_document(c, source, id, id_size, err));
    set_facts(c, source, d);
    row_maker_none(c->maker);
    if (d->holds && !id) all->states[d->source].holds = true;
    c->replaces = c->later = false;
    c->record = source->kind == SOURCE_DATASET;
    if (c->record) c->key = path_key(c->id.data, c->id.len);
    c->wanted = c->id.len > 0 && c->id.len <= ID_BYTES_MOST;
    if (!c->wanted) {
        stemma_error cause;
        (void)fail(&cause, STEMMA_UNSUPPORTED, "an id of %zu bytes", c->id.len);
        catalogue_add_problem(&all->scan->catalogue, source->name, 0, &cause);
    } else if (c->record || all->states[d->source].known) {
        pthread_mutex_lock(&all->pending->lock);
        stemma_status status = look_up_document(c, all->states[d->source].known, err);
        pthread_mutex_unlock(&all->pending->lock);
        if (status != STEMMA_OK) return status;
    }
    *wanted = c->wanted;
    return STEMMA_OK;
}

static void set_text(struct collector *c, struct identity text, uint64_t size) {
    c->facts.state = FACTS_TEXT;
    c->facts.text_bytes = size;
    c->facts.shingles = (uint32_t)row_maker_shingles(c->maker);
    identity_store(text, c->facts.text_digest);
}

static stemma_status tell(struct collector *c, const uint8_t *text, size_t size, stemma_error *err) {
    const struct collecting *all = c->all;
    const struct taken told = {.id = {c->id.data, c->id.len},
                               .facts = &c->facts,
                               .unchanged = !c->wanted,
                               .text = text,
                               .text_size = size,
                               .minima = row_maker_minima(c->maker),
                               .samples = row_maker_samples(c->maker)};
    return all->watch ? all->watch(all->watcher, &told, err) : STEMMA_OK;
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct collector *c = taker;
    c->facts.state = (enum facts_state)state;
    if (state != DOCUMENT_FAILED) return STEMMA_OK;
    c->facts.unsettled = true;
    if (!buf_add_byte(&c->id, 0)) return fail_memory(err);
    c->id.len--;
    catalogue_add_problem(&c->all->scan->catalogue, (const char *)c->id.data, 0, cause);
    return STEMMA_OK;
}

static stemma_status take_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct collector *c = taker;
    stemma_error cause;
    stemma_status status = row_maker_text(c->maker, reader->whole, text, size, &cause);
    if (status == STEMMA_UNSUPPORTED) {
        row_maker_none(c->maker);
        return take_no_text(c, DOCUMENT_FAILED, &cause, err);
    }
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    set_text(c, identity_of(&c->all->scan->key, text, size), size);
    return tell(c, text, size, err);
}

static struct shingle_sink begin_pieces(void *taker) {
    return row_maker_begin(((struct collector *)taker)->maker);
}

static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct collector *c = taker;
    TRY(row_maker_end(c->maker, err));
    set_text(c, text, size);
    return STEMMA_OK;
}

/* With the lock held. */
static stemma_status put(struct collector *c, stemma_error *err) {
    struct collecting *all = c->all;
    uint8_t bytes[FACTS_BYTES];
    uint64_t number;
    struct row row;
    bool counts;
    TRY(conclude(c, c->replaces ? OUTCOME_REPLACED : OUTCOME_ADDED, &counts, err));
    if (!counts) return STEMMA_OK;
    facts_write(&c->facts, bytes);
    row.id = (struct cell){c->id.data, c->id.len};
    row.facts = (struct cell){bytes, sizeof bytes};
    row_maker_give(c->maker, &row);
    TRY(pending_put(all->pending, &row, c->facts.bytes, &number, err));
    all->counts.bytes += c->facts.bytes;
    if (facts_inside(&c->facts, c->id.len) && !gone_add(&all->met, number)) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status end_document(void *taker, stemma_error *err) {
    struct collector *c = taker;
    if (c->facts.text_bytes == 0 || !c->wanted) TRY(tell(c, NULL, 0, err));
    if (!c->wanted || c->all->dry) return STEMMA_OK;
    pthread_mutex_lock(&c->all->pending->lock);
    stemma_status status = put(c, err);
    pthread_mutex_unlock(&c->all->pending->lock);
    return status;
}

static stemma_status finish(void *taker, stemma_error *err) {
    (void)taker, (void)err;
    return STEMMA_OK;
}

/* ---- files that hold documents ---- */

/* The first problem, of sorted ones, whose name is not below this path with what follows it; NULL: none. */
static const struct problem *problem_from(const struct catalogue *catalogue, const char *path,
                                          const char *behind) {
    const size_t size = strlen(path);
    size_t low = 0, high = catalogue->problem_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *name = catalogue->problems[middle].name;
        const int order = strncmp(name, path, size);
        if (order < 0 || (order == 0 && strcmp(name + size, behind) < 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low < catalogue->problem_count ? &catalogue->problems[low] : NULL;
}

/* Of the file itself, or of what is inside it; a record that is broken is just left out. */
static bool has_problem(const struct collecting *all, const struct source *source) {
    const struct problem *own = problem_from(&all->scan->catalogue, source->name, ""),
                         *inside = problem_from(&all->scan->catalogue, source->name, "!/");
    const size_t size = strlen(source->name);
    if (own && own->line == 0 && strcmp(own->name, source->name) == 0) return true;
    return inside && strncmp(inside->name, source->name, size) == 0 &&
           strncmp(inside->name + size, "!/", 2) == 0;
}

/* Data sets have no row of a document: only so that they can be skipped. */
static stemma_status put_dataset(struct collecting *all, const struct source *source, stemma_error *err) {
    uint8_t bytes[FACTS_BYTES];
    struct row row;
    struct collector c = {.all = all};
    const struct document none = {.state = DOCUMENT_CONTAINER};
    c.facts.path_bytes = (uint32_t)strlen(source->name);
    set_facts(&c, source, &none);
    c.facts.state = FACTS_DATASET;
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

static stemma_status settle_container(struct collecting *all, const struct source *source,
                                      stemma_error *err) {
    struct facts facts;
    uint64_t number;
    bool found;
    TRY(find_facts(all, source->name, strlen(source->name), &number, &facts, &found, err));
    if (!found || !facts.unsettled || facts.modified > all->settled) return STEMMA_OK;
    facts.unsettled = false;
    return rewrite(all, &facts, &number, err);
}

static stemma_status settle_source(struct collecting *all, uint32_t number, stemma_error *err) {
    const struct source *source = source_of(all, number);
    if (all->states[number].known)
        TRY(remove_inside(all->pending, source->name, strlen(source->name), &all->met, &all->counts.removed,
                          err));
    return source->kind == SOURCE_DATASET ? put_dataset(all, source, err)
                                          : settle_container(all, source, err);
}

/* All sources that were listed have been read. What is not known to be complete is left to the next time. */
static stemma_status settle(struct collecting *all, stemma_error *err) {
    size_t holding = 0;
    for (size_t i = 0; i < all->scan->catalogue.source_count; i++) holding += all->states[i].holds;
    if (holding == 0) return STEMMA_OK;
    TRY(pending_commit(all->pending, err));
    catalogue_sort_problems(&all->scan->catalogue);
    for (uint32_t i = 0; i < all->scan->catalogue.source_count; i++)
        if (all->states[i].holds && !has_problem(all, source_of(all, i))) TRY(settle_source(all, i, err));
    return STEMMA_OK;
}

static stemma_status read_listed(struct stemma_scan *scan, stemma_error *err) {
    struct collecting *all = scan->taken_for;
    all->states = mem_zero(scan->catalogue.source_count + 1, sizeof *all->states);
    if (!all->states) return fail_memory(err);
    stemma_status status = scan_read_sources(scan, err);
    if (status == STEMMA_OK) status = settle(all, err);
    mem_free(all->states);
    all->states = NULL;
    gone_release(&all->met);
    latest_clear(&all->latest);
    scan_forget_sources(scan);
    return status;
}

static const struct taker_kind collecting_taker = {.new = collector_new,
                                                   .free = collector_free,
                                                   .listed = read_listed,
                                                   .every_container = true,
                                                   .source = take_source,
                                                   .document = take_document,
                                                   .text = take_text,
                                                   .begin_pieces = begin_pieces,
                                                   .end_pieces = end_pieces,
                                                   .no_text = take_no_text,
                                                   .end = end_document,
                                                   .finish = finish};

/* ---- all of it ---- */

stemma_status collecting_new(struct pending *pending, const struct stemma_recipe *recipe,
                             const struct scan_settings *settings, struct collecting **out,
                             stemma_error *err) {
    const int part = schema_find(collection_schema(pending->store), KIND_MEMBER_KEYS, 0);
    if (part < 0)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' keeps no files", collection_path(pending->store));
    struct collecting *all = mem_zero(1, sizeof *all);
    if (!all) return fail_memory(err);
    *all = (struct collecting){.pending = pending, .recipe = recipe, .member_part = (size_t)part};
    stemma_status status = scan_new(recipe, settings, &all->scan, err);
    if (status != STEMMA_OK) {
        mem_free(all);
        return status;
    }
    all->scan->takers = &collecting_taker;
    all->scan->taken_for = all;
    all->scan->texts.budget = 0; /* nobody asks for texts again */
    identity_key_lasting(&all->scan->key);
    *out = all;
    return STEMMA_OK;
}

void collecting_free(struct collecting *all) {
    if (!all) return;
    if (all->texts) worker_release(all->texts);
    mem_free(all->texts);
    scan_free(all->scan);
    gone_release(&all->met);
    latest_clear(&all->latest);
    mem_free(all->states);
    mem_free(all);
}

const struct problem *collecting_problems(const struct collecting *all, size_t *count) {
    *count = all->scan->catalogue.problem_count;
    return all->scan->catalogue.problems;
}

static stemma_status add_operand(struct collecting *all, const char *path, stemma_error *err) {
    struct stemma_scan *scan = all->scan;
    char room[PATH_MAX];
    const char *full = strcmp(path, "-") == 0 ? NULL : realpath(path, room);
    char *copy = mem_copy_string(full ? full : path); /* what is not there, the listing will say */
    if (!copy ||
        !mem_grow((void **)&scan->operands, &scan->operand_cap, scan->operand_count + 1, sizeof copy)) {
        mem_free(copy);
        return fail_memory(err);
    }
    scan->operands[scan->operand_count++] = copy;
    return STEMMA_OK;
}

static void tell_spared(struct collecting *all, const struct pruned_path *path) {
    stemma_error told;
    if (path->empty)
        (void)fail(&told, STEMMA_NOT_FOUND,
                   "no files were found there, as if a disk were missing: nothing below it was removed");
    else
        (void)fail(
            &told, STEMMA_NOT_FOUND,
            "%llu of the %llu documents below it are not there any more, as if a disk were missing: none "
            "was removed; --prune-all removes them",
            (unsigned long long)path->gone, (unsigned long long)path->below);
    catalogue_add_problem(&all->scan->catalogue, path->path, 0, &told);
    all->counts.spared++;
}

static stemma_status prune_paths(struct collecting *all, bool most, struct pruned_path *paths,
                                 stemma_error *err) {
    struct stemma_scan *scan = all->scan;
    for (size_t i = 0; i < scan->operand_count; i++)
        paths[i] = (struct pruned_path){.path = scan->operands[i], .empty = scan->found.data[i] == 0};
    TRY(pending_commit(all->pending, err));
    TRY(remove_vanished(all->pending, paths, scan->operand_count, most, scan->settings.limits.stop,
                        &all->counts.removed, err));
    for (size_t i = 0; i < scan->operand_count; i++)
        if (paths[i].spared) tell_spared(all, &paths[i]);
    return STEMMA_OK;
}

static stemma_status add_all(struct collecting *all, enum pruning prune, stemma_error *err) {
    struct stemma_scan *scan = all->scan;
    TRY(scan_list(scan, err));
    TRY(read_listed(scan, err));
    if (prune == PRUNE_NOTHING) return STEMMA_OK;
    struct pruned_path *paths = mem_zero(scan->operand_count + 1, sizeof *paths);
    if (!paths) return fail_memory(err);
    stemma_status status = prune_paths(all, prune == PRUNE_ALL, paths, err);
    mem_free(paths);
    return status;
}

/* What was taken by then is not lost, whatever ended it. */
static stemma_status commit_after(struct collecting *all, stemma_status status, stemma_error *err) {
    stemma_error cause;
    const stemma_status committed = pending_commit(all->pending, &cause);
    const bool graver = status == STEMMA_OK || status == STEMMA_INTERRUPTED;
    return committed != STEMMA_OK && graver ? fail(err, committed, "%s", cause.message) : status;
}

stemma_status collecting_add(struct collecting *all, const char *const *paths, size_t count,
                             enum pruning prune, stemma_add_summary *summary, stemma_error *err) {
    const double begin = clock_seconds();
    all->settled = settled_until();
    for (size_t i = 0; i < count; i++) TRY(add_operand(all, paths[i], err));
    stemma_status status = commit_after(all, add_all(all, prune, err), err);
    catalogue_sort_problems(&all->scan->catalogue);
    all->counts.problems = all->scan->catalogue.problem_count;
    all->counts.repeated = all->scan->summary.repeated + all->superseded;
    all->counts.seconds = clock_seconds() - begin;
    *summary = all->counts;
    return status;
}

/* ---- one by one ---- */

void collecting_watch(struct collecting *all, watch_taken *watch, void *context, bool dry) {
    all->watch = watch;
    all->watcher = context;
    all->dry = dry;
}

static stemma_status begin_texts(struct collecting *all, stemma_error *err) {
    const struct source source = {.name = "", .kind = SOURCE_MEMORY, .memory = ""};
    if (all->texts) return STEMMA_OK;
    TRY(catalogue_add_source(&all->scan->catalogue, &source, err));
    all->states = mem_zero(1, sizeof *all->states);
    struct worker *worker = mem_zero(1, sizeof *worker);
    if (!all->states || !worker) {
        mem_free(worker);
        return fail_memory(err);
    }
    all->states[0].known = true;
    all->texts = worker;
    return worker_init(worker, all->scan, err);
}

static stemma_status take_alone(struct collecting *all, const struct source *source, const uint8_t *bytes,
                                stemma_error *err) {
    const struct document place = {0};
    const char *name = source->kind == SOURCE_FILE ? source->name : NULL;
    all->settled = settled_until();
    all->scan->catalogue.sources[0] = *source;
    return worker_take(all->texts, &place, name, NULL, 0, bytes, source->size, CONTAINER_NONE, err);
}

stemma_status collecting_add_text(struct collecting *all, const char *id, const void *data, size_t size,
                                  stemma_error *err) {
    TRY(begin_texts(all, err));
    const struct source source = {.name = id, .kind = SOURCE_MEMORY, .size = size, .memory = data};
    return take_alone(all, &source, data, err);
}

static stemma_status take_file(struct collecting *all, const char *path, stemma_error *err) {
    struct stat info;
    const struct buf *bytes = &all->texts->reader.bytes;
    bool huge;
    TRY(text_reader_read(&all->texts->reader, path, &huge, err));
    if (huge) return fail(err, STEMMA_UNSUPPORTED, "cannot read '%s': it is too large for a stream", path);
    if (stat(path, &info) != 0) return fail(err, STEMMA_NOT_FOUND, "cannot read '%s': it is gone", path);
    const struct source source = {.name = path,
                                  .kind = SOURCE_FILE,
                                  .size = bytes->len,
                                  .modified =
                                      (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
                                  .changed = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec,
                                  .inode = info.st_ino};
    return take_alone(all, &source, bytes->data, err);
}

stemma_status collecting_add_file(struct collecting *all, const char *path, stemma_error *err) {
    TRY(begin_texts(all, err));
    char room[PATH_MAX];
    const char *full = realpath(path, room);
    return take_file(all, full ? full : path, err);
}

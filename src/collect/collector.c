/* One document: what is known already is left alone, of the rest a row is made. */
#include "collect/collector.h"

#include "base/alloc.h"
#include "collect/unchanged.h"

#include <string.h>

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

/* ---- one document ---- */

/* Whether a record goes by its line, FILE:LINE. */
static bool has_file_name(const char *id, size_t id_size, const char *name, size_t size) {
    return id_size > size && memcmp(id, name, size) == 0 && id[size] == ':';
}

/* What has neither name nor file: by its bytes, since its line is that of another the next time. */
static bool name_by_bytes(struct collector *c, const struct document *d) {
    uint8_t digest[FACTS_DIGEST];
    bool room = buf_add(&c->id, "-:", 2);
    identity_store(d->bytes_identity, digest);
    for (size_t i = 0; i < sizeof digest; i++) room = room && buf_add_format(&c->id, "%02x", digest[i]);
    return room;
}

/* The name that a record has comes behind that of the data set, also when it is that of another file; what is
 * inside an archive comes with its whole name. */
static stemma_status name_document(struct collector *c, const struct source *source, const struct document *d,
                                   const char *id, size_t id_size, stemma_error *err) {
    const size_t path = strlen(source->name);
    const bool in_file = source->kind != SOURCE_MEMORY && !is_standard_input(source);
    const bool record =
        id && in_file && source->kind == SOURCE_DATASET && !has_file_name(id, id_size, source->name, path);
    const bool nameless = !in_file && (id ? has_file_name(id, id_size, source->name, path) : path == 0);
    bool room = true;
    c->id.len = 0;
    if (nameless) room = name_by_bytes(c, d);
    if ((!id && !nameless) || record) room = buf_add(&c->id, source->name, path);
    if (record) room = room && buf_add(&c->id, ":", 1);
    if (id && !nameless) room = room && buf_add(&c->id, id, id_size);
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

void collector_set_facts(struct collector *c, const struct source *source, const struct document *d) {
    struct collecting *all = c->all;
    const uint32_t path = c->facts.path_bytes;
    c->facts = (struct facts){.state = (enum facts_state)d->state,
                              .format = d->format,
                              .looked_into = path && !all->scan->settings.options.no_archives,
                              .unsettled = path && (source->modified > all->settled || d->holds),
                              .path_bytes = path,
                              .bytes = d->bytes,
                              .way = collecting_way(all),
                              .offset = d->offset,
                              .record_bytes = d->record_size,
                              .stamp = stamp_of(c, source),
                              .file_bytes = source->size,
                              .modified = source->modified};
    identity_store(d->bytes_identity, c->facts.digest);
}

/* Whether what is written of a document with the same bytes is still true. */
static bool is_same_place(const struct facts *a, const struct facts *b, bool inside) {
    if (a->offset != b->offset || a->record_bytes != b->record_bytes || a->outdated != b->outdated)
        return false;
    return inside || (a->file_bytes == b->file_bytes && a->modified == b->modified && a->stamp == b->stamp &&
                      a->looked_into == b->looked_into && a->unsettled == b->unsettled);
}

/* ---- what is not complete ---- */

static void fail_source(struct collecting *all, uint32_t source) {
    pthread_mutex_lock(&all->pending->lock);
    all->states[source].failed = true;
    pthread_mutex_unlock(&all->pending->lock);
}

/* A record that is broken is just left out, and what is damaged is used. */
static stemma_status take_problem(void *taker, uint32_t source, const char *name, uint64_t line,
                                  const stemma_error *cause, stemma_error *err) {
    (void)name, (void)err;
    if (line == 0 && cause->status != STEMMA_OK) fail_source(((struct collector *)taker)->all, source);
    return STEMMA_OK;
}

/* ---- what has not changed ---- */

/* With the lock held. */
static stemma_status compare(struct collector *c, stemma_error *err) {
    struct collecting *all = c->all;
    struct id_place place;
    struct facts old;
    const bool inside = facts_inside(&c->facts, c->id.len);
    TRY(collecting_find(all, c->id.data, c->id.len, &place, &old, err));
    const bool again = place.found && is_again(all, place.number, &old, &c->facts, c->record);
    c->wanted = !again || old.offset < c->facts.offset;
    if (c->wanted && (!place.found || !is_same_document(&old, &c->facts))) return STEMMA_OK;
    ++*(again ? &all->superseded : &all->counts.unchanged);
    if (!c->wanted) return STEMMA_OK;
    c->wanted = false;
    if (is_same_place(&old, &c->facts, inside))
        return inside && !gone_add(&all->met, place.number) ? fail_memory(err) : STEMMA_OK;
    /* In a stream what is asked next is to find it: a row that is written again is pending, and what it is
     * like was not made anew. `add` writes it again. */
    if (all->dry || all->watch) return STEMMA_OK;
    c->facts.state = old.state;
    c->facts.text_bytes = old.text_bytes;
    c->facts.shingles = old.shingles;
    memcpy(c->facts.text_digest, old.text_digest, sizeof old.text_digest);
    return collecting_rewrite(all, &place, &c->facts, err);
}

static stemma_status take_document(void *taker, const struct document *d, const char *id, size_t id_size,
                                   bool *wanted, stemma_error *err) {
    struct collector *c = taker;
    struct collecting *all = c->all;
    const struct source *source = collecting_source(all, d->source);
    TRY(name_document(c, source, d, id, id_size, err));
    collector_set_facts(c, source, d);
    row_maker_none(c->maker);
    c->source = d->source;
    if (d->holds && !id) all->states[d->source].holds = true;
    c->record = source->kind == SOURCE_DATASET;
    c->wanted = c->id.len > 0 && c->id.len <= ID_BYTES_MOST;
    if (!c->wanted) {
        stemma_error cause;
        (void)fail(&cause, STEMMA_UNSUPPORTED, "an id of %zu bytes", c->id.len);
        catalogue_add_problem(&all->scan->catalogue, source->name, 0, &cause);
        fail_source(all, d->source);
    } else if (all->states[d->source].known || (id && !c->record)) { /* members may outlive its row */
        pthread_mutex_lock(&all->pending->lock);
        stemma_status status = compare(c, err);
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
                               .cause = &c->cause,
                               .unchanged = !c->wanted,
                               .text = text,
                               .text_size = size,
                               .minima = row_maker_minima(c->maker),
                               .samples = row_maker_samples(c->maker)};
    return all->watch ? all->watch(all->watcher, &told, err) : STEMMA_OK;
}

static stemma_status take_damage(void *taker, const stemma_error *cause, stemma_error *err) {
    struct collector *c = taker;
    if (!buf_add_byte(&c->id, 0)) return fail_memory(err);
    c->id.len--;
    catalogue_add_problem(&c->all->scan->catalogue, (const char *)c->id.data, 0, cause);
    return STEMMA_OK;
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct collector *c = taker;
    (void)err;
    c->facts.state = (enum facts_state)state;
    if (state != DOCUMENT_FAILED) return STEMMA_OK;
    c->facts.unsettled = true;
    c->cause = *cause;
    if (!c->record) fail_source(c->all, c->source);
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

static stemma_status take_piece(void *taker, const uint8_t *text, size_t size, stemma_error *err) {
    return row_maker_piece(((struct collector *)taker)->maker, text, size, err);
}

static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct collector *c = taker;
    TRY(row_maker_end(c->maker, err));
    set_text(c, text, size);
    return STEMMA_OK;
}

static stemma_status put(struct collector *c, stemma_error *err) {
    uint8_t bytes[FACTS_BYTES];
    struct row row = {.id = {c->id.data, c->id.len}, .facts = {bytes, sizeof bytes}};
    facts_write(&c->facts, bytes);
    row_maker_give(c->maker, &row);
    return collecting_put(c->all, &row, &c->facts, c->record, err);
}

/* With the lock held: what could not be read is no document. Its last version that could be stays (*kept),
 * marked; rows of older programs that have none go. */
static stemma_status keep_last(struct collector *c, bool *kept, stemma_error *err) {
    struct collecting *all = c->all;
    struct id_place place;
    struct facts old;
    TRY(collecting_find(all, c->id.data, c->id.len, &place, &old, err));
    *kept = place.found && old.state != FACTS_FAILED && old.state != FACTS_DATASET;
    if (all->dry || !place.found || old.state == FACTS_DATASET) return STEMMA_OK;
    if (!*kept) return pending_remove(all->pending, c->id.data, c->id.len, NULL, err);
    if (old.outdated) return gone_add(&all->met, place.number) ? STEMMA_OK : fail_memory(err);
    old.outdated = true;
    return collecting_rewrite(all, &place, &old, err);
}

static stemma_status end_failed(struct collector *c, stemma_error *err) {
    stemma_error told = c->cause;
    bool kept;
    pthread_mutex_lock(&c->all->pending->lock);
    stemma_status status = keep_last(c, &kept, err);
    pthread_mutex_unlock(&c->all->pending->lock);
    if (status != STEMMA_OK) return status;
    if (kept) (void)fail(&told, c->cause.status, "%s; the version before it is kept", c->cause.message);
    return take_damage(c, &told, err);
}

static stemma_status end_document(void *taker, stemma_error *err) {
    struct collector *c = taker;
    if (c->facts.text_bytes == 0 || !c->wanted) TRY(tell(c, NULL, 0, err));
    if (c->wanted && c->facts.state == FACTS_FAILED) return end_failed(c, err);
    return c->wanted && !c->all->dry ? put(c, err) : STEMMA_OK;
}

static stemma_status finish(void *taker, stemma_error *err) {
    (void)taker, (void)err;
    return STEMMA_OK;
}

const struct taker_kind collecting_taker = {.new = collector_new,
                                            .free = collector_free,
                                            .listed = collecting_read_listed,
                                            .dataset = collecting_knows_dataset,
                                            .every_container = true,
                                            .source = collecting_take_source,
                                            .problem = take_problem,
                                            .document = take_document,
                                            .damaged = take_damage,
                                            .text = take_text,
                                            .begin_pieces = begin_pieces,
                                            .piece = take_piece,
                                            .end_pieces = end_pieces,
                                            .no_text = take_no_text,
                                            .end = end_document,
                                            .finish = finish};

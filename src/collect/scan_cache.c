/*
 * A cell is a tag of everything that what is kept follows from besides the bytes (the plan, how files are
 * read), then, of a text, the keys and the samples. A row with another tag is as good as none.
 */
#include "collect/scan_cache.h"

#include "base/alloc.h"
#include "collect/pending.h"
#include "collect/unchanged.h"
#include "collect/vanished.h"
#include "index/facts.h"
#include "index/keys.h"
#include "scan/taker.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { TAG_BYTES = 16 };

struct cache_of_scans {
    struct stemma_scan *scan;
    struct collection *store;
    struct pending pending;
    struct scan_cache given;
    char folder[PATH_MAX]; /* where relative names begin */
    uint8_t tag[TAG_BYTES];
    size_t part, key_bytes;
    int64_t settled;
    /* under the lock of pending */
    struct buf id, cell;
    uint64_t met; /* rows of files that were listed */
    bool damaged;
};

/* All that is in a cache can be made again: the scan goes on without it. */
static void tell_damage(struct stemma_scan *scan, const char *path, const stemma_error *cause) {
    stemma_error told;
    (void)fail(&told, STEMMA_CORRUPT, "%s; the cache is not used until it is deleted", cause->message);
    catalogue_add_problem(&scan->catalogue, path, 0, &told);
}

static stemma_status forgive_damage(struct cache_of_scans *c, stemma_status status, const stemma_error *cause,
                                    stemma_error *err) {
    if (status == STEMMA_OK) return STEMMA_OK;
    if (status != STEMMA_CORRUPT) return fail(err, status, "%s", cause->message);
    tell_damage(c->scan, collection_path(c->store), cause);
    c->damaged = true;
    return STEMMA_OK;
}

/* ---- opening ---- */

static void add_number(struct identity_state *state, uint64_t number) {
    uint8_t bytes[8];
    store_u64(bytes, number);
    identity_add(state, bytes, sizeof bytes);
}

static void make_tag(struct cache_of_scans *c, const struct stemma_scan *scan) {
    const struct key_form form = join_plan_form(&scan->plan);
    const uint64_t numbers[] = {form.minima,
                                form.rows,
                                form.checks,
                                form.sampled,
                                form.modulus,
                                form.coarse,
                                form.seed,
                                DOCUMENT_READING,
                                scan->settings.limits.encoding,
                                scan->settings.options.no_archives};
    struct identity_state state;
    identity_begin(&state, &scan->key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(&state, numbers[i]);
    const struct identity tag = identity_end(&state);
    store_u64(c->tag, tag.low);
    store_u64(c->tag + 8, tag.high);
    c->key_bytes = key_form_bytes(&form);
}

static stemma_status check_store(struct cache_of_scans *c, const char *path, const struct stemma_scan *scan,
                                 stemma_error *err) {
    const struct schema *schema = collection_schema(c->store);
    const int part = schema_find(schema, KIND_SCAN_KEYS, 0);
    struct stemma_recipe *recipe;
    if (part < 0) return fail(err, STEMMA_INVALID, "'%s' is a collection, but no cache of scans", path);
    c->part = (size_t)part;
    TRY(recipe_parse(schema->recipe, strlen(schema->recipe), &recipe, err));
    stemma_status status = view_equal(&recipe->view, &scan->recipe->view, err);
    recipe_release(recipe);
    return status;
}

static stemma_status open_store(struct cache_of_scans *c, const char *path, const struct stemma_scan *scan,
                                stemma_error *err) {
    const struct part part = {.kind = KIND_SCAN_KEYS, .form = FORM_TEXT, .width = 4};
    struct schema schema;
    TRY(schema_init(&schema, scan->recipe->text, err));
    struct collection_options how = {
        .schema = &schema, .who = "stemma scan", .stop = scan->settings.limits.stop};
    stemma_status status = schema_add(&schema, part, err);
    if (status == STEMMA_OK) status = collection_open(path, &how, &c->store, err);
    schema_release(&schema);
    return status;
}

static void cache_free(struct cache_of_scans *c) {
    if (c->store) {
        pending_release(&c->pending);
        collection_close(c->store);
    }
    buf_release(&c->id);
    buf_release(&c->cell);
    mem_free(c);
}

/* ---- finding ---- */

/* With the lock held. */
static stemma_status set_id(struct cache_of_scans *c, const char *name, stemma_error *err) {
    c->id.len = 0;
    bool room = name[0] == '/' || (buf_add_string(&c->id, c->folder) && buf_add(&c->id, "/", 1));
    return room && buf_add_string(&c->id, name) ? STEMMA_OK : fail_memory(err);
}

static struct identity identity_in(const uint8_t digest[FACTS_DIGEST]) {
    return (struct identity){load_u64(digest), load_u64(digest + 8)};
}

static stemma_status unpack(const struct cache_of_scans *c, struct cell cell, uint8_t *keys,
                            struct vec64 *samples, stemma_error *err) {
    const size_t head = TAG_BYTES + c->key_bytes;
    if (cell.size < head) return fail(err, STEMMA_CORRUPT, "the keys of a document are damaged");
    memcpy(keys, cell.bytes + TAG_BYTES, c->key_bytes);
    samples->len = 0;
    return samples_unpack(cell.bytes + head, cell.size - head, samples, err);
}

static stemma_status find_row(struct cache_of_scans *c, const struct source *source, uint8_t *keys,
                              struct vec64 *samples, struct cached *out, bool *found, stemma_error *err) {
    struct facts facts;
    struct cell cell;
    struct row row;
    uint64_t number;
    TRY(set_id(c, source->name, err));
    TRY(collection_find(c->store, c->id.data, c->id.len, &number, found, err));
    if (*found) TRY(collection_record(c->store, number, &row, found, err));
    if (!*found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    *found = is_unchanged(source, &facts);
    if (*found) TRY(collection_cell(c->store, number, c->part, &cell, found, err));
    *found = *found && cell.size >= TAG_BYTES && memcmp(cell.bytes, c->tag, TAG_BYTES) == 0;
    if (!*found) return STEMMA_OK;
    if (facts.state == FACTS_TEXT) TRY(unpack(c, cell, keys, samples, err));
    *out = (struct cached){.bytes_identity = identity_in(facts.digest),
                           .text_identity = identity_in(facts.text_digest),
                           .bytes = facts.bytes,
                           .text_size = facts.text_bytes,
                           .state = (enum document_state)facts.state,
                           .format = facts.format,
                           .shingles = facts.shingles,
                           .keys = keys,
                           .samples = samples};
    return STEMMA_OK;
}

static stemma_status find(void *context, const struct source *source, uint8_t *keys, struct vec64 *samples,
                          struct cached *out, bool *found, stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    stemma_status status = STEMMA_OK;
    *found = false;
    pthread_mutex_lock(&c->pending.lock);
    if (!c->damaged)
        status = forgive_damage(c, find_row(c, source, keys, samples, out, found, &cause), &cause, err);
    *found = *found && !c->damaged;
    c->met += *found;
    pthread_mutex_unlock(&c->pending.lock);
    return status;
}

/* ---- keeping ---- */

static void write_facts(const struct cache_of_scans *c, const struct source *source,
                        const struct cached *known, uint8_t out[FACTS_BYTES]) {
    struct facts facts = {.state = (enum facts_state)known->state,
                          .format = known->format,
                          .unsettled = source->modified > c->settled,
                          .path_bytes = (uint32_t)c->id.len,
                          .bytes = known->bytes,
                          .text_bytes = known->text_size,
                          .shingles = known->shingles,
                          .stamp = source_stamp(source),
                          .file_bytes = source->size,
                          .modified = source->modified};
    store_u64(facts.digest, known->bytes_identity.low);
    store_u64(facts.digest + 8, known->bytes_identity.high);
    store_u64(facts.text_digest, known->text_identity.low);
    store_u64(facts.text_digest + 8, known->text_identity.high);
    facts_write(&facts, out);
}

static stemma_status put_row(struct cache_of_scans *c, const struct source *source,
                             const struct cached *known, stemma_error *err) {
    uint8_t facts[FACTS_BYTES];
    struct row row;
    TRY(set_id(c, source->name, err));
    if (c->id.len > ID_BYTES_MOST) return STEMMA_OK; /* it is read each time */
    c->cell.len = 0;
    if (!buf_add(&c->cell, c->tag, TAG_BYTES)) return fail_memory(err);
    if (known->state == DOCUMENT_TEXT) {
        if (!buf_add(&c->cell, known->keys, c->key_bytes)) return fail_memory(err);
        TRY(samples_pack(known->samples, &c->cell, err));
    }
    write_facts(c, source, known, facts);
    row.id = (struct cell){c->id.data, c->id.len};
    row.facts = (struct cell){facts, sizeof facts};
    row.cells[c->part] = (struct cell){c->cell.data, c->cell.len};
    c->met++;
    return pending_put(&c->pending, &row, known->bytes, NULL, err);
}

static stemma_status keep(void *context, const struct source *source, const struct cached *known,
                          stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    stemma_status status = STEMMA_OK;
    pthread_mutex_lock(&c->pending.lock);
    if (!c->damaged) status = forgive_damage(c, put_row(c, source, known, &cause), &cause, err);
    pthread_mutex_unlock(&c->pending.lock);
    return status;
}

/* ---- the whole ---- */

static stemma_status prepare(struct cache_of_scans *c, const char *path, struct stemma_scan *scan,
                             stemma_error *err) {
    c->scan = scan;
    if (!getcwd(c->folder, sizeof c->folder))
        return fail(err, STEMMA_NOT_FOUND, "the working directory: %s", strerror(errno));
    TRY(open_store(c, path, scan, err));
    pending_init(&c->pending, c->store);
    TRY(check_store(c, path, scan, err));
    identity_key_lasting(&scan->key);
    make_tag(c, scan);
    c->settled = settled_until();
    c->given = (struct scan_cache){.context = c, .find = find, .keep = keep};
    scan->cache = &c->given;
    scan->takers = &cached_taker;
    return STEMMA_OK;
}

stemma_status scan_cache_open(const char *path, struct stemma_scan *scan, struct cache_of_scans **out,
                              stemma_error *err) {
    struct cache_of_scans *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    stemma_error cause;
    stemma_status status = prepare(c, path, scan, &cause);
    *out = status == STEMMA_OK ? c : NULL;
    if (status == STEMMA_OK) return STEMMA_OK;
    cache_free(c);
    if (status != STEMMA_CORRUPT) return fail(err, status, "%s", cause.message);
    tell_damage(scan, path, &cause);
    return STEMMA_OK;
}

/* The paths of the scan as ids begin with them; their names are the caller's. */
static stemma_status list_paths(struct cache_of_scans *c, struct pruned_path *paths, stemma_error *err) {
    for (size_t i = 0; i < c->scan->found.len; i++) {
        TRY(set_id(c, c->scan->operands[i], err));
        if (!buf_add_byte(&c->id, 0)) return fail_memory(err);
        char *name = mem_copy_string((const char *)c->id.data);
        if (!name) return fail_memory(err);
        paths[i] = (struct pruned_path){.path = name, .empty = c->scan->found.data[i] == 0};
    }
    return STEMMA_OK;
}

/* Rows of files that are no longer there. */
static stemma_status forget(struct cache_of_scans *c, stemma_error *err) {
    struct collection_facts about;
    const size_t count = c->scan->found.len;
    uint64_t removed = 0;
    collection_about(c->store, &about);
    if (c->met >= about.documents) return STEMMA_OK;
    struct pruned_path *paths = mem_zero(count + 1, sizeof *paths);
    if (!paths) return fail_memory(err);
    stemma_status status = list_paths(c, paths, err);
    if (status == STEMMA_OK)
        status = remove_vanished(&c->pending, paths, count, c->scan->settings.limits.stop, &removed, err);
    for (size_t i = 0; i < count; i++) mem_free((char *)paths[i].path);
    mem_free(paths);
    return status == STEMMA_OK ? pending_commit(&c->pending, err) : status;
}

stemma_status scan_cache_close(struct cache_of_scans *c, bool whole, stemma_error *err) {
    if (!c) return STEMMA_OK;
    stemma_error cause;
    stemma_status status = c->damaged ? STEMMA_OK : pending_commit(&c->pending, err);
    /* What fails of it is for the next time. */
    if (status == STEMMA_OK && whole && !c->damaged) (void)forget(c, &cause);
    cache_free(c);
    return status;
}

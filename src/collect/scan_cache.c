/*
 * Facts say how the file was read; a row of another way is as good as none. Keys follow from the plan, which
 * thresholds change: the cell of a text has a section for each of the last plans, the newest first: the tag
 * of the plan (8), the size of the document (4), bytes of the rest (4), keys, samples.
 */
#include "collect/scan_cache.h"

#include "base/alloc.h"
#include "collect/known_pairs.h"
#include "collect/pending.h"
#include "collect/recordings.h"
#include "collect/unchanged.h"
#include "collect/vanished.h"
#include "index/facts.h"
#include "index/stored_samples.h"
#include "index/text_column.h"
#include "scan/recording.h"
#include "scan/taker.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { SECTION_HEAD = 16, SECTIONS_MOST = 4 };

struct cache_of_scans {
    struct stemma_scan *scan;
    struct collection *store;
    struct pending pending;
    struct scan_cache given;
    char folder[PATH_MAX]; /* where relative names begin */
    uint64_t tag;
    uint32_t way;
    size_t part, key_bytes;
    int64_t settled;
    /* under the lock of pending */
    struct recordings recordings;
    struct known_pairs pairs;
    struct buf id, cell;
    uint64_t met; /* rows of files that were listed */
    bool busy;    /* another process has it */
    bool given_up;
};

static bool is_forgiven(stemma_status status) {
    return status == STEMMA_CORRUPT || status == STEMMA_NO_SPACE || status == STEMMA_IO;
}

/* All that is in a cache can be made again: the scan goes on without it. */
static void do_without(struct stemma_scan *scan, const stemma_error *cause) {
    (void)fail(&scan->cache_trouble, cause->status, "%s; %s", cause->message,
               cause->status == STEMMA_CORRUPT ? "the cache is not used until it is deleted"
                                               : "this scan did without the cache");
}

static stemma_status forgive(struct cache_of_scans *c, stemma_status status, const stemma_error *cause,
                             stemma_error *err) {
    if (status == STEMMA_OK) return STEMMA_OK;
    if (!is_forgiven(status)) return fail(err, status, "%s", cause->message);
    if (!c->given_up) do_without(c->scan, cause);
    c->given_up = true;
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
    const uint64_t numbers[] = {form.minima,  form.rows,   form.checks, form.sampled,
                                form.modulus, form.coarse, form.seed};
    struct identity_state state;
    identity_begin(&state, &scan->key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(&state, numbers[i]);
    c->tag = identity_end(&state).low;
    c->way = DOCUMENT_READING << 9 | (scan->settings.options.no_archives ? 1U << 8 : 0) |
             (uint32_t)scan->settings.limits.encoding;
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
    stemma_error cause;
    stemma_status status = view_equal(&recipe->view, &scan->recipe->view, &cause);
    recipe_release(recipe);
    return status == STEMMA_OK
               ? STEMMA_OK
               : fail(err, status, "'%s' is the cache of scans with another recipe: %s; name another cache",
                      path, cause.message);
}

static stemma_status open_store(struct cache_of_scans *c, const char *path, const struct stemma_scan *scan,
                                stemma_error *err) {
    const struct part part = {.kind = KIND_SCAN_KEYS, .form = FORM_TEXT, .width = 4};
    struct schema schema;
    TRY(schema_init(&schema, scan->recipe->text, err));
    struct collection_options how = {.schema = &schema,
                                     .who = "stemma scan",
                                     .stop = scan->settings.limits.stop,
                                     .directory = scan->settings.limits.temporary_directory,
                                     .busy = &c->busy};
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
    recordings_release(&c->recordings);
    known_pairs_release(&c->pairs);
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

/* The section at the begin of what is left of a cell, which is then what follows it; false: no more. */
static bool next_section(struct cell *rest, struct cell *section) {
    if (rest->size < SECTION_HEAD) return false;
    const size_t size = load_u32(rest->bytes + 12);
    if (size > rest->size - SECTION_HEAD) return false;
    *section = (struct cell){rest->bytes, SECTION_HEAD + size};
    *rest = (struct cell){rest->bytes + section->size, rest->size - section->size};
    return true;
}

static stemma_status unpack(const struct cache_of_scans *c, struct cell cell, uint8_t *keys,
                            struct vec64 *samples, uint32_t *shingles, bool *found, stemma_error *err) {
    const size_t head = SECTION_HEAD + c->key_bytes;
    struct cell section;
    do {
        *found = next_section(&cell, &section);
    } while (*found && load_u64(section.bytes) != c->tag);
    if (!*found) return STEMMA_OK;
    if (section.size < head) return fail(err, STEMMA_CORRUPT, "the keys of a document are damaged");
    *shingles = load_u32(section.bytes + 8);
    memcpy(keys, section.bytes + SECTION_HEAD, c->key_bytes);
    samples->len = 0;
    return samples_unpack(section.bytes + head, section.size - head, KEY_SAMPLE_BITS, samples, err);
}

/* What is known of a file that has not changed. */
static stemma_status find_cell(struct cache_of_scans *c, const struct source *source, struct facts *facts,
                               struct cell *cell, bool *found, stemma_error *err) {
    struct row row;
    uint64_t number;
    TRY(set_id(c, source->name, err));
    TRY(collection_find(c->store, c->id.data, c->id.len, &number, found, err));
    if (*found) TRY(collection_record(c->store, number, &row, found, err));
    if (!*found) return STEMMA_OK;
    TRY(facts_read(row.facts, facts, err));
    *found = is_unchanged(source, facts) && facts->way == c->way;
    return *found ? collection_cell(c->store, number, c->part, cell, found, err) : STEMMA_OK;
}

static stemma_status find_row(struct cache_of_scans *c, const struct source *source, uint8_t *keys,
                              struct vec64 *samples, struct cached *out, bool *found, stemma_error *err) {
    struct facts facts;
    struct cell cell;
    uint32_t shingles = 0;
    TRY(find_cell(c, source, &facts, &cell, found, err));
    if (*found && facts.state == FACTS_TEXT) TRY(unpack(c, cell, keys, samples, &shingles, found, err));
    if (!*found) return STEMMA_OK;
    *out = (struct cached){.bytes_identity = identity_in(facts.digest),
                           .text_identity = identity_in(facts.text_digest),
                           .bytes = facts.bytes,
                           .text_size = facts.text_bytes,
                           .state = (enum document_state)facts.state,
                           .format = facts.format,
                           .looked_into = facts.looked_into,
                           .shingles = shingles,
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
    if (!c->given_up)
        status = forgive(c, find_row(c, source, keys, samples, out, found, &cause), &cause, err);
    *found = *found && !c->given_up;
    c->met += *found;
    pthread_mutex_unlock(&c->pending.lock);
    return status;
}

/* ---- keeping ---- */

static void write_facts(const struct cache_of_scans *c, const struct source *source,
                        const struct cached *known, uint8_t out[FACTS_BYTES]) {
    struct facts facts = {.state = (enum facts_state)known->state,
                          .format = known->format,
                          .looked_into = known->looked_into,
                          .unsettled = source->modified > c->settled,
                          .path_bytes = (uint32_t)c->id.len,
                          .bytes = known->bytes,
                          .text_bytes = known->text_size,
                          .way = c->way,
                          .shingles = known->shingles,
                          .stamp = source_stamp(source),
                          .file_bytes = source->size,
                          .modified = source->modified};
    identity_store(known->bytes_identity, facts.digest);
    identity_store(known->text_identity, facts.text_digest);
    facts_write(&facts, out);
}

static stemma_status add_section(struct cache_of_scans *c, const struct cached *known, stemma_error *err) {
    uint8_t head[SECTION_HEAD];
    store_u64(head, c->tag);
    store_u32(head + 8, known->shingles);
    if (!buf_add(&c->cell, head, sizeof head) || !buf_add(&c->cell, known->keys, c->key_bytes))
        return fail_memory(err);
    TRY(samples_pack(known->samples, KEY_SAMPLE_BITS, &c->cell, err));
    store_u32(c->cell.data + 12, (uint32_t)(c->cell.len - sizeof head));
    return STEMMA_OK;
}

static stemma_status keep_others(struct cache_of_scans *c, const struct source *source, stemma_error *err) {
    struct facts facts;
    struct cell rest, section;
    bool found;
    TRY(find_cell(c, source, &facts, &rest, &found, err));
    if (!found || facts.state != FACTS_TEXT) return STEMMA_OK;
    for (int left = SECTIONS_MOST - 1; left > 0 && next_section(&rest, &section);) {
        if (load_u64(section.bytes) == c->tag) continue;
        if (!buf_add(&c->cell, section.bytes, section.size)) return fail_memory(err);
        left--;
    }
    return STEMMA_OK;
}

static stemma_status put_row(struct cache_of_scans *c, const struct source *source,
                             const struct cached *known, stemma_error *err) {
    uint8_t facts[FACTS_BYTES];
    struct row row;
    TRY(set_id(c, source->name, err));
    if (c->id.len > ID_BYTES_MOST) return STEMMA_OK; /* it is read each time */
    c->cell.len = 0;
    if (known->state == DOCUMENT_TEXT) {
        TRY(add_section(c, known, err));
        TRY(keep_others(c, source, err));
    }
    if (c->cell.len > TEXT_ROW_BYTES) return STEMMA_OK; /* likewise */
    write_facts(c, source, known, facts);
    row.id = (struct cell){c->id.data, c->id.len};
    row.facts = (struct cell){facts, sizeof facts};
    row.cells[c->part] = (struct cell){c->cell.data, c->cell.len};
    c->met++;
    TRY(pending_put(&c->pending, &row, known->bytes, NULL, err));
    return recordings_drop_old(&c->recordings, row.id, source, err);
}

static stemma_status keep(void *context, const struct source *source, const struct cached *known,
                          stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    stemma_status status = STEMMA_OK;
    pthread_mutex_lock(&c->pending.lock);
    if (!c->given_up) status = forgive(c, put_row(c, source, known, &cause), &cause, err);
    pthread_mutex_unlock(&c->pending.lock);
    return status;
}

static stemma_status all_read(void *context, stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    return c->given_up ? STEMMA_OK : forgive(c, pending_commit(&c->pending, &cause), &cause, err);
}

/* ---- what is inside ---- */

static void add_string(struct identity_state *state, const char *string) {
    add_number(state, string ? strlen(string) + 1 : 0);
    if (string) identity_add(state, string, strlen(string));
}

/* Everything that decides what is found in a file, and how it is called: its name, as it was given, too. */
static struct recording_way way_of(const struct cache_of_scans *c, const struct source *source) {
    const struct scan_settings *settings = &c->scan->settings;
    const stemma_scan_options *o = &settings->options;
    const uint64_t numbers[] = {c->tag,
                                c->way,
                                RECORDING_FORMAT,
                                source->kind,
                                source->kind == SOURCE_DATASET && source->looked,
                                c->scan->document_options.limits.unpacked_most,
                                o->least_bytes,
                                o->most_bytes,
                                settings->limits.converter_seconds,
                                settings->limits.converter_memory};
    struct identity_state state;
    identity_begin(&state, &c->scan->key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_number(&state, numbers[i]);
    add_string(&state, source->name);
    add_string(&state, source->kind == SOURCE_DATASET ? o->text_field : NULL);
    add_string(&state, source->kind == SOURCE_DATASET ? o->id_field : NULL);
    return (struct recording_way){identity_end(&state), c->scan->record_most};
}

/* Standard input is another each time. What was found in a data set is counted on, also when the cache is
 * given up before it is entered; nothing more is written then. */
static bool has_inside(const struct cache_of_scans *c, const struct source *source, bool to_write) {
    return !(to_write && c->given_up) && !(source->kind == SOURCE_DATASET && strcmp(source->name, "-") == 0);
}

/* Takes the lock; false: the cache has nothing to do with it, and the lock is free. */
static bool enter_inside(struct cache_of_scans *c, const struct source *source, bool to_write,
                         stemma_status *status, stemma_error *err) {
    pthread_mutex_lock(&c->pending.lock);
    bool has = has_inside(c, source, to_write);
    *status = has ? set_id(c, source->name, err) : STEMMA_OK;
    if (*status == STEMMA_OK && has) return true;
    pthread_mutex_unlock(&c->pending.lock);
    return false;
}

static stemma_status leave_inside(struct cache_of_scans *c, stemma_status status, const stemma_error *cause,
                                  stemma_error *err) {
    status = forgive(c, status, cause, err);
    pthread_mutex_unlock(&c->pending.lock);
    return status;
}

static struct cell path_of(const struct cache_of_scans *c) {
    return (struct cell){c->id.data, c->id.len};
}

static stemma_status find_inside(void *context, const struct source *source, struct inside_known *out,
                                 bool *found, stemma_error *err) {
    struct cache_of_scans *c = context;
    const struct recording_way way = way_of(c, source);
    stemma_status status;
    stemma_error cause;
    *found = false;
    if (!enter_inside(c, source, false, &status, err)) return status;
    status = recordings_find(&c->recordings, path_of(c), source, &way, out, found, &cause);
    *found = *found && status == STEMMA_OK;
    return leave_inside(c, status, &cause, err);
}

static stemma_status chunk(void *context, const struct source *source, const struct inside_known *known,
                           uint32_t number, struct buf *out, bool *found, stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_status status;
    stemma_error cause;
    *found = false;
    if (!enter_inside(c, source, false, &status, err)) return status;
    status = recordings_chunk(&c->recordings, path_of(c), known, number, out, &cause);
    *found = status == STEMMA_OK;
    return leave_inside(c, status, &cause, err);
}

static void entered(void *context, const struct inside_known *known) {
    struct cache_of_scans *c = context;
    pthread_mutex_lock(&c->pending.lock);
    c->met += known->rows;
    pthread_mutex_unlock(&c->pending.lock);
}

static stemma_status begin(void *context, const struct source *source, const struct inside_known *unfinished,
                           bool *taken, stemma_error *err) {
    struct cache_of_scans *c = context;
    const struct recording_way way = way_of(c, source);
    stemma_status status;
    stemma_error cause;
    *taken = false;
    if (!enter_inside(c, source, true, &status, err)) return status;
    status = recordings_begin(&c->recordings, path_of(c), source, &way, unfinished, taken, &cause);
    *taken = *taken && status == STEMMA_OK;
    return leave_inside(c, status, &cause, err);
}

static stemma_status add(void *context, const struct source *source, const struct buf *bytes,
                         uint64_t documents, stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_status status;
    stemma_error cause;
    if (!enter_inside(c, source, true, &status, err)) return status;
    status = recordings_add(&c->recordings, path_of(c), source, bytes, documents, &cause);
    return leave_inside(c, status, &cause, err);
}

static stemma_status end(void *context, const struct source *source, const struct inside_taken *how,
                         stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_status status;
    stemma_error cause;
    uint64_t rows = 0;
    if (!enter_inside(c, source, true, &status, err)) return status;
    status = recordings_end(&c->recordings, path_of(c), source, how, &rows, &cause);
    c->met += rows;
    return leave_inside(c, status, &cause, err);
}

/* ---- what was compared ---- */

static stemma_status find_numbers(void *context, struct identity pair, struct numbers *out, bool *found,
                                  stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    *found = false;
    if (c->given_up) return STEMMA_OK;
    stemma_status status = known_pairs_find(&c->pairs, pair, out, found, &cause);
    return forgive(c, status, &cause, err);
}

static stemma_status keep_numbers(void *context, struct identity pair, const struct numbers *numbers,
                                  stemma_error *err) {
    struct cache_of_scans *c = context;
    stemma_error cause;
    if (c->given_up) return STEMMA_OK;
    return forgive(c, known_pairs_add(&c->pairs, pair, numbers, &cause), &cause, err);
}

/* ---- the whole ---- */

/* Of what the scan may take; the table is as large as this while it grows. */
enum { PAIRS_PART = 64 };

static size_t pairs_most(const struct stemma_scan *scan) {
    const size_t most = scan->settings.limits.memory / PAIRS_PART / sizeof(struct known_pair);
    return most < UINT32_MAX / 4 ? most : UINT32_MAX / 4;
}

static stemma_status prepare(struct cache_of_scans *c, const char *path, struct stemma_scan *scan,
                             stemma_error *err) {
    c->scan = scan;
    if (!getcwd(c->folder, sizeof c->folder))
        return fail(err, STEMMA_NOT_FOUND, "the working directory: %s", strerror(errno));
    TRY(open_store(c, path, scan, err));
    pending_init(&c->pending, c->store);
    c->pending.often = true;
    TRY(check_store(c, path, scan, err));
    identity_key_lasting(&scan->key);
    make_tag(c, scan);
    c->settled = settled_until();
    c->recordings = (struct recordings){.pending = &c->pending, .part = c->part, .settled = c->settled};
    c->given = (struct scan_cache){.context = c,
                                   .find = find,
                                   .keep = keep,
                                   .find_inside = find_inside,
                                   .chunk = chunk,
                                   .entered = entered,
                                   .begin = begin,
                                   .add = add,
                                   .end = end,
                                   .all_read = all_read,
                                   .find_numbers = find_numbers,
                                   .keep_numbers = keep_numbers};
    c->pairs = (struct known_pairs){.pending = &c->pending, .part = c->part, .most = pairs_most(scan)};
    scan->cache = &c->given;
    scan->settings.store = collection_path(c->store);
    scan->takers = &cached_taker;
    return STEMMA_OK;
}

stemma_status scan_cache_open(const char *path, struct stemma_scan *scan, struct cache_of_scans **out,
                              stemma_error *err) {
    struct cache_of_scans *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    stemma_error cause;
    stemma_status status = prepare(c, path, scan, &cause);
    bool forgiven = is_forgiven(status) || c->busy;
    *out = status == STEMMA_OK ? c : NULL;
    if (status == STEMMA_OK) return STEMMA_OK;
    cache_free(c);
    if (!forgiven) return fail(err, status, "%s", cause.message);
    do_without(scan, &cause);
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
        status =
            remove_vanished(&c->pending, paths, count, true, c->scan->settings.limits.stop, &removed, err);
    for (size_t i = 0; i < count; i++) mem_free((char *)paths[i].path);
    mem_free(paths);
    return status == STEMMA_OK ? pending_commit(&c->pending, err) : status;
}

stemma_status scan_cache_close(struct cache_of_scans *c, bool whole, stemma_error *err) {
    if (!c) return STEMMA_OK;
    stemma_error cause;
    stemma_status status = STEMMA_OK;
    if (!c->given_up) status = known_pairs_store(&c->pairs, &cause);
    if (!c->given_up && status == STEMMA_OK) status = pending_commit(&c->pending, &cause);
    c->met += c->pairs.rows;
    status = forgive(c, status, &cause, err);
    /* What fails of it is for the next time. */
    if (status == STEMMA_OK && whole && !c->given_up) (void)forget(c, &cause);
    cache_free(c);
    return status;
}

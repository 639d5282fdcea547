#include "collect/collector.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "collect/unchanged.h"
#include "collect/vanished.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what its parts share ---- */

const struct source *collecting_source(const struct collecting *all, uint32_t number) {
    return &all->scan->catalogue.sources[number];
}

bool is_standard_input(const struct source *source) {
    return source->kind == SOURCE_DATASET && strcmp(source->name, "-") == 0;
}

uint32_t collecting_way(const struct collecting *all) {
    return DOCUMENT_READING << 8 | (uint32_t)all->scan->settings.limits.encoding;
}

stemma_status collecting_find(struct collecting *all, const void *id, size_t size, struct id_place *place,
                              struct facts *facts, stemma_error *err) {
    struct row row;
    TRY(pending_find(all->pending, id, size, place, err));
    if (!place->found) return STEMMA_OK;
    TRY(pending_record(all->pending, place, &row, err));
    return facts_read(row.facts, facts, err);
}

stemma_status collecting_rewrite(struct collecting *all, const struct id_place *place,
                                 const struct facts *facts, stemma_error *err) {
    uint8_t bytes[FACTS_BYTES];
    struct row row;
    TRY(pending_row(all->pending, place, &row, err));
    facts_write(facts, bytes);
    row.facts = (struct cell){bytes, sizeof bytes};
    return pending_put_at(all->pending, place, &row, 0, NULL, err);
}

/* ---- all of it ---- */

stemma_status collecting_new(struct pending *pending, const struct stemma_recipe *recipe,
                             const struct scan_settings *settings, struct collecting **out,
                             stemma_error *err) {
    const int part = schema_find(collection_schema(pending->store), KIND_MEMBER_KEYS, 0);
    if (part < 0) return fail_not_kept(pending->store, "documents", err);
    struct collecting *all = mem_zero(1, sizeof *all);
    if (!all) return fail_memory(err);
    *all = (struct collecting){.pending = pending, .recipe = recipe, .member_part = (size_t)part};
    stemma_status status = scan_new(recipe, settings, &all->scan, err);
    if (status != STEMMA_OK) {
        mem_free(all);
        return status;
    }
    waiting_init(&all->waiting, pending->store);
    all->scan->takers = &collecting_taker;
    all->scan->taken_for = all;
    all->scan->texts.budget = 0; /* nobody asks for texts again */
    all->scan->catalogue.problems.most = PROBLEMS_MOST;
    identity_key_lasting(&all->scan->key);
    *out = all;
    return STEMMA_OK;
}

void collecting_free(struct collecting *all) {
    if (!all) return;
    if (all->texts) worker_release(all->texts);
    mem_free(all->texts);
    scan_free(all->scan);
    collection_close(all->before);
    gone_release(&all->met);
    waiting_release(&all->waiting);
    mem_free(all->states);
    mem_free(all);
}

struct problems *collecting_problems(struct collecting *all) {
    return &all->scan->catalogue.problems;
}

static stemma_status add_operand(struct collecting *all, const char *path, stemma_error *err) {
    char room[PATH_MAX];
    const char *full = strcmp(path, "-") == 0 ? NULL : realpath(path, room);
    return scan_add_path(all->scan, full ? full : path, err); /* what is not there, the listing will say */
}

static void tell_spared(struct collecting *all, const struct pruned_path *path) {
    stemma_error told;
    if (path->empty)
        (void)fail(&told, STEMMA_NOT_FOUND,
                   "no files were found in '%s', as if a disk were missing: nothing below it was removed; "
                   "'stemma remove' with this path removes it",
                   path->path);
    else
        (void)fail(
            &told, STEMMA_NOT_FOUND,
            "%llu of the %llu documents below '%s' are not there any more, as if a disk were missing: none "
            "was removed; --prune-all removes them",
            (unsigned long long)path->gone, (unsigned long long)path->below, path->path);
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

/* What is committed from here on is of this adding. */
static stemma_status begin_add(struct collecting *all, stemma_error *err) {
    struct collection_facts facts;
    TRY(pending_commit(all->pending, err));
    collection_about(all->pending->store, &facts);
    all->first = facts.next_number;
    all->met.directory = collection_directory(all->pending->store);
    return collection_twin(all->pending->store, &all->before, err);
}

static stemma_status add_all(struct collecting *all, enum pruning prune, stemma_error *err) {
    struct stemma_scan *scan = all->scan;
    TRY(begin_add(all, err));
    TRY(scan_list(scan, err));
    TRY(collecting_read_listed(scan, err));
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
    all->pending->often = true;
    stemma_status status = commit_after(all, add_all(all, prune, err), err);
    const stemma_status sorted = problems_sort(collecting_problems(all), status == STEMMA_OK ? err : NULL);
    if (status == STEMMA_OK) status = sorted;
    all->pending->often = false;
    collection_close(all->before);
    all->before = NULL;
    all->counts.problems = collecting_problems(all)->count;
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

/* Commits: a manifest in place of another, and what follows from it: files that no one names, segments to
 * merge. */
#include "index/state.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/levels.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FAN = 4,            /* segments of one size: more means fewer merges, and more to ask in */
    SMALL = 512,        /* documents: segments below count as one of so many */
    SEGMENTS_SOME = 64, /* above, the last ones are merged whatever their size: descriptors are few */
    GONE_SHARE = 5      /* a segment of which one in so many is gone is written again */
};

struct file_name name_of_file(const struct segment_file *file) {
    return (struct file_name){file->serial, file->size, file->checksum};
}

/* ---- files that no commit names ---- */

bool is_named(const struct manifest *m, uint64_t serial, bool segment) {
    if (!segment) return m->gone.serial == serial;
    for (size_t i = 0; i < m->count; i++)
        if (m->files[i].serial == serial) return true;
    return false;
}

static bool is_unnamed(const struct manifest *m, const char *name) {
    char *end;
    if (!strcmp(name, "manifest.new")) return true;
    if (!isdigit((unsigned char)*name)) return false;
    uint64_t serial = strtoull(name, &end, 10);
    bool segment = !strcmp(end, ".segment");
    return end - name >= 8 && (segment || !strcmp(end, ".gone")) && !is_named(m, serial, segment);
}

void unlink_unnamed(struct collection *c) {
    if (c->ahead) return; /* the manifest on disk names others */
    DIR *folder = open_listing(c->folder);
    const struct dirent *entry;
    if (!folder) return; /* the next writer sees to it */
    while ((entry = readdir(folder)))
        if (is_unnamed(&c->state.manifest, entry->d_name)) c->disk->unlink(c->disk, c->folder, entry->d_name);
    closedir(folder);
}

/* ---- the commit ---- */

stemma_status check_sure(const struct collection *c, stemma_error *err) {
    if (!c->unsure) return STEMMA_OK;
    return fail(err, STEMMA_IO, "'%s' has to be opened again: whether the last commit is kept is not known",
                c->path);
}

uint64_t next_commit(const struct collection *c) {
    return c->state.manifest.commit + !c->ahead;
}

stemma_status commit_only(struct collection *c, struct manifest *manifest, stemma_error *err) {
    struct state state;
    bool named = false;
    manifest->format = MANIFEST_FORMAT;
    manifest->commit = next_commit(c);
    manifest->committed = clock_time();
    manifest->next_serial = c->next_serial ? c->next_serial : 1;
    stemma_status status = state_open(c, manifest, &c->state, &state, err);
    if (status != STEMMA_OK) {
        manifest_release(manifest);
        return status;
    }
    if (!c->holding) status = manifest_replace(&state.manifest, c->disk, c->folder, c->path, &named, err);
    if (status == STEMMA_OK) {
        state_replace(c, &state);
        c->ahead = c->holding;
        return STEMMA_OK;
    }
    if (named) c->unsure = true; /* nothing more is written before the manifest is read again */
    state_release(&state);
    return status;
}

stemma_status commit_manifest(struct collection *c, struct manifest *manifest, stemma_error *err) {
    TRY(commit_only(c, manifest, err));
    unlink_unnamed(c);
    return STEMMA_OK;
}

/* ---- several as one ---- */

void collection_hold_back(struct collection *c) {
    c->holding = true;
}

void collection_let_go(struct collection *c) {
    c->holding = false;
}

stemma_status collection_catch_up(struct collection *c, stemma_error *err) {
    struct manifest m;
    if (!c->ahead) return STEMMA_OK;
    TRY(manifest_copy(&m, &c->state.manifest, err));
    return commit_manifest(c, &m, err);
}

void collection_go_back(struct collection *c) {
    c->holding = false;
    if (!c->ahead || c->unsure) return;
    c->ahead = false;
    if (collection_load(c, NULL) == STEMMA_OK)
        unlink_unnamed(c);
    else
        c->unsure = true;
}

/* ---- merging ---- */

/* Segments that become one. */
struct due {
    size_t first, count;
};

static bool can_merge(const struct collection *c, const struct segment *segment) {
    for (size_t i = 0; i < c->unmergeable.len; i++)
        if (c->unmergeable.data[i] == segment->files[0]->serial) return false;
    return true;
}

static uint64_t weight_of(const struct segment *segment) {
    return segment->rows < SMALL ? SMALL : segment->rows;
}

/* The last ones, as many as together are nearly FAN times the longest of them: so the segment of a document
 * becomes that many times as long each time that it is written again. */
static struct due due_by_size(const struct collection *c, uint64_t most) {
    const struct state *state = &c->state;
    uint64_t rows = 0, longest = 0, all = 0;
    size_t due = 0, some = 0;
    while (some < state->count && some < LEVELS_FAN) {
        const struct segment *segment = state->segments[state->count - 1 - some];
        rows += segment->rows;
        if (rows > most || !can_merge(c, segment)) break;
        if (weight_of(segment) > longest) longest = weight_of(segment);
        all += weight_of(segment);
        some++;
        if (all * 2 >= longest * (2 * FAN - 1)) due = some;
    }
    if (due == 0 && state->count > SEGMENTS_SOME && some > 1) due = some;
    return (struct due){state->count - due, due};
}

uint64_t gone_in(const struct state *state, const struct segment *segment) {
    uint64_t count = 0, number;
    for (uint64_t from = segment->base; gone_next(&state->gone, from, &number) && number < segment->limit;
         from = number + 1)
        count++;
    return count;
}

/* The first of at most so many documents. */
static struct due due_by_loss(const struct collection *c, uint64_t most) {
    const struct state *state = &c->state;
    for (size_t i = 0; i < state->count && state->gone.total; i++) {
        const struct segment *segment = state->segments[i];
        if (segment->rows <= most && can_merge(c, segment) &&
            gone_in(state, segment) * GONE_SHARE > segment->rows)
            return (struct due){i, 1};
    }
    return (struct due){0, 0};
}

static bool files_of(const struct segment *s, struct manifest *m) {
    for (size_t f = 0; f < s->file_count; f++)
        if (!manifest_add_file(m, m->count, name_of_file(s->files[f]))) return false;
    return true;
}

/* The manifest with one file instead of those of some segments; a file without documents is none. */
static bool name_merged(const struct state *state, struct due due, const struct segment_file *merged,
                        struct manifest *m) {
    m->count = 0;
    for (size_t i = 0; i < due.first; i++)
        if (!files_of(state->segments[i], m)) return false;
    if (merged->documents && !manifest_add_file(m, m->count, name_of_file(merged))) return false;
    for (size_t i = due.first + due.count; i < state->count; i++)
        if (!files_of(state->segments[i], m)) return false;
    return true;
}

/* What is gone from the merged segments is in none any more. */
static stemma_status forget_gone(struct collection *c, struct due due, struct manifest *m,
                                 stemma_error *err) {
    struct gone left;
    uint64_t number, from = c->state.segments[due.first]->base;
    uint64_t limit = c->state.segments[due.first + due.count - 1]->limit;
    if (!gone_next(&c->state.gone, from, &number) || number >= limit) return STEMMA_OK;
    if (!gone_copy(&left, &c->state.gone)) return fail_memory(err);
    stemma_status status = gone_drop(&left, from, limit)
                               ? write_gone(c, &left, c->next_serial++, &m->gone, err)
                               : fail_memory(err);
    gone_release(&left);
    return status;
}

static stemma_status commit_merged(struct collection *c, struct due due, const struct segment_file *merged,
                                   stemma_error *err) {
    struct manifest m;
    TRY(manifest_copy(&m, &c->state.manifest, err));
    stemma_status status = name_merged(&c->state, due, merged, &m) ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) status = forget_gone(c, due, &m, err);
    if (status == STEMMA_OK) return commit_manifest(c, &m, err);
    manifest_release(&m);
    return status;
}

static stemma_status merge_segments(struct collection *c, struct due due, stemma_error *err) {
    struct draft draft;
    struct segment_file *merged = NULL;
    TRY(draft_open(c, parts_of_documents(c), &draft, err));
    stemma_status status =
        write_merged(c, c->state.segments + due.first, due.count, &c->state.gone, &draft, err);
    if (status != STEMMA_OK) {
        draft_abandon(c, &draft);
        return status;
    }
    TRY(draft_finish(c, &draft, &merged, err));
    status = commit_merged(c, due, merged, err);
    segment_file_close(merged);
    if (status != STEMMA_OK && !c->unsure) unlink_unnamed(c);
    return status;
}

/* Damage stays: those that have it would fail again after each commit, and keep others from their turn. */
static stemma_status leave_unmerged(struct collection *c, struct due due, stemma_error *err) {
    for (size_t i = 0; i < due.count; i++)
        if (!vec64_add(&c->unmergeable, c->state.segments[due.first + i]->files[0]->serial))
            return fail_memory(err);
    return STEMMA_OK;
}

static uint64_t rows_of(const struct state *state, struct due due) {
    uint64_t rows = 0;
    for (size_t i = 0; i < due.count; i++) rows += state->segments[due.first + i]->rows;
    return rows;
}

/* Of at most so many documents: a merge that has to wait keeps no smaller one from its turn. */
static struct due next_due(const struct collection *c, uint64_t most) {
    struct due due = due_by_size(c, most);
    return due.count ? due : due_by_loss(c, most);
}

size_t collection_due(const struct collection *c) {
    return next_due(c, UINT64_MAX).count;
}

/* Documents that may still be written again when so many were. Too many segments cannot wait: there would be
 * no descriptors to open them. */
static uint64_t merge_left(const struct collection *c, uint64_t rows) {
    if (c->merge_most == 0 || c->state.count > SEGMENTS_SOME) return UINT64_MAX;
    return c->merge_most > rows ? c->merge_most - rows : 0;
}

stemma_status settle_some(struct collection *c, stemma_error *err) {
    uint64_t rows = 0;
    for (;;) {
        struct due due = next_due(c, merge_left(c, rows));
        if (due.count == 0) return STEMMA_OK;
        rows += rows_of(&c->state, due);
        TRY(check_sure(c, err));
        TRY(check_stop(c->stop, err));
        stemma_status status = merge_segments(c, due, err);
        TRY(status == STEMMA_CORRUPT ? leave_unmerged(c, due, err) : status);
    }
}

/* A batch has segments of its own by the schema and what is gone as they were when it began. */
static stemma_status check_idle(const struct collection *c, stemma_error *err) {
    TRY(check_sure(c, err));
    if (!c->in_batch) return STEMMA_OK;
    return fail(err, STEMMA_INVALID, "'%s' cannot be changed here: a batch is not done", c->path);
}

void collection_bound_merges(struct collection *c, uint64_t documents) {
    c->merge_most = documents;
}

stemma_status collection_settle(struct collection *c, stemma_error *err) {
    const uint64_t most = c->merge_most;
    TRY(check_idle(c, err));
    c->merge_most = 0;
    stemma_status status = settle_some(c, err);
    c->merge_most = most;
    return status;
}

stemma_status collection_compact(struct collection *c, stemma_error *err) {
    TRY(check_idle(c, err));
    while (c->state.count > 1) {
        size_t count = c->state.count < LEVELS_FAN ? c->state.count : LEVELS_FAN;
        TRY(merge_segments(c, (struct due){c->state.count - count, count}, err));
    }
    bool further = c->state.count && c->state.segments[0]->file_count > 1;
    if (c->state.gone.total || further) TRY(merge_segments(c, (struct due){0, 1}, err));
    return STEMMA_OK;
}

/* ---- parts ---- */

/* Parts of the new schema that documents do not have yet: those from `first` on. */
struct further {
    size_t first, given, lookups;
    make_cell *make;
    void *context;
};

static stemma_status change_schema(const struct collection *c, struct schema *schema, const struct part *drop,
                                   size_t drops, const struct part *add, size_t adds, struct further *further,
                                   stemma_error *err) {
    for (size_t i = 0; i < drops; i++) {
        int part = schema_find(schema, drop[i].kind, drop[i].spec);
        if (part < 0) return fail(err, STEMMA_NOT_FOUND, "'%s' has no such part", c->path);
        struct part *at = schema->parts + part;
        memmove(at, at + 1, (schema->count - (size_t)part - 1) * sizeof *at);
        schema->count--;
    }
    further->first = schema->count;
    for (size_t i = 0; i < adds; i++) {
        TRY(schema_add(schema, add[i], err));
        *(add[i].form == FORM_LOOKUP ? &further->lookups : &further->given) += 1;
    }
    if (further->given && !further->make)
        return fail(err, STEMMA_INVALID, "nothing makes the rows of a new part");
    return STEMMA_OK;
}

/* A file of further parts, made from a segment, behind those of another of the same documents. */
static stemma_status add_file(struct collection *c, const struct schema *schema,
                              const struct further *further, bool lookups, struct segment *from,
                              struct segment *to, stemma_error *err) {
    struct draft draft;
    struct segment_file *file = NULL;
    TRY(draft_open(c, lookups ? further->lookups : further->given, &draft, err));
    stemma_status status =
        write_further(c, schema, from, further->first, lookups, further->make, further->context, &draft, err);
    if (status != STEMMA_OK) {
        draft_abandon(c, &draft);
        return status;
    }
    TRY(draft_finish(c, &draft, &file, err));
    status = segment_add_file(to, file, err);
    segment_file_close(file);
    return status;
}

/* A segment as the new schema has it. What is given is made of its rows as they are; then keys of that. */
static stemma_status add_further(struct collection *c, struct manifest *m, const struct further *further,
                                 struct segment *old, stemma_error *err) {
    struct segment *now;
    TRY(segment_new(old->files[0], m->schema, &now, err));
    stemma_status status = STEMMA_OK;
    for (size_t f = 1; f < old->file_count && status == STEMMA_OK; f++)
        status = segment_add_file(now, old->files[f], err);
    if (status == STEMMA_OK && further->given) status = add_file(c, m->schema, further, false, old, now, err);
    if (status == STEMMA_OK && further->lookups)
        status = add_file(c, m->schema, further, true, now, now, err);
    if (status == STEMMA_OK && !files_of(now, m)) status = fail_memory(err);
    segment_free(now);
    return status;
}

/* A segment that has no room for two more files becomes one file first. */
static stemma_status make_room(struct collection *c, stemma_error *err) {
    for (size_t s = 0; s < c->state.count;)
        if (c->state.segments[s]->file_count + 2 > FILES_OF_SEGMENT)
            TRY(merge_segments(c, (struct due){s, 1}, err));
        else
            s++;
    return STEMMA_OK;
}

stemma_status collection_change_parts(struct collection *c, const struct part *drop, size_t drops,
                                      const struct part *add, size_t adds, make_cell *make, void *context,
                                      stemma_error *err) {
    struct manifest m;
    struct further further = {.make = make, .context = context};
    TRY(check_idle(c, err));
    if (adds) TRY(make_room(c, err));
    TRY(manifest_copy(&m, &c->state.manifest, err));
    stemma_status status = change_schema(c, m.schema, drop, drops, add, adds, &further, err);
    m.count = 0;
    for (size_t s = 0; s < c->state.count && status == STEMMA_OK; s++)
        status = add_further(c, &m, &further, c->state.segments[s], err);
    if (status == STEMMA_OK)
        status = commit_manifest(c, &m, err);
    else
        manifest_release(&m);
    if (status != STEMMA_OK && !c->unsure) unlink_unnamed(c);
    return status;
}

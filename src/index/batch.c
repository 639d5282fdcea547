/* A batch: documents that come and go, until one commit makes it so. */
#include "index/state.h"

#include "base/alloc.h"
#include "base/levels.h"

#include <string.h>

/* Which row of the batch has an id, by its hash. */
struct id_entry {
    uint64_t hash;
    size_t row; /* and 1; 0: free */
};

enum { LEVELS = 8 }; /* 16^8 segments are more than there can be */

struct batch {
    struct collection *c;
    struct stored_rows rows; /* not in a file yet */
    struct stored_rows held; /* one, for batch_row */
    struct vec64 hashes;     /* of their ids */
    struct id_entry *ids;    /* of these; a power of two */
    size_t ids_room;
    struct gone gone;
    struct segment **segments; /* that are written, and not named yet */
    size_t count, cap;
    size_t of_level[LEVELS]; /* how many of them were merged so often; falling */
    uint64_t removed;        /* documents that counted before */
    size_t put;
    bool changed, failed;
};

stemma_status batch_new(struct collection *c, struct batch **out, stemma_error *err) {
    TRY(check_sure(c, err));
    if (c->lock < 0 || c->in_batch)
        return fail(err, STEMMA_INVALID, "'%s' cannot be written here: %s", c->path,
                    c->lock < 0 ? "it was opened for reading" : "another batch is not done");
    struct batch *b = mem_zero(1, sizeof *b);
    if (!b) return fail_memory(err);
    b->c = c;
    b->rows.first = c->state.manifest.next_number;
    if (!gone_copy(&b->gone, &c->state.gone)) {
        mem_free(b);
        return fail_memory(err);
    }
    c->in_batch = true;
    *out = b;
    return STEMMA_OK;
}

/* ---- ids of rows in memory ---- */

static struct id_entry *entry_of(struct batch *b, uint64_t hash, const void *id, size_t size) {
    size_t mask = b->ids_room - 1, at = (size_t)hash & mask;
    for (; b->ids[at].row; at = (at + 1) & mask) {
        if (b->ids[at].hash != hash) continue;
        const uint8_t *row = b->rows.bytes.data + b->rows.starts.data[b->ids[at].row - 1];
        if (load_u32(row) == size && !memcmp(row + 4, id, size)) break;
    }
    return &b->ids[at];
}

static bool grow_ids(struct batch *b) {
    size_t old = b->ids_room, room = old ? old * 2 : 1024;
    if (old && (b->rows.starts.len + 1) * 2 <= old) return true;
    struct id_entry *grown = mem_zero(room, sizeof *grown);
    if (!grown) return false;
    for (size_t i = 0; i < old; i++) {
        if (!b->ids[i].row) continue;
        size_t at = (size_t)b->ids[i].hash & (room - 1);
        while (grown[at].row) at = (at + 1) & (room - 1);
        grown[at] = b->ids[i];
    }
    mem_free(b->ids);
    b->ids = grown;
    b->ids_room = room;
    return true;
}

/* ---- what is there already ---- */

static stemma_status find_written(struct batch *b, uint64_t hash, const void *id, size_t size,
                                  uint64_t *number, bool *found, stemma_error *err) {
    struct state *state = &b->c->state;
    TRY(find_in_segments(b->c, b->segments, b->count, &b->gone, hash, id, size, number, found, err));
    if (*found) return STEMMA_OK;
    return find_in_segments(b->c, state->segments, state->count, &b->gone, hash, id, size, number, found,
                            err);
}

static stemma_status find_any(struct batch *b, const void *id, size_t size, struct id_place *place,
                              stemma_error *err) {
    const struct id_entry *entry = b->ids_room ? entry_of(b, place->hash, id, size) : NULL;
    if (entry && entry->row) {
        place->number = b->rows.first + entry->row - 1;
        place->found = !is_gone(&b->gone, place->number);
        return STEMMA_OK;
    }
    return find_written(b, place->hash, id, size, &place->number, &place->found, err);
}

stemma_status batch_find(struct batch *b, const void *id, size_t size, struct id_place *place,
                         stemma_error *err) {
    *place = (struct id_place){.hash = id_hash(id, size)};
    return find_any(b, id, size, place, err);
}

/* The segment that was written last and has the number; NULL: none of the batch. */
static struct segment *own_segment(const struct batch *b, uint64_t number) {
    size_t at = b->count;
    while (at > 0 && b->segments[at - 1]->base > number) at--;
    return at && number < b->segments[at - 1]->limit ? b->segments[at - 1] : NULL;
}

static stemma_status read_row(struct batch *b, uint64_t number, bool whole, struct row *row,
                              stemma_error *err) {
    struct segment *segment = own_segment(b, number);
    uint64_t at;
    bool found;
    if (number >= b->rows.first) {
        rows_get(&b->rows, b->c->state.manifest.schema, (size_t)(number - b->rows.first), row);
        return STEMMA_OK;
    }
    if (!segment) segment = state_segment_of(&b->c->state, number);
    if (!segment) return fail(err, STEMMA_INVALID, "no document has the number asked for");
    TRY(segment_row(segment, number, &at, &found, err));
    if (!found)
        return fail(err, STEMMA_CORRUPT, "'%s' is damaged: an id without a document",
                    segment->files[0]->path);
    return whole ? segment_whole_row(segment, at, row, err) : segment_record(segment, at, row, err);
}

stemma_status batch_record(struct batch *b, const struct id_place *place, struct row *row,
                           stemma_error *err) {
    return read_row(b, place->number, false, row, err);
}

/* A copy: what is put next may move the rows in memory, and merge segments. */
stemma_status batch_row(struct batch *b, const struct id_place *place, struct row *row, stemma_error *err) {
    const struct schema *schema = b->c->state.manifest.schema;
    TRY(read_row(b, place->number, true, row, err));
    rows_clear(&b->held);
    if (!rows_reserve(&b->held, schema, row)) return fail_memory(err);
    rows_add(&b->held, schema, row);
    rows_get(&b->held, schema, 0, row);
    return STEMMA_OK;
}

static stemma_status remove_found(struct batch *b, const struct id_place *place, stemma_error *err) {
    if (place->found && !gone_add(&b->gone, place->number)) return fail_memory(err);
    b->removed += place->found;
    b->changed = b->changed || place->found;
    return STEMMA_OK;
}

stemma_status batch_remove(struct batch *b, const void *id, size_t size, bool *was_there, stemma_error *err) {
    struct id_place place;
    TRY(batch_find(b, id, size, &place, err));
    if (was_there) *was_there = place.found;
    return remove_found(b, &place, err);
}

/* ---- putting ---- */

/* What was written, as a segment; `status` is that of the writing. */
static stemma_status finish_segment(struct batch *b, struct draft *draft, stemma_status status,
                                    struct segment **out, stemma_error *err) {
    struct segment_file *file;
    if (status != STEMMA_OK) {
        draft_abandon(b->c, draft);
        return status;
    }
    TRY(draft_finish(b->c, draft, &file, err));
    status = segment_new(file, b->c->state.manifest.schema, out, err);
    segment_file_close(file);
    return status;
}

/* What is gone from rows that are written without it is in no segment, so nothing has to know of it. It went
 * in this batch, so its pages are the batch's own, and nothing has to be copied. */
static void forget_gone(struct batch *b, uint64_t first, uint64_t limit) {
    (void)gone_drop(&b->gone, first, limit);
}

static stemma_status merge_last(struct batch *b, stemma_error *err) {
    struct collection *c = b->c;
    struct segment **from = b->segments + b->count - LEVELS_FAN, *merged;
    struct draft draft;
    TRY(draft_open(c, parts_of_documents(c), &draft, err));
    stemma_status status = write_merged(c, from, LEVELS_FAN, &b->gone, &draft, err);
    TRY(finish_segment(b, &draft, status, &merged, err));
    forget_gone(b, merged->base, merged->limit);
    for (size_t i = 0; i < LEVELS_FAN; i++) {
        char name[32];
        segment_name(from[i]->files[0]->serial, name);
        c->disk->unlink(c->disk, c->folder, name); /* else the commit does */
        segment_free(from[i]);
    }
    from[0] = merged;
    b->count -= LEVELS_FAN - 1;
    return STEMMA_OK;
}

/* All are open until the commit, and descriptors are few. */
static stemma_status merge_own(struct batch *b, stemma_error *err) {
    for (size_t level = 0; level + 1 < LEVELS && b->of_level[level] >= LEVELS_FAN; level++) {
        TRY(merge_last(b, err));
        b->of_level[level] -= LEVELS_FAN;
        b->of_level[level + 1]++;
    }
    return STEMMA_OK;
}

/* Rows in memory become a segment. */
static stemma_status flush(struct batch *b, stemma_error *err) {
    struct collection *c = b->c;
    struct draft draft;
    uint64_t first = b->rows.first, limit = first + b->rows.starts.len;
    if (first == limit) return STEMMA_OK;
    if (!mem_grow((void **)&b->segments, &b->cap, b->count + 1, sizeof *b->segments)) return fail_memory(err);
    TRY(draft_open(c, parts_of_documents(c), &draft, err));
    stemma_status status = write_rows(c, &b->rows, &b->hashes, &b->gone, &draft, err);
    TRY(finish_segment(b, &draft, status, &b->segments[b->count], err));
    b->count++;
    b->of_level[0]++;
    forget_gone(b, first, limit);
    b->rows.first = limit;
    rows_clear(&b->rows);
    b->hashes.len = 0;
    if (b->ids) memset(b->ids, 0, b->ids_room * sizeof *b->ids);
    return STEMMA_OK;
}

static stemma_status check_row(const struct batch *b, const struct row *row, stemma_error *err) {
    const struct schema *schema = b->c->state.manifest.schema;
    if (row->id.size == 0 || row->id.size > ID_BYTES_MOST)
        return fail(err, STEMMA_INVALID, "an id of %zu bytes cannot be kept", row->id.size);
    if (b->rows.first + b->rows.starts.len >= NUMBERS_MOST)
        return fail(err, STEMMA_INVALID, "'%s' has no numbers left: export it into a new collection",
                    b->c->path);
    bool fits = row->facts.size <= TEXT_ROW_BYTES - ID_BYTES_MOST - 2;
    for (size_t i = 0; i < schema->count && fits; i++) {
        const struct part *part = &schema->parts[i];
        if (part->form == FORM_COLUMN) fits = row->cells[i].size == part->width;
        if (part->form == FORM_TEXT) fits = row->cells[i].size <= TEXT_ROW_BYTES;
    }
    return fits ? STEMMA_OK
                : fail(err, STEMMA_INVALID, "a row that does not fit the parts of '%s'", b->c->path);
}

bool batch_is_full(const struct batch *b) {
    return b->rows.bytes.len + b->rows.starts.len * (16 + 2 * sizeof *b->ids) > b->c->memory / 2;
}

stemma_status batch_put_at(struct batch *b, const struct id_place *place, const struct row *row,
                           uint64_t *number, stemma_error *err) {
    const struct schema *schema = b->c->state.manifest.schema;
    TRY(check_row(b, row, err));
    if (batch_is_full(b)) {
        TRY(merge_own(b, err));
        TRY(flush(b, err));
    }
    /* Once the one before is gone nothing fails: a batch is committed with what it has, whatever ended it. */
    if (!grow_ids(b) || !vec64_reserve(&b->hashes, 1) || !rows_reserve(&b->rows, schema, row))
        return fail_memory(err);
    TRY(remove_found(b, place, err));
    struct id_entry *entry = entry_of(b, place->hash, row->id.bytes, row->id.size);
    rows_add(&b->rows, schema, row);
    (void)vec64_add(&b->hashes, place->hash);
    *entry = (struct id_entry){place->hash, b->rows.starts.len};
    if (number) *number = b->rows.first + b->rows.starts.len - 1;
    b->put++;
    b->changed = true;
    return STEMMA_OK;
}

stemma_status batch_put(struct batch *b, const struct row *row, uint64_t *number, stemma_error *err) {
    struct id_place place;
    TRY(batch_find(b, row->id.bytes, row->id.size, &place, err));
    return batch_put_at(b, &place, row, number, err);
}

size_t batch_size(const struct batch *b) {
    return b->put;
}

bool batch_drops(const struct batch *b, uint64_t number) {
    return is_gone(&b->gone, number);
}

/* ---- the commit ---- */

static stemma_status name_segments(struct batch *b, struct manifest *m, stemma_error *err) {
    for (size_t i = 0; i < b->count; i++) {
        const struct segment_file *file = b->segments[i]->files[0];
        if (file->documents && !manifest_add_file(m, m->count, name_of_file(file))) return fail_memory(err);
    }
    m->documents += b->put - b->removed;
    m->next_number = b->rows.first;
    return STEMMA_OK;
}

static stemma_status commit(struct batch *b, stemma_error *err) {
    struct collection *c = b->c;
    struct manifest m;
    TRY(flush(b, err));
    TRY(manifest_copy(&m, &c->state.manifest, err));
    stemma_status status = name_segments(b, &m, err);
    if (status == STEMMA_OK && !gone_equal(&b->gone, &c->state.gone))
        status = write_gone(c, &b->gone, c->next_serial++, &m.gone, err);
    if (status == STEMMA_OK) return commit_manifest(c, &m, err);
    manifest_release(&m);
    return status;
}

stemma_status batch_commit(struct batch *b, stemma_error *err) {
    if (b->failed) return fail(err, STEMMA_INVALID, "a batch that failed cannot be committed");
    if (!b->changed) return STEMMA_OK;
    b->failed = true;
    TRY(commit(b, err));
    b->failed = b->changed = false;
    for (size_t i = 0; i < b->count; i++) segment_free(b->segments[i]);
    b->count = 0;
    memset(b->of_level, 0, sizeof b->of_level);
    b->removed = 0;
    b->put = 0;
    gone_release(&b->gone);
    stemma_error left; /* merging that cannot be done now is left for later */
    (void)settle_some(b->c, &left);
    if (gone_copy(&b->gone, &b->c->state.gone)) return STEMMA_OK;
    b->failed = true;
    return STEMMA_OK;
}

void batch_free(struct batch *b) {
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) segment_free(b->segments[i]);
    bool left = b->count > 0 || b->failed;
    b->c->in_batch = false;
    if (left && !b->c->unsure) unlink_unnamed(b->c);
    mem_free(b->segments);
    rows_release(&b->rows);
    rows_release(&b->held);
    vec64_release(&b->hashes);
    mem_free(b->ids);
    gone_release(&b->gone);
    mem_free(b);
}

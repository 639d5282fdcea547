#include "index/salvage.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "index/lost_names.h"
#include "index/mended.h"
#include "index/twice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What merely cannot be opened now (rights, descriptors, a disk that is away) may be sound. */
static bool tells_of_damage(stemma_status status) {
    return status == STEMMA_CORRUPT || status == STEMMA_NOT_FOUND;
}

stemma_status finding(struct salvage *v, stemma_status status, bool *sound, stemma_error *err) {
    if (status == STEMMA_OK || !tells_of_damage(status)) return status;
    if (sound) *sound = false;
    v->facts->damages++;
    v->take(v->context, err->message);
    return STEMMA_OK;
}

void salvage_tell(struct salvage *v, const char *format, unsigned long long number, const char *name) {
    struct buf text = {0};
    if (buf_add_format(&text, format, number, name) && buf_add_byte(&text, 0))
        v->take(v->context, (const char *)text.data);
    buf_release(&text);
}

stemma_status give_up(struct salvage *v, uint64_t serial, stemma_error *err) {
    return vec64_add(&v->given_up, serial) ? STEMMA_OK : fail_memory(err);
}

/* ---- opening what can be ---- */

/* Files that are not there, or not as they should be, are left out; with a segment its further parts go, too.
 */
static stemma_status keep_openable(struct salvage *v, struct manifest *m, stemma_error *err) {
    size_t kept = 0;
    uint64_t segment = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct segment_file *file = NULL;
        bool sound = true;
        stemma_status status = segment_file_open(v->c->path, v->c->folder, m->files[i].serial, &file, err);
        if (status == STEMMA_OK && (file->size != m->files[i].size || file->checksum != m->files[i].checksum))
            status = fail(err, STEMMA_CORRUPT, "'%s' is damaged: not the file that the manifest names",
                          file->path);
        if (status == STEMMA_OK && file->of && file->of != segment)
            status = fail(err, STEMMA_CORRUPT, "'%s' is of no use: its segment is lost", file->path);
        if (status == STEMMA_OK && !file->of) segment = file->serial;
        segment_file_close(file);
        TRY(finding(v, status, &sound, err));
        if (sound)
            m->files[kept++] = m->files[i];
        else
            TRY(give_up(v, m->files[i].serial, err));
    }
    m->count = kept;
    return STEMMA_OK;
}

static stemma_status check_gone(struct salvage *v, struct manifest *m, stemma_error *err) {
    struct gone gone = {.directory = v->c->directory};
    bool sound = true;
    if (m->gone.serial == 0) return STEMMA_OK;
    stemma_status status = gone_load(v->c, &m->gone, m->next_number, &gone, err);
    gone_release(&gone);
    TRY(finding(v, status, &sound, err));
    v->facts->files++;
    v->facts->bytes += m->gone.size;
    if (sound) return finding(v, gone_check_copies(v->c, &m->gone, m->next_number, err), NULL, err);
    v->gone_lost = true;
    TRY(give_up(v, m->gone.serial, err));
    m->gone = (struct file_name){0};
    return STEMMA_OK;
}

stemma_status manifest_one_copy_left(const char *path, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: one of its two copies", path);
}

static stemma_status open_manifest(struct salvage *v, struct manifest *m, stemma_error *err) {
    bool sound = true;
    TRY(finding(v, manifest_read(m, v->c->folder, v->c->path, err), &sound, err));
    if (!sound) TRY(rebuild_manifest(v, m, err));
    if (!m->one_copy) return STEMMA_OK;
    return finding(v, manifest_one_copy_left(v->c->path, err), NULL, err);
}

static stemma_status open_rest(struct salvage *v, struct manifest *m, stemma_error *err) {
    struct state state;
    TRY(keep_openable(v, m, err));
    TRY(check_gone(v, m, err));
    TRY(state_open(v->c, m, &v->c->state, &state, err));
    state_replace(v->c, &state);
    return STEMMA_OK;
}

stemma_status salvage_open(struct salvage *v, stemma_error *err) {
    stemma_error first;
    stemma_status status = collection_load(v->c, &first);
    if (status == STEMMA_OK && !v->c->state.manifest.one_copy) {
        /* All files are open: a writer may go on. But for this one, whose name may be gone by then. */
        struct manifest *m = &v->c->state.manifest;
        v->facts->files += m->gone.serial != 0;
        v->facts->bytes += m->gone.size;
        if (m->gone.serial == 0) return STEMMA_OK;
        status = gone_check_copies(v->c, &m->gone, m->next_number, err);
        return status == STEMMA_NOT_FOUND ? STEMMA_OK : finding(v, status, NULL, err);
    }
    if (status != STEMMA_OK && !tells_of_damage(status)) return fail(err, status, "%s", first.message);
    struct manifest m = {0};
    TRY(open_manifest(v, &m, err));
    status = open_rest(v, &m, err);
    if (status != STEMMA_OK) manifest_release(&m);
    return status;
}

/* ---- ids that count twice ---- */

static stemma_status tell_twice(void *context, uint64_t earlier, uint64_t later, stemma_error *err) {
    struct salvage *v = context;
    if (v->gone_lost) return STEMMA_OK;
    return finding(v,
                   fail(err, STEMMA_CORRUPT, "'%s' is damaged: documents %llu and %llu have one id",
                        v->c->path, (unsigned long long)earlier, (unsigned long long)later),
                   NULL, err);
}

stemma_status check_twice(struct salvage *v, stemma_error *err) {
    return find_twice(v->c, &v->c->state, v->sound, tell_twice, v, err);
}

/* ---- writing again ---- */

static stemma_status take_values(void *context, const struct record *records, size_t count,
                                 stemma_error *err) {
    for (size_t i = 0; i < count; i++)
        if (!vec64_add(context, records[i].value)) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status numbers_of_ids(struct segment *s, struct vec64 *numbers, stemma_error *err) {
    struct run *run;
    numbers->len = 0;
    TRY(segment_ids(s, &run, err));
    TRY(run_each(run, take_values, numbers, err));
    return sort_u64(numbers->data, numbers->len) ? STEMMA_OK : fail_memory(err);
}

static stemma_status numbers_of_lines(struct segment *s, struct vec64 *numbers, stemma_error *err) {
    struct numbers lines = {.segment = s};
    numbers->len = 0;
    for (bool more;;) {
        uint64_t number;
        TRY(numbers_next(&lines, &number, &more, err));
        if (!more) return STEMMA_OK;
        if (!vec64_add(numbers, number)) return fail_memory(err);
    }
}

static bool numbers_fit(const struct segment *s, const struct vec64 *numbers) {
    if (numbers->len != s->rows) return false;
    for (size_t i = 0; i < numbers->len; i++)
        if (numbers->data[i] < s->base || numbers->data[i] >= s->limit ||
            (i && numbers->data[i] <= numbers->data[i - 1]))
            return false;
    return true;
}

/* The number of each row: as it says, by the ids (rows are in the order of their numbers), or, where nothing
 * was ever taken out, one after the other. *found is false when none of it will do. */
static stemma_status numbers_of(struct segment *s, struct vec64 *numbers, bool *found, stemma_error *err) {
    stemma_status status = numbers_of_lines(s, numbers, err);
    if (status == STEMMA_OK && (*found = numbers_fit(s, numbers))) return STEMMA_OK;
    if (status == STEMMA_OK || status == STEMMA_CORRUPT) status = numbers_of_ids(s, numbers, err);
    if (status == STEMMA_OK && (*found = numbers_fit(s, numbers))) return STEMMA_OK;
    if (status != STEMMA_OK && status != STEMMA_CORRUPT) return status;
    numbers->len = 0;
    *found = s->rows == s->limit - s->base;
    for (uint64_t n = s->base; *found && n < s->limit; n++)
        if (!vec64_add(numbers, n)) return fail_memory(err);
    return STEMMA_OK;
}

static void name_document(struct salvage *v, const char *format, uint64_t number, const struct cell *id) {
    struct buf text = {0};
    if (buf_add(&text, id->bytes, id->size) && buf_add_byte(&text, 0))
        salvage_tell(v, format, number, (const char *)text.data);
    buf_release(&text);
}

static void name_lost(struct salvage *v, uint64_t number, const struct cell *id) {
    v->facts->lost++;
    name_document(v, "lost: document %llu, '%s'", number, id);
}

/* What is left of a segment. */
struct remains {
    struct segment *segment;
    struct vec64 rows, numbers; /* rows: of the segment, or MENDED + which one */
    struct mended mended;
    struct lost_names lost; /* documents whose ids cannot be read, */
    uint64_t unnamed;       /* and how many of them there are since */
    struct buf neighbour;   /* the last one whose id is known, with its NUL */
};
#define MENDED (UINT64_C(1) << 63)

static void remains_release(struct remains *r) {
    vec64_release(&r->rows);
    vec64_release(&r->numbers);
    mended_release(&r->mended);
    lost_names_release(&r->lost);
    buf_release(&r->neighbour);
}

/* Documents are in the order of adding, and those that were added together have names that are alike. */
static stemma_status meet_neighbour(struct remains *r, const struct cell *id, stemma_error *err) {
    const bool first = r->neighbour.len == 0;
    if (r->unnamed && !first)
        TRY(lost_names_near(&r->lost, (struct cell){r->neighbour.data, r->neighbour.len - 1}, err));
    if (r->unnamed) TRY(lost_names_near(&r->lost, *id, err));
    r->unnamed = 0;
    r->neighbour.len = 0;
    return buf_add(&r->neighbour, id->bytes, id->size) && buf_add_byte(&r->neighbour, 0) ? STEMMA_OK
                                                                                         : fail_memory(err);
}

static stemma_status tell_lost(struct salvage *v, struct remains *r, stemma_error *err) {
    if (r->unnamed && r->neighbour.len)
        TRY(lost_names_near(&r->lost, (struct cell){r->neighbour.data, r->neighbour.len - 1}, err));
    TRY(lost_names_find(&r->lost, r->segment, err));
    uint64_t nameless = 0;
    for (size_t i = 0; i < r->lost.count; i++) {
        const struct lost_name *lost = &r->lost.list[i];
        salvage_tell(
            v, lost->name ? "lost: document %llu, '%s'" : "lost: document %llu, whose id cannot be read%s",
            lost->number, lost->name ? lost->name : "");
        nameless += !lost->name;
    }
    v->facts->lost += r->lost.count;
    if (nameless && r->lost.neighbours.len)
        salvage_tell(v, "lost: %llu without an id, added next to '%s'", nameless,
                     (const char *)r->lost.neighbours.data);
    return STEMMA_OK;
}

static stemma_status read_remains(void *context, size_t index, struct row *row, stemma_error *err) {
    struct remains *r = context;
    uint64_t at = r->rows.data[index];
    return at & MENDED ? mended_get(&r->mended, r->segment->schema, (size_t)(at & ~MENDED), row, err)
                       : segment_whole_row(r->segment, at, row, err);
}

static stemma_status keep_row(struct remains *r, uint64_t row, uint64_t number, stemma_error *err) {
    return vec64_add(&r->rows, row) && vec64_add(&r->numbers, number) ? STEMMA_OK : fail_memory(err);
}

/* What cannot be read of a damaged file is told by *damaged instead of the status. */
static stemma_status unless_damaged(stemma_status status, bool *damaged) {
    *damaged = status == STEMMA_CORRUPT || status == STEMMA_IO;
    return *damaged ? STEMMA_OK : status;
}

/* Cells of a row as far as they can be read. */
static stemma_status readable_cells(struct segment *s, uint64_t at, struct row *row, bool *damaged, bool *all,
                                    stemma_error *err) {
    *all = true;
    for (size_t p = 0; p < s->schema->count; p++) {
        TRY(unless_damaged(segment_cell(s, p, at, &row->cells[p], err), &damaged[p]));
        *all = *all && !damaged[p];
    }
    return STEMMA_OK;
}

/* Its other cells are sound. */
static void name_emptied(struct salvage *v, uint64_t number, const struct schema *schema, const bool *damaged,
                         const struct cell *id) {
    for (size_t p = 0; p < schema->count; p++)
        if (damaged[p] && schema->parts[p].form != FORM_LOOKUP)
            name_document(v,
                          schema->parts[p].kind == KIND_TEXT ? "lost: the stored text of document %llu, '%s'"
                                                             : "lost: the signature of document %llu, '%s'",
                          number, id);
}

static stemma_status mend_row(struct salvage *v, struct remains *r, uint64_t number, const bool *damaged,
                              struct row *row, stemma_error *err) {
    const struct schema *schema = r->segment->schema;
    enum mending done = MEND_NOT;
    if (v->mender) TRY(v->mender->mend(v->mender->context, schema, damaged, row, &done, err));
    if (done == MEND_NOT) {
        name_lost(v, number, &row->id);
        return STEMMA_OK;
    }
    v->mended += done == MEND_DONE;
    v->emptied += done == MEND_EMPTIED;
    if (done == MEND_EMPTIED) name_emptied(v, number, schema, damaged, &row->id);
    TRY(mended_add(&r->mended, v->c->path, schema, row, err));
    return keep_row(r, MENDED + r->mended.places.len - 1, number, err);
}

static stemma_status salvage_row(struct salvage *v, struct remains *r, uint64_t at, uint64_t number,
                                 stemma_error *err) {
    struct row row;
    bool damaged[PARTS_MOST], all;
    TRY(unless_damaged(segment_record(r->segment, at, &row, err), damaged));
    if (damaged[0]) {
        r->unnamed++;
        return lost_names_add(&r->lost, number, err);
    }
    TRY(meet_neighbour(r, &row.id, err));
    TRY(readable_cells(r->segment, at, &row, damaged, &all, err));
    return all ? keep_row(r, at, number, err) : mend_row(v, r, number, damaged, &row, err);
}

static stemma_status salvage_rows(struct salvage *v, struct remains *r, const struct vec64 *numbers,
                                  stemma_error *err) {
    for (uint64_t at = 0; at < r->segment->rows; at++)
        if (!is_gone(&v->c->state.gone, numbers->data[at]))
            TRY(salvage_row(v, r, at, numbers->data[at], err));
    return tell_lost(v, r, err);
}

static stemma_status write_again(struct salvage *v, struct remains *r, struct manifest *m,
                                 stemma_error *err) {
    struct collection *c = v->c;
    struct draft draft;
    struct segment_file *file;
    if (r->rows.len == 0) return STEMMA_OK;
    TRY(draft_open(c, parts_of_documents(c), &draft, err));
    stemma_status status = write_salvaged(c, r->segment, &r->numbers, read_remains, r, &draft, err);
    if (status != STEMMA_OK) {
        draft_abandon(c, &draft);
        return status;
    }
    TRY(draft_finish(c, &draft, &file, err));
    m->documents += r->rows.len;
    bool kept = manifest_add_file(m, m->count, name_of_file(file));
    segment_file_close(file);
    return kept ? STEMMA_OK : fail_memory(err);
}

static stemma_status salvage_segment(struct salvage *v, struct segment *s, struct manifest *m,
                                     stemma_error *err) {
    struct remains remains = {.segment = s};
    struct vec64 all = {0};
    uint64_t lost = v->facts->lost + v->emptied;
    bool found;
    stemma_status status = numbers_of(s, &all, &found, err);
    if (status == STEMMA_OK && !found) {
        v->facts->lost += s->rows;
        salvage_tell(v, "lost: all %llu documents of '%s'", s->rows, s->files[0]->path);
    } else if (status == STEMMA_OK) {
        status = salvage_rows(v, &remains, &all, err);
        if (status == STEMMA_OK) status = write_again(v, &remains, m, err);
    }
    bool whole = v->facts->lost + v->emptied == lost;
    for (size_t f = 0; f < s->file_count && status == STEMMA_OK && !whole; f++)
        status = give_up(v, s->files[f]->serial, err);
    /* What is gone from it is in no segment any more. */
    if (status == STEMMA_OK && !gone_drop(&v->c->state.gone, s->base, s->limit)) status = fail_memory(err);
    vec64_release(&all);
    remains_release(&remains);
    return status;
}

static stemma_status keep_segment(const struct state *state, const struct segment *s, struct manifest *m,
                                  stemma_error *err) {
    for (size_t f = 0; f < s->file_count; f++)
        if (!manifest_add_file(m, m->count, name_of_file(s->files[f]))) return fail_memory(err);
    m->documents += s->rows - gone_in(state, s);
    return STEMMA_OK;
}

static stemma_status name_what_is_left(struct salvage *v, struct manifest *m, stemma_error *err) {
    struct collection *c = v->c;
    m->count = 0;
    m->documents = 0;
    for (size_t i = 0; i < c->state.count; i++)
        TRY(v->sound[i] ? keep_segment(&c->state, c->state.segments[i], m, err)
                        : salvage_segment(v, c->state.segments[i], m, err));
    return write_gone(c, &c->state.gone, c->next_serial++, &m->gone, err);
}

/* Documents that the manifest counts, and of which not even a row was found. */
static void count_vanished(struct salvage *v, uint64_t left) {
    uint64_t counted = v->c->state.manifest.documents, known = left + v->facts->lost;
    if (v->given_up.len == 0 || counted <= known) return;
    v->facts->lost += counted - known;
    salvage_tell(v, "lost: %llu document%s, ids included, in damaged files of the collection itself",
                 counted - known, counted - known == 1 ? "" : "s");
}

/* Somebody may get more out of it: what is given up keeps its bytes, under another name. */
static void put_aside(struct salvage *v) {
    struct collection *c = v->c;
    for (size_t i = 0; i < v->given_up.len; i++) {
        char names[2][32], aside[32];
        uint64_t serial = v->given_up.data[i];
        segment_name(serial, names[0]);
        gone_name(serial, names[1]);
        snprintf(aside, sizeof aside, "%08llu.damaged", (unsigned long long)serial);
        for (int n = 0; n < 2; n++)
            if (!is_named(&c->state.manifest, serial, n == 0) &&
                c->disk->rename(c->disk, c->folder, names[n], aside) == 0)
                salvage_tell(v, "set aside: file %llu, as '%s'", serial, aside);
    }
}

/* Only what this repair wrote: its state names less than the disk has. */
static void unlink_drafts(const struct collection *c, uint64_t first) {
    for (uint64_t serial = first; serial < c->next_serial; serial++) {
        char name[32];
        segment_name(serial, name);
        c->disk->unlink(c->disk, c->folder, name);
        gone_name(serial, name);
        c->disk->unlink(c->disk, c->folder, name);
    }
    c->disk->unlink(c->disk, c->folder, "manifest.new");
}

static stemma_status count_twice(void *context, uint64_t earlier, uint64_t later, stemma_error *err) {
    (void)earlier, (void)later, (void)err;
    ++*(uint64_t *)context;
    return STEMMA_OK;
}

/* What was damaged could not be asked for its ids before it was written again; here everything is sound. */
static stemma_status drop_twice(struct salvage *v, struct manifest *m, stemma_error *err) {
    struct collection *c = v->c;
    struct manifest copy;
    struct state left;
    uint64_t count = 0;
    TRY(manifest_copy(&copy, m, err));
    stemma_status status = state_open(c, &copy, &c->state, &left, err);
    if (status != STEMMA_OK) {
        manifest_release(&copy);
        return status;
    }
    status = find_twice(c, &left, NULL, count_twice, &count, err);
    if (status == STEMMA_OK && count) {
        m->documents -= count;
        salvage_tell(v, "earlier documents of an id that is there again: %llu go%s", count, "");
        status = write_gone(c, &left.gone, c->next_serial++, &m->gone, err);
    }
    state_release(&left);
    return status;
}

static stemma_status commit_what_is_left(struct salvage *v, stemma_error *err) {
    struct manifest m;
    TRY(manifest_copy(&m, &v->c->state.manifest, err));
    stemma_status status = name_what_is_left(v, &m, err);
    const uint64_t before = m.documents;
    if (status == STEMMA_OK) status = drop_twice(v, &m, err);
    if (status != STEMMA_OK) {
        manifest_release(&m);
        return status;
    }
    if (v->mended)
        salvage_tell(v, "made again, from the text: what is kept of %llu document%s", v->mended,
                     v->mended == 1 ? "" : "s");
    count_vanished(v, before);
    if (v->gone_lost)
        salvage_tell(
            v, "documents that were removed before may be back: what was gone is lost (%llu count now)%s",
            m.documents, "");
    return commit_only(v->c, &m, err);
}

stemma_status salvage_commit(struct salvage *v, stemma_error *err) {
    struct collection *c = v->c;
    uint64_t first = c->next_serial;
    stemma_status status = commit_what_is_left(v, err);
    if (status != STEMMA_OK) {
        if (!c->unsure) unlink_drafts(c, first);
        return status;
    }
    put_aside(v);
    unlink_unnamed(c);
    v->facts->repaired = true;
    v->facts->documents = c->state.manifest.documents;
    return STEMMA_OK;
}

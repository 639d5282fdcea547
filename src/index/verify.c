#include "index/verify.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "index/salvage.h"

#include <string.h>

/* ---- every block of a part ---- */

static stemma_status check_column(struct column *column, stemma_error *err) {
    const uint8_t *bytes;
    size_t count;
    for (uint64_t row = 0; row < column->rows; row += count)
        TRY(column_rows(column, row, &bytes, &count, err));
    return STEMMA_OK;
}

static stemma_status check_text(struct text *text, stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    TRY(check_column(&text->places, err));
    for (uint64_t row = 0; row < text->rows; row += text->per_block)
        TRY(text_row(text, row, &bytes, &size, err));
    return text_check_ends(text, err);
}

static uint64_t posting_digest(uint64_t key, uint64_t number) {
    return mix64(key ^ mix64(number));
}

static stemma_status take_digests(void *context, const struct record *records, size_t count,
                                  stemma_error *err) {
    uint64_t *digest = context;
    (void)err;
    for (size_t i = 0; i < count; i++) *digest += posting_digest(records[i].key, records[i].value);
    return STEMMA_OK;
}

static stemma_status digest_run(struct run *run, uint64_t *digest, stemma_error *err) {
    return run_each(run, take_digests, digest, err);
}

/* blocks: all of them, or only what opening reads. */
static stemma_status check_form(const struct segment_file *file, const struct part_place *part, bool blocks,
                                stemma_error *err) {
    struct run_place place = place_in_file(file, part->offset);
    struct column column = {0};
    struct text text = {0};
    struct run *run = NULL;
    uint64_t digest = 0; /* of no use yet */
    stemma_status status = STEMMA_OK;
    switch (part->part.form) {
    case FORM_COLUMN:
        status = column_open(&column, &place, part->size, part->part.width, err);
        if (status == STEMMA_OK && blocks) status = check_column(&column, err);
        break;
    case FORM_TEXT:
        status = text_open(&text, &place, part->size, file->documents, part->part.width, err);
        if (status == STEMMA_OK && blocks) status = check_text(&text, err);
        break;
    case FORM_LOOKUP:
        status = run_open(&place, part->size, &run, err);
        if (status == STEMMA_OK && blocks) status = digest_run(run, &digest, err);
        break;
    }
    column_close(&column);
    text_close(&text);
    run_close(run);
    return status;
}

stemma_status check_blocks(const struct segment_file *file, stemma_error *err) {
    for (size_t p = 0; p < file->count; p++) TRY(check_form(file, &file->parts[p], true, err));
    return STEMMA_OK;
}

/* ---- without reading all of it ---- */

stemma_status table_one_copy_left(const struct segment_file *file, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: one of the two tables of its parts", file->path);
}

static stemma_status glance_at_file(const struct segment_file *file, stemma_error *err) {
    if (file->one_copy) return table_one_copy_left(file, err);
    for (size_t p = 0; p < file->count; p++) TRY(check_form(file, &file->parts[p], false, err));
    return STEMMA_OK;
}

stemma_status collection_glance(const struct collection *c, stemma_error *err) {
    if (c->state.manifest.one_copy) return manifest_one_copy_left(c->path, err);
    for (size_t i = 0; i < c->state.count; i++)
        for (size_t f = 0; f < c->state.segments[i]->file_count; f++)
            TRY(glance_at_file(c->state.segments[i]->files[f], err));
    return STEMMA_OK;
}

/* ---- what belongs together ---- */

static stemma_status check_numbers(struct segment *s, stemma_error *err) {
    struct numbers numbers = {.segment = s};
    uint64_t rows = 0, number, row;
    for (bool more, found;; rows++) {
        TRY(numbers_next(&numbers, &number, &more, err));
        if (!more) break;
        if (number >= s->limit)
            return fail(err, STEMMA_CORRUPT, "'%s' is damaged: a number too high", s->files[0]->path);
        TRY(segment_row(s, number, &row, &found, err));
        if (!found || row != rows)
            return fail(err, STEMMA_CORRUPT, "'%s' is damaged: numbers are not counted right",
                        s->files[0]->path);
    }
    if (rows == s->rows) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: %llu documents, but %llu numbers", s->files[0]->path,
                (unsigned long long)s->rows, (unsigned long long)rows);
}

/* The keys of all rows, made again. digests: one a part, then that of ids. */
static stemma_status digest_rows(const struct collection *c, struct segment *s, uint64_t *digests,
                                 stemma_error *err) {
    struct numbers numbers = {.segment = s};
    struct vec64 keys = {0};
    stemma_status status = STEMMA_OK;
    const struct schema *schema = s->schema;
    for (uint64_t at = 0; status == STEMMA_OK; at++) {
        struct row row;
        uint64_t number;
        bool more;
        status = numbers_next(&numbers, &number, &more, err);
        if (status != STEMMA_OK || !more) break;
        status = segment_whole_row(s, at, &row, err);
        if (status == STEMMA_OK)
            digests[schema->count] += posting_digest(id_hash(row.id.bytes, row.id.size), number);
        for (size_t p = 0; p < schema->count && status == STEMMA_OK; p++) {
            if (schema->parts[p].form != FORM_LOOKUP) continue;
            status = row_keys(c, schema, p, &row, &keys, err);
            for (size_t k = 0; status == STEMMA_OK && k < keys.len; k++)
                digests[p] += posting_digest(keys.data[k], number);
        }
    }
    vec64_release(&keys);
    return status;
}

static stemma_status check_digests(const struct collection *c, struct segment *s, stemma_error *err) {
    uint64_t digests[PARTS_MOST + 1] = {0}, found = 0;
    struct run *run;
    TRY(digest_rows(c, s, digests, err));
    TRY(segment_ids(s, &run, err));
    TRY(digest_run(run, &found, err));
    bool same = found == digests[s->schema->count];
    for (size_t p = 0; p < s->schema->count && same; p++) {
        if (s->schema->parts[p].form != FORM_LOOKUP) continue;
        TRY(segment_run(s, p, &run, err));
        found = 0;
        TRY(digest_run(run, &found, err));
        same = found == digests[p];
    }
    if (same) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: an index has other keys than its documents",
                s->files[0]->path);
}

/* ---- a collection ---- */

static stemma_status check_files(struct salvage *v, struct segment *s, bool *sound, stemma_error *err) {
    for (size_t f = 0; f < s->file_count; f++) {
        const struct segment_file *file = s->files[f];
        if (file->one_copy) TRY(finding(v, table_one_copy_left(file, err), sound, err));
        for (size_t p = 0; p < file->count; p++) {
            TRY(check_stop(v->c->stop, err));
            stemma_status status = check_form(file, &file->parts[p], true, err);
            if (status == STEMMA_IO) status = STEMMA_CORRUPT; /* a bad sector takes its rows, no more */
            TRY(finding(v, status, sound, err));
        }
        v->facts->files++;
        v->facts->bytes += file->size;
    }
    return STEMMA_OK;
}

/* *sound is false when it has to be written again. */
static stemma_status check_segment(struct salvage *v, struct segment *s, bool *sound, stemma_error *err) {
    *sound = true;
    TRY(check_files(v, s, sound, err));
    if (*sound) TRY(finding(v, check_numbers(s, err), sound, err));
    if (*sound) TRY(finding(v, check_digests(v->c, s, err), sound, err));
    v->facts->documents += s->rows - gone_in(&v->c->state, s);
    segment_rest(s);
    return STEMMA_OK;
}

static stemma_status check_segments(struct salvage *v, stemma_error *err) {
    struct state *state = &v->c->state;
    v->sound = mem_zero(state->count, sizeof *v->sound);
    if (!v->sound) return fail_memory(err);
    for (size_t i = 0; i < state->count; i++) TRY(check_segment(v, state->segments[i], &v->sound[i], err));
    if (v->facts->damages || v->facts->documents == state->manifest.documents) return STEMMA_OK;
    return finding(v,
                   fail(err, STEMMA_CORRUPT,
                        "'%s' is damaged: its manifest counts %llu documents, there are %llu", v->c->path,
                        (unsigned long long)state->manifest.documents,
                        (unsigned long long)v->facts->documents),
                   NULL, err);
}

static stemma_status verify(struct salvage *v, bool repair, stemma_error *err) {
    TRY(salvage_open(v, err));
    if (repair) TRY(manifest_check_writable(&v->c->state.manifest, v->c->path, err));
    TRY(check_segments(v, err));
    TRY(check_twice(v, err));
    if (v->facts->damages == 0 || !repair) return STEMMA_OK;
    return salvage_commit(v, err);
}

stemma_status collection_verify(const char *path, const struct collection_options *options, bool repair,
                                const struct mender *mender, take_finding *take, void *context,
                                struct verify_facts *facts, stemma_error *err) {
    struct salvage v = {.facts = facts, .mender = mender, .take = take, .context = context};
    stemma_error own; /* what is found is told by its message, whether the caller wants one or not */
    if (!err) err = &own;
    *facts = (struct verify_facts){0};
    TRY(collection_hold(path, options, repair, &v.c, err));
    stemma_status status = verify(&v, repair, err);
    mem_free(v.sound);
    vec64_release(&v.given_up);
    collection_close(v.c);
    return status;
}

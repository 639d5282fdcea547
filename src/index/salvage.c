#include "index/salvage.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/sort.h"
#include "index/twice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

static void tell(struct salvage *v, const char *format, unsigned long long number, const char *name) {
    struct buf text = {0};
    if (buf_add_format(&text, format, number, name) && buf_add_byte(&text, 0))
        v->take(v->context, (const char *)text.data);
    buf_release(&text);
}

static stemma_status give_up(struct salvage *v, uint64_t serial, stemma_error *err) {
    return vec64_add(&v->given_up, serial) ? STEMMA_OK : fail_memory(err);
}

/* ---- a manifest that is lost: what the segments say ---- */

static int later_first(const void *a, const void *b) {
    const struct segment_file *x = *(struct segment_file *const *)a, *y = *(struct segment_file *const *)b;
    return (x->serial < y->serial) - (x->serial > y->serial);
}

static int by_numbers(const void *a, const void *b) {
    const struct segment_file *x = *(struct segment_file *const *)a, *y = *(struct segment_file *const *)b;
    if (x->base != y->base) return x->base < y->base ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

struct found_files {
    struct segment_file **files;
    size_t count, cap;
    struct vec64 gone; /* serials */
    uint64_t serial;   /* the highest */
};

static stemma_status take_found(struct salvage *v, struct found_files *found, const char *name,
                                stemma_error *err) {
    char *end;
    uint64_t serial = strtoull(name, &end, 10);
    if (end == name) return STEMMA_OK;
    if (serial > found->serial) found->serial = serial;
    if (!strcmp(end, ".gone")) return vec64_add(&found->gone, serial) ? STEMMA_OK : fail_memory(err);
    if (strcmp(end, ".segment")) return STEMMA_OK;
    if (!mem_grow((void **)&found->files, &found->cap, found->count + 1, sizeof *found->files))
        return fail_memory(err);
    bool sound = true;
    TRY(finding(v, segment_file_open(v->c->path, v->c->folder, serial, &found->files[found->count], err),
                &sound, err));
    found->count += sound;
    return sound ? STEMMA_OK : give_up(v, serial, err);
}

static stemma_status look_around(struct salvage *v, struct found_files *found, stemma_error *err) {
    int fd = openat(v->c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    stemma_status status = folder ? STEMMA_OK : fail_errno(err, "read", v->c->path, errno);
    const struct dirent *entry;
    while (folder && status == STEMMA_OK && (entry = readdir(folder)))
        status = take_found(v, found, entry->d_name, err);
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return status;
}

/* Documents in sound segments that were merged into this one, as far as they are still there. */
static uint64_t still_there(const struct found_files *found, size_t merged) {
    const struct segment_file *into = found->files[merged];
    uint64_t documents = 0;
    for (size_t i = merged + 1; i < found->count; i++) {
        const struct segment_file *file = found->files[i];
        if (!file->of && file->base >= into->base && file->limit <= into->limit &&
            check_blocks(file, NULL) == STEMMA_OK)
            documents += file->documents;
    }
    return documents;
}

/* A merged segment that is damaged, and may never have been committed, gives way to those it was made from.
 */
static stemma_status drop_damaged(struct salvage *v, struct found_files *found, stemma_error *err) {
    for (size_t i = 0; i < found->count; i++) {
        struct segment_file *file = found->files[i];
        uint64_t documents = file->of ? 0 : still_there(found, i);
        if (documents == 0 || documents < file->documents || check_blocks(file, NULL) == STEMMA_OK) continue;
        TRY(give_up(v, file->serial, err));
        segment_file_close(file);
        found->files[i] = NULL;
    }
    return STEMMA_OK;
}

/* Segments whose numbers no later one covers; further parts of those. */
static stemma_status drop_older(struct salvage *v, struct found_files *found, stemma_error *err) {
    size_t kept = 0;
    for (int further = 0; further < 2; further++)
        for (size_t i = 0; i < found->count; i++) {
            struct segment_file *file = found->files[i];
            if (!file || (file->of != 0) != further) continue;
            bool wanted = !further;
            for (size_t k = 0; k < i; k++) {
                const struct segment_file *other = found->files[k];
                if (!further && other && !other->of && other->base < file->limit && file->base < other->limit)
                    wanted = false;
            }
            for (size_t k = 0; further && k < found->count; k++)
                if (found->files[k] && !found->files[k]->of && found->files[k]->serial == file->of)
                    wanted = true;
            if (wanted) continue;
            TRY(give_up(v, file->serial, err));
            segment_file_close(file);
            found->files[i] = NULL;
        }
    for (size_t i = 0; i < found->count; i++)
        if (found->files[i]) found->files[kept++] = found->files[i];
    found->count = kept;
    if (kept) qsort(found->files, kept, sizeof *found->files, by_numbers);
    return STEMMA_OK;
}

static bool read_recipe(const struct segment_file *file, struct buf *recipe) {
    const struct part_place *place = segment_file_part(file, KIND_RECIPE, 0);
    struct column column = {0};
    if (!place) return false;
    struct run_place at = place_in_file(file, place->offset);
    bool sound =
        column_open(&column, &at, place->size, 8, NULL) == STEMMA_OK && column.rows <= SCHEMA_RECIPE_MOST / 8;
    const uint8_t *word;
    for (uint64_t i = 0; i < column.rows && sound; i++)
        sound = column_row(&column, i, &word, NULL) == STEMMA_OK && buf_add(recipe, word, 8);
    column_close(&column);
    return sound && buf_add_byte(recipe, 0);
}

static bool is_own(const struct part *part) {
    return part->kind == KIND_NUMBERS || part->kind == KIND_RECORDS || part->kind == KIND_RECIPE ||
           part->kind == KIND_IDS;
}

/* Files of a segment follow each other: the first of the next one. */
static size_t next_segment(const struct found_files *found, size_t first) {
    size_t next = first + 1;
    while (next < found->count && found->files[next]->of) next++;
    return next;
}

static bool segment_has(const struct found_files *found, size_t first, const struct part *part) {
    for (size_t f = first, end = next_segment(found, first); f < end; f++)
        if (segment_file_part(found->files[f], part->kind, part->spec)) return true;
    return false;
}

/* Earlier segments still have what was dropped since: only what all have is what a commit kept. */
static bool all_have(const struct found_files *found, const struct part *part) {
    for (size_t f = 0; f < found->count; f = next_segment(found, f))
        if (!segment_has(found, f, part)) return false;
    return true;
}

/* Parts that all segments have, in the order of the first one. */
static stemma_status schema_of(const struct found_files *found, struct schema *schema, stemma_error *err) {
    struct buf recipe = {0};
    bool read = false;
    for (size_t i = 0; i < found->count && !read; i++) {
        recipe.len = 0;
        read = !found->files[i]->of && read_recipe(found->files[i], &recipe);
    }
    stemma_status status = read ? schema_init(schema, (const char *)recipe.data, err)
                                : fail(err, STEMMA_CORRUPT, "no recipe is left: nothing can be repaired");
    buf_release(&recipe);
    TRY(status);
    for (size_t f = 0, end = next_segment(found, 0); f < end; f++)
        for (size_t p = 0; p < found->files[f]->count; p++) {
            const struct part *part = &found->files[f]->parts[p].part;
            if (!is_own(part) && schema_find(schema, part->kind, part->spec) < 0 && all_have(found, part))
                TRY(schema_add(schema, *part, err));
        }
    return STEMMA_OK;
}

static uint64_t highest(const struct vec64 *serials) {
    uint64_t most = 0;
    for (size_t i = 0; i < serials->len; i++)
        if (serials->data[i] > most) most = serials->data[i];
    return most;
}

/* Size and checksum of a file of what is gone, as a manifest would have them. */
static bool name_gone(const struct collection *c, uint64_t serial, struct file_name *name) {
    char plain[32];
    uint8_t sum[8];
    gone_name(serial, plain);
    int fd = openat(c->folder, plain, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    off_t size = lseek(fd, 0, SEEK_END);
    bool named = size >= 16 && read_at(fd, sum, 8, (uint64_t)size - 16) == 0;
    close(fd);
    *name = (struct file_name){serial, (uint64_t)size, load_u64(sum)};
    return named;
}

static stemma_status manifest_of(struct salvage *v, const struct found_files *found, struct manifest *m,
                                 stemma_error *err) {
    struct schema schema = {0};
    stemma_status status = schema_of(found, &schema, err);
    if (status == STEMMA_OK) status = manifest_new(m, &schema, err);
    schema_release(&schema);
    TRY(status);
    if (getentropy(&m->id, sizeof m->id)) m->id = found->serial;
    m->next_serial = found->serial + 1;
    for (size_t i = 0; i < found->count; i++) {
        const struct segment_file *file = found->files[i];
        if (file->limit > m->next_number) m->next_number = file->limit;
        if (file->commit > m->commit) m->commit = file->commit;
        if (!manifest_add_file(m, m->count, name_of_file(file))) return fail_memory(err);
    }
    if (found->gone.len && !name_gone(v->c, highest(&found->gone), &m->gone)) v->gone_lost = true;
    tell(v, "assumed: the documents of %llu files count, whatever the last commit was%s", m->count, "");
    return STEMMA_OK;
}

static stemma_status rebuild_manifest(struct salvage *v, struct manifest *m, stemma_error *err) {
    struct found_files found = {0};
    *m = (struct manifest){0};
    stemma_status status = look_around(v, &found, err);
    if (found.count) qsort(found.files, found.count, sizeof *found.files, later_first);
    if (status == STEMMA_OK) status = drop_damaged(v, &found, err);
    if (status == STEMMA_OK) status = drop_older(v, &found, err);
    if (status == STEMMA_OK) status = manifest_of(v, &found, m, err);
    for (size_t i = 0; i < found.count; i++) segment_file_close(found.files[i]);
    mem_free(found.files);
    vec64_release(&found.gone);
    if (status != STEMMA_OK) manifest_release(m);
    return status;
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
    struct run_place place;
    struct gone gone = {0};
    bool sound = true;
    if (m->gone.serial == 0) return STEMMA_OK;
    stemma_status status = gone_open(v->c, &m->gone, &place, err);
    if (status == STEMMA_OK) {
        status = gone_read(&gone, &place, m->gone.size, m->next_number, err);
        if (status == STEMMA_IO) status = STEMMA_CORRUPT; /* a bad sector */
        close(place.fd);
        mem_free((char *)place.name);
    }
    gone_release(&gone);
    TRY(finding(v, status, &sound, err));
    v->facts->files++;
    v->facts->bytes += m->gone.size;
    if (sound) return STEMMA_OK;
    v->gone_lost = true;
    TRY(give_up(v, m->gone.serial, err));
    m->gone = (struct file_name){0};
    return STEMMA_OK;
}

static stemma_status open_manifest(struct salvage *v, struct manifest *m, stemma_error *err) {
    bool sound = true;
    TRY(finding(v, manifest_read(m, v->c->folder, v->c->path, err), &sound, err));
    if (!sound) TRY(rebuild_manifest(v, m, err));
    if (!m->one_copy) return STEMMA_OK;
    return finding(v,
                   fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: one of its two copies", v->c->path),
                   NULL, err);
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
        /* All files are open: a writer may go on. */
        v->facts->files += v->c->state.manifest.gone.serial != 0;
        v->facts->bytes += v->c->state.manifest.gone.size;
        return STEMMA_OK;
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

static stemma_status numbers_of_ids(struct segment *s, struct vec64 *numbers, stemma_error *err) {
    struct run *run;
    struct run_reader *reader;
    size_t count = 1;
    numbers->len = 0;
    TRY(segment_ids(s, &run, err));
    TRY(run_reader_new(run, &reader, err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && count) {
        const struct record *records;
        status = run_reader_next(reader, &records, &count, err);
        for (size_t i = 0; status == STEMMA_OK && i < count; i++)
            if (!vec64_add(numbers, records[i].value)) status = fail_memory(err);
    }
    run_reader_free(reader);
    if (status == STEMMA_OK && !sort_u64(numbers->data, numbers->len)) status = fail_memory(err);
    return status;
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

static void name_lost(struct salvage *v, struct segment *s, uint64_t row, uint64_t number) {
    struct row record;
    v->facts->lost++;
    if (segment_record(s, row, &record, NULL) != STEMMA_OK) {
        tell(v, "lost: document %llu, whose id cannot be read%s", number, "");
        return;
    }
    struct buf id = {0};
    if (buf_add(&id, record.id.bytes, record.id.size) && buf_add_byte(&id, 0))
        tell(v, "lost: document %llu, '%s'", number, (const char *)id.data);
    buf_release(&id);
}

/* Rows that can be read, with their numbers. */
static stemma_status readable_rows(struct salvage *v, struct segment *s, const struct vec64 *all,
                                   struct vec64 *rows, struct vec64 *numbers, stemma_error *err) {
    for (uint64_t at = 0; at < s->rows; at++) {
        struct row row;
        uint64_t number = all->data[at];
        if (is_gone(&v->c->state.gone, number)) continue;
        stemma_status status = segment_whole_row(s, at, &row, err);
        if (status == STEMMA_CORRUPT || status == STEMMA_IO)
            name_lost(v, s, at, number);
        else if (status != STEMMA_OK)
            return status;
        else if (!vec64_add(rows, at) || !vec64_add(numbers, number))
            return fail_memory(err);
    }
    return STEMMA_OK;
}

static stemma_status write_again(struct salvage *v, struct segment *s, struct vec64 *rows,
                                 struct vec64 *numbers, struct manifest *m, stemma_error *err) {
    struct collection *c = v->c;
    struct draft draft;
    struct segment_file *file;
    if (rows->len == 0) return STEMMA_OK;
    TRY(draft_open(c, c->next_serial++, &draft, err));
    stemma_status status = write_salvaged(c, s, rows, numbers, &draft, err);
    if (status != STEMMA_OK) {
        draft_abandon(c, &draft);
        return status;
    }
    TRY(draft_finish(c, &draft, &file, err));
    m->documents += rows->len;
    bool kept = manifest_add_file(m, m->count, name_of_file(file));
    segment_file_close(file);
    return kept ? STEMMA_OK : fail_memory(err);
}

static stemma_status salvage_segment(struct salvage *v, struct segment *s, struct manifest *m,
                                     stemma_error *err) {
    struct vec64 all = {0}, rows = {0}, numbers = {0};
    uint64_t lost = v->facts->lost;
    bool found;
    stemma_status status = numbers_of(s, &all, &found, err);
    if (status == STEMMA_OK && !found) {
        v->facts->lost += s->rows;
        tell(v, "lost: all %llu documents of '%s'", s->rows, s->files[0]->path);
    } else if (status == STEMMA_OK) {
        status = readable_rows(v, s, &all, &rows, &numbers, err);
        if (status == STEMMA_OK) status = write_again(v, s, &rows, &numbers, m, err);
    }
    for (size_t f = 0; f < s->file_count && status == STEMMA_OK && v->facts->lost > lost; f++)
        status = give_up(v, s->files[f]->serial, err);
    /* What is gone from it is in no segment any more. */
    uint64_t number;
    for (uint64_t from = s->base; gone_next(&v->c->state.gone, from, &number) && number < s->limit;
         from = number + 1)
        gone_drop(&v->c->state.gone, number);
    vec64_release(&all);
    vec64_release(&rows);
    vec64_release(&numbers);
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
    tell(v, "lost: %llu documents of files that cannot be read%s", counted - known, "");
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
                tell(v, "set aside: file %llu, as '%s'", serial, aside);
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
        tell(v, "earlier documents of an id that is there again: %llu go%s", count, "");
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
    count_vanished(v, before);
    if (v->gone_lost)
        tell(v, "documents that were removed before may be back: what was gone is lost (%llu count now)%s",
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

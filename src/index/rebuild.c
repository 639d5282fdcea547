/* A manifest that is lost, made again of what the segments say of themselves. */
#include "index/salvage.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    DIR *folder = open_listing(v->c->folder);
    stemma_status status = folder ? STEMMA_OK : fail_errno(err, "read", v->c->path, errno);
    const struct dirent *entry;
    while (folder && status == STEMMA_OK && (entry = readdir(folder)))
        status = take_found(v, found, entry->d_name, err);
    if (folder) closedir(folder);
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
    salvage_tell(
        v,
        "assumed: every document in the %llu file%s found belongs to the collection: its last commit is not known",
        m->count, m->count == 1 ? "" : "s");
    return STEMMA_OK;
}

stemma_status rebuild_manifest(struct salvage *v, struct manifest *m, stemma_error *err) {
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

/* Which documents there are: files below folders, data sets, texts in memory. A file that is reached twice
 * counts once. */
#include "base/alloc.h"
#include "read/dataset.h"
#include "read/files_met.h"
#include "read/tree.h"
#include "scan/reading.h"
#include "scan/scan.h"
#include "scan/taker.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where they need not all be known at once. */
enum { LISTED_MOST = 1 << 16, LISTED_BYTES = 16 << 20 /* with their names */ };

struct listing {
    struct stemma_scan *scan;
    struct key_table seen;
    bool named;             /* the operand itself is a file */
    bool overlap;           /* files may be reached twice by one name */
    uint64_t files;         /* reached so far */
    struct file_id omit[2]; /* folders that are left out */
    size_t omit_count;
};

/* A collection that has the file as it is, or a cache that has its records, knows what it is without opening
 * it. */
static stemma_status look_for_texts(struct stemma_scan *scan, const struct source *source, bool *are,
                                    stemma_error *err) {
    const struct scan_cache *cache = scan->cache;
    struct inside_known inside;
    bool known = false;
    if (scan->takers->dataset) TRY(scan->takers->dataset(scan, source, &known, are, err));
    if (!known && cache) {
        TRY(cache->find_inside(cache->context, source, &inside, &known, err));
        *are = known;
    }
    return known ? STEMMA_OK : scan_find_texts(scan, source->name, are, err);
}

/* In a folder a table is a document like others, unless it was said which of its columns is text; and so are
 * JSON lines without texts, such as a log. */
static stemma_status find_kind(const struct listing *l, struct source *source, stemma_error *err) {
    bool is = dataset_name(source->name);
    source->kind = SOURCE_DATASET;
    if (is && !l->named && !l->scan->settings.options.text_field) {
        is = source->looked = dataset_kind_of(source->name) == DATASET_JSON_LINES;
        if (is) TRY(look_for_texts(l->scan, source, &is, err));
    }
    if (!is) source->kind = SOURCE_FILE;
    return STEMMA_OK;
}

/* So that memory does not grow with a folder: who takes files as they are listed does nothing to them, and a
 * file with one name is met once but for mounts. */
static bool met_once(const struct listing *l, const struct tree_file *file) {
    return l->scan->takers->listed && file->names == 1 && !l->overlap;
}

static bool is_much(const struct catalogue *listed) {
    return listed->source_count >= LISTED_MOST || catalogue_resident(listed) >= LISTED_BYTES;
}

static stemma_status take_file(void *context, const struct tree_file *file, stemma_error *err) {
    struct listing *l = context;
    const struct taker_kind *takers = l->scan->takers;
    bool again = false;
    l->files++;
    if (takers->listed && is_much(&l->scan->catalogue)) {
        TRY(takers->listed(l->scan, err));
        progress_stage(l->scan, "listing", 0, 0);
    }
    if (!met_once(l, file)) TRY(file_met(&l->seen, file->device, file->inode, &again, err));
    if (again) {
        l->scan->summary.repeated++;
        return STEMMA_OK;
    }
    struct source source = {.name = file->path,
                            .has_owner = true,
                            .owner = file->owner,
                            .size = file->size,
                            .modified = file->modified,
                            .changed = file->changed,
                            .device = file->device,
                            .inode = file->inode};
    stemma_error cause;
    const stemma_status status = find_kind(l, &source, &cause);
    if (is_problem(status)) {
        catalogue_add_problem(&l->scan->catalogue, file->path, 0, &cause);
        return STEMMA_OK;
    }
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    progress_add(l->scan, 1, file->size);
    return catalogue_add_source(&l->scan->catalogue, &source, err);
}

static void take_problem(void *context, const char *path, const stemma_error *cause) {
    struct listing *l = context;
    catalogue_add_problem(&l->scan->catalogue, path, 0, cause);
}

/* A data set; but who asks about documents may ask about one, or an archive. */
static stemma_status list_standard_input(struct stemma_scan *scan, stemma_error *err) {
    struct source source = {.name = "-", .kind = SOURCE_DATASET};
    bool records = true;
    if (scan->takers->in_order) TRY(scan_look_at_standard(scan, &records, err));
    if (!records) source.kind = SOURCE_FILE;
    return catalogue_add_source(&scan->catalogue, &source, err);
}

static stemma_status list_operand(struct listing *l, const char *path, stemma_error *err) {
    const stemma_scan_options *o = &l->scan->settings.options;
    struct tree_options options = {.include = o->include,
                                   .exclude = o->exclude,
                                   .include_count = o->include_count,
                                   .exclude_count = o->exclude_count,
                                   .hidden = o->hidden,
                                   .follow = o->follow_links,
                                   .no_ignore_file = o->no_ignore_files,
                                   .min_size = o->least_bytes,
                                   .max_size = o->most_bytes,
                                   .omit = l->omit,
                                   .omit_count = l->omit_count,
                                   .temporary_directory = l->scan->settings.limits.temporary_directory,
                                   .stop = l->scan->settings.limits.stop};
    struct tree_visitor visitor = {.context = l,
                                   .file = take_file,
                                   .problem = take_problem,
                                   .passed_over = &l->scan->summary.passed_over};
    if (strcmp(path, "-") == 0) return list_standard_input(l->scan, err);
    l->named = dataset_name(path);
    return tree_walk(path, &options, &visitor, err);
}

static void omit(struct listing *l, const char *path) {
    struct stat info;
    if (path && stat(path, &info) == 0) l->omit[l->omit_count++] = (struct file_id){info.st_dev, info.st_ino};
}

/* Of paths without links in them. */
static bool is_below(const char *path, const char *folder) {
    const size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (size == 1 || !path[size] || path[size] == '/');
}

enum { COMPARED_MOST = 64 }; /* paths */

/* Whether a file may be reached by two of the paths. */
static stemma_status compare_operands(const struct stemma_scan *scan, char **real, bool *overlap,
                                      stemma_error *err) {
    char room[PATH_MAX];
    for (size_t i = 0; i < scan->operand_count; i++) {
        if (!realpath(scan->operands[i], room)) {
            *overlap |= errno == ENAMETOOLONG;
            continue;
        }
        if (!(real[i] = mem_copy_string(room))) return fail_memory(err);
        for (size_t k = 0; k < i && !*overlap; k++)
            *overlap = real[k] && (is_below(real[i], real[k]) || is_below(real[k], real[i]));
    }
    return STEMMA_OK;
}

static stemma_status find_overlap(const struct stemma_scan *scan, bool *overlap, stemma_error *err) {
    char *real[COMPARED_MOST] = {0};
    *overlap = scan->settings.options.follow_links || scan->operand_count > COMPARED_MOST;
    if (*overlap) return STEMMA_OK;
    stemma_status status = compare_operands(scan, real, overlap, err);
    for (size_t i = 0; i < COMPARED_MOST; i++) mem_free(real[i]);
    return status;
}

stemma_status scan_list(struct stemma_scan *scan, stemma_error *err) {
    struct listing l = {.scan = scan, .seen.directory = scan->settings.limits.temporary_directory};
    stemma_status status = find_overlap(scan, &l.overlap, err);
    omit(&l, scan->settings.options.omit);
    omit(&l, scan->settings.store);
    progress_stage(scan, "listing", 0, 0);
    for (size_t i = 0; i < scan->operand_count && status == STEMMA_OK; i++) {
        const uint64_t before = l.files;
        status = list_operand(&l, scan->operands[i], err);
        if (status == STEMMA_OK && !vec64_add(&scan->found, l.files - before)) status = fail_memory(err);
    }
    key_table_release(&l.seen);
    return status;
}

/* Which documents there are: files below folders, data sets, texts in memory. A file that is reached twice
 * counts once. */
#include "base/alloc.h"
#include "read/dataset.h"
#include "read/file_ids.h"
#include "read/tree.h"
#include "scan/scan.h"
#include "scan/taker.h"

#include <string.h>
#include <sys/stat.h>

/* Where they need not all be known at once. */
enum { LISTED_MOST = 1 << 16 };

struct listing {
    struct stemma_scan *scan;
    struct file_ids seen;
    bool named;             /* the operand itself is a file */
    uint64_t files;         /* reached so far */
    struct file_id omit[2]; /* folders that are left out */
    size_t omit_count;
};

/* In a folder a table is a document like others, unless it was said which of its columns is text. */
static bool is_dataset(const struct listing *l, const char *path) {
    if (!dataset_name(path)) return false;
    return l->named || l->scan->settings.options.text_field || dataset_kind_of(path) == DATASET_JSON_LINES;
}

static stemma_status take_file(void *context, const struct tree_file *file, stemma_error *err) {
    struct listing *l = context;
    const struct taker_kind *takers = l->scan->takers;
    bool added = true;
    l->files++;
    if (takers->listed && l->scan->catalogue.source_count >= LISTED_MOST) {
        TRY(takers->listed(l->scan, err));
        progress_stage(l->scan, "listing", 0, 0);
    }
    if (!file_ids_add(&l->seen, file->device, file->inode, &added)) return fail_memory(err);
    if (!added) {
        l->scan->summary.repeated++;
        return STEMMA_OK;
    }
    struct source source = {.name = file->path,
                            .kind = is_dataset(l, file->path) ? SOURCE_DATASET : SOURCE_FILE,
                            .has_owner = true,
                            .owner = file->owner,
                            .size = file->size,
                            .modified = file->modified,
                            .changed = file->changed,
                            .device = file->device,
                            .inode = file->inode};
    progress_add(l->scan, 1, file->size);
    return catalogue_add_source(&l->scan->catalogue, &source, err);
}

static void take_problem(void *context, const char *path, const stemma_error *cause) {
    struct listing *l = context;
    catalogue_add_problem(&l->scan->catalogue, path, 0, cause);
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
                                   .stop = l->scan->settings.limits.stop};
    struct tree_visitor visitor = {.context = l, .file = take_file, .problem = take_problem};
    if (strcmp(path, "-") == 0) {
        struct source source = {.name = path, .kind = SOURCE_DATASET};
        return catalogue_add_source(&l->scan->catalogue, &source, err);
    }
    l->named = dataset_name(path);
    return tree_walk(path, &options, &visitor, err);
}

static void omit(struct listing *l, const char *path) {
    struct stat info;
    if (path && stat(path, &info) == 0) l->omit[l->omit_count++] = (struct file_id){info.st_dev, info.st_ino};
}

stemma_status scan_list(struct stemma_scan *scan, stemma_error *err) {
    struct listing l = {.scan = scan};
    stemma_status status = STEMMA_OK;
    omit(&l, scan->settings.options.omit);
    omit(&l, scan->settings.store);
    progress_stage(scan, "listing", 0, 0);
    for (size_t i = 0; i < scan->operand_count && status == STEMMA_OK; i++) {
        const uint64_t before = l.files;
        status = list_operand(&l, scan->operands[i], err);
        if (status == STEMMA_OK && !vec64_add(&scan->found, l.files - before)) status = fail_memory(err);
    }
    file_ids_release(&l.seen);
    return status;
}

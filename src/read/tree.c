#include "read/tree.h"

#include "base/alloc.h"
#include "base/collection_folder.h"
#include "base/file.h"
#include "base/long_path.h"
#include "base/ordered.h"
#include "read/dataset.h"
#include "read/files_met.h"
#include "read/glob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPEN_MOST = 64, /* folders kept open; one further up is opened again, which few trees need */
    IGNORE_SIZE_MOST = 1 << 20,
    SORT_MEMORY = 1 << 20 /* names of a folder, and links: beyond it on disk */
};

/* Patterns for the names below one folder. All of a walk are kept to its end,
 * since deferred links need them. */
struct ignore {
    const struct ignore *outer; /* asked when this one is silent */
    size_t base;                /* where in the path the names begin that it speaks of */
    struct buf text;
    struct glob_list globs;
    struct ignore *earlier; /* of all there are */
};

struct folder {
    int fd;           /* -1: closed for a while */
    size_t path_size; /* of its path with a slash */
    uint64_t device, inode;
    struct ordered *names; /* each with its NUL */
    uint64_t left;         /* of them */
    bool manifest;         /* a file of that name is among them */
    const struct ignore *ignore;
    bool included;
};

/* A link that is gone into when all else has been; its path stands behind it. */
struct link {
    uint64_t turn;
    const struct ignore *ignore;
    uint64_t included; /* so wide that no byte of it is left unset, as all go to disk */
};

struct walk {
    const struct tree_options *options;
    const struct tree_visitor *visitor;
    struct glob_list include, exclude;
    struct buf path; /* of what is looked at; ends with a NUL that is not counted */
    size_t base;     /* where in it the names begin that include and exclude speak of */
    struct folder *folders;
    size_t depth, capacity;
    struct ignore *ignores;
    struct ordered *links; /* NULL: none */
    uint64_t link_count;
    struct key_table seen; /* files and folders, when links are followed */
};

/* ---- where we are ---- */

static bool add_to_path(struct walk *walk, const char *name, size_t size) {
    if (!buf_reserve(&walk->path, size + 1)) return false;
    memcpy(walk->path.data + walk->path.len, name, size);
    walk->path.len += size;
    walk->path.data[walk->path.len] = 0;
    return true;
}

static void cut_path(struct walk *walk, size_t size) {
    walk->path.len = size;
    walk->path.data[size] = 0;
}

static const char *path_of(const struct walk *walk) {
    return (const char *)walk->path.data;
}

static struct folder *innermost(struct walk *walk) {
    return &walk->folders[walk->depth - 1];
}

/* ---- what goes wrong ---- */

static bool is_exhausted(int cause) {
    return cause == ENOMEM || cause == EMFILE || cause == ENFILE;
}

/* The path cannot be read. That is a problem of its own, unless the machine is at its limits, where the rest
 * would be lost without a word. */
static stemma_status cannot_read(struct walk *walk, int cause, stemma_error *err) {
    stemma_error problem;
    stemma_status status = fail_errno(&problem, "read", path_of(walk), cause);
    if (is_exhausted(cause)) {
        if (err) *err = problem;
        return status;
    }
    walk->visitor->problem(walk->visitor->context, path_of(walk), &problem);
    return STEMMA_OK;
}

/* ---- what is wanted ---- */

static enum glob_verdict judge(const struct walk *walk, const struct glob_list *globs, size_t base,
                               bool folder) {
    return glob_list_judge(globs, path_of(walk) + base, walk->path.len - base, folder);
}

static bool is_excluded(const struct walk *walk, const struct ignore *ignore, bool folder) {
    enum glob_verdict verdict = judge(walk, &walk->exclude, walk->base, folder);
    for (; ignore && verdict == GLOB_SILENT; ignore = ignore->outer)
        verdict = judge(walk, &ignore->globs, ignore->base, folder);
    return verdict == GLOB_MATCHED;
}

static bool is_included(const struct walk *walk, bool outer, bool folder) {
    enum glob_verdict verdict = judge(walk, &walk->include, walk->base, folder);
    return verdict == GLOB_SILENT ? outer : verdict == GLOB_MATCHED;
}

static bool size_fits(const struct walk *walk, uint64_t size) {
    const struct tree_options *options = walk->options;
    if (size >= options->min_size && (!options->max_size || size <= options->max_size)) return true;
    return dataset_name(path_of(walk));
}

/* Whether this file or folder is met for the first time, where it can be met twice, and not left out. */
static stemma_status is_new(struct walk *walk, const struct stat *info, bool *new, stemma_error *err) {
    const struct tree_options *options = walk->options;
    *new = true;
    for (size_t i = 0; i < options->omit_count; i++)
        if (info->st_dev == options->omit[i].device && info->st_ino == options->omit[i].inode) *new = false;
    if (!*new || !options->follow) return STEMMA_OK;
    bool again;
    TRY(file_met(&walk->seen, info->st_dev, info->st_ino, &again, err));
    *new = !again;
    return STEMMA_OK;
}

/* ---- ignore files ---- */

static void ignore_free(struct ignore *ignore) {
    buf_release(&ignore->text);
    glob_list_release(&ignore->globs);
    mem_free(ignore);
}

/* Reads what there is of it; no file is no problem. path: of the ignore file. */
static stemma_status read_ignore_text(struct folder *folder, const char *path, struct buf *text,
                                      stemma_error *err) {
    struct stat info;
    int fd = openat(folder->fd, TREE_IGNORE_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return errno == ENOENT ? STEMMA_OK : fail_errno(err, "read", path, errno);
    struct input input = {.fd = fd, .name = path, .owned = true};
    stemma_status status = fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)
                               ? fail(err, STEMMA_UNREADABLE, "cannot read '%s': is not a regular file", path)
                               : input_read_all(&input, IGNORE_SIZE_MOST, text, err);
    input_close(&input);
    return status;
}

static stemma_status parse_ignore(struct ignore *ignore, struct folder *folder, const char *path,
                                  stemma_error *err) {
    TRY(read_ignore_text(folder, path, &ignore->text, err));
    bool parsed = glob_list_add_lines(&ignore->globs, (const char *)ignore->text.data, ignore->text.len);
    return parsed ? STEMMA_OK : fail_memory(err);
}

static void attach_ignore(struct walk *walk, struct folder *folder, struct ignore *ignore) {
    ignore->outer = folder->ignore;
    ignore->base = folder->path_size;
    ignore->earlier = walk->ignores;
    walk->ignores = ignore;
    folder->ignore = ignore;
}

/* An ignore file that cannot be read is a problem; the folder is then read without. */
static stemma_status load_ignore(struct walk *walk, struct folder *folder, stemma_error *err) {
    stemma_error problem;
    struct ignore *ignore = mem_zero(1, sizeof *ignore);
    if (!ignore) return fail_memory(err);
    bool named = add_to_path(walk, TREE_IGNORE_FILE, strlen(TREE_IGNORE_FILE));
    stemma_status status =
        named ? parse_ignore(ignore, folder, path_of(walk), &problem) : fail_memory(&problem);
    if (status != STEMMA_OK && status != STEMMA_NO_MEMORY)
        walk->visitor->problem(walk->visitor->context, path_of(walk), &problem);
    if (status == STEMMA_OK && ignore->globs.count > 0)
        attach_ignore(walk, folder, ignore);
    else
        ignore_free(ignore);
    return status == STEMMA_NO_MEMORY ? fail_memory(err) : STEMMA_OK;
}

/* ---- folders ---- */

static void folder_release(struct folder *folder) {
    if (folder->fd >= 0) close(folder->fd);
    ordered_free(folder->names);
}

static int by_name(const struct ordered_entry *a, const struct ordered_entry *b) {
    return strcmp((const char *)a->tail, (const char *)b->tail);
}

static bool is_wanted_name(const struct walk *walk, const char *name) {
    if (name[0] != '.') return true;
    return walk->options->hidden && strcmp(name, ".") && strcmp(name, "..");
}

/* What was listed before a failure counts. */
static stemma_status list_names(struct walk *walk, struct folder *folder, DIR *directory, stemma_error *err) {
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(directory);
        if (!entry) return errno ? cannot_read(walk, errno, err) : STEMMA_OK;
        if (!is_wanted_name(walk, entry->d_name)) continue;
        folder->manifest = folder->manifest || strcmp(entry->d_name, MANIFEST_NAME) == 0;
        TRY(ordered_add(folder->names, "", entry->d_name, strlen(entry->d_name) + 1, err));
    }
}

static stemma_status list_folder(struct walk *walk, struct folder *folder, stemma_error *err) {
    TRY(ordered_new(0, by_name, SORT_MEMORY, walk->options->temporary_directory, &folder->names, err));
    int copy = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0); /* closed with the listing */
    DIR *directory = copy < 0 ? NULL : fdopendir(copy);
    stemma_status status =
        directory ? list_names(walk, folder, directory, err) : cannot_read(walk, errno, err);
    if (directory)
        closedir(directory);
    else if (copy >= 0)
        close(copy);
    folder->left = ordered_count(folder->names);
    return status == STEMMA_OK ? ordered_finish(folder->names, err) : status;
}

/* Collections have no documents of their own. Who names one should hear of it;
 * on the way it is passed over. */
static stemma_status empty_collection(struct walk *walk, struct folder *folder, stemma_error *err) {
    stemma_error problem;
    bool is;
    const int cause = is_collection_folder(folder->fd, &is);
    if (is_exhausted(cause)) return fail_errno(err, "read", path_of(walk), cause);
    if (!is) return STEMMA_OK;
    folder->left = 0;
    if (walk->depth > 0) return STEMMA_OK;
    fail(&problem, STEMMA_UNSUPPORTED, "left out '%s': it is a collection", path_of(walk));
    walk->visitor->problem(walk->visitor->context, path_of(walk), &problem);
    return STEMMA_OK;
}

static stemma_status prepare_folder(struct walk *walk, struct folder *folder, stemma_error *err) {
    TRY(list_folder(walk, folder, err));
    if (folder->manifest) TRY(empty_collection(walk, folder, err));
    if (path_of(walk)[walk->path.len - 1] != '/' && !add_to_path(walk, "/", 1)) return fail_memory(err);
    folder->path_size = walk->path.len;
    return walk->options->no_ignore_file ? STEMMA_OK : load_ignore(walk, folder, err);
}

/* Goes into the folder at the path, which fd is: it belongs to the walk from now on. */
static stemma_status enter(struct walk *walk, int fd, const struct ignore *ignore, bool included,
                           stemma_error *err) {
    struct folder folder = {.fd = fd, .ignore = ignore, .included = included};
    struct stat info;
    bool new = false;
    int cause = fd < 0 || fstat(fd, &info) != 0 ? errno : 0;
    stemma_status status = cause ? cannot_read(walk, cause, err) : is_new(walk, &info, &new, err);
    if (status == STEMMA_OK && new) {
        folder.device = info.st_dev;
        folder.inode = info.st_ino;
        status = prepare_folder(walk, &folder, err);
    }
    if (status == STEMMA_OK && new &&
        !mem_grow((void **)&walk->folders, &walk->capacity, walk->depth + 1, sizeof *walk->folders))
        status = fail_memory(err);
    if (status != STEMMA_OK || !new) {
        folder_release(&folder);
        return status;
    }
    walk->folders[walk->depth++] = folder;
    if (walk->depth > OPEN_MOST) {
        struct folder *outer = &walk->folders[walk->depth - 1 - OPEN_MOST];
        if (outer->fd >= 0) close(outer->fd);
        outer->fd = -1;
    }
    return STEMMA_OK;
}

/* Opens a folder again that was closed for a while, from one in it. Returns 0 or the cause. */
static int reopen(struct folder *folder, int inner) {
    struct stat info;
    int fd = inner < 0 ? -1 : openat(inner, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return inner < 0 ? ENOENT : errno;
    if (fstat(fd, &info) != 0 || info.st_dev != folder->device || info.st_ino != folder->inode) {
        close(fd);
        return ENOENT; /* the inner one was moved meanwhile */
    }
    folder->fd = fd;
    return 0;
}

static stemma_status leave(struct walk *walk, stemma_error *err) {
    struct folder *folder = innermost(walk), *outer = walk->depth > 1 ? folder - 1 : NULL;
    int cause = outer && outer->fd < 0 ? reopen(outer, folder->fd) : 0;
    folder_release(folder);
    walk->depth--;
    if (!cause || outer->left == 0) return STEMMA_OK;
    outer->left = 0;
    cut_path(walk, outer->path_size);
    return cannot_read(walk, cause, err);
}

/* ---- what is in them ---- */

static stemma_status take_file(struct walk *walk, const struct stat *info, stemma_error *err) {
    bool new;
    TRY(is_new(walk, info, &new, err));
    if (!new || !size_fits(walk, (uint64_t)info->st_size)) return STEMMA_OK;
    struct tree_file file = {.path = path_of(walk),
                             .size = (uint64_t)info->st_size,
                             .modified = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
                             .changed = (int64_t)info->st_ctim.tv_sec * 1000000000 + info->st_ctim.tv_nsec,
                             .owner = info->st_uid,
                             .device = info->st_dev,
                             .inode = info->st_ino,
                             .names = info->st_nlink};
    return walk->visitor->file(walk->visitor->context, &file, err);
}

static int by_turn(const struct ordered_entry *a, const struct ordered_entry *b) {
    const struct link *x = a->head, *y = b->head;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

static stemma_status defer(struct walk *walk, bool included, stemma_error *err) {
    const struct link link = {walk->link_count++, innermost(walk)->ignore, included};
    if (!walk->links)
        TRY(ordered_new(sizeof link, by_turn, SORT_MEMORY, walk->options->temporary_directory, &walk->links,
                        err));
    return ordered_add(walk->links, &link, path_of(walk), walk->path.len + 1, err);
}

/* Links that are not followed, pipes, devices: nobody would hear of them otherwise. */
static void pass_over(struct walk *walk) {
    const struct folder *folder = innermost(walk);
    if (walk->visitor->passed_over && !is_excluded(walk, folder->ignore, false) &&
        is_included(walk, folder->included, false))
        ++*walk->visitor->passed_over;
}

/* What stands under a name of the innermost folder, which the path is. */
static stemma_status take_entry(struct walk *walk, const char *name, stemma_error *err) {
    const struct folder *folder = innermost(walk);
    struct stat info;
    if (fstatat(folder->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return cannot_read(walk, errno, err);
    bool link = S_ISLNK(info.st_mode);
    if (link && !walk->options->follow) return pass_over(walk), STEMMA_OK;
    if (link && fstatat(folder->fd, name, &info, 0) != 0) return cannot_read(walk, errno, err);
    bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !S_ISREG(info.st_mode)) return pass_over(walk), STEMMA_OK;
    if (is_excluded(walk, folder->ignore, is_folder)) return STEMMA_OK;
    bool included = is_included(walk, folder->included, is_folder);
    if (!is_folder && !included) return STEMMA_OK;
    if (link) return defer(walk, included, err);
    if (!is_folder) return take_file(walk, &info, err);
    int fd = openat(folder->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return enter(walk, fd, folder->ignore, included, err);
}

static stemma_status next_entry(struct walk *walk, stemma_error *err) {
    struct folder *folder = innermost(walk);
    TRY(check_stop(walk->options->stop, err));
    cut_path(walk, folder->path_size);
    if (folder->left == 0) return leave(walk, err);
    struct ordered_entry entry;
    bool more;
    TRY(ordered_next(folder->names, &entry, &more, err));
    folder->left--;
    const char *name = (const char *)entry.tail;
    if (!add_to_path(walk, name, strlen(name))) return fail_memory(err);
    return take_entry(walk, name, err);
}

/* ---- operands and links ---- */

/* The path, whatever it is: `file` is an O_PATH descriptor of it. */
static stemma_status take_target(struct walk *walk, int file, const struct link *from, stemma_error *err) {
    struct stat info;
    if (fstat(file, &info) != 0) return cannot_read(walk, errno, err);
    if (!S_ISDIR(info.st_mode)) {
        const char *reason = input_refusal(path_of(walk), info.st_mode);
        if (!reason) return take_file(walk, &info, err);
        stemma_error problem;
        fail(&problem, STEMMA_UNREADABLE, "cannot read '%s': %s", path_of(walk), reason);
        walk->visitor->problem(walk->visitor->context, path_of(walk), &problem);
        return STEMMA_OK;
    }
    TRY(enter(walk, openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), from->ignore, from->included,
              err));
    while (walk->depth > 0) TRY(next_entry(walk, err));
    return STEMMA_OK;
}

static stemma_status take_path(struct walk *walk, const char *path, const struct link *from,
                               stemma_error *err) {
    if (!walk->path.data && !buf_reserve(&walk->path, 1)) return fail_memory(err);
    cut_path(walk, 0);
    if (!add_to_path(walk, path, strlen(path))) return fail_memory(err);
    int file = open_path(path_of(walk), O_PATH | O_CLOEXEC);
    if (file < 0) return cannot_read(walk, errno, err);
    stemma_status status = take_target(walk, file, from, err);
    close(file);
    return status;
}

static stemma_status add_globs(struct glob_list *globs, const char *const *texts, size_t count,
                               stemma_error *err) {
    for (size_t i = 0; i < count; i++)
        if (!glob_list_add(globs, texts[i], strlen(texts[i]))) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status take_links(struct walk *walk, struct ordered *links, stemma_error *err) {
    TRY(ordered_finish(links, err));
    for (;;) {
        struct ordered_entry entry;
        bool more;
        TRY(ordered_next(links, &entry, &more, err));
        if (!more) return STEMMA_OK;
        TRY(take_path(walk, (const char *)entry.tail, entry.head, err));
    }
}

static stemma_status take_all_links(struct walk *walk, stemma_error *err) {
    stemma_status status = STEMMA_OK;
    while (walk->links && status == STEMMA_OK) { /* behind them may be more */
        struct ordered *links = walk->links;
        walk->links = NULL;
        status = take_links(walk, links, err);
        ordered_free(links);
    }
    return status;
}

static stemma_status walk_all(struct walk *walk, const char *path, stemma_error *err) {
    const struct tree_options *options = walk->options;
    size_t size = strlen(path);
    TRY(add_globs(&walk->include, options->include, options->include_count, err));
    TRY(add_globs(&walk->exclude, options->exclude, options->exclude_count, err));
    walk->base = size + (size == 0 || path[size - 1] != '/');
    const struct link operand = {.included = options->include_count == 0};
    TRY(take_path(walk, path, &operand, err));
    return take_all_links(walk, err);
}

static void walk_release(struct walk *walk) {
    while (walk->depth > 0) folder_release(&walk->folders[--walk->depth]);
    while (walk->ignores) {
        struct ignore *ignore = walk->ignores;
        walk->ignores = ignore->earlier;
        ignore_free(ignore);
    }
    ordered_free(walk->links);
    mem_free(walk->folders);
    glob_list_release(&walk->include);
    glob_list_release(&walk->exclude);
    key_table_release(&walk->seen);
    buf_release(&walk->path);
}

stemma_status tree_walk(const char *path, const struct tree_options *options,
                        const struct tree_visitor *visitor, stemma_error *err) {
    struct walk walk = {
        .options = options, .visitor = visitor, .seen.directory = options->temporary_directory};
    stemma_status status = walk_all(&walk, path, err);
    walk_release(&walk);
    return status;
}

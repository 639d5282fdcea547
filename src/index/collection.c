#include "index/state.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- states ---- */

static stemma_status not_the_file(const char *path, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: not the file that the manifest names", path);
}

/* A file that an earlier state has read is not asked for again: its name may be gone by now. */
static stemma_status read_gone(const struct collection *c, const struct manifest *m, const struct state *old,
                               struct gone *gone, stemma_error *err) {
    const struct file_name *known = &old->manifest.gone;
    gone->directory = c->directory;
    if (m->gone.serial == 0) return STEMMA_OK;
    if (known->serial == m->gone.serial && known->size == m->gone.size && known->checksum == m->gone.checksum)
        return gone_copy(gone, &old->gone) ? STEMMA_OK : fail_memory(err);
    return gone_load(c, &m->gone, m->next_number, gone, err);
}

static struct segment_file *file_among(const struct state *state, uint64_t serial) {
    for (size_t i = 0; i < state->count; i++)
        for (size_t f = 0; f < state->segments[i]->file_count; f++)
            if (state->segments[i]->files[f]->serial == serial)
                return segment_file_share(state->segments[i]->files[f]);
    return NULL;
}

static stemma_status open_named(const struct collection *c, const struct file_name *name,
                                const struct state *old, struct segment_file **out, stemma_error *err) {
    struct segment_file *file = file_among(old, name->serial);
    if (!file) TRY(segment_file_open(c->path, c->folder, name->serial, &file, err));
    if (file->size != name->size || file->checksum != name->checksum) {
        stemma_status status = not_the_file(file->path, err);
        segment_file_close(file);
        return status;
    }
    *out = file;
    return STEMMA_OK;
}

/* A file is a segment, or more of the one before it. */
static stemma_status add_file(struct state *state, struct segment_file *file, stemma_error *err) {
    struct segment *last = state->count ? state->segments[state->count - 1] : NULL;
    if (file->of) {
        if (last && file->of == last->files[0]->serial) return segment_add_file(last, file, err);
        return fail(err, STEMMA_CORRUPT, "'%s' is damaged: parts of a segment that is not there", file->path);
    }
    if (file->limit > state->manifest.next_number || (last && file->base < last->limit))
        return fail(err, STEMMA_CORRUPT, "'%s' is damaged: numbers of other documents", file->path);
    TRY(segment_new(file, state->manifest.schema, &state->segments[state->count], err));
    state->count++;
    return STEMMA_OK;
}

static stemma_status open_files(struct collection *c, struct state *state, const struct state *old,
                                stemma_error *err) {
    const struct manifest *m = &state->manifest;
    state->segments = mem_zero(m->count, sizeof *state->segments);
    if (!state->segments) return fail_memory(err);
    for (size_t i = 0; i < m->count; i++) {
        struct segment_file *file;
        TRY(open_named(c, &m->files[i], old, &file, err));
        stemma_status status = add_file(state, file, err);
        segment_file_close(file);
        TRY(status);
    }
    return STEMMA_OK;
}

static bool same_files(const struct segment *a, const struct segment *b) {
    if (a->file_count != b->file_count) return false;
    for (size_t i = 0; i < a->file_count; i++)
        if (a->files[i] != b->files[i]) return false;
    return true;
}

/* What a segment has open stays so where it goes on. */
static void keep_open(struct state *old, struct state *state) {
    if (!old->manifest.schema || !schema_equal(old->manifest.schema, state->manifest.schema)) return;
    struct schema *schema = old->manifest.schema; /* that its segments know */
    old->manifest.schema = state->manifest.schema;
    state->manifest.schema = schema;
    for (size_t i = 0, j = 0; i < state->count; i++) {
        state->segments[i]->schema = schema;
        while (j < old->count && old->segments[j]->base < state->segments[i]->base) j++;
        if (j == old->count || !same_files(old->segments[j], state->segments[i])) continue;
        struct segment *kept = old->segments[j];
        old->segments[j] = state->segments[i];
        state->segments[i] = kept;
    }
    for (size_t j = 0; j < old->count; j++) old->segments[j]->schema = old->manifest.schema;
}

stemma_status state_open(struct collection *c, struct manifest *manifest, const struct state *old,
                         struct state *out, stemma_error *err) {
    struct state state = {.manifest = *manifest};
    stemma_status status = open_files(c, &state, old, err);
    if (status == STEMMA_OK) status = read_gone(c, &state.manifest, old, &state.gone, err);
    if (status == STEMMA_OK) {
        *out = state;
        return STEMMA_OK;
    }
    state.manifest = (struct manifest){0};
    for (size_t i = 0; i < state.count; i++) segment_free(state.segments[i]);
    state.count = 0;
    state_release(&state);
    return status;
}

void state_release(struct state *state) {
    for (size_t i = 0; i < state->count; i++) segment_free(state->segments[i]);
    mem_free(state->segments);
    gone_release(&state->gone);
    manifest_release(&state->manifest);
    *state = (struct state){0};
}

void state_replace(struct collection *c, struct state *state) {
    keep_open(&c->state, state);
    state_release(&c->state);
    c->state = *state;
    c->next_serial = state->manifest.next_serial;
}

struct segment *state_segment_of(struct state *state, uint64_t number) {
    size_t low = 0, high = state->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (state->segments[middle]->limit <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state->count && state->segments[low]->base <= number ? state->segments[low] : NULL;
}

/* ---- following ---- */

/* A file may be gone because a newer manifest is there: then that one counts. */
static stemma_status follow(struct collection *c, stemma_error *err) {
    struct manifest manifest, again;
    TRY(manifest_read(&manifest, c->folder, c->path, err));
    for (;;) {
        struct state state;
        stemma_error other;
        stemma_status status = state_open(c, &manifest, &c->state, &state, err);
        if (status == STEMMA_OK) {
            state_replace(c, &state);
            return STEMMA_OK;
        }
        if (manifest_read(&again, c->folder, c->path, &other) != STEMMA_OK) again = (struct manifest){0};
        bool newer = again.schema && again.commit != manifest.commit;
        manifest_release(&manifest);
        manifest = again;
        if (newer) continue;
        manifest_release(&manifest);
        return status;
    }
}

stemma_status collection_follow(struct collection *c, bool *moved, stemma_error *err) {
    uint64_t before = c->state.manifest.commit;
    if (moved) *moved = false;
    if (manifest_unchanged(&c->state.manifest, c->folder)) return STEMMA_OK;
    TRY(follow(c, err));
    if (moved) *moved = c->state.manifest.commit != before;
    return STEMMA_OK;
}

/* ---- what is in the folder ---- */

/* A folder with other things in it is not taken for a new collection. */
static bool is_ours(const char *name) {
    return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "lock") ||
           !strcmp(name, "manifest.new");
}

static bool is_segment(const char *name) {
    size_t size = strlen(name);
    return size > 8 && !strcmp(name + size - 8, ".segment");
}

/* Whether there is a name of this sort. */
static bool has_name(const struct collection *c, bool (*sort)(const char *name), bool wanted) {
    DIR *folder = open_listing(c->folder);
    const struct dirent *entry;
    bool has = false;
    while (folder && !has && (entry = readdir(folder))) has = sort(entry->d_name) == wanted;
    if (folder) closedir(folder);
    return has;
}

static bool has_segments(const struct collection *c) {
    return has_name(c, is_segment, true);
}

static bool has_manifest(const struct collection *c) {
    return faccessat(c->folder, "manifest", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- opening ---- */

static void write_holder(int lock, const char *who) {
    char host[65] = "", line[256];
    struct tm when;
    time_t now = time(NULL);
    gethostname(host, sizeof host - 1);
    gmtime_r(&now, &when);
    int size = snprintf(line, sizeof line, "process %ld on %s since %04d-%02d-%02dT%02d:%02d:%02dZ: %.80s\n",
                        (long)getpid(), host, when.tm_year + 1900, when.tm_mon + 1, when.tm_mday,
                        when.tm_hour, when.tm_min, when.tm_sec, who);
    /* Whoever is refused reads it; the lock itself does not need it. */
    if (ftruncate(lock, 0) == 0 && size > 0) (void)write_at(lock, line, (size_t)size, 0);
}

static stemma_status refuse_second(const struct collection *c, const struct collection_options *options,
                                   stemma_error *err) {
    char holder[256] = {0};
    if (options->busy) *options->busy = true;
    ssize_t size = pread(c->lock, holder, sizeof holder - 1, 0);
    for (ssize_t i = 0; i < size; i++)
        if ((unsigned char)holder[i] < ' ') holder[i] = 0;
    return fail(err, STEMMA_INVALID, "'%s' is being written by %s", c->path,
                size > 0 ? holder : "another process");
}

static stemma_status wait_for_lock(struct collection *c, stemma_error *err) {
    const struct timespec moment = {0, 20000000};
    while (flock(c->lock, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR) return fail_errno(err, "lock", c->path, errno);
        TRY(check_stop(c->stop, err));
        nanosleep(&moment, NULL);
    }
    return STEMMA_OK;
}

/* In a collection it is the line of a holder, damaged or not, and is written over; in a folder that is to
 * become one it may be the file of somebody else. */
static stemma_status check_lock_file(const struct collection *c, stemma_error *err) {
    char line[8];
    if (has_manifest(c) || has_segments(c)) return STEMMA_OK;
    ssize_t size = pread(c->lock, line, sizeof line, 0);
    if (size == 0 || (size == sizeof line && !memcmp(line, "process ", sizeof line))) return STEMMA_OK;
    return fail(err, STEMMA_INVALID, "'%s/lock' is not the lock of a collection", c->path);
}

static stemma_status take_lock(struct collection *c, const struct collection_options *options,
                               stemma_error *err) {
    c->lock = openat(c->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (c->lock < 0) return fail_errno(err, "lock", c->path, errno);
    TRY(check_lock_file(c, err));
    if (options->wait)
        TRY(wait_for_lock(c, err));
    else if (flock(c->lock, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK ? refuse_second(c, options, err)
                                    : fail_errno(err, "lock", c->path, errno);
    write_holder(c->lock, options->who ? options->who : "stemma");
    return STEMMA_OK;
}

stemma_status sync_name(const struct collection *c, const char *folder, stemma_error *err) {
    int fd = openat(c->folder, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int cause = fd < 0 ? errno : c->disk->sync_folder(c->disk, fd);
    if (fd >= 0) close(fd);
    return cause ? fail_errno(err, "make sure of the folder of", c->path, cause) : STEMMA_OK;
}

/* A first commit without documents, so that readers find a collection from here on. */
static stemma_status make_first(struct collection *c, const struct schema *schema, stemma_error *err) {
    struct manifest first;
    TRY(sync_name(c, "..", err)); /* its own name, of which a commit makes nothing sure */
    TRY(manifest_new(&first, schema, err));
    if (getentropy(&first.id, sizeof first.id)) first.id = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    return commit_manifest(c, &first, err);
}

static stemma_status check_segments(const struct collection *c, stemma_error *err) {
    if (!has_segments(c)) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: its manifest is missing (stemma verify --repair)",
                c->path);
}

static stemma_status check_is_empty(const struct collection *c, stemma_error *err) {
    TRY(check_segments(c, err));
    if (has_name(c, is_ours, false))
        return fail(err, STEMMA_INVALID, "'%s' is a folder with other things in it, not a collection",
                    c->path);
    return STEMMA_OK;
}

/* A collection, or a place for one. */
static stemma_status check_place(const struct collection *c, const struct collection_options *options,
                                 stemma_error *err) {
    if (has_manifest(c)) return STEMMA_OK;
    if (options->schema) return check_is_empty(c, err);
    TRY(check_segments(c, err));
    return fail(err, STEMMA_NOT_FOUND, "'%s' is not a collection", c->path);
}

static stemma_status open_to_write(struct collection *c, const struct collection_options *options,
                                   stemma_error *err) {
    TRY(check_place(c, options, err)); /* nothing is written into a folder of somebody else */
    TRY(take_lock(c, options, err));
    TRY(check_place(c, options, err)); /* as the writer before left it */
    if (!has_manifest(c)) return make_first(c, options->schema, err);
    TRY(follow(c, err));
    TRY(manifest_check_writable(&c->state.manifest, c->path, err));
    /* The writer before may have ended between its rename and the sync: what the manifest no longer names can
     * only go once that is sure. */
    TRY(sync_name(c, ".", err));
    unlink_unnamed(c);
    return STEMMA_OK;
}

static stemma_status open_folder(struct collection *c, const char *path, bool make, stemma_error *err) {
    if (!(c->path = mem_copy_string(path))) return fail_memory(err);
    if (make && mkdir(path, 0777) && errno != EEXIST) return fail_errno(err, "create", path, errno);
    c->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->folder < 0 && errno == ENOTDIR) return fail(err, STEMMA_INVALID, "'%s' is not a collection", path);
    return c->folder < 0 ? fail_errno(err, "open", path, errno) : STEMMA_OK;
}

stemma_status collection_load(struct collection *c, stemma_error *err) {
    return follow(c, err);
}

enum { BATCH_MEMORY = 64 << 20 };

static stemma_status new_collection(const struct collection_options *options, struct collection **out,
                                    stemma_error *err) {
    struct collection *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    *c = (struct collection){.folder = -1,
                             .lock = -1,
                             .kinds = options->kinds ? options->kinds : part_kinds,
                             .disk = options->disk ? options->disk : &disk_plain,
                             .memory = options->memory ? options->memory : BATCH_MEMORY,
                             .stop = options->stop,
                             .directory = options->directory};
    *out = c;
    return STEMMA_OK;
}

static stemma_status opened(struct collection *c, stemma_status status, struct collection **out) {
    if (status == STEMMA_OK)
        *out = c;
    else
        collection_close(c);
    return status;
}

stemma_status collection_open(const char *path, const struct collection_options *options,
                              struct collection **out, stemma_error *err) {
    struct collection *c;
    TRY(new_collection(options, &c, err));
    stemma_status status = open_folder(c, path, options->schema != NULL, err);
    if (status == STEMMA_OK) status = open_to_write(c, options, err);
    return opened(c, status, out);
}

stemma_status collection_open_read(const char *path, const struct collection_options *options,
                                   struct collection **out, stemma_error *err) {
    struct collection *c;
    TRY(new_collection(options, &c, err));
    stemma_status status = open_folder(c, path, false, err);
    const bool missing = status == STEMMA_OK && !has_manifest(c) && errno == ENOENT;
    if (missing) status = check_segments(c, err);
    if (missing && status == STEMMA_OK)
        status = fail(err, STEMMA_NOT_FOUND, "'%s' is not a collection", path);
    if (status == STEMMA_OK) status = follow(c, err);
    return opened(c, status, out);
}

stemma_status collection_hold(const char *path, const struct collection_options *options, bool write,
                              struct collection **out, stemma_error *err) {
    struct collection *c;
    TRY(new_collection(options, &c, err));
    stemma_status status = open_folder(c, path, false, err);
    if (status == STEMMA_OK && !has_manifest(c) && !has_segments(c))
        status = fail(err, STEMMA_NOT_FOUND, "'%s' is not a collection", path);
    if (status == STEMMA_OK && write) status = take_lock(c, options, err);
    return opened(c, status, out);
}

stemma_status collection_twin(const struct collection *of, struct collection **out, stemma_error *err) {
    struct collection *c;
    struct manifest manifest;
    struct collection_options options = {
        .kinds = of->kinds, .disk = of->disk, .stop = of->stop, .directory = of->directory};
    TRY(new_collection(&options, &c, err));
    /* The same folder, whatever has its name now. */
    c->folder = fcntl(of->folder, F_DUPFD_CLOEXEC, 0);
    stemma_status status = c->folder < 0 ? fail_errno(err, "open", of->path, errno) : STEMMA_OK;
    if (status == STEMMA_OK && !(c->path = mem_copy_string(of->path))) status = fail_memory(err);
    if (status == STEMMA_OK) status = manifest_copy(&manifest, &of->state.manifest, err);
    if (status != STEMMA_OK) return opened(c, status, out);
    status = state_open(c, &manifest, &of->state, &c->state, err);
    if (status != STEMMA_OK) manifest_release(&manifest);
    return opened(c, status, out);
}

void collection_close(struct collection *c) {
    if (!c) return;
    state_release(&c->state);
    run_reader_free(c->reader);
    vec64_release(&c->unmergeable);
    if (c->folder >= 0) close(c->folder);
    if (c->lock >= 0) close(c->lock);
    mem_free(c->path);
    mem_free(c);
}

/* ---- what it is ---- */

const volatile int *collection_stop(const struct collection *c) {
    return c->stop;
}

size_t collection_memory(const struct collection *c) {
    return c->memory;
}

const char *collection_directory(const struct collection *c) {
    return c->directory;
}

stemma_status collection_check_outside(const struct collection *c, const char *path, stemma_error *err) {
    struct stat own, folder;
    char real[PATH_MAX];
    if (!realpath(path, real)) snprintf(real, sizeof real, "%s", path);
    const bool inside = fstat(c->folder, &own) == 0 && stat(dirname(real), &folder) == 0 &&
                        own.st_dev == folder.st_dev && own.st_ino == folder.st_ino;
    return inside ? fail(err, STEMMA_INVALID, "cannot write '%s': it is inside the collection", path)
                  : STEMMA_OK;
}

stemma_status fail_not_kept(const struct collection *c, const char *what, stemma_error *err) {
    const bool cache = schema_find(collection_schema(c), KIND_SCAN_KEYS, 0) >= 0;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' %skeeps no %s", c->path,
                cache ? "is the cache of a scan, and " : "", what);
}

const char *collection_path(const struct collection *c) {
    return c->path;
}

const struct schema *collection_schema(const struct collection *c) {
    return c->state.manifest.schema;
}

void collection_about(const struct collection *c, struct collection_facts *facts) {
    const struct manifest *m = &c->state.manifest;
    *facts = (struct collection_facts){.id = m->id,
                                       .commit = m->commit,
                                       .committed = m->committed,
                                       .documents = m->documents,
                                       .gone = c->state.gone.total,
                                       .next_number = m->next_number,
                                       .segments = c->state.count,
                                       .files = m->count + (m->gone.serial != 0),
                                       .bytes = m->gone.size,
                                       .format = m->format};
    for (size_t i = 0; i < m->count; i++) facts->bytes += m->files[i].size;
}

uint64_t collection_part_bytes(const struct collection *c, uint32_t kind, uint32_t spec) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->state.count; i++)
        for (size_t f = 0; f < c->state.segments[i]->file_count; f++) {
            const struct part_place *place = segment_file_part(c->state.segments[i]->files[f], kind, spec);
            bytes += place ? place->size : 0;
        }
    return bytes;
}

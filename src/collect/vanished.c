#include "collect/vanished.h"

#include "base/alloc.h"
#include "index/facts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* So many documents may always go, and more where they are at most half of those below a path. */
enum { FREELY = 100 };

struct pruning {
    struct pending *pending;
    struct pruned_path *paths;
    size_t count;
    bool removes; /* else it counts */
    struct buf
        last; /* the file that was looked at last, with its NUL: the next document is often in it, too */
    struct pruned_path *last_path; /* that it is below; NULL: none */
    bool last_gone;
    uint64_t *removed;
};

static bool is_gone(const char *path) {
    struct stat info;
    return lstat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* Where a folder or a pipe has its name, a file is gone, too. */
static bool file_is_gone(const char *path) {
    struct stat info;
    return is_gone(path) || (lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode));
}

static size_t path_size(const char *path) {
    const size_t size = strlen(path);
    return size > 1 && path[size - 1] == '/' ? size - 1 : size;
}

static bool is_below(const char *path, const struct cell *id, uint32_t path_bytes) {
    const size_t size = path_size(path);
    if (path_bytes < size || memcmp(id->bytes, path, size) != 0) return false;
    return size == 1 || path_bytes == size || id->bytes[size] == '/';
}

/* The longest: in which order paths are named does not matter. */
static struct pruned_path *path_above(const struct pruning *p, const struct cell *id, uint32_t path_bytes) {
    struct pruned_path *above = NULL;
    for (size_t i = 0; i < p->count; i++)
        if (is_below(p->paths[i].path, id, path_bytes) &&
            (!above || path_size(p->paths[i].path) > path_size(above->path)))
            above = &p->paths[i];
    return above;
}

static stemma_status look(struct pruning *p, const struct cell *id, const struct facts *facts,
                          stemma_error *err) {
    if (p->last.len == (size_t)facts->path_bytes + 1 &&
        memcmp(p->last.data, id->bytes, facts->path_bytes) == 0)
        return STEMMA_OK;
    p->last.len = 0;
    if (!buf_add(&p->last, id->bytes, facts->path_bytes) || !buf_add_byte(&p->last, 0))
        return fail_memory(err);
    p->last_path = path_above(p, id, facts->path_bytes);
    p->last_gone = p->last_path && file_is_gone((const char *)p->last.data) && !is_gone(p->last_path->path);
    return STEMMA_OK;
}

static stemma_status look_at(struct pruning *p, uint64_t number, stemma_error *err) {
    struct facts facts;
    struct row row;
    bool found;
    TRY(collection_record(p->pending->store, number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    if (facts.path_bytes == 0 || facts.path_bytes > row.id.size) return STEMMA_OK;
    TRY(look(p, &row.id, &facts, err));
    if (p->last_path && !p->removes) {
        p->last_path->below++;
        p->last_path->gone += p->last_gone;
    }
    if (!p->last_gone || !p->removes || p->last_path->spared) return STEMMA_OK;
    /* What has gone since they were counted, nobody has judged. */
    if (p->last_path->taken++ >= p->last_path->gone) return STEMMA_OK;
    TRY(pending_remove(p->pending, row.id.bytes, row.id.size, &found, err));
    *p->removed += found && facts.state != FACTS_DATASET;
    return STEMMA_OK;
}

static stemma_status look_at_all(struct pruning *p, const volatile int *stop, stemma_error *err) {
    uint64_t number = 0;
    bool found = true;
    p->last.len = 0;
    for (;; number++) {
        TRY(collection_next(p->pending->store, number, &number, &found, err));
        if (!found) return STEMMA_OK;
        TRY(look_at(p, number, err));
        TRY(check_stop(stop, err));
    }
}

/* True where something is to be removed. */
static bool spare(struct pruning *p, bool all) {
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        struct pruned_path *path = &p->paths[i];
        const bool too_many = path->gone > FREELY && path->gone > path->below / 2;
        path->spared = path->gone && (path->empty || (too_many && !all));
        any = any || (path->gone && !path->spared);
    }
    return any;
}

stemma_status remove_vanished(struct pending *pending, struct pruned_path *paths, size_t count, bool all,
                              const volatile int *stop, uint64_t *removed, stemma_error *err) {
    struct pruning p = {.pending = pending, .paths = paths, .count = count, .removed = removed};
    stemma_status status = look_at_all(&p, stop, err);
    p.removes = true;
    if (status == STEMMA_OK && spare(&p, all)) status = look_at_all(&p, stop, err);
    buf_release(&p.last);
    return status;
}

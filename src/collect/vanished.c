#include "collect/vanished.h"

#include "base/alloc.h"
#include "index/facts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct pruning {
    struct pruned_path *paths;
    size_t count;
    struct buf
        last; /* the file that was looked at last, with its NUL: the next document is often in it, too */
    bool last_gone;
};

static bool is_gone(const char *path) {
    struct stat info;
    return lstat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static bool is_below(const char *path, const struct cell *id, uint32_t path_bytes) {
    size_t size = strlen(path);
    if (size > 1 && path[size - 1] == '/') size--;
    if (path_bytes < size || memcmp(id->bytes, path, size) != 0) return false;
    return size == 1 || path_bytes == size || id->bytes[size] == '/';
}

static bool is_below_any(const struct pruning *p, const struct cell *id, uint32_t path_bytes) {
    for (size_t i = 0; i < p->count; i++)
        if (is_below(p->paths[i].path, id, path_bytes)) return true;
    return false;
}

/* Of a file that is not there. */
static bool may_go(struct pruning *p, const struct cell *id, uint32_t path_bytes) {
    for (size_t i = 0; i < p->count; i++) {
        struct pruned_path *path = &p->paths[i];
        if (!is_below(path->path, id, path_bytes) || is_gone(path->path)) continue;
        if (!path->empty) return true;
        path->spared = true;
    }
    return false;
}

static stemma_status look(struct pruning *p, const struct cell *id, const struct facts *facts, bool *gone,
                          stemma_error *err) {
    const bool same = p->last.len == (size_t)facts->path_bytes + 1 &&
                      memcmp(p->last.data, id->bytes, facts->path_bytes) == 0;
    if (!same) {
        p->last.len = 0;
        if (!buf_add(&p->last, id->bytes, facts->path_bytes) || !buf_add_byte(&p->last, 0))
            return fail_memory(err);
        p->last_gone = is_below_any(p, id, facts->path_bytes) && is_gone((const char *)p->last.data) &&
                       may_go(p, id, facts->path_bytes);
    }
    *gone = p->last_gone;
    return STEMMA_OK;
}

static stemma_status look_at(struct pruning *p, struct pending *pending, uint64_t number, uint64_t *removed,
                             stemma_error *err) {
    struct facts facts;
    struct row row;
    bool found, gone = false;
    TRY(collection_record(pending->store, number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    if (facts.path_bytes == 0 || facts.path_bytes > row.id.size) return STEMMA_OK;
    TRY(look(p, &row.id, &facts, &gone, err));
    if (!gone) return STEMMA_OK;
    TRY(pending_remove(pending, row.id.bytes, row.id.size, &found, err));
    *removed += found && facts.state != FACTS_DATASET;
    return STEMMA_OK;
}

stemma_status remove_vanished(struct pending *pending, struct pruned_path *paths, size_t count,
                              const volatile int *stop, uint64_t *removed, stemma_error *err) {
    struct pruning p = {.paths = paths, .count = count};
    uint64_t number = 0;
    bool found = true;
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK) {
        status = collection_next(pending->store, number, &number, &found, err);
        if (status != STEMMA_OK || !found) break;
        status = look_at(&p, pending, number++, removed, err);
        if (status == STEMMA_OK) status = check_stop(stop, err);
    }
    buf_release(&p.last);
    return status;
}

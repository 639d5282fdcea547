#include "collect/listing.h"

#include "base/alloc.h"
#include "read/glob.h"

#include <stdlib.h>
#include <string.h>

/* ---- patterns ---- */

static bool part_matches(const struct glob *glob, const char *path, size_t size, bool folder) {
    if (glob_matches(glob, path, size, folder)) return true;
    if (!glob->anchored || glob->text[0] == '*') return false;
    for (size_t at = 1; at < size; at++) /* at any depth */
        if (path[at - 1] == '/' && glob_matches(glob, path + at, size - at, folder)) return true;
    return false;
}

bool id_matches(const char *text, const char *id, size_t size) {
    struct glob glob;
    const bool rooted = text[0] == '/';
    if (size && id[0] == '/') id++, size--;
    if (!glob_parse(text, strlen(text), &glob)) return false;
    if (rooted ? glob_matches(&glob, id, size, false) : part_matches(&glob, id, size, false)) return true;
    for (size_t at = 1; at < size; at++) {
        if (id[at] != '/') continue;
        if (rooted ? glob_matches(&glob, id, at, true) : part_matches(&glob, id, at, true)) return true;
    }
    return false;
}

/* ---- going through ---- */

static stemma_status give(struct collection *store, uint64_t number, const char *glob, take_listed *take,
                          void *context, stemma_error *err) {
    struct facts facts;
    struct row row;
    bool found;
    TRY(collection_record(store, number, &row, &found, err));
    if (!found || (glob && !id_matches(glob, (const char *)row.id.bytes, row.id.size))) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    return facts.state == FACTS_DATASET ? STEMMA_OK : take(context, number, row.id, &facts, err);
}

stemma_status collection_each(struct collection *store, const char *glob, const volatile int *stop,
                              take_listed *take, void *context, stemma_error *err) {
    uint64_t number = 0;
    for (bool found = true;; number++) {
        TRY(check_stop(stop, err));
        TRY(collection_next(store, number, &number, &found, err));
        if (!found) return STEMMA_OK;
        TRY(give(store, number, glob, take, context, err));
    }
}

/* ---- by their ids ---- */

struct listed {
    uint64_t number;
    size_t at, size; /* of the id */
};

struct listed_ids {
    struct buf ids;
    struct listed *list;
    size_t count, cap;
};

static stemma_status note(void *context, uint64_t number, struct cell id, const struct facts *facts,
                          stemma_error *err) {
    struct listed_ids *l = context;
    const struct listed listed = {number, l->ids.len, id.size};
    (void)facts;
    if (!buf_add(&l->ids, id.bytes, id.size) ||
        !mem_grow((void **)&l->list, &l->cap, l->count + 1, sizeof *l->list))
        return fail_memory(err);
    l->list[l->count++] = listed;
    return STEMMA_OK;
}

static int by_id(const void *a, const void *b, void *ids) {
    const struct listed *p = a, *q = b;
    const uint8_t *bytes = ids;
    const int order = memcmp(bytes + p->at, bytes + q->at, p->size < q->size ? p->size : q->size);
    return order ? order : (p->size > q->size) - (p->size < q->size);
}

stemma_status collection_each_by_id(struct collection *store, const char *glob, const volatile int *stop,
                                    take_listed *take, void *context, stemma_error *err) {
    struct listed_ids l = {0};
    stemma_status status = collection_each(store, glob, stop, note, &l, err);
    if (l.count) qsort_r(l.list, l.count, sizeof *l.list, by_id, l.ids.data);
    for (size_t i = 0; status == STEMMA_OK && i < l.count; i++) {
        status = check_stop(stop, err);
        if (status == STEMMA_OK) status = give(store, l.list[i].number, NULL, take, context, err);
    }
    buf_release(&l.ids);
    mem_free(l.list);
    return status;
}

#include "collect/listing.h"

#include "base/ordered.h"
#include "read/glob.h"

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

/* Ids are sorted in so much memory, and beyond on disk. */
#define SORT_MEMORY ((size_t)4 << 20)

static stemma_status note(void *context, uint64_t number, struct cell id, const struct facts *facts,
                          stemma_error *err) {
    (void)facts;
    return ordered_add(context, &number, id.bytes, id.size, err);
}

static int by_id(const struct ordered_entry *a, const struct ordered_entry *b) {
    const int order = memcmp(a->tail, b->tail, a->tail_size < b->tail_size ? a->tail_size : b->tail_size);
    return order ? order : (a->tail_size > b->tail_size) - (a->tail_size < b->tail_size);
}

static stemma_status give_noted(struct collection *store, struct ordered *noted, const volatile int *stop,
                                take_listed *take, void *context, stemma_error *err) {
    for (;;) {
        struct ordered_entry entry;
        uint64_t number;
        bool more;
        TRY(check_stop(stop, err));
        TRY(ordered_next(noted, &entry, &more, err));
        if (!more) return STEMMA_OK;
        memcpy(&number, entry.head, sizeof number);
        TRY(give(store, number, NULL, take, context, err));
    }
}

stemma_status collection_each_by_id(struct collection *store, const char *glob, const stemma_limits *limits,
                                    take_listed *take, void *context, stemma_error *err) {
    struct ordered *noted;
    TRY(ordered_new(sizeof(uint64_t), by_id, SORT_MEMORY, limits->temporary_directory, &noted, err));
    stemma_status status = collection_each(store, glob, limits->stop, note, noted, err);
    if (status == STEMMA_OK) status = ordered_finish(noted, err);
    if (status == STEMMA_OK) status = give_noted(store, noted, limits->stop, take, context, err);
    ordered_free(noted);
    return status;
}

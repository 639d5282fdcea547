#include "collect/listing.h"

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

/*
 * How many records cannot be told from another of their data set by their names. Nothing that is decided here
 * depends on it; but who removes by name what a scan calls redundant would remove the others, too.
 *
 * Ids are compared by 64 bits of their identities, sorted: 16 bytes a document, before ranking takes as many.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "scan/scan.h"

#include <string.h>

/* What stands behind the name of the data set, where that is told: there FILE:LINE, of a record without an
 * id, may be FILE:ID of another. */
static const char *name_in_set(const struct stemma_scan *scan, const struct document *document) {
    const char *set = scan->catalogue.sources[document->source].name;
    const size_t length = strlen(set);
    const bool by_line = !strncmp(document->id, set, length) && document->id[length] == ':';
    return by_line && scan->catalogue.source_count > 1 ? document->id + length + 1 : document->id;
}

static size_t name_keys(const struct stemma_scan *scan, uint64_t *keys) {
    const struct catalogue *c = &scan->catalogue;
    size_t count = 0;
    for (size_t i = 0; i < c->document_count; i++) {
        const struct document *document = &c->documents[i];
        if (c->sources[document->source].kind != SOURCE_DATASET) continue;
        const char *name = name_in_set(scan, document);
        keys[count++] = mix64(identity_of(&scan->key, name, strlen(name)).low + document->source);
    }
    return count;
}

static uint64_t count_equal(const uint64_t *sorted, size_t count) {
    uint64_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += (i > 0 && sorted[i - 1] == sorted[i]) || (i + 1 < count && sorted[i + 1] == sorted[i]);
    return equal;
}

stemma_status scan_count_namesakes(struct stemma_scan *scan, stemma_error *err) {
    if (scan->datasets == 0) return STEMMA_OK;
    uint64_t *keys = mem_alloc(scan->catalogue.document_count * sizeof *keys);
    if (!keys) return fail_memory(err);
    const size_t count = name_keys(scan, keys);
    const bool sorted = sort_u64(keys, count);
    if (sorted) scan->summary.namesakes = count_equal(keys, count);
    mem_free(keys);
    return sorted ? STEMMA_OK : fail_memory(err);
}

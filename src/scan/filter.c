#include "scan/filter.h"

/* Records are asked for in their order: documents are gone through beside them. What was no document (broken,
 * or passed over for its size) is not redundant. */
struct walk {
    const struct stemma_scan *scan;
    uint32_t source;
    size_t at; /* in scan->order */
};

static const struct document *document_at(const struct walk *walk) {
    return &walk->scan->catalogue.documents[walk->scan->order[walk->at]];
}

static bool is_redundant(const struct stemma_scan *scan, uint32_t document) {
    return scan->results.redundant_bits[document / 8] >> document % 8 & 1;
}

static bool keep(void *context, uint64_t offset, uint64_t line) {
    struct walk *walk = context;
    size_t count = walk->scan->catalogue.document_count;
    (void)line;
    while (walk->at < count && document_at(walk)->source == walk->source &&
           document_at(walk)->offset < offset)
        walk->at++;
    if (walk->at == count || document_at(walk)->source != walk->source || document_at(walk)->offset != offset)
        return true;
    return !is_redundant(walk->scan, walk->scan->order[walk->at]);
}

static stemma_status copy_sources(struct stemma_scan *scan, struct dataset_filter *filter, uint64_t *kept,
                                  stemma_error *err) {
    struct walk walk = {.scan = scan};
    for (uint32_t i = 0; i < scan->catalogue.source_count; i++) {
        walk.source = i;
        while (walk.at < scan->catalogue.document_count && document_at(&walk)->source < i) walk.at++;
        if (!scan->catalogue.sources[i].dataset)
            continue; /* it could not be opened: a problem that was told */
        TRY(dataset_filter_copy(filter, scan->catalogue.sources[i].dataset, keep, &walk, kept, err));
    }
    return STEMMA_OK;
}

stemma_status scan_filter(struct stemma_scan *scan, const char *path, uint64_t *kept, stemma_error *err) {
    struct dataset_filter *filter = NULL;
    uint64_t count = 0;
    for (size_t i = 0; i < scan->catalogue.source_count; i++)
        if (scan->catalogue.sources[i].kind != SOURCE_DATASET)
            return fail(err, STEMMA_INVALID,
                        "'%s' is not a data set: only data sets are written without their redundant records",
                        scan->catalogue.sources[i].name);
    TRY(dataset_filter_open(path, &filter, err));
    stemma_status status = copy_sources(scan, filter, &count, err);
    if (status != STEMMA_OK) {
        dataset_filter_abandon(filter);
        return status;
    }
    TRY(dataset_filter_commit(filter, err));
    if (kept) *kept = count;
    return STEMMA_OK;
}

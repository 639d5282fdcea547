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
        const struct source *source = &scan->catalogue.sources[i];
        struct dataset *dataset;
        if (!source->dataset && !source->known)
            continue; /* it could not be opened: a problem that was told */
        TRY(scan_dataset(scan, i, &dataset, err));
        TRY(dataset_filter_copy(filter, dataset, keep, &walk, kept, err));
    }
    return STEMMA_OK;
}

/* What standard input is shows when it is read: BY_NAME before. */
static enum dataset_kind kind_of(const struct source *source) {
    return source->dataset ? dataset_kind(source->dataset) : dataset_kind_of(source->name);
}

stemma_status scan_filter_check(const struct stemma_scan *scan, const char *path, stemma_error *err) {
    enum dataset_kind kind = dataset_kind_of(path);
    const char *other = path;
    for (size_t i = 0; i < scan->catalogue.source_count; i++) {
        const struct source *source = &scan->catalogue.sources[i];
        if (source->kind != SOURCE_DATASET)
            return fail(err, STEMMA_INVALID,
                        "'%s' is not a data set: only data sets are written without their redundant records",
                        source->name);
        if (kind_of(source) == DATASET_BY_NAME) continue;
        if (kind != DATASET_BY_NAME && kind_of(source) != kind)
            return fail(err, STEMMA_INVALID, "'%s' and '%s' are data sets of different kinds", source->name,
                        other);
        kind = kind_of(source);
        other = source->name;
    }
    return STEMMA_OK;
}

stemma_status scan_filter(struct stemma_scan *scan, const char *path, uint64_t *kept, stemma_error *err) {
    struct dataset_filter *filter = NULL;
    uint64_t count = 0;
    TRY(scan_filter_check(scan, path, err));
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

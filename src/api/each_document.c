#include "api/each_document.h"

#include "api/limits.h"

stemma_status each_check_paths(const struct stemma_collection *collection, const char *const *paths,
                               size_t count, bool taken, stemma_error *err) {
    if (!collection || !taken || (!paths && count))
        return fail(err, STEMMA_INVALID, "a collection, paths and someone to take the answers are needed");
    for (size_t i = 0; i < count; i++)
        if (!paths[i] || !*paths[i]) return fail(err, STEMMA_INVALID, "an empty path names no file");
    return STEMMA_OK;
}

stemma_status each_reading(const struct stemma_collection *collection, const stemma_scan_options *given,
                           struct scan_settings *out, stemma_error *err) {
    const stemma_scan_options all = stemma_scan_options_default();
    out->options = all;
    out->limits = collection->limits;
    out->store = collection_path(collection->store);
    TRY(options_take(given, &out->options, sizeof out->options, err));
    out->options.threshold = all.threshold; /* of a scan; here they mean nothing */
    out->options.contained = all.contained;
    return STEMMA_OK;
}

stemma_status each_tell_problems(const struct each *each,
                                 void (*tell)(void *context, const stemma_scan_problem *problem),
                                 void *context, stemma_error *err) {
    struct problems *problems = &each->scan->catalogue.problems;
    stemma_status status = tell ? STEMMA_OK : STEMMA_NOT_FOUND;
    stemma_error cause;
    for (uint64_t i = 0; status == STEMMA_OK; i++) {
        struct problem p;
        status = problems_get(problems, i, &p, &cause);
        if (status != STEMMA_OK) break;
        const stemma_scan_problem problem = {
            .name = p.name, .line = p.line, .status = p.status, .cause = p.cause};
        tell(context, &problem);
    }
    return status == STEMMA_NOT_FOUND ? STEMMA_OK : fail(err, status, "%s", cause.message);
}

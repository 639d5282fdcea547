/* stemma/scan.h: arguments are checked here, the work is in src/scan. */
#include "scan/scan.h"
#include "api/limits.h"
#include "base/alloc.h"
#include "collect/scan_cache.h"
#include "read/format.h"
#include "scan/boilerplate.h"
#include "scan/filter.h"
#include "scan/original.h"
#include "scan/pairs.h"

#define THRESHOLD_LEAST .3
#define CONTAINED_LEAST .5

stemma_scan_options stemma_scan_options_default(void) {
    return (stemma_scan_options){.size = sizeof(stemma_scan_options), .threshold = .7, .contained = .9};
}

static stemma_status check_options(const stemma_scan_options *given, stemma_scan_options *out,
                                   stemma_error *err) {
    stemma_scan_options o = stemma_scan_options_default();
    TRY(options_take(given, &o, sizeof o, err));
    if (!(o.threshold >= THRESHOLD_LEAST && o.threshold <= 1))
        return fail(err, STEMMA_INVALID, "the threshold of a scan is between .3 and 1");
    if (o.contained != 0 && !(o.contained >= CONTAINED_LEAST && o.contained <= 1))
        return fail(err, STEMMA_INVALID, "the containment of a scan is between .5 and 1, or 0 for none");
    if ((o.include_count && !o.include) || (o.exclude_count && !o.exclude))
        return fail(err, STEMMA_INVALID, "there are no such patterns");
    if (o.keep > STEMMA_KEEP_SHORTEST_PATH || o.group > STEMMA_GROUP_POPULAR)
        return fail(err, STEMMA_INVALID, "an option of the scan has no such value");
    *out = o;
    return STEMMA_OK;
}

stemma_status stemma_scan_new(const stemma_recipe *recipe, const stemma_scan_options *options,
                              const stemma_limits *limits, stemma_scan **out, stemma_error *err) {
    struct scan_settings settings = {0};
    stemma_recipe *own = NULL;
    if (!out) return fail(err, STEMMA_INVALID, "a place for the scan is needed");
    TRY(check_options(options, &settings.options, err));
    TRY(limits_check(limits, &settings.limits, err));
    if (settings.options.boilerplate && recipe && recipe->view.labelled)
        return fail(err, STEMMA_INVALID,
                    "boilerplate is not looked for with labels: their shingles have no place");
    if (!recipe) TRY(recipe_parse("", 0, &own, err));
    stemma_status status = scan_new(recipe ? recipe : own, &settings, out, err);
    recipe_release(own);
    return status;
}

void stemma_scan_free(stemma_scan *scan) {
    scan_free(scan);
}

stemma_status stemma_scan_add_path(stemma_scan *scan, const char *path, stemma_error *err) {
    if (!scan || !path) return fail(err, STEMMA_INVALID, "a scan and a path are needed");
    if (!*path) return fail(err, STEMMA_INVALID, "an empty path names no file");
    if (scan->started) return fail(err, STEMMA_INVALID, "the scan has begun");
    return scan_add_path(scan, path, err);
}

stemma_status stemma_scan_add_text(stemma_scan *scan, const char *id, const void *data, size_t size,
                                   stemma_error *err) {
    if (!scan || !id || (!data && size))
        return fail(err, STEMMA_INVALID, "a scan, an id and data are needed");
    if (scan->started) return fail(err, STEMMA_INVALID, "the scan has begun");
    struct source source = {.name = id, .kind = SOURCE_MEMORY, .size = size, .memory = data ? data : ""};
    return catalogue_add_source(&scan->catalogue, &source, err);
}

/* What was read is known to the next scan, also when this one did not come to its end. */
static stemma_status run_with_cache(stemma_scan *scan, stemma_error *err) {
    struct cache_of_scans *cache;
    TRY(scan_cache_open(scan->settings.options.cache, scan, &cache, err));
    stemma_status status = scan_run(scan, err);
    stemma_status closed = scan_cache_close(cache, status == STEMMA_OK, status == STEMMA_OK ? err : NULL);
    scan->cache = NULL;
    return status == STEMMA_OK ? closed : status;
}

stemma_status stemma_scan_run(stemma_scan *scan, stemma_error *err) {
    if (!scan || scan->started) return fail(err, STEMMA_INVALID, "a scan that has not run is needed");
    scan->started = true;
    return scan->settings.options.cache ? run_with_cache(scan, err) : scan_run(scan, err);
}

/* ---- results ---- */

stemma_scan_summary stemma_scan_get_summary(const stemma_scan *scan) {
    return scan ? scan->summary : (stemma_scan_summary){0};
}

const char *stemma_scan_get_cache_trouble(const stemma_scan *scan) {
    return scan && scan->cache_trouble.status != STEMMA_OK ? scan->cache_trouble.message : NULL;
}

stemma_scan_document stemma_scan_get_document(const stemma_scan *scan, uint64_t number) {
    if (!scan || !scan->done || number >= scan->catalogue.document_count)
        return (stemma_scan_document){.id = ""};
    const struct catalogue *c = &scan->catalogue;
    const struct document *document = &c->documents[scan->order[number]];
    const struct source *source = &c->sources[document->source];
    return (stemma_scan_document){
        .id = document->id ? document->id : source->name,
        .source = source->kind == SOURCE_DATASET ? source->name : NULL,
        .container = catalogue_is_contained(c, document) ? source->name : NULL,
        .offset = document->offset,
        .bytes = document->bytes,
        .modified = source->modified,
        .has_owner = source->has_owner,
        .owner = source->owner,
        .form = format_name((enum text_format)document->format),
    };
}

/* Groups are mostly asked for one after the other, and their documents lie anywhere in memory: what the next
 * ones will need is fetched, step by step. */
static void fetch_ahead(const stemma_scan *scan, uint64_t index) {
    enum { STEP = 4, MEMBERS = 4 };
    const struct scan_results *r = &scan->results;
    const struct catalogue *c = &scan->catalogue;
    if (index + 3 * STEP >= r->group_count) return;
    __builtin_prefetch(&scan->place[r->groups[index + 3 * STEP].kept]);
    __builtin_prefetch(&c->documents[r->groups[index + 3 * STEP].kept]);
    __builtin_prefetch(&r->members[r->groups[index + 3 * STEP].first]);
    const struct result_group *later = &r->groups[index + 2 * STEP], *sooner = &r->groups[index + STEP];
    for (size_t i = 0; i < later->count && i < MEMBERS; i++)
        __builtin_prefetch(&scan->order[r->members[later->first + i].document]);
    for (size_t i = 0; i < sooner->count && i < MEMBERS; i++)
        __builtin_prefetch(&c->documents[scan->order[r->members[sooner->first + i].document]]);
}

stemma_status stemma_scan_get_group(const stemma_scan *scan, uint64_t index, stemma_scan_group *group,
                                    stemma_error *err) {
    if (!scan || !group) return fail(err, STEMMA_INVALID, "a scan and a place for the group are needed");
    if (!scan->done || index >= scan->results.group_count)
        return fail(err, STEMMA_NOT_FOUND, "there is no such group");
    const struct result_group *found = &scan->results.groups[index];
    fetch_ahead(scan, index);
    *group = (stemma_scan_group){
        .kept = scan->place[found->kept],
        .members = scan->results.members + found->first,
        .member_count = found->count,
        .redundant_bytes = found->bytes,
    };
    return STEMMA_OK;
}

stemma_status stemma_scan_get_tree(const stemma_scan *scan, uint64_t index, stemma_tree *tree,
                                   stemma_error *err) {
    if (!scan || !tree) return fail(err, STEMMA_INVALID, "a scan and a place for the tree are needed");
    if (!scan->settings.options.tree) return fail(err, STEMMA_INVALID, "the scan was not asked for trees");
    if (!scan->done || index >= scan->results.group_count)
        return fail(err, STEMMA_NOT_FOUND, "there is no such group");
    const struct result_group *found = &scan->results.groups[index];
    *tree = (stemma_tree){
        .nodes = scan->results.nodes + found->node, .count = found->count + 1, .root = found->root};
    return STEMMA_OK;
}

const char *stemma_derivation_name(stemma_derivation derivation) {
    static const char *const names[] = {"root",  "same",    "added",    "removed",  "revised",
                                        "moved", "excerpt", "extended", "combined", "replaced"};
    return (size_t)derivation < sizeof names / sizeof *names ? names[derivation] : "unknown";
}

stemma_status stemma_scan_get_problem(const stemma_scan *scan, uint64_t index, stemma_scan_problem *problem,
                                      stemma_error *err) {
    if (!scan || !problem) return fail(err, STEMMA_INVALID, "a scan and a place for the problem are needed");
    struct problem found;
    TRY(problems_get((struct problems *)&scan->catalogue.problems, index, &found, err));
    *problem = (stemma_scan_problem){found.name, found.line, found.status, found.cause};
    return STEMMA_OK;
}

const uint64_t *stemma_scan_copies(stemma_scan *scan, uint64_t document, size_t *count) {
    if (!scan || !scan->done || !count || document >= scan->catalogue.document_count) return NULL;
    return scan_copies(scan, scan->order[document], count);
}

bool stemma_scan_same_bytes(const stemma_scan *scan, uint64_t a, uint64_t b) {
    if (!scan || !scan->done || a >= scan->catalogue.document_count || b >= scan->catalogue.document_count)
        return false;
    return scan_same_bytes(scan, scan->order[a], scan->order[b]);
}

static stemma_status check_done(const stemma_scan *scan, bool asked, const char *what, stemma_error *err) {
    if (!scan || !scan->done) return fail(err, STEMMA_INVALID, "a scan that has run is needed");
    return asked ? STEMMA_OK : fail(err, STEMMA_INVALID, "the scan was not asked for %s", what);
}

stemma_status stemma_scan_pairs(stemma_scan *scan, stemma_scan_take_pair *take, void *context,
                                stemma_error *err) {
    TRY(check_done(scan, scan && scan->settings.options.pairs, "pairs", err));
    if (!take) return fail(err, STEMMA_INVALID, "a function that takes the pairs is needed");
    return scan_pairs(scan, take, context, err);
}

stemma_status stemma_scan_boilerplate(stemma_scan *scan, uint64_t least, size_t most,
                                      stemma_scan_take_passage *take, void *context, stemma_error *err) {
    TRY(check_done(scan, scan && scan->settings.options.boilerplate, "boilerplate", err));
    if (!take) return fail(err, STEMMA_INVALID, "a function that takes the passages is needed");
    return scan_boilerplate(scan, least, most, take, context, err);
}

stemma_status stemma_scan_get_text(stemma_scan *scan, uint64_t document, const char **text, size_t *size,
                                   bool *canonical, stemma_error *err) {
    TRY(check_done(scan, true, "", err));
    if (!text || !size) return fail(err, STEMMA_INVALID, "a place for the text and its size is needed");
    if (document >= scan->catalogue.document_count)
        return fail(err, STEMMA_NOT_FOUND, "there is no such document");
    bool folded;
    stemma_error cause; /* which may say IO of what is a problem of the document */
    stemma_status status = scan_original(scan, scan->order[document], text, size, &folded, &cause);
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    if (canonical) *canonical = folded;
    return STEMMA_OK;
}

stemma_status stemma_scan_filter(stemma_scan *scan, const char *path, uint64_t *kept, stemma_error *err) {
    TRY(check_done(scan, true, "", err));
    if (!path) return fail(err, STEMMA_INVALID, "a path to write to is needed");
    return scan_filter(scan, path, kept, err);
}

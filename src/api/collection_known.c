/* stemma/collection.h, known files: arguments are checked here, the work is in src/collect. */
#include "api/collection_edits.h"
#include "api/each_document.h"
#include "api/limits.h"
#include "collect/known.h"
#include "estimate/quantity.h"

/* Of fewer samples, whatever they say, nothing is concluded. */
enum { SAMPLES_LEAST = 4 };

stemma_known_options stemma_known_options_default(void) {
    return (stemma_known_options){.size = sizeof(stemma_known_options), .contained = .5};
}

const char *stemma_verdict_name(stemma_verdict verdict) {
    static const char *const names[] = {"known", "unknown", "too-short", "no-text"};
    return verdict <= STEMMA_NO_TEXT ? names[verdict] : "?";
}

static stemma_quantity samples_share(uint64_t shared, uint64_t samples) {
    return samples ? quantity_share((double)shared, (double)samples, 1)
                   : quantity_unknown("the file is too short to have samples");
}

static stemma_known_file describe(const struct each_result *result, double contained) {
    const struct known_answer *a = result->answer;
    stemma_known_file file = {.file = result->id, .place = result->place, .verdict = STEMMA_NO_TEXT};
    file.containment = file.best_containment = quantity_unknown("nothing was read");
    file.edit = edit_unknown("nothing was read");
    if (!a) return file;
    file.samples = a->samples;
    file.versions = a->versions;
    file.name = a->name;
    file.best = a->best;
    file.identical = a->identical;
    file.containment = samples_share(a->shared, a->samples);
    file.best_containment = samples_share(a->best_shared, a->samples);
    file.edit = a->measured    ? a->edit
                : a->identical ? edit_none("the bytes are the same")
                               : edit_unknown("no signature is kept of it");
    if (a->identical) {
        file.verdict = STEMMA_KNOWN;
        file.containment = file.best_containment = quantity_exact(1);
    } else if (a->no_text)
        file.verdict = STEMMA_NO_TEXT;
    else if (a->samples < SAMPLES_LEAST)
        file.verdict = STEMMA_TOO_SHORT;
    else
        file.verdict = (double)a->shared >= contained * (double)a->samples ? STEMMA_KNOWN : STEMMA_NOT_KNOWN;
    return file;
}

struct giving {
    double contained;
    stemma_take_known_file *take;
    void *context;
    stemma_known_summary sum;
};

static stemma_status give(void *receiver, const struct each_result *result, stemma_error *err) {
    struct giving *g = receiver;
    if (result->failed) return STEMMA_OK;
    const stemma_known_file file = describe(result, g->contained);
    g->sum.files++;
    g->sum.known += file.verdict == STEMMA_KNOWN;
    g->sum.too_short += file.verdict == STEMMA_TOO_SHORT;
    g->sum.without_text += file.verdict == STEMMA_NO_TEXT;
    return g->take(g->context, &file, err);
}

static stemma_status check_options(const stemma_known_options *given, stemma_known_options *o,
                                   stemma_error *err) {
    *o = stemma_known_options_default();
    TRY(options_take(given, o, sizeof *o, err));
    if (!(o->contained > 0 && o->contained <= 1))
        return fail(err, STEMMA_INVALID, "the share that is known is above 0, and at most 1");
    if (o->versions > STEMMA_VERSIONS_EACH)
        return fail(err, STEMMA_INVALID, "versions are told by name, folder or each");
    return STEMMA_OK;
}

static stemma_status run(struct each *each, const struct stemma_collection *c,
                         const struct each_subject *subject, const stemma_known_options *o,
                         stemma_error *err) {
    struct scan_settings reading = {0};
    TRY(each_reading(c, o->reading, &reading, err));
    TRY(each_run(each, &reading, subject, err));
    return each_tell_problems(each, o->problem, o->problem_context, err);
}

static stemma_status measure(const struct known_asking *asking, const struct signature_pair *pair,
                             stemma_edit *out, stemma_error *err) {
    return edit_by_signatures(&asking->recipe->view, pair, out, err);
}

static stemma_status judge_all(stemma_collection *collection, const struct each_subject *subject,
                               const stemma_known_options *options, stemma_take_known_file *take,
                               void *context, stemma_known_summary *summary, stemma_error *err) {
    stemma_known_options o;
    TRY(check_options(options, &o, err));
    struct known_asking asking = {.store = collection->store,
                                  .recipe = collection->recipe,
                                  .by = (enum known_by)o.versions,
                                  .contained = o.contained,
                                  .measure = measure};
    struct giving g = {.contained = o.contained, .take = take, .context = context};
    struct each each;
    each_init(&each, &known_each, &asking, collection->recipe, give, &g);
    stemma_status status = run(&each, collection, subject, &o, err);
    if (status == STEMMA_OK) g.sum.problems = each.scan->catalogue.problems.count;
    if (status == STEMMA_OK && summary) *summary = g.sum;
    each_release(&each);
    return status;
}

stemma_status stemma_collection_known(stemma_collection *collection, const char *const *paths, size_t count,
                                      const stemma_known_options *options, stemma_take_known_file *take,
                                      void *context, stemma_known_summary *summary, stemma_error *err) {
    TRY(each_check_paths(collection, paths, count, take != NULL, err));
    return judge_all(collection, &(struct each_subject){.paths = paths, .count = count}, options, take,
                     context, summary, err);
}

stemma_status stemma_collection_known_text(stemma_collection *collection, const char *id, const void *data,
                                           size_t size, const stemma_known_options *options,
                                           stemma_take_known_file *take, void *context,
                                           stemma_known_summary *summary, stemma_error *err) {
    if (!collection || !take || !id || (!data && size))
        return fail(err, STEMMA_INVALID,
                    "a collection, a document and someone to take the answer are needed");
    return judge_all(collection, &(struct each_subject){.id = id, .data = data ? data : "", .size = size},
                     options, take, context, summary, err);
}

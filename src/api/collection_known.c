/* Section 16 of stemma.h, known files: arguments are checked here, the work is in src/collect. */
#include "api/collection.h"
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

static stemma_known_file describe(const struct each_result *result, uint64_t place, double contained) {
    const struct known_answer *a = result->answer;
    stemma_known_file file = {.file = result->id, .place = place, .verdict = STEMMA_NO_TEXT};
    file.containment = file.best_containment = quantity_unknown("nothing was read");
    if (!a) return file;
    file.samples = a->samples;
    file.versions = a->versions;
    file.name = a->name;
    file.best = a->best;
    file.containment = samples_share(a->shared, a->samples);
    file.best_containment = samples_share(a->best_shared, a->samples);
    if (a->samples < SAMPLES_LEAST)
        file.verdict = STEMMA_TOO_SHORT;
    else
        file.verdict = (double)a->shared >= contained * (double)a->samples ? STEMMA_KNOWN : STEMMA_NOT_KNOWN;
    return file;
}

static stemma_status give_all(const struct each *each, const stemma_known_options *o,
                              stemma_take_known_file *take, void *context, stemma_known_summary *sum,
                              stemma_error *err) {
    *sum = (stemma_known_summary){.problems = each->scan->catalogue.problem_count};
    for (size_t i = 0; i < each->count; i++) {
        if (each->results[i].failed) continue;
        stemma_known_file file = describe(&each->results[i], i, o->contained);
        sum->files++;
        sum->known += file.verdict == STEMMA_KNOWN;
        sum->too_short += file.verdict == STEMMA_TOO_SHORT;
        sum->without_text += file.verdict == STEMMA_NO_TEXT;
        TRY(take(context, &file, err));
    }
    return STEMMA_OK;
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

static stemma_status run(struct each *each, const struct stemma_collection *c, const char *const *paths,
                         size_t count, const stemma_known_options *o, stemma_error *err) {
    struct scan_settings reading = {0};
    TRY(each_reading(c, o->reading, &reading, err));
    TRY(each_run(each, &reading, &(struct each_subject){.paths = paths, .count = count}, err));
    each_tell_problems(each, o->problem, o->problem_context);
    return STEMMA_OK;
}

stemma_status stemma_collection_known(stemma_collection *collection, const char *const *paths, size_t count,
                                      const stemma_known_options *options, stemma_take_known_file *take,
                                      void *context, stemma_known_summary *summary, stemma_error *err) {
    stemma_known_options o;
    stemma_known_summary sum;
    TRY(each_check_paths(collection, paths, count, take != NULL, err));
    TRY(check_options(options, &o, err));
    struct known_asking asking = {.store = collection->store,
                                  .recipe = collection->recipe,
                                  .by = (enum known_by)o.versions,
                                  .contained = o.contained};
    struct each each;
    each_init(&each, &known_each, &asking, collection->recipe);
    stemma_status status = run(&each, collection, paths, count, &o, err);
    if (status == STEMMA_OK) status = give_all(&each, &o, take, context, &sum, err);
    if (status == STEMMA_OK && summary) *summary = sum;
    each_release(&each);
    return status;
}

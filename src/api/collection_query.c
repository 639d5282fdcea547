/* stemma/collection.h, asking: arguments are checked here, the work is in src/collect. */
#include "api/collection_edits.h"
#include "api/each_document.h"
#include "api/limits.h"
#include "base/thread.h"
#include "collect/direct.h"
#include "collect/query.h"
#include "index/hamming/parts.h"

#include <string.h>

enum { TOP = 10, TOP_HELD = 1024 /* more are sorted on disk */, FAMILY_MOST = 1000 };

const char *stemma_via_name(stemma_via via) {
    static const char *const names[] = {"auto", "bands", "samples", "scan", "g", "h", "mih"};
    return via <= STEMMA_VIA_MIH ? names[via] : "unknown";
}

const char *stemma_evidence_name(stemma_evidence evidence) {
    static const char *const names[] = {"original", "stored", "changed", "gone"};
    return evidence <= STEMMA_FROM_GONE ? names[evidence] : "unknown";
}

stemma_query_options stemma_query_options_default(void) {
    return (stemma_query_options){.size = sizeof(stemma_query_options),
                                  .threshold = .7,
                                  .contained = .9,
                                  .top = TOP,
                                  .family_most = FAMILY_MOST};
}

/* ---- what is asked ---- */

static double lower(double a, double b) {
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* Bands and fingerprints know of nothing else. */
static stemma_status set_resemblance(const stemma_query_options *o, struct asker_settings *s,
                                     stemma_error *err) {
    if (o->threshold == 0)
        return fail(err, STEMMA_INVALID, "%s finds what resembles a document: a threshold above 0 is needed",
                    stemma_via_name(o->via));
    return asking_init(&s->asking, o->threshold, 0, err);
}

static stemma_status set_bits(const stemma_query_options *o, enum hamming_via via, struct asker_settings *s,
                              stemma_error *err) {
    s->by_bits = true;
    s->bits = via;
    return set_resemblance(o, s, err);
}

static bool keeps_bits_alone(const struct schema *schema) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    return layout.bits && schema_find(schema, KIND_MINIMA, 0) < 0;
}

/* By minima and samples, or, where fingerprints are all there is, by these. */
static stemma_status set_sketches(const struct stemma_collection *c, const stemma_query_options *o,
                                  enum retrieval_way way, enum hamming_via bits, struct asker_settings *s,
                                  stemma_error *err) {
    s->way = way;
    if (!keeps_bits_alone(collection_schema(c->store)))
        return asking_init(&s->asking, o->threshold, o->contained, err);
    if (o->contained == 0) return set_bits(o, bits, s, err);
    return fail(err, STEMMA_UNSUPPORTED,
                "'%s' keeps fingerprints alone, which find what resembles a document, not what contains it",
                collection_path(c->store));
}

/* What resembles a document by t shares t of its shingles and more, both ways: so samples find it, too. */
static stemma_status set_via(const struct stemma_collection *c, const stemma_query_options *o,
                             struct asker_settings *s, stemma_error *err) {
    switch (o->via) {
    case STEMMA_VIA_AUTO:
        return set_sketches(c, o, RETRIEVE_AUTO, HAMMING_AUTO, s, err);
    case STEMMA_VIA_SCAN:
        return set_sketches(c, o, RETRIEVE_SCAN, HAMMING_SCAN, s, err);
    case STEMMA_VIA_BANDS:
        s->way = RETRIEVE_LOOKUP;
        return set_resemblance(o, s, err);
    case STEMMA_VIA_SAMPLES:
        s->way = RETRIEVE_LOOKUP;
        return asking_init(&s->asking, 0, lower(o->threshold, o->contained), err);
    case STEMMA_VIA_G:
        return set_bits(o, HAMMING_G, s, err);
    case STEMMA_VIA_H:
        return set_bits(o, HAMMING_H, s, err);
    case STEMMA_VIA_MIH:
        return set_bits(o, HAMMING_MIH, s, err);
    }
    return fail(err, STEMMA_INVALID, "there is no such way to find documents");
}

static stemma_status check_options(const stemma_query_options *given, stemma_query_options *o,
                                   stemma_error *err) {
    *o = stemma_query_options_default();
    TRY(options_take(given, o, sizeof *o, err));
    if (o->family && o->family_most == 0) return fail(err, STEMMA_INVALID, "a family of no documents");
    return STEMMA_OK;
}

static stemma_status query_settings(const struct stemma_collection *c, const stemma_query_options *o,
                                    struct query *query, stemma_error *err) {
    struct asker_settings *s = &query->settings;
    TRY(set_via(c, o, s, err));
    s->threshold = o->threshold;
    s->contained = o->contained;
    s->top = o->family ? o->family_most : o->top;
    s->many = !o->family && (o->top == 0 || o->top > TOP_HELD);
    s->limits = c->limits;
    s->threads = 1;
    if (!o->edits) return STEMMA_OK;
    s->measuring = &collection_measuring;
    s->context = (void *)c;
    query->drop = stemma_alignment_free;
    return STEMMA_OK;
}

/* ---- what comes of it ---- */

/* One question: query has its settings before it is asked. */
struct asked_by_caller {
    struct stemma_collection *collection;
    stemma_query_options options;
    struct scan_settings reading;
    struct query query;
    stemma_take_match *take;
    void *context;
    uint64_t place; /* of the document whose matches are given */
    stemma_query_summary sum;
};

static stemma_status give(struct asked_by_caller *asked, const char *from, uint64_t step,
                          const struct answer *a, stemma_error *err) {
    const bool edits = asked->query.settings.measuring;
    const stemma_match match = {.query = from,
                                .place = asked->place,
                                .step = step,
                                .id = a->id,
                                .number = a->number,
                                .relation = a->relation,
                                .resemblance = a->numbers.resemblance,
                                .a_in_b = a->numbers.a_in_b,
                                .b_in_a = a->numbers.b_in_a,
                                .source = a->evidence,
                                .edit = edits ? a->edit : edit_unknown("it was not asked for"),
                                .alignment = a->alignment,
                                .extracted = {a->extracted[0], a->extracted[1]},
                                .canonical = {a->canonical[0], a->canonical[1]},
                                .regions = a->regions,
                                .region_count = a->region_count,
                                .placed = a->placed};
    const bool unread = a->evidence == STEMMA_FROM_CHANGED || a->evidence == STEMMA_FROM_GONE;
    asked->sum.found++;
    asked->sum.unmeasured += edits && unread && !a->edit.distance.known;
    return asked->take(asked->context, &match, err);
}

static stemma_status give_family(struct asked_by_caller *a, const char *id, const struct relatives *family,
                                 stemma_error *err) {
    for (size_t i = 0; i < family->count; i++) {
        const struct relative *r = &family->list[i];
        const char *from = r->from == FROM_QUESTION ? id : family->list[r->from].answer.id;
        TRY(give(a, from, r->step, &r->answer, err));
    }
    a->sum.families_cut += family->cut;
    return STEMMA_OK;
}

_Static_assert(ANSWERS_LISTED == 256, "as it is said here, and in stemma-query(1)");

/* Those behind the list, which nobody has measured. */
static stemma_status give_more(struct asked_by_caller *a, const char *id, struct answers *answers,
                               stemma_error *err) {
    const size_t top = a->query.settings.top;
    for (size_t given = answers->count; top == 0 || given < top; given++) {
        struct answer answer;
        bool is_one;
        TRY(check_stop(a->collection->limits.stop, err));
        TRY(answers_next(answers, &answer, &is_one, err));
        if (!is_one) break;
        answer.edit = edit_unknown("it is not among the first 256 matches");
        TRY(give(a, id, 1, &answer, err));
    }
    return STEMMA_OK;
}

static stemma_status give_answers(struct asked_by_caller *a, const char *id, struct query_answer *answer,
                                  stemma_error *err) {
    if (a->options.family) return give_family(a, id, &answer->family, err);
    for (size_t i = 0; i < answer->answers.count; i++) TRY(give(a, id, 1, &answer->answers.list[i], err));
    return give_more(a, id, &answer->answers, err);
}

/* All that was found for one document. */
static stemma_status give_result(void *receiver, const struct each_result *result, stemma_error *err) {
    struct asked_by_caller *a = receiver;
    struct query_answer *answer = result->answer;
    const uint64_t before = a->sum.found;
    if (result->failed) return STEMMA_OK;
    a->sum.documents++;
    a->sum.without_text += !answer;
    a->place = result->place;
    if (answer) TRY(give_answers(a, result->id, answer, err));
    const stemma_question question = {
        .id = result->id, .place = result->place, .found = a->sum.found - before, .empty = !answer};
    if (a->options.asked) a->options.asked(a->options.asked_context, &question);
    return STEMMA_OK;
}

static stemma_query_summary summary_of(const struct asked_by_caller *a) {
    const struct asker_work *w = &a->query.work;
    const struct asker_settings *s = &a->query.settings;
    stemma_query_summary sum = a->sum;
    memcpy(sum.ways, w->retrieval.ways, sizeof sum.ways);
    if (sum.ways[STEMMA_WAY_BANDS]) sum.bands = s->asking.bands, sum.agree = s->asking.agree;
    if (sum.ways[STEMMA_WAY_ALL_MINIMA]) sum.scan_agree = s->asking.scan_agree;
    sum.scanned = w->retrieval.scanned;
    sum.lookups = w->retrieval.lookups;
    sum.postings = w->retrieval.postings;
    sum.common = w->retrieval.common;
    sum.left_aside = w->retrieval.left_aside;
    sum.candidates = w->candidates;
    sum.verified = w->verified;
    sum.unverified = w->unverified;
    sum.seconds_finding = w->seconds_finding;
    sum.seconds_verifying = w->seconds_verifying;
    return sum;
}

static stemma_status ask_begin(struct asked_by_caller *a, const stemma_query_options *options,
                               stemma_error *err) {
    TRY(check_options(options, &a->options, err));
    TRY(each_reading(a->collection, a->options.reading, &a->reading, err));
    query_init(&a->query, a->collection->store, a->collection->recipe);
    a->query.family_most = a->options.family ? a->options.family_most : 0;
    return STEMMA_OK;
}

static stemma_status ask_end(struct asked_by_caller *a, stemma_status status, stemma_query_summary *summary) {
    if (status == STEMMA_OK && summary) *summary = summary_of(a);
    query_release(&a->query);
    return status;
}

/* ---- documents of paths ---- */

static stemma_status ask_each(struct asked_by_caller *a, struct each *each, const char *const *paths,
                              size_t count, stemma_error *err) {
    TRY(query_settings(a->collection, &a->options, &a->query, err));
    a->query.settings.threads = thread_count(a->reading.options.threads);
    TRY(each_run(each, &a->reading, &(struct each_subject){.paths = paths, .count = count}, err));
    a->sum.problems = each->scan->catalogue.problems.count;
    a->sum.seconds_reading = each->seconds_reading;
    return each_tell_problems(each, a->options.problem, a->options.problem_context, err);
}

static stemma_status ask_paths(struct asked_by_caller *a, const char *const *paths, size_t count,
                               stemma_error *err) {
    struct each each;
    each_init(&each, &query_each, &a->query, a->collection->recipe, give_result, a);
    stemma_status status = ask_each(a, &each, paths, count, err);
    each_release(&each);
    return status;
}

stemma_status stemma_collection_query(stemma_collection *collection, const char *const *paths, size_t count,
                                      const stemma_query_options *options, stemma_take_match *take,
                                      void *context, stemma_query_summary *summary, stemma_error *err) {
    struct asked_by_caller a = {.collection = collection, .take = take, .context = context};
    TRY(each_check_paths(collection, paths, count, take != NULL, err));
    TRY(ask_begin(&a, options, err));
    return ask_end(&a, ask_paths(&a, paths, count, err), summary);
}

/* ---- documents in memory ---- */

/* What is kept between calls follows from these alone. */
static bool same_question(const stemma_query_options *a, const stemma_query_options *b) {
    return a->threshold == b->threshold && a->contained == b->contained && a->via == b->via &&
           a->top == b->top && a->edits == b->edits && a->family == b->family &&
           a->family_most == b->family_most;
}

/* Plan and scratch are kept for the next document that is asked about in the same way. */
static stemma_status make_direct(struct asked_by_caller *a, stemma_error *err) {
    struct stemma_collection *c = a->collection;
    if (c->direct && same_question(&c->direct_options, &a->options)) return STEMMA_OK;
    direct_free(c->direct);
    c->direct = NULL;
    TRY(query_settings(c, &a->options, &a->query, err));
    TRY(direct_new(c->store, c->recipe, &a->query.settings, &c->direct, err));
    c->direct_options = a->options;
    return STEMMA_OK;
}

/* A question like others from here on. */
static stemma_status give_direct(struct asked_by_caller *a, const char *id, struct direct_answer *answer,
                                 stemma_error *err) {
    struct query_answer given = {.answers = answer->answers};
    struct each_result result = {
        .id = (char *)id, .answer = answer->asked ? &given : NULL, .failed = answer->failed};
    const stemma_scan_problem problem = {
        .name = id, .status = answer->cause.status, .cause = answer->cause.message};
    a->sum.problems = answer->failed;
    a->sum.seconds_reading = answer->seconds_reading;
    query_add_work(&a->query, &answer->work);
    if (answer->failed && a->options.problem) a->options.problem(a->options.problem_context, &problem);
    stemma_status status = STEMMA_OK;
    if (a->options.family && result.answer)
        status = family_grow(&a->query, &given.answers, a->query.family_most, &given.family, err);
    if (status == STEMMA_OK) status = give_result(a, &result, err);
    relatives_release(&given.family, a->query.drop);
    return status;
}

static stemma_status ask_text(struct asked_by_caller *a, const char *id, const void *data, size_t size,
                              stemma_error *err) {
    struct direct_answer answer;
    TRY(make_direct(a, err));
    a->query.settings = *direct_settings(a->collection->direct);
    if (a->options.edits) a->query.drop = stemma_alignment_free;
    stemma_status status = direct_ask(a->collection->direct, data ? data : "", size, &answer, err);
    if (status == STEMMA_OK) status = give_direct(a, id, &answer, err);
    answers_release(&answer.answers, a->query.drop);
    return status;
}

stemma_status stemma_collection_query_text(stemma_collection *collection, const char *id, const void *data,
                                           size_t size, const stemma_query_options *options,
                                           stemma_take_match *take, void *context,
                                           stemma_query_summary *summary, stemma_error *err) {
    struct asked_by_caller a = {.collection = collection, .take = take, .context = context};
    if (!collection || !take || !id || (!data && size))
        return fail(err, STEMMA_INVALID,
                    "a collection, a document and someone to take the matches are needed");
    TRY(ask_begin(&a, options, err));
    return ask_end(&a, ask_text(&a, id, data, size, err), summary);
}

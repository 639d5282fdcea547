/* Section 16 of stemma.h, asking: arguments are checked here, the work is in src/collect. */
#include "api/collection.h"
#include "api/each_document.h"
#include "api/limits.h"
#include "api/text.h"
#include "collect/direct.h"
#include "collect/query.h"

#include <string.h>

enum { TOP = 10, FAMILY_MOST = 1000 };

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

/* ---- how far apart ---- */

static stemma_edit edit_not_known(const char *why) {
    const stemma_quantity unknown = {.why = why};
    return (stemma_edit){.distance = unknown, .unrelated = unknown, .kind = STEMMA_EDITS_UNKNOWN};
}

static stemma_edit no_edits(void) {
    const stemma_quantity none = {.known = true, .exact = true}, unknown = {.why = "the bytes are the same"};
    return (stemma_edit){.distance = none, .unrelated = unknown, .kind = STEMMA_EDITS_NONE};
}

/* What cannot be had says nothing against the match. */
static bool is_serious(stemma_status status) {
    return status == STEMMA_NO_MEMORY || status == STEMMA_INTERRUPTED;
}

/* A text with its way back to the original, if that still is what the canonical text was made from. */
static stemma_status original_text(stemma_status made, stemma_text **text, const uint8_t *canonical,
                                   size_t size, const stemma_error *cause, bool *known, stemma_error *err) {
    if (is_serious(made)) return fail(err, made, "%s", cause->message);
    *known =
        made == STEMMA_OK && (*text)->text.len == size && memcmp((*text)->text.data, canonical, size) == 0;
    if (made == STEMMA_OK && !*known) {
        stemma_text_free(*text);
        *text = NULL;
    }
    return STEMMA_OK;
}

static stemma_status text_of_question(const struct stemma_collection *c, const struct asked_document *d,
                                      stemma_text **out, bool *known, stemma_error *err) {
    stemma_error cause;
    stemma_status status = STEMMA_NOT_FOUND;
    *out = NULL;
    if (d->name)
        status = stemma_text_file(d->name, c->recipe, &c->limits, out, &cause);
    else if (d->bytes)
        status = text_of_document(d->bytes, d->size, NULL, c->recipe, &c->limits, out, &cause);
    TRY(original_text(status, out, d->text, d->text_size, &cause, known, err));
    return *known ? STEMMA_OK
                  : text_of_document(d->text, d->text_size, NULL, c->recipe, &c->limits, out, err);
}

static stemma_status text_of_stored(const struct stemma_collection *c, const struct again_text *stored,
                                    stemma_text **out, bool *known, stemma_error *err) {
    stemma_error cause;
    stemma_status status = STEMMA_NOT_FOUND;
    *out = NULL;
    if (stored->bytes)
        status =
            text_of_document(stored->bytes, stored->size, stored->name, c->recipe, &c->limits, out, &cause);
    TRY(original_text(status, out, stored->text, stored->text_size, &cause, known, err));
    return *known ? STEMMA_OK
                  : text_of_document(stored->text, stored->text_size, NULL, c->recipe, &c->limits, out, err);
}

static size_t alignment_bytes(const stemma_alignment *alignment) {
    size_t differences = 0, shared = 0;
    if (!alignment) return 0;
    stemma_alignment_differences(alignment, &differences);
    stemma_alignment_shared(alignment, &shared);
    return differences * sizeof(stemma_difference) + shared * sizeof(stemma_passage);
}

/* Where they differ is said in places of both originals, or not at all. */
static stemma_status compare_texts(const struct stemma_collection *c, const stemma_text *a,
                                   const stemma_text *b, bool originals, struct answer *answer,
                                   stemma_error *err) {
    stemma_error cause;
    stemma_status status = stemma_align_texts(a, b, NULL, &c->limits, &answer->alignment, &cause);
    if (status != STEMMA_OK) answer->alignment = NULL;
    if (is_serious(status)) return fail(err, status, "%s", cause.message);
    status = stemma_edit_texts(a, b, answer->alignment, NULL, &c->limits, &answer->edit, &cause);
    if (is_serious(status)) return fail(err, status, "%s", cause.message);
    if (status != STEMMA_OK) answer->edit = edit_not_known("the texts are too long for the memory allowed");
    if (!originals) {
        stemma_alignment_free(answer->alignment);
        answer->alignment = NULL;
    }
    answer->alignment_bytes = alignment_bytes(answer->alignment);
    answer->extracted[0] = stemma_text_is_extracted(a);
    answer->extracted[1] = stemma_text_is_extracted(b);
    return STEMMA_OK;
}

static stemma_status measure(void *context, const struct asked_document *d, const struct again_text *stored,
                             struct answer *answer, stemma_error *err) {
    const struct stemma_collection *c = context;
    stemma_text *a = NULL, *b = NULL;
    bool a_known, b_known;
    answer->edit =
        answer->relation == STEMMA_IDENTICAL ? no_edits() : edit_not_known("the document is no longer there");
    if (!stored || !d->text) return STEMMA_OK;
    stemma_status status = text_of_question(c, d, &a, &a_known, err);
    if (status == STEMMA_OK) status = text_of_stored(c, stored, &b, &b_known, err);
    if (status == STEMMA_OK) status = compare_texts(c, a, b, a_known && b_known, answer, err);
    stemma_text_free(a);
    stemma_text_free(b);
    return status;
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
    s->bits = via;
    return set_resemblance(o, s, err);
}

/* What resembles a document by t shares t of its shingles and more, both ways: so samples find it, too. */
static stemma_status set_via(const stemma_query_options *o, struct asker_settings *s, stemma_error *err) {
    switch (o->via) {
    case STEMMA_VIA_AUTO:
        s->way = RETRIEVE_AUTO;
        return asking_init(&s->asking, o->threshold, o->contained, err);
    case STEMMA_VIA_SCAN:
        s->way = RETRIEVE_SCAN;
        return asking_init(&s->asking, o->threshold, o->contained, err);
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
    TRY(set_via(o, s, err));
    s->threshold = o->threshold;
    s->contained = o->contained;
    s->top = o->family ? o->family_most : o->top;
    s->limits = c->limits;
    if (!o->edits) return STEMMA_OK;
    s->measure = measure;
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
    const bool edits = asked->query.settings.measure;
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
                                .edit = edits ? a->edit : edit_not_known("it was not asked for"),
                                .alignment = a->alignment,
                                .extracted = {a->extracted[0], a->extracted[1]}};
    asked->sum.found++;
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

static stemma_status give_answers(struct asked_by_caller *a, const char *id,
                                  const struct query_answer *answer, stemma_error *err) {
    if (a->options.family) return give_family(a, id, &answer->family, err);
    for (size_t i = 0; i < answer->answers.count; i++) TRY(give(a, id, 1, &answer->answers.list[i], err));
    return STEMMA_OK;
}

/* All that was found for one document. */
static stemma_status give_result(void *receiver, const struct each_result *result, stemma_error *err) {
    struct asked_by_caller *a = receiver;
    const struct query_answer *answer = result->answer;
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
    const bool bits = s->bits != HAMMING_AUTO, scan = s->way == RETRIEVE_SCAN;
    stemma_query_summary sum = a->sum;
    sum.bands = bits || scan ? 0 : s->asking.bands;
    sum.agree = bits ? 0 : sum.bands ? s->asking.agree : s->asking.scan_agree;
    sum.scanned = w->retrieval.scanned;
    sum.lookups = w->retrieval.lookups;
    sum.postings = w->retrieval.postings;
    sum.common = w->retrieval.common;
    sum.left_aside = w->retrieval.left_aside;
    sum.candidates = w->candidates;
    sum.verified = w->verified;
    sum.unverified = w->unverified;
    sum.unasked = w->unasked;
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
    TRY(each_run(each, &a->reading, &(struct each_subject){.paths = paths, .count = count}, err));
    a->sum.problems = each->scan->catalogue.problem_count;
    a->sum.seconds_reading = each->seconds_reading;
    each_tell_problems(each, a->options.problem, a->options.problem_context);
    return STEMMA_OK;
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

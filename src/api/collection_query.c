/* Section 16 of stemma.h, asking: arguments are checked here, the work is in src/collect. */
#include "api/collection.h"
#include "api/each_document.h"
#include "api/limits.h"
#include "api/text.h"
#include "collect/direct.h"
#include "collect/family.h"

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
    answer->extracted[0] = stemma_text_is_extracted(a);
    answer->extracted[1] = stemma_text_is_extracted(b);
    return STEMMA_OK;
}

static stemma_status measure(void *context, const struct asked_document *d, const struct again_text *stored,
                             struct answer *answer, stemma_error *err) {
    const struct stemma_collection *c = context;
    stemma_text *a = NULL, *b = NULL;
    bool a_known, b_known;
    answer->edit = edit_not_known("the document is no longer there");
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

struct giving {
    const struct query *query;
    stemma_take_match *take;
    void *context;
    uint64_t place, found;
};

static stemma_status give(void *context, const char *from, uint64_t step, const struct answer *a,
                          stemma_error *err) {
    struct giving *g = context;
    const bool edits = g->query->settings.measure;
    const stemma_match match = {.query = from,
                                .place = g->place,
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
    g->found++;
    return g->take(g->context, &match, err);
}

static stemma_status give_all(struct giving *g, struct query *query, const stemma_query_options *o,
                              stemma_error *err) {
    for (size_t i = 0; i < query->count; i++) {
        const struct query_result *result = &query->results[i];
        g->place = i;
        if (o->family) TRY(family_grow(query, result, o->family_most, give, g, err));
        for (size_t k = 0; k < result->answers.count && !o->family; k++)
            TRY(give(g, result->id, 1, &result->answers.list[k], err));
    }
    return STEMMA_OK;
}

static void tell_problems(const struct query *query, const char *id, const stemma_query_options *o) {
    const stemma_scan_problem lone = {
        .name = id, .status = query->cause.status, .cause = query->cause.message};
    if (query->failed && o->problem) o->problem(o->problem_context, &lone);
    const struct catalogue *c = query->scan ? &query->scan->catalogue : NULL;
    for (size_t i = 0; c && i < c->problem_count && o->problem; i++) {
        const struct problem *p = &c->problems[i];
        const stemma_scan_problem problem = {
            .name = p->name, .line = p->line, .status = p->status, .cause = p->cause};
        o->problem(o->problem_context, &problem);
    }
}

static stemma_query_summary summary_of(const struct query *query, uint64_t found) {
    const struct asker_work *w = &query->work;
    const struct asking *asking = &query->settings.asking;
    const bool bits = query->settings.bits != HAMMING_AUTO, scan = query->settings.way == RETRIEVE_SCAN;
    const uint32_t bands = bits || scan ? 0 : asking->bands;
    return (stemma_query_summary){.documents = query->documents,
                                  .without_text = query->without_text,
                                  .problems =
                                      query->scan ? query->scan->catalogue.problem_count : query->failed,
                                  .found = found,
                                  .bands = bands,
                                  .agree = bits    ? 0
                                           : bands ? asking->agree
                                                   : asking->scan_agree,
                                  .scanned = w->retrieval.scanned,
                                  .lookups = w->retrieval.lookups,
                                  .postings = w->retrieval.postings,
                                  .common = w->retrieval.common,
                                  .left_aside = w->retrieval.left_aside,
                                  .candidates = w->candidates,
                                  .verified = w->verified,
                                  .unverified = w->unverified,
                                  .families_cut = query->families_cut,
                                  .unasked = w->unasked,
                                  .seconds_reading = query->seconds_reading,
                                  .seconds_finding = w->seconds_finding,
                                  .seconds_verifying = w->seconds_verifying};
}

/* One question: query has its settings before `run` asks. */
struct asked_by_caller {
    struct stemma_collection *collection;
    stemma_query_options options;
    struct scan_settings reading;
    struct query query;
    const char *id; /* of a document in memory */
};

static stemma_status ask_begin(struct asked_by_caller *a, struct stemma_collection *c,
                               const stemma_query_options *options, stemma_error *err) {
    a->collection = c;
    TRY(check_options(options, &a->options, err));
    return each_reading(c, a->options.reading, &a->reading, err);
}

static stemma_status ask_end(struct asked_by_caller *a, stemma_status status, stemma_take_match *take,
                             void *context, stemma_query_summary *summary, stemma_error *err) {
    struct giving g = {.query = &a->query, .take = take, .context = context};
    if (status == STEMMA_OK) {
        tell_problems(&a->query, a->id, &a->options);
        status = give_all(&g, &a->query, &a->options, err);
    }
    if (status == STEMMA_OK && summary) *summary = summary_of(&a->query, g.found);
    query_release(&a->query);
    return status;
}

static stemma_status ask_paths(struct asked_by_caller *a, const char *const *paths, size_t count,
                               stemma_error *err) {
    query_init(&a->query, a->collection->store, a->collection->recipe);
    TRY(query_settings(a->collection, &a->options, &a->query, err));
    return query_paths(&a->query, &a->reading, paths, count, err);
}

stemma_status stemma_collection_query(stemma_collection *collection, const char *const *paths, size_t count,
                                      const stemma_query_options *options, stemma_take_match *take,
                                      void *context, stemma_query_summary *summary, stemma_error *err) {
    struct asked_by_caller a = {0};
    if (!collection || !take || (!paths && count))
        return fail(err, STEMMA_INVALID, "a collection, paths and someone to take the matches are needed");
    for (size_t i = 0; i < count; i++)
        if (!paths[i] || !*paths[i]) return fail(err, STEMMA_INVALID, "an empty path names no file");
    TRY(ask_begin(&a, collection, options, err));
    return ask_end(&a, ask_paths(&a, paths, count, err), take, context, summary, err);
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

static stemma_status ask_text(struct asked_by_caller *a, const char *id, const void *data, size_t size,
                              stemma_error *err) {
    query_init(&a->query, a->collection->store, a->collection->recipe);
    TRY(make_direct(a, err));
    a->query.settings = *direct_settings(a->collection->direct);
    if (a->options.edits) a->query.drop = stemma_alignment_free;
    return direct_ask(a->collection->direct, id, data ? data : "", size, &a->query, err);
}

stemma_status stemma_collection_query_text(stemma_collection *collection, const char *id, const void *data,
                                           size_t size, const stemma_query_options *options,
                                           stemma_take_match *take, void *context,
                                           stemma_query_summary *summary, stemma_error *err) {
    struct asked_by_caller a = {0};
    if (!collection || !take || !id || (!data && size))
        return fail(err, STEMMA_INVALID,
                    "a collection, a document and someone to take the matches are needed");
    TRY(ask_begin(&a, collection, options, err));
    a.id = id;
    return ask_end(&a, ask_text(&a, id, data, size, err), take, context, summary, err);
}

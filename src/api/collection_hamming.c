/* stemma/collection.h, Hamming fingerprints: arguments are checked here, the work is in src/collect. */
#include "api/collection.h"
#include "api/each_document.h"
#include "api/limits.h"
#include "collect/hamming_query.h"
#include "collect/resize.h"
#include "estimate/hamming.h"
#include "index/hamming/parts.h"

#include <math.h>

stemma_hamming_options stemma_hamming_options_default(void) {
    return (stemma_hamming_options){.size = sizeof(stemma_hamming_options), .resemblance = .7};
}

static stemma_status way_of(stemma_via via, enum hamming_via *way, stemma_error *err) {
    switch (via) {
    case STEMMA_VIA_AUTO:
        *way = HAMMING_AUTO;
        return STEMMA_OK;
    case STEMMA_VIA_SCAN:
        *way = HAMMING_SCAN;
        return STEMMA_OK;
    case STEMMA_VIA_G:
        *way = HAMMING_G;
        return STEMMA_OK;
    case STEMMA_VIA_H:
        *way = HAMMING_H;
        return STEMMA_OK;
    case STEMMA_VIA_MIH:
        *way = HAMMING_MIH;
        return STEMMA_OK;
    case STEMMA_VIA_BANDS:
    case STEMMA_VIA_SAMPLES:
        break;
    }
    return fail(err, STEMMA_INVALID, "fingerprints are found by auto, scan, g, h or mih");
}

static stemma_via via_of(enum hamming_via way) {
    switch (way) {
    case HAMMING_SCAN:
        return STEMMA_VIA_SCAN;
    case HAMMING_G:
        return STEMMA_VIA_G;
    case HAMMING_H:
        return STEMMA_VIA_H;
    case HAMMING_MIH:
        return STEMMA_VIA_MIH;
    case HAMMING_AUTO:
        break;
    }
    return STEMMA_VIA_AUTO;
}

static stemma_status set_asking(const stemma_hamming_options *o, struct hamming_asking *asking,
                                stemma_error *err) {
    if (!(o->resemblance >= 0 && o->resemblance <= 1))
        return fail(err, STEMMA_INVALID, "a resemblance is between 0 and 1");
    asking->resemblance = o->resemblance;
    return way_of(o->via, &asking->via, err);
}

/* ---- more bits, or fewer ---- */

stemma_status stemma_collection_resize_bits(stemma_collection *collection, unsigned bits,
                                            void (*problem)(void *context,
                                                            const stemma_scan_problem *problem),
                                            void *context, stemma_error *err) {
    if (!collection) return fail(err, STEMMA_INVALID, "a collection is needed");
    TRY(stemma_collection_commit(collection, err));
    collection_forget_parts(collection);
    return resize_bits(collection->store, collection->recipe, &collection->limits, bits, problem, context,
                       err);
}

/* ---- what comes of it ---- */

/* 1 - 2 D / k, and what is within two standard errors (eq. 5 and 6). */
static stemma_quantity resemblance_of(uint32_t distance, uint32_t bits) {
    double value = fmax(0, 1 - 2. * distance / bits),
           error = 2 * sqrt(hamming_variance(bits, value) + 1. / bits / bits);
    return (stemma_quantity){
        .known = true, .value = value, .low = fmax(0, value - error), .high = fmin(1, value + error)};
}

struct giving {
    struct stemma_collection *collection;
    const stemma_hamming_options *options;
    stemma_take_hamming_match *take;
    void *context;
    struct buf id;
    stemma_hamming_summary sum;
};

static stemma_status give(struct giving *g, const struct each_result *result, const struct record *match,
                          stemma_error *err) {
    struct row row;
    bool found;
    TRY(collection_record(g->collection->store, match->value, &row, &found, err));
    if (!found) return STEMMA_OK;
    g->id.len = 0;
    if (!buf_add(&g->id, row.id.bytes, row.id.size) || !buf_add_byte(&g->id, 0)) return fail_memory(err);
    const stemma_hamming_match out = {.query = result->id,
                                      .place = result->place,
                                      .id = (const char *)g->id.data,
                                      .number = match->value,
                                      .distance = (uint32_t)match->key,
                                      .resemblance = resemblance_of((uint32_t)match->key, g->sum.bits)};
    g->sum.found++;
    return g->take(g->context, &out, err);
}

static void add_work(stemma_hamming_summary *s, const struct hamming_answer *answer) {
    const struct hamming_work *w = &answer->work;
    s->groups = w->groups;
    s->used = via_of(w->used);
    s->combinations += w->combinations;
    s->searches += w->searches;
    s->postings += w->postings;
    s->candidates += w->candidates;
    s->distances += w->distances;
    s->seconds += answer->seconds;
}

static void tell_asked(const struct giving *g, const struct each_result *result, uint64_t found) {
    const stemma_question question = {
        .id = result->id, .place = result->place, .found = found, .empty = !result->answer};
    if (g->options->asked && !result->failed) g->options->asked(g->options->asked_context, &question);
}

static stemma_status give_sorted(struct giving *g, const struct each_result *result,
                                 struct sorter_cursor *cursor, stemma_error *err) {
    struct record matches[256];
    for (;;) {
        size_t count;
        TRY(sorter_next(cursor, matches, 256, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++) TRY(give(g, result, &matches[i], err));
    }
}

static stemma_status give_matches(struct giving *g, const struct each_result *result, struct sorter *matches,
                                  stemma_error *err) {
    struct sorter_cursor *cursor;
    TRY(sorter_read(matches, &cursor, err));
    stemma_status status = give_sorted(g, result, cursor, err);
    sorter_cursor_free(cursor);
    return status;
}

static stemma_status give_all(void *receiver, const struct each_result *result, stemma_error *err) {
    struct giving *g = receiver;
    const struct hamming_answer *answer = result->answer;
    g->sum.documents++;
    g->sum.without_text += !answer && !result->failed;
    const uint64_t before = g->sum.found;
    if (answer) add_work(&g->sum, answer);
    if (answer) TRY(give_matches(g, result, answer->matches, err));
    tell_asked(g, result, g->sum.found - before);
    return STEMMA_OK;
}

/* ---- asking ---- */

static stemma_status find_bits(const struct stemma_collection *c, uint32_t *bits, stemma_error *err) {
    struct bits_layout layout;
    bits_layout_read(collection_schema(c->store), &layout);
    *bits = layout.bits;
    if (layout.bits) return STEMMA_OK;
    return fail_not_kept(c->store, "Hamming fingerprints", err);
}

static stemma_status ask(struct each *each, struct hamming_asking *asking, const struct each_subject *subject,
                         const stemma_hamming_options *o, struct giving *g, stemma_error *err) {
    struct scan_settings reading = {0};
    TRY(find_bits(g->collection, &g->sum.bits, err));
    /* an index that is damaged is verify's to tell: nothing is found by it here */
    (void)collection_without_bits(g->collection, &g->sum.without_bits, NULL);
    TRY(each_reading(g->collection, o->reading, &reading, err));
    TRY(set_asking(o, asking, err));
    g->sum.radius = hamming_radius(g->sum.bits, asking->resemblance);
    TRY(each_run(each, &reading, subject, err));
    g->sum.problems = each->scan->catalogue.problems.count;
    g->sum.seconds_reading = fmax(0, each->seconds_reading - g->sum.seconds); /* who reads finds meanwhile */
    return each_tell_problems(each, o->problem, o->problem_context, err);
}

static stemma_status hamming(struct stemma_collection *c, const struct each_subject *subject,
                             const stemma_hamming_options *options, stemma_take_hamming_match *take,
                             void *context, stemma_hamming_summary *summary, stemma_error *err) {
    stemma_hamming_options o = stemma_hamming_options_default();
    struct hamming_asking asking = {.store = c->store, .recipe = c->recipe};
    struct giving g = {.collection = c, .options = &o, .take = take, .context = context};
    struct each each;
    TRY(options_take(options, &o, sizeof o, err));
    each_init(&each, &hamming_each, &asking, c->recipe, give_all, &g);
    stemma_status status = ask(&each, &asking, subject, &o, &g, err);
    if (status == STEMMA_OK && summary) *summary = g.sum;
    buf_release(&g.id);
    each_release(&each);
    return status;
}

stemma_status stemma_collection_hamming(stemma_collection *collection, const char *const *paths, size_t count,
                                        const stemma_hamming_options *options,
                                        stemma_take_hamming_match *take, void *context,
                                        stemma_hamming_summary *summary, stemma_error *err) {
    TRY(each_check_paths(collection, paths, count, take != NULL, err));
    return hamming(collection, &(struct each_subject){.paths = paths, .count = count}, options, take, context,
                   summary, err);
}

stemma_status stemma_collection_hamming_text(stemma_collection *collection, const char *id, const void *data,
                                             size_t size, const stemma_hamming_options *options,
                                             stemma_take_hamming_match *take, void *context,
                                             stemma_hamming_summary *summary, stemma_error *err) {
    if (!collection || !take || !id || (!data && size))
        return fail(err, STEMMA_INVALID,
                    "a collection, a document and someone to take the matches are needed");
    return hamming(collection, &(struct each_subject){.id = id, .data = data, .size = size}, options, take,
                   context, summary, err);
}

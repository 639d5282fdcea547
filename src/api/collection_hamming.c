/* Section 16 of stemma.h, Hamming fingerprints: arguments are checked here, the work is in src/collect. */
#include "api/collection.h"
#include "api/limits.h"
#include "collect/hamming_query.h"
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

static stemma_status reading_settings(const struct stemma_collection *c, const stemma_hamming_options *o,
                                      struct scan_settings *out, stemma_error *err) {
    const stemma_scan_options all = stemma_scan_options_default();
    out->options = all;
    out->limits = c->limits;
    TRY(options_take(o->reading, &out->options, sizeof out->options, err));
    out->options.threshold = all.threshold; /* of a scan; here they mean nothing */
    out->options.contained = all.contained;
    return STEMMA_OK;
}

/* ---- what comes of it ---- */

/* 1 - 2 D / k, and what is within two standard errors (eq. 5 and 6). */
static stemma_quantity resemblance_of(uint32_t distance, uint32_t bits) {
    double value = fmax(0, 1 - 2. * distance / bits),
           error = 2 * sqrt(hamming_variance(bits, value) + 1. / bits / bits);
    return (stemma_quantity){
        .known = true, .value = value, .low = fmax(0, value - error), .high = fmin(1, value + error)};
}

static int nearest_first(const void *a, const void *b) {
    const struct hamming_match *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

struct giving {
    struct stemma_collection *collection;
    stemma_take_hamming_match *take;
    void *context;
    uint32_t bits;
    struct buf id;
    uint64_t found;
};

static stemma_status give(struct giving *g, const struct hamming_result *result, uint64_t place,
                          const struct hamming_match *match, stemma_error *err) {
    struct row row;
    bool found;
    TRY(collection_record(g->collection->store, match->number, &row, &found, err));
    if (!found) return STEMMA_OK;
    g->id.len = 0;
    if (!buf_add(&g->id, row.id.bytes, row.id.size) || !buf_add_byte(&g->id, 0)) return fail_memory(err);
    const stemma_hamming_match out = {.query = result->id,
                                      .place = place,
                                      .id = (const char *)g->id.data,
                                      .number = match->number,
                                      .distance = match->distance,
                                      .resemblance = resemblance_of(match->distance, g->bits)};
    g->found++;
    return g->take(g->context, &out, err);
}

static stemma_status give_all(struct giving *g, struct hamming_asking *asking, stemma_error *err) {
    for (size_t i = 0; i < asking->count; i++) {
        struct hamming_result *result = &asking->results[i];
        if (result->matches.count)
            qsort(result->matches.list, result->matches.count, sizeof *result->matches.list, nearest_first);
        for (size_t k = 0; k < result->matches.count; k++)
            TRY(give(g, result, i, &result->matches.list[k], err));
    }
    return STEMMA_OK;
}

static void tell_problems(const struct hamming_asking *asking, const stemma_hamming_options *o) {
    const struct catalogue *c = &asking->scan->catalogue;
    for (size_t i = 0; i < c->problem_count && o->problem; i++) {
        const struct problem *p = &c->problems[i];
        const stemma_scan_problem problem = {
            .name = p->name, .line = p->line, .status = p->status, .cause = p->cause};
        o->problem(o->problem_context, &problem);
    }
}

static stemma_hamming_summary summary_of(const struct hamming_asking *asking, const struct giving *g) {
    const struct hamming_work *w = &asking->work;
    return (stemma_hamming_summary){.documents = asking->documents,
                                    .without_text = asking->without_text,
                                    .problems = asking->scan->catalogue.problem_count,
                                    .found = g->found,
                                    .bits = g->bits,
                                    .radius = hamming_radius(g->bits, asking->resemblance),
                                    .groups = w->groups,
                                    .used = via_of(w->used),
                                    .combinations = w->combinations,
                                    .searches = w->searches,
                                    .postings = w->postings,
                                    .candidates = w->candidates,
                                    .distances = w->distances,
                                    .seconds = asking->seconds};
}

/* ---- asking ---- */

/* Paths, or one text. */
struct subject {
    const char *const *paths;
    size_t count;
    const char *id;
    const void *data;
    size_t size;
};

static stemma_status find_bits(const struct stemma_collection *c, uint32_t *bits, stemma_error *err) {
    struct bits_layout layout;
    bits_layout_read(collection_schema(c->store), &layout);
    *bits = layout.bits;
    if (layout.bits) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' keeps no Hamming fingerprints", collection_path(c->store));
}

static stemma_status ask(struct hamming_asking *asking, struct stemma_collection *c,
                         const struct subject *subject, const stemma_hamming_options *o, struct giving *g,
                         stemma_error *err) {
    struct scan_settings reading = {0};
    TRY(find_bits(c, &g->bits, err));
    TRY(reading_settings(c, o, &reading, err));
    TRY(set_asking(o, asking, err));
    TRY(subject->id ? hamming_ask_text(asking, &reading, subject->id, subject->data, subject->size, err)
                    : hamming_ask_paths(asking, &reading, subject->paths, subject->count, err));
    tell_problems(asking, o);
    return give_all(g, asking, err);
}

static stemma_status hamming(struct stemma_collection *c, const struct subject *subject,
                             const stemma_hamming_options *options, stemma_take_hamming_match *take,
                             void *context, stemma_hamming_summary *summary, stemma_error *err) {
    stemma_hamming_options o = stemma_hamming_options_default();
    struct hamming_asking asking;
    TRY(options_take(options, &o, sizeof o, err));
    hamming_asking_init(&asking, c->store, c->recipe);
    struct giving g = {.collection = c, .take = take, .context = context};
    stemma_status status = ask(&asking, c, subject, &o, &g, err);
    if (status == STEMMA_OK && summary) *summary = summary_of(&asking, &g);
    buf_release(&g.id);
    hamming_asking_release(&asking);
    return status;
}

stemma_status stemma_collection_hamming(stemma_collection *collection, const char *const *paths, size_t count,
                                        const stemma_hamming_options *options,
                                        stemma_take_hamming_match *take, void *context,
                                        stemma_hamming_summary *summary, stemma_error *err) {
    if (!collection || !take || (!paths && count))
        return fail(err, STEMMA_INVALID, "a collection, paths and someone to take the matches are needed");
    for (size_t i = 0; i < count; i++)
        if (!paths[i] || !*paths[i]) return fail(err, STEMMA_INVALID, "an empty path names no file");
    return hamming(collection, &(struct subject){.paths = paths, .count = count}, options, take, context,
                   summary, err);
}

stemma_status stemma_collection_hamming_text(stemma_collection *collection, const char *id, const void *data,
                                             size_t size, const stemma_hamming_options *options,
                                             stemma_take_hamming_match *take, void *context,
                                             stemma_hamming_summary *summary, stemma_error *err) {
    if (!collection || !take || !id || (!data && size))
        return fail(err, STEMMA_INVALID,
                    "a collection, a document and someone to take the matches are needed");
    return hamming(collection, &(struct subject){.id = id, .data = data, .size = size}, options, take,
                   context, summary, err);
}

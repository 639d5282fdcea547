#include "align/distance/distance.h"

#include "align/distance/band.h"
#include "align/distance/diagonals.h"

struct distance_pair distance_trim(const struct distance_pair *pair, const struct kernels *kernels,
                                   size_t *prefix, size_t *suffix) {
    struct distance_pair p = *pair;
    size_t shorter = p.n < p.m ? p.n : p.m;
    size_t same = kernels->common_prefix(p.a, p.b, shorter << p.log_width) >> p.log_width;
    p.a += same << p.log_width, p.b += same << p.log_width;
    p.n -= same, p.m -= same;
    *prefix = same;
    shorter -= same;
    same = kernels->common_suffix(p.a + (p.n << p.log_width), p.b + (p.m << p.log_width),
                                  shorter << p.log_width) >>
           p.log_width;
    p.n -= same, p.m -= same;
    *suffix = same;
    return p;
}

/* A question on its way: rows are the shorter text. */
struct search {
    struct edit_texts texts;
    const struct kernels *kernels;
    uint64_t at_most, longer;
    struct meter meter;
    struct distance_result result;
};

static stemma_status try_diagonals(struct search *s, bool patient, uint64_t *guess, bool *done,
                                   stemma_error *err) {
    struct diagonals diagonals;
    struct meeting meeting;
    diagonals_init(&diagonals, s->kernels);
    stemma_status status =
        diagonals_meet(&diagonals, &s->texts, s->at_most, patient, &s->meter, &meeting, err);
    diagonals_release(&diagonals);
    if (status != STEMMA_OK) return status;
    if (meeting.at_least > s->result.at_least) s->result.at_least = meeting.at_least;
    s->result.distance = meeting.distance;
    s->result.given_up = meeting.given_up;
    s->result.exceeded = !meeting.met && meeting.at_least > s->at_most;
    *guess = meeting.guess;
    *done = meeting.met || s->result.given_up || s->result.exceeded;
    return STEMMA_OK;
}

/* Every pass gives the length of some way, within which the next one is sure to end. */
static stemma_status widen_band(struct search *s, struct band *band, uint64_t bound, stemma_error *err) {
    const uint64_t rows = (uint64_t)s->texts.a_size, columns = (uint64_t)s->texts.b_size;
    for (uint64_t way = s->longer;;) {
        if (bound < s->result.at_least) bound = s->result.at_least;
        if (bound > way) bound = way;
        if (bound > s->at_most) bound = s->at_most;
        s->result.given_up = !meter_spend(&s->meter, band_cost(rows, columns, bound));
        if (s->result.given_up) return STEMMA_OK;
        TRY(band_run(band, &s->texts, s->texts.a_size, band_range(s->texts.a_size, s->texts.b_size, bound),
                     &s->meter, err));
        way = band_end(band, s->texts.b_size);
        if (way <= bound) break;
        s->result.at_least = bound + 1;
        s->result.exceeded = bound == s->at_most;
        if (s->result.exceeded) return STEMMA_OK;
        bound *= 2;
    }
    s->result.distance = s->result.at_least = band_end(band, s->texts.b_size);
    return STEMMA_OK;
}

static stemma_status try_band(struct search *s, uint64_t bound, stemma_error *err) {
    struct band band;
    band_init(&band, s->kernels);
    stemma_status status = widen_band(s, &band, bound, err);
    band_release(&band);
    return status;
}

/* A little more than was guessed: a second pass costs more than some diagonals. */
static uint64_t first_bound(uint64_t guess) {
    return guess + guess / 16 + 16;
}

static stemma_status search_by(struct search *s, enum distance_method method, stemma_error *err) {
    uint64_t guess = s->result.at_least;
    bool done = false;
    if (method != DISTANCE_BAND) TRY(try_diagonals(s, method == DISTANCE_DIAGONALS, &guess, &done, err));
    return done ? STEMMA_OK : try_band(s, first_bound(guess), err);
}

/* Neither text is empty, and they have no common first or last symbol. */
static stemma_status search_trimmed(const struct distance_pair *p, enum distance_method method,
                                    const struct kernels *kernels, const struct distance_limits *limits,
                                    struct distance_result *out, stemma_error *err) {
    bool swap = p->n > p->m;
    size_t rows = swap ? p->m : p->n, columns = swap ? p->n : p->m;
    if (columns >= DISTANCE_SYMBOLS)
        return fail(err, STEMMA_UNSUPPORTED,
                    "the edit distance of texts that differ in 2^30 symbols is not computed");
    struct search s = {.texts = {.a = swap ? p->b : p->a,
                                 .b = swap ? p->a : p->b,
                                 .a_size = (int32_t)rows,
                                 .b_size = (int32_t)columns,
                                 .log_width = p->log_width},
                       .kernels = kernels,
                       .at_most = limits->at_most < columns ? limits->at_most : columns,
                       .longer = columns,
                       .meter = {limits->work, limits->memory, limits->stop},
                       .result = {.at_least = columns > rows ? columns - rows : 1}};
    TRY(search_by(&s, method, err));
    *out = s.result;
    return STEMMA_OK;
}

stemma_status distance_by(const struct distance_pair *pair, enum distance_method method,
                          const struct kernels *kernels, const struct distance_limits *limits,
                          struct distance_result *out, stemma_error *err) {
    size_t prefix, suffix;
    struct distance_pair p = distance_trim(pair, kernels, &prefix, &suffix);
    size_t longer = p.n > p.m ? p.n : p.m, shorter = p.n < p.m ? p.n : p.m;
    if (longer - shorter > limits->at_most || (longer > 0 && limits->at_most == 0)) {
        uint64_t least = longer > shorter ? longer - shorter : 1;
        *out = (struct distance_result){.exceeded = true, .at_least = least};
        return STEMMA_OK;
    }
    if (shorter == 0) {
        *out = (struct distance_result){.distance = longer, .at_least = longer};
        return STEMMA_OK;
    }
    return search_trimmed(&p, method, kernels, limits, out, err);
}

stemma_status distance_bytes(const uint8_t *a, size_t n, const uint8_t *b, size_t m,
                             const struct distance_limits *limits, struct distance_result *out,
                             stemma_error *err) {
    struct distance_pair pair = {a, b, n, m, 0};
    return distance_by(&pair, DISTANCE_ANY, kernels_get(), limits, out, err);
}

stemma_status distance_chars(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                             const struct distance_limits *limits, struct distance_result *out,
                             stemma_error *err) {
    struct distance_pair pair = {(const uint8_t *)a, (const uint8_t *)b, n, m, 2};
    return distance_by(&pair, DISTANCE_ANY, kernels_get(), limits, out, err);
}

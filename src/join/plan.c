/*
 * The choice of rows and bands.
 *
 * Minima stand in bands of `rows` each; a pair is looked at when some band agrees entirely, and is a
 * candidate when at least `agree` of all its minima do, too. The probability of that (sketch/agreement.h) has
 * to reach the floors; among all plans that do, the one of least expected work is taken.
 */
#include "join/plan.h"

#include "sketch/agreement.h"

#include <math.h>
#include <stdbool.h>

/* ---- the best of all plans ---- */

/* Expected work in nanoseconds per class, with as many neighbours below the threshold as piles of text have:
 * many that share little, few that nearly pass. Other weights shift the choice by a row. */
static const struct {
    double part_of_threshold, classes;
} neighbours[] = {{.25, 64}, {.5, 8}, {.75, 1}};
enum { NEIGHBOURS = sizeof neighbours / sizeof *neighbours };
#define BAND_NS      40. /* sorting a class into a band */
#define BYTE_NS      4.  /* keeping a byte of keys */
#define LOOK_NS      50.
#define CANDIDATE_NS 5000.

struct search {
    size_t rows;
    struct agreement floor[AGREEMENT_FLOORS], near[NEIGHBOURS];
};

static void search_init(struct search *s, double threshold, size_t rows) {
    s->rows = rows;
    for (int i = 0; i < AGREEMENT_FLOORS; i++)
        agreement_init(&s->floor[i], rows, fmin(threshold + agreement_floors[i].above, 1));
    for (int i = 0; i < NEIGHBOURS; i++)
        agreement_init(&s->near[i], rows, threshold * neighbours[i].part_of_threshold);
}

static void search_add_band(struct search *s) {
    for (int i = 0; i < AGREEMENT_FLOORS; i++) agreement_add_band(&s->floor[i]);
    for (int i = 0; i < NEIGHBOURS; i++) agreement_add_band(&s->near[i]);
}

static double keys_cost(const struct search *s, size_t bands) {
    return (double)bands * (BAND_NS + (double)(s->rows + band_checks(s->rows)) * BYTE_NS);
}

static double search_cost(const struct search *s, size_t bands, size_t agree) {
    double cost = keys_cost(s, bands);
    for (int i = 0; i < NEIGHBOURS; i++) {
        double looked = agreement_chance(&s->near[i], 0), candidate = agreement_chance(&s->near[i], agree);
        cost += neighbours[i].classes * (looked * LOOK_NS + candidate * CANDIDATE_NS);
    }
    return cost;
}

/* Whether so many rows can reach the floors with all minima there may be. */
static bool rows_suffice(const struct search *s) {
    for (int i = 0; i < AGREEMENT_FLOORS; i++) {
        double band = s->floor[i].band[s->rows] - s->floor[i].band_apart[s->rows];
        if (1 - pow(1 - band, (double)(KEY_MINIMA / s->rows)) < agreement_floors[i].share) return false;
    }
    return true;
}

static void choose(double threshold, struct join_plan *plan) {
    double least = INFINITY;
    for (size_t rows = BAND_ROWS_LEAST; rows <= BAND_ROWS_MOST; rows++) {
        struct search s;
        search_init(&s, threshold, rows);
        if (!rows_suffice(&s)) continue;
        for (size_t bands = 1; bands * rows <= KEY_MINIMA && keys_cost(&s, bands) < least; bands++) {
            search_add_band(&s);
            size_t agree = agreement_reaching(s.floor);
            if (agree == 0) continue;
            double cost = search_cost(&s, bands, agree);
            if (cost >= least) continue;
            least = cost;
            plan->rows = (uint32_t)rows;
            plan->bands = (uint32_t)bands;
            plan->agree = (uint32_t)agree;
        }
    }
    plan->minima = plan->rows * plan->bands;
    plan->checks = band_checks(plan->rows) * plan->bands;
    plan->key_bytes = plan->minima + plan->checks;
}

struct key_form join_plan_form(const struct join_plan *plan) {
    return (struct key_form){.minima = plan->minima,
                             .rows = plan->rows,
                             .checks = (uint32_t)plan->checks,
                             .sampled = plan->contained > 0,
                             .modulus = plan->modulus,
                             .coarse = plan->coarse,
                             .seed = plan->seed};
}

double join_plan_found(const struct join_plan *plan, double resemblance) {
    struct agreement c;
    agreement_init(&c, plan->rows, resemblance);
    for (uint32_t band = 0; band < plan->bands; band++) agreement_add_band(&c);
    return agreement_chance(&c, plan->agree);
}

/* ---- options ---- */

static uint64_t modulus_of(const struct join_options *o) {
    return o->modulus ? o->modulus : JOIN_MODULUS;
}

static stemma_status check_options(const struct join_options *o, stemma_error *err) {
    if (!(o->threshold >= .3 && o->threshold <= 1))
        return fail(err, STEMMA_INVALID, "the threshold must be from .3 to 1");
    if (o->contained != 0 && !(o->contained >= .5 && o->contained <= 1))
        return fail(err, STEMMA_INVALID, "the containment must be 0 or from .5 to 1");
    if (o->coarse > 1 && modulus_of(o) % o->coarse)
        return fail(err, STEMMA_INVALID, "samples must be among the fingerprints that come first");
    return STEMMA_OK;
}

stemma_status join_plan_make(const struct join_options *options, struct join_plan *plan, stemma_error *err) {
    TRY(check_options(options, err));
    struct join_plan made = {.threshold = options->threshold,
                             .contained = options->contained,
                             .modulus = modulus_of(options),
                             .coarse = options->coarse ? options->coarse : 1,
                             .seed = options->seed,
                             .cap = options->cap ? options->cap : JOIN_CAP,
                             .few = JOIN_FEW};
    choose(options->threshold, &made);
    if (made.contained > 0) sharing_init(&made.sharing, made.contained, made.minima);
    *plan = made;
    return STEMMA_OK;
}

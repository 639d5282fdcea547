/*
 * The choice of rows and bands.
 *
 * A minimum of one document equals that of another with probability p, the resemblance and what the cut to a
 * few bits adds. Minima stand in bands of `rows` each; a pair is looked at when some band agrees entirely,
 * and is a candidate when at least `agree` of all its minima do, too. The number of minima that agree is a
 * sum of independent ones, so both distributions are powers of a polynomial: that of one band, with and
 * without its last term (the whole band agrees). Their difference is the exact probability, which has to
 * reach the floors; among all plans that do, the one of least expected work is taken.
 */
#include "join/plan.h"

#include <math.h>
#include <stdbool.h>

#define ROWS_LEAST 2
#define ROWS_MOST  16
/* From here on a band needs no check: with less than 24 bits it would bring strangers together. */
#define ROWS_ALONE 3

/* ---- the number of minima that agree ---- */

/* Coefficient n: the probability that n minima agree; in those that are `apart`, and no band does. */
struct chances {
    size_t rows, minima;
    double band[ROWS_MOST + 1], band_apart[ROWS_MOST + 1];
    double all[JOIN_MINIMA + 1], apart[JOIN_MINIMA + 1];
};

static const double by_chance = 1. / (1 << JOIN_BITS);

/* All rows of a band, and its check where it has one: this tells rows that are the same from those that only
 * look so. */
static double whole_band(double resemblance, double p, size_t rows) {
    double same = pow(resemblance, (double)rows), alike = pow(p, (double)rows);
    return rows < ROWS_ALONE ? same + (alike - same) * by_chance : alike;
}

static void chances_init(struct chances *c, size_t rows, double resemblance) {
    const double p = resemblance + (1 - resemblance) * by_chance;
    *c = (struct chances){.rows = rows, .band = {1}, .all = {1}, .apart = {1}};
    for (size_t row = 1; row <= rows; row++)
        for (size_t n = row + 1; n-- > 0;)
            c->band[n] = c->band[n] * (1 - p) + (n > 0 ? c->band[n - 1] * p : 0);
    for (size_t n = 0; n <= rows; n++) c->band_apart[n] = c->band[n];
    c->band_apart[rows] -= whole_band(resemblance, p, rows);
}

static void multiply(double *polynomial, size_t degree, const double *factor, size_t factor_degree) {
    for (size_t n = degree + factor_degree + 1; n-- > 0;) {
        double sum = 0;
        for (size_t k = 0; k <= factor_degree && k <= n; k++)
            if (n - k <= degree) sum += polynomial[n - k] * factor[k];
        polynomial[n] = sum;
    }
}

static void chances_add_band(struct chances *c) {
    multiply(c->all, c->minima, c->band, c->rows);
    multiply(c->apart, c->minima, c->band_apart, c->rows);
    c->minima += c->rows;
}

/* At least `agree` minima and a whole band. */
static double chances_found(const struct chances *c, size_t agree) {
    double sum = 0;
    for (size_t n = c->minima + 1; n-- > agree;) sum += c->all[n] - c->apart[n];
    return sum;
}

/* The largest `agree` that still finds so many; 0 when none does. */
static size_t agree_for(const struct chances *c, double floor) {
    double sum = 0;
    for (size_t n = c->minima + 1; n-- > 0;) {
        sum += c->all[n] - c->apart[n];
        if (sum >= floor) return n;
    }
    return 0;
}

/* ---- the best of all plans ---- */

/* What is promised: of the pairs with this much more than the threshold, this share is found. */
static const struct {
    double above, share;
} floors[] = {{0, .99}, {.05, .999}};
enum { FLOORS = sizeof floors / sizeof *floors };

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
    struct chances floor[FLOORS], near[NEIGHBOURS];
};

static void search_init(struct search *s, double threshold, size_t rows) {
    s->rows = rows;
    for (int i = 0; i < FLOORS; i++) chances_init(&s->floor[i], rows, fmin(threshold + floors[i].above, 1));
    for (int i = 0; i < NEIGHBOURS; i++)
        chances_init(&s->near[i], rows, threshold * neighbours[i].part_of_threshold);
}

static void search_add_band(struct search *s) {
    for (int i = 0; i < FLOORS; i++) chances_add_band(&s->floor[i]);
    for (int i = 0; i < NEIGHBOURS; i++) chances_add_band(&s->near[i]);
}

static size_t search_agree(const struct search *s) {
    size_t agree = JOIN_MINIMA;
    for (int i = 0; i < FLOORS; i++) {
        size_t most = agree_for(&s->floor[i], floors[i].share);
        if (most < agree) agree = most;
    }
    return agree;
}

static size_t check_bytes(size_t rows) {
    return rows < ROWS_ALONE;
}

static double keys_cost(const struct search *s, size_t bands) {
    return (double)bands * (BAND_NS + (double)(s->rows + check_bytes(s->rows)) * BYTE_NS);
}

static double search_cost(const struct search *s, size_t bands, size_t agree) {
    double cost = keys_cost(s, bands);
    for (int i = 0; i < NEIGHBOURS; i++) {
        double looked = chances_found(&s->near[i], 0), candidate = chances_found(&s->near[i], agree);
        cost += neighbours[i].classes * (looked * LOOK_NS + candidate * CANDIDATE_NS);
    }
    return cost;
}

/* Whether so many rows can reach the floors with all minima there may be. */
static bool rows_suffice(const struct search *s) {
    for (int i = 0; i < FLOORS; i++) {
        double band = s->floor[i].band[s->rows] - s->floor[i].band_apart[s->rows];
        if (1 - pow(1 - band, (double)(JOIN_MINIMA / s->rows)) < floors[i].share) return false;
    }
    return true;
}

static void choose(double threshold, struct join_plan *plan) {
    double least = INFINITY;
    for (size_t rows = ROWS_LEAST; rows <= ROWS_MOST; rows++) {
        struct search s;
        search_init(&s, threshold, rows);
        if (!rows_suffice(&s)) continue;
        for (size_t bands = 1; bands * rows <= JOIN_MINIMA && keys_cost(&s, bands) < least; bands++) {
            search_add_band(&s);
            size_t agree = search_agree(&s);
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
    plan->checks = check_bytes(plan->rows) * plan->bands;
    plan->key_bytes = plan->minima + plan->checks;
}

double join_plan_found(const struct join_plan *plan, double resemblance) {
    struct chances c;
    chances_init(&c, plan->rows, resemblance);
    for (uint32_t band = 0; band < plan->bands; band++) chances_add_band(&c);
    return chances_found(&c, plan->agree);
}

/* ---- samples ---- */

#define SHARED_MISS .0005 /* contained documents that the count of shared samples may lose */

/* shared[n]: the largest number that Binomial(n, contained) falls short of with less than SHARED_MISS; never
 * 0, since who shares nothing is not seen. */
static void set_shared(struct join_plan *plan) {
    double chance[JOIN_QUERIES + 1] = {1};
    const double one[2] = {1 - plan->contained, plan->contained};
    for (size_t n = 1; n <= JOIN_QUERIES; n++) {
        multiply(chance, n - 1, one, 1);
        size_t least = 0;
        for (double below = chance[0]; below < SHARED_MISS; below += chance[++least]) {
        }
        plan->shared[n] = (uint8_t)(least > 0 ? least : 1);
    }
}

#define RATIO_SIGMAS 3.5 /* 2 in 10,000 are lost */
#define SIZE_SIGMAS  4.

/* x of which a share c is in y resemble by J = c / (1 - c + y / x). Agreeing minima bound J from above
 * (Wilson's score interval), so y / x from below. */
static void set_ratios(struct join_plan *plan) {
    const double k = plan->minima, c = plan->contained, z = RATIO_SIGMAS;
    for (uint32_t agree = 0; agree <= plan->minima; agree++) {
        double a = agree, most = (a + z * z / 2 + z * sqrt(a * (k - a) / k + z * z / 4)) / (k + z * z);
        plan->least_ratio[agree] = (float)(c / most - (1 - c));
    }
    plan->size_error = (float)exp(SIZE_SIGMAS / sqrt(k));
}

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
    if (made.contained > 0) {
        set_shared(&made);
        set_ratios(&made);
    }
    *plan = made;
    return STEMMA_OK;
}

/*
 * A side of a block with u symbols has about C u - (n - 1) characters, give or take C sqrt(u). The difference
 * of the texts' lengths is known exactly, so what the sizes miss of it is shared out by their variances:
 * where all blocks are insertions, their sum is then exact.
 */
#include "align/signature/edit_blocks.h"

#include "align/signature/unrelated.h"
#include "base/alloc.h"
#include "base/log_factorial.h"

#include <math.h>

#define ONE_SIDED    .7 /* share of blocks that are inserted or deleted, not replaced */
#define NET_OF_PLACE 4. /* variance of the characters that a scattered edit adds or removes */
#define REPLACED_ERROR                                                                                       \
    .15 /* of the cost of replaced text, which may have more or less in common than unrelated one */
#define CLUSTER      4. /* a block of fewer windows may be a cluster of small edits, */
#define CLUSTER_KEPT .4 /* of which so much is still there */
#define ROUNDS       4  /* of sharing out; sides that reach 0 leave the rest to the others */

struct side {
    double size, variance;
};

/* Chance that a side is empty although it has `u` symbols: the windows across the cut are lost, too. In
 * logarithms: of a long block both chances are too small for a number. */
static double chance_empty(double u, double other, const struct edit_frame *frame) {
    if (other <= 0) return 0;
    double lost = (frame->n - 1) / frame->c, mean = fmax(other, 1);
    double empty = log(ONE_SIDED) + u * log(fmax(lost, 1e-9)) - lost - log_factorial(u);
    double filled = log(1 - ONE_SIDED) - log1p(mean) - u * log1p(1 / mean);
    return 1 / (1 + exp(filled - empty));
}

static struct side measure_side(double u, double other, const struct edit_frame *frame) {
    double empty = chance_empty(u, other, frame), filled = fmax(0, frame->c * u - (frame->n - 1));
    return (struct side){
        .size = (1 - empty) * filled,
        .variance = (1 - empty) * frame->c * frame->c * fmax(u, .5) + empty * (1 - empty) * filled * filled,
    };
}

/* Sides stand in pairs: a, b, a, b. Returns what is left of the difference of the lengths. */
static double share_out(struct side *sides, size_t count, double difference, double free_variance) {
    double left = difference;
    for (int round = 0; round < ROUNDS; round++) {
        double variance = free_variance;
        left = difference;
        for (size_t i = 0; i < count; i++) {
            left -= i % 2 ? -sides[i].size : sides[i].size;
            if (sides[i].size > 0) variance += sides[i].variance;
        }
        for (size_t i = 0; i < count; i++) {
            double change = left * sides[i].variance / variance;
            if (sides[i].size > 0) sides[i].size = fmax(0, sides[i].size + (i % 2 ? -change : change));
        }
        free_variance = round ? free_variance : fmax(free_variance, 1);
    }
    left = difference;
    for (size_t i = 0; i < count; i++) left -= i % 2 ? -sides[i].size : sides[i].size;
    return left;
}

/* Adds a block's cost; the variances are those that remain when the difference of the lengths is known. */
static void add_block(struct block_costs *costs, struct side a, struct side b, double agree, double *across) {
    double more = fmax(a.size, b.size), less = fmin(a.size, b.size),
           cost = unrelated_distance(a.size, b.size, agree);
    double saved = less > 0 ? (more - cost) / less : 1;
    double slope_a = a.size >= b.size ? 1 : -saved, slope_b = a.size >= b.size ? -saved : 1;
    costs->size_a += a.size, costs->size_b += b.size;
    costs->cost += cost;
    costs->variance += slope_a * slope_a * a.variance + slope_b * slope_b * b.variance;
    costs->missed_variance += a.variance + b.variance;
    *across += slope_a * a.variance - slope_b * b.variance;
}

stemma_status cost_blocks(const struct edit_gaps *gaps, const struct edit_frame *frame, double places,
                          struct block_costs *out, stemma_error *err) {
    size_t count = gaps->block_count;
    struct side *sides = mem_alloc(2 * count * sizeof *sides);
    if (!sides) return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        sides[2 * i] = measure_side(gaps->blocks[i].a, gaps->blocks[i].b, frame);
        sides[2 * i + 1] = measure_side(gaps->blocks[i].b, gaps->blocks[i].a, frame);
    }
    struct block_costs costs = {0};
    double free_variance = NET_OF_PLACE * places + 1e-6, across = 0, replaced = 0;
    for (size_t i = 0; i < 2 * count; i++) costs.missed += i % 2 ? sides[i].size : -sides[i].size;
    costs.missed += frame->length_a - frame->length_b;
    costs.net = share_out(sides, 2 * count, frame->length_a - frame->length_b, free_variance);
    for (size_t i = 0; i < count; i++) {
        add_block(&costs, sides[2 * i], sides[2 * i + 1], frame->agree, &across);
        double less = fmin(sides[2 * i].size, sides[2 * i + 1].size),
               doubtful = fmin(less, CLUSTER * frame->n);
        costs.cost -= CLUSTER_KEPT * doubtful;
        replaced += REPLACED_ERROR * less + CLUSTER_KEPT * doubtful;
    }
    costs.variance = fmax(0, costs.variance - across * across / (costs.missed_variance + free_variance));
    costs.variance += replaced * replaced;
    mem_free(sides);
    /* Moved text is deleted here and inserted there. */
    costs.cost += 2 * frame->c * gaps->moved;
    costs.variance += 4 * frame->c * frame->c * gaps->moved;
    costs.size_a += frame->c * gaps->moved, costs.size_b += frame->c * gaps->moved;
    *out = costs;
    return STEMMA_OK;
}

#include "align/signature/edit_gaps.h"

#include "base/alloc.h"
#include "base/log_factorial.h"
#include "base/sort.h"

#include <math.h>

static struct edit_gap edit_gap_before(const struct matching *matching, size_t pair) {
    struct symbol_pair from = matching->pairs[pair - 1], to = matching->pairs[pair];
    return (struct edit_gap){to.a - from.a - 1 - matching->moved_a[pair],
                             to.b - from.b - 1 - matching->moved_b[pair]};
}

static double gap_size(struct edit_gap gap) {
    return (double)gap.a + gap.b;
}

/* Nats needed to write down the sizes of `count` gaps with `sum` symbols, by the geometric distribution that
 * suits them best: scattered edits leave such gaps. */
static double gap_cost(double count, double sum) {
    if (count <= 0 || sum <= 0) return 0;
    return count * log((count + sum) / count) + sum * log((count + sum) / sum);
}

static double log_choose(double n, double k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

#define BLOCK_COST                                                                                           \
    1. /* and for each block: windows that overlap survive together, which looks a little like blocks */
#define SPLIT_COST                                                                                           \
    5. /* nats that telling two kinds of gaps apart must save; less sees blocks in scattered edits */

/*
 * Least size of a block: the one with which the sizes are written down in the fewest nats, when the blocks
 * are pointed out and both kinds have distributions of their own. By the nature of codes that gains nothing
 * on average when there are only scattered edits, at whatever rate.
 */
static uint32_t least_block(const uint64_t *ascending, size_t count, double sum, double *evidence) {
    double whole = gap_cost((double)count, sum), best = whole, blocks_sum = 0;
    uint32_t least = UINT32_MAX;
    for (size_t k = 1; k <= count; k++) {
        uint64_t size = ascending[count - k];
        blocks_sum += (double)size;
        if (size == 0) break;
        if (k < count && ascending[count - k - 1] == size) continue;
        double cost = gap_cost((double)(count - k), sum - blocks_sum) + gap_cost((double)k, blocks_sum) +
                      log_choose((double)count, (double)k) + SPLIT_COST + BLOCK_COST * (double)k;
        if (cost < best) best = cost, least = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX);
    }
    *evidence = whole - best;
    return least;
}

static bool collect_blocks(const struct matching *matching, struct edit_gaps *gaps) {
    size_t capacity = 0;
    for (size_t k = 1; k < matching->count; k++) {
        struct edit_gap gap = edit_gap_before(matching, k);
        if (gap_size(gap) < gaps->block_least) {
            gaps->scattered_a += gap.a, gaps->scattered_b += gap.b;
            continue;
        }
        if (!mem_grow((void **)&gaps->blocks, &capacity, gaps->block_count + 1, sizeof *gaps->blocks))
            return false;
        gaps->blocks[gaps->block_count++] = gap;
    }
    return true;
}

stemma_status find_gaps(const struct matching *matching, struct edit_gaps *out, stemma_error *err) {
    size_t count = matching->count - 1;
    uint64_t *sizes = mem_alloc(count * sizeof *sizes);
    if (!sizes) return fail_memory(err);
    double sum = 0, moved = 0;
    for (size_t k = 0; k < count; k++) {
        sizes[k] = (uint64_t)gap_size(edit_gap_before(matching, k + 1));
        sum += (double)sizes[k];
        moved += matching->moved_a[k + 1];
    }
    bool ok = sort_u64(sizes, count);
    struct edit_gaps gaps = {.matched = (double)(matching->count - 2), .moved = moved};
    if (ok) gaps.block_least = least_block(sizes, count, sum, &gaps.evidence);
    mem_free(sizes);
    if (!ok || !collect_blocks(matching, &gaps)) {
        gaps_release(&gaps);
        return fail_memory(err);
    }
    *out = gaps;
    return STEMMA_OK;
}

struct edit_gaps gaps_without_blocks(const struct edit_gaps *gaps) {
    struct edit_gaps all = {.matched = gaps->matched,
                            .moved = gaps->moved,
                            .scattered_a = gaps->scattered_a,
                            .scattered_b = gaps->scattered_b,
                            .block_least = UINT32_MAX};
    for (size_t i = 0; i < gaps->block_count; i++) {
        all.scattered_a += gaps->blocks[i].a;
        all.scattered_b += gaps->blocks[i].b;
    }
    return all;
}

void gaps_release(struct edit_gaps *gaps) {
    mem_free(gaps->blocks);
    *gaps = (struct edit_gaps){0};
}

/*
 * Equal ends are matched first. Of what is left every pair of equal symbols is a point, and the longest chain
 * of points that ascends in both signatures is found by patience sorting (Hunt and Szymanski). Where symbols
 * repeat so much that there would be too many points, runs of symbols take their place, and the gaps between
 * those are filled by symbols where that is cheap, else by what a shortest edit script keeps: text that
 * repeats itself from one end to the other has nothing but such gaps. Last, stretches of the chain that
 * chance would give as well are taken out of it.
 */
#include "align/signature/symbol_chain.h"

#include "align/distance/script.h"
#include "align/signature/symbol_table.h"
#include "align/signature/unrelated.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* Points allowed per symbol: bounds time and memory. Random symbols of 16 bits reach it at two million
 * symbols. */
#define POINTS_PER_SYMBOL 16
#define LONGEST_RUN       16
#define CELLS_PER_SYMBOL  (1u << 15) /* of the work of a script (distance.h): less than the points take */
#define SCRIPT_PART       5 /* edits in a script, of the symbols: chance needs more than a quarter, even of two */

struct chain {
    struct symbol_pair *pairs;
    size_t count, capacity;
    bool partial; /* some gap could not be filled */
};

static bool chain_add(struct chain *chain, size_t a, size_t b) {
    if (!mem_grow((void **)&chain->pairs, &chain->capacity, chain->count + 1, sizeof *chain->pairs))
        return false;
    chain->pairs[chain->count++] = (struct symbol_pair){(uint32_t)a, (uint32_t)b};
    return true;
}

struct point {
    uint32_t a, b;
    uint32_t previous; /* point before it in the best chain that ends here */
};

/* The smallest length whose best chain ends at or after b. */
static size_t place_of(const struct point *points, const uint32_t *ends, size_t length, uint32_t b) {
    size_t low = 0, high = length;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (points[ends[middle]].b < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Points of one token, from the last place in b to the first, so that no two of them are in one chain. */
static void add_points(const struct symbol_table *common, const struct symbol_entry *entry, uint32_t a,
                       struct point *points, size_t *count, uint32_t *ends, size_t *length) {
    for (uint32_t b = entry->last; b != NOWHERE; b = common->before[b]) {
        size_t at = place_of(points, ends, *length, b);
        points[*count] = (struct point){a, b, at ? ends[at - 1] : NOWHERE};
        ends[at] = (uint32_t)(*count)++;
        if (at == *length) (*length)++;
    }
}

/* A span of both signatures in which to look. */
struct span {
    const uint16_t *a, *b; /* whole signatures */
    size_t a_begin, a_end, b_begin, b_end;
};

static bool affordable(const struct span *span, double points) {
    return points < NOWHERE &&
           points <= POINTS_PER_SYMBOL * (double)(span->a_end - span->a_begin + span->b_end - span->b_begin);
}

/* Hand the best chain of points on as pairs of symbols: `run` of them each, where they do not overlap. */
static bool emit_chain(const struct span *span, const struct point *points, uint32_t *ends, size_t length,
                       size_t run, struct chain *out) {
    uint32_t at = length ? ends[length - 1] : NOWHERE;
    for (size_t k = length; k-- > 0; at = points[at].previous) ends[k] = at;
    size_t a_free = span->a_begin, b_free = span->b_begin;
    for (size_t k = 0; k < length; k++) {
        for (size_t i = 0; i < run; i++) {
            size_t a = span->a_begin + points[ends[k]].a + i, b = span->b_begin + points[ends[k]].b + i;
            if (a < a_free || b < b_free) continue;
            if (!chain_add(out, a, b)) return false;
            a_free = a + 1, b_free = b + 1;
        }
    }
    return true;
}

/* Longest chain of the tokens in `common`, made of runs within the span. */
static stemma_status longest_chain(const struct span *span, const struct symbol_table *common, size_t run,
                                   struct chain *out, stemma_error *err) {
    size_t a_tokens = span->a_end - span->a_begin - run + 1, count = 0, length = 0;
    struct point *points = mem_alloc((size_t)common->pairs * sizeof *points);
    uint32_t *ends = mem_alloc((span->b_end - span->b_begin) * sizeof *ends);
    bool ok = points && ends;
    for (size_t i = 0; ok && i < a_tokens; i++) {
        const struct symbol_entry *entry =
            symbol_table_find(common, token_at(span->a + span->a_begin + i, run));
        if (entry) add_points(common, entry, (uint32_t)i, points, &count, ends, &length);
    }
    ok = ok && emit_chain(span, points, ends, length, run, out);
    mem_free(points);
    mem_free(ends);
    return ok ? STEMMA_OK : fail_memory(err);
}

/* Chains a span by the shortest runs of symbols that are affordable, and says which (0: even long ones repeat
 * too much, nothing is chained). */
static stemma_status chain_span(const struct span *span, size_t longest, struct chain *out, size_t *used,
                                struct symbol_table *common, stemma_error *err) {
    size_t a_size = span->a_end - span->a_begin, b_size = span->b_end - span->b_begin;
    *used = 0;
    for (size_t run = 1; run <= longest && run <= a_size && run <= b_size; run *= 2) {
        TRY(symbol_table_new(span->a + span->a_begin, a_size, span->b + span->b_begin, b_size, run, common,
                             err));
        if (affordable(span, common->pairs)) {
            *used = run;
            return longest_chain(span, common, run, out, err);
        }
        symbol_table_release(common);
    }
    return STEMMA_OK;
}

static uint32_t *widened(const uint16_t *symbols, size_t count) {
    uint32_t *wide = mem_alloc(count * sizeof *wide);
    for (size_t i = 0; wide && i < count; i++) wide[i] = symbols[i];
    return wide;
}

static bool emit_kept(const struct span *span, const struct script *script, struct chain *out) {
    for (size_t k = 0; k < script->count; k++) {
        const stemma_step *step = &script->steps[k];
        if (step->kind != STEMMA_KEEP) continue;
        for (size_t i = 0; i < step->a_end - step->a_begin; i++)
            if (!chain_add(out, span->a_begin + step->a_begin + i, span->b_begin + step->b_begin + i))
                return false;
    }
    return true;
}

/* What a shortest edit script keeps; nothing when there are too many edits in it, or too much work. */
static stemma_status chain_by_script(const struct span *span, struct chain *out, stemma_error *err) {
    size_t n = span->a_end - span->a_begin, m = span->b_end - span->b_begin;
    if (n == 0 || m == 0) return STEMMA_OK;
    const struct distance_limits limits = {.at_most = (n > m ? n : m) / SCRIPT_PART,
                                           .work = (uint64_t)CELLS_PER_SYMBOL * (n + m),
                                           .memory = SIZE_MAX};
    uint32_t *a = widened(span->a + span->a_begin, n), *b = widened(span->b + span->b_begin, m);
    struct script script = {0};
    stemma_status status = STEMMA_NO_MEMORY;
    if (a && b) {
        struct distance_pair pair = {(const uint8_t *)a, (const uint8_t *)b, n, m, 2};
        status = script_by(&pair, DISTANCE_ANY, kernels_get(), &limits, &script, err);
        if (status == STEMMA_OK && !emit_kept(span, &script, out)) status = STEMMA_NO_MEMORY;
        out->partial |= script.found.given_up || script.found.exceeded;
    }
    script_release(&script);
    mem_free(a);
    mem_free(b);
    return status == STEMMA_NO_MEMORY ? fail_memory(err) : status;
}

/* Between anchors: equal symbols at both ends of the gap, and a chain of single symbols between them. */
static stemma_status fill_gap(struct span gap, struct chain *out, stemma_error *err) {
    for (; gap.a_begin < gap.a_end && gap.b_begin < gap.b_end && gap.a[gap.a_begin] == gap.b[gap.b_begin];
         gap.a_begin++, gap.b_begin++)
        if (!chain_add(out, gap.a_begin, gap.b_begin)) return fail_memory(err);
    size_t tail = 0;
    while (gap.a_begin < gap.a_end && gap.b_begin < gap.b_end && gap.a[gap.a_end - 1] == gap.b[gap.b_end - 1])
        gap.a_end--, gap.b_end--, tail++;
    struct symbol_table common = {0};
    size_t used;
    stemma_status status = chain_span(&gap, 1, out, &used, &common, err);
    symbol_table_release(&common);
    if (status == STEMMA_OK && !used && gap.a_begin < gap.a_end && gap.b_begin < gap.b_end)
        status = chain_by_script(&gap, out, err);
    TRY(status);
    for (size_t i = 0; i < tail; i++)
        if (!chain_add(out, gap.a_end + i, gap.b_end + i)) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status fill_gaps(const struct span *whole, const struct chain *anchors, struct chain *out,
                               stemma_error *err) {
    struct span gap = *whole;
    for (size_t k = 0; k <= anchors->count; k++) {
        bool last = k == anchors->count;
        gap.a_end = last ? whole->a_end : anchors->pairs[k].a;
        gap.b_end = last ? whole->b_end : anchors->pairs[k].b;
        TRY(fill_gap(gap, out, err));
        if (last) break;
        if (!chain_add(out, gap.a_end, gap.b_end)) return fail_memory(err);
        gap.a_begin = gap.a_end + 1, gap.b_begin = gap.b_end + 1;
    }
    return STEMMA_OK;
}

/* Where symbols repeat: all that a shortest script keeps, or, for texts too far apart for that, runs of
 * symbols and what fits between them. */
static stemma_status chain_repeats(const struct span *whole, const struct chain *runs, struct chain *out,
                                   stemma_error *err) {
    TRY(chain_by_script(whole, out, err));
    if (!out->partial) return STEMMA_OK;
    out->partial = false;
    return fill_gaps(whole, runs, out, err);
}

/*
 * A chance chain through a rectangle of w by h symbols that agree with probability r has about 2 sqrt(whr)
 * points, so each of its steps spans a rectangle in which a quarter of a point is expected. A step is worth
 * how much less than that it spans. A pair stays when a step next to it is worth something and the best
 * stretch through it enough.
 */
#define CHANCE_STEP 3. /* a step spanning e^-3 = 1/20 expected points is worth nothing */
#define NEXT_STEP   .5 /* least worth of a step to the next symbol of both, however common it is */
#define LEAST_WORTH 2.
#define MOST_WORTH  4. /* a good stretch does not carry the void behind it */

struct chained {
    struct symbol_pair pair;
    double agree; /* chance that symbols agree as this one does */
};

static double step_worth(const struct chained *from, const struct chained *to) {
    double a = to->pair.a - from->pair.a, b = to->pair.b - from->pair.b;
    double expected = a * b * fmax(from->agree, to->agree);
    if (a * b <= 1) return fmax(NEXT_STEP, -log(expected));
    return -log(expected) - CHANCE_STEP;
}

static double stretch(double before, double step) {
    return fmin(MOST_WORTH, fmax(0, before + step));
}

/* Which pairs of the chain, ends aside, are more than chance; `worth` has room for them all. */
static void judge_chain(const struct chained *chain, size_t count, double *worth) {
    worth[0] = 0;
    for (size_t k = 1; k < count; k++) worth[k] = stretch(worth[k - 1], step_worth(&chain[k - 1], &chain[k]));
    double after = 0;
    for (size_t k = count - 1; k-- > 1;) {
        double in = step_worth(&chain[k - 1], &chain[k]), out = step_worth(&chain[k], &chain[k + 1]);
        after = stretch(after, out);
        worth[k] = fmax(in, out) > 0 ? worth[k] + after : 0;
    }
}

/* Points of symbols that occur once in each: those that the chain leaves out are chance, and say how much of
 * it there is. */
static double stray_points(const struct symbol_table *common, const struct span *whole,
                           const struct chain *chain) {
    double stray = 0;
    for (size_t i = 0; i <= common->mask; i++)
        stray += common->entries[i].last != NOWHERE && common->entries[i].in_a == 1 &&
                 common->entries[i].in_b == 1;
    for (size_t k = 0; k < chain->count; k++) {
        const struct symbol_entry *entry = symbol_table_find(common, whole->a[chain->pairs[k].a]);
        stray -= entry->in_a == 1 && entry->in_b == 1;
    }
    return stray;
}

/* The chain between the ends of the texts, which count as matched: related documents often begin or end
 * alike. Places are counted from 1. common: NULL where runs were chained. */
static void enclose(const struct span *whole, const struct chain *chain, const struct symbol_table *common,
                    double least_agree, struct chained *out) {
    double area = (double)whole->a_end * (double)whole->b_end;
    double agree = least_agree + (common ? stray_points(common, whole, chain) / area : 0);
    out[0] = (struct chained){{0, 0}, agree};
    for (size_t k = 0; k < chain->count; k++) {
        struct symbol_pair pair = chain->pairs[k];
        double more = 0;
        if (common) {
            const struct symbol_entry *entry = symbol_table_find(common, whole->a[pair.a]);
            double x = entry->in_a, y = entry->in_b;
            more = (x * y - fmin(x, y)) / area;
        }
        out[k + 1] = (struct chained){{pair.a + 1, pair.b + 1}, agree + more};
    }
    out[chain->count + 1] = (struct chained){{(uint32_t)whole->a_end + 1, (uint32_t)whole->b_end + 1}, agree};
}

static stemma_status drop_chance(const struct span *whole, const struct chain *chain,
                                 const struct symbol_table *common, double least_agree, struct matching *out,
                                 stemma_error *err) {
    size_t count = chain->count + 2, kept = 0;
    struct chained *chained = mem_alloc(count * sizeof *chained);
    double *worth = mem_alloc(count * sizeof *worth);
    out->pairs = mem_alloc(count * sizeof *out->pairs);
    bool ok = chained && worth && out->pairs;
    if (ok) {
        enclose(whole, chain, common, least_agree, chained);
        judge_chain(chained, count, worth);
        for (size_t k = 0; k < count; k++)
            if (k == 0 || k == count - 1 || worth[k] >= LEAST_WORTH) out->pairs[kept++] = chained[k].pair;
        out->count = kept;
    }
    mem_free(chained);
    mem_free(worth);
    return ok ? STEMMA_OK : fail_memory(err);
}

/* The pair before which place b (from 1) stands. */
static size_t pair_after(const struct matching *matching, uint32_t b) {
    size_t low = 1, high = matching->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (matching->pairs[middle].b < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Symbols that moved; returns how many. */
static double count_moved(const struct span *whole, const struct symbol_table *common,
                          struct matching *matching) {
    double moved = 0;
    for (size_t k = 1; k < matching->count; k++) {
        for (uint32_t a = matching->pairs[k - 1].a + 1; a < matching->pairs[k].a; a++) {
            const struct symbol_entry *entry = symbol_table_find(common, whole->a[a - 1]);
            if (!entry || entry->in_a != 1 || entry->in_b != 1) continue;
            matching->moved_a[k]++;
            matching->moved_b[pair_after(matching, entry->last + 1)]++;
            moved++;
        }
    }
    return moved;
}

#define MOVED_LEAST 1.
#define MOVED_SURE  20. /* times what chance gives */

static stemma_status find_moved(const struct span *whole, const struct symbol_table *common, double agree,
                                struct matching *matching, stemma_error *err) {
    matching->moved_a = mem_zero(matching->count, sizeof *matching->moved_a);
    matching->moved_b = mem_zero(matching->count, sizeof *matching->moved_b);
    if (!matching->moved_a || !matching->moved_b) return fail_memory(err);
    if (!common) return STEMMA_OK;
    double unmatched_a = (double)(whole->a_end + 2 - matching->count),
           unmatched_b = (double)(whole->b_end + 2 - matching->count);
    double chance = unmatched_a * unmatched_b * agree;
    if (count_moved(whole, common, matching) >= MOVED_LEAST + MOVED_SURE * chance) return STEMMA_OK;
    memset(matching->moved_a, 0, matching->count * sizeof *matching->moved_a);
    memset(matching->moved_b, 0, matching->count * sizeof *matching->moved_b);
    return STEMMA_OK;
}

/*
 * The probability of the chain by chance is that of its rare symbols: common ones, such as those of the
 * windows of frequent words, give long chains to anything. Two windows of one phrase follow each other in
 * both texts though the texts be unrelated; that many of the steps to the very next symbol are owed to it,
 * and say nothing.
 */
static double chance_of(const struct signature *a, const struct signature *b, const struct chain *chain,
                        const struct symbol_table *common, size_t run) {
    size_t longer = a->count > b->count ? a->count : b->count;
    uint32_t limit = run > 1 ? UINT32_MAX : (uint32_t)(2 + 2 * longer / a->alphabet);
    double length = 0, next = 0;
    for (size_t k = 0; k < chain->count; k++) {
        const struct symbol_pair *pair = &chain->pairs[k];
        const struct symbol_entry *entry = run > 1 ? NULL : symbol_table_find(common, a->symbols[pair->a]);
        if (entry && (entry->in_a > limit || entry->in_b > limit)) continue;
        length++;
        next += k && pair->a == pair[-1].a + 1 && pair->b == pair[-1].b + 1;
    }
    return chance_of_chain(common, limit, length / (double)run,
                           next / (double)run * fmin(.5, 2. * a->n / a->c));
}

/* Chain, chance, moved: once the chain is known. common: NULL where it is one of runs. */
static stemma_status judge_matching(const struct span *whole, const struct chain *chain,
                                    const struct symbol_table *common, uint32_t alphabet,
                                    struct matching *out, stemma_error *err) {
    TRY(drop_chance(whole, chain, common, 1. / alphabet, out, err));
    return find_moved(whole, common, 1. / alphabet, out, err);
}

stemma_status match_symbols(const struct signature *a, const struct signature *b, struct matching *out,
                            stemma_error *err) {
    struct span whole = {a->symbols, b->symbols, 0, a->count, 0, b->count};
    struct chain filled = {0}, anchors = {0};
    struct symbol_table common = {0};
    struct matching result = {.p_chance = 1};
    size_t run;
    stemma_status status = chain_span(&whole, LONGEST_RUN, &anchors, &run, &common, err);
    if (status == STEMMA_OK && run) result.p_chance = chance_of(a, b, &anchors, &common, run);
    if (status == STEMMA_OK && run == 1) {
        status = judge_matching(&whole, &anchors, &common, a->alphabet, &result, err);
    } else if (status == STEMMA_OK) {
        status = chain_repeats(&whole, &anchors, &filled, err);
        if (status == STEMMA_OK) status = judge_matching(&whole, &filled, NULL, a->alphabet, &result, err);
        result.partial = filled.partial;
    }
    mem_free(anchors.pairs);
    mem_free(filled.pairs);
    symbol_table_release(&common);
    if (status == STEMMA_OK)
        *out = result;
    else
        matching_release(&result);
    return status;
}

void matching_release(struct matching *matching) {
    mem_free(matching->pairs);
    mem_free(matching->moved_a);
    mem_free(matching->moved_b);
    *matching = (struct matching){0};
}

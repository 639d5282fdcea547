/*
 * Precision and recall of 1-bit fingerprints, as Yuan et al. (2012) define them in section 5.2: pairs of
 * documents whose fingerprints differ in at most r_h bits, against pairs whose true resemblance is r and
 * more.
 *
 *   hamming_accuracy [--seeds=N] [FILE]... < NAMES       documents are files; names of more may be on
 *                                                        standard input, one a line
 *
 * Documents with the same set of shingles count once. With --seeds, the same pairs by N hash functions: pairs
 * near the threshold come in families that one hash function finds or misses together.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "estimate/hamming.h"
#include "index/hamming/groups.h"
#include "kernels/kernels.h"
#include "shingle/whole.h"
#include "sketch/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 1000, WORDS = (BITS + 63) / 64, LEAST = 60 };

static const struct view view = {
    .folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64};
static const uint32_t widths[] = {64, 100, 200, 400, 600, 1000};
static const double resemblances[] = {.7, .8, .9};
enum { WIDTHS = sizeof widths / sizeof *widths, LEVELS = sizeof resemblances / sizeof *resemblances };

struct document {
    uint64_t *set; /* ascending, without repetitions, with room for KERNEL_SLACK */
    size_t count;
    uint64_t words[WORDS];
};

/* That are alike: resemblances[0] and more. */
struct pair {
    uint32_t a, b;
    double resemblance;
};

struct pile {
    struct document *list;
    size_t count, capacity;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    struct shingle_tables tables;
    struct whole *whole;
};

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "hamming_accuracy: %s\n", what);
    exit(3);
}

static void done(stemma_status status, const stemma_error *err) {
    must(status == STEMMA_OK, err->message);
}

/* ---- documents ---- */

static void pile_init(struct pile *pile) {
    stemma_error err;
    *pile = (struct pile){0};
    done(shingle_tables_init(&pile->tables, &view, &err), &err);
    done(whole_new(&view, &pile->tables, &pile->whole, &err), &err);
}

static void pile_release(struct pile *pile) {
    for (size_t i = 0; i < pile->count; i++) mem_free(pile->list[i].set);
    mem_free(pile->list);
    mem_free(pile->pairs);
    whole_free(pile->whole);
    shingle_tables_release(&pile->tables);
}

static void add_document(struct pile *pile, const struct buf *bytes) {
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    stemma_error err;
    done(whole_canon(pile->whole, bytes->data, bytes->len, &text, &size, &err), &err);
    if (!size) return;
    done(whole_shingles(pile->whole, text, size, &fp, &count, &tokens, &err), &err);
    must(mem_grow((void **)&pile->list, &pile->capacity, pile->count + 1, sizeof *pile->list),
         "out of memory");
    struct document *d = &pile->list[pile->count++];
    d->set = mem_alloc((count + KERNEL_SLACK) * sizeof *d->set);
    must(d->set, "out of memory");
    memcpy(d->set, fp, count * sizeof *fp);
    must(sort_u64(d->set, count), "out of memory");
    d->count = unique_u64(d->set, count);
}

static void add_file(struct pile *pile, const char *path) {
    struct buf bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return;
    }
    for (size_t got = 1; got;) {
        must(buf_reserve(&bytes, 1 << 16), "out of memory");
        got = fread(bytes.data + bytes.len, 1, bytes.cap - bytes.len, file);
        bytes.len += got;
    }
    fclose(file);
    if (bytes.len) add_document(pile, &bytes);
    buf_release(&bytes);
}

static void add_names(struct pile *pile) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t size; (size = getline(&line, &room, stdin)) > 0;) {
        if (line[size - 1] == '\n') line[size - 1] = '\0';
        add_file(pile, line);
    }
    free(line);
}

static int by_set(const void *a, const void *b) {
    const struct document *p = a, *q = b;
    if (p->count != q->count) return p->count < q->count ? -1 : 1;
    return memcmp(p->set, q->set, p->count * sizeof *p->set);
}

static void drop_copies(struct pile *pile) {
    size_t kept = 0;
    if (pile->count) qsort(pile->list, pile->count, sizeof *pile->list, by_set);
    for (size_t i = 0; i < pile->count; i++) {
        if (kept && !by_set(&pile->list[kept - 1], &pile->list[i]))
            mem_free(pile->list[i].set);
        else
            pile->list[kept++] = pile->list[i];
    }
    pile->count = kept;
}

/* ---- pairs that are alike ---- */

static double resemblance(const struct document *a, const struct document *b) {
    size_t common = common_u64(a->set, a->count, b->set, b->count);
    return (double)common / (double)(a->count + b->count - common);
}

static bool sizes_differ(const struct document *a, const struct document *b) {
    size_t less = a->count < b->count ? a->count : b->count, more = a->count < b->count ? b->count : a->count;
    return (double)less < resemblances[0] * (double)more;
}

/* Sets of some thousand are not compared in full when a few of their smallest hashes already tell that they
 * have too little in common. */
static double true_resemblance(const struct document *a, const struct document *b) {
    size_t some_a = a->count / 64 + LEAST, some_b = b->count / 64 + LEAST;
    if (some_a >= a->count || some_b >= b->count) return resemblance(a, b);
    uint64_t limit = a->set[some_a] < b->set[some_b] ? a->set[some_a] : b->set[some_b];
    while (some_a && a->set[some_a - 1] >= limit) some_a--;
    while (some_b && b->set[some_b - 1] >= limit) some_b--;
    size_t common = common_u64(a->set, some_a, b->set, some_b), all = some_a + some_b - common;
    if (all >= LEAST && (double)common < .35 * (double)all) return 0; /* six standard deviations from .7 */
    return resemblance(a, b);
}

static void find_pairs(struct pile *pile) {
    for (size_t i = 0; i < pile->count; i++)
        for (size_t j = i + 1; j < pile->count; j++) {
            const struct document *a = &pile->list[i], *b = &pile->list[j];
            double true_one = sizes_differ(a, b) ? 0 : true_resemblance(a, b);
            if (true_one < resemblances[0]) continue;
            must(mem_grow((void **)&pile->pairs, &pile->pair_capacity, pile->pair_count + 1,
                          sizeof *pile->pairs),
                 "out of memory");
            pile->pairs[pile->pair_count++] = (struct pair){(uint32_t)i, (uint32_t)j, true_one};
        }
}

/* ---- fingerprints ---- */

static void make_bits(struct bit_maker *maker, const uint64_t *fp, size_t count, uint64_t words[WORDS]) {
    stemma_error err;
    uint8_t bytes[WORDS * 8] = {0};
    bit_maker_begin(maker);
    done(bit_maker_add(maker, fp, count, &err), &err);
    done(bit_maker_end(maker, &err), &err);
    bit_maker_take(maker, bytes);
    for (size_t w = 0; w < WORDS; w++) words[w] = load_u64(bytes + 8 * w);
}

/* Of shingles by another hash function, but for 0, which is that of the view. */
static void make_all_bits(struct pile *pile, uint64_t seed) {
    stemma_error err;
    struct bit_maker *maker;
    struct vec64 other = {0};
    done(bit_maker_new(&view, BITS, &maker, &err), &err);
    for (size_t i = 0; i < pile->count; i++) {
        struct document *d = &pile->list[i];
        other.len = 0;
        must(vec64_reserve(&other, d->count + KERNEL_SLACK), "out of memory");
        for (size_t k = 0; k < d->count; k++)
            other.data[k] = seed ? mix64(d->set[k] + mix64(seed)) : d->set[k];
        make_bits(maker, other.data, d->count, d->words);
    }
    vec64_release(&other);
    bit_maker_free(maker);
}

/* ---- what they find ---- */

struct counts {
    uint64_t detected[WIDTHS][LEVELS], correct[WIDTHS][LEVELS], there[LEVELS];
};

static void count_detected(const struct document *a, const struct document *b,
                           uint64_t detected[WIDTHS][LEVELS]) {
    for (size_t k = 0; k < WIDTHS; k++) {
        uint32_t distance = hamming_distance(a->words, b->words, widths[k]);
        for (size_t r = 0; r < LEVELS; r++)
            detected[k][r] += distance <= hamming_radius(widths[k], resemblances[r]);
    }
}

static void count_correct(const struct pile *pile, const struct pair *pair, struct counts *counts) {
    uint64_t found[WIDTHS][LEVELS] = {0};
    count_detected(&pile->list[pair->a], &pile->list[pair->b], found);
    for (size_t r = 0; r < LEVELS; r++) {
        if (pair->resemblance < resemblances[r]) continue;
        counts->there[r]++;
        for (size_t k = 0; k < WIDTHS; k++) counts->correct[k][r] += found[k][r];
    }
}

static struct counts count_pairs(const struct pile *pile) {
    struct counts counts = {0};
    for (size_t i = 0; i < pile->count; i++)
        for (size_t j = i + 1; j < pile->count; j++)
            count_detected(&pile->list[i], &pile->list[j], counts.detected);
    for (size_t i = 0; i < pile->pair_count; i++) count_correct(pile, &pile->pairs[i], &counts);
    return counts;
}

static double precision(const struct counts *c, size_t k, size_t r) {
    return (double)c->correct[k][r] / (double)c->detected[k][r];
}

static double recall(const struct counts *c, size_t k, size_t r) {
    return (double)c->correct[k][r] / (double)c->there[r];
}

/* ---- tables ---- */

static void print_head(void) {
    printf("| k |");
    for (size_t r = 0; r < LEVELS; r++) printf(" precision, r = %.1f | recall |", resemblances[r]);
    printf("\n|--:|");
    for (size_t r = 0; r < LEVELS; r++) printf("--:|--:|");
    putchar('\n');
}

static void print_counts(const struct pile *pile, const struct counts *counts) {
    printf("%zu documents;", pile->count);
    for (size_t r = 0; r < LEVELS; r++)
        printf(" %llu pairs of resemblance %.1f and more%s", (unsigned long long)counts->there[r],
               resemblances[r], r + 1 < LEVELS ? "," : "\n\n");
    print_head();
    for (size_t k = 0; k < WIDTHS; k++) {
        printf("| %u |", widths[k]);
        for (size_t r = 0; r < LEVELS; r++)
            printf(" %.4f | %.4f |", precision(counts, k, r), recall(counts, k, r));
        putchar('\n');
    }
}

/* Least and mean of a share over all seeds. */
static void print_spread(const struct counts *of, size_t seeds, size_t k, size_t r,
                         double share(const struct counts *, size_t, size_t)) {
    double least = 1, sum = 0;
    for (size_t i = 0; i < seeds; i++) {
        double one = share(&of[i], k, r);
        if (one < least) least = one;
        sum += one;
    }
    printf(" %.3f, %.3f |", least, sum / (double)seeds);
}

static void print_spreads(const struct counts *of, size_t seeds) {
    printf("\nThe least of %zu hash functions, and the mean:\n\n", seeds);
    print_head();
    for (size_t k = 0; k < WIDTHS; k++) {
        printf("| %u |", widths[k]);
        for (size_t r = 0; r < LEVELS; r++) {
            print_spread(of, seeds, k, r, precision);
            print_spread(of, seeds, k, r, recall);
        }
        putchar('\n');
    }
}

static void measure(struct pile *pile, size_t seeds) {
    struct counts *of = mem_zero(seeds, sizeof *of);
    must(of, "out of memory");
    for (size_t i = 0; i < seeds; i++) {
        make_all_bits(pile, i);
        of[i] = count_pairs(pile);
    }
    print_counts(pile, &of[0]);
    if (seeds > 1) print_spreads(of, seeds);
    mem_free(of);
}

int main(int argc, char **argv) {
    struct pile pile;
    size_t seeds = 1;
    int first = 1;
    if (argc > 1 && !strncmp(argv[1], "--seeds=", 8)) seeds = strtoul(argv[first++] + 8, NULL, 10);
    must(seeds > 0, "--seeds must be a number");
    pile_init(&pile);
    for (int i = first; i < argc; i++) add_file(&pile, argv[i]);
    if (!isatty(STDIN_FILENO)) add_names(&pile);
    drop_copies(&pile);
    find_pairs(&pile);
    measure(&pile, seeds);
    pile_release(&pile);
    return 0;
}

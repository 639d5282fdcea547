/*
 * Speed of verification: a document made ready, and the exact overlap of another with it, against sorting all
 * fingerprints and walking both sets, which is also what the results are checked against.
 *
 *   bench_overlap [--json] [--rounds N] [--size BYTES]
 *
 * Figures are gigabytes of canonical text per second of CPU time, and the ratio to the twin, measured in turn
 * with it. Everything is in the cache, as it is after a document was read.
 */
#include "estimate/overlap.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "english.h"
#include "figure.h"
#include "shingle/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 6, REPEATS = 16 };

struct options {
    bool json;
    size_t rounds, size;
};

/* ---- documents ---- */

/* Changes to a document, each of `span` tokens (words or bytes), one in `every` tokens;
 * 0: another document. */
struct change {
    const char *name;
    size_t every_words, every_bytes, span;
};

/* The intervals are those that leave the resemblance named. */
static const struct change changes[] = {
    {"same", SIZE_MAX, SIZE_MAX, 1}, {"J=.95, tokens", 195, 780, 1}, {"J=.9, tokens", 95, 380, 1},
    {"J=.9, passages", 260, 640, 8}, {"J=.5, tokens", 15, 60, 1},    {"unrelated", 0, 0, 1},
};
enum { CHANGES = sizeof changes / sizeof *changes };

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "bench_overlap: %s\n", what);
    exit(3);
}

static size_t skip_tokens(const struct buf *text, bool words, size_t at, size_t count) {
    if (!words) return count < text->len - at ? at + count : text->len;
    for (; count && at < text->len; count--) {
        const uint8_t *space = memchr(text->data + at, ' ', text->len - at);
        at = space ? (size_t)(space - text->data) + 1 : text->len;
    }
    return at;
}

static void add_new_token(struct buf *out, bool words, uint64_t *state) {
    must(words ? buf_add_format(out, "new%u ", (unsigned)rng_below(state, 100000))
               : buf_add_byte(out, (uint8_t)('a' + rng_below(state, 26))),
         "out of memory");
}

/* The canonical text `from`, with `span` tokens replaced after every so many, on average. */
static void change_text(const struct buf *from, bool words, size_t every, size_t span, uint64_t *state,
                        struct buf *to) {
    for (size_t at = 0; at < from->len;) {
        size_t kept = every == SIZE_MAX ? every : rng_below(state, 2 * every + 1);
        size_t end = skip_tokens(from, words, at, kept);
        must(buf_add(to, from->data + at, end - at), "out of memory");
        if (end == from->len) break;
        for (size_t i = 0; i < span; i++) add_new_token(to, words, state);
        at = skip_tokens(from, words, end, span);
    }
    if (words && to->data[to->len - 1] == ' ') to->len--;
    must(buf_reserve(to, KERNEL_SLACK), "out of memory");
}

static void canonical_english(struct whole *whole, size_t size, uint64_t seed, struct buf *out) {
    struct buf raw = {0};
    const uint8_t *text;
    size_t text_size;
    must(buf_reserve(&raw, size), "out of memory");
    english(raw.data, size, seed);
    must(whole_canon(whole, raw.data, size, &text, &text_size, NULL) == STEMMA_OK, "no canonical text");
    must(buf_reserve(out, text_size + KERNEL_SLACK) && buf_add(out, text, text_size), "out of memory");
    buf_release(&raw);
}

/* ---- what is measured ---- */

struct bench {
    const char *name;
    struct view view;
    struct shingle_tables tables;
    struct whole *whole;
    struct overlap_base *base;
    struct vec64 set, other; /* of the twin */
    struct buf a, b;
};

static void bench_init(struct bench *bench, const char *name, struct view view) {
    *bench = (struct bench){.name = name, .view = view};
    must(shingle_tables_init(&bench->tables, &bench->view, NULL) == STEMMA_OK, "no tables");
    must(whole_new(&bench->view, &bench->tables, &bench->whole, NULL) == STEMMA_OK, "out of memory");
    must(overlap_base_new(&bench->view, &bench->tables, &bench->base, NULL) == STEMMA_OK, "out of memory");
}

static void bench_release(struct bench *bench) {
    whole_free(bench->whole);
    overlap_base_free(bench->base);
    shingle_tables_release(&bench->tables);
    vec64_release(&bench->set);
    vec64_release(&bench->other);
    buf_release(&bench->a);
    buf_release(&bench->b);
}

/* The obvious way: all fingerprints, sorted. */
static void twin_set(struct bench *bench, const struct buf *text, struct vec64 *set) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    must(whole_shingles(bench->whole, text->data, text->len, &fp, &count, &tokens, NULL) == STEMMA_OK,
         "no shingles");
    set->len = 0;
    must(vec64_reserve(set, count), "out of memory");
    memcpy(set->data, fp, count * sizeof *fp);
    must(sort_u64(set->data, count), "out of memory");
    set->len = unique_u64(set->data, count);
}

static struct overlap twin_with(struct bench *bench) {
    const struct vec64 *a = &bench->set, *b = &bench->other;
    twin_set(bench, &bench->b, &bench->other);
    return (struct overlap){a->len, b->len, common_u64(a->data, a->len, b->data, b->len)};
}

static struct overlap fast_with(struct bench *bench) {
    struct overlap out;
    must(overlap_with(bench->base, bench->b.data, bench->b.len, NULL, &out, NULL, NULL) == STEMMA_OK,
         "no overlap");
    return out;
}

/* It is made ready for the first comparison: with no text. */
static void set_base(struct bench *bench) {
    struct overlap none;
    overlap_base_set(bench->base, bench->a.data, bench->a.len);
    must(overlap_with(bench->base, bench->b.data, 0, NULL, &none, NULL, NULL) == STEMMA_OK, "no base");
}

/* Seconds for both ways, and what was found. */
struct times {
    double fast, twin, bytes, resemblance;
};

static void time_base(struct bench *bench, struct times *times) {
    double begin = cpu_seconds();
    for (int i = 0; i < REPEATS; i++) set_base(bench);
    double between = cpu_seconds();
    for (int i = 0; i < REPEATS; i++) twin_set(bench, &bench->a, &bench->set);
    times->fast += between - begin;
    times->twin += cpu_seconds() - between;
    times->bytes += (double)(REPEATS * bench->a.len);
}

static void time_overlap(struct bench *bench, struct times *times) {
    struct overlap fast = fast_with(bench), twin = twin_with(bench);
    must(fast.a == twin.a && fast.b == twin.b && fast.common == twin.common, "the overlaps differ");
    double begin = cpu_seconds();
    for (int i = 0; i < REPEATS; i++) fast_with(bench);
    double between = cpu_seconds();
    for (int i = 0; i < REPEATS; i++) twin_with(bench);
    times->fast += between - begin;
    times->twin += cpu_seconds() - between;
    times->bytes += (double)(REPEATS * bench->b.len);
    times->resemblance += (double)twin.common / (double)(twin.a + twin.b - twin.common) / PAIRS;
}

/* ---- rounds ---- */

struct row {
    double speed[ROUNDS_MOST], ratio[ROUNDS_MOST], resemblance;
};

static void put_times(struct row *row, size_t round, const struct times *times) {
    row->speed[round] = times->bytes / times->fast * 1e-9;
    row->ratio[round] = times->twin / times->fast;
    row->resemblance = times->resemblance;
}

static void measure(struct bench *bench, const struct options *options, size_t round,
                    struct row rows[CHANGES + 1]) {
    struct times base = {0}, with[CHANGES] = {{0}};
    bool words = bench->view.unit == UNIT_WORD;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        uint64_t state = 1000 * round + pair;
        bench->a.len = 0;
        canonical_english(bench->whole, options->size, state, &bench->a);
        time_base(bench, &base);
        for (int c = 0; c < CHANGES; c++) {
            size_t every = words ? changes[c].every_words : changes[c].every_bytes;
            bench->b.len = 0;
            if (every)
                change_text(&bench->a, words, every, changes[c].span, &state, &bench->b);
            else
                canonical_english(bench->whole, options->size, ~state, &bench->b);
            time_overlap(bench, &with[c]);
        }
    }
    put_times(&rows[0], round, &base);
    for (int c = 0; c < CHANGES; c++) put_times(&rows[c + 1], round, &with[c]);
}

static void print_row(const struct options *options, const char *view, const char *name,
                      const struct row *row) {
    struct figure speed = figure_of(row->speed, options->rounds),
                  ratio = figure_of(row->ratio, options->rounds);
    if (options->json)
        printf(
            "{\"row\": \"%s, %s\", \"resemblance\": %.3f, \"gigabytes_per_second\": %.3g, \"to_twin\": %.3g, "
            "\"spread\": %.2g}\n",
            view, name, row->resemblance, speed.median, ratio.median, ratio.spread);
    else
        printf("%-16s %-18s %5.2f  %7.2f GB/s  %6.1fx  ±%2.0f%%\n", view, name, row->resemblance,
               speed.median, ratio.median, 50 * ratio.spread);
}

static void run(struct bench *bench, const struct options *options) {
    struct row *rows = mem_zero(CHANGES + 1, sizeof *rows);
    must(rows, "out of memory");
    for (size_t round = 0; round < options->rounds; round++) measure(bench, options, round, rows);
    print_row(options, bench->name, "made ready", &rows[0]);
    for (int c = 0; c < CHANGES; c++) print_row(options, bench->name, changes[c].name, &rows[c + 1]);
    mem_free(rows);
    bench_release(bench);
}

int main(int argc, char **argv) {
    struct options options = {.rounds = 9, .size = 30000};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            options.json = true;
        else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
            options.rounds = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--size") && i + 1 < argc)
            options.size = strtoul(argv[++i], NULL, 10);
        else
            options.rounds = 0;
    }
    if (options.rounds == 0 || options.rounds > ROUNDS_MOST || options.size < 1000) {
        fprintf(stderr, "usage: bench_overlap [--json] [--rounds N] [--size BYTES]\n");
        return 2;
    }
    struct bench bench;
    struct view words = {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64};
    struct view bytes = {
        .folds = FOLD_TEXT, .unit = UNIT_BYTE, .window = 20, .hash = HASH_RABIN, .width = 64};
    bench_init(&bench, "5 words", words);
    run(&bench, &options);
    bench_init(&bench, "20 bytes", bytes);
    run(&bench, &options);
    return 0;
}

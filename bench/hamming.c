/*
 * The table of Yuan et al. (2012): CPU time of a range query on the fingerprints of 300,000 documents at a
 * resemblance of .7, for 64 to 1,000 bits, by algorithms G and H in r_h + 3 groups, by multi-index hashing
 * and by a scan. All have to find the same, or the program stops.
 *
 *   bench_hamming [--documents N] [--queries N] [--slow N] [--resemblance R]
 *
 * Documents are made (tools/truth/made.h), queries are some of them. --slow: how many of the queries G gets.
 */
#include "estimate/hamming.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "figure.h"
#include "index/hamming/fingerprints.h"
#include "kernels/kernels.h"
#include "shingle/whole.h"
#include "sketch/bits.h"
#include "truth/made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 1000, WORDS = (BITS + 63) / 64, BYTES = BITS / 8, SPARE = 3 };

struct options {
    uint64_t documents, queries, slow;
    double resemblance;
};

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "bench_hamming: %s\n", what);
    exit(3);
}

static void done(stemma_status status, const stemma_error *err) {
    must(status == STEMMA_OK, err->message);
}

/* ---- documents ---- */

struct corpus {
    uint64_t count;
    uint64_t *words; /* WORDS each */
    double seconds;  /* of CPU: reading and making fingerprints */
};

struct reader {
    struct shingle_tables tables;
    struct whole *whole;
    struct bit_maker *maker;
};

static const struct view view = {
    .folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64};

static void reader_init(struct reader *reader) {
    stemma_error err;
    *reader = (struct reader){0};
    done(shingle_tables_init(&reader->tables, &view, &err), &err);
    done(whole_new(&view, &reader->tables, &reader->whole, &err), &err);
    done(bit_maker_new(&view, BITS, &reader->maker, &err), &err);
}

static void reader_release(struct reader *reader) {
    whole_free(reader->whole);
    bit_maker_free(reader->maker);
}

static void fingerprint(struct reader *reader, const struct buf *text, uint64_t *words) {
    const uint8_t *canon;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    stemma_error err;
    uint8_t bytes[WORDS * 8] = {0};
    done(whole_canon(reader->whole, text->data, text->len, &canon, &size, &err), &err);
    done(whole_shingles(reader->whole, canon, size, &fp, &count, &tokens, &err), &err);
    bit_maker_begin(reader->maker);
    done(bit_maker_add(reader->maker, fp, count, &err), &err);
    done(bit_maker_end(reader->maker, &err), &err);
    bit_maker_take(reader->maker, bytes);
    for (size_t w = 0; w < WORDS; w++) words[w] = load_u64(bytes + 8 * w);
}

static void corpus_make(struct corpus *corpus, uint64_t count) {
    struct made_options made = {.seed = 1,
                                .count = count,
                                .near = .2,
                                .contained = 0,
                                .template_share = .3,
                                .template_words = 60,
                                .size = 1600,
                                .spread = .5,
                                .edits = -1};
    struct maker *maker = made_new(&made);
    struct made_document document = {0};
    struct buf text = {0};
    struct reader reader;
    reader_init(&reader);
    *corpus = (struct corpus){.count = count, .words = mem_zero(count, WORDS * sizeof *corpus->words)};
    must(maker && corpus->words, "out of memory");
    for (uint64_t i = 0; i < count; i++) {
        text.len = 0;
        must(made_document(maker, i, &document) && made_text(maker, &document.words, "\n", &text),
             "out of memory");
        double begin = cpu_seconds();
        fingerprint(&reader, &text, corpus->words + i * WORDS);
        corpus->seconds += cpu_seconds() - begin;
    }
    reader_release(&reader);
    vec64_release(&document.words);
    buf_release(&text);
    made_free(maker);
}

/* ---- sets ---- */

/* The first `bits` of a fingerprint. */
static void shorten(const uint64_t *words, uint32_t bits, uint64_t *out) {
    memcpy(out, words, hamming_words(bits) * sizeof *out);
    if (bits % 64) out[bits / 64] &= (UINT64_C(1) << bits % 64) - 1;
}

static struct fingerprints *make_set(const struct corpus *corpus, uint32_t bits, uint32_t groups) {
    struct fingerprints *set;
    stemma_error err;
    uint64_t words[WORDS];
    done(fingerprints_new(bits, groups, &set, &err), &err);
    for (uint64_t i = 0; i < corpus->count; i++) {
        shorten(corpus->words + i * WORDS, bits, words);
        done(fingerprints_add(set, words, &err), &err);
    }
    done(fingerprints_finish(set, &err), &err);
    return set;
}

/* ---- one way ---- */

struct outcome {
    double seconds;           /* of CPU, a query; 0: refused */
    struct hamming_work work; /* of all queries */
    uint64_t found, check;
};

static void add_work(struct hamming_work *sum, const struct hamming_work *work) {
    sum->used = work->used;
    sum->groups = work->groups;
    sum->combinations += work->combinations;
    sum->searches += work->searches;
    sum->postings += work->postings;
    sum->candidates += work->candidates;
}

static struct outcome ask(const struct fingerprints *set, const struct corpus *corpus, uint32_t bits,
                          uint32_t radius, enum hamming_via via, uint64_t queries) {
    struct outcome outcome = {0};
    struct hamming_matches matches = {0};
    uint64_t random = 7;
    for (uint64_t i = 0; i < queries; i++) {
        uint64_t query[WORDS];
        struct hamming_work work;
        stemma_error err;
        shorten(corpus->words + rng_below(&random, corpus->count) * WORDS, bits, query);
        double begin = cpu_seconds();
        stemma_status status =
            hamming_query(fingerprints_source(set), query, radius, via, &matches, &work, &err);
        outcome.seconds += cpu_seconds() - begin;
        if (status == STEMMA_INVALID) {
            outcome.seconds = 0;
            break;
        }
        done(status, &err);
        add_work(&outcome.work, &work);
        outcome.found += matches.count;
        for (size_t m = 0; m < matches.count; m++)
            outcome.check += mix64(i * corpus->count + matches.list[m].number) ^ matches.list[m].distance;
    }
    outcome.seconds /= (double)queries;
    hamming_matches_release(&matches);
    return outcome;
}

static void same(struct outcome a, struct outcome b) {
    must(a.found == b.found && a.check == b.check, "two ways find different documents");
}

/* ---- the table ---- */

struct line {
    uint32_t bits, radius, groups, wide; /* groups of G and H, of multi-index hashing */
    struct outcome g, h, mih, scan, best;
};

/* Groups as wide as the logarithm of the number of documents are best for multi-index hashing. */
static uint32_t wide_groups(const struct corpus *corpus, uint32_t bits) {
    double width = log2((double)corpus->count);
    return (uint32_t)fmax(1, round(bits / width));
}

static struct line measure(const struct corpus *corpus, uint32_t bits, const struct options *options) {
    struct line line = {.bits = bits, .radius = hamming_radius(bits, options->resemblance)};
    line.groups = line.radius + SPARE;
    line.wide = wide_groups(corpus, bits);
    struct fingerprints *set = make_set(corpus, bits, line.groups);
    line.g = ask(set, corpus, bits, line.radius, HAMMING_G, options->slow);
    struct outcome few = ask(set, corpus, bits, line.radius, HAMMING_H, options->slow);
    if (line.g.seconds > 0) same(line.g, few);
    line.h = ask(set, corpus, bits, line.radius, HAMMING_H, options->queries);
    fingerprints_free(set);
    set = make_set(corpus, bits, line.wide);
    line.mih = ask(set, corpus, bits, line.radius, HAMMING_MIH, options->queries);
    line.scan = ask(set, corpus, bits, line.radius, HAMMING_SCAN, options->queries);
    line.best = ask(set, corpus, bits, line.radius, HAMMING_AUTO, options->queries);
    same(line.h, line.scan);
    same(line.mih, line.scan);
    same(line.best, line.scan);
    fingerprints_free(set);
    return line;
}

static void print_time(double seconds) {
    if (seconds <= 0)
        printf(" refused |");
    else
        printf(seconds < .01 ? " %.3f |" : seconds < 1 ? " %.1f |" : " %.0f |", seconds * 1e3);
}

static void print_line(const struct line *line, const struct options *options) {
    double queries = (double)options->queries;
    printf("| %u | %u | %u | %.0f | %.3g |", line->bits, line->radius, line->groups,
           (double)line->h.work.postings / queries / line->groups, (double)line->h.work.candidates / queries);
    print_time(line->g.seconds);
    print_time(line->h.seconds);
    print_time(line->mih.seconds);
    print_time(line->scan.seconds);
    print_time(line->best.seconds);
    printf(" %s |", hamming_via_name(line->best.work.used));
    printf(line->g.seconds > 0 ? " %.0f |" : " |", line->g.seconds / line->h.seconds);
    printf(" %.0f | %.1f |\n", line->h.seconds / line->best.seconds, (double)line->scan.found / queries);
    fflush(stdout);
}

static bool read_options(int argc, char **argv, struct options *options) {
    *options = (struct options){300000, 1000, 3, .7};
    for (int i = 1; i + 1 < argc; i += 2) {
        double value = strtod(argv[i + 1], NULL);
        if (!strcmp(argv[i], "--documents"))
            options->documents = (uint64_t)value;
        else if (!strcmp(argv[i], "--queries"))
            options->queries = (uint64_t)value;
        else if (!strcmp(argv[i], "--slow"))
            options->slow = (uint64_t)value;
        else if (!strcmp(argv[i], "--resemblance"))
            options->resemblance = value;
        else
            return false;
    }
    return argc % 2 == 1 && options->documents && options->queries && options->slow;
}

int main(int argc, char **argv) {
    static const uint32_t widths[] = {64, 100, 200, 400, 600, 1000};
    struct options options;
    struct corpus corpus;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "bench_hamming [--documents N] [--queries N] [--slow N] [--resemblance R]\n");
        return 2;
    }
    corpus_make(&corpus, options.documents);
    printf("%llu documents, resemblance %.2g, %llu queries (%llu for G), kernels: %s\n\n",
           (unsigned long long)options.documents, options.resemblance, (unsigned long long)options.queries,
           (unsigned long long)options.slow, kernels_get()->name);
    printf("reading a document and making %d bits: %.1f µs\n\n", BITS,
           corpus.seconds / (double)corpus.count * 1e6);
    printf(
        "| k | r_h | m | n_g | candidates | G, ms | H, ms | mih, ms | scan, ms | auto, ms | by | G / H | H / auto | found |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct line line = measure(&corpus, widths[i], &options);
        print_line(&line, &options);
    }
    mem_free(corpus.words);
    return 0;
}

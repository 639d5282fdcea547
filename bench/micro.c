/*
 * Speed of the kernels and of the stages made from them, as ratios: to memcpy of the same buffer, measured in
 * the same run right before, and to the textbook's version. Ratios, medians and interleaving, because
 * machines are shared and clocks vary; the spread (of the middle half of the rounds) tells how far to trust a
 * figure.
 *
 *   bench_micro [--json] [--rounds N] [--size BYTES] [FILE]
 *
 * Without FILE the text is generated. Every table of kernels has to produce the same results.
 */
#include "english.h"
#include "figure.h"
#include "machine.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTBOOK, PORTABLE, AVX2, AVX512, COLUMNS };
static const char *const column_names[COLUMNS] = {"textbook", "portable", "avx2", "avx512"};

struct options {
    bool json;
    size_t rounds, size;
    const char *file;
};

/* ---- measuring ---- */

struct speed {
    double bytes_per_second;
    uint64_t check;
};

static struct speed measure(stage run, const struct kernels *kernels, struct corpus *corpus, size_t size,
                            size_t times) {
    struct work work = {0};
    size_t bytes = 0;
    double begin = cpu_seconds();
    for (size_t i = 0; i < times; i++) {
        work = run(kernels, corpus, size);
        bytes += work.bytes;
    }
    return (struct speed){(double)bytes / (cpu_seconds() - begin), work.check};
}

/* One row: ratios to memcpy for each column and round; 0 where the CPU cannot run it. */
struct measured {
    double ratio[COLUMNS][ROUNDS_MOST];
    double reference[ROUNDS_MOST]; /* memcpy, bytes per second */
};

static const struct kernels *column_table(int column) {
    return kernels_named(column == TEXTBOOK ? "portable" : column_names[column]);
}

/* A column that would only repeat another is not measured. */
static bool column_runs(const struct row *row, int column) {
    if (row->plain) return column == TEXTBOOK;
    return (column != TEXTBOOK || row->textbook) && column_table(column);
}

static void measure_round(const struct row *row, struct corpus *corpus, size_t round, struct measured *out) {
    size_t size = row->cached && corpus->size > CACHED_SIZE ? CACHED_SIZE : corpus->size / row->share;
    size_t times = row->cached ? corpus->size / size : 1;
    bool first = true;
    uint64_t check = 0;
    for (int column = 0; column < COLUMNS; column++) {
        if (!column_runs(row, column)) continue;
        double reference =
            measure(stage_memcpy, NULL, corpus, row->cached ? size : corpus->size, times).bytes_per_second;
        stage run = column == TEXTBOOK && row->textbook ? row->textbook : row->run;
        struct speed speed = measure(run, column_table(column), corpus, size, times);
        if (!first && speed.check != check) {
            fprintf(stderr, "%s: %s has another result\n", row->name, column_names[column]);
            exit(1);
        }
        first = false;
        check = speed.check;
        out->ratio[column][round] = speed.bytes_per_second / reference;
        out->reference[round] = reference;
    }
}

/* ---- what is said of the rounds ---- */

/* Where textbook and portable are the same code, one measurement stands for both. */
static void figures_of(const struct row *row, const struct measured *measured, size_t rounds,
                       struct figure out[COLUMNS]) {
    for (int column = 0; column < COLUMNS; column++) out[column] = figure_of(measured->ratio[column], rounds);
    if (!row->plain && !row->textbook) out[TEXTBOOK] = out[PORTABLE];
}

/* ---- output ---- */

static void print_machine(const struct options *options, const struct corpus *corpus, double memcpy_speed) {
    struct machine machine;
    machine_describe(&machine);
    const char *text = options->file ? options->file : "generated English";
    if (options->json)
        printf("{\"cpu\": \"%s\", \"flags\": \"%s\", \"compiler\": \"%s\", \"kernels\": \"%s\", "
               "\"text\": \"%s\", \"bytes\": %zu, \"rounds\": %zu, \"memcpy_bytes_per_second\": %.3g}\n",
               machine.cpu, machine.flags, machine.compiler, kernels_get()->name,
               options->file ? "file" : text, corpus->size, options->rounds, memcpy_speed);
    else
        printf("CPU      %s\nflags    %s\ncompiler %s\nkernels  %s\ntext     %s, %zu bytes, %.2f to a word\n"
               "memcpy   %.1f GB/s\n\n",
               machine.cpu, machine.flags, machine.compiler, kernels_get()->name, text, corpus->size,
               (double)corpus->size / (double)corpus->token_count, memcpy_speed * 1e-9);
}

static void print_json(const struct row *row, const struct figure figures[COLUMNS]) {
    printf("{\"row\": \"%s\"", row->name);
    for (int column = 0; column < COLUMNS; column++) {
        struct figure f = figures[column];
        if (f.median > 0)
            printf(", \"%s\": {\"to_memcpy\": %.4g, \"to_textbook\": %.4g, \"spread\": %.2g}",
                   column_names[column], f.median, f.median / figures[TEXTBOOK].median, f.spread);
        else
            printf(", \"%s\": null", column_names[column]);
    }
    printf("}\n");
}

static void print_row(const struct row *row, const struct figure figures[COLUMNS]) {
    printf("%-26s", row->name);
    for (int column = 0; column < COLUMNS; column++) {
        struct figure f = figures[column];
        if (row->plain && column > TEXTBOOK)
            printf("  %22s", "");
        else if (f.median > 0)
            printf("  %7.4f %6.1fx  ±%3.0f%%", f.median, f.median / figures[TEXTBOOK].median, 50 * f.spread);
        else
            printf("  %22s", "not on this machine");
    }
    printf("\n");
}

static void print_head(void) {
    printf("%-26s", "of memcpy, of textbook");
    for (int column = 0; column < COLUMNS; column++) printf("  %22s", column_names[column]);
    printf("\n");
}

/* ---- the program ---- */

static bool parse_options(int argc, char **argv, struct options *out) {
    *out = (struct options){.rounds = 7, .size = 64u << 20};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            out->json = true;
        else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
            out->rounds = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--size") && i + 1 < argc)
            out->size = strtoul(argv[++i], NULL, 10);
        else if (argv[i][0] != '-' && !out->file)
            out->file = argv[i];
        else
            return false;
    }
    return out->rounds > 0 && out->rounds <= ROUNDS_MOST && out->size >= CACHED_SIZE;
}

/* A file that is too short is repeated. */
static bool read_text(const char *name, uint8_t *text, size_t size) {
    FILE *file = fopen(name, "rb");
    if (!file) return false;
    size_t got = fread(text, 1, size, file);
    fclose(file);
    for (size_t i = got; got && i < size; i++) text[i] = text[i - got];
    return got > 0;
}

static void run(const struct options *options, struct corpus *corpus) {
    struct measured *measured = calloc(row_count, sizeof *measured);
    if (!measured) return;
    stage_memcpy(NULL, corpus, corpus->size); /* so that no row pays for the first touch of memory */
    for (size_t round = 0; round < options->rounds; round++)
        for (size_t i = 0; i < row_count; i++) measure_round(&rows[i], corpus, round, &measured[i]);
    print_machine(options, corpus, figure_of(measured[0].reference, options->rounds).median);
    if (!options->json) print_head();
    for (size_t i = 0; i < row_count; i++) {
        struct figure figures[COLUMNS];
        figures_of(&rows[i], &measured[i], options->rounds, figures);
        (options->json ? print_json : print_row)(&rows[i], figures);
    }
    free(measured);
}

int main(int argc, char **argv) {
    struct options options;
    struct corpus corpus;
    if (!parse_options(argc, argv, &options)) {
        fprintf(stderr, "usage: bench_micro [--json] [--rounds N] [--size BYTES] [FILE]\n");
        return 2;
    }
    bool ready = corpus_init(&corpus, options.size);
    if (ready && !options.file) english(corpus.raw, corpus.size, 1);
    if (ready && options.file) ready = read_text(options.file, corpus.raw, corpus.size);
    if (ready) {
        corpus_derive(&corpus);
        run(&options, &corpus);
    } else {
        fprintf(stderr, "bench_micro: cannot read the text\n");
    }
    corpus_release(&corpus);
    return ready ? 0 : 3;
}

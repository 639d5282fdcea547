/*
 * Edit distances and searches against other programs, as ratios, in one run.
 *
 *   bench_edit [--json] [--rounds N] [--pairs N] [--size BYTES] [--signatures N] [FILE]
 *
 * Without FILE the texts are generated. Every peer has to find the same distances. bench/rapidfuzz does the
 * same for RapidFuzz.
 */
#include "edit_rows.h"
#include "kernels/kernels.h"
#include "machine.h"
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_SIZE ((size_t)32 << 20)

struct options {
    bool json;
    struct settings settings;
    const char *file;
};

static void print_machine(const struct options *options) {
    struct machine machine;
    const struct settings *s = &options->settings;
    const char *text = options->file ? "file" : "generated English";
    machine_describe(&machine);
    if (options->json) {
        printf(
            "{\"cpu\": \"%s\", \"flags\": \"%s\", \"compiler\": \"%s\", \"kernels\": \"%s\", \"text\": \"%s\", "
            "\"bytes\": %zu, \"rounds\": %zu}\n",
            machine.cpu, machine.flags, machine.compiler, kernels_get()->name, text, s->size, s->rounds);
        return;
    }
    printf("CPU      %s\nflags    %s\ncompiler %s\nkernels  %s\ntext     %s\nmissing ", machine.cpu,
           machine.flags, machine.compiler, kernels_get()->name, text);
    size_t missing = 0;
    for (size_t i = 0; i < PEERS; i++)
        if (!peers[i].distance) missing += (size_t)(printf(" %s", peers[i].name) > 0);
    printf("%s\n\n", missing ? "" : " none");
}

static void print_json(const struct row *row) {
    printf("{\"row\": \"%s\", \"ours\": \"%s\"", row->name, row->ours);
    for (size_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        printf(", \"%s\": {\"ratio\": %.4g, \"spread\": %.2g, \"rounds\": %zu, \"bar\": %g}", cell->against,
               cell->ratio.median, cell->ratio.spread, cell->rounds, cell->bar);
    }
    printf("}\n");
}

static void print_row(const struct row *row) {
    printf("%s: %s\n", row->name, row->ours);
    for (size_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        printf("    %-24s %9.2fx  ±%2.0f%%", cell->against, cell->ratio.median, 50 * cell->ratio.spread);
        if (cell->rounds == 1) printf("  once");
        if (cell->bar > 0) printf("  bar %g%s", cell->bar, cell->ratio.median < cell->bar ? ": missed" : "");
        printf("\n");
    }
}

static void print(const struct options *options, const struct row *row) {
    (options->json ? print_json : print_row)(row);
    fflush(stdout);
}

/* The bars by peer, in the order of peers.h. */
static void run(const struct options *options) {
    static const struct {
        double edits, bars[PEERS];
    } distances[] = {{.01, {15, 1.7, 1.7, 0}}, {.05, {4, 3, 3, 0}}, {-1, {8, 100, 100, 5}}};
    static const double kinds[] = {.01, .05, -1};
    struct row row;
    print_machine(options);
    for (size_t i = 0; i < 3; i++) {
        row_distance(&options->settings, distances[i].edits, distances[i].bars, &row);
        print(options, &row);
    }
    for (size_t i = 0; i < 6; i++) {
        row_signatures(&options->settings, i < 3 ? 64 : 100, kinds[i % 3], &row);
        print(options, &row);
    }
    row_search(&options->settings, &row);
    print(options, &row);
    row_growth(&options->settings, 100, &row);
    print(options, &row);
}

static bool parse_options(int argc, char **argv, struct options *out) {
    *out = (struct options){.settings = {.rounds = 5, .pairs = 24, .size = 25000, .signatures = 1000000}};
    struct settings *s = &out->settings;
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {{"--rounds", &s->rounds},
                   {"--pairs", &s->pairs},
                   {"--size", &s->size},
                   {"--signatures", &s->signatures}};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < 4 && strcmp(argv[i], numbers[k].name)) k++;
        if (k < 4 && i + 1 < argc)
            *numbers[k].value = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--json"))
            out->json = true;
        else if (argv[i][0] != '-' && !out->file)
            out->file = argv[i];
        else
            return false;
    }
    return s->rounds > 0 && s->rounds <= ROUNDS_MOST && s->pairs > 0 && s->size >= 1000 &&
           s->size < SOURCE_SIZE / 64;
}

int main(int argc, char **argv) {
    struct options options;
    struct source source;
    if (!parse_options(argc, argv, &options)) {
        fprintf(
            stderr,
            "usage: bench_edit [--json] [--rounds N] [--pairs N] [--size BYTES] [--signatures N] [FILE]\n");
        return 2;
    }
    bool ready = source_init(&source, options.file, SOURCE_SIZE);
    options.settings.source = &source;
    if (ready)
        run(&options);
    else
        fprintf(stderr, "bench_edit: cannot read the text\n");
    source_release(&source);
    return ready ? 0 : 3;
}

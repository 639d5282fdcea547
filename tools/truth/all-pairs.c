/*
 * The truth about a small collection, by brute force: classes of same text, all pairs above thresholds with
 * exact numbers, and the stars that follow from them. What `stemma scan` finds with sketches is judged by it
 * (tools/check-scan).
 *
 *     all-pairs [--recipe TEXT] [--contained C] [--pairs T] [--stars T]... < DOCUMENTS
 *
 * DOCUMENTS: for each its name, NUL, its size, newline, its bytes. Prints tab-separated lines, in this order:
 *
 *     document  NUMBER  CLASS  BYTES
 *         NUMBER in the input, from 0; CLASS in keep order, or - when there is no text
 *
 *     pair  A  B  SHINGLES_A  SHINGLES_B  COMMON
 *         classes whose resemblance is T or more, or one of which is contained in the other; in no order
 *
 *     member  T  KEPT  MEMBER  SHINGLES_KEPT  SHINGLES_MEMBER  COMMON
 */
#include "rows.h"

#include "base/alloc.h"

#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STARS_MOST 16

struct truth {
    struct collection collection;
    struct rows *rows;
    const char *recipe;
    double pairs, contained; /* above 1: not asked for */
    const char *stars[STARS_MOST];
    size_t star_count;
    atomic_uint next_row, next_star;
    atomic_bool refused; /* memory, in some thread */
};

struct numbers {
    uint64_t a, b, common;
};

static struct numbers numbers_of(const struct truth *truth, uint32_t i, uint32_t j, uint32_t common) {
    return (struct numbers){truth->collection.classes[i]->shingle_count,
                            truth->collection.classes[j]->shingle_count, common};
}

static double resemblance(struct numbers n) {
    return (double)n.common / (double)(n.a + n.b - n.common);
}

static double b_in_a(struct numbers n) {
    return (double)n.common / (double)n.b;
}

static double a_in_b(struct numbers n) {
    return (double)n.common / (double)n.a;
}

/* ---- pairs ---- */

static void print_pairs_of(const struct truth *truth, uint32_t i, const uint32_t *common, struct buf *lines) {
    for (uint32_t j = i + 1; j < truth->collection.class_count; j++) {
        if (!common[j]) continue;
        struct numbers n = numbers_of(truth, i, j, common[j]);
        if (resemblance(n) >= truth->pairs || a_in_b(n) >= truth->contained || b_in_a(n) >= truth->contained)
            buf_add_format(lines, "pair\t%u\t%u\t%zu\t%zu\t%u\n", i, j, (size_t)n.a, (size_t)n.b, common[j]);
    }
}

static void *pairs_worker(void *context) {
    struct truth *truth = context;
    uint32_t count = truth->collection.class_count, i;
    uint32_t *common = mem_zero(count, sizeof *common);
    struct buf lines = {0};
    if (!common) truth->refused = true;
    while (!truth->refused && (i = atomic_fetch_add(&truth->next_row, 1)) < count) {
        rows_count(truth->rows, i, common);
        lines.len = 0;
        print_pairs_of(truth, i, common, &lines);
        fwrite(lines.data, 1, lines.len, stdout);
    }
    buf_release(&lines);
    mem_free(common);
    return NULL;
}

/* ---- stars ---- */

/* Every class not yet taken that resembles the kept one, or is contained in it. */
static void take_members(const struct truth *truth, const char *at, uint32_t kept, const uint32_t *common,
                         bool *taken) {
    double threshold = strtod(at, NULL);
    for (uint32_t j = kept + 1; j < truth->collection.class_count; j++) {
        if (taken[j] || !common[j]) continue;
        struct numbers n = numbers_of(truth, kept, j, common[j]);
        if (resemblance(n) < threshold && b_in_a(n) < truth->contained) continue;
        taken[j] = true;
        printf("member\t%s\t%u\t%u\t%zu\t%zu\t%u\n", at, kept, j, (size_t)n.a, (size_t)n.b, common[j]);
    }
}

static void stars_at(const struct truth *truth, const char *threshold, uint32_t *common, bool *taken) {
    memset(taken, 0, truth->collection.class_count * sizeof *taken);
    for (uint32_t i = 0; i < truth->collection.class_count; i++) {
        if (taken[i]) continue;
        rows_count(truth->rows, i, common);
        take_members(truth, threshold, i, common, taken);
    }
}

static void *stars_worker(void *context) {
    struct truth *truth = context;
    uint32_t count = truth->collection.class_count, star;
    uint32_t *common = mem_zero(count, sizeof *common);
    bool *taken = mem_zero(count, sizeof *taken);
    if (!common || !taken) truth->refused = true;
    while (!truth->refused && (star = atomic_fetch_add(&truth->next_star, 1)) < truth->star_count)
        stars_at(truth, truth->stars[star], common, taken);
    mem_free(common);
    mem_free(taken);
    return NULL;
}

/* ---- all of it ---- */

static void run_workers(void *(*worker)(void *), struct truth *truth) {
    pthread_t threads[64];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, wanted = processors < 1 ? 1 : processors > 64 ? 64 : (size_t)processors;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, worker, truth) == 0) started++;
    worker(truth); /* this thread is one of them */
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static void print_documents(const struct collection *collection) {
    for (size_t i = 0; i < collection->count; i++) {
        const struct truth_document *document = &collection->documents[i];
        printf("document\t%zu\t", document->number);
        if (document->class_number == NO_CLASS)
            printf("-");
        else
            printf("%u", document->class_number);
        printf("\t%zu\n", (size_t)document->bytes);
    }
}

static stemma_status find_truth(struct truth *truth, stemma_error *err) {
    struct stemma_recipe *recipe = NULL;
    TRY(recipe_parse(truth->recipe, strlen(truth->recipe), &recipe, err));
    stemma_status status = collection_read(&truth->collection, stdin, recipe, err);
    recipe_release(recipe);
    TRY(status);
    TRY(rows_new(&truth->collection, &truth->rows, err));
    print_documents(&truth->collection);
    if (truth->pairs <= 1) run_workers(pairs_worker, truth);
    run_workers(stars_worker, truth);
    if (truth->refused) return fail_memory(err);
    return fflush(stdout) == 0 && !ferror(stdout) ? STEMMA_OK : fail(err, STEMMA_IO, "cannot write");
}

static bool read_options(int argc, char **argv, struct truth *truth) {
    static const struct option known[] = {{"recipe", required_argument, NULL, 'r'},
                                          {"contained", required_argument, NULL, 'c'},
                                          {"pairs", required_argument, NULL, 'p'},
                                          {"stars", required_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'r') truth->recipe = optarg;
        if (option == 'c') truth->contained = strtod(optarg, NULL);
        if (option == 'p') truth->pairs = strtod(optarg, NULL);
        if (option == '?' || (option == 's' && truth->star_count == STARS_MOST)) return false;
        if (option == 's') truth->stars[truth->star_count++] = optarg;
    }
    return optind == argc;
}

int main(int argc, char **argv) {
    struct truth truth = {.recipe = "", .pairs = 2, .contained = 2};
    stemma_error error = {.message = ""};
    if (!read_options(argc, argv, &truth)) {
        fputs("usage: all-pairs [--recipe TEXT] [--contained C] [--pairs T] [--stars T]... < DOCUMENTS\n",
              stderr);
        return 2;
    }
    stemma_status status = find_truth(&truth, &error);
    if (status != STEMMA_OK) fprintf(stderr, "all-pairs: %s\n", error.message);
    rows_free(truth.rows);
    collection_release(&truth.collection);
    return status == STEMMA_OK ? 0 : 2;
}

/*
 * The truth about a small collection, by brute force: classes of same text, all pairs above thresholds with
 * exact numbers, and the stars that follow from them. What `stemma scan` finds with sketches is judged by it
 * (tools/check-scan).
 *
 *     all-pairs [--recipe TEXT] [--contained C] [--pairs T] [--stars T]... [--count FILE] < DOCUMENTS
 *
 * DOCUMENTS: for each its name, NUL, its size, newline, its bytes; of equal length the better one first.
 * Prints tab-separated lines, in this order:
 *
 *     document  NUMBER  CLASS  BYTES
 *         NUMBER in the input, from 0; CLASS in keep order, or - when there is no text
 *
 *     pair  A  B  SHINGLES_A  SHINGLES_B  COMMON
 *         classes whose resemblance is T or more, or one of which is contained in the other; in no order
 *
 *     member  T  KEPT  MEMBER  SHINGLES_KEPT  SHINGLES_MEMBER  COMMON
 *
 *     counted  I  J  SHINGLES_I  SHINGLES_J  COMMON
 *         documents by their numbers, of which FILE names two a line
 */
#include "rows.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STARS_MOST 16

struct star {
    const char *name; /* the threshold as it was given */
    double threshold;
    bool *taken; /* of each class */
};

struct truth {
    struct collection collection;
    struct rows *rows;
    const char *recipe, *count;
    double pairs, contained; /* above 1: not asked for */
    struct star stars[STARS_MOST];
    size_t star_count;
    atomic_uint next_row;
    atomic_bool refused; /* memory, in some thread */
};

struct numbers {
    uint32_t a, b, common;
};

static struct numbers numbers_of(const struct truth *truth, uint32_t i, struct hit hit) {
    const struct truth_document *const *classes = truth->collection.classes;
    return (struct numbers){(uint32_t)classes[i]->shingle_count,
                            (uint32_t)classes[hit.class_number]->shingle_count, hit.common};
}

static double resemblance(struct numbers n) {
    return (double)n.common / ((double)n.a + n.b - n.common);
}

static double a_in_b(struct numbers n) {
    return (double)n.common / n.a;
}

static double b_in_a(struct numbers n) {
    return (double)n.common / n.b;
}

/* ---- pairs ---- */

static void add_pairs(const struct truth *truth, uint32_t i, const struct row *row, struct buf *lines) {
    for (size_t k = 0; k < row->hit_count; k++) {
        struct numbers n = numbers_of(truth, i, row->hits[k]);
        if (resemblance(n) >= truth->pairs || a_in_b(n) >= truth->contained || b_in_a(n) >= truth->contained)
            buf_add_format(lines, "pair\t%u\t%u\t%u\t%u\t%u\n", i, row->hits[k].class_number, n.a, n.b,
                           n.common);
    }
}

static void *pairs_worker(void *context) {
    struct truth *truth = context;
    struct row row;
    struct buf lines = {0};
    if (!row_init(&row, truth->rows)) truth->refused = true;
    for (uint32_t i;
         !truth->refused && (i = atomic_fetch_add(&truth->next_row, 1)) < truth->collection.class_count;) {
        row_find(&row, truth->rows, i, (struct least){truth->pairs, truth->contained});
        lines.len = 0;
        add_pairs(truth, i, &row, &lines);
        if (lines.len) fwrite(lines.data, 1, lines.len, stdout);
    }
    buf_release(&lines);
    row_release(&row);
    return NULL;
}

static void print_pairs(struct truth *truth) {
    pthread_t threads[64];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, wanted = processors < 1 ? 1 : processors > 64 ? 64 : (size_t)processors;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, pairs_worker, truth) == 0)
        started++;
    pairs_worker(truth); /* this thread is one of them */
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

/* ---- stars ---- */

/* In keep order, a class not yet taken is kept, and takes every class not yet taken that resembles it or is
 * in it. */
static void take_members(const struct truth *truth, const struct star *star, uint32_t kept,
                         const struct row *row) {
    if (star->taken[kept]) return;
    for (size_t k = 0; k < row->hit_count; k++) {
        uint32_t member = row->hits[k].class_number;
        struct numbers n = numbers_of(truth, kept, row->hits[k]);
        if (star->taken[member] || (resemblance(n) < star->threshold && b_in_a(n) < truth->contained))
            continue;
        star->taken[member] = true;
        printf("member\t%s\t%u\t%u\t%u\t%u\t%u\n", star->name, kept, member, n.a, n.b, n.common);
    }
}

/* The thresholds go side by side, for each row serves all of them. */
static void print_members(struct truth *truth, struct row *row) {
    struct least least = {2, truth->contained};
    for (size_t s = 0; s < truth->star_count; s++)
        if (truth->stars[s].threshold < least.resemblance) least.resemblance = truth->stars[s].threshold;
    for (uint32_t i = 0; i < truth->collection.class_count; i++) {
        bool needed = false;
        for (size_t s = 0; s < truth->star_count; s++) needed |= !truth->stars[s].taken[i];
        if (!needed) continue;
        row_find(row, truth->rows, i, least);
        for (size_t s = 0; s < truth->star_count; s++) take_members(truth, &truth->stars[s], i, row);
    }
}

static stemma_status print_stars(struct truth *truth, stemma_error *err) {
    struct row row;
    for (size_t s = 0; s < truth->star_count; s++) {
        truth->stars[s].taken = mem_zero(truth->collection.class_count + 1, sizeof(bool));
        if (!truth->stars[s].taken) return fail_memory(err);
    }
    if (!row_init(&row, truth->rows)) return fail_memory(err);
    print_members(truth, &row);
    row_release(&row);
    return STEMMA_OK;
}

/* ---- pairs that were asked for ---- */

/* Where each document of the input stands in keep order. */
static size_t *places_of(const struct collection *collection) {
    size_t *places = mem_zero(collection->count + 1, sizeof *places);
    for (size_t i = 0; places && i < collection->count; i++) places[collection->documents[i].number] = i;
    return places;
}

static stemma_status count_pairs(const struct collection *collection, const size_t *places, FILE *pairs,
                                 stemma_error *err) {
    size_t i, j;
    while (fscanf(pairs, "%zu %zu", &i, &j) == 2) {
        if (i >= collection->count || j >= collection->count)
            return fail(err, STEMMA_INVALID, "there is no document %zu", i > j ? i : j);
        const struct truth_document *a = &collection->documents[places[i]],
                                    *b = &collection->documents[places[j]];
        size_t common = common_u64(a->shingles, a->shingle_count, b->shingles, b->shingle_count);
        printf("counted\t%zu\t%zu\t%zu\t%zu\t%zu\n", i, j, a->shingle_count, b->shingle_count, common);
    }
    return STEMMA_OK;
}

static stemma_status print_counted(const struct truth *truth, stemma_error *err) {
    FILE *pairs = fopen(truth->count, "r");
    if (!pairs) return fail_errno(err, "open", truth->count, errno);
    size_t *places = places_of(&truth->collection);
    stemma_status status = places ? count_pairs(&truth->collection, places, pairs, err) : fail_memory(err);
    mem_free(places);
    fclose(pairs);
    return status;
}

/* ---- all of it ---- */

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
    if (truth->pairs <= 1) print_pairs(truth);
    if (truth->refused) return fail_memory(err);
    TRY(print_stars(truth, err));
    if (truth->count) TRY(print_counted(truth, err));
    return fflush(stdout) == 0 && !ferror(stdout) ? STEMMA_OK : fail(err, STEMMA_IO, "cannot write");
}

static bool read_options(int argc, char **argv, struct truth *truth) {
    static const struct option known[] = {
        {"recipe", required_argument, NULL, 'r'}, {"contained", required_argument, NULL, 'c'},
        {"pairs", required_argument, NULL, 'p'},  {"stars", required_argument, NULL, 's'},
        {"count", required_argument, NULL, 'n'},  {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'r') truth->recipe = optarg;
        if (option == 'c') truth->contained = strtod(optarg, NULL);
        if (option == 'n') truth->count = optarg;
        if (option == 'p') truth->pairs = strtod(optarg, NULL);
        if (option == '?' || (option == 's' && truth->star_count == STARS_MOST)) return false;
        if (option == 's')
            truth->stars[truth->star_count++] =
                (struct star){.name = optarg, .threshold = strtod(optarg, NULL)};
    }
    return optind == argc;
}

int main(int argc, char **argv) {
    struct truth truth = {.recipe = "", .pairs = 2, .contained = 2};
    stemma_error error = {.message = ""};
    if (!read_options(argc, argv, &truth)) {
        fputs(
            "usage: all-pairs [--recipe TEXT] [--contained C] [--pairs T] [--stars T]... [--count FILE] < DOCUMENTS\n",
            stderr);
        return 2;
    }
    stemma_status status = find_truth(&truth, &error);
    if (status != STEMMA_OK) fprintf(stderr, "all-pairs: %s\n", error.message);
    for (size_t i = 0; i < truth.star_count; i++) mem_free(truth.stars[i].taken);
    rows_free(truth.rows);
    collection_release(&truth.collection);
    return status == STEMMA_OK ? 0 : 2;
}

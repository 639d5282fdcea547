/*
 * Which recipe is best? For pairs of real documents, the exact resemblance against what each recipe
 * estimates: root mean square error and bias over the pairs with resemblance above .3, coverage of the 95 %
 * intervals, F1 of "resemblance >= t" at .5, .7 and .9, bytes per document and speed, for short, medium and
 * long documents.
 *
 *   recipes PAIRS [ROOT]     PAIRS: two names a line, separated by a tab, below ROOT
 *
 * Prints Markdown. Errors are taken over several seeds: pairs that share documents err together, so that one
 * seed says little. Speeds are ratios to the first recipe, in CPU time of the same run.
 */
#include "stemma.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLASSES = 3, LINES = 3, SEEDS = 4 };

static const char *const CLASS_NAMES[CLASSES] = {"short", "medium", "long"};
static const double THRESHOLDS[LINES] = {.5, .7, .9};

/* By the shorter of the two: up to 1.5 KB, up to 30 KB, above. */
static int class_of(uint64_t bytes) {
    return bytes <= 1500 ? 0 : bytes <= 30000 ? 1 : 2;
}

static const char *const RECIPES[] = {
    "oph n=2048 bits=1",
    "oph n=1024 bits=1",
    "oph n=6400 bits=1",
    "oph n=512 bits=2",
    "oph n=1024 bits=2",
    "oph n=3200 bits=2",
    "oph n=256 bits=4",
    "oph n=512 bits=4",
    "oph n=1600 bits=4",
    "oph n=128 bits=8",
    "oph n=256 bits=8",
    "oph n=800 bits=8",
    "oph n=100 bits=64",
    "minhash n=1024 bits=1",
    "minhash n=2048 bits=1",
    "minhash n=512 bits=2",
    "minhash n=1024 bits=2",
    "minhash n=100 bits=64",
    "min n=16",
    "min n=32",
    "min n=100",
    "minmod n=100 mod=8",
    "mod n=16",
    "mod n=25",
    "mod n=32",
    "mod n=64",
    "mod n=100",
    "level",
    "bsw n=16",
    "bsw n=100",
    "bsw-chunk n=16",
};
enum { RECIPE_COUNT = sizeof RECIPES / sizeof *RECIPES };

struct doc {
    char *path;
    uint64_t bytes;
    stemma_sketch *sketch;
};

struct pair {
    size_t a, b;
    double exact;
};

static struct doc *docs;
static size_t doc_count;
static struct pair *pairs;
static size_t pair_count;

static void die(const char *what) {
    fprintf(stderr, "recipes: %s\n", what);
    exit(2);
}

static void *grown(void *array, size_t count, size_t size) {
    if (count & (count - 1)) return array; /* doubles at powers of two */
    array = realloc(array, (count ? 2 * count : 1) * size);
    if (!array) die("out of memory");
    return array;
}

/* Pairs come sorted by their first name as a rule; a linear look back over a few is not enough, so a hash. */
static size_t find_doc(const char *root, const char *name) {
    static size_t *slots;
    static size_t slot_count;
    if (!slots) slots = calloc(slot_count = 1 << 20, sizeof *slots);
    if (!slots) die("out of memory");
    size_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, name);
    size_t at = hash % slot_count;
    for (; slots[at]; at = (at + 1) % slot_count)
        if (!strcmp(docs[slots[at] - 1].path, path)) return slots[at] - 1;
    docs = grown(docs, doc_count, sizeof *docs);
    docs[doc_count] = (struct doc){.path = strdup(path)};
    slots[at] = ++doc_count;
    return doc_count - 1;
}

static void read_pairs(const char *list, const char *root) {
    FILE *file = fopen(list, "r");
    char line[8192];
    if (!file) die("cannot read the list of pairs");
    while (fgets(line, sizeof line, file)) {
        char *first = strtok(line, "\t\n"), *second = strtok(NULL, "\t\n");
        if (!first || !second) continue;
        struct pair pair = {find_doc(root, first), find_doc(root, second), 0};
        pairs = grown(pairs, pair_count, sizeof *pairs);
        pairs[pair_count++] = pair;
    }
    fclose(file);
}

static void find_truth(const stemma_recipe *view) {
    stemma_error error;
    size_t kept = 0;
    for (size_t i = 0; i < pair_count; i++) {
        stemma_comparison c;
        if (stemma_compare_files(docs[pairs[i].a].path, docs[pairs[i].b].path, view, NULL, NULL, &c,
                                 &error) != STEMMA_OK)
            die(error.message);
        if (!c.resemblance.known) continue;
        pairs[i].exact = c.resemblance.value;
        pairs[kept++] = pairs[i];
    }
    pair_count = kept;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sketch_all(const char *spec, int seed) {
    char text[256];
    stemma_recipe *recipe = NULL;
    stemma_error error;
    snprintf(text, sizeof text, "seed=%d; %s", seed, spec);
    if (stemma_recipe_parse(text, &recipe, &error) != STEMMA_OK) die(error.message);
    double start = now();
    for (size_t i = 0; i < doc_count; i++) {
        stemma_sketch_free(docs[i].sketch);
        if (stemma_sketch_file(docs[i].path, recipe, NULL, &docs[i].sketch, &error) != STEMMA_OK)
            die(error.message);
        docs[i].bytes = stemma_sketch_info(docs[i].sketch).bytes;
    }
    double taken = now() - start;
    stemma_recipe_free(recipe);
    return taken;
}

static double part_bytes(const stemma_sketch *sketch) {
    stemma_sketch_part part;
    if (stemma_sketch_get_part(sketch, 0, &part, NULL) != STEMMA_OK) return 0;
    return 8.0 * (double)part.value_count + (double)((part.bit_count + 7) / 8);
}

struct score {
    double squares, sum, covered, count; /* over pairs with exact > .3 */
    double hit[LINES], miss[LINES], wrong[LINES];
    double unknown;
};

static void score_pair(struct score *s, double exact, const stemma_quantity *q) {
    if (!q->known) {
        s->unknown++;
        return;
    }
    if (exact > .3) {
        double error = q->value - exact;
        s->squares += error * error;
        s->sum += error;
        s->covered += q->low <= exact + 1e-12 && exact <= q->high + 1e-12;
        s->count++;
    }
    for (int t = 0; t < LINES; t++) {
        bool is = exact >= THRESHOLDS[t], said = q->value >= THRESHOLDS[t];
        s->hit[t] += is && said;
        s->miss[t] += is && !said;
        s->wrong[t] += !is && said;
    }
}

static void print_score(const char *spec, const char *class_name, const struct score *s, double bytes,
                        double speed) {
    printf("| %-21s | %-6s | %4.0f | %5.4f | %+6.4f | %4.1f | ", spec, class_name, s->count / SEEDS,
           sqrt(s->squares / s->count), s->sum / s->count, 100 * s->covered / s->count);
    for (int t = 0; t < LINES; t++)
        printf("%.3f | ", 2 * s->hit[t] / (2 * s->hit[t] + s->miss[t] + s->wrong[t]));
    printf("%5.0f | %4.2f | %.0f |\n", bytes, speed, s->unknown / SEEDS);
}

struct tally {
    struct score scores[CLASSES + 1]; /* the last is of all */
    double bytes[CLASSES + 1], count[CLASSES + 1];
    double taken;
};

static void tally_seed(struct tally *t) {
    for (size_t i = 0; i < pair_count; i++) {
        struct doc *a = &docs[pairs[i].a], *b = &docs[pairs[i].b];
        stemma_comparison c;
        stemma_error error;
        if (stemma_compare_sketches(a->sketch, b->sketch, NULL, &c, &error) != STEMMA_OK) die(error.message);
        score_pair(&t->scores[class_of(a->bytes < b->bytes ? a->bytes : b->bytes)], pairs[i].exact,
                   &c.resemblance);
        score_pair(&t->scores[CLASSES], pairs[i].exact, &c.resemblance);
    }
    for (size_t i = 0; i < doc_count; i++) {
        int places[] = {class_of(docs[i].bytes), CLASSES};
        for (int k = 0; k < 2; k++) {
            t->bytes[places[k]] += part_bytes(docs[i].sketch);
            t->count[places[k]]++;
        }
    }
}

static double judge_recipe(const char *spec, double first_time) {
    struct tally t = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        double taken = sketch_all(spec, seed);
        if (seed == 0 || taken < t.taken) t.taken = taken;
        tally_seed(&t);
    }
    for (int k = 0; k <= CLASSES; k++)
        if (t.scores[k].count > 0)
            print_score(spec, k < CLASSES ? CLASS_NAMES[k] : "all", &t.scores[k], t.bytes[k] / t.count[k],
                        first_time > 0 ? first_time / t.taken : 1);
    fflush(stdout);
    return t.taken;
}

int main(int argc, char **argv) {
    stemma_recipe *view = NULL;
    if (argc < 2) die("usage: recipes PAIRS [ROOT]");
    read_pairs(argv[1], argc > 2 ? argv[2] : ".");
    if (stemma_recipe_parse(NULL, &view, NULL) != STEMMA_OK) die("no default recipe");
    find_truth(view);
    printf("%zu pairs of %zu documents, view %s, %s\n\n", pair_count, doc_count, stemma_recipe_text(view),
           stemma_cpu());
    printf(
        "| recipe | documents | pairs J > .3 | RMSE | bias | covered %% | F1 .5 | F1 .7 | F1 .9 | bytes | speed | not known |\n");
    printf("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    double first = 0;
    for (int r = 0; r < RECIPE_COUNT; r++) {
        double taken = judge_recipe(RECIPES[r], first);
        if (r == 0) first = taken;
    }
    for (size_t i = 0; i < doc_count; i++) {
        stemma_sketch_free(docs[i].sketch);
        free(docs[i].path);
    }
    stemma_recipe_free(view);
    free(docs);
    free(pairs);
    return 0;
}

/*
 * What a question costs: made documents (tools/truth/made.h) in a collection, asked about one by one, through
 * the public header.
 *
 *   bench_query [--documents N] [--queries N] [--joined N] [--beside] COLLECTION
 *
 * The collection is made with so many documents where it is not there, and has to be of as many where it is.
 * Texts are not stored, and the documents are nowhere else, so that matches are verified by sketches.
 * --joined: a question is so many documents in a row, of which one is in the collection. --beside: two other
 * processes ask while this one adds a tenth to the collection, in commits of 1,000.
 */
#include "base/buf.h"
#include "stemma.h"
#include "truth/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
    uint64_t documents, queries, joined;
    bool beside;
    const char *path;
};

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "bench_query: %s\n", what);
    exit(3);
}

static void done(stemma_status status, const stemma_error *err) {
    must(status == STEMMA_OK, err->message);
}

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- documents ---- */

struct texts {
    struct maker *maker;
    struct made_document document;
    struct buf text;
};

/* As tools/make-documents makes them. */
static void texts_init(struct texts *t, uint64_t count) {
    const struct made_options options = {.seed = 1,
                                         .count = count,
                                         .near = .2,
                                         .contained = .02,
                                         .template_share = .3,
                                         .template_words = 60,
                                         .size = 1400,
                                         .spread = .4,
                                         .edits = -1};
    *t = (struct texts){.maker = made_new(&options)};
    must(t->maker, "out of memory");
}

static void texts_release(struct texts *t) {
    made_free(t->maker);
    vec64_release(&t->document.words);
    buf_release(&t->text);
}

static void add_text(struct texts *t, uint64_t number) {
    must(made_document(t->maker, number, &t->document) &&
             made_text(t->maker, &t->document.words, "\n", &t->text),
         "out of memory");
}

/* ---- the collection ---- */

static void fill(stemma_collection *c, const struct options *o, uint64_t from, uint64_t to, uint64_t batch) {
    struct texts t;
    stemma_error err;
    texts_init(&t, o->documents * 2);
    for (uint64_t i = from; i < to; i++) {
        char id[32];
        snprintf(id, sizeof id, "d%08llu", (unsigned long long)i);
        t.text.len = 0;
        add_text(&t, i);
        done(stemma_collection_add_text(c, id, t.text.data, t.text.len, &err), &err);
        if ((i + 1) % batch == 0) done(stemma_collection_commit(c, &err), &err);
    }
    done(stemma_collection_commit(c, &err), &err);
    texts_release(&t);
}

static void make_collection(const struct options *o) {
    stemma_collection *c;
    stemma_error err;
    const stemma_status status = stemma_collection_open(o->path, NULL, NULL, &c, &err);
    if (status != STEMMA_NOT_FOUND) {
        done(status, &err);
    } else {
        const double begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        done(stemma_collection_create(o->path, NULL, NULL, NULL, &c, &err), &err);
        fill(c, o, 0, o->documents, 100000);
        printf("made: %.1f us of CPU a document\n",
               (clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / (double)o->documents * 1e6);
    }
    stemma_collection_info info;
    done(stemma_collection_get_info(c, &info, &err), &err);
    must(info.documents >= o->documents, "the collection has fewer documents");
    printf("%llu documents, %.0f bytes each on disk, %llu segments\n", (unsigned long long)info.documents,
           (double)info.bytes / (double)info.documents, (unsigned long long)info.segments);
    stemma_collection_free(c);
}

/* ---- asking ---- */

static stemma_status count(void *context, const stemma_match *match, stemma_error *err) {
    (void)match, (void)err;
    ++*(uint64_t *)context;
    return STEMMA_OK;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct asked {
    double *cpu, *wall; /* milliseconds of each question */
    uint64_t found, lookups, candidates, scanned;
};

static void ask_one(stemma_collection *c, const struct texts *t, const stemma_query_options *how,
                    struct asked *a, uint64_t place) {
    stemma_query_summary s;
    stemma_error err;
    const double cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    done(stemma_collection_query_text(c, "question", t->text.data, t->text.len, how, count, &a->found, &s,
                                      &err),
         &err);
    a->cpu[place] = (clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e3;
    a->wall[place] = (clock_of(CLOCK_MONOTONIC) - wall) * 1e3;
    a->lookups += s.lookups;
    a->candidates += s.candidates;
    a->scanned += s.scanned > 0;
}

/* Documents of the collection, and in between some that are not in it. */
static void make_question(struct texts *t, const struct options *o, uint64_t number) {
    t->text.len = 0;
    add_text(t, number * 7919 % o->documents);
    for (uint64_t i = 1; i < o->joined; i++)
        add_text(t, o->documents * 3 / 2 + (number * o->joined + i) % (o->documents / 2));
}

static void print_row(const char *name, const struct options *o, struct asked *a) {
    const size_t n = o->queries;
    qsort(a->cpu, n, sizeof *a->cpu, ascending);
    qsort(a->wall, n, sizeof *a->wall, ascending);
    printf("%-24s %8.3f %8.3f %8.3f %8.3f %8.1f %8.1f %8.2f\n", name, a->cpu[n / 2], a->cpu[n * 99 / 100],
           a->wall[n / 2], a->wall[n * 99 / 100], (double)a->lookups / (double)n,
           (double)a->candidates / (double)n, (double)a->found / (double)n);
    fflush(stdout);
}

static void print_head(void) {
    printf("%-24s %8s %8s %8s %8s %8s %8s %8s\n", "", "CPU ms", "p99", "wall ms", "p99", "lookups", "cand.",
           "found");
}

static void ask_all(const struct options *o, const char *name, double threshold, double contained,
                    stemma_via via) {
    struct texts t;
    struct asked a = {.cpu = calloc(o->queries, sizeof *a.cpu), .wall = calloc(o->queries, sizeof *a.wall)};
    stemma_collection *c;
    stemma_error err;
    stemma_query_options how = stemma_query_options_default();
    must(a.cpu && a.wall, "out of memory");
    how.threshold = threshold;
    how.contained = contained;
    how.via = via;
    texts_init(&t, o->documents * 2);
    done(stemma_collection_open(o->path, NULL, NULL, &c, &err), &err);
    for (uint64_t i = 0; i < o->queries; i++) {
        make_question(&t, o, i);
        if (o->beside) done(stemma_collection_follow(c, &err), &err);
        ask_one(c, &t, &how, &a, i);
    }
    print_row(name, o, &a);
    stemma_collection_free(c);
    texts_release(&t);
    free(a.cpu);
    free(a.wall);
}

static void ask_in_all_ways(const struct options *o) {
    print_head();
    ask_all(o, "auto, .7", .7, 0, STEMMA_VIA_AUTO);
    ask_all(o, "auto, .7, contained .9", .7, .9, STEMMA_VIA_AUTO);
    ask_all(o, "auto, .5", .5, 0, STEMMA_VIA_AUTO);
    ask_all(o, "auto, .9", .9, 0, STEMMA_VIA_AUTO);
    struct options few = *o;
    few.queries = o->queries < 50 ? o->queries : 50;
    ask_all(&few, "auto, .3", .3, 0, STEMMA_VIA_AUTO);
    ask_all(&few, "scan of minima, .7", .7, 0, STEMMA_VIA_SCAN);
    ask_all(&few, "fingerprints, .7", .7, 0, STEMMA_VIA_MIH);
}

/* ---- beside a writer ---- */

enum { READERS = 2 };

static void ask_beside(const struct options *o) {
    pid_t readers[READERS];
    stemma_collection *c;
    stemma_error err;
    stemma_collection_options how = stemma_collection_options_default();
    print_head();
    fflush(stdout);
    for (int i = 0; i < READERS; i++) {
        readers[i] = fork();
        must(readers[i] >= 0, "cannot fork");
        if (readers[i] > 0) continue;
        ask_all(o, i ? "second reader" : "first reader", .7, .9, STEMMA_VIA_AUTO);
        exit(0);
    }
    how.write = true;
    done(stemma_collection_open(o->path, &how, NULL, &c, &err), &err);
    fill(c, o, o->documents, o->documents + o->documents / 10, 1000);
    stemma_collection_free(c);
    for (int i = 0; i < READERS; i++) {
        int status;
        must(waitpid(readers[i], &status, 0) == readers[i] && status == 0, "a reader failed");
    }
}

int main(int argc, char **argv) {
    struct options o = {.documents = 300000, .queries = 1000, .joined = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--beside") == 0)
            o.beside = true;
        else if (strcmp(argv[i], "--documents") == 0 && i + 1 < argc)
            o.documents = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--queries") == 0 && i + 1 < argc)
            o.queries = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--joined") == 0 && i + 1 < argc)
            o.joined = strtoull(argv[++i], NULL, 10);
        else
            o.path = argv[i][0] == '-' ? NULL : argv[i];
    }
    must(o.path && o.documents > 1 && o.queries > 0 && o.joined > 0,
         "see bench/query.c for how it is called");
    make_collection(&o);
    if (o.beside)
        ask_beside(&o);
    else
        ask_in_all_ways(&o);
    return 0;
}

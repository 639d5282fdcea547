#include "find_round.h"

#include "command.h"
#include "parallel.h"
#include "problems.h"

#include <limits.h>
#include <stdlib.h>

enum {
    HELD_MOST = 1 << 18,  /* bytes of a file that wait for its turn */
    PROBLEMS_LISTED = 20, /* of one file */
};

/* What there is to print, in the order of its fields. */
typedef struct words {
    stemma_error *problems;
    size_t problem_count;
    char *text;
    size_t size;
} words;

struct find_item {
    find_round *round;
    char *name;
    bool named;
    FILE *out; /* into: */
    words words;
    uint64_t problems, damaged; /* of the file, and of documents inside it; listed or not */
    find_totals totals;
    enum exit_code code;
    words ready; /* for the main thread, as is_ready and is_done: under the lock */
    bool is_ready, is_done;
};

/* ---- printing, by the main thread ---- */

static void words_free(words *w) {
    free(w->problems);
    free(w->text);
}

/* Of as much as a pipe takes at once, or a signal would only shorten the waiting for a reader. */
static void print_pieces(const char *text, size_t size) {
    for (size_t at = 0; at < size && !stop_requested && !output_lost(); at += PIPE_BUF)
        fwrite(text + at, 1, size - at < PIPE_BUF ? size - at : PIPE_BUF, stdout);
}

static void print_words(find_round *r, words *w) {
    pthread_mutex_lock(&r->terminal);
    progress_erase(&r->progress);
    for (size_t i = 0; i < w->problem_count && !stop_requested; i++)
        problem_complain(w->problems[i].status, w->problems[i].message);
    print_pieces(w->text, w->size);
    if (!flush_output()) atomic_store(&r->enough, true);
    pthread_mutex_unlock(&r->terminal);
    words_free(w);
}

static void conclude(find_round *r, const find_item *it) {
    find_totals *totals = &r->totals;
    char text[32];
    if (it->problems > PROBLEMS_LISTED && !r->options->json && !stop_requested)
        complain("and %s more in '%s'", format_count(it->problems - PROBLEMS_LISTED, text, sizeof text),
                 it->name);
    r->code = graver(r->code, it->code);
    totals->files += it->totals.files;
    totals->found += it->totals.found;
    totals->unreadable += it->problems - it->damaged;
    totals->bytes += it->totals.bytes;
    totals->fragments += it->totals.fragments;
}

/* Takes also what is not printed any more, so that nobody waits for ever. */
static void print_in_turn(void *context) {
    find_round *r = context;
    pthread_mutex_lock(&r->lock);
    while (atomic_load(&r->turn) < r->count) {
        find_item *it = &r->items[atomic_load(&r->turn)];
        while (!it->is_ready) pthread_cond_wait(&r->changed, &r->lock);
        words taken = it->ready;
        bool done = it->is_done;
        it->is_ready = false;
        if (done) atomic_fetch_add(&r->turn, 1);
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
        print_words(r, &taken);
        if (done) conclude(r, it);
        pthread_mutex_lock(&r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- searching ---- */

static void words_begin(find_item *it) {
    it->words = (words){0};
    it->out = need(open_memstream(&it->words.text, &it->words.size));
}

static void words_end(find_item *it) {
    fclose(it->out);
    need(it->words.text);
}

/* Waits until what was ready before is taken. */
static void make_ready(find_item *it, bool done) {
    find_round *r = it->round;
    words_end(it);
    if (r->alone) {
        print_words(r, &it->words);
        if (done) conclude(r, it);
        return;
    }
    pthread_mutex_lock(&r->lock);
    while (it->is_ready) pthread_cond_wait(&r->changed, &r->lock);
    it->ready = it->words;
    it->is_ready = true;
    it->is_done = done;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Whether the main thread has nothing of it to print, and should. */
static bool is_awaited(find_item *it) {
    find_round *r = it->round;
    if (r->alone) return true;
    if (&r->items[atomic_load(&r->turn)] != it) return false;
    pthread_mutex_lock(&r->lock);
    bool awaited = !it->is_ready;
    pthread_mutex_unlock(&r->lock);
    return awaited;
}

static void pass_on(find_item *it) {
    fflush(it->out);
    bool empty = it->words.size == 0 && it->words.problem_count == 0;
    if (empty || (it->words.size < HELD_MOST && !is_awaited(it))) return;
    make_ready(it, false);
    words_begin(it);
}

static void print_found(find_item *it, const stemma_found *found) {
    const options *o = it->round->options;
    if (o->list || o->print0)
        print_listed(it->out, found->id, o->print0);
    else if (o->json)
        fragments_print_json(it->out, found, o);
    else
        fragments_print(it->out, found, it->round->unit, o->targets.count);
}

/* With --quiet one is enough. */
static bool take_found(void *context, const stemma_found *found) {
    find_item *it = context;
    stemma_find_summary summary = stemma_findings_summary(found->findings);
    totals_add(&it->totals, &summary);
    if (summary.fragments && it->round->options->quiet) {
        atomic_store(&it->round->enough, true);
    } else if (summary.fragments) {
        print_found(it, found);
        pass_on(it);
    }
    return !atomic_load(&it->round->enough);
}

/* The words on standard error name the document; JSON has all of them. */
static void add_problem(find_item *it, const char *id, const stemma_error *cause) {
    const stemma_scan_problem problem = {.name = id, .status = cause->status, .cause = cause->message};
    words *w = &it->words;
    it->problems++;
    it->damaged += cause->status == STEMMA_OK;
    if (it->round->options->json) problem_json(it->out, &problem);
    if (it->round->options->json || it->problems > PROBLEMS_LISTED) return;
    w->problems = need_more(w->problems, (w->problem_count + 1) * sizeof *w->problems);
    w->problems[w->problem_count++] = *cause;
}

/* What a file holds may be anything; only a machine that fails is graver than what was found. */
static void take_problem(void *context, const char *id, const stemma_error *cause) {
    find_item *it = context;
    enum exit_code code = exit_code_of(cause->status);
    if (code > EXIT_WRONG) it->code = graver(it->code, code);
    add_problem(it, id, cause);
    pass_on(it);
}

/* What the user named is to be there. */
static void take_failure(find_item *it, const stemma_error *cause) {
    bool unread = cause->status == STEMMA_NOT_FOUND || cause->status == STEMMA_UNREADABLE;
    if (it->named && unread) it->code = graver(it->code, EXIT_WRONG);
    take_problem(it, it->name, cause);
}

static void search_item(void *context, size_t index, unsigned worker) {
    find_round *r = context;
    find_item *it = &r->items[index];
    stemma_error error;
    (void)worker;
    words_begin(it);
    if (!atomic_load(&r->enough) && stemma_find_documents(r->finder, it->name, !r->options->no_archives,
                                                          &r->limits, take_found, take_problem, it, &error))
        take_failure(it, &error);
    make_ready(it, true);
}

void round_searched(void *round, uint64_t bytes) {
    find_round *r = round;
    pthread_mutex_lock(&r->terminal);
    progress_searched(&r->progress, bytes);
    pthread_mutex_unlock(&r->terminal);
}

/* ---- rounds ---- */

void round_open(find_round *r, const options *o, unsigned threads) {
    *r = (find_round){.options = o, .limits = limits_from(o), .threads = threads};
    r->items = need_memory(round_size(threads) * sizeof *r->items);
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->terminal, NULL);
    pthread_cond_init(&r->changed, NULL);
    progress_begin(&r->progress, o->quiet);
}

void round_close(find_round *r) {
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->terminal);
    pthread_mutex_destroy(&r->lock);
    stemma_finder_free(r->finder);
    free(r->items);
}

bool round_is_full(const find_round *r) {
    return r->count == round_size(r->threads);
}

void round_add(find_round *r, const char *name, bool named) {
    r->items[r->count++] = (find_item){.round = r, .name = need_copy(name), .named = named};
}

bool round_search(find_round *r) {
    atomic_store(&r->turn, 0);
    r->alone = r->threads == 1 || !parallel_beside(r->count, r->threads, search_item, r, print_in_turn);
    for (size_t i = 0; i < r->count && r->alone; i++) search_item(r, i, 0);
    while (r->count > 0) free(r->items[--r->count].name);
    return !atomic_load(&r->enough);
}

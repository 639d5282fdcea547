#include "scan/scan.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "read/dataset.h"
#include "scan/filter.h"
#include "scan/original.h"
#include "scan/taker.h"
#include "shingle/whole.h"

#include <string.h>

/* Boilerplate is found by the samples that containment needs. */
#define CONTAINED .9

/* How memory is shared out: what is resident and the texts that are kept, the samples (half of it while they
 * are sorted), the workers. When the samples have been sorted and those who read are gone, pairs are (an
 * eighth, and another for those that share samples). */
enum { TEXT_EIGHTHS = 4, SAMPLE_EIGHTHS = 2, WORK_EIGHTHS = 2 };

/* Of a pile much larger than this few pairs would have both texts kept; the system's cache of files is worth
 * more. */
#define TEXTS_MOST ((size_t)1 << 30)

#define HELD_MOST ((size_t)1 << 28)

/* What a document takes while it is read and compared, as a multiple of its bytes: text, canonical text, and
 * the fingerprints of its tokens, sorted. */
static size_t expansion_of(enum unit unit) {
    return unit == UNIT_BYTE || unit == UNIT_CHAR ? 32 : 8;
}

static size_t held(size_t size) {
    return size < SCAN_HELD ? SCAN_HELD : size > HELD_MOST ? HELD_MOST : size;
}

static stemma_status make_plan(struct stemma_scan *scan, stemma_error *err) {
    const stemma_scan_options *o = &scan->settings.options;
    const struct key_form form = key_form_for(&scan->recipe->view);
    struct join_options options = {.threshold = o->threshold,
                                   .contained =
                                       o->contained > 0 || !o->boilerplate ? o->contained : CONTAINED,
                                   .modulus = form.modulus,
                                   .coarse = form.coarse,
                                   .cap = o->cap,
                                   .seed = form.seed};
    return join_plan_make(&options, &scan->plan, err);
}

static stemma_status prepare(struct stemma_scan *scan, stemma_error *err) {
    const stemma_limits *limits = &scan->settings.limits;
    const struct view *view = &scan->recipe->view;
    TRY(make_plan(scan, err));
    scan->catalogue.key_bytes = scan->plan.key_bytes;
    scan->catalogue.problems.directory = limits->temporary_directory;
    scan->document_options = document_options_for(view->folds, limits);
    if (scan->settings.options.most_unpacked)
        scan->document_options.limits.unpacked_most = scan->settings.options.most_unpacked;
    scan->texts.budget = limits->memory / 8 * TEXT_EIGHTHS;
    scan->texts.most = TEXTS_MOST;
    const size_t work = limits->memory / 8 * WORK_EIGHTHS / expansion_of(view->unit);
    scan->huge_from = held(work / scan->settings.threads);
    scan->document_options.limits.memory = scan->huge_from * DOCUMENT_TIMES;
    scan->record_most = held(work); /* long records come one at a time */
    struct sorter_options options = {.memory = limits->memory / 8 * SAMPLE_EIGHTHS,
                                     .directory = limits->temporary_directory,
                                     .stop = limits->stop,
                                     .threads = scan->settings.threads,
                                     .key_bits = KEY_SAMPLE_BITS};
    return sorter_new(&options, &scan->samples, err);
}

stemma_status scan_new(const struct stemma_recipe *recipe, const struct scan_settings *settings,
                       struct stemma_scan **out, stemma_error *err) {
    struct stemma_scan *scan = mem_zero(1, sizeof *scan);
    if (!scan) return fail_memory(err);
    scan->recipe = recipe_retain(recipe);
    scan->settings = *settings;
    scan->settings.threads = thread_count(settings->options.threads);
    scan->takers = &catalogue_taker;
    identity_key_draw(&scan->key);
    catalogue_init(&scan->catalogue, 0);
    texts_init(&scan->texts);
    progress_init(&scan->progress);
    pthread_mutex_init(&scan->converting, NULL);
    pthread_mutex_init(&scan->opening, NULL);
    stemma_status status = prepare(scan, err);
    if (status != STEMMA_OK) {
        scan_free(scan);
        return status;
    }
    *out = scan;
    return STEMMA_OK;
}

stemma_status scan_add_path(struct stemma_scan *scan, const char *path, stemma_error *err) {
    char *copy = mem_copy_string(path);
    if (!copy ||
        !mem_grow((void **)&scan->operands, &scan->operand_cap, scan->operand_count + 1, sizeof copy)) {
        mem_free(copy);
        return fail_memory(err);
    }
    scan->operands[scan->operand_count++] = copy;
    return STEMMA_OK;
}

void scan_forget_sources(struct stemma_scan *scan) {
    struct catalogue *c = &scan->catalogue;
    for (size_t i = 0; i < c->source_count; i++)
        if (c->sources[i].kind == SOURCE_DATASET) dataset_close(c->sources[i].dataset);
    scan->container_count = 0;
    catalogue_forget_sources(c);
}

void scan_free(struct stemma_scan *scan) {
    if (!scan) return;
    scan_forget_sources(scan);
    for (size_t i = 0; i < scan->operand_count; i++) mem_free(scan->operands[i]);
    mem_free(scan->operands);
    vec64_release(&scan->found);
    ahead_end(scan);
    texts_release(&scan->texts, scan->settings.threads);
    sorter_free(scan->samples);
    sorter_free(scan->pairs);
    compared_release(&scan->compared);
    catalogue_release(&scan->catalogue);
    progress_release(&scan->progress);
    pthread_mutex_destroy(&scan->converting);
    pthread_mutex_destroy(&scan->opening);
    mem_free(scan->containers);
    mem_free(scan->ranking.class_of);
    mem_free(scan->ranking.rank_of);
    mem_free(scan->ranking.documents);
    mem_free(scan->ranking.first);
    mem_free(scan->results.members);
    mem_free(scan->results.groups);
    mem_free(scan->results.redundant_bits);
    mem_free(scan->results.held_bits);
    mem_free(scan->results.nodes);
    mem_free(scan->copies);
    original_reader_free(scan->originals);
    mem_free(scan->order);
    mem_free(scan->place);
    recipe_release(scan->recipe);
    mem_free(scan);
}

/* ---- memory ---- */

/* Of a document: its places in the input and in the ranking, and one more while these are made. Of a class:
 * the ranking, what the join is given, and what it makes (join.h). */
enum { RANKED_DOCUMENT = 16, RANKED_CLASS = 12, JOINED_CLASS = 8 + 25 };

uint64_t scan_resident(const struct stemma_scan *scan) {
    const struct catalogue *c = &scan->catalogue;
    return catalogue_resident(c) + c->document_count * RANKED_DOCUMENT +
           c->class_count * (RANKED_CLASS + JOINED_CLASS);
}

/* What only the join needed is given back. */
static void after_match(struct stemma_scan *scan) {
    stemma_scan_summary *s = &scan->summary;
    s->resident_bytes = scan_resident(scan);
    s->spilled_bytes += sorter_spilled(scan->samples);
    catalogue_forget_keys(&scan->catalogue);
    if (!scan->settings.options.boilerplate) {
        sorter_free(scan->samples);
        scan->samples = NULL;
    }
    texts_share_anew(scan);
    mem_trim();
}

/* ---- running ---- */

stemma_status scan_count_problems(struct stemma_scan *scan, stemma_status status, stemma_error *err) {
    const stemma_status sorted = problems_sort(&scan->catalogue.problems, status == STEMMA_OK ? err : NULL);
    scan->summary.problems = scan->catalogue.problems.count;
    return status == STEMMA_OK ? sorted : status;
}

static void count_documents(struct stemma_scan *scan) {
    const struct catalogue *c = &scan->catalogue;
    stemma_scan_summary *s = &scan->summary;
    s->documents = c->document_count;
    s->problems = c->problems.count;
    s->damaged = c->problems.damaged;
    s->classes = scan->ranking.count;
    for (size_t i = 0; i < c->document_count; i++) {
        const struct document *document = &c->documents[i];
        s->bytes += document->bytes;
        s->empty += document->state == DOCUMENT_EMPTY;
        s->binary += document->state == DOCUMENT_BINARY;
        s->containers += document->state == DOCUMENT_CONTAINER;
        s->contained += catalogue_is_contained(c, document);
        if (document->state == DOCUMENT_TEXT) s->text_bytes += c->classes[document->class].text_size;
        /* what is not text is a class of its own where no other has its bytes */
        if (document->class == NO_CLASS && document->state != DOCUMENT_EMPTY) s->classes++;
    }
}

static void summarise(struct stemma_scan *scan, double begin) {
    stemma_scan_summary *s = &scan->summary;
    count_documents(scan);
    s->groups = scan->results.group_count;
    s->redundant = scan->results.redundant;
    s->redundant_bytes = scan->results.redundant_bytes;
    s->candidates = sorter_count(scan->pairs);
    s->cached_bytes = scan->texts.used;
    s->spilled_bytes += sorter_spilled(scan->pairs) + scan->texts.spooled;
    s->seconds = clock_seconds() - begin;
}

stemma_status scan_run(struct stemma_scan *scan, stemma_error *err) {
    double begin = clock_seconds();
    TRY(scan_list(scan, err));
    if (scan->settings.options.filter) TRY(scan_filter_check(scan, scan->settings.options.filter, err));
    TRY(scan_read(scan, err));
    if (scan->cache) TRY(scan->cache->all_read(scan->cache->context, err));
    TRY(scan_count_namesakes(scan, err));
    double read = clock_seconds();
    TRY(scan_rank(scan, err));
    TRY(scan_match(scan, err));
    after_match(scan);
    if (!scan->cache || scan->settings.options.group == STEMMA_GROUP_POPULAR)
        TRY(texts_recall_candidates(scan, err)); /* else when it turns out what is not known */
    double matched = clock_seconds();
    TRY(scan_group(scan, err));
    if (scan->settings.options.tree) {
        TRY(texts_recall_grouped(scan, err));
        TRY(scan_trees(scan, err));
    }
    TRY(problems_sort(&scan->catalogue.problems, err));
    scan->summary.seconds_reading = read - begin;
    scan->summary.seconds_matching = matched - read;
    scan->summary.seconds_verifying = clock_seconds() - matched;
    summarise(scan, begin);
    scan->done = true;
    return STEMMA_OK;
}

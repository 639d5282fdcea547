/*
 * Candidates, compared on their full sets of shingles. The pairs of one first document are a task, in parts
 * where they are many; workers take tasks until none are left.
 */
#include "base/alloc.h"
#include "base/spill.h"
#include "base/thread.h"
#include "scan/huge.h"
#include "scan/reading.h"
#include "shingle/whole.h"
#include "sketch/lowest.h"

#include <string.h>

enum {
    TASK_MOST = 64
}; /* pairs; more would leave threads idle at the end, fewer prepare a document more often */

struct verification {
    struct stemma_scan *scan;
    const uint64_t *pairs;
    const struct overlap_aim *aim;
    struct numbers *numbers;
    size_t count;
    size_t next; /* under the lock */
    pthread_mutex_t lock;
    stemma_status status;
    stemma_error error;
};

struct comparer {
    struct text_reader reader;
    struct overlap_base *base;
    struct buf first, second;
    bool ready;        /* base is that of the task's first document */
    struct spill *set; /* likewise, where a huge document takes part; NULL until then */
};

static stemma_status comparer_init(struct comparer *comparer, struct stemma_scan *scan, stemma_error *err) {
    *comparer = (struct comparer){0};
    TRY(text_reader_init(&comparer->reader, scan, err));
    return overlap_base_new(&scan->recipe->view, &scan->recipe->tables, &comparer->base, err);
}

static void comparer_release(struct comparer *comparer) {
    text_reader_release(&comparer->reader);
    overlap_base_free(comparer->base);
    buf_release(&comparer->first);
    buf_release(&comparer->second);
}

/* A task: pairs [begin, end) with one first document. */
static bool take_task(struct verification *v, size_t *begin, size_t *end) {
    pthread_mutex_lock(&v->lock);
    *begin = *end = v->next;
    while (v->status == STEMMA_OK && *end < v->count && *end - *begin < TASK_MOST &&
           v->pairs[*end] >> 32 == v->pairs[*begin] >> 32)
        ++*end;
    v->next = *end;
    pthread_mutex_unlock(&v->lock);
    return *end > *begin;
}

static stemma_status compare_texts(struct comparer *c, uint32_t first, uint32_t second,
                                   const struct overlap_aim *aim, struct numbers *out, stemma_error *err) {
    const uint8_t *text;
    size_t size;
    bool hopeless = false;
    struct overlap overlap;
    if (!c->ready) {
        TRY(text_fetch(&c->reader, first, &c->first, &text, &size, err));
        overlap_base_set(c->base, text, size);
        c->ready = true;
    }
    TRY(text_fetch(&c->reader, second, &c->second, &text, &size, err));
    TRY(overlap_with(c->base, text, size, aim, &overlap, &hopeless, err));
    if (hopeless) return STEMMA_OK;
    *out = (struct numbers){overlap.a, overlap.b, overlap.common};
    return STEMMA_OK;
}

/* A pair of which one cannot be read any more is no pair, and the document a problem. */
static stemma_status compare_pair(struct comparer *c, struct stemma_scan *scan, uint64_t pair,
                                  const struct overlap_aim *aim, struct numbers *out, stemma_error *err) {
    const struct text_class *classes = scan->catalogue.classes;
    uint32_t first = scan->ranking.class_of[pair >> 32], second = scan->ranking.class_of[(uint32_t)pair];
    stemma_error cause;
    *out = (struct numbers){0};
    if (classes[first].lost || classes[second].lost) return STEMMA_OK;
    stemma_status status = classes[first].huge || classes[second].huge
                               ? huge_compare(&c->reader, first, second, &c->set, out, &cause)
                               : compare_texts(c, first, second, aim, out, &cause);
    if (status == STEMMA_OK) return STEMMA_OK;
    if (!is_problem(status)) return fail(err, status, "%s", cause.message);
    catalogue_lose(&scan->catalogue, c->reader.fetched, &cause);
    return STEMMA_OK;
}

static stemma_status do_task(struct comparer *c, struct verification *v, size_t begin, size_t end,
                             stemma_error *err) {
    struct stemma_scan *scan = v->scan;
    stemma_status status = check_stop(scan->settings.limits.stop, err);
    c->ready = false;
    for (size_t i = begin; i < end && status == STEMMA_OK; i++)
        status = compare_pair(c, scan, v->pairs[i], v->aim, &v->numbers[i], err);
    spill_free(c->set);
    c->set = NULL;
    progress_add(scan, end - begin, 0);
    return status;
}

static void work(void *context, unsigned number) {
    struct verification *v = context;
    struct comparer comparer;
    size_t begin, end;
    stemma_error error;
    (void)number;
    stemma_status status = comparer_init(&comparer, v->scan, &error);
    while (status == STEMMA_OK && take_task(v, &begin, &end))
        status = do_task(&comparer, v, begin, end, &error);
    comparer_release(&comparer);
    if (status == STEMMA_OK) return;
    pthread_mutex_lock(&v->lock);
    if (v->status == STEMMA_OK) {
        v->status = status;
        v->error = error;
    }
    pthread_mutex_unlock(&v->lock);
}

static stemma_status compare_all(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                 const struct overlap_aim *aim, struct numbers *numbers, stemma_error *err) {
    struct verification v = {
        .scan = scan, .pairs = pairs, .aim = aim, .numbers = numbers, .count = count, .status = STEMMA_OK};
    TRY(texts_recall_pairs(scan, pairs, count, err));
    TRY(ahead_reach(scan, pairs, count, err));
    pthread_mutex_init(&v.lock, NULL);
    threads_run(count > 8 ? scan->settings.threads : 1, work, &v);
    pthread_mutex_destroy(&v.lock);
    return v.status == STEMMA_OK ? STEMMA_OK : fail(err, v.status, "%s", v.error.message);
}

/* ---- what a cache knows ---- */

/* Texts and aim: numbers may stay behind an aim that is not reached. The view is the cache's. */
static struct identity pair_identity(const struct stemma_scan *scan, uint64_t pair,
                                     const struct overlap_aim *aim) {
    const struct text_class *classes = scan->catalogue.classes;
    const uint32_t *class_of = scan->ranking.class_of;
    uint8_t bytes[2 * IDENTITY_BLOCK + sizeof *aim] = {0};
    identity_store(classes[class_of[pair >> 32]].text_identity, bytes);
    identity_store(classes[class_of[(uint32_t)pair]].text_identity, bytes + IDENTITY_BLOCK);
    if (aim) memcpy(bytes + 2 * IDENTITY_BLOCK, aim, sizeof *aim);
    return identity_of(&scan->key, bytes, sizeof bytes);
}

/* The pairs that it does not know, in their order, and where they stand. */
struct unknown {
    uint64_t *pairs;
    size_t *places, count;
    struct numbers *numbers;
};

static stemma_status find_unknown(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                  const struct overlap_aim *aim, struct numbers *numbers,
                                  struct unknown *unknown, stemma_error *err) {
    const struct scan_cache *cache = scan->cache;
    for (size_t i = 0; i < count; i++) {
        bool found;
        TRY(cache->find_numbers(cache->context, pair_identity(scan, pairs[i], aim), &numbers[i], &found,
                                err));
        if (found) continue;
        unknown->pairs[unknown->count] = pairs[i];
        unknown->places[unknown->count++] = i;
    }
    progress_add(scan, count - unknown->count, 0);
    return STEMMA_OK;
}

/* What could not be compared is not known. */
static stemma_status keep_numbers(struct stemma_scan *scan, const struct unknown *unknown,
                                  const struct overlap_aim *aim, struct numbers *numbers, stemma_error *err) {
    const struct scan_cache *cache = scan->cache;
    const struct text_class *classes = scan->catalogue.classes;
    for (size_t i = 0; i < unknown->count; i++) {
        const uint64_t pair = unknown->pairs[i];
        numbers[unknown->places[i]] = unknown->numbers[i];
        if (classes[scan->ranking.class_of[pair >> 32]].lost ||
            classes[scan->ranking.class_of[(uint32_t)pair]].lost)
            continue;
        TRY(cache->keep_numbers(cache->context, pair_identity(scan, pair, aim), &unknown->numbers[i], err));
    }
    return STEMMA_OK;
}

static stemma_status compare_unknown(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                     const struct overlap_aim *aim, struct numbers *numbers,
                                     stemma_error *err) {
    struct unknown unknown = {.pairs = mem_alloc(count * sizeof *unknown.pairs),
                              .places = mem_alloc(count * sizeof *unknown.places),
                              .numbers = mem_alloc(count * sizeof *unknown.numbers)};
    stemma_status status = unknown.pairs && unknown.places && unknown.numbers ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK) status = find_unknown(scan, pairs, count, aim, numbers, &unknown, err);
    if (status == STEMMA_OK && unknown.count)
        status = compare_all(scan, unknown.pairs, unknown.count, aim, unknown.numbers, err);
    if (status == STEMMA_OK) status = keep_numbers(scan, &unknown, aim, numbers, err);
    mem_free(unknown.pairs);
    mem_free(unknown.places);
    mem_free(unknown.numbers);
    return status;
}

stemma_status scan_verify(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                          const struct overlap_aim *aim, struct numbers *numbers, stemma_error *err) {
    scan->summary.verified += count;
    return scan->cache && count ? compare_unknown(scan, pairs, count, aim, numbers, err)
                                : compare_all(scan, pairs, count, aim, numbers, err);
}

/* ---- samples ---- */

struct sampler {
    struct text_reader reader;
    struct lowest lowest;
};

static stemma_status to_lowest(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                               size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return lowest_add(context, kernels_get(), fp, count) ? STEMMA_OK : fail_memory(err);
}

static stemma_status sample_text(struct sampler *s, uint32_t class, stemma_error *err) {
    struct buf room = {0};
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    stemma_status status = text_fetch(&s->reader, class, &room, &text, &size, err);
    if (status == STEMMA_OK) status = whole_shingles(s->reader.whole, text, size, &fp, &count, &tokens, err);
    if (status == STEMMA_OK) status = to_lowest(&s->lowest, fp, count, NULL, 0, err);
    buf_release(&room);
    return status;
}

static stemma_status sample_class(struct sampler *s, uint32_t class, struct vec64 *out, stemma_error *err) {
    struct shingle_sink sink = {.context = &s->lowest, .take = to_lowest};
    TRY(text_reader_init(&s->reader, s->reader.scan, err));
    TRY(s->reader.scan->catalogue.classes[class].huge ? huge_shingles(&s->reader, class, sink, err)
                                                      : sample_text(s, class, err));
    const struct vec64 *kept = &s->lowest.kept;
    bool room = lowest_settle(&s->lowest) && vec64_add_all(out, kept->data, kept->len);
    return room ? STEMMA_OK : fail_memory(err);
}

/* A document that cannot be read any more has no sample and joins no group. */
stemma_status scan_sample(struct stemma_scan *scan, uint32_t rank, size_t most, struct vec64 *out,
                          stemma_error *err) {
    struct sampler sampler = {.reader = {.scan = scan}};
    stemma_error cause;
    uint32_t class = scan->ranking.class_of[rank];
    if (scan->catalogue.classes[class].lost) return STEMMA_OK;
    lowest_init(&sampler.lowest, most);
    stemma_status status = sample_class(&sampler, class, out, &cause);
    vec64_release(&sampler.lowest.kept);
    text_reader_release(&sampler.reader);
    if (status == STEMMA_OK) return STEMMA_OK;
    if (!is_problem(status)) return fail(err, status, "%s", cause.message);
    catalogue_lose(&scan->catalogue, class, &cause);
    return STEMMA_OK;
}

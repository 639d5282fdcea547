#include "collect/hamming_query.h"

#include "base/alloc.h"
#include "estimate/hamming.h"
#include "index/hamming/collected.h"
#include "scan/reading.h"
#include "scan/taker.h"
#include "shingle/whole.h"
#include "sketch/bits.h"
#include "sketch/recipe.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One worker's. */
struct hamming_asker {
    struct hamming_asking *asking;
    struct collection *reader;
    struct collected *collected;
    struct bit_maker *maker;
    struct hamming_result now; /* the document at work */
    bool without_text;
};

void hamming_asking_init(struct hamming_asking *asking, struct collection *store,
                         const struct stemma_recipe *recipe) {
    *asking = (struct hamming_asking){.store = store, .recipe = recipe, .resemblance = .7};
    pthread_mutex_init(&asking->lock, NULL);
}

static void result_release(struct hamming_result *result) {
    mem_free(result->id);
    hamming_matches_release(&result->matches);
    *result = (struct hamming_result){0};
}

void hamming_asking_release(struct hamming_asking *asking) {
    for (size_t i = 0; i < asking->count; i++) result_release(&asking->results[i]);
    mem_free(asking->results);
    scan_free(asking->scan);
    pthread_mutex_destroy(&asking->lock);
}

/* ---- one worker ---- */

static void asker_free(void *taker) {
    struct hamming_asker *a = taker;
    if (!a) return;
    result_release(&a->now);
    collected_free(a->collected);
    collection_close(a->reader);
    bit_maker_free(a->maker);
    mem_free(a);
}

static stemma_status asker_prepare(struct hamming_asker *a, stemma_error *err) {
    TRY(collection_twin(a->asking->store, &a->reader, err));
    TRY(collected_new(a->reader, &a->collected, err));
    uint32_t bits = collected_source(a->collected)->bits;
    return bit_maker_new(&a->asking->recipe->view, bits, &a->maker, err);
}

static stemma_status asker_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct hamming_asker *a = mem_zero(1, sizeof *a);
    if (!a) return fail_memory(err);
    a->asking = scan->taken_for;
    stemma_status status = asker_prepare(a, err);
    if (status == STEMMA_OK)
        *out = a;
    else
        asker_free(a);
    return status;
}

/* ---- a question ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add_work(struct hamming_work *sum, const struct hamming_work *work) {
    struct hamming_work before = *sum;
    *sum = *work;
    sum->combinations += before.combinations;
    sum->searches += before.searches;
    sum->postings += before.postings;
    sum->candidates += before.candidates;
    sum->distances += before.distances;
}

/* With the lock held. */
static stemma_status hand_over(struct hamming_asker *a, const struct hamming_work *work, double seconds,
                               stemma_error *err) {
    struct hamming_asking *asking = a->asking;
    if (!mem_grow((void **)&asking->results, &asking->cap, asking->count + 1, sizeof *asking->results))
        return fail_memory(err);
    asking->results[asking->count++] = a->now;
    a->now = (struct hamming_result){0};
    asking->seconds += seconds;
    add_work(&asking->work, work);
    return STEMMA_OK;
}

/* The document whose bits the maker has. */
static stemma_status ask(struct hamming_asker *a, stemma_error *err) {
    const struct hamming_source *source = collected_source(a->collected);
    uint8_t bytes[HAMMING_BITS_MOST / 8] = {0};
    uint64_t words[HAMMING_BITS_MOST / 64];
    struct hamming_work work;
    bit_maker_take(a->maker, bytes);
    for (size_t i = 0; i < hamming_words(source->bits); i++) words[i] = load_u64(bytes + 8 * i);
    uint32_t radius = hamming_radius(source->bits, a->asking->resemblance);
    double begin = now();
    TRY(hamming_query(source, words, radius, a->asking->via, &a->now.matches, &work, err));
    pthread_mutex_lock(&a->asking->lock);
    stemma_status status = hand_over(a, &work, now() - begin, err);
    pthread_mutex_unlock(&a->asking->lock);
    return status;
}

/* ---- a document ---- */

static stemma_status take_source(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    (void)taker, (void)source, (void)err;
    *wanted = true;
    return STEMMA_OK;
}

static char *copy_id(const char *id, size_t size) {
    char *copy = mem_alloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, id, size);
    copy[size] = '\0';
    return copy;
}

static stemma_status take_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct hamming_asker *a = taker;
    const struct source *source = &a->asking->scan->catalogue.sources[document->source];
    result_release(&a->now);
    a->now = (struct hamming_result){.source = document->source, .offset = document->offset};
    a->now.id = id ? copy_id(id, id_size) : mem_copy_string(source->name);
    a->without_text = false;
    *wanted = true;
    return a->now.id ? STEMMA_OK : fail_memory(err);
}

static stemma_status take_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct hamming_asker *a = taker;
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(reader->whole, text, size, &fp, &count, &tokens, err));
    bit_maker_begin(a->maker);
    TRY(bit_maker_add(a->maker, fp, count, err));
    TRY(bit_maker_end(a->maker, err));
    return ask(a, err);
}

static stemma_status to_maker(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return bit_maker_add(context, fp, count, err);
}

static struct shingle_sink begin_pieces(void *taker) {
    struct hamming_asker *a = taker;
    bit_maker_begin(a->maker);
    return (struct shingle_sink){.context = a->maker, .take = to_maker};
}

static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct hamming_asker *a = taker;
    (void)text, (void)size;
    TRY(bit_maker_end(a->maker, err));
    return ask(a, err);
}

static stemma_status take_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct hamming_asker *a = taker;
    (void)err;
    if (state == DOCUMENT_FAILED)
        catalogue_add_problem(&a->asking->scan->catalogue, a->now.id, 0, cause);
    else
        a->without_text = state != DOCUMENT_CONTAINER;
    return STEMMA_OK;
}

static stemma_status end(void *taker, stemma_error *err) {
    struct hamming_asker *a = taker;
    (void)err;
    pthread_mutex_lock(&a->asking->lock);
    a->asking->documents++;
    a->asking->without_text += a->without_text;
    pthread_mutex_unlock(&a->asking->lock);
    return STEMMA_OK;
}

static stemma_status finish(void *taker, stemma_error *err) {
    (void)taker, (void)err;
    return STEMMA_OK;
}

static const struct taker_kind hamming_taker = {.new = asker_new,
                                                .free = asker_free,
                                                .source = take_source,
                                                .document = take_document,
                                                .text = take_text,
                                                .begin_pieces = begin_pieces,
                                                .end_pieces = end_pieces,
                                                .no_text = take_no_text,
                                                .end = end,
                                                .finish = finish};

/* ---- all of them ---- */

static int in_order(const void *a, const void *b) {
    const struct hamming_result *p = a, *q = b;
    if (p->source != q->source) return p->source < q->source ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static stemma_status begin(struct hamming_asking *asking, const struct scan_settings *settings,
                           stemma_error *err) {
    TRY(scan_new(asking->recipe, settings, &asking->scan, err));
    asking->scan->takers = &hamming_taker;
    asking->scan->taken_for = asking;
    return STEMMA_OK;
}

static stemma_status run(struct hamming_asking *asking, stemma_error *err) {
    TRY(scan_list(asking->scan, err));
    TRY(scan_read_sources(asking->scan, err));
    catalogue_sort_problems(&asking->scan->catalogue);
    if (asking->count) qsort(asking->results, asking->count, sizeof *asking->results, in_order);
    return STEMMA_OK;
}

stemma_status hamming_ask_paths(struct hamming_asking *asking, const struct scan_settings *settings,
                                const char *const *paths, size_t count, stemma_error *err) {
    TRY(begin(asking, settings, err));
    for (size_t i = 0; i < count; i++) TRY(scan_add_path(asking->scan, paths[i], err));
    return run(asking, err);
}

stemma_status hamming_ask_text(struct hamming_asking *asking, const struct scan_settings *settings,
                               const char *id, const void *data, size_t size, stemma_error *err) {
    TRY(begin(asking, settings, err));
    const struct source source = {
        .name = id, .kind = SOURCE_MEMORY, .size = size, .memory = data ? data : ""};
    TRY(catalogue_add_source(&asking->scan->catalogue, &source, err));
    return run(asking, err);
}

#include "collect/hamming_query.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "estimate/hamming.h"
#include "index/hamming/collected.h"
#include "sketch/bits.h"
#include "sketch/recipe.h"

/* For matches: beyond, they are sorted on disk. */
#define SORT_MEMORY ((size_t)1 << 20)

/* One worker's. */
struct hamming_asker {
    const struct hamming_asking *asking;
    struct collection *reader;
    struct collected *collected;
    struct bit_maker *maker;
};

static void asker_free(void *worker) {
    struct hamming_asker *a = worker;
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

static stemma_status asker_new(void *context, void **worker, stemma_error *err) {
    struct hamming_asker *a = mem_zero(1, sizeof *a);
    if (!a) return fail_memory(err);
    a->asking = context;
    stemma_status status = asker_prepare(a, err);
    if (status == STEMMA_OK)
        *worker = a;
    else
        asker_free(a);
    return status;
}

/* ---- a document ---- */

static stemma_status to_maker(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return bit_maker_add(context, fp, count, err);
}

static struct shingle_sink begin(void *worker) {
    struct hamming_asker *a = worker;
    bit_maker_begin(a->maker);
    return (struct shingle_sink){.context = a->maker, .take = to_maker};
}

static stemma_status take_match(void *to, uint64_t number, uint32_t distance, stemma_error *err) {
    return sorter_add(to, &(struct record){distance, number}, 1, err);
}

static stemma_status ask(void *worker, const struct each_text *document, void *made, stemma_error *err) {
    struct hamming_asker *a = worker;
    struct hamming_answer *answer = made;
    (void)document;
    const struct hamming_source *source = collected_source(a->collected);
    uint8_t bytes[HAMMING_BITS_MOST / 8] = {0};
    uint64_t words[HAMMING_BITS_MOST / 64];
    TRY(bit_maker_end(a->maker, err));
    bit_maker_take(a->maker, bytes);
    for (size_t i = 0; i < hamming_words(source->bits); i++) words[i] = load_u64(bytes + 8 * i);
    uint32_t radius = hamming_radius(source->bits, a->asking->resemblance);
    const struct sorter_options sorting = {
        .memory = SORT_MEMORY, .directory = source->directory, .stop = source->stop};
    TRY(sorter_new(&sorting, &answer->matches, err));
    struct hamming_matches matches = {.take = take_match, .to = answer->matches};
    double begin = clock_seconds();
    TRY(hamming_query(source, words, radius, a->asking->via, &matches, &answer->work, err));
    answer->seconds = clock_seconds() - begin;
    return sorter_finish(answer->matches, err);
}

static void drop(void *answer) {
    struct hamming_answer *a = answer;
    sorter_free(a->matches);
    mem_free(a);
}

static size_t weight(const void *answer) {
    enum { MOST = 4096 }; /* in SORT_MEMORY */
    const uint64_t count = sorter_count(((const struct hamming_answer *)answer)->matches);
    return count < MOST ? (size_t)count : MOST;
}

const struct each_kind hamming_each = {.new = asker_new,
                                       .free = asker_free,
                                       .begin = begin,
                                       .answer = ask,
                                       .weight = weight,
                                       .drop = drop,
                                       .answer_size = sizeof(struct hamming_answer)};

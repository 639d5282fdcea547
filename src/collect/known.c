/*
 * Samples are looked up one by one. Those that very many documents have (what compilers and formats leave
 * everywhere) say little: they bring up no candidates while others can, but they count once there are some.
 */
#include "collect/known.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "collect/by_digest.h"
#include "index/keys.h"
#include "index/stored_samples.h"
#include "sketch/recipe.h"

#include <stdlib.h>
#include <string.h>

/* A sample of more documents is common: it brings up none, or its first ones where enough of the file is
 * common that nothing else need be known of it. Of so many samples, so that those with most of them show. */
enum { COMMON = 256, HEADS = 64 };
/* Documents that are looked at: those that have most of the file. A signature may be of fewer versions than
 * there are. */
enum { CANDIDATES_MOST = 1024 };

/* One worker's. */
struct known_asker {
    const struct known_asking *asking;
    struct collection *reader;
    size_t samples_part, lookup_part;
    uint32_t sample_bits;
    struct keyer *keyer;
    uint8_t keys[MINIMA_KEYS];
    struct vec64 samples;     /* of the file */
    struct vec64 hits, heads; /* numbers of documents that share one, with repetitions; a common one */
    struct vec64 unpacked;    /* samples of one document */
    struct by_signature *by_signature;
    bool pieced; /* it was given the text in pieces */
    uint8_t digest[FACTS_DIGEST];
};

/* A document that has something of the file. */
struct sharer {
    uint64_t number, shared;
    bool identical;
    char *id, *name;      /* name: of the known file it is a version of */
    struct vec64 samples; /* those in common */
};

struct sharers {
    struct sharer *list;
    size_t count, capacity;
};

static void sharers_release(struct sharers *s) {
    for (size_t i = 0; i < s->count; i++) {
        mem_free(s->list[i].id);
        mem_free(s->list[i].name);
        vec64_release(&s->list[i].samples);
    }
    mem_free(s->list);
}

/* ---- one worker ---- */

static void asker_free(void *worker) {
    struct known_asker *a = worker;
    collection_close(a->reader);
    keyer_free(a->keyer);
    by_signature_free(a->by_signature);
    vec64_release(&a->samples);
    vec64_release(&a->hits);
    vec64_release(&a->heads);
    vec64_release(&a->unpacked);
    mem_free(a);
}

static stemma_status asker_prepare(struct known_asker *a, stemma_error *err) {
    const struct schema *schema = collection_schema(a->asking->store);
    int samples = samples_find_part(schema, &a->sample_bits), lookup = sample_keys_find_part(schema);
    if (samples < 0 || lookup < 0) return fail_not_kept(a->asking->store, "samples", err);
    a->samples_part = (size_t)samples;
    a->lookup_part = (size_t)lookup;
    TRY(collection_twin(a->asking->store, &a->reader, err));
    TRY(by_signature_new(a->reader, &a->asking->recipe->view, &a->by_signature, err));
    return keyer_new(index_form(&a->asking->recipe->view), &a->keyer, err);
}

static stemma_status asker_new(void *context, void **worker, stemma_error *err) {
    struct known_asker *a = mem_zero(1, sizeof *a);
    if (!a) return fail_memory(err);
    a->asking = context;
    stemma_status status = asker_prepare(a, err);
    if (status == STEMMA_OK)
        *worker = a;
    else
        asker_free(a);
    return status;
}

/* ---- who has something of it ---- */

static stemma_status look_up(struct known_asker *a, stemma_error *err) {
    size_t common = 0;
    a->hits.len = a->heads.len = 0;
    for (size_t i = 0; i < a->samples.len; i++) {
        const size_t before = a->hits.len;
        TRY(collection_lookup(a->reader, a->lookup_part, sample_key(a->samples.data[i], a->sample_bits),
                              COMMON + 1, &a->hits, err));
        if (a->hits.len - before <= COMMON) continue;
        if (common++ < HEADS && !vec64_add_all(&a->heads, a->hits.data + before, COMMON))
            return fail_memory(err);
        a->hits.len = before;
    }
    const bool alone = (double)common >= a->asking->contained * (double)a->samples.len;
    if (alone && !vec64_add_all(&a->hits, a->heads.data, a->heads.len)) return fail_memory(err);
    return sort_u64(a->hits.data, a->hits.len) ? STEMMA_OK : fail_memory(err);
}

static int most_first(const void *a, const void *b) {
    const struct sharer *p = a, *q = b;
    if (p->shared != q->shared) return p->shared > q->shared ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static stemma_status count_hits(struct known_asker *a, struct sharers *s, stemma_error *err) {
    for (size_t i = 0, next; i < a->hits.len; i = next) {
        for (next = i; next < a->hits.len && a->hits.data[next] == a->hits.data[i];) next++;
        if (!mem_grow((void **)&s->list, &s->capacity, s->count + 1, sizeof *s->list))
            return fail_memory(err);
        s->list[s->count++] = (struct sharer){.number = a->hits.data[i], .shared = next - i};
    }
    if (s->count) qsort(s->list, s->count, sizeof *s->list, most_first);
    if (s->count > CANDIDATES_MOST) s->count = CANDIDATES_MOST;
    return STEMMA_OK;
}

/* What has no samples is known by all of its bytes. */
static stemma_status find_same(struct known_asker *a, struct sharers *s, stemma_error *err) {
    TRY(by_digest_find(a->reader, a->digest, CANDIDATES_MOST, &a->hits, err));
    return count_hits(a, s, err);
}

/* ---- whose versions they are ---- */

static char *name_of(enum known_by by, const uint8_t *id, size_t size) {
    const uint8_t *slash = memrchr(id, '/', size);
    if (!slash || by == KNOWN_BY_EACH) return mem_copy_bytes(id, size);
    if (by == KNOWN_BY_FOLDER) return mem_copy_bytes(id, (size_t)(slash - id));
    return mem_copy_bytes(slash + 1, size - (size_t)(slash + 1 - id));
}

static bool keep_common(const struct vec64 *a, const struct vec64 *b, struct vec64 *common) {
    for (size_t i = 0, k = 0; i < a->len && k < b->len;) {
        const uint64_t x = a->data[i], y = b->data[k];
        if (x == y && !vec64_add(common, x)) return false;
        i += x <= y;
        k += y <= x;
    }
    return true;
}

static stemma_status read_sharer(struct known_asker *a, struct sharer *s, stemma_error *err) {
    struct facts facts;
    struct row row;
    struct cell cell;
    bool found;
    TRY(collection_cell(a->reader, s->number, a->samples_part, &cell, &found, err));
    a->unpacked.len = 0;
    if (found) TRY(samples_unpack(cell.bytes, cell.size, a->sample_bits, &a->unpacked, err));
    if (!keep_common(&a->samples, &a->unpacked, &s->samples)) return fail_memory(err);
    s->shared = s->samples.len;
    TRY(collection_record(a->reader, s->number, &row, &found, err));
    if (!found)
        return fail(err, STEMMA_CORRUPT, "'%s': a document without a record", collection_path(a->reader));
    TRY(facts_read(row.facts, &facts, err));
    s->identical = memcmp(facts.digest, a->digest, sizeof a->digest) == 0;
    s->id = mem_copy_bytes(row.id.bytes, row.id.size);
    s->name = name_of(a->asking->by, row.id.bytes, row.id.size);
    return s->id && s->name ? STEMMA_OK : fail_memory(err);
}

static int by_name(const void *a, const void *b) {
    const struct sharer *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    if (order) return order;
    return p->identical != q->identical ? q->identical - p->identical : most_first(a, b);
}

/* ---- their signatures ---- */

/* Of the file's samples those in the union of the samples of some versions. */
static stemma_status count_union(const struct sharer *versions, size_t count, struct vec64 *signature,
                                 uint64_t *shared, stemma_error *err) {
    signature->len = 0;
    for (size_t i = 0; i < count; i++)
        if (!vec64_add_all(signature, versions[i].samples.data, versions[i].samples.len))
            return fail_memory(err);
    if (!sort_u64(signature->data, signature->len)) return fail_memory(err);
    *shared = unique_u64(signature->data, signature->len);
    return STEMMA_OK;
}

/* The name with a version that is the file, else the one whose signature has most; of equals the first. */
static stemma_status find_best(struct sharers *s, struct vec64 *signature, struct known_answer *answer,
                               stemma_error *err) {
    size_t best = 0;
    for (size_t i = 0, next; i < s->count; i = next) {
        uint64_t shared;
        for (next = i; next < s->count && !strcmp(s->list[next].name, s->list[i].name);) next++;
        TRY(count_union(s->list + i, next - i, signature, &shared, err));
        const bool identical = s->list[i].identical;
        if (identical == answer->identical ? shared <= answer->shared : answer->identical) continue;
        best = i;
        answer->identical = identical;
        answer->shared = shared;
        answer->versions = next - i;
    }
    if (!answer->shared && !answer->identical) return STEMMA_OK;
    answer->best_shared = s->list[best].shared;
    answer->best_number = s->list[best].number;
    answer->name = mem_copy_string(s->list[best].name);
    answer->best = mem_copy_string(s->list[best].id);
    return answer->name && answer->best ? STEMMA_OK : fail_memory(err);
}

static stemma_status judge_sharers(struct known_asker *a, struct sharers *s, struct vec64 *signature,
                                   struct known_answer *answer, stemma_error *err) {
    TRY(count_hits(a, s, err));
    if (s->count == 0) TRY(find_same(a, s, err));
    for (size_t i = 0; i < s->count; i++) TRY(read_sharer(a, &s->list[i], err));
    if (s->count) qsort(s->list, s->count, sizeof *s->list, by_name);
    return find_best(s, signature, answer, err);
}

/* ---- a document ---- */

static stemma_status to_keyer(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return keyer_add(context, fp, count, err);
}

static struct shingle_sink begin(void *worker) {
    struct known_asker *a = worker;
    keyer_begin(a->keyer);
    a->pieced = false;
    return (struct shingle_sink){.context = a->keyer, .take = to_keyer};
}

static stemma_status take_piece(void *worker, const uint8_t *text, size_t size, stemma_error *err) {
    struct known_asker *a = worker;
    if (!a->pieced) TRY(by_signature_begin(a->by_signature, err));
    a->pieced = true;
    return by_signature_feed(a->by_signature, text, size, err);
}

/* How far the best version is, as far as signatures tell. */
static stemma_status measure(struct known_asker *a, const struct each_text *file, struct known_answer *answer,
                             stemma_error *err) {
    struct signature_pair pair;
    if (a->pieced)
        TRY(by_signature_end(a->by_signature, err));
    else
        by_signature_set(a->by_signature, file->text, file->size, (struct cell){0});
    if (!answer->best || answer->identical) return STEMMA_OK;
    TRY(by_signature_find(a->by_signature, answer->best_number, &pair, &answer->measured, err));
    return answer->measured ? a->asking->measure(a->asking, &pair, &answer->edit, err) : STEMMA_OK;
}

static stemma_status judge_file(struct known_asker *a, const struct each_text *file,
                                struct known_answer *answer, stemma_error *err) {
    struct sharers sharers = {0};
    struct vec64 signature = {0};
    identity_store(file->digest, a->digest);
    answer->samples = a->samples.len;
    TRY(look_up(a, err));
    stemma_status status = judge_sharers(a, &sharers, &signature, answer, err);
    vec64_release(&signature);
    sharers_release(&sharers);
    return status;
}

static stemma_status ask(void *worker, const struct each_text *file, void *answer, stemma_error *err) {
    struct known_asker *a = worker;
    TRY(keyer_end(a->keyer, a->keys, &a->samples, err));
    samples_cut(&a->samples, a->sample_bits);
    TRY(judge_file(a, file, answer, err));
    return measure(a, file, answer, err);
}

static stemma_status ask_bytes(void *worker, const struct each_text *file, void *answer, stemma_error *err) {
    struct known_asker *a = worker;
    ((struct known_answer *)answer)->no_text = true;
    a->samples.len = 0;
    return judge_file(a, file, answer, err);
}

static void drop(void *answer) {
    struct known_answer *a = answer;
    mem_free(a->name);
    mem_free(a->best);
    mem_free(a);
}

static size_t weight(const void *answer) {
    (void)answer;
    return 1;
}

const struct each_kind known_each = {.new = asker_new,
                                     .free = asker_free,
                                     .begin = begin,
                                     .piece = take_piece,
                                     .answer = ask,
                                     .bytes = ask_bytes,
                                     .weight = weight,
                                     .drop = drop,
                                     .answer_size = sizeof(struct known_answer)};

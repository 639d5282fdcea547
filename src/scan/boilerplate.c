/*
 * The samples are sorted already, so it is known which of them many classes have: the common ones. Each is
 * looked up in the first document that has it, and the passage around it is as long as most of a few other
 * documents that have it, the witnesses, go along. Common samples inside a passage are explained by it; the
 * next passage begins with the most common one that is not.
 */
#include "scan/boilerplate.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "scan/excerpt.h"
#include "scan/reading.h"
#include "shingle/whole.h"

#include <stdlib.h>
#include <string.h>

enum {
    WITNESSES = 8,
    COMMON_MOST = 1 << 16,   /* samples that are remembered: the most common ones */
    PASSAGES_MOST = 1 << 12, /* that are looked at before the best are chosen */
    BLOCK = 4096
};

struct common {
    uint64_t key;
    uint64_t documents;
    uint32_t ranks[1 + WITNESSES]; /* of the first classes that have it */
    uint32_t rank_count;
    uint32_t classes;
    bool explained;
};

struct passage {
    uint32_t rank;
    uint64_t documents;
    size_t first_token, tokens;
};

struct given {
    struct vec64 windows;
    uint64_t documents;
};

struct boilerplate {
    struct stemma_scan *scan;
    uint32_t least;
    struct common *common;
    size_t common_count, common_cap;
    struct passage *passages;
    size_t passage_count, passage_cap;
    struct given *given;
    size_t given_count, given_cap;
    struct text_reader reader;
    struct buf room;
    struct vec64 example; /* fingerprints of the document a passage is looked for in, by position */
    struct vec64 witness[WITNESSES]; /* those of others, sorted */
    size_t witness_count;
};

/* ---- common samples ---- */

static int most_common_first(const void *a, const void *b) {
    const struct common *p = a, *q = b;
    if (p->documents != q->documents) return p->documents > q->documents ? -1 : 1;
    return (p->key > q->key) - (p->key < q->key);
}

/* The samples that most have, when there are too many of them. */
static void forget_rarer(struct boilerplate *b) {
    qsort(b->common, b->common_count, sizeof *b->common, most_common_first);
    b->common_count = COMMON_MOST;
}

static stemma_status add_common(struct boilerplate *b, const struct common *common, stemma_error *err) {
    if (common->classes < b->least) return STEMMA_OK;
    if (b->common_count == 2 * COMMON_MOST) forget_rarer(b);
    if (!mem_grow((void **)&b->common, &b->common_cap, b->common_count + 1, sizeof *b->common))
        return fail_memory(err);
    b->common[b->common_count++] = *common;
    return STEMMA_OK;
}

static void insert_rank(struct common *common, uint32_t rank) {
    uint32_t at = common->rank_count;
    if (at <= WITNESSES)
        common->rank_count++;
    else if (common->ranks[--at] < rank)
        return;
    for (; at > 0 && common->ranks[at - 1] > rank; at--) common->ranks[at] = common->ranks[at - 1];
    common->ranks[at] = rank;
}

/* All documents count, but passages are looked for in those that any memory holds. */
static void count_class(struct stemma_scan *scan, struct common *common, uint32_t class) {
    const struct ranking *ranking = &scan->ranking;
    const struct catalogue *c = &scan->catalogue;
    uint32_t rank = ranking->rank_of[class];
    common->classes++;
    common->documents += ranking->first[rank + 1] - ranking->first[rank];
    if (c->documents[c->classes[class].document].bytes <= SCAN_HELD) insert_rank(common, rank);
}

static stemma_status find_common(struct boilerplate *b, struct sorter_cursor *cursor, stemma_error *err) {
    struct record records[BLOCK];
    struct common common = {0};
    size_t count = 1;
    while (count) {
        TRY(sorter_next(cursor, records, BLOCK, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (records[i].key != common.key) {
                TRY(add_common(b, &common, err));
                common = (struct common){.key = records[i].key};
            }
            count_class(b->scan, &common, (uint32_t)records[i].value);
        }
    }
    TRY(add_common(b, &common, err));
    if (b->common_count) qsort(b->common, b->common_count, sizeof *b->common, most_common_first);
    if (b->common_count > COMMON_MOST) b->common_count = COMMON_MOST;
    return STEMMA_OK;
}

/* The texts of all that are named in common samples. */
static stemma_status recall_named(struct boilerplate *b, stemma_error *err) {
    const struct stemma_scan *scan = b->scan;
    uint8_t *needed = mem_zero(scan->catalogue.class_count / 8 + 1, 1);
    if (!needed) return fail_memory(err);
    for (size_t i = 0; i < b->common_count; i++)
        for (uint32_t k = 0; k < b->common[i].rank_count; k++) {
            uint32_t class = scan->ranking.class_of[b->common[i].ranks[k]];
            needed[class / 8] |= (uint8_t)(1u << class % 8);
        }
    stemma_status status = texts_recall(b->scan, needed, err);
    mem_free(needed);
    return status;
}

/* ---- passages ---- */

static stemma_status load(struct boilerplate *b, uint32_t rank, struct vec64 *out, stemma_error *err) {
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    TRY(text_fetch(&b->reader, b->scan->ranking.class_of[rank], &b->room, &text, &size, err));
    TRY(whole_shingles(b->reader.whole, text, size, &fp, &count, &tokens, err));
    out->len = 0;
    if (!vec64_reserve(out, count)) return fail_memory(err);
    memcpy(out->data, fp, count * sizeof *fp);
    out->len = count;
    return STEMMA_OK;
}

static stemma_status load_all(struct boilerplate *b, const struct common *common, stemma_error *err) {
    TRY(load(b, common->ranks[0], &b->example, err));
    b->witness_count = common->rank_count - 1;
    for (size_t i = 0; i < b->witness_count; i++) {
        struct vec64 *set = &b->witness[i];
        TRY(load(b, common->ranks[i + 1], set, err));
        if (!sort_u64(set->data, set->len)) return fail_memory(err);
        set->len = unique_u64(set->data, set->len);
    }
    return STEMMA_OK;
}

static int number_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Most of the witnesses have it, too. */
static bool is_shared(const struct boilerplate *b, uint64_t fp) {
    size_t have = 0;
    for (size_t i = 0; i < b->witness_count; i++)
        have += bsearch(&fp, b->witness[i].data, b->witness[i].len, sizeof fp, number_order) != NULL;
    return 2 * have > b->witness_count;
}

static int key_order(const void *a, const void *b) {
    return number_order(&(*(struct common *const *)a)->key, &(*(struct common *const *)b)->key);
}

static struct common *find_key(struct common **by_key, size_t count, uint64_t key) {
    struct common wanted = {.key = key}, *at = &wanted;
    struct common **found = bsearch(&at, by_key, count, sizeof at, key_order);
    return found ? *found : NULL;
}

/* Windows [first, end) of the example are a passage: the common samples in it need no other. */
static void explain(struct boilerplate *b, struct common **by_key, size_t first, size_t end,
                    struct passage *passage) {
    for (size_t i = first; i < end; i++) {
        if (b->example.data[i] % b->scan->plan.modulus) continue;
        struct common *inside =
            find_key(by_key, b->common_count, key_sample(b->scan->plan.seed, b->example.data[i]));
        if (!inside) continue;
        inside->explained = true;
        if (inside->documents > passage->documents) passage->documents = inside->documents;
    }
}

static stemma_status find_passage(struct boilerplate *b, struct common **by_key, struct common *common,
                                  stemma_error *err) {
    TRY(load_all(b, common, err));
    const uint64_t *fp = b->example.data;
    size_t count = b->example.len, at = 0;
    while (at < count &&
           (fp[at] % b->scan->plan.modulus || key_sample(b->scan->plan.seed, fp[at]) != common->key))
        at++;
    if (at == count) return STEMMA_OK;
    size_t first = at, end = at + 1;
    while (first > 0 && is_shared(b, fp[first - 1])) first--;
    while (end < count && is_shared(b, fp[end])) end++;
    struct passage passage = {.rank = common->ranks[0],
                              .documents = common->documents,
                              .first_token = first,
                              .tokens = end - first + b->scan->recipe->view.window - 1};
    explain(b, by_key, first, end, &passage);
    if (!mem_grow((void **)&b->passages, &b->passage_cap, b->passage_count + 1, sizeof passage))
        return fail_memory(err);
    b->passages[b->passage_count++] = passage;
    return STEMMA_OK;
}

/* Where a document cannot be read any more, another sample may still lead to the passage. */
static stemma_status look_around(struct boilerplate *b, struct common **by_key, struct common *common,
                                 stemma_error *err) {
    stemma_error cause;
    stemma_status status = check_stop(b->scan->settings.limits.stop, &cause);
    if (status == STEMMA_OK) status = find_passage(b, by_key, common, &cause);
    if (status == STEMMA_OK) return STEMMA_OK;
    if (!is_problem(status)) return fail(err, status, "%s", cause.message);
    catalogue_lose(&b->scan->catalogue, b->reader.fetched, &cause);
    return STEMMA_OK;
}

static stemma_status find_passages(struct boilerplate *b, stemma_error *err) {
    struct common **by_key = mem_alloc(b->common_count * sizeof *by_key);
    if (!by_key) return fail_memory(err);
    for (size_t i = 0; i < b->common_count; i++) by_key[i] = &b->common[i];
    qsort(by_key, b->common_count, sizeof *by_key, key_order);
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < b->common_count && b->passage_count < PASSAGES_MOST && status == STEMMA_OK; i++) {
        if (b->common[i].explained || b->common[i].rank_count < 2) continue;
        status = look_around(b, by_key, &b->common[i], err);
    }
    mem_free(by_key);
    return status;
}

/* ---- giving them ---- */

static uint64_t weight(const struct passage *p) {
    return (p->documents - 1) * p->tokens;
}

static int heaviest_first(const void *a, const void *b) {
    const struct passage *p = a, *q = b;
    if (weight(p) != weight(q)) return weight(p) > weight(q) ? -1 : 1;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    return (p->first_token > q->first_token) - (p->first_token < q->first_token);
}

/* Witnesses differ, so a part of a passage may be found once more, also in another document. It says
 * something new only when more documents have it. */
static bool is_given(const struct boilerplate *b, const uint64_t *windows, size_t count, uint64_t documents) {
    for (size_t i = 0; i < b->given_count; i++) {
        const struct given *given = &b->given[i];
        if (documents > given->documents) continue;
        for (size_t at = 0; at + count <= given->windows.len; at++)
            if (!memcmp(given->windows.data + at, windows, count * sizeof *windows)) return true;
    }
    return false;
}

static stemma_status remember(struct boilerplate *b, const uint64_t *windows, size_t count,
                              uint64_t documents, stemma_error *err) {
    if (!mem_grow((void **)&b->given, &b->given_cap, b->given_count + 1, sizeof *b->given))
        return fail_memory(err);
    struct given *given = &b->given[b->given_count];
    *given = (struct given){.documents = documents};
    if (!vec64_reserve(&given->windows, count)) return fail_memory(err);
    memcpy(given->windows.data, windows, count * sizeof *windows);
    given->windows.len = count;
    b->given_count++;
    return STEMMA_OK;
}

static stemma_status give_one(struct boilerplate *b, const struct passage *p, stemma_scan_take_passage *take,
                              void *context, stemma_error *err) {
    const struct ranking *ranking = &b->scan->ranking;
    struct excerpt excerpt;
    TRY(excerpt_read(&b->reader, ranking->class_of[p->rank], p->first_token, p->tokens, &excerpt, err));
    stemma_scan_passage out = {.text = (const char *)excerpt.text,
                               .size = excerpt.size,
                               .documents = p->documents,
                               .tokens = p->tokens,
                               .example = b->scan->place[ranking->documents[ranking->first[p->rank]]],
                               .offset = excerpt.offset};
    stemma_status status = take(context, &out, err);
    excerpt_release(&excerpt);
    return status;
}

static stemma_status give(struct boilerplate *b, size_t most, stemma_scan_take_passage *take, void *context,
                          stemma_error *err) {
    if (b->passage_count) qsort(b->passages, b->passage_count, sizeof *b->passages, heaviest_first);
    for (size_t i = 0; i < b->passage_count && b->given_count < most; i++) {
        const struct passage *p = &b->passages[i];
        size_t count = p->tokens - b->scan->recipe->view.window + 1;
        TRY(check_stop(b->scan->settings.limits.stop, err));
        TRY(load(b, p->rank, &b->example, err));
        const uint64_t *windows = b->example.data + p->first_token;
        if (is_given(b, windows, count, p->documents)) continue;
        TRY(remember(b, windows, count, p->documents, err));
        TRY(give_one(b, p, take, context, err));
    }
    return STEMMA_OK;
}

static stemma_status find_all(struct boilerplate *b, stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    TRY(text_reader_init(&b->reader, b->scan, err));
    TRY(sorter_read(b->scan->samples, &cursor, err));
    stemma_status status = find_common(b, cursor, err);
    sorter_cursor_free(cursor);
    if (status == STEMMA_OK) status = recall_named(b, err);
    return status == STEMMA_OK ? find_passages(b, err) : status;
}

static void release(struct boilerplate *b) {
    text_reader_release(&b->reader);
    buf_release(&b->room);
    vec64_release(&b->example);
    for (size_t i = 0; i < WITNESSES; i++) vec64_release(&b->witness[i]);
    for (size_t i = 0; i < b->given_count; i++) vec64_release(&b->given[i].windows);
    mem_free(b->given);
    mem_free(b->common);
    mem_free(b->passages);
}

stemma_status scan_boilerplate(struct stemma_scan *scan, uint64_t least, size_t most,
                               stemma_scan_take_passage *take, void *context, stemma_error *err) {
    struct boilerplate b = {.scan = scan};
    uint64_t share = scan->catalogue.class_count / 100;
    if (least == 0) least = share > 3 ? share : 3;
    b.least = least > UINT32_MAX ? UINT32_MAX : (uint32_t)least;
    stemma_status status = find_all(&b, err);
    if (status == STEMMA_OK) status = give(&b, most, take, context, err);
    release(&b);
    return status;
}

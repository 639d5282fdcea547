/*
 * The samples are sorted already, so it is known which of them many classes have: the common ones. Each is
 * looked up in the first document that has it, and the passage around it goes as far as saves the most text
 * among a few others that have it, the witnesses, drawn by chance. Common samples inside a passage are
 * explained by it; the next passage begins with the most common one that is not. Of those that seem to save
 * the most, all documents that have the sample are asked whether they hold the whole of it.
 */
#include "scan/boilerplate.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "scan/excerpt.h"
#include "scan/reading.h"
#include "shingle/whole.h"

#include <stdlib.h>
#include <string.h>

enum {
    WITNESSES = 16,          /* more: what they have in common is better known, and takes longer to read */
    COMMON_MOST = 1 << 16,   /* samples that are remembered: the most common ones */
    PASSAGES_MOST = 1 << 12, /* that are looked at before the best are chosen */
    SPARE = 2,               /* times as many are counted as will be given: some are fewer than they seemed */
    BLOCK = 4096
};

struct common {
    uint64_t key;
    uint64_t documents;
    uint32_t first;             /* of the ranks that have it */
    uint32_t others[WITNESSES]; /* those with the least hashes */
    uint32_t other_count;
    uint32_t classes;
    bool explained;
};

struct passage {
    uint32_t rank;
    size_t first, count; /* its windows there */
    size_t anchor;       /* which of them is the sample that led to it */
    uint64_t documents;  /* that hold all of it; an estimate before they are counted */
    uint32_t classes;
    size_t tokens;
    uint64_t *windows; /* once it was chosen */
};

struct boilerplate {
    struct stemma_scan *scan;
    uint32_t least;
    struct common *common;
    size_t common_count, common_cap;
    struct passage *passages;
    size_t passage_count, passage_cap;
    struct text_reader reader;
    struct buf room;
    struct vec64 example; /* fingerprints of the document a passage is looked for in, by position */
    struct reach {
        size_t before, after; /* windows that the example and a witness have in common around the sample */
    } reaches[WITNESSES];
    size_t reach_count;
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

static bool is_drawn_before(uint32_t a, uint32_t b) {
    return mix64(a) < mix64(b);
}

/* By chance, so that the witnesses are like the others: the first ones are the longest. */
static void insert_other(struct common *common, uint32_t rank) {
    uint32_t at = common->other_count;
    if (at < WITNESSES)
        common->other_count++;
    else if (is_drawn_before(common->others[--at], rank))
        return;
    for (; at > 0 && is_drawn_before(rank, common->others[at - 1]); at--)
        common->others[at] = common->others[at - 1];
    common->others[at] = rank;
}

static void insert_rank(struct common *common, uint32_t rank) {
    if (common->classes++ == 0) {
        common->first = rank;
    } else if (rank < common->first) {
        insert_other(common, common->first);
        common->first = rank;
    } else {
        insert_other(common, rank);
    }
}

static uint32_t documents_of(const struct stemma_scan *scan, uint32_t rank) {
    return scan->ranking.first[rank + 1] - scan->ranking.first[rank];
}

/* Only what any memory holds is looked at, so that the memory decides nothing. */
static bool is_looked_at(const struct catalogue *c, uint32_t class) {
    return c->documents[c->classes[class].document].bytes <= SCAN_HELD;
}

static void count_class(const struct stemma_scan *scan, struct common *common, uint32_t class) {
    uint32_t rank = scan->ranking.rank_of[class];
    if (!is_looked_at(&scan->catalogue, class)) return;
    common->documents += documents_of(scan, rank);
    insert_rank(common, rank);
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

static void mark(const struct stemma_scan *scan, uint8_t *needed, uint32_t rank) {
    uint32_t class = scan->ranking.class_of[rank];
    needed[class / 8] |= (uint8_t)(1u << class % 8);
}

/* The texts of all that are named in common samples. */
static stemma_status recall_named(struct boilerplate *b, stemma_error *err) {
    const struct stemma_scan *scan = b->scan;
    uint8_t *needed = mem_zero(scan->catalogue.class_count / 8 + 1, 1);
    if (!needed) return fail_memory(err);
    for (size_t i = 0; i < b->common_count; i++) {
        mark(scan, needed, b->common[i].first);
        for (uint32_t k = 0; k < b->common[i].other_count; k++) mark(scan, needed, b->common[i].others[k]);
    }
    stemma_status status = texts_recall(b->scan, needed, err);
    mem_free(needed);
    return status;
}

/* ---- passages ---- */

/* The windows of a document; they stay until the next call. */
static stemma_status fetch(struct boilerplate *b, uint32_t class, const uint64_t **fp, size_t *count,
                           stemma_error *err) {
    const uint8_t *text;
    size_t size;
    uint64_t tokens;
    TRY(text_fetch(&b->reader, class, &b->room, &text, &size, err));
    return whole_shingles(b->reader.whole, text, size, fp, count, &tokens, err);
}

static stemma_status load_example(struct boilerplate *b, uint32_t rank, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(fetch(b, b->scan->ranking.class_of[rank], &fp, &count, err));
    b->example.len = 0;
    if (!vec64_reserve(&b->example, count)) return fail_memory(err);
    memcpy(b->example.data, fp, count * sizeof *fp);
    b->example.len = count;
    return STEMMA_OK;
}

/* How far both go along, from one place each on. */
static struct reach reach_of(const struct vec64 *a, size_t at, const uint64_t *b, size_t b_at,
                             size_t b_count) {
    struct reach reach = {0, 0};
    while (reach.before < at && reach.before < b_at &&
           a->data[at - reach.before - 1] == b[b_at - reach.before - 1])
        reach.before++;
    while (at + reach.after + 1 < a->len && b_at + reach.after + 1 < b_count &&
           a->data[at + reach.after + 1] == b[b_at + reach.after + 1])
        reach.after++;
    return reach;
}

/* Where the witness has the sample several times, the place that goes along the farthest. */
static stemma_status ask_witness(struct boilerplate *b, uint32_t rank, size_t at, struct reach *out,
                                 stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(fetch(b, b->scan->ranking.class_of[rank], &fp, &count, err));
    *out = (struct reach){0, 0};
    for (size_t i = 0; i < count; i++) {
        if (fp[i] != b->example.data[at]) continue;
        struct reach reach = reach_of(&b->example, at, fp, i, count);
        if (reach.before + reach.after > out->before + out->after) *out = reach;
    }
    return STEMMA_OK;
}

static size_t count_reaching(const struct boilerplate *b, struct reach wanted) {
    size_t have = 0;
    for (size_t i = 0; i < b->reach_count; i++)
        have += b->reaches[i].before >= wanted.before && b->reaches[i].after >= wanted.after;
    return have;
}

/* What saves the most text, of what most of the witnesses go along with. */
static struct reach best_reach(const struct boilerplate *b, const struct common *common, size_t *witnesses) {
    struct reach best = {0, 0};
    uint64_t saved = 0;
    for (size_t i = 0; i < b->reach_count; i++)
        for (size_t k = 0; k < b->reach_count; k++) {
            struct reach reach = {b->reaches[i].before, b->reaches[k].after};
            size_t have = count_reaching(b, reach);
            uint64_t saves = (uint64_t)have * (reach.before + reach.after + b->scan->recipe->view.window);
            bool enough = (uint64_t)common->classes * (have + 1) >= (uint64_t)b->least * (b->reach_count + 1);
            if (2 * have <= b->reach_count || !enough || saves <= saved) continue;
            best = reach;
            saved = saves;
            *witnesses = have;
        }
    return best;
}

static int number_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int key_order(const void *a, const void *b) {
    return number_order(&(*(struct common *const *)a)->key, &(*(struct common *const *)b)->key);
}

static struct common *find_key(struct common **by_key, size_t count, uint64_t key) {
    struct common wanted = {.key = key}, *at = &wanted;
    struct common **found = bsearch(&at, by_key, count, sizeof at, key_order);
    return found ? *found : NULL;
}

/* The common samples in a passage need no other, unless many more documents have them. */
static void explain(struct boilerplate *b, struct common **by_key, const struct passage *passage) {
    const uint64_t *fp = b->example.data + passage->first;
    for (size_t i = 0; i < passage->count; i++) {
        if (fp[i] % b->scan->plan.modulus) continue;
        struct common *inside = find_key(by_key, b->common_count, key_sample(b->scan->plan.seed, fp[i]));
        if (inside && inside->documents <= 2 * passage->documents) inside->explained = true;
    }
}

static bool find_sample(const struct boilerplate *b, uint64_t key, size_t *at) {
    const uint64_t *fp = b->example.data;
    for (*at = 0; *at < b->example.len; ++*at)
        if (fp[*at] % b->scan->plan.modulus == 0 && key_sample(b->scan->plan.seed, fp[*at]) == key)
            return true;
    return false;
}

static stemma_status find_passage(struct boilerplate *b, struct common **by_key, struct common *common,
                                  stemma_error *err) {
    size_t at, witnesses = 0;
    common->explained = true;
    TRY(load_example(b, common->first, err));
    if (!find_sample(b, common->key, &at)) return STEMMA_OK;
    b->reach_count = common->other_count;
    for (size_t i = 0; i < b->reach_count; i++)
        TRY(ask_witness(b, common->others[i], at, &b->reaches[i], err));
    struct reach reach = best_reach(b, common, &witnesses);
    if (!witnesses) return STEMMA_OK;
    struct passage passage = {.rank = common->first,
                              .first = at - reach.before,
                              .count = reach.before + 1 + reach.after,
                              .anchor = reach.before,
                              .tokens = reach.before + reach.after + b->scan->recipe->view.window,
                              .documents = common->documents * (witnesses + 1) / (b->reach_count + 1)};
    explain(b, by_key, &passage);
    if (!mem_grow((void **)&b->passages, &b->passage_cap, b->passage_count + 1, sizeof passage))
        return fail_memory(err);
    b->passages[b->passage_count++] = passage;
    return STEMMA_OK;
}

/* A document that cannot be read any more is a problem; the rest goes on. */
static stemma_status lose(struct boilerplate *b, stemma_status status, const stemma_error *cause,
                          stemma_error *err) {
    if (!is_problem(status)) return fail(err, status, "%s", cause->message);
    catalogue_lose(&b->scan->catalogue, b->reader.fetched, cause);
    return STEMMA_OK;
}

/* Another sample may still lead to the passage. */
static stemma_status look_around(struct boilerplate *b, struct common **by_key, struct common *common,
                                 stemma_error *err) {
    stemma_error cause;
    stemma_status status = check_stop(b->scan->settings.limits.stop, &cause);
    if (status == STEMMA_OK) status = find_passage(b, by_key, common, &cause);
    return status == STEMMA_OK ? STEMMA_OK : lose(b, status, &cause, err);
}

static stemma_status find_passages(struct boilerplate *b, stemma_error *err) {
    struct common **by_key = mem_alloc(b->common_count * sizeof *by_key);
    if (!by_key) return fail_memory(err);
    for (size_t i = 0; i < b->common_count; i++) by_key[i] = &b->common[i];
    qsort(by_key, b->common_count, sizeof *by_key, key_order);
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < b->common_count && b->passage_count < PASSAGES_MOST && status == STEMMA_OK; i++) {
        if (b->common[i].explained || b->common[i].other_count == 0) continue;
        status = look_around(b, by_key, &b->common[i], err);
    }
    mem_free(by_key);
    return status;
}

/* ---- choosing ---- */

static uint64_t weight(const struct passage *p) {
    return (p->documents - 1) * p->tokens;
}

static int heaviest_first(const void *a, const void *b) {
    const struct passage *p = a, *q = b;
    if (weight(p) != weight(q)) return weight(p) > weight(q) ? -1 : 1;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return (p->count > q->count) - (p->count < q->count);
}

static bool is_part(const uint64_t *windows, size_t count, const struct passage *of) {
    for (size_t at = 0; at + count <= of->count; at++)
        if (of->windows[at] == windows[0] && !memcmp(of->windows + at, windows, count * sizeof *windows))
            return true;
    return false;
}

/* Witnesses differ, so a part of a passage may be found once more, also in another document. It says
 * something new only when half as many documents again have it. */
static bool is_said(const struct passage *said, size_t count, const struct passage *p,
                    const uint64_t *windows) {
    for (size_t i = 0; i < count; i++)
        if (2 * p->documents < 3 * said[i].documents && is_part(windows, p->count, &said[i])) return true;
    return false;
}

static stemma_status choose_one(struct boilerplate *b, struct passage p, size_t *chosen, stemma_error *err) {
    stemma_error cause;
    TRY(check_stop(b->scan->settings.limits.stop, err));
    stemma_status status = load_example(b, p.rank, &cause);
    if (status != STEMMA_OK) return lose(b, status, &cause, err);
    const uint64_t *windows = b->example.data + p.first;
    if (is_said(b->passages, *chosen, &p, windows)) return STEMMA_OK;
    p.windows = (uint64_t *)(void *)mem_copy_bytes(windows, p.count * sizeof *windows);
    if (!p.windows) return fail_memory(err);
    b->passages[(*chosen)++] = p;
    return STEMMA_OK;
}

/* The heaviest, with their windows, come first, as many as will be counted. */
static stemma_status choose(struct boilerplate *b, size_t most, size_t *chosen, stemma_error *err) {
    if (b->passage_count) qsort(b->passages, b->passage_count, sizeof *b->passages, heaviest_first);
    for (size_t i = 0; i < b->passage_count && *chosen / SPARE < most; i++)
        TRY(choose_one(b, b->passages[i], chosen, err));
    b->passage_count = *chosen;
    return STEMMA_OK;
}

/* ---- counting ---- */

static uint64_t anchor_of(const struct passage *p) {
    return p->windows[p->anchor];
}

static int anchor_order(const void *a, const void *b) {
    uint64_t x = anchor_of(a), y = anchor_of(b);
    return (x > y) - (x < y);
}

/* The first of those, in the order of anchors, that have this one or a later one. */
static size_t lower_bound(const struct boilerplate *b, uint64_t anchor) {
    size_t low = 0, high = b->passage_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (anchor_of(&b->passages[middle]) < anchor)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool stands_at(const struct passage *p, const uint64_t *fp, size_t count, size_t at) {
    return at >= p->anchor && at - p->anchor + p->count <= count &&
           !memcmp(fp + at - p->anchor, p->windows, p->count * sizeof *fp);
}

/* counted: of each passage, the rank it was counted for last, and 1: a document may hold it twice. */
static void count_in(struct boilerplate *b, uint32_t rank, const uint64_t *fp, size_t count,
                     uint32_t *counted) {
    for (size_t at = 0; at < count; at++) {
        if (fp[at] % b->scan->plan.modulus) continue;
        for (size_t i = lower_bound(b, fp[at]); i < b->passage_count; i++) {
            struct passage *p = &b->passages[i];
            if (anchor_of(p) != fp[at]) break;
            if (counted[i] == rank + 1 || !stands_at(p, fp, count, at)) continue;
            counted[i] = rank + 1;
            p->classes++;
            p->documents += documents_of(b->scan, rank);
        }
    }
}

/* One that cannot be read any more is not counted. */
static stemma_status count_document(struct boilerplate *b, uint32_t rank, uint32_t *counted,
                                    stemma_error *err) {
    stemma_error cause;
    const uint64_t *fp;
    size_t count;
    stemma_status status = check_stop(b->scan->settings.limits.stop, &cause);
    if (status == STEMMA_OK) status = fetch(b, b->scan->ranking.class_of[rank], &fp, &count, &cause);
    if (status == STEMMA_OK) {
        count_in(b, rank, fp, count, counted);
        return STEMMA_OK;
    }
    return lose(b, status, &cause, err);
}

static stemma_status count_documents(struct boilerplate *b, const uint8_t *needed, stemma_error *err) {
    const struct ranking *ranking = &b->scan->ranking;
    uint32_t *counted = mem_zero(b->passage_count, sizeof *counted);
    stemma_status status = counted ? STEMMA_OK : fail_memory(err);
    for (uint32_t rank = 0; rank < b->scan->catalogue.class_count && status == STEMMA_OK; rank++) {
        uint32_t class = ranking->class_of[rank];
        if (needed[class / 8] >> class % 8 & 1) status = count_document(b, rank, counted, err);
    }
    mem_free(counted);
    return status;
}

/* The classes that have a sample of those that led to passages; keys in order. */
static stemma_status mark_holders(struct boilerplate *b, const struct vec64 *keys, uint8_t *needed,
                                  stemma_error *err) {
    struct record records[BLOCK];
    struct sorter_cursor *cursor = NULL;
    size_t count = 1, key = 0;
    stemma_status status = sorter_read(b->scan->samples, &cursor, err);
    while (status == STEMMA_OK && count) {
        status = sorter_next(cursor, records, BLOCK, &count, err);
        for (size_t i = 0; status == STEMMA_OK && i < count; i++) {
            uint32_t class = (uint32_t)records[i].value;
            while (key < keys->len && keys->data[key] < records[i].key) key++;
            if (key == keys->len || keys->data[key] != records[i].key) continue;
            if (!is_looked_at(&b->scan->catalogue, class)) continue;
            needed[class / 8] |= (uint8_t)(1u << class % 8);
        }
    }
    sorter_cursor_free(cursor);
    return status;
}

static stemma_status find_holders(struct boilerplate *b, uint8_t *needed, stemma_error *err) {
    struct vec64 keys = {0};
    stemma_status status = vec64_reserve(&keys, b->passage_count) ? STEMMA_OK : fail_memory(err);
    for (size_t i = 0; status == STEMMA_OK && i < b->passage_count; i++)
        keys.data[keys.len++] = key_sample(b->scan->plan.seed, anchor_of(&b->passages[i]));
    if (keys.len) qsort(keys.data, keys.len, sizeof *keys.data, number_order);
    if (status == STEMMA_OK) status = mark_holders(b, &keys, needed, err);
    vec64_release(&keys);
    return status;
}

/* How many documents hold the whole of each passage. */
static stemma_status count_holders(struct boilerplate *b, stemma_error *err) {
    uint8_t *needed = mem_zero(b->scan->catalogue.class_count / 8 + 1, 1);
    if (!needed) return fail_memory(err);
    qsort(b->passages, b->passage_count, sizeof *b->passages, anchor_order);
    for (size_t i = 0; i < b->passage_count; i++) b->passages[i].documents = 0;
    stemma_status status = find_holders(b, needed, err);
    if (status == STEMMA_OK) status = texts_recall(b->scan, needed, err);
    if (status == STEMMA_OK) status = count_documents(b, needed, err);
    mem_free(needed);
    return status;
}

/* ---- giving them ---- */

/* *given: its example could still be read. */
static stemma_status give_one(struct boilerplate *b, const struct passage *p, stemma_scan_take_passage *take,
                              void *context, bool *given, stemma_error *err) {
    const struct ranking *ranking = &b->scan->ranking;
    struct excerpt excerpt;
    stemma_error cause;
    stemma_status read =
        excerpt_read(&b->reader, ranking->class_of[p->rank], p->first, p->tokens, &excerpt, &cause);
    *given = read == STEMMA_OK;
    if (!*given) return lose(b, read, &cause, err);
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
    size_t given = 0;
    bool is_given;
    qsort(b->passages, b->passage_count, sizeof *b->passages, heaviest_first);
    for (size_t i = 0; i < b->passage_count && given < most; i++) {
        struct passage p = b->passages[i];
        if (p.classes < b->least || is_said(b->passages, given, &p, p.windows)) continue;
        TRY(give_one(b, &p, take, context, &is_given, err));
        if (!is_given) continue;
        b->passages[i] = b->passages[given];
        b->passages[given++] = p;
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
    mem_free(b->common);
    for (size_t i = 0; i < b->passage_count; i++) mem_free(b->passages[i].windows);
    mem_free(b->passages);
}

stemma_status scan_boilerplate(struct stemma_scan *scan, uint64_t least, size_t most,
                               stemma_scan_take_passage *take, void *context, stemma_error *err) {
    struct boilerplate b = {.scan = scan};
    uint64_t share = scan->catalogue.class_count / 100;
    if (least == 0) least = share > 3 ? share : 3;
    b.least = least > UINT32_MAX ? UINT32_MAX : (uint32_t)least;
    size_t chosen = 0;
    stemma_status status = find_all(&b, err);
    if (status == STEMMA_OK) status = choose(&b, most, &chosen, err);
    if (status == STEMMA_OK && chosen) status = count_holders(&b, err);
    if (status == STEMMA_OK && chosen) status = give(&b, most, take, context, err);
    release(&b);
    return scan_count_problems(scan, status, err);
}

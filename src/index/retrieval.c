#include "index/retrieval.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "index/stored_samples.h"
#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

/* A band that more documents have than this says little: the next one is asked. Higher, and near-copies by
 * the thousand are all looked at; lower, and more questions end in a scan. */
#define BAND_COMMON 2048
/* Likewise of a sample: as of a scan's. Of a few that are left aside, the first documents are looked at; of
 * more, something may consist that is contained in the document, and the samples of all are read. */
#define SAMPLE_COMMON 256
#define SAMPLE_HEADS  4

/* What auto compares, in nanoseconds: asking a segment for a key, and reading a row of minima or of samples.
 */
enum { LOOKUP_NS = 2000, MINIMA_NS = 25, SAMPLES_NS = 500 };

struct retriever {
    struct collection *collection;
    const volatile int *stop;
    int minima, bands, samples, sample_keys; /* parts; -1: not kept */
    uint32_t sample_bits;                    /* that are kept */
    struct vec64 numbers;                    /* of one key */
    struct vec64 unpacked;                   /* samples of one document */
    uint8_t cell[MINIMA_BYTES + KERNEL_SLACK];
};

/* A question on its way. */
struct asked {
    const struct question *question;
    struct candidates *out;
    struct vec64 met; /* numbers, once for each key in common */
    uint32_t tried, usable;
    uint64_t common; /* keys left aside */
    bool scan;
    uint32_t resembles; /* so many minima in common made candidates before; UINT32_MAX: none were asked for */
};

struct asked_key {
    uint64_t key;
    uint32_t asked;
};

struct keys {
    struct asked_key *list;
    size_t count, cap;
};

struct round {
    struct retriever *r;
    const struct asking *asking;
    struct asked *asked;
    size_t count;
    struct keys keys;
    struct retrieval_work *work;
};

void candidates_release(struct candidates *candidates) {
    mem_free(candidates->list);
    *candidates = (struct candidates){0};
}

stemma_status retriever_new(struct collection *collection, const volatile int *stop, struct retriever **out,
                            stemma_error *err) {
    struct retriever *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory(err);
    r->collection = collection;
    r->stop = stop;
    *out = r;
    return STEMMA_OK;
}

void retriever_free(struct retriever *r) {
    if (!r) return;
    vec64_release(&r->numbers);
    vec64_release(&r->unpacked);
    mem_free(r);
}

/* ---- candidates ---- */

double candidate_promise(const struct candidate *c, uint64_t samples) {
    if (c->reasons & MAY_RESEMBLE) return 2 + c->agree;
    const double most = (double)(c->samples < samples ? c->samples : samples);
    return most > 0 ? c->shared / most : 0;
}

static int by_number(const void *a, const void *b) {
    const struct candidate *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

static int by_promise(const void *a, const void *b, void *samples) {
    const double p = candidate_promise(a, *(const uint64_t *)samples),
                 q = candidate_promise(b, *(const uint64_t *)samples);
    if (p != q) return p > q ? -1 : 1;
    return by_number(a, b);
}

/* One that was found in several ways becomes one. */
static void join_ways(struct candidates *c) {
    size_t kept = 0;
    if (c->count) qsort(c->list, c->count, sizeof *c->list, by_number);
    for (size_t i = 0; i < c->count; i++) {
        struct candidate *last = kept ? &c->list[kept - 1] : NULL;
        if (!last || last->number != c->list[i].number) {
            c->list[kept++] = c->list[i];
            continue;
        }
        last->reasons |= c->list[i].reasons;
        last->met_before &= c->list[i].met_before;
        if (c->list[i].samples) {
            last->samples = c->list[i].samples;
            last->shared = c->list[i].shared;
        }
    }
    c->count = kept;
}

/* What is left out now would be left out at the end, too: all that is found later can only push it back. */
static void leave_out(struct candidates *c, uint64_t samples) {
    if (c->most == 0 || c->count <= c->most) return;
    qsort_r(c->list, c->count, sizeof *c->list, by_promise, &samples);
    for (size_t i = c->most; i < c->count; i++) c->left_out += !c->list[i].met_before;
    c->count = c->most;
}

_Static_assert(NUMBERS_MOST == UINT64_C(1) << 40, "a number leaves 24 bits of a key");

/* Question, number, agree and reasons: in the order of questions, then numbers. */
static struct record candidate_record(uint32_t question, const struct candidate *c) {
    return (struct record){(uint64_t)question << 40 | c->number, (uint64_t)c->agree << 8 | c->reasons};
}

struct candidate candidate_of_record(const struct record *record, uint32_t *question) {
    *question = (uint32_t)(record->key >> 40);
    return (struct candidate){.number = record->key & (NUMBERS_MOST - 1),
                              .agree = (uint32_t)(record->value >> 8),
                              .reasons = (uint8_t)record->value};
}

stemma_status candidates_add(struct candidates *c, const struct candidate *candidate, uint64_t samples,
                             stemma_error *err) {
    const struct record record = candidate_record(c->question, candidate);
    if (c->to) return sorter_add(c->to, &record, 1, err);
    if (c->most && c->count / 2 >= c->most) {
        join_ways(c);
        leave_out(c, samples);
    }
    if (!mem_grow((void **)&c->list, &c->cap, c->count + 1, sizeof *c->list)) return fail_memory(err);
    c->list[c->count++] = *candidate;
    return STEMMA_OK;
}

void candidates_finish(struct candidates *c, uint64_t samples) {
    join_ways(c);
    leave_out(c, samples);
    if (c->count) qsort(c->list, c->count, sizeof *c->list, by_number);
}

static stemma_status add_candidate(struct asked *a, const struct candidate *candidate, stemma_error *err) {
    return candidates_add(a->out, candidate, a->question->samples->len, err);
}

static uint32_t agreeing(const struct asked *a, const uint8_t *cell) {
    return (uint32_t)kernels_get()->equal_fields(a->question->minima, cell, KEY_MINIMA, KEY_BITS);
}

/* ---- looking up ---- */

static int by_key(const void *a, const void *b) {
    const struct asked_key *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->asked > q->asked) - (p->asked < q->asked);
}

static stemma_status want_key(struct round *round, uint64_t key, uint32_t asked, stemma_error *err) {
    struct keys *keys = &round->keys;
    if (!mem_grow((void **)&keys->list, &keys->cap, keys->count + 1, sizeof *keys->list))
        return fail_memory(err);
    keys->list[keys->count++] = (struct asked_key){key, asked};
    return STEMMA_OK;
}

/* What a question gets of a key: numbers, of very many the first for `heads` keys. */
static stemma_status give_numbers(struct asked *a, const struct vec64 *numbers, size_t most, size_t heads,
                                  stemma_error *err) {
    const bool common = numbers->len > most;
    a->usable += !common;
    a->common += common;
    if (common && a->common > heads) return STEMMA_OK;
    return vec64_add_all(&a->met, numbers->data, common ? most : numbers->len) ? STEMMA_OK : fail_memory(err);
}

/* All keys that are wanted, each once, whoever wants it. */
static stemma_status look_up(struct round *round, int part, size_t most, size_t heads, stemma_error *err) {
    struct retriever *r = round->r;
    struct keys *keys = &round->keys;
    if (keys->count) qsort(keys->list, keys->count, sizeof *keys->list, by_key);
    for (size_t i = 0; i < keys->count; i++) {
        if (i == 0 || keys->list[i].key != keys->list[i - 1].key) {
            TRY(check_stop(r->stop, err));
            r->numbers.len = 0;
            TRY(collection_lookup(r->collection, (size_t)part, keys->list[i].key, most + 1, &r->numbers,
                                  err));
            round->work->lookups++;
            round->work->postings += r->numbers.len;
            round->work->common += r->numbers.len > most;
        }
        TRY(give_numbers(&round->asked[keys->list[i].asked], &r->numbers, most, heads, err));
    }
    keys->count = 0;
    return STEMMA_OK;
}

/* ---- resemblance ---- */

/* The next bands of a question, as many as it still needs. */
static stemma_status want_bands(struct round *round, uint32_t number, stemma_error *err) {
    struct asked *a = &round->asked[number];
    uint32_t need = round->asking->bands - a->usable;
    for (; need > 0 && a->tried < BANDS_POSTED; need--)
        TRY(want_key(round, band_key(a->question->minima, a->tried++), number, err));
    return STEMMA_OK;
}

/* Bands are taken as they come, and not the rarest first: the rarest of all are those that nobody shares. */
static stemma_status meet_by_bands(struct round *round, stemma_error *err) {
    do {
        for (uint32_t i = 0; i < round->count; i++)
            if (!round->asked[i].scan) TRY(want_bands(round, i, err));
        if (round->keys.count == 0) break;
        TRY(look_up(round, round->r->bands, BAND_COMMON, 0, err));
    } while (true);
    for (size_t i = 0; i < round->count; i++)
        round->asked[i].scan |= round->asked[i].usable < round->asking->bands;
    return STEMMA_OK;
}

/* The cell of minima, with slack behind it. */
static stemma_status read_minima(struct retriever *r, uint64_t number, bool *found, stemma_error *err) {
    struct cell cell;
    TRY(collection_cell(r->collection, number, (size_t)r->minima, &cell, found, err));
    if (!*found) return STEMMA_OK;
    if (cell.size != MINIMA_BYTES) return fail(err, STEMMA_CORRUPT, "minima of %zu bytes", cell.size);
    memcpy(r->cell, cell.bytes, MINIMA_BYTES);
    return STEMMA_OK;
}

static stemma_status look_at_met(struct round *round, struct asked *a, stemma_error *err) {
    struct retriever *r = round->r;
    if (!sort_u64(a->met.data, a->met.len)) return fail_memory(err);
    a->met.len = unique_u64(a->met.data, a->met.len);
    for (size_t i = 0; i < a->met.len; i++) {
        bool found;
        TRY(read_minima(r, a->met.data[i], &found, err));
        if (!found) continue;
        struct candidate c = {.number = a->met.data[i],
                              .agree = agreeing(a, r->cell),
                              .size = minima_size(r->cell),
                              .reasons = MAY_RESEMBLE};
        if (c.agree >= round->asking->agree) TRY(add_candidate(a, &c, err));
    }
    return STEMMA_OK;
}

/* A row against all questions that need the scan; its number is asked for when it is known to be of interest.
 */
static stemma_status scan_row(struct round *round, size_t segment, uint64_t row, const uint8_t *cell,
                              stemma_error *err) {
    for (size_t i = 0; i < round->count; i++) {
        struct asked *a = &round->asked[i];
        if (!a->scan) continue;
        struct candidate c = {.agree = agreeing(a, cell), .size = minima_size(cell), .reasons = MAY_RESEMBLE};
        if (c.agree < round->asking->scan_agree || c.size == 0) continue;
        bool live;
        TRY(collection_number(round->r->collection, segment, row, &c.number, &live, err));
        if (live) TRY(add_candidate(a, &c, err));
    }
    return STEMMA_OK;
}

/* KEY_MINIMA is a multiple of every vector: a kernel reads no byte behind the minima of a row. */
_Static_assert(KEY_MINIMA % KERNEL_SLACK == 0, "rows have no slack behind them");

static stemma_status scan_minima(struct round *round, stemma_error *err) {
    struct collection *c = round->r->collection;
    const uint8_t *bytes;
    size_t count;
    for (size_t segment = 0; segment < collection_segments(c); segment++)
        for (uint64_t row = 0; row < collection_segment_rows(c, segment); row += count) {
            TRY(check_stop(round->r->stop, err));
            TRY(collection_rows(c, segment, (size_t)round->r->minima, row, &bytes, &count, err));
            for (size_t i = 0; i < count; i++)
                TRY(scan_row(round, segment, row + i, bytes + i * MINIMA_BYTES, err));
            round->work->scanned += count;
        }
    return STEMMA_OK;
}

static bool any_scan(const struct round *round) {
    for (size_t i = 0; i < round->count; i++)
        if (round->asked[i].scan) return true;
    return false;
}

static void forget(struct round *round) {
    round->keys.count = 0;
    for (size_t i = 0; i < round->count; i++) {
        struct asked *a = &round->asked[i];
        a->met.len = 0;
        a->tried = a->usable = 0;
        a->common = 0;
        a->scan = false;
    }
}

/* ---- which way ---- */

static uint64_t scan_cost(const struct retriever *r, uint64_t row_ns) {
    struct collection_facts facts;
    collection_about(r->collection, &facts);
    return facts.documents * row_ns;
}

static bool scan_is_cheaper(const struct retriever *r, uint64_t keys, uint64_t row_ns) {
    return scan_cost(r, row_ns) < keys * collection_segments(r->collection) * LOOKUP_NS;
}

static void set_scan(struct round *round, bool scan) {
    for (size_t i = 0; i < round->count; i++) round->asked[i].scan = scan;
}

/* Damage of an index is no damage of what it is made from. */
static stemma_status or_scan(struct round *round, enum retrieval_way way, stemma_status status,
                             const stemma_error *cause, stemma_error *err) {
    if (status == STEMMA_OK) return STEMMA_OK;
    if (status != STEMMA_CORRUPT || way != RETRIEVE_AUTO) return fail(err, status, "%s", cause->message);
    forget(round);
    set_scan(round, true);
    round->work->left_aside++;
    return STEMMA_OK;
}

static void note_ways(struct round *round, stemma_way looked_up, stemma_way read) {
    for (size_t i = 0; i < round->count; i++) round->work->ways[round->asked[i].scan ? read : looked_up]++;
}

static stemma_status find_resembling(struct round *round, enum retrieval_way way, stemma_error *err) {
    struct retriever *r = round->r;
    const uint32_t bands = round->asking->bands;
    stemma_error cause;
    if (r->minima < 0 || (way == RETRIEVE_LOOKUP && r->bands < 0))
        return fail_not_kept(r->collection, "minima to find what resembles a document", err);
    bool scan = way == RETRIEVE_SCAN || r->bands < 0 || bands == 0 ||
                (way == RETRIEVE_AUTO && scan_is_cheaper(r, bands, MINIMA_NS));
    set_scan(round, scan);
    if (!scan) TRY(or_scan(round, way, meet_by_bands(round, &cause), &cause, err));
    note_ways(round, STEMMA_WAY_BANDS, STEMMA_WAY_ALL_MINIMA);
    for (size_t i = 0; i < round->count; i++) {
        struct asked *a = &round->asked[i];
        a->resembles = a->scan ? round->asking->scan_agree : round->asking->agree;
        if (!a->scan) TRY(look_at_met(round, a, err));
    }
    return any_scan(round) ? scan_minima(round, err) : STEMMA_OK;
}

/* ---- containment ---- */

/* Samples that the question shares with what contains it, at least. */
static uint64_t least_shared(const struct round *round, uint64_t samples) {
    return sharing_least(&round->asking->sharing, round->asking->contained, samples);
}

/* Which way round one may contain the other, by the sizes and minima of both. */
static uint8_t sizes_allow(const struct round *round, const struct asked *a, const struct candidate *c) {
    const struct sharing *s = &round->asking->sharing;
    const uint32_t size = minima_size(a->question->minima);
    return (uint8_t)((sharing_sizes_allow(s, size, c->size, c->agree) ? MAY_BE_CONTAINED : 0) |
                     (sharing_sizes_allow(s, c->size, size, c->agree) ? MAY_CONTAIN : 0));
}

static uint8_t samples_allow(const struct round *round, const struct asked *a, const struct candidate *c) {
    const uint64_t samples = a->question->samples->len;
    return (uint8_t)((samples && c->shared >= least_shared(round, samples) ? MAY_BE_CONTAINED : 0) |
                     (c->samples && c->shared >= least_shared(round, c->samples) ? MAY_CONTAIN : 0));
}

/* By the samples of the candidate, which are unpacked. */
static stemma_status judge_samples(struct round *round, struct asked *a, struct candidate *c,
                                   stemma_error *err) {
    const struct vec64 *samples = a->question->samples, *its = &round->r->unpacked;
    c->samples = (uint32_t)its->len;
    c->shared = (uint32_t)common_u64(samples->data, samples->len, its->data, its->len);
    c->reasons &= samples_allow(round, a, c);
    c->met_before = c->agree >= a->resembles;
    return c->reasons ? add_candidate(a, c, err) : STEMMA_OK;
}

static stemma_status unpack(struct retriever *r, const struct cell *cell, stemma_error *err) {
    r->unpacked.len = 0;
    return samples_unpack(cell->bytes, cell->size, r->sample_bits, &r->unpacked, err);
}

static stemma_status look_at_sharing(struct round *round, struct asked *a, uint64_t number,
                                     stemma_error *err) {
    struct retriever *r = round->r;
    bool found;
    struct cell cell;
    TRY(read_minima(r, number, &found, err));
    if (!found) return STEMMA_OK;
    struct candidate c = {.number = number, .agree = agreeing(a, r->cell), .size = minima_size(r->cell)};
    c.reasons = sizes_allow(round, a, &c);
    if (!c.reasons) return STEMMA_OK;
    TRY(collection_cell(r->collection, number, (size_t)r->samples, &cell, &found, err));
    if (!found) return STEMMA_OK;
    TRY(unpack(r, &cell, err));
    return judge_samples(round, a, &c, err);
}

/* What shares samples with the question. */
static stemma_status look_at_sharers(struct round *round, struct asked *a, stemma_error *err) {
    if (!sort_u64(a->met.data, a->met.len)) return fail_memory(err);
    a->met.len = unique_u64(a->met.data, a->met.len);
    for (size_t i = 0; i < a->met.len; i++) TRY(look_at_sharing(round, a, a->met.data[i], err));
    return STEMMA_OK;
}

static stemma_status meet_by_samples(struct round *round, stemma_error *err) {
    for (uint32_t i = 0; i < round->count; i++) {
        const struct vec64 *samples = round->asked[i].question->samples;
        for (size_t k = 0; k < samples->len; k++)
            TRY(want_key(round, sample_key(samples->data[k], round->r->sample_bits), i, err));
    }
    TRY(look_up(round, round->r->sample_keys, SAMPLE_COMMON, SAMPLE_HEADS, err));
    for (size_t i = 0; i < round->count; i++) round->asked[i].scan = round->asked[i].common > SAMPLE_HEADS;
    return STEMMA_OK;
}

/* The samples of a row that counts, unpacked. */
static stemma_status read_samples(struct retriever *r, size_t segment, uint64_t row, uint64_t *number,
                                  bool *found, stemma_error *err) {
    struct cell cell;
    *found = false;
    TRY(collection_text(r->collection, segment, (size_t)r->samples, row, &cell, err));
    if (cell.size == 0) return STEMMA_OK;
    TRY(collection_number(r->collection, segment, row, number, found, err));
    return *found ? unpack(r, &cell, err) : STEMMA_OK;
}

/* Most rows are ruled out by their minima, and their samples are not read. */
static stemma_status scan_samples_of(struct round *round, size_t segment, uint64_t row, const uint8_t *minima,
                                     stemma_error *err) {
    uint64_t number = 0;
    bool read = false, found = true;
    for (size_t i = 0; i < round->count && found; i++) {
        struct asked *a = &round->asked[i];
        if (!a->scan) continue;
        struct candidate c = {.agree = agreeing(a, minima), .size = minima_size(minima)};
        c.reasons = sizes_allow(round, a, &c);
        if (!c.reasons) continue;
        if (!read) TRY(read_samples(round->r, segment, row, &number, &found, err));
        read = true;
        c.number = number;
        if (found) TRY(judge_samples(round, a, &c, err));
    }
    return STEMMA_OK;
}

static stemma_status scan_samples(struct round *round, stemma_error *err) {
    struct retriever *r = round->r;
    struct collection *c = r->collection;
    const uint8_t *bytes;
    size_t count;
    for (size_t segment = 0; segment < collection_segments(c); segment++)
        for (uint64_t row = 0; row < collection_segment_rows(c, segment); row += count) {
            TRY(check_stop(r->stop, err));
            TRY(collection_rows(c, segment, (size_t)r->minima, row, &bytes, &count, err));
            for (size_t i = 0; i < count; i++)
                TRY(scan_samples_of(round, segment, row + i, bytes + i * MINIMA_BYTES, err));
            round->work->scanned += count;
        }
    return STEMMA_OK;
}

static uint64_t all_samples(const struct round *round) {
    uint64_t samples = 0;
    for (size_t i = 0; i < round->count; i++) samples += round->asked[i].question->samples->len;
    return samples;
}

static stemma_status find_sharing(struct round *round, enum retrieval_way way, stemma_error *err) {
    struct retriever *r = round->r;
    stemma_error cause;
    if (r->minima < 0 || r->samples < 0 || (way == RETRIEVE_LOOKUP && r->sample_keys < 0))
        return fail_not_kept(r->collection,
                             "samples to find what contains a document: ask for resemblance alone", err);
    bool scan = way == RETRIEVE_SCAN || r->sample_keys < 0 ||
                (way == RETRIEVE_AUTO && scan_is_cheaper(r, all_samples(round), SAMPLES_NS * round->count));
    set_scan(round, scan);
    if (!scan) TRY(or_scan(round, way, meet_by_samples(round, &cause), &cause, err));
    note_ways(round, STEMMA_WAY_SAMPLES, STEMMA_WAY_ALL_SAMPLES);
    for (size_t i = 0; i < round->count; i++)
        if (!round->asked[i].scan) TRY(look_at_sharers(round, &round->asked[i], err));
    return any_scan(round) ? scan_samples(round, err) : STEMMA_OK;
}

/* ---- all of it ---- */

static stemma_status find_all(struct round *round, enum retrieval_way way, stemma_error *err) {
    if (round->asking->threshold > 0) TRY(find_resembling(round, way, err));
    forget(round);
    if (round->asking->contained > 0) TRY(find_sharing(round, way, err));
    for (size_t i = 0; i < round->count; i++)
        candidates_finish(round->asked[i].out, round->asked[i].question->samples->len);
    return STEMMA_OK;
}

/* Those that have text. */
static void begin(struct round *round, const struct question *questions, size_t count,
                  struct candidates *lists) {
    for (size_t i = 0; i < count; i++)
        if (minima_size(questions[i].minima) > 0)
            round->asked[round->count++] =
                (struct asked){.question = &questions[i], .out = &lists[i], .resembles = UINT32_MAX};
}

static void end(struct round *round) {
    for (size_t i = 0; i < round->count; i++) vec64_release(&round->asked[i].met);
    mem_free(round->asked);
    mem_free(round->keys.list);
}

/* They may change when the collection follows a writer. */
static void find_parts(struct retriever *r) {
    const struct schema *schema = collection_schema(r->collection);
    r->minima = schema_find(schema, KIND_MINIMA, 0);
    r->bands = schema_find(schema, KIND_BAND_KEYS, 0);
    r->samples = samples_find_part(schema, &r->sample_bits);
    r->sample_keys = sample_keys_find_part(schema);
}

stemma_status retrieve(struct retriever *r, const struct asking *asking, enum retrieval_way way,
                       const struct question *questions, size_t count, struct candidates *lists,
                       struct retrieval_work *work, stemma_error *err) {
    struct round round = {.r = r, .asking = asking, .work = work};
    if (count == 0) return STEMMA_OK;
    round.asked = mem_zero(count, sizeof *round.asked);
    if (!round.asked) return fail_memory(err);
    find_parts(r);
    begin(&round, questions, count, lists);
    stemma_status status = find_all(&round, way, err);
    end(&round);
    return status;
}

#include "collect/asker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/sort.h"
#include "collect/by_digest.h"
#include "collect/many.h"
#include "collect/many_candidates.h"
#include "estimate/overlap.h"
#include "estimate/quantity.h"
#include "index/stored_samples.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more candidates than this, and `top` times as many, only the best by their sketches are held against the
 * document: ten thousand near-copies are not all read to name ten. */
enum { VERIFY_ALWAYS = 256, VERIFY_TIMES = 16 };

struct asker {
    struct collection *reader;
    const struct stemma_recipe *recipe;
    const struct asker_settings *settings;
    stemma_thresholds thresholds;
    struct overlap_aim aim;
    struct retriever *retriever;
    struct again *again;
    struct overlap_base *base;
    struct by_bits *by_bits; /* NULL: not asked for */
    struct by_signature *by_signature;
    int samples, texts; /* parts; -1: not kept */
    uint32_t sample_bits;
    struct vec64 unpacked, same;
    bool ready; /* base is that of the document in question */
};

/* ---- making one ---- */

/* What is not asked for is never reached. */
static double line_at(double threshold) {
    return threshold > 0 ? threshold : 2;
}

static stemma_status prepare(struct asker *a, stemma_error *err) {
    const struct view *view = &a->recipe->view;
    TRY(retriever_new(a->reader, a->settings->limits.stop, &a->retriever, err));
    TRY(again_new(a->recipe, &a->settings->limits, &a->again, err));
    if (a->settings->by_bits) TRY(by_bits_new(a->reader, a->recipe, &a->by_bits, err));
    TRY(by_signature_new(a->reader, view, &a->by_signature, err));
    return overlap_base_new(view, &a->recipe->tables, &a->base, err);
}

stemma_status asker_new(struct collection *reader, const struct stemma_recipe *recipe,
                        const struct asker_settings *settings, struct asker **out, stemma_error *err) {
    struct asker *a = mem_zero(1, sizeof *a);
    if (!a) return fail_memory(err);
    a->reader = reader;
    a->recipe = recipe;
    a->settings = settings;
    a->thresholds = (stemma_thresholds){.size = sizeof a->thresholds,
                                        .resemblance = line_at(settings->threshold),
                                        .containment = line_at(settings->contained)};
    a->aim = (struct overlap_aim){.resemblance = settings->threshold > 0 ? settings->threshold : 1,
                                  .contained = settings->contained};
    stemma_status status = prepare(a, err);
    if (status == STEMMA_OK)
        *out = a;
    else
        asker_free(a);
    return status;
}

void asker_free(struct asker *a) {
    if (!a) return;
    retriever_free(a->retriever);
    again_free(a->again);
    overlap_base_free(a->base);
    by_bits_free(a->by_bits);
    by_signature_free(a->by_signature);
    vec64_release(&a->unpacked);
    vec64_release(&a->same);
    mem_free(a);
}

/* ---- by sketches ---- */

/* A share of draws, of which what agrees by chance is taken off. */
static stemma_quantity share_above(double chance, double shared, double draws) {
    stemma_quantity q = quantity_share(shared, draws, 1);
    double *const parts[] = {&q.value, &q.low, &q.high};
    for (int i = 0; i < 3; i++) {
        double share = (*parts[i] - chance) / (1 - chance);
        *parts[i] = share > 0 ? share : 0;
    }
    return q;
}

static stemma_quantity resemblance_of(uint32_t agree) {
    return share_above(1. / (1 << KEY_BITS), agree, KEY_MINIMA);
}

/* Of so many samples the share that is among so many others. Of short ones some are there by chance, which
 * shows where documents have a hundred thousand. */
static stemma_quantity containment_of(const struct asker *a, uint64_t shared, uint64_t samples,
                                      uint64_t others) {
    return samples ? share_above(ldexp((double)others, -(int)a->sample_bits), (double)shared, (double)samples)
                   : quantity_unknown("the document is too short to have samples");
}

static stemma_status count_samples(struct asker *a, const struct asked_document *d, struct candidate *c,
                                   stemma_error *err) {
    struct cell cell;
    bool found;
    if (c->samples || a->samples < 0) return STEMMA_OK;
    TRY(collection_cell(a->reader, c->number, (size_t)a->samples, &cell, &found, err));
    if (!found) return STEMMA_OK;
    a->unpacked.len = 0;
    TRY(samples_unpack(cell.bytes, cell.size, a->sample_bits, &a->unpacked, err));
    c->samples = (uint32_t)a->unpacked.len;
    c->shared = (uint32_t)common_u64(d->samples.data, d->samples.len, a->unpacked.data, a->unpacked.len);
    return STEMMA_OK;
}

/* As keyer_size says of itself. */
static double size_error(double size) {
    return size <= KEY_COUNTED ? .01 : 1 / sqrt(KEY_MINIMA);
}

/* Of a short document minima and size say more than its few samples. */
static void use_sizes(const struct asked_document *d, const struct candidate *c, struct estimates *numbers) {
    const double own = minima_size(d->minima), other = c->size;
    numbers->a_draws = (double)d->samples.len;
    numbers->b_draws = c->samples;
    if (own > 0 && other > 0)
        containment_from_sizes(own, other, hypot(size_error(own), size_error(other)), numbers);
}

static stemma_status by_sketch(struct asker *a, const struct asked_document *d, struct candidate *c,
                               struct answer *answer, stemma_error *err) {
    TRY(count_samples(a, d, c, err));
    const bool none = a->samples < 0;
    const uint64_t own = d->samples.len;
    const stemma_quantity unknown = quantity_unknown("the collection keeps no samples");
    answer->numbers =
        (struct estimates){.resemblance = resemblance_of(c->agree),
                           .a_in_b = none ? unknown : containment_of(a, c->shared, own, c->samples),
                           .b_in_a = none ? unknown : containment_of(a, c->shared, c->samples, own),
                           .cosine = quantity_unknown("no simhash was compared")};
    if (!none) use_sizes(d, c, &answer->numbers);
    containments_reconcile(&answer->numbers);
    return STEMMA_OK;
}

/* ---- by texts ---- */

static stemma_status by_text(struct asker *a, const struct asked_document *d, const uint8_t *text,
                             size_t size, struct answer *answer, bool *hopeless, stemma_error *err) {
    struct overlap overlap;
    if (!a->ready) overlap_base_set(a->base, d->text, d->text_size);
    a->ready = true;
    *hopeless = false;
    TRY(overlap_with(a->base, text, size, &a->aim, &overlap, hopeless, err));
    if (!*hopeless) overlap_quantities(&overlap, &answer->numbers);
    return STEMMA_OK;
}

/* The text of a stored document, and where it is from; without text: from its sketch. */
static stemma_status read_text(struct asker *a, uint64_t number, struct cell id, const struct facts *facts,
                               struct again_text *out, stemma_evidence *evidence, stemma_error *err) {
    struct cell stored;
    bool found;
    *out = (struct again_text){0};
    TRY(again_read(a->again, id, facts, out, evidence, err));
    if (*evidence == STEMMA_FROM_ORIGINAL || a->texts < 0) return STEMMA_OK;
    TRY(collection_cell(a->reader, number, (size_t)a->texts, &stored, &found, err));
    return found ? again_stored(a->again, stored, facts, out, evidence, err) : STEMMA_OK;
}

static bool same_text(const struct asked_document *d, const struct facts *facts) {
    return memcmp(d->text_digest, facts->text_digest, FACTS_DIGEST) == 0;
}

/* Digests say it, whatever is still there of the document. */
static void set_same(struct estimates *numbers) {
    numbers->resemblance = numbers->a_in_b = numbers->b_in_a = quantity_exact(1);
    numbers->cosine = quantity_unknown("no simhash was compared");
}

static bool is_match(stemma_relation relation) {
    return relation == STEMMA_NEAR_DUPLICATE || relation == STEMMA_CONTAINED || relation == STEMMA_CONTAINS;
}

/* Same bytes and same text are near-duplicates of a special kind. */
static stemma_relation relation_of(struct asker *a, const struct asked_document *d, const struct facts *facts,
                                   const struct answer *answer) {
    bool certain;
    stemma_relation relation = judge(&answer->numbers, &a->thresholds, &certain);
    if (!is_match(relation) || !same_text(d, facts)) return relation;
    return memcmp(d->digest, facts->digest, FACTS_DIGEST) == 0 ? STEMMA_IDENTICAL : STEMMA_SAME_TEXT;
}

static stemma_status add_answer(struct answers *answers, struct answer *answer, struct cell id,
                                stemma_error *err) {
    return answers->more ? many_add(answers->more, answers->question, answer, id, err)
                         : answers_add(answers, answer, id, err);
}

/* One candidate, held against the document. */
static stemma_status verify(struct asker *a, const struct asked_document *d, struct candidate *c,
                            struct answers *answers, stemma_error *err) {
    struct answer answer = {.number = c->number};
    struct again_text text;
    struct facts facts;
    struct row row;
    bool found, hopeless = false;
    if (a->settings->pending && pending_drops(a->settings->pending, c->number)) return STEMMA_OK;
    TRY(collection_record(a->reader, c->number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    TRY(read_text(a, c->number, row.id, &facts, &text, &answer.evidence, err));
    if (same_text(d, &facts))
        set_same(&answer.numbers);
    else
        TRY(text.text && d->text ? by_text(a, d, text.text, text.text_size, &answer, &hopeless, err)
                                 : by_sketch(a, d, c, &answer, err));
    if (hopeless) return STEMMA_OK;
    answer.relation = relation_of(a, d, &facts, &answer);
    if (answer.relation > STEMMA_CONTAINS) return STEMMA_OK;
    return add_answer(answers, &answer, row.id, err);
}

/* ---- by bytes ---- */

static stemma_status add_same(struct asker *a, uint64_t number, struct answers *answers, stemma_error *err) {
    struct answer answer = {.number = number, .relation = STEMMA_IDENTICAL};
    struct again_text text;
    struct facts facts;
    struct row row;
    bool found;
    if (a->settings->pending && pending_drops(a->settings->pending, number)) return STEMMA_OK;
    TRY(collection_record(a->reader, number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    TRY(again_read(a->again, row.id, &facts, &text, &answer.evidence, err));
    set_same(&answer.numbers);
    return add_answer(answers, &answer, row.id, err);
}

struct same_bytes {
    struct asker *asker;
    struct answers *answers;
    struct asker_work *work;
};

static stemma_status take_same(void *context, uint64_t number, stemma_error *err) {
    struct same_bytes *same = context;
    same->work->candidates++;
    same->work->verified++;
    return add_same(same->asker, number, same->answers, err);
}

/* What sketches do not find: there are none of it. */
static stemma_status find_same_bytes(struct asker *a, const struct asked_document *d, size_t most,
                                     struct answers *answers, struct asker_work *work, stemma_error *err) {
    struct same_bytes same = {a, answers, work};
    if (minima_size(d->minima) != 0) return STEMMA_OK;
    if (most == 0) return by_digest_each(a->reader, d->digest, take_same, &same, err);
    TRY(by_digest_find(a->reader, d->digest, most, &a->same, err));
    work->candidates += a->same.len;
    work->verified += a->same.len;
    for (size_t i = 0; i < a->same.len; i++) TRY(add_same(a, a->same.data[i], answers, err));
    return STEMMA_OK;
}

/* ---- order ---- */

struct ranked {
    size_t place;          /* in the list of candidates */
    uint64_t file, offset; /* where the document lies */
};

/* So that a data set that can only be read in order is read once. */
static int by_file(const void *a, const void *b) {
    const struct ranked *p = a, *q = b;
    if (p->file != q->file) return p->file < q->file ? -1 : 1;
    if (p->offset != q->offset) return p->offset < q->offset ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

/* ---- all of it ---- */

static stemma_status find_files(struct asker *a, const struct candidates *c, struct ranked *ranked,
                                size_t count, stemma_error *err) {
    for (size_t i = 0; i < count; i++) {
        struct facts facts;
        struct row row;
        bool found;
        TRY(collection_record(a->reader, c->list[ranked[i].place].number, &row, &found, err));
        if (!found) continue;
        TRY(facts_read(row.facts, &facts, err));
        ranked[i].offset = facts.offset;
        if (facts.path_bytes <= row.id.size) ranked[i].file = path_key(row.id.bytes, facts.path_bytes);
    }
    return STEMMA_OK;
}

static stemma_status verify_ranked(struct asker *a, const struct asked_document *d, struct candidates *c,
                                   struct ranked *ranked, size_t count, struct answers *answers,
                                   stemma_error *err) {
    a->ready = false;
    TRY(find_files(a, c, ranked, count, err));
    qsort(ranked, count, sizeof *ranked, by_file);
    for (size_t i = 0; i < count; i++) {
        TRY(check_stop(a->settings->limits.stop, err));
        TRY(verify(a, d, &c->list[ranked[i].place], answers, err));
    }
    return STEMMA_OK;
}

/* 0: all. */
static size_t verify_most(const struct asker *a) {
    const size_t top = a->settings->top;
    if (top == 0 || a->settings->many) return 0;
    return VERIFY_ALWAYS + (top < SIZE_MAX / VERIFY_TIMES / 4 ? top * VERIFY_TIMES : SIZE_MAX / 4);
}

static stemma_status verify_all(struct asker *a, const struct asked_document *d, struct candidates *c,
                                struct answers *answers, struct asker_work *work, stemma_error *err) {
    work->candidates += c->count + c->left_out;
    work->verified += c->count;
    work->unverified += c->left_out;
    if (c->count == 0) return STEMMA_OK;
    struct ranked *ranked = mem_alloc(c->count * sizeof *ranked);
    if (!ranked) return fail_memory(err);
    for (size_t i = 0; i < c->count; i++) ranked[i] = (struct ranked){.place = i};
    stemma_status status = verify_ranked(a, d, c, ranked, c->count, answers, err);
    mem_free(ranked);
    return status;
}

static void cut(struct answers *answers, size_t top) {
    if (answers->count) qsort(answers->list, answers->count, sizeof *answers->list, answer_order);
    while (top && answers->count > top) answer_release(&answers->list[--answers->count], NULL);
}

/* How far apart one of the best is, from its text, read once more, or by signatures. */
static stemma_status measure_one(struct asker *a, const struct asked_document *d, void *question,
                                 struct answer *answer, stemma_error *err) {
    struct signature_pair signatures;
    struct known_of known = {0};
    stemma_evidence evidence;
    struct again_text text;
    struct facts facts;
    struct row row;
    bool found;
    TRY(collection_record(a->reader, answer->number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    TRY(read_text(a, answer->number, row.id, &facts, &text, &evidence, err));
    if (text.text && d->text) {
        known.text = &text;
    } else {
        TRY(by_signature_find(a->by_signature, answer->number, &signatures, &found, err));
        if (found) known.signatures = &signatures;
    }
    return a->settings->measuring->one(question, &known, answer, err);
}

static stemma_status measure(struct asker *a, const struct asked_document *d, struct answers *answers,
                             stemma_error *err) {
    const struct measuring *measuring = a->settings->measuring;
    stemma_status status = STEMMA_OK;
    void *question;
    if (!measuring || answers->count == 0) return STEMMA_OK;
    by_signature_set(a->by_signature, d->text, d->text_size, d->signature);
    TRY(measuring->begin(a->settings, d, &question, err));
    for (size_t i = 0; i < answers->count && status == STEMMA_OK; i++)
        status = measure_one(a, d, question, &answers->list[i], err);
    measuring->end(question);
    return status;
}

static stemma_status answer_one(struct asker *a, const struct asked_document *d, struct candidates *c,
                                struct answers *answers, struct asker_work *work, stemma_error *err) {
    TRY(verify_all(a, d, c, answers, work, err));
    TRY(find_same_bytes(a, d, verify_most(a), answers, work, err));
    cut(answers, a->settings->top);
    return measure(a, d, answers, err);
}

static stemma_status find_by_bits(struct asker *a, const struct asked_document *documents, size_t count,
                                  struct candidates *lists, struct asker_work *work, stemma_error *err) {
    for (size_t i = 0; i < count; i++) {
        const struct asked_document *d = &documents[i];
        uint64_t made[HAMMING_BITS_MOST / 64];
        if (d->text) TRY(by_bits_make(a->by_bits, d->text, d->text_size, made, err));
        const uint64_t *bits = d->text ? made : d->bits;
        if (bits)
            TRY(by_bits_find(a->by_bits, bits, a->settings->threshold, a->settings->bits, &lists[i],
                             &work->retrieval, err));
    }
    return STEMMA_OK;
}

static stemma_status find(struct asker *a, const struct asked_document *documents, size_t count,
                          struct candidates *lists, struct asker_work *work, stemma_error *err) {
    if (a->by_bits) return find_by_bits(a, documents, count, lists, work, err);
    struct question *questions = mem_alloc(count * sizeof *questions);
    if (!questions) return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        questions[i] = (struct question){documents[i].minima, &documents[i].samples};
    stemma_status status = retrieve(a->retriever, &a->settings->asking, a->settings->way, questions, count,
                                    lists, &work->retrieval, err);
    mem_free(questions);
    return status;
}

/* ---- some, or many ---- */

static stemma_status ask_some(struct asker *a, const struct asked_document *documents, size_t count,
                              struct candidates *lists, struct answers *answers, struct asker_work *work,
                              stemma_error *err) {
    const double begin = clock_seconds();
    for (size_t i = 0; i < count; i++) lists[i].most = verify_most(a);
    stemma_status status = find(a, documents, count, lists, work, err);
    const double found = clock_seconds();
    for (size_t i = 0; i < count && status == STEMMA_OK; i++)
        status = answer_one(a, &documents[i], &lists[i], &answers[i], work, err);
    work->seconds_finding += found - begin;
    work->seconds_verifying += clock_seconds() - found;
    return status;
}

static stemma_status verify_many(struct asker *a, const struct asked_document *documents, size_t count,
                                 struct many_candidates *found, struct answers *answers,
                                 struct asker_work *work, stemma_error *err) {
    struct candidates block = {0};
    stemma_status status = many_candidates_finish(found, err);
    for (uint32_t i = 0; i < count && status == STEMMA_OK; i++) {
        do {
            status = many_candidates_next(found, i, &block, err);
            if (status == STEMMA_OK) status = verify_all(a, &documents[i], &block, &answers[i], work, err);
        } while (block.count && status == STEMMA_OK);
        if (status == STEMMA_OK) status = find_same_bytes(a, &documents[i], 0, &answers[i], work, err);
    }
    candidates_release(&block);
    return status;
}

static stemma_status find_many(struct asker *a, const struct asked_document *documents, size_t count,
                               struct candidates *lists, struct answers *answers, struct asker_work *work,
                               stemma_error *err) {
    struct many_candidates *found;
    TRY(many_candidates_new(&a->settings->limits, &found, err));
    const double begin = clock_seconds();
    for (uint32_t i = 0; i < count; i++) many_candidates_take(found, i, &lists[i]);
    stemma_status status = find(a, documents, count, lists, work, err);
    const double verifying = clock_seconds();
    if (status == STEMMA_OK) status = verify_many(a, documents, count, found, answers, work, err);
    many_candidates_free(found);
    work->seconds_finding += verifying - begin;
    work->seconds_verifying += clock_seconds() - verifying;
    return status;
}

/* The best of each, which are measured; whoever reads on begins behind them. */
static stemma_status list_best(struct asker *a, const struct asked_document *documents, size_t count,
                               struct many *many, struct answers *answers, stemma_error *err) {
    const size_t top = a->settings->top, most = top && top < ANSWERS_LISTED ? top : ANSWERS_LISTED;
    TRY(many_finish(many, err));
    for (size_t i = 0; i < count; i++) {
        TRY(answers_list(&answers[i], most, err));
        TRY(measure(a, &documents[i], &answers[i], err));
    }
    return many_again(many, err);
}

static stemma_status ask_many(struct asker *a, const struct asked_document *documents, size_t count,
                              struct candidates *lists, struct answers *answers, struct asker_work *work,
                              stemma_error *err) {
    struct many *many;
    TRY(many_new(a->settings->limits.temporary_directory, &many, err));
    for (size_t i = 0; i < count; i++) {
        answers[i].more = many_share(many);
        answers[i].question = i;
    }
    stemma_status status = find_many(a, documents, count, lists, answers, work, err);
    if (status == STEMMA_OK) status = list_best(a, documents, count, many, answers, err);
    many_free(many);
    return status;
}

stemma_status asker_ask(struct asker *a, const struct asked_document *documents, size_t count,
                        struct answers *answers, struct asker_work *work, stemma_error *err) {
    if (count == 0) return STEMMA_OK;
    a->samples = samples_find_part(collection_schema(a->reader), &a->sample_bits);
    a->texts = schema_find(collection_schema(a->reader), KIND_TEXT, 0);
    struct candidates *lists = mem_zero(count, sizeof *lists);
    if (!lists) return fail_memory(err);
    stemma_status status = a->settings->many ? ask_many(a, documents, count, lists, answers, work, err)
                                             : ask_some(a, documents, count, lists, answers, work, err);
    for (size_t i = 0; i < count; i++) candidates_release(&lists[i]);
    mem_free(lists);
    return status;
}

#include "collect/family.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "collect/query.h"
#include "index/hamming/parts.h"
#include "index/stored_samples.h"

#include <string.h>

/* Members that are asked about together. */
enum { TOGETHER = 16 };

struct family {
    struct query *query;
    struct collection *reader;
    struct asker *asker;
    struct again *again;
    const struct schema *schema;
    struct relatives *members;
    size_t asked;      /* those whose own near-duplicates are known */
    size_t step_begin; /* from here on they were found in the step at work, by several perhaps */
    size_t most;
    size_t *slots; /* where a number is in the list, from 1; 0: empty */
    size_t capacity;
};

void relatives_release(struct relatives *relatives, void (*drop)(stemma_alignment *)) {
    for (size_t i = 0; i < relatives->count; i++) answer_release(&relatives->list[i].answer, drop);
    mem_free(relatives->list);
    *relatives = (struct relatives){0};
}

static void release(struct family *f) {
    mem_free(f->slots);
    asker_free(f->asker);
    again_free(f->again);
    collection_close(f->reader);
}

static stemma_status prepare(struct family *f, stemma_error *err) {
    struct query *q = f->query;
    TRY(collection_twin(q->store, &f->reader, err));
    f->schema = collection_schema(f->reader);
    TRY(again_new(q->recipe, &q->settings.limits, &f->again, err));
    return asker_new(f->reader, q->recipe, &q->settings, &f->asker, err);
}

/* ---- members ---- */

/* The slot of a number, or the empty one where it would stand. */
static size_t *find_slot(const struct family *f, uint64_t number) {
    size_t at = (size_t)mix64(number) & (f->capacity - 1);
    while (f->slots[at] && f->members->list[f->slots[at] - 1].answer.number != number)
        at = (at + 1) & (f->capacity - 1);
    return &f->slots[at];
}

static bool reserve_slot(struct family *f) {
    if (2 * (f->members->count + 1) <= f->capacity) return true;
    const size_t capacity = f->capacity ? 2 * f->capacity : 64;
    size_t *slots = mem_zero(capacity, sizeof *slots);
    if (!slots) return false;
    mem_free(f->slots);
    f->slots = slots;
    f->capacity = capacity;
    for (size_t i = 0; i < f->members->count; i++) *find_slot(f, f->members->list[i].answer.number) = i + 1;
    return true;
}

/* Who was found from two in one step is linked to the nearer one, of equals to the one found first. */
static void join_again(struct family *f, size_t place, size_t from, struct answer *answer) {
    struct relative *member = &f->members->list[place];
    if (place < f->step_begin ||
        answer->numbers.resemblance.value <= member->answer.numbers.resemblance.value)
        return;
    const struct answer farther = member->answer;
    member->answer = *answer;
    member->from = from;
    *answer = farther; /* released with the answers */
}

static stemma_status join(struct family *f, size_t from, uint64_t step, struct answer *answer,
                          stemma_error *err) {
    struct relatives *m = f->members;
    if (!reserve_slot(f)) return fail_memory(err);
    size_t *slot = find_slot(f, answer->number);
    if (*slot) {
        join_again(f, *slot - 1, from, answer);
        return STEMMA_OK;
    }
    m->cut = m->cut || m->count >= f->most;
    if (m->cut) return STEMMA_OK;
    if (!mem_grow((void **)&m->list, &m->cap, m->count + 1, sizeof *m->list)) return fail_memory(err);
    m->list[m->count++] = (struct relative){.answer = *answer, .step = step, .from = from};
    *slot = m->count;
    *answer = (struct answer){0};
    return STEMMA_OK;
}

static stemma_status join_all(struct family *f, size_t from, uint64_t step, struct answers *answers,
                              stemma_error *err) {
    for (size_t i = 0; i < answers->count; i++) TRY(join(f, from, step, &answers->list[i], err));
    return STEMMA_OK;
}

/* ---- a member in question ---- */

struct in_question {
    struct asked_document asked;
    struct buf text, signature;
    uint64_t bits[HAMMING_BITS_MOST / 64];
};

static stemma_status take_sketch(struct family *f, const struct row *row, struct asked_document *asked,
                                 stemma_error *err) {
    uint32_t bits;
    const int minima = schema_find(f->schema, KIND_MINIMA, 0), samples = samples_find_part(f->schema, &bits);
    if (minima >= 0 && row->cells[minima].size == MINIMA_BYTES)
        memcpy(asked->minima, row->cells[minima].bytes, MINIMA_BYTES);
    if (samples < 0) return STEMMA_OK;
    return samples_unpack(row->cells[samples].bytes, row->cells[samples].size, bits, &asked->samples, err);
}

static stemma_status take_signature(struct family *f, const struct row *row, struct in_question *q,
                                    stemma_error *err) {
    struct signature_form form;
    const int part = signature_find_part(f->schema, &form);
    if (part < 0) return STEMMA_OK;
    if (!buf_add(&q->signature, row->cells[part].bytes, row->cells[part].size)) return fail_memory(err);
    q->asked.signature = (struct cell){q->signature.data, q->signature.len};
    return STEMMA_OK;
}

/* The text, as far as it can still be had. */
static stemma_status take_text(struct family *f, const struct row *row, const struct facts *facts,
                               struct in_question *q, stemma_error *err) {
    const int texts = schema_find(f->schema, KIND_TEXT, 0);
    struct again_text text = {0};
    stemma_evidence evidence;
    TRY(again_read(f->again, row->id, facts, &text, &evidence, err));
    if (evidence != STEMMA_FROM_ORIGINAL && texts >= 0)
        TRY(again_stored(f->again, row->cells[texts], facts, &text, &evidence, err));
    if (!text.text) return STEMMA_OK;
    if (!buf_add(&q->text, text.text, text.text_size) || !buf_reserve(&q->text, KERNEL_SLACK))
        return fail_memory(err);
    memset(q->text.data + q->text.len, 0, KERNEL_SLACK);
    q->asked.text = q->text.data;
    q->asked.text_size = q->text.len;
    return STEMMA_OK;
}

static stemma_status put_in_question(struct family *f, const struct answer *member, struct in_question *q,
                                     stemma_error *err) {
    struct row row;
    struct facts facts;
    bool found;
    TRY(collection_row(f->reader, member->number, &row, &found, err));
    if (!found) return STEMMA_OK;
    TRY(facts_read(row.facts, &facts, err));
    memcpy(q->asked.digest, facts.digest, FACTS_DIGEST);
    memcpy(q->asked.text_digest, facts.text_digest, FACTS_DIGEST);
    const bool record = facts.record_bytes > 0; /* by its name all of the data set would be searched */
    q->asked.name = facts.path_bytes && !record ? member->id : NULL;
    q->asked.bits = bits_of_row(f->schema, &row, q->bits) ? q->bits : NULL;
    TRY(take_sketch(f, &row, &q->asked, err));
    TRY(take_signature(f, &row, q, err));
    return take_text(f, &row, &facts, q, err);
}

/* ---- a step ---- */

static stemma_status ask(struct family *f, struct in_question *questions, size_t count,
                         struct answers *answers, stemma_error *err) {
    struct asked_document documents[TOGETHER];
    struct asker_work work = {0};
    for (size_t i = 0; i < count; i++) {
        TRY(put_in_question(f, &f->members->list[f->asked + i].answer, &questions[i], err));
        documents[i] = questions[i].asked;
    }
    stemma_status status = asker_ask(f->asker, documents, count, answers, &work, err);
    query_add_work(f->query, &work);
    TRY(status);
    for (size_t i = 0; i < count; i++) {
        const size_t from = f->asked + i;
        TRY(join_all(f, from, f->members->list[from].step + 1, &answers[i], err));
    }
    return STEMMA_OK;
}

static stemma_status ask_some(struct family *f, stemma_error *err) {
    const size_t left = f->step_begin - f->asked, count = left < TOGETHER ? left : TOGETHER;
    struct in_question questions[TOGETHER] = {0};
    struct answers answers[TOGETHER] = {0};
    stemma_status status = ask(f, questions, count, answers, err);
    for (size_t i = 0; i < count; i++) {
        asked_document_release(&questions[i].asked);
        buf_release(&questions[i].text);
        buf_release(&questions[i].signature);
        answers_release(&answers[i], f->query->drop);
    }
    f->asked += count;
    return status;
}

/* All that were found in the step before. */
static stemma_status step(struct family *f, stemma_error *err) {
    f->step_begin = f->members->count;
    while (f->asked < f->step_begin) TRY(ask_some(f, err));
    return STEMMA_OK;
}

static stemma_status grow(struct family *f, struct answers *first, stemma_error *err) {
    struct relatives *m = f->members;
    TRY(prepare(f, err));
    TRY(join_all(f, FROM_QUESTION, 1, first, err));
    while (f->asked < m->count && m->count < f->most) TRY(step(f, err));
    m->cut = m->cut || f->asked < m->count;
    return STEMMA_OK;
}

stemma_status family_grow(struct query *query, struct answers *first, size_t most, struct relatives *out,
                          stemma_error *err) {
    struct family f = {.query = query, .most = most, .members = out};
    stemma_status status = grow(&f, first, err);
    release(&f);
    return status;
}

/* What is asked about and what comes of it, as values: their order, and their end. */
#include "base/alloc.h"
#include "collect/asker.h"
#include "collect/many.h"

#include <string.h>

void asked_document_release(struct asked_document *document) {
    vec64_release(&document->samples);
}

void asked_set_bytes(struct asked_document *document) {
    document->by_bytes = true;
    document->text = NULL;
    document->text_size = 0;
    memset(document->minima, 0, sizeof document->minima);
    document->samples.len = 0;
}

void answer_release(struct answer *answer, void (*drop)(stemma_alignment *)) {
    mem_free(answer->id);
    mem_free(answer->regions);
    if (answer->alignment) drop(answer->alignment);
}

void answers_release(struct answers *answers, void (*drop)(stemma_alignment *)) {
    for (size_t i = 0; i < answers->count; i++) answer_release(&answers->list[i], drop);
    mem_free(answers->list);
    many_free(answers->more);
    *answers = (struct answers){0};
}

stemma_status answers_add(struct answers *answers, const struct answer *answer, struct cell id,
                          stemma_error *err) {
    if (!mem_grow((void **)&answers->list, &answers->cap, answers->count + 1, sizeof *answers->list))
        return fail_memory(err);
    struct answer *added = &answers->list[answers->count];
    *added = *answer;
    added->id = mem_copy_bytes(id.bytes, id.size);
    if (!added->id) return fail_memory(err);
    answers->count++;
    return STEMMA_OK;
}

stemma_status answers_list(struct answers *answers, size_t most, stemma_error *err) {
    while (answers->count < most) {
        struct answer answer;
        bool is_one;
        TRY(many_next(answers->more, answers->question, &answer, &is_one, err));
        if (!is_one) break;
        TRY(answers_add(answers, &answer, (struct cell){(const uint8_t *)answer.id, strlen(answer.id)}, err));
    }
    return STEMMA_OK;
}

stemma_status answers_next(struct answers *answers, struct answer *answer, bool *is_one, stemma_error *err) {
    *is_one = answers->more;
    for (; *is_one && answers->passed < answers->count; answers->passed++)
        TRY(many_next(answers->more, answers->question, answer, is_one, err));
    return *is_one ? many_next(answers->more, answers->question, answer, is_one, err) : STEMMA_OK;
}

/* ---- order ---- */

static double value_of(stemma_quantity q) {
    return q.known ? q.value : 0;
}

static double contained_more(const struct answer *a) {
    double x = value_of(a->numbers.a_in_b), y = value_of(a->numbers.b_in_a);
    return x > y ? x : y;
}

/* What resembles the document by itself, then what contains it or is contained in it. */
int answer_rank(const struct answer *p, const struct answer *q) {
    const bool p_part = p->relation >= STEMMA_CONTAINED, q_part = q->relation >= STEMMA_CONTAINED;
    const double p_value = p_part ? contained_more(p) : value_of(p->numbers.resemblance),
                 q_value = q_part ? contained_more(q) : value_of(q->numbers.resemblance);
    if (p_part != q_part) return p_part ? 1 : -1;
    if (p_value != q_value) return p_value > q_value ? -1 : 1;
    return p->relation == q->relation ? 0 : p->relation < q->relation ? -1 : 1;
}

int answer_order(const void *a, const void *b) {
    const struct answer *p = a, *q = b;
    const int order = answer_rank(p, q);
    return order ? order : strcmp(p->id, q->id);
}

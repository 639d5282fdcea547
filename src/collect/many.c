#include "collect/many.h"

#include "base/alloc.h"
#include "base/ordered.h"

#include <stdatomic.h>
#include <string.h>

/* Some ten thousand answers. */
#define MEMORY ((size_t)8 << 20)

struct many {
    atomic_uint users;
    struct ordered *sorted;
    struct ordered_entry next;
    bool read, end; /* next is; there is none */
};

struct sorted_answer {
    uint64_t question;
    struct answer answer;
};

static int by_question(const struct ordered_entry *a, const struct ordered_entry *b) {
    const struct sorted_answer *p = a->head, *q = b->head;
    if (p->question != q->question) return p->question < q->question ? -1 : 1;
    const int order = answer_rank(&p->answer, &q->answer);
    return order ? order : strcmp((const char *)a->tail, (const char *)b->tail);
}

stemma_status many_new(const char *directory, struct many **out, stemma_error *err) {
    struct many *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory(err);
    atomic_init(&m->users, 1);
    stemma_status status =
        ordered_new(sizeof(struct sorted_answer), by_question, MEMORY, directory, &m->sorted, err);
    if (status == STEMMA_OK)
        *out = m;
    else
        mem_free(m);
    return status;
}

struct many *many_share(struct many *m) {
    atomic_fetch_add(&m->users, 1);
    return m;
}

void many_free(struct many *m) {
    if (!m || atomic_fetch_sub(&m->users, 1) > 1) return;
    ordered_free(m->sorted);
    mem_free(m);
}

stemma_status many_add(struct many *m, uint64_t question, const struct answer *answer, struct cell id,
                       stemma_error *err) {
    const struct sorted_answer sorted = {question, *answer};
    char *name = mem_copy_bytes(id.bytes, id.size); /* with its NUL */
    stemma_status status = name ? ordered_add(m->sorted, &sorted, name, id.size + 1, err) : fail_memory(err);
    mem_free(name);
    return status;
}

stemma_status many_finish(struct many *m, stemma_error *err) {
    return ordered_finish(m->sorted, err);
}

stemma_status many_again(struct many *m, stemma_error *err) {
    m->read = m->end = false;
    return ordered_again(m->sorted, err);
}

static uint64_t next_question(const struct many *m) {
    return ((const struct sorted_answer *)m->next.head)->question;
}

stemma_status many_next(struct many *m, uint64_t question, struct answer *answer, bool *more,
                        stemma_error *err) {
    do {
        bool another = true;
        if (!m->read && !m->end) TRY(ordered_next(m->sorted, &m->next, &another, err));
        m->end = m->end || !another;
        *more = !m->end && next_question(m) == question;
        m->read = !m->end && next_question(m) > question;
    } while (!m->end && !*more && !m->read);
    if (!*more) return STEMMA_OK;
    *answer = ((const struct sorted_answer *)m->next.head)->answer;
    answer->id = (char *)m->next.tail;
    return STEMMA_OK;
}

#include "scan/problems.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

/* ---- on disk: name and cause stand behind it, each with its NUL ---- */

struct filed_problem {
    uint64_t line, status, name_size;
};

static struct problem unfile(const struct ordered_entry *entry) {
    const struct filed_problem *head = entry->head;
    char *name = (char *)entry->tail;
    return (struct problem){.name = name,
                            .line = head->line,
                            .status = (stemma_status)head->status,
                            .cause = name + head->name_size};
}

static int problem_order(const void *a, const void *b) {
    const struct problem *p = a, *q = b;
    int names = strcmp(p->name, q->name);
    if (names) return names;
    return p->line != q->line ? (p->line > q->line) - (p->line < q->line) : strcmp(p->cause, q->cause);
}

static int filed_order(const struct ordered_entry *a, const struct ordered_entry *b) {
    const struct problem p = unfile(a), q = unfile(b);
    return problem_order(&p, &q);
}

static stemma_status file_texts(struct ordered *filed, const struct problem *p, struct buf *texts,
                                stemma_error *err) {
    const struct filed_problem head = {p->line, (uint64_t)p->status, strlen(p->name) + 1};
    if (!buf_add(texts, p->name, (size_t)head.name_size) || !buf_add(texts, p->cause, strlen(p->cause) + 1))
        return fail_memory(err);
    return ordered_add(filed, &head, texts->data, texts->len, err);
}

static void file_problem(struct problems *problems, const struct problem *p) {
    struct buf texts = {0};
    (void)file_texts(problems->filed, p, &texts, NULL);
    buf_release(&texts);
}

/* ---- in memory ---- */

static void drop_list(struct problems *problems) {
    for (size_t i = 0; i < problems->held; i++) {
        mem_free(problems->list[i].name);
        mem_free(problems->list[i].cause);
    }
    mem_free(problems->list);
    problems->list = NULL;
    problems->held = problems->cap = 0;
}

static void file_all(struct problems *problems) {
    enum { MEMORY = 1 << 20 };
    if (ordered_new(sizeof(struct filed_problem), filed_order, MEMORY, problems->directory, &problems->filed,
                    NULL) != STEMMA_OK)
        return;
    for (size_t i = 0; i < problems->held; i++) file_problem(problems, &problems->list[i]);
    drop_list(problems);
}

static void hold(struct problems *problems, const struct problem *p) {
    if (!mem_grow((void **)&problems->list, &problems->cap, problems->held + 1, sizeof *p)) return;
    struct problem copy = *p;
    copy.name = mem_copy_string(p->name);
    copy.cause = mem_copy_string(p->cause);
    if (copy.name && copy.cause) {
        problems->list[problems->held++] = copy;
    } else {
        mem_free(copy.name);
        mem_free(copy.cause);
    }
}

void problems_add(struct problems *problems, uint32_t document, const char *name, uint64_t line,
                  stemma_status status, const char *cause) {
    const struct problem p = {document, (char *)name, line, status, (char *)cause};
    problems->count++;
    problems->damaged += status == STEMMA_OK;
    if (!problems->filed && problems->most && problems->held >= problems->most) file_all(problems);
    if (problems->filed)
        file_problem(problems, &p);
    else
        hold(problems, &p);
}

stemma_status problems_sort(struct problems *problems, stemma_error *err) {
    if (problems->held) qsort(problems->list, problems->held, sizeof *problems->list, problem_order);
    problems->next = 0;
    return problems->filed ? ordered_finish(problems->filed, err) : STEMMA_OK;
}

static stemma_status no_more(stemma_error *err) {
    return fail(err, STEMMA_NOT_FOUND, "there is no such problem");
}

static stemma_status get_filed(struct problems *problems, uint64_t index, struct problem *out,
                               stemma_error *err) {
    struct ordered_entry entry;
    bool more = true;
    if (index >= ordered_count(problems->filed)) return no_more(err);
    if (index < problems->next) {
        TRY(ordered_again(problems->filed, err));
        problems->next = 0;
    }
    for (; problems->next <= index && more; problems->next++)
        TRY(ordered_next(problems->filed, &entry, &more, err));
    if (!more) return no_more(err);
    *out = unfile(&entry);
    return STEMMA_OK;
}

stemma_status problems_get(struct problems *problems, uint64_t index, struct problem *out,
                           stemma_error *err) {
    if (problems->filed) return get_filed(problems, index, out, err);
    if (index >= problems->held) return no_more(err);
    *out = problems->list[index];
    return STEMMA_OK;
}

void problems_release(struct problems *problems) {
    drop_list(problems);
    ordered_free(problems->filed);
}

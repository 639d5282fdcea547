#include "scan/compared.h"

#include "base/alloc.h"

#include <stdlib.h>

void compared_begin(struct compared *compared, size_t memory) {
    compared->most = memory / sizeof *compared->list;
}

stemma_status compared_add(struct compared *compared, const uint64_t *pairs, const struct numbers *numbers,
                           size_t count, stemma_error *err) {
    size_t room = compared->most - compared->count;
    if (count > room) count = room;
    if (!mem_grow((void **)&compared->list, &compared->cap, compared->count + count, sizeof *compared->list))
        return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        compared->list[compared->count++] = (struct compared_pair){pairs[i], numbers[i]};
    return STEMMA_OK;
}

static int by_pair(const void *x, const void *y) {
    const struct compared_pair *a = x, *b = y;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

void compared_finish(struct compared *compared) {
    if (compared->count) qsort(compared->list, compared->count, sizeof *compared->list, by_pair);
}

const struct numbers *compared_find(const struct compared *compared, size_t *at, uint64_t pair) {
    while (*at < compared->count && compared->list[*at].pair < pair) ++*at;
    return *at < compared->count && compared->list[*at].pair == pair ? &compared->list[*at].numbers : NULL;
}

void compared_release(struct compared *compared) {
    mem_free(compared->list);
    *compared = (struct compared){0};
}

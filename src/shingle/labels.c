#include "shingle/labels.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/spill.h"
#include "kernels/kernels.h"

enum { BLOCK = 1024 };

struct labeller {
    struct labels labels;
    struct shingle_sink target;
    struct spill *spill;
};

stemma_status labeller_new(int width, struct shingle_sink target, size_t memory, const char *directory,
                           struct labeller **out, stemma_error *err) {
    struct labeller *l = mem_zero(1, sizeof *l);
    if (!l) return fail_memory(err);
    l->labels.width = width;
    l->target = target;
    stemma_status status = spill_new(false, memory, directory, &l->spill, err);
    if (status != STEMMA_OK) {
        mem_free(l);
        return status;
    }
    *out = l;
    return STEMMA_OK;
}

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    struct labeller *l = context;
    (void)tokens, (void)token_count;
    return spill_add(l->spill, fp, count, err);
}

struct shingle_sink labeller_sink(struct labeller *l) {
    return (struct shingle_sink){.context = l, .take = take};
}

void labels_put(struct labels *l, uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        l->occurrence = l->occurrence && values[i] == l->last ? l->occurrence + 1 : 1;
        l->last = values[i];
        values[i] = mix64(values[i] ^ mix64(l->occurrence)) >> (64 - l->width);
    }
}

static stemma_status hand_on(struct labeller *l, struct spill_cursor *cursor, stemma_error *err) {
    uint64_t block[BLOCK + KERNEL_SLACK];
    for (;;) {
        size_t count = 0;
        TRY(spill_cursor_read(cursor, block, BLOCK, &count, err));
        if (count == 0) return STEMMA_OK;
        labels_put(&l->labels, block, count);
        TRY(l->target.take(l->target.context, block, count, NULL, 0, err));
    }
}

stemma_status labeller_finish(struct labeller *l, stemma_error *err) {
    struct spill_cursor *cursor = NULL;
    TRY(spill_finish(l->spill, err));
    TRY(spill_cursor_new(l->spill, &cursor, err));
    stemma_status status = hand_on(l, cursor, err);
    spill_cursor_free(cursor);
    return status;
}

void labeller_free(struct labeller *l) {
    if (!l) return;
    spill_free(l->spill);
    mem_free(l);
}

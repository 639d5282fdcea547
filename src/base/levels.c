#include "base/levels.h"

#include "base/alloc.h"
#include "base/temporary.h"

#include <unistd.h>

stemma_status levels_init(struct levels *levels, const char *directory, level_fill *fill, void *owner,
                          stemma_error *err) {
    char *copy = mem_copy_string(temporary_directory(directory));
    if (!copy) return fail_memory(err);
    *levels = (struct levels){.directory = copy, .fill = fill, .owner = owner};
    return STEMMA_OK;
}

static stemma_status write_run(struct levels *levels, const struct level_run *from, size_t count,
                               struct level_run *out, stemma_error *err) {
    struct level_run run = {.level = count ? from[0].level + 1 : 0};
    TRY(temporary_open(levels->directory, &run.fd, err));
    stemma_status status = levels->fill(levels->owner, from, count, &run, err);
    if (status == STEMMA_OK)
        *out = run;
    else
        close(run.fd);
    return status;
}

stemma_status levels_add(struct levels *levels, stemma_error *err) {
    if (!mem_grow((void **)&levels->runs, &levels->cap, levels->count + 1, sizeof *levels->runs))
        return fail_memory(err);
    TRY(write_run(levels, NULL, 0, &levels->runs[levels->count], err));
    levels->count++;
    return STEMMA_OK;
}

/* The last `count` runs become one of the next level. */
static stemma_status merge_last(struct levels *levels, size_t count, stemma_error *err) {
    struct level_run *from = levels->runs + levels->count - count, merged;
    TRY(write_run(levels, from, count, &merged, err));
    for (size_t i = 0; i < count; i++) close(from[i].fd);
    *from = merged;
    levels->count -= count - 1;
    return STEMMA_OK;
}

stemma_status levels_settle(struct levels *levels, stemma_error *err) {
    for (;;) {
        size_t same = 0, count = levels->count;
        while (same < count && levels->runs[count - 1 - same].level == levels->runs[count - 1].level) same++;
        if (same < LEVELS_FAN) return STEMMA_OK;
        TRY(merge_last(levels, LEVELS_FAN, err));
    }
}

stemma_status levels_finish(struct levels *levels, stemma_error *err) {
    while (levels->count > LEVELS_FAN) TRY(merge_last(levels, LEVELS_FAN, err));
    return STEMMA_OK;
}

void levels_release(struct levels *levels) {
    for (size_t i = 0; i < levels->count; i++) close(levels->runs[i].fd);
    mem_free(levels->runs);
    mem_free(levels->directory);
}

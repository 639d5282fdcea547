#include "sketch/lowest.h"

#include "sketch/maker.h"

enum {
    ROOM = 256,     /* values between two sorts, at least; 4 n when that is more */
    GUESS_FROM = 8, /* times n values make a guess worth its second look */
};

void lowest_init(struct lowest *lowest, size_t n) {
    *lowest = (struct lowest){.n = n, .limit = UINT64_MAX};
}

bool lowest_settle(struct lowest *lowest) {
    if (!vec64_make_set(&lowest->kept)) return false;
    if (lowest->kept.len <= lowest->n) return true;
    lowest->kept.len = lowest->n;
    lowest->limit = lowest->kept.data[lowest->n - 1];
    lowest->overflow = true;
    return true;
}

/* Take the block by a guessed threshold; when fewer than n are below it nothing is taken. */
static bool lowest_guess(struct lowest *lowest, const struct kernels *kernels, const uint64_t *values,
                         size_t count) {
    uint64_t guess = UINT64_MAX / count * (2 * lowest->n);
    if (!vec64_reserve(&lowest->kept, count + KERNEL_SLACK)) return false;
    lowest->kept.len = kernels->filter_below(values, count, guess, lowest->kept.data);
    if (!lowest_settle(lowest)) return false;
    if (!lowest->overflow) lowest->kept.len = 0;
    return true;
}

static bool lowest_add_plainly(struct lowest *lowest, const struct kernels *kernels, const uint64_t *values,
                               size_t count) {
    size_t room = lowest->n * 4 > ROOM ? lowest->n * 4 : ROOM;
    while (count) {
        size_t free_room = room - lowest->kept.len, slice = count < free_room ? count : free_room;
        if (!vec64_reserve(&lowest->kept, slice + KERNEL_SLACK)) return false;
        uint64_t *end = lowest->kept.data + lowest->kept.len;
        lowest->kept.len += kernels->filter_below(values, slice, lowest->limit, end);
        if (lowest->kept.len == room && !lowest_settle(lowest)) return false;
        values += slice;
        count -= slice;
    }
    return true;
}

bool lowest_add(struct lowest *lowest, const struct kernels *kernels, const uint64_t *values, size_t count) {
    if (lowest->kept.len == 0 && !lowest->overflow && count >= GUESS_FROM * lowest->n) {
        if (!lowest_guess(lowest, kernels, values, count)) return false;
        if (lowest->overflow) return true;
    }
    return lowest_add_plainly(lowest, kernels, values, count);
}

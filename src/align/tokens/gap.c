#include "align/tokens/gap.h"

#include "base/alloc.h"

stemma_status gap_search_init(struct gap_search *search, const struct id_pair *pair, struct kept kept,
                              const volatile int *stop, stemma_error *err) {
    size_t diagonals = pair->a.count + pair->b.count + 3;
    *search = (struct gap_search){.a = pair->a.ids, .b = pair->b.ids, .kept = kept, .stop = stop};
    search->first_diagonal = -(int64_t)pair->b.count - 1;
    search->ahead = mem_alloc(diagonals * sizeof *search->ahead);
    search->behind = mem_alloc(diagonals * sizeof *search->behind);
    if (search->ahead && search->behind) return STEMMA_OK;
    gap_search_release(search);
    return fail_memory(err);
}

void gap_search_release(struct gap_search *search) {
    mem_free(search->ahead);
    mem_free(search->behind);
}

void gap_trim(struct gap_search *search, struct gap *gap) {
    const uint32_t *a = search->a, *b = search->b;
    size_t before = gap->a_end - gap->a_begin;
    while (gap->a_begin < gap->a_end && gap->b_begin < gap->b_end && a[gap->a_begin] == b[gap->b_begin])
        search->kept.a[gap->a_begin++] = search->kept.b[gap->b_begin++] = true;
    while (gap->a_begin < gap->a_end && gap->b_begin < gap->b_end && a[gap->a_end - 1] == b[gap->b_end - 1])
        search->kept.a[--gap->a_end] = search->kept.b[--gap->b_end] = true;
    search->steps += before - (gap->a_end - gap->a_begin) + 1;
}

static bool spend(struct gap_search *search, uint64_t steps) {
    search->steps += steps;
    search->left = search->left > steps ? search->left - steps : 0;
    return search->left > 0;
}

/* The diagonals (a's place less b's) that one of the two searches has reached, every second of them. */
struct front {
    int64_t low, high;
};

/* What stands for a diagonal nobody has been on: nothing can be reached from there. */
#define NOT_AHEAD  (INT32_MIN / 2)
#define NOT_BEHIND (INT32_MAX / 2 + INT32_MAX / 4)

/* One more change: the front grows by a diagonal at either end, or shrinks where the texts end. `unreached`
 * marks the diagonals just outside. */
static void widen(struct front *front, const struct gap *gap, int32_t *reach, int32_t unreached) {
    int64_t lowest = (int64_t)gap->a_begin - (int64_t)gap->b_end;
    int64_t highest = (int64_t)gap->a_end - (int64_t)gap->b_begin;
    if (front->low > lowest)
        reach[--front->low - 1] = unreached;
    else
        front->low++;
    if (front->high < highest)
        reach[++front->high + 1] = unreached;
    else
        front->high--;
}

static bool is_reached(const struct front *front, int64_t diagonal) {
    return front->low <= diagonal && diagonal <= front->high;
}

/* A point of a shortest way, as places in a and b. */
struct point {
    int64_t a, b;
};

/* As far as one gets from the beginning with one more change. True: the search from the end has been there.
 * Diagonals that lead out of the texts are left at both ends of the front: it stays as narrow as the narrower
 * text. */
static bool step_ahead(struct gap_search *search, const struct gap *gap, struct front *front,
                       const struct front *other, struct point *out) {
    int32_t *ahead = search->ahead - search->first_diagonal,
            *behind = search->behind - search->first_diagonal;
    for (int64_t diagonal = front->high, low = front->low; diagonal >= low; diagonal -= 2) {
        int64_t deleted = ahead[diagonal - 1] + 1, inserted = ahead[diagonal + 1];
        if (deleted > (int64_t)gap->a_end) deleted = NOT_AHEAD;
        if (inserted - diagonal > (int64_t)gap->b_end) inserted = NOT_AHEAD;
        int64_t a = deleted > inserted ? deleted : inserted, b = a - diagonal, from = a;
        ahead[diagonal] = NOT_AHEAD;
        if (a < (int64_t)gap->a_begin) {
            if (diagonal == front->high) front->high -= 2;
            continue;
        }
        front->low = diagonal;
        while (a < (int64_t)gap->a_end && b < (int64_t)gap->b_end && search->a[a] == search->b[b]) a++, b++;
        ahead[diagonal] = (int32_t)a;
        *out = (struct point){a, b};
        if (other && is_reached(other, diagonal) && behind[diagonal] <= a) return true;
        if (!spend(search, (uint64_t)(a - from) + 1)) return false;
    }
    return false;
}

static bool step_behind(struct gap_search *search, const struct gap *gap, struct front *front,
                        const struct front *other, struct point *out) {
    int32_t *ahead = search->ahead - search->first_diagonal,
            *behind = search->behind - search->first_diagonal;
    for (int64_t diagonal = front->high, low = front->low; diagonal >= low; diagonal -= 2) {
        int64_t inserted = behind[diagonal - 1], deleted = (int64_t)behind[diagonal + 1] - 1;
        if (deleted < (int64_t)gap->a_begin) deleted = NOT_BEHIND;
        if (inserted - diagonal < (int64_t)gap->b_begin) inserted = NOT_BEHIND;
        int64_t a = inserted < deleted ? inserted : deleted, b = a - diagonal, from = a;
        behind[diagonal] = NOT_BEHIND;
        if (a > (int64_t)gap->a_end) {
            if (diagonal == front->high) front->high -= 2;
            continue;
        }
        front->low = diagonal;
        while (a > (int64_t)gap->a_begin && b > (int64_t)gap->b_begin && search->a[a - 1] == search->b[b - 1])
            a--, b--;
        behind[diagonal] = (int32_t)a;
        *out = (struct point){a, b};
        if (other && is_reached(other, diagonal) && a <= ahead[diagonal]) return true;
        if (!spend(search, (uint64_t)(from - a) + 1)) return false;
    }
    return false;
}

/* The fronts meet while the one that moves is on diagonals of the other's parity.
 * False: it costs too much. */
static bool find_middle(struct gap_search *search, const struct gap *gap, struct point *out) {
    int32_t *ahead = search->ahead - search->first_diagonal,
            *behind = search->behind - search->first_diagonal;
    int64_t begin = (int64_t)gap->a_begin - (int64_t)gap->b_begin,
            end = (int64_t)gap->a_end - (int64_t)gap->b_end;
    struct front forward = {begin, begin}, backward = {end, end};
    bool odd = (begin - end) & 1;
    ahead[begin] = (int32_t)gap->a_begin;
    behind[end] = (int32_t)gap->a_end;
    while (spend(search, 1) && check_stop(search->stop, NULL) == STEMMA_OK) {
        widen(&forward, gap, ahead, NOT_AHEAD);
        if (step_ahead(search, gap, &forward, odd ? &backward : NULL, out)) return true;
        widen(&backward, gap, behind, NOT_BEHIND);
        if (step_behind(search, gap, &backward, odd ? NULL : &forward, out)) return true;
    }
    return false;
}

static void align_part(struct gap_search *search, struct gap gap) {
    struct point middle;
    gap_trim(search, &gap);
    if (gap.a_begin == gap.a_end || gap.b_begin == gap.b_end || !find_middle(search, &gap, &middle)) return;
    size_t a = (size_t)middle.a, b = (size_t)middle.b;
    align_part(search, (struct gap){gap.a_begin, a, gap.b_begin, b});
    align_part(search, (struct gap){a, gap.a_end, b, gap.b_end});
}

stemma_status gap_align(struct gap_search *search, struct gap gap, stemma_error *err) {
    uint64_t tokens = gap.a_end - gap.a_begin + gap.b_end - gap.b_begin;
    uint64_t first = GAP_STEPS_FIRST * (tokens < GAP_FIRST ? tokens : GAP_FIRST);
    search->left = GAP_STEPS * tokens > first ? GAP_STEPS * tokens : first;
    align_part(search, gap);
    return check_stop(search->stop, err);
}

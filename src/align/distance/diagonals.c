#include "align/distance/diagonals.h"

#include "base/alloc.h"

#include <string.h>

#define NONE        (INT32_MIN / 2) /* no point of this diagonal is reached; some more can be added */
#define MARGIN      4               /* numbers beside the outermost diagonals that are read */
#define POINT_CELLS 240 /* a point takes as long as this many cells of a band, measured on a Zen 3 */
#define STRIP_ROWS  512 /* a band is wider by the rows that are done together */
#define TRIAL       32  /* a part of a band that is spent on finding how wide it has to be */
#define LOOK_EVERY  32  /* edits between two looks at how it goes */

void diagonals_init(struct diagonals *diagonals, const struct kernels *kernels) {
    *diagonals = (struct diagonals){.kernels = kernels};
}

static void wave_release(struct wave *wave) {
    mem_free(wave->room[0]);
    mem_free(wave->room[1]);
    *wave = (struct wave){0};
}

void diagonals_release(struct diagonals *diagonals) {
    wave_release(&diagonals->forward);
    wave_release(&diagonals->backward);
}

uint64_t diagonals_cost(uint64_t edits) {
    return edits / 2 >= UINT32_MAX ? UINT64_MAX / 2 : edits * (edits + 1) / 2 * POINT_CELLS;
}

uint64_t band_cost(uint64_t rows, uint64_t columns, uint64_t bound) {
    uint64_t width = bound >= columns ? columns : bound;
    return rows * (width + STRIP_ROWS); /* both below 2^30 */
}

static size_t room_for(int32_t edits) {
    return 2 * ((size_t)edits + MARGIN) + 1;
}

static int32_t *middle(int32_t *room, int32_t capacity) {
    return room + capacity + MARGIN;
}

/* Room for twice as many edits, or the first. Both waves grow so,
 * and what a wave had goes only afterwards. */
static stemma_status wave_grow(struct wave *wave, const struct meter *meter, stemma_error *err) {
    int32_t capacity = wave->capacity ? 2 * wave->capacity : 128;
    TRY(meter_allows(meter, 5 * room_for(capacity), sizeof(int32_t), err));
    int32_t *first = mem_alloc(room_for(capacity) * sizeof *first);
    int32_t *second = mem_alloc(room_for(capacity) * sizeof *second);
    if (!first || !second) {
        mem_free(first);
        mem_free(second);
        return fail_memory(err);
    }
    if (wave->capacity)
        memcpy(middle(first, capacity) - wave->capacity - MARGIN, wave->room[0],
               room_for(wave->capacity) * sizeof *first);
    mem_free(wave->room[0]);
    mem_free(wave->room[1]);
    wave->room[0] = first;
    wave->room[1] = second;
    wave->capacity = capacity;
    wave->rows = middle(first, capacity);
    return STEMMA_OK;
}

/* What is beside the outermost diagonals. */
static void wave_hem(struct wave *wave) {
    for (int32_t i = 1; i <= 2; i++) wave->rows[wave->low - i] = wave->rows[wave->high + i] = NONE;
}

static stemma_status wave_start(struct wave *wave, const struct meter *meter, stemma_error *err) {
    if (!wave->capacity) TRY(wave_grow(wave, meter, err));
    wave->rows = middle(wave->room[0], wave->capacity);
    wave->edits = wave->low = wave->high = wave->furthest = 0;
    wave->rows[0] = 0;
    wave_hem(wave);
    return STEMMA_OK;
}

static stemma_status wave_advance(struct wave *wave, const struct edit_texts *texts,
                                  const struct kernels *kernels, const struct meter *meter,
                                  stemma_error *err) {
    if (wave->edits == wave->capacity) TRY(wave_grow(wave, meter, err));
    int32_t *next = middle(wave->room[1], wave->capacity);
    wave->edits++;
    wave->low = wave->edits < texts->a_size ? -wave->edits : -texts->a_size;
    wave->high = wave->edits < texts->b_size ? wave->edits : texts->b_size;
    wave->furthest = kernels->edit_wave(texts, wave->rows, next, wave->low, wave->high);
    wave->room[1] = wave->room[0];
    wave->room[0] = next - wave->capacity - MARGIN;
    wave->rows = next;
    wave_hem(wave);
    return STEMMA_OK;
}

/* Whether the waves overlap on some diagonal; the forward one's point there is on a shortest way. */
static bool waves_meet(const struct diagonals *d, int32_t rows, int32_t columns, struct meeting *out) {
    const struct wave *f = &d->forward, *b = &d->backward;
    if (f->furthest < rows - b->furthest) return false;
    int32_t end = columns - rows; /* the diagonal of the other corner, from which the backward wave counts */
    int32_t low = f->low > end - b->high ? f->low : end - b->high;
    int32_t high = f->high < end - b->low ? f->high : end - b->low;
    for (int32_t k = low; k <= high; k++) {
        if (f->rows[k] < rows - b->rows[end - k]) continue;
        out->row = f->rows[k];
        out->column = f->rows[k] + k;
        return true;
    }
    return false;
}

/* How far a wave has come. */
struct reach {
    uint64_t rows;  /* on all diagonals together: what the comparing of symbols has cost */
    uint64_t along; /* rows and columns of the point that is nearest to the other corner */
};

static struct reach wave_reach(const struct wave *wave) {
    struct reach reach = {0};
    for (int32_t k = wave->low; k <= wave->high; k++) {
        uint64_t row = (uint64_t)wave->rows[k], along = 2 * row + (uint64_t)(int64_t)k;
        reach.rows += row;
        if (along > reach.along) reach.along = along;
    }
    return reach;
}

/* If the edits go on as they have begun. */
static uint64_t guess_distance(uint64_t edits, uint64_t along, uint64_t rows, uint64_t columns) {
    uint64_t most = rows > columns ? rows : columns, least = most - (rows < columns ? rows : columns);
    uint64_t guess = along >= rows + columns || edits == 0 ? edits
                     : along                               ? edits * (rows + columns) / along
                                                           : most;
    return guess < least ? least : guess > most ? most : guess;
}

/* A guess is trusted when it has cost a small part of what depends on it. Edits in a block come as a
 * surprise, time and again: then half of them are taken to be found when a band for all of them would have
 * cost as much. */
static bool band_is_cheaper(uint64_t *guess, uint64_t edits, uint64_t rows, uint64_t columns) {
    uint64_t band = band_cost(rows, columns, *guess), spent = diagonals_cost(edits);
    uint64_t total = diagonals_cost(*guess < edits ? edits : *guess);
    if (spent >= band / TRIAL && total - spent > band) return true;
    if (spent <= band_cost(rows, columns, 2 * edits)) return false;
    if (*guess < 2 * edits) *guess = 2 * edits;
    return true;
}

/* One edit more. */
static stemma_status step(struct diagonals *d, const struct edit_texts *texts, struct meter *meter,
                          struct meeting *out, stemma_error *err) {
    bool forward = d->forward.edits <= d->backward.edits;
    struct edit_texts turned = *texts;
    if (!forward) {
        turned.a += (size_t)texts->a_size << texts->log_width;
        turned.b += (size_t)texts->b_size << texts->log_width;
        turned.backward = true;
    }
    struct wave *wave = forward ? &d->forward : &d->backward;
    TRY(meter_check(meter, err));
    TRY(wave_advance(wave, &turned, d->kernels, meter, err));
    out->given_up = !meter_spend(meter, (uint64_t)(wave->high - wave->low + 1) * POINT_CELLS);
    return STEMMA_OK;
}

/* Now and then: is it worth going on? */
static bool go_on(struct diagonals *d, const struct edit_texts *texts, bool patient, struct meter *meter,
                  uint64_t *paid, struct meeting *out) {
    uint64_t edits = (uint64_t)d->forward.edits + (uint64_t)d->backward.edits;
    uint64_t rows = (uint64_t)texts->a_size, columns = (uint64_t)texts->b_size;
    if (edits % LOOK_EVERY != 0) return true;
    struct reach f = wave_reach(&d->forward), b = wave_reach(&d->backward);
    if (f.rows + b.rows > *paid) {
        out->given_up = !meter_spend(meter, f.rows + b.rows - *paid);
        *paid = f.rows + b.rows;
    }
    out->guess = guess_distance(edits, f.along + b.along, rows, columns);
    return !out->given_up && (patient || !band_is_cheaper(&out->guess, edits, rows, columns));
}

stemma_status diagonals_meet(struct diagonals *d, const struct edit_texts *texts, uint64_t at_most,
                             bool patient, struct meter *meter, struct meeting *out, stemma_error *err) {
    struct meeting meeting = {0};
    uint64_t paid = 0;
    TRY(wave_start(&d->forward, meter, err));
    TRY(wave_start(&d->backward, meter, err));
    for (uint64_t edits = 1; edits <= at_most; edits++) {
        meeting.at_least = edits;
        if (!go_on(d, texts, patient, meter, &paid, &meeting)) break;
        TRY(step(d, texts, meter, &meeting, err));
        if (meeting.given_up) break;
        meeting.met = waves_meet(d, texts->a_size, texts->b_size, &meeting);
        if (meeting.met) break;
        meeting.at_least = edits + 1;
    }
    meeting.distance = meeting.at_least;
    meeting.before = (uint64_t)d->forward.edits;
    *out = meeting;
    return STEMMA_OK;
}

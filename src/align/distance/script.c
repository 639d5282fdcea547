#include "align/distance/script.h"

#include "align/distance/band.h"
#include "align/distance/diagonals.h"
#include "base/alloc.h"

#define SMALL 4096 /* cells of a matrix that is kept whole */

struct writer {
    const struct kernels *kernels;
    enum distance_method method;
    struct diagonals diagonals;
    struct band band;
    uint64_t *upper; /* distances from the beginning to the middle row */
    size_t upper_capacity;
    struct meter meter;
    struct script *script;
    uint64_t a_at, b_at; /* symbols the steps so far have come to */
};

/* ---- steps ---- */

static stemma_status add_step(struct writer *w, stemma_step_kind kind, uint64_t a, uint64_t b,
                              stemma_error *err) {
    struct script *script = w->script;
    if (a == 0 && b == 0) return STEMMA_OK;
    if (script->count == 0 || script->steps[script->count - 1].kind != kind) {
        if (!mem_grow((void **)&script->steps, &script->capacity, script->count + 1, sizeof *script->steps))
            return fail_memory(err);
        script->steps[script->count++] = (stemma_step){kind, w->a_at, w->a_at, w->b_at, w->b_at};
    }
    stemma_step *last = &script->steps[script->count - 1];
    last->a_end = w->a_at += a;
    last->b_end = w->b_at += b;
    return STEMMA_OK;
}

static bool same_symbol(const struct distance_pair *p, size_t i, size_t j) {
    if (p->log_width == 0) return p->a[i] == p->b[j];
    return ((const uint32_t *)(const void *)p->a)[i] == ((const uint32_t *)(const void *)p->b)[j];
}

/* ---- what is not cut any more ---- */

/* One symbol against any number: it is kept where it occurs, or replaced. */
static stemma_status write_single(struct writer *w, const struct distance_pair *p, stemma_error *err) {
    size_t many = p->n > p->m ? p->n : p->m, at = 0;
    bool insert = p->n == 1;
    while (at < many && !same_symbol(p, insert ? 0 : at, insert ? at : 0)) at++;
    bool found = at < many;
    if (!found) at = 0;
    stemma_step_kind kind = insert ? STEMMA_INSERT : STEMMA_DELETE;
    size_t after = many - at - 1;
    TRY(add_step(w, kind, insert ? 0 : at, insert ? at : 0, err));
    TRY(add_step(w, found ? STEMMA_KEEP : STEMMA_REPLACE, 1, 1, err));
    return add_step(w, kind, insert ? 0 : after, insert ? after : 0, err);
}

static uint16_t least_of(uint16_t x, uint16_t y, uint16_t z) {
    uint16_t xy = x < y ? x : y;
    return xy < z ? xy : z;
}

/* All distances of suffixes, so that the way can be followed from the beginning. */
static void fill_small(const struct distance_pair *p, uint16_t *cells) {
    const size_t width = p->m + 1;
    for (size_t j = 0; j <= p->m; j++) cells[p->n * width + j] = (uint16_t)(p->m - j);
    for (size_t i = p->n; i-- > 0;) {
        uint16_t *row = cells + i * width, *below = row + width;
        row[p->m] = (uint16_t)(p->n - i);
        for (size_t j = p->m; j-- > 0;)
            row[j] = least_of((uint16_t)(below[j + 1] + !same_symbol(p, i, j)), (uint16_t)(below[j] + 1),
                              (uint16_t)(row[j + 1] + 1));
    }
}

static stemma_status write_small(struct writer *w, const struct distance_pair *p, stemma_error *err) {
    uint16_t cells[SMALL];
    const size_t width = p->m + 1;
    fill_small(p, cells);
    for (size_t i = 0, j = 0; i < p->n || j < p->m;) {
        uint16_t here = cells[i * width + j];
        bool both = i < p->n && j < p->m;
        if (both && here == cells[(i + 1) * width + j + 1] + !same_symbol(p, i, j)) {
            TRY(add_step(w, same_symbol(p, i, j) ? STEMMA_KEEP : STEMMA_REPLACE, 1, 1, err));
            i++, j++;
        } else if (i < p->n && here == cells[(i + 1) * width + j] + 1) {
            TRY(add_step(w, STEMMA_DELETE, 1, 0, err));
            i++;
        } else {
            TRY(add_step(w, STEMMA_INSERT, 0, 1, err));
            j++;
        }
    }
    return STEMMA_OK;
}

/* ---- where to cut ---- */

struct cut {
    size_t row, column;
    uint64_t before; /* edits in the first part */
};

static struct edit_texts texts_of(const struct distance_pair *p) {
    return (struct edit_texts){p->a, p->b, (int32_t)p->n, (int32_t)p->m, p->log_width, false};
}

static stemma_status cut_where_waves_meet(struct writer *w, const struct distance_pair *p, uint64_t distance,
                                          struct cut *out, stemma_error *err) {
    struct edit_texts texts = texts_of(p);
    struct meeting meeting;
    TRY(diagonals_meet(&w->diagonals, &texts, distance, true, &w->meter, &meeting, err));
    *out = (struct cut){(size_t)meeting.row, (size_t)meeting.column, meeting.before};
    return STEMMA_OK;
}

static stemma_status keep_upper(struct writer *w, size_t columns, stemma_error *err) {
    TRY(meter_allows(&w->meter, columns + 1, sizeof *w->upper, err));
    if (!mem_grow((void **)&w->upper, &w->upper_capacity, columns + 1, sizeof *w->upper))
        return fail_memory(err);
    const struct band *band = &w->band;
    for (size_t j = 0; j <= columns; j++) w->upper[j] = UINT32_MAX; /* more than any distance */
    uint64_t distance = w->upper[band->first] = band->corner;
    for (int32_t j = band->first; j < band->last; j++)
        w->upper[j + 1] = distance += (uint64_t)(int64_t)edge_step(band->edge[j]);
    return STEMMA_OK;
}

/* The column where the distances to both ends have the least sum. */
static struct cut least_sum(const struct writer *w, size_t row, size_t columns) {
    const struct band *band = &w->band;
    uint64_t distance = band->corner, least = UINT64_MAX;
    struct cut cut = {.row = row};
    for (int32_t j = band->first; j <= band->last; j++) {
        size_t column = columns - (size_t)j;
        if (w->upper[column] + distance < least) {
            least = w->upper[column] + distance;
            cut.column = column;
            cut.before = w->upper[column];
        }
        if (j < band->last) distance += (uint64_t)(int64_t)edge_step(band->edge[j]);
    }
    return cut;
}

static stemma_status cut_in_the_middle(struct writer *w, const struct distance_pair *p, uint64_t distance,
                                       struct cut *out, stemma_error *err) {
    struct edit_texts texts = texts_of(p);
    const int32_t middle = texts.a_size / 2;
    struct diagonal_range range =
        band_range(texts.a_size, texts.b_size, distance); /* the same from the other end */
    TRY(band_run(&w->band, &texts, middle, range, &w->meter, err));
    TRY(keep_upper(w, p->m, err));
    texts.a += p->n << p->log_width;
    texts.b += p->m << p->log_width;
    texts.backward = true;
    TRY(band_run(&w->band, &texts, texts.a_size - middle, range, &w->meter, err));
    *out = least_sum(w, (size_t)middle, p->m);
    return STEMMA_OK;
}

static bool takes_diagonals(const struct writer *w, const struct distance_pair *p, uint64_t distance) {
    if (w->method != DISTANCE_ANY) return w->method == DISTANCE_DIAGONALS;
    return diagonals_cost(distance) < band_cost(p->n, p->m, distance);
}

/* ---- the whole ---- */

/* Recursive: each call has half the edits or half the rows. */
static stemma_status write_pair(struct writer *w, const struct distance_pair *pair, uint64_t distance,
                                stemma_error *err) {
    size_t prefix, suffix;
    struct distance_pair p = distance_trim(pair, w->kernels, &prefix, &suffix);
    struct cut cut;
    TRY(add_step(w, STEMMA_KEEP, prefix, prefix, err));
    if (p.n == 0 || p.m == 0) {
        TRY(add_step(w, p.n ? STEMMA_DELETE : STEMMA_INSERT, p.n, p.m, err));
    } else if (p.n == 1 || p.m == 1) {
        TRY(write_single(w, &p, err));
    } else if (p.n < SMALL && p.m < SMALL && (p.n + 1) * (p.m + 1) <= SMALL) {
        TRY(write_small(w, &p, err));
    } else {
        TRY(takes_diagonals(w, &p, distance) ? cut_where_waves_meet(w, &p, distance, &cut, err)
                                             : cut_in_the_middle(w, &p, distance, &cut, err));
        struct distance_pair first = {p.a, p.b, cut.row, cut.column, p.log_width};
        struct distance_pair second = {p.a + (cut.row << p.log_width), p.b + (cut.column << p.log_width),
                                       p.n - cut.row, p.m - cut.column, p.log_width};
        TRY(write_pair(w, &first, cut.before, err));
        TRY(write_pair(w, &second, distance - cut.before, err));
    }
    return add_step(w, STEMMA_KEEP, suffix, suffix, err);
}

stemma_status script_by(const struct distance_pair *pair, enum distance_method method,
                        const struct kernels *kernels, const struct distance_limits *limits,
                        struct script *out, stemma_error *err) {
    struct script script = {0};
    struct writer w = {.kernels = kernels,
                       .method = method,
                       .meter = {UINT64_MAX, limits->memory, limits->stop},
                       .script = &script};
    TRY(distance_by(pair, method, kernels, limits, &script.found, err));
    diagonals_init(&w.diagonals, kernels);
    band_init(&w.band, kernels);
    stemma_status status = STEMMA_OK;
    if (!script.found.exceeded && !script.found.given_up)
        status = write_pair(&w, pair, script.found.distance, err);
    diagonals_release(&w.diagonals);
    band_release(&w.band);
    mem_free(w.upper);
    if (status == STEMMA_OK)
        *out = script;
    else
        script_release(&script);
    return status;
}

void script_release(struct script *script) {
    mem_free(script->steps);
    *script = (struct script){0};
}

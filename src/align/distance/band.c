#include "align/distance/band.h"

#include "base/alloc.h"

#include <string.h>

#define BYTES      256 /* symbols that are bytes */
#define STRIP_MOST (64 * EDIT_WORDS)
#define CACHE_LINE 64
#define FEW_WORDS  2 /* as many are done as fast without vectors */

void band_init(struct band *band, const struct kernels *kernels) {
    *band = (struct band){.kernels = kernels};
}

void band_release(struct band *band) {
    mem_free(band->columns);
    mem_free(band->edge);
    mem_free(band->tables);
    mem_free(band->numbers);
    *band = (struct band){0};
}

/* Lines of the cache begin where the rows of the table do. */
static stemma_status reserve_tables(struct band *band, stemma_error *err) {
    const size_t symbols = STRIP_MOST + 2; /* more than there are bytes */
    band->tables = mem_alloc(symbols * (size_t)band->kernels->edit_words * sizeof *band->equal + CACHE_LINE);
    if (!band->tables) return fail_memory(err);
    size_t beyond = (uintptr_t)band->tables % CACHE_LINE;
    band->equal = (uint64_t *)(void *)(band->tables + (beyond ? CACHE_LINE - beyond : 0));
    return STEMMA_OK;
}

/* A place for each character there is: whoever chooses the texts cannot make them meet in a few. */
static stemma_status reserve_numbers(struct band *band, stemma_error *err) {
    band->numbers = mem_zero(BAND_CHARACTERS, sizeof *band->numbers);
    return band->numbers ? STEMMA_OK : fail_memory(err);
}

static stemma_status reserve(struct band *band, const struct edit_texts *t, const struct meter *meter,
                             stemma_error *err) {
    const size_t columns = (size_t)t->b_size;
    if (!band->equal) TRY(reserve_tables(band, err));
    if (t->log_width && !band->numbers) TRY(reserve_numbers(band, err));
    if (columns <= band->capacity) return STEMMA_OK;
    TRY(meter_allows(meter, columns, sizeof *band->columns + sizeof *band->edge, err));
    mem_free(band->columns);
    mem_free(band->edge);
    band->capacity = 0;
    band->columns = mem_alloc(columns * sizeof *band->columns);
    band->edge = mem_alloc(columns);
    if (!band->columns || !band->edge) return fail_memory(err);
    band->capacity = columns;
    return STEMMA_OK;
}

static uint32_t symbol_at(const uint8_t *text, int32_t at, const struct edit_texts *t) {
    ptrdiff_t place = t->backward ? -1 - (ptrdiff_t)at : at;
    return t->log_width ? ((const uint32_t *)(const void *)text)[place] : text[place];
}

/* A strip: rows [begin, end), of which those before 0 are none. */
struct strip_rows {
    int32_t begin, end;
    int lanes;
};

/* Bytes are their own numbers. Characters are numbered from 1: few of them occur in a strip. */
static uint32_t number_rows(struct band *band, const struct edit_texts *t, struct strip_rows rows) {
    if (!t->log_width) return BYTES;
    uint16_t used = 1; /* 0: a symbol that equals no row */
    for (int32_t i = rows.begin < 0 ? 0 : rows.begin; i < rows.end; i++) {
        uint16_t *number = &band->numbers[symbol_at(t->a, i, t)];
        if (!*number) *number = used++;
    }
    return used;
}

static void forget_numbers(struct band *band, const struct edit_texts *t, struct strip_rows rows) {
    if (!t->log_width) return;
    for (int32_t i = rows.begin < 0 ? 0 : rows.begin; i < rows.end; i++)
        band->numbers[symbol_at(t->a, i, t)] = 0;
}

static uint32_t number_of(const struct band *band, const struct edit_texts *t, uint32_t symbol) {
    return t->log_width ? band->numbers[symbol] : symbol;
}

/* Which rows equal which symbol; returns the place of the symbol that equals those that are none. */
static uint32_t fill_equal(struct band *band, const struct edit_texts *t, struct strip_rows rows) {
    const uint32_t stride = (uint32_t)band->kernels->edit_words;
    uint32_t pad = number_rows(band, t, rows) * stride;
    memset(band->equal, 0, (pad + stride) * sizeof *band->equal);
    for (int32_t i = rows.begin; i < rows.end; i++) {
        uint32_t row = (uint32_t)(i - rows.begin);
        uint32_t place = i < 0 ? pad : number_of(band, t, symbol_at(t->a, i, t)) * stride;
        band->equal[place + edit_place(row / 64, (rows.end - rows.begin) / 64, rows.lanes)] |= UINT64_C(1)
                                                                                               << row % 64;
    }
    return pad;
}

static void fill_columns(struct band *band, const struct edit_texts *t, int32_t first, int32_t last) {
    const uint32_t stride = (uint32_t)band->kernels->edit_words;
    for (int32_t j = first; j < last; j++)
        band->columns[j] = number_of(band, t, symbol_at(t->b, j, t)) * stride;
}

static uint64_t moved_along(const struct band *band, uint64_t distance, int32_t first, int32_t last) {
    for (int32_t j = first; j < last; j++) distance += (uint64_t)(int64_t)edge_step(band->edge[j]);
    return distance;
}

uint64_t band_end(const struct band *band, int32_t columns) {
    return moved_along(band, band->corner, band->first, columns);
}

struct diagonal_range band_range(int32_t rows, int32_t columns, uint64_t bound) {
    int32_t end = columns - rows;
    uint64_t beside = (bound - (uint64_t)(end < 0 ? -(int64_t)end : end)) / 2;
    if (beside >= (uint64_t)rows + (uint64_t)columns) return (struct diagonal_range){-rows, columns};
    int64_t low = (end < 0 ? end : 0) - (int64_t)beside, high = (end > 0 ? end : 0) + (int64_t)beside;
    return (struct diagonal_range){low < -rows ? -rows : (int32_t)low,
                                   high > columns ? columns : (int32_t)high};
}

static void run_strip(struct band *band, const struct edit_texts *t, struct strip_rows rows,
                      struct diagonal_range range) {
    int32_t above = rows.begin < 0 ? -rows.begin : 0;
    int32_t first = rows.begin + above + range.low, last = rows.end + range.high;
    if (first < 0) first = 0;
    if (last > t->b_size) last = t->b_size;
    band->corner = moved_along(band, band->corner, band->first, first);
    uint32_t pad = fill_equal(band, t, rows);
    fill_columns(band, t, t->log_width || band->last < first ? first : band->last, last);
    struct edit_rows strip = {.words = (rows.end - rows.begin) / 64,
                              .lanes = rows.lanes,
                              .above = (uint64_t)above,
                              .equal = band->equal,
                              .pad = pad,
                              .columns = band->columns + first};
    forget_numbers(band, t, rows);
    band->kernels->edit_rows(&strip, band->edge + first, (size_t)(last - first));
    band->corner += (uint64_t)(rows.end - rows.begin - above);
    band->first = first;
    band->last = last;
}

/* More vectors side by side are faster, but make the band wider; the limits are where they were measured to
 * win. */
static int32_t strip_words(const struct kernels *kernels, struct diagonal_range range) {
    int32_t width = range.high - range.low;
    int32_t vectors = 1 + (width >= 110) + (width >= 2100), words = vectors * kernels->edit_lanes;
    return words < kernels->edit_words ? words : kernels->edit_words;
}

stemma_status band_run(struct band *band, const struct edit_texts *t, int32_t rows,
                       struct diagonal_range range, const struct meter *meter, stemma_error *err) {
    TRY(reserve(band, t, meter, err));
    const int32_t most = strip_words(band->kernels, range);
    int32_t words = (rows + 63) / 64;
    int32_t lanes = words > FEW_WORDS ? band->kernels->edit_lanes : 1;
    words = (words + lanes - 1) / lanes * lanes;
    memset(band->edge, EDIT_UP, (size_t)t->b_size);
    band->first = band->last = 0;
    band->corner = 0;
    int32_t height = words % most ? words % most : most; /* of the first strip: all others are full */
    for (int32_t begin = rows - 64 * words; begin < rows;) {
        TRY(meter_check(meter, err));
        run_strip(band, t, (struct strip_rows){begin, begin + 64 * height, lanes}, range);
        begin += 64 * height;
        height = most;
    }
    return STEMMA_OK;
}

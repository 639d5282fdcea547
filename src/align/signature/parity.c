#include "align/signature/parity.h"

#include "base/alloc.h"

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The textbook's table, one row at a time: row[j] is the distance of what was read of a and the first j of b.
 */
static void next_row(size_t *row, uint16_t symbol, const uint16_t *b, size_t count) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < count; j++) {
        size_t replaced = diagonal + (symbol != b[j]);
        diagonal = row[j + 1];
        row[j + 1] = least(replaced, least(row[j], diagonal) + 1);
    }
}

stemma_status parity_estimate(const struct signature *a, const struct signature *b, uint64_t *out,
                              stemma_error *err) {
    size_t *row = mem_zero(b->count + 1, sizeof *row);
    if (!row) return fail_memory(err);
    for (size_t j = 0; j <= b->count; j++) row[j] = j;
    for (size_t i = 0; i < a->count; i++) next_row(row, a->symbols[i], b->symbols, b->count);
    *out = (uint64_t)row[b->count] * a->c;
    mem_free(row);
    return STEMMA_OK;
}

double parity_unrelated(const struct signature *a, const struct signature *b, double fudge) {
    size_t longer = a->count > b->count ? a->count : b->count; /* the shorter, and the difference */
    return (double)longer * a->c * fudge;
}

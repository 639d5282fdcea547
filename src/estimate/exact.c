#include "estimate/exact.h"

#include "base/sort.h"
#include "estimate/estimate.h"

enum { BLOCK = 4096 };

/* One sorted set, read block by block. */
struct stream {
    struct spill_cursor *cursor;
    uint64_t values[BLOCK];
    size_t at, count;
    uint64_t total;
};

static stemma_status refill(struct stream *s, stemma_error *err) {
    TRY(spill_cursor_read(s->cursor, s->values, BLOCK, &s->count, err));
    s->at = 0;
    s->total += s->count;
    return STEMMA_OK;
}

static stemma_status merge(struct stream *a, struct stream *b, uint64_t *common, stemma_error *err) {
    TRY(refill(a, err));
    TRY(refill(b, err));
    while (a->count && b->count) {
        uint64_t x = a->values[a->at], y = b->values[b->at];
        *common += x == y;
        if (x <= y && ++a->at == a->count) TRY(refill(a, err));
        if (y <= x && ++b->at == b->count) TRY(refill(b, err));
    }
    while (a->count) TRY(refill(a, err)); /* to count what is left */
    while (b->count) TRY(refill(b, err));
    return STEMMA_OK;
}

static stemma_status overlap_on_disk(struct spill *a, struct spill *b, struct overlap *out,
                                     stemma_error *err) {
    struct stream sa = {0}, sb = {0};
    uint64_t common = 0;
    stemma_status status = spill_cursor_new(a, &sa.cursor, err);
    if (status == STEMMA_OK) status = spill_cursor_new(b, &sb.cursor, err);
    if (status == STEMMA_OK) status = merge(&sa, &sb, &common, err);
    spill_cursor_free(sa.cursor);
    spill_cursor_free(sb.cursor);
    if (status == STEMMA_OK) *out = (struct overlap){sa.total, sb.total, common};
    return status;
}

stemma_status overlap_of(struct spill *a, struct spill *b, struct overlap *out, stemma_error *err) {
    size_t na, nb;
    const uint64_t *va = spill_in_memory(a, &na), *vb = spill_in_memory(b, &nb);
    if (!va || !vb) return overlap_on_disk(a, b, out, err);
    *out = (struct overlap){na, nb, common_u64(va, na, vb, nb)};
    return STEMMA_OK;
}

static stemma_quantity exact_share(uint64_t part, uint64_t whole) {
    return whole ? quantity_exact((double)part / (double)whole) : quantity_unknown("there is no text");
}

void overlap_quantities(const struct overlap *o, struct estimates *out) {
    bool either_empty = o->a == 0 || o->b == 0;
    *out = (struct estimates){
        .resemblance = exact_share(o->common, either_empty ? 0 : o->a + o->b - o->common),
        .a_in_b = exact_share(o->common, either_empty ? 0 : o->a),
        .b_in_a = exact_share(o->common, either_empty ? 0 : o->b),
        .cosine = {.why = "no simhash was compared"},
    };
}

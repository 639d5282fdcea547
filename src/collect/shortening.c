#include "collect/shortening.h"

#include "index/stored_samples.h"

void shortening_release(struct shortening *s) {
    vec64_release(&s->samples);
    buf_release(&s->packed);
}

/* Appended. */
static stemma_status shorten(struct shortening *s, const struct cell *cell, uint32_t bits, uint32_t fewer,
                             struct buf *to, stemma_error *err) {
    s->samples.len = 0;
    TRY(samples_unpack(cell->bytes, cell->size, bits, &s->samples, err));
    samples_cut(&s->samples, fewer);
    return samples_pack(&s->samples, fewer, to, err);
}

stemma_status shorten_row(struct shortening *s, const struct schema *schema, struct row *row,
                          stemma_error *err) {
    uint32_t bits, fewer;
    const int part = samples_find_part(schema, &fewer);
    (void)samples_find_part(s->from, &bits);
    if (part < 0 || bits == fewer) return STEMMA_OK;
    s->packed.len = 0;
    TRY(shorten(s, &row->cells[part], bits, fewer, &s->packed, err));
    row->cells[part] = (struct cell){s->packed.data, s->packed.len};
    return STEMMA_OK;
}

static stemma_status make_cell_short(void *context, uint64_t number, const struct row *row,
                                     const struct part *part, struct buf *cell, stemma_error *err) {
    struct shortening *s = context;
    (void)number;
    uint32_t bits;
    const int samples = samples_find_part(s->from, &bits);
    return shorten(s, &row->cells[samples], bits, part->spec, cell, err);
}

stemma_status shorten_to(struct collection *store, const struct schema *schema, stemma_error *err) {
    uint32_t ours, theirs;
    const struct schema *now = collection_schema(store);
    const int samples = samples_find_part(now, &ours), keys = sample_keys_find_part(now);
    (void)samples_find_part(schema, &theirs);
    if (samples < 0 || ours <= theirs) return STEMMA_OK;
    struct schema added = {0};
    struct part drop[2] = {now->parts[samples]};
    if (keys >= 0) drop[1] = now->parts[keys];
    TRY(samples_add_parts(&added, theirs, err));
    struct shortening s = {.from = now};
    stemma_status status =
        collection_change_parts(store, drop, keys < 0 ? 1 : 2, added.parts, 2, make_cell_short, &s, err);
    shortening_release(&s);
    return status;
}

#include "estimate/overlap.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sort.h"
#include "shingle/whole.h"

#include <string.h>

struct overlap_base {
    struct whole *whole;
    struct vec64 set, other; /* distinct fingerprints, ascending */
};

stemma_status overlap_base_new(const struct view *view, const struct shingle_tables *tables,
                               struct overlap_base **out, stemma_error *err) {
    struct overlap_base *base = mem_zero(1, sizeof *base);
    if (!base) return fail_memory(err);
    stemma_status status = whole_new(view, tables, &base->whole, err);
    if (status != STEMMA_OK) {
        overlap_base_free(base);
        return status;
    }
    *out = base;
    return STEMMA_OK;
}

void overlap_base_free(struct overlap_base *base) {
    if (!base) return;
    whole_free(base->whole);
    vec64_release(&base->set);
    vec64_release(&base->other);
    mem_free(base);
}

static stemma_status set_of(struct whole *whole, const uint8_t *text, size_t size, struct vec64 *out,
                            stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    out->len = 0;
    TRY(whole_shingles(whole, text, size, &fp, &count, &tokens, err));
    if (!vec64_reserve(out, count)) return fail_memory(err);
    if (count) memcpy(out->data, fp, count * sizeof *fp);
    if (!sort_u64(out->data, count)) return fail_memory(err);
    out->len = unique_u64(out->data, count);
    return STEMMA_OK;
}

stemma_status overlap_base_set(struct overlap_base *base, const uint8_t *text, size_t size,
                               stemma_error *err) {
    return set_of(base->whole, text, size, &base->set, err);
}

stemma_status overlap_with(struct overlap_base *base, const uint8_t *text, size_t size, struct overlap *out,
                           stemma_error *err) {
    const struct vec64 *a = &base->set, *b = &base->other;
    TRY(set_of(base->whole, text, size, &base->other, err));
    *out = (struct overlap){a->len, b->len, common_u64(a->data, a->len, b->data, b->len)};
    return STEMMA_OK;
}

#include "align/signature/edit_regions.h"

#include "align/signature/meet.h"
#include "align/signature/symbol_chain.h"
#include "base/alloc.h"

#include <math.h>

/* Between two matched symbols of one signature, counted from 1; 0 and count + 1 are the ends of the text. */
struct between {
    uint32_t from, to;
};

static uint64_t byte_after(const struct signature *signature, uint32_t symbol) {
    return symbol ? signature->positions[symbol - 1] + signature->n : 0; /* a character has a byte at least */
}

static uint64_t byte_before(const struct signature *signature, uint32_t symbol) {
    return symbol <= signature->count ? signature->positions[symbol - 1] : UINT64_MAX;
}

/* Where the k-th of `count` symbols lies that may stand anywhere: a Beta distribution. */
static uint64_t margin_of(const struct signature *signature, double symbol) {
    double count = (double)signature->count, share = symbol / (count + 1);
    return (uint64_t)(1.96 * (double)signature->length * sqrt(share * (1 - share) / (count + 2)));
}

/* Symbols are C characters apart on average; u of them in a row that are lost mean
 * C u - (n - 1) characters. */
static struct region_side locate(const struct signature *signature, struct between symbols) {
    double length = (double)signature->length, step = length / ((double)signature->count + 1);
    double centre = step * ((double)symbols.from + symbols.to) / 2,
           lost = (double)symbols.to - symbols.from - 1;
    double size = fmax(0, fmin(step * (lost + 1), signature->c * lost - (signature->n - 1)));
    double begin = symbols.from == 0 ? 0 : fmax(0, centre - size / 2);
    if (symbols.from != 0 && symbols.to > signature->count) begin = length - size;
    struct region_side side = {.begin = (uint64_t)begin,
                               .end = (uint64_t)fmin(length, begin + size),
                               .margin = margin_of(signature, ((double)symbols.from + symbols.to) / 2)};
    if (!signature->positions) return side;
    side.byte_begin = byte_after(signature, symbols.from);
    side.byte_end = byte_before(signature, symbols.to);
    if (side.byte_begin > side.byte_end) side.byte_begin = side.byte_end; /* matched windows overlap */
    return side;
}

static struct edit_region region_between(const struct met_signatures *met, struct symbol_pair from,
                                         struct symbol_pair to) {
    struct edit_region region = {
        .a = locate(&met->a, (struct between){from.a, to.a}),
        .b = locate(&met->b, (struct between){from.b, to.b}),
        .symbols_a = to.a - from.a - 1,
        .symbols_b = to.b - from.b - 1,
    };
    region.kind = !region.symbols_a ? REGION_INSERT : !region.symbols_b ? REGION_DELETE : REGION_REPLACE;
    return region;
}

static bool collect_regions(const struct met_signatures *met, const struct matching *matching,
                            struct edit_regions *out) {
    size_t capacity = 0;
    for (size_t k = 1; k < matching->count; k++) {
        struct symbol_pair from = matching->pairs[k - 1], to = matching->pairs[k];
        if (to.a - from.a == 1 && to.b - from.b == 1) continue;
        if (!mem_grow((void **)&out->list, &capacity, out->count + 1, sizeof *out->list)) return false;
        out->list[out->count++] = region_between(met, from, to);
    }
    return true;
}

stemma_status find_edit_regions(const struct signature *a, const struct signature *b,
                                struct edit_regions *out, stemma_error *err) {
    struct met_signatures met;
    TRY(meet_signatures(a, b, &met, err));
    struct matching matching = {0};
    struct edit_regions regions = {.bytes_known = met.a.positions && met.b.positions};
    stemma_status status = match_symbols(&met.a, &met.b, &matching, err);
    if (status == STEMMA_OK && !collect_regions(&met, &matching, &regions)) status = fail_memory(err);
    matching_release(&matching);
    met_signatures_release(&met);
    if (status == STEMMA_OK)
        *out = regions;
    else
        edit_regions_release(&regions);
    return status;
}

void edit_regions_release(struct edit_regions *regions) {
    mem_free(regions->list);
    *regions = (struct edit_regions){0};
}

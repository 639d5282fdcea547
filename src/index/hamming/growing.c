#include "index/hamming/growing.h"

#include "index/hamming/parts.h"

/* About how many bits groups have; 0: there are none. */
static uint32_t group_bits_of(const struct schema *schema) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    return layout.groups ? (2 * layout.bits + layout.groups) / (2 * layout.groups) : 0;
}

static bool is_wanted(const struct part *part, const struct part *wanted, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (part->kind == wanted[i].kind && part->spec == wanted[i].spec) return true;
    return false;
}

/* Parts of a kind that are not among those wanted. */
static stemma_status drop_others(struct collection *collection, uint32_t kind, const struct part *wanted,
                                 size_t count, stemma_error *err) {
    for (size_t i = collection_schema(collection)->count; i-- > 0;) {
        struct part part = collection_schema(collection)->parts[i];
        if (part.kind == kind && !is_wanted(&part, wanted, count))
            TRY(collection_drop_part(collection, part.kind, part.spec, err));
    }
    return STEMMA_OK;
}

/* Those of a kind that are wanted and not there, in one commit. */
static stemma_status add_missing(struct collection *collection, uint32_t kind, const struct part *wanted,
                                 size_t count, make_cell *make, void *context, stemma_error *err) {
    struct part missing[HAMMING_PARTS_MOST];
    size_t some = 0;
    for (size_t i = 0; i < count; i++)
        if (wanted[i].kind == kind && schema_find(collection_schema(collection), kind, wanted[i].spec) < 0)
            missing[some++] = wanted[i];
    return some ? collection_add_parts(collection, missing, some, make, context, err) : STEMMA_OK;
}

/* Keys are made from columns: they go before them, and come after. */
stemma_status bits_resize(struct collection *collection, uint32_t k, make_cell *make, void *context,
                          stemma_error *err) {
    struct part wanted[HAMMING_PARTS_MOST];
    uint32_t group_bits = group_bits_of(collection_schema(collection));
    TRY(bits_check(k, group_bits, err));
    size_t count = bits_parts(0, k, group_bits, wanted);
    TRY(drop_others(collection, KIND_GROUP_KEYS, wanted, count, err));
    TRY(drop_others(collection, KIND_BITS, wanted, count, err));
    TRY(add_missing(collection, KIND_BITS, wanted, count, make, context, err));
    return add_missing(collection, KIND_GROUP_KEYS, wanted, count, NULL, NULL, err);
}

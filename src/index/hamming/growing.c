#include "index/hamming/growing.h"

#include "index/hamming/parts.h"

/* About how many bits groups have; 0: there are none. */
static uint32_t group_bits_of(const struct schema *schema) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    return layout.groups ? (2 * layout.bits + layout.groups) / (2 * layout.groups) : 0;
}

/* A part is left as it is where it is there and wanted; keys, where their column is, too. */
static bool stays(const struct schema *schema, const struct part *part, const struct part *wanted,
                  size_t count) {
    bool itself = false, column = false;
    for (size_t i = 0; i < count; i++) {
        if (schema_find(schema, wanted[i].kind, wanted[i].spec) < 0) continue;
        itself = itself || (part->kind == wanted[i].kind && part->spec == wanted[i].spec);
        column =
            column || (wanted[i].kind == KIND_BITS && spec_first(wanted[i].spec) == spec_first(part->spec));
    }
    return itself && column;
}

/* Bits and their groups as they are wanted, in one commit: the fingerprint is never less than it was. */
stemma_status bits_resize(struct collection *collection, uint32_t k, make_cell *make, void *context,
                          stemma_error *err) {
    const struct schema *schema = collection_schema(collection);
    struct part wanted[HAMMING_PARTS_MOST], drop[PARTS_MOST], add[HAMMING_PARTS_MOST];
    uint32_t group_bits = group_bits_of(schema);
    size_t drops = 0, adds = 0;
    TRY(bits_check(k, group_bits, err));
    size_t count = bits_parts(0, k, group_bits, wanted);
    for (size_t i = 0; i < schema->count; i++) {
        const struct part *part = &schema->parts[i];
        bool ours = part->kind == KIND_BITS || part->kind == KIND_GROUP_KEYS;
        if (ours && !stays(schema, part, wanted, count)) drop[drops++] = *part;
    }
    for (size_t i = 0; i < count; i++)
        if (!stays(schema, &wanted[i], wanted, count)) add[adds++] = wanted[i];
    return drops || adds ? collection_change_parts(collection, drop, drops, add, adds, make, context, err)
                         : STEMMA_OK;
}

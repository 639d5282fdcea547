#include "index/hamming/growing.h"

#include "index/hamming/parts.h"

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

/* The cells of columns that a fingerprint did not have. */
struct resizing {
    const struct collection *collection;
    make_cell *make;
    void *context;
};

/* A shorter column is the beginning of the one that was there; a longer one needs the document. */
static stemma_status cut_or_make(void *context, uint64_t number, const struct row *row,
                                 const struct part *part, struct buf *cell, stemma_error *err) {
    const struct resizing *r = context;
    const struct schema *schema = collection_schema(r->collection);
    int old = bits_find_column(schema, spec_first(part->spec));
    if (old >= 0 && schema->parts[old].width >= part->width)
        return buf_add(cell, row->cells[old].bytes, part->width) ? STEMMA_OK : fail_memory(err);
    if (!r->make) return fail(err, STEMMA_INVALID, "nothing makes further bits");
    return r->make(r->context, number, row, part, cell, err);
}

/* Bits and their groups as they are wanted, in one commit: the fingerprint is never less than it was. */
stemma_status bits_resize(struct collection *collection, uint32_t k, make_cell *make, void *context,
                          stemma_error *err) {
    const struct schema *schema = collection_schema(collection);
    struct part wanted[HAMMING_PARTS_MOST], drop[PARTS_MOST], add[HAMMING_PARTS_MOST];
    struct resizing resizing = {collection, make, context};
    struct bits_layout layout;
    size_t drops = 0, adds = 0;
    bits_layout_read(schema, &layout);
    TRY(bits_check(k, layout.group_bits, err));
    size_t count = bits_parts(0, k, layout.group_bits, wanted);
    for (size_t i = 0; i < schema->count; i++) {
        const struct part *part = &schema->parts[i];
        bool ours = part->kind == KIND_BITS || part->kind == KIND_GROUP_KEYS;
        if (ours && !stays(schema, part, wanted, count)) drop[drops++] = *part;
    }
    for (size_t i = 0; i < count; i++)
        if (!stays(schema, &wanted[i], wanted, count)) add[adds++] = wanted[i];
    if (!drops && !adds) return STEMMA_OK;
    return collection_change_parts(collection, drop, drops, add, adds, cut_or_make, &resizing, err);
}

/* Where two documents differ, from the signatures in their sketches alone. */
#include "api/edit.h"
#include "base/alloc.h"
#include "sketch/sketch.h"

static stemma_stretch stretch_of(const struct region_side *side, uint64_t document_bytes, bool bytes_known) {
    stemma_stretch stretch = {.begin = side->begin, .end = side->end, .margin = side->margin};
    if (!bytes_known) return stretch;
    stretch.byte_begin = side->byte_begin < document_bytes ? side->byte_begin : document_bytes;
    stretch.byte_end = side->byte_end < document_bytes ? side->byte_end : document_bytes;
    return stretch;
}

static stemma_change change_of(enum region_kind kind) {
    switch (kind) {
    case REGION_INSERT:
        return STEMMA_CHANGE_INSERT;
    case REGION_DELETE:
        return STEMMA_CHANGE_DELETE;
    case REGION_REPLACE:
        return STEMMA_CHANGE_REPLACE;
    }
    return STEMMA_CHANGE_REPLACE;
}

stemma_region region_of(const struct edit_region *region) {
    return (stemma_region){change_of(region->kind), stretch_of(&region->a, 0, false),
                           stretch_of(&region->b, 0, false)};
}

static stemma_status list_regions(const stemma_sketch *a, const stemma_sketch *b,
                                  const struct edit_regions *found, stemma_region **out, stemma_error *err) {
    stemma_region *list = mem_alloc((found->count + 1) * sizeof *list);
    if (!list) return fail_memory(err);
    for (size_t i = 0; i < found->count; i++) {
        const struct edit_region *region = &found->list[i];
        list[i] =
            (stemma_region){change_of(region->kind), stretch_of(&region->a, a->bytes, found->bytes_known),
                            stretch_of(&region->b, b->bytes, found->bytes_known)};
    }
    *out = list;
    return STEMMA_OK;
}

stemma_status stemma_sketch_regions(const stemma_sketch *a, const stemma_sketch *b, stemma_region **out,
                                    size_t *count, bool *bytes_known, stemma_error *err) {
    struct signature signature_a, signature_b;
    struct edit_regions found;
    if (!a || !b || !out || !count || !bytes_known)
        return fail(err, STEMMA_INVALID, "two sketches and places for the result are needed");
    TRY(recipe_comparable(a->recipe, b->recipe, err));
    if (!signatures_of(a, b, &signature_a, &signature_b))
        return fail(err, STEMMA_UNSUPPORTED,
                    "where documents differ is known from signatures: make them with one");
    TRY(find_edit_regions(&signature_a, &signature_b, &found, err));
    stemma_status status = list_regions(a, b, &found, out, err);
    if (status == STEMMA_OK) {
        *count = found.count;
        *bytes_known = found.bytes_known;
    }
    edit_regions_release(&found);
    return status;
}

void stemma_regions_free(stemma_region *regions) {
    mem_free(regions);
}

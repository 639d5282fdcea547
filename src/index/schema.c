#include "index/schema.h"

#include "base/alloc.h"
#include "index/text_column.h"

#include <string.h>

stemma_status schema_init(struct schema *schema, const char *recipe, stemma_error *err) {
    *schema = (struct schema){.recipe = mem_copy_string(recipe)};
    return schema->recipe ? STEMMA_OK : fail_memory(err);
}

bool part_can_be(const struct part *part) {
    switch (part->form) {
    case FORM_COLUMN:
        return part->width > 0 && part->width <= COLUMN_WIDTH_MOST;
    case FORM_TEXT:
        return part->width > 0 && part->width <= TEXT_ROWS;
    case FORM_LOOKUP:
        return part->width == 0;
    }
    return false;
}

stemma_status schema_add(struct schema *schema, struct part part, stemma_error *err) {
    if (!part_can_be(&part) || schema->count == PARTS_MOST || schema_find(schema, part.kind, part.spec) >= 0)
        return fail(err, STEMMA_INVALID, "part %u of kind %u cannot be kept", part.spec, part.kind);
    schema->parts[schema->count++] = part;
    return STEMMA_OK;
}

stemma_status schema_copy(struct schema *to, const struct schema *from, stemma_error *err) {
    char *recipe = mem_copy_string(from->recipe);
    if (!recipe) return fail_memory(err);
    *to = *from;
    to->recipe = recipe;
    return STEMMA_OK;
}

void schema_release(struct schema *schema) {
    mem_free(schema->recipe);
    *schema = (struct schema){0};
}

int schema_find(const struct schema *schema, uint32_t kind, uint32_t spec) {
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].kind == kind && schema->parts[i].spec == spec) return (int)i;
    return -1;
}

bool schema_equal(const struct schema *a, const struct schema *b) {
    if (a->count != b->count || strcmp(a->recipe, b->recipe)) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct part *x = &a->parts[i], *y = &b->parts[i];
        if (x->kind != y->kind || x->spec != y->spec || x->form != y->form || x->width != y->width)
            return false;
    }
    return true;
}

/* ---- as bytes ---- */

enum { PART_BYTES = 16 };

bool schema_write(const struct schema *schema, struct buf *out) {
    bool kept = buf_add_string(out, schema->recipe);
    while (kept && out->len % 8) kept = buf_add_byte(out, 0);
    for (size_t i = 0; i < schema->count; i++) {
        const struct part *part = &schema->parts[i];
        kept = kept && buf_add_u32(out, part->kind) && buf_add_u32(out, part->spec) &&
               buf_add_u32(out, (uint32_t)part->form) && buf_add_u32(out, part->width);
    }
    return kept;
}

size_t schema_bytes(size_t recipe, size_t parts) {
    return whole_words(recipe) + PART_BYTES * parts;
}

static stemma_status read_parts(struct schema *schema, const uint8_t *at, size_t count, stemma_error *err) {
    for (size_t i = 0; i < count; i++, at += PART_BYTES) {
        const struct part part = {load_u32(at), load_u32(at + 4), (enum part_form)load_u32(at + 8),
                                  load_u32(at + 12)};
        if (schema_add(schema, part, err) != STEMMA_OK)
            return fail(err, STEMMA_CORRUPT, "a part that cannot be kept");
    }
    return STEMMA_OK;
}

stemma_status schema_read(struct schema *schema, const uint8_t *bytes, size_t recipe, size_t parts,
                          stemma_error *err) {
    if (recipe > SCHEMA_RECIPE_MOST || memchr(bytes, 0, recipe))
        return fail(err, STEMMA_CORRUPT, "a recipe that cannot be");
    *schema = (struct schema){.recipe = mem_copy_bytes(bytes, recipe)};
    if (!schema->recipe) return fail_memory(err);
    stemma_status status = read_parts(schema, bytes + whole_words(recipe), parts, err);
    if (status != STEMMA_OK) schema_release(schema);
    return status;
}

const struct part_kind *kind_find(const struct part_kind *kinds, uint32_t kind) {
    for (; kinds->kind; kinds++)
        if (kinds->kind == kind) return kinds;
    return NULL;
}

#include "index/hamming/parts.h"

#include "index/facts.h"

#include <string.h>

_Static_assert(BITS_COLUMN == 64, "a column is a word of a fingerprint");

/* ---- the schema ---- */

/* Of about `group_bits` bits each. */
static uint32_t groups_in(uint32_t bits, uint32_t group_bits) {
    uint32_t groups = (2 * bits + group_bits) / (2 * group_bits);
    return groups ? groups : 1;
}

size_t bits_parts(uint32_t from, uint32_t k, uint32_t group_bits, struct part *out) {
    size_t count = 0;
    for (uint32_t first = from; first < k; first += BITS_COLUMN) {
        uint32_t bits = k - first < BITS_COLUMN ? k - first : BITS_COLUMN;
        out[count++] = (struct part){
            .kind = KIND_BITS, .spec = bits_spec(first, bits), .form = FORM_COLUMN, .width = bits / 8};
        if (group_bits)
            out[count++] = (struct part){.kind = KIND_GROUP_KEYS,
                                         .spec = bits_spec(first, groups_in(bits, group_bits)),
                                         .form = FORM_LOOKUP};
    }
    return count;
}

stemma_status bits_check(uint32_t k, uint32_t group_bits, stemma_error *err) {
    if (k == 0 || k % 8 || k > HAMMING_BITS_MOST)
        return fail(err, STEMMA_INVALID, "a fingerprint of %u bits: it must be a multiple of 8, up to %d", k,
                    HAMMING_BITS_MOST);
    if (group_bits && (group_bits < 4 || group_bits > BITS_COLUMN))
        return fail(err, STEMMA_INVALID, "groups of %u bits: they have 4 to %d", group_bits, BITS_COLUMN);
    return STEMMA_OK;
}

stemma_status bits_add_parts(struct schema *schema, uint32_t k, uint32_t group_bits, stemma_error *err) {
    struct part parts[HAMMING_PARTS_MOST];
    TRY(bits_check(k, group_bits, err));
    size_t count = bits_parts(0, k, group_bits, parts);
    for (size_t i = 0; i < count; i++) TRY(schema_add(schema, parts[i], err));
    return STEMMA_OK;
}

/* ---- keys ---- */

int bits_find_column(const struct schema *schema, uint32_t first) {
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].kind == KIND_BITS && spec_first(schema->parts[i].spec) == first) return (int)i;
    return -1;
}

stemma_status group_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                              struct vec64 *keys, stemma_error *err) {
    uint32_t first = spec_first(part->spec), count = spec_count(part->spec);
    int column = bits_find_column(schema, first);
    if (column < 0)
        return fail(err, STEMMA_INVALID, "an index of the bits from %u on, which are not kept", first);
    uint32_t bits = spec_count(schema->parts[column].spec);
    const struct cell *cell = &row->cells[column];
    if (cell->size != bits / 8 || count == 0 || count > bits)
        return fail(err, STEMMA_CORRUPT, "%zu bytes for %u bits in %u groups", cell->size, bits, count);
    if (!facts_bits(row->facts)) return STEMMA_OK;
    uint8_t bytes[BITS_COLUMN / 8] = {0};
    memcpy(bytes, cell->bytes, cell->size);
    uint64_t word = load_u64(bytes);
    struct bit_group groups[BITS_COLUMN];
    bit_groups_divide(0, bits, count, groups);
    for (uint32_t i = 0; i < count; i++)
        if (!vec64_add(keys, bit_group_key(groups[i], &word) + ((uint64_t)first << 32)))
            return fail_memory(err);
    return STEMMA_OK;
}

/* ---- what there is ---- */

static int find_groups(const struct schema *schema, uint32_t first) {
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].kind == KIND_GROUP_KEYS && spec_first(schema->parts[i].spec) == first)
            return (int)i;
    return -1;
}

/* Of the first column, which is whole where any is: groups of a last one say less about what was asked. */
static uint32_t width_of_groups(const struct schema *schema, const struct bits_layout *layout) {
    uint32_t bits = spec_count(schema->parts[layout->column_part[0]].spec);
    uint32_t groups = spec_count(schema->parts[layout->group_part[0]].spec);
    return (2 * bits + groups) / (2 * groups);
}

void bits_layout_read(const struct schema *schema, struct bits_layout *layout) {
    bool indexed = true;
    *layout = (struct bits_layout){0};
    while (layout->bits < HAMMING_BITS_MOST) {
        int column = bits_find_column(schema, layout->bits);
        if (column < 0) break;
        uint32_t bits = spec_count(schema->parts[column].spec);
        int groups = find_groups(schema, layout->bits);
        uint32_t count = groups < 0 ? 0 : spec_count(schema->parts[groups].spec);
        indexed = indexed && count > 0 && count <= bits && layout->groups + count <= HAMMING_BITS_MOST / 4;
        if (indexed) {
            bit_groups_divide(layout->bits, bits, count, layout->group_list + layout->groups);
            layout->group_part[layout->columns] = (size_t)groups;
            layout->groups += count;
        }
        layout->column_part[layout->columns++] = (size_t)column;
        layout->bits += bits;
        if (bits != BITS_COLUMN) break; /* the last */
    }
    if (!indexed) layout->groups = 0;
    if (layout->groups) layout->group_bits = width_of_groups(schema, layout);
}

bool bits_of_row(const struct schema *schema, const struct row *row, uint64_t words[HAMMING_BITS_MOST / 64]) {
    struct bits_layout layout;
    bits_layout_read(schema, &layout);
    memset(words, 0, HAMMING_BITS_MOST / 8);
    for (uint32_t i = 0; i < layout.columns; i++) {
        const struct cell *cell = &row->cells[layout.column_part[i]];
        uint8_t bytes[BITS_COLUMN / 8] = {0};
        if (cell->size > sizeof bytes) return false;
        memcpy(bytes, cell->bytes, cell->size);
        words[i] = load_u64(bytes);
    }
    return layout.bits && facts_bits(row->facts);
}

/*
 * The Hamming fingerprint among the parts of a collection: columns of BITS_COLUMN bits, the last of what is
 * left, and for each the keys of its groups, if they are wanted. k grows by a column and shrinks by one; no
 * other part is touched.
 */
#ifndef INDEX_HAMMING_PARTS_H
#define INDEX_HAMMING_PARTS_H

#include "index/hamming/groups.h"
#include "index/schema.h"

/* A scan reads words, and only the first few of a document: so columns are words. */
#define BITS_COLUMN 64

/* KIND_BITS has the column's first bit and its bits as spec, KIND_GROUP_KEYS the first bit and the number of
 * groups. */
static inline uint32_t bits_spec(uint32_t first, uint32_t bits) {
    return first << 16 | bits;
}
static inline uint32_t spec_first(uint32_t spec) {
    return spec >> 16;
}
static inline uint32_t spec_count(uint32_t spec) {
    return spec & 0xffff;
}

/* Columns for the bits from `from` (a multiple of BITS_COLUMN) to k, a multiple of 8 up to HAMMING_BITS_MOST;
 * group_bits: about so many in a group, 4 to 64, or 0 for no index. Returns how many parts; out has room for
 * HAMMING_PARTS_MOST. */
#define HAMMING_PARTS_MOST (2 * HAMMING_BITS_MOST / BITS_COLUMN)
size_t bits_parts(uint32_t from, uint32_t k, uint32_t group_bits, struct part *out);
/* All of them into a schema. INVALID: k or group_bits cannot be. */
stemma_status bits_add_parts(struct schema *schema, uint32_t k, uint32_t group_bits, stemma_error *err);
stemma_status bits_check(uint32_t k, uint32_t group_bits, stemma_error *err);

/* The column that begins at this bit, as a place in the schema; -1: there is none. */
int bits_find_column(const struct schema *schema, uint32_t first);

/* What makes the keys of groups, for part_kinds. */
stemma_status group_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                              struct vec64 *keys, stemma_error *err);

/* What a schema keeps: columns from bit 0 on, without a gap. */
struct bits_layout {
    uint32_t bits, columns;                              /* k; 0: no fingerprints */
    uint32_t groups;                                     /* of all columns; 0: no index, or not of all */
    uint32_t group_bits;                                 /* about how many each has */
    size_t column_part[HAMMING_BITS_MOST / BITS_COLUMN]; /* places in the schema */
    size_t group_part[HAMMING_BITS_MOST / BITS_COLUMN];
    struct bit_group group_list[HAMMING_BITS_MOST / 4];
};
void bits_layout_read(const struct schema *schema, struct bits_layout *layout);

/* The fingerprint that a row keeps, of its cells: words, those behind it zero. False: there is none, or of no
 * text. */
bool bits_of_row(const struct schema *schema, const struct row *row, uint64_t words[HAMMING_BITS_MOST / 64]);

/* Of a fingerprint, as bit_maker_take gives it, the cell of a part of KIND_BITS. */
static inline struct cell bits_cell(const struct part *part, const uint8_t *fingerprint) {
    return (struct cell){fingerprint + spec_first(part->spec) / 8, part->width};
}

#endif

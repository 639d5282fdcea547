/*
 * What a collection keeps of each document: a list of parts, in the order in which a row has their cells.
 *
 * Columns and texts are given by who adds a document. Lookup parts are made from them by the store, by the
 * `keys` of their kind: the same function serves adding, checking, repairing, and adding an index later.
 * Identity, facts and numbers are always kept and are no part of the list.
 */
#ifndef INDEX_SCHEMA_H
#define INDEX_SCHEMA_H

#include "base/buf.h"
#include "base/error.h"

enum part_form {
    FORM_COLUMN = 1, /* as many bytes in every row */
    FORM_TEXT = 2,   /* any number of bytes */
    FORM_LOOKUP = 3  /* 64-bit keys -> numbers of documents */
};

/* Kinds are stored: a number is never given a second meaning. From KIND_OTHERS on they are free (tests). */
enum {
    KIND_NUMBERS = 1, /* the store's own: which documents there are, */
    KIND_RECORDS = 2, /* their ids and facts, */
    KIND_RECIPE = 3,  /* the recipe, for when the manifest is lost, */
    KIND_IDS = 7,     /* and hash of the id -> number */

    KIND_MINIMA = 4,         /* column */
    KIND_SAMPLES = 5,        /* text, of older collections: whole samples */
    KIND_BITS = 6,           /* column: a group of the Hamming fingerprint; spec: first bit << 16 | bits */
    KIND_BAND_KEYS = 8,      /* lookup, from minima */
    KIND_SAMPLE_KEYS = 9,    /* lookup, from these */
    KIND_GROUP_KEYS = 10,    /* lookup, from bits */
    KIND_TEXT = 11,          /* text, compressed */
    KIND_SKETCH = 12,        /* text: a further sketch; spec: which one of the recipe */
    KIND_MEMBER_KEYS = 13,   /* lookup, from facts: see member_keys */
    KIND_SCAN_KEYS = 14,     /* text: what a scan looks at, see collect/scan_cache.c */
    KIND_DIGEST_KEYS = 15,   /* lookup, from facts: see digest_keys; older collections have none */
    KIND_SIGNATURE = 17,     /* text: see stored_signature.h; spec: its form */
    KIND_SHORT_SAMPLES = 18, /* text: see stored_samples.h; spec: bits of a sample */
    KIND_SHORT_SAMPLE_KEYS = 19, /* lookup, from these; the same spec */
    KIND_OTHERS = 1 << 16
};

/* Documents that a collection ever gave a number: what is gone of them is found by a table of pages. */
#define NUMBERS_MOST (UINT64_C(1) << 40)

enum { PARTS_MOST = 256, SCHEMA_RECIPE_MOST = 1 << 16 };

struct part {
    uint32_t kind, spec;
    enum part_form form;
    uint32_t width; /* column: bytes of a row, up to 4,088; text: rows read at once, 1 to 16 (few where they
                       are long); lookup: 0 */
};

struct cell {
    const uint8_t *bytes;
    size_t size;
};

enum { ID_BYTES_MOST = 65535 };

/* A document. Cells of lookup parts are empty: the store makes them. */
struct row {
    struct cell id;    /* 1 to ID_BYTES_MOST bytes */
    struct cell facts; /* whatever is to be known of it without reading further */
    struct cell cells[PARTS_MOST];
};

struct schema;

struct part_kind {
    uint32_t kind;
    /* Appends the keys of a lookup part, in any order, from the row's other cells alone. */
    stemma_status (*keys)(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err);
};

struct schema {
    char *recipe; /* text, whatever the parts follow from; the store only keeps it */
    struct part parts[PARTS_MOST];
    size_t count;
};

/* The kinds of lookup parts that this program knows, ended by kind 0. (index/kinds.c) */
extern const struct part_kind part_kinds[];

stemma_status schema_init(struct schema *schema, const char *recipe, stemma_error *err);
/* INVALID when there is such a part, or it cannot be. */
stemma_status schema_add(struct schema *schema, struct part part, stemma_error *err);
stemma_status schema_copy(struct schema *to, const struct schema *from, stemma_error *err);
void schema_release(struct schema *schema);
bool part_can_be(const struct part *part);
/* Which part it is, or -1. */
int schema_find(const struct schema *schema, uint32_t kind, uint32_t spec);
bool schema_equal(const struct schema *a, const struct schema *b);
/* As bytes that are kept: the recipe, with zeros up to a multiple of 8, and the parts. Their number follows
 * from the length of the recipe and the number of parts, which are kept elsewhere. */
bool schema_write(const struct schema *schema, struct buf *out);
size_t schema_bytes(size_t recipe, size_t parts);
/* CORRUPT when they cannot be. */
stemma_status schema_read(struct schema *schema, const uint8_t *bytes, size_t recipe, size_t parts,
                          stemma_error *err);
/* The kind of a lookup part in such a table; NULL when it has none. */
const struct part_kind *kind_find(const struct part_kind *kinds, uint32_t kind);

#endif

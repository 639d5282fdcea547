#include "collect/resize.h"

#include "index/hamming/growing.h"
#include "index/hamming/parts.h"
#include "shingle/whole.h"
#include "sketch/bits.h"

#include <string.h>

struct resizing {
    const volatile int *stop;
    struct again *again;
    struct whole *whole;
    struct bit_maker *maker;
    const struct collection *store;
    uint64_t documents, tried; /* all of them; for one column after the other */
    uint64_t missing;          /* those whose text is gone, */
    struct buf first;          /* and the id of the first, as a string */
    uint8_t bits[BITS_MOST / 8];
};

/* The text as it lies there, else as it is stored; NULL: it is gone. */
static stemma_status text_of(struct resizing *r, const struct row *row, const struct facts *facts,
                             struct again_text *out, stemma_error *err) {
    stemma_evidence evidence;
    const int part = schema_find(collection_schema(r->store), KIND_TEXT, 0);
    *out = (struct again_text){0};
    TRY(again_read(r->again, row->id, facts, out, &evidence, err));
    if (evidence == STEMMA_FROM_ORIGINAL || part < 0) return STEMMA_OK;
    return again_stored(r->again, row->cells[part], facts, out, &evidence, err);
}

static stemma_status miss(struct resizing *r, struct cell id, stemma_error *err) {
    if (r->missing++) return STEMMA_OK;
    return buf_add(&r->first, id.bytes, id.size) && buf_add_byte(&r->first, 0) ? STEMMA_OK : fail_memory(err);
}

static stemma_status make_bits(struct resizing *r, const struct row *row, const struct facts *facts,
                               stemma_error *err) {
    struct again_text text;
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(text_of(r, row, facts, &text, err));
    if (!text.text) return miss(r, row->id, err);
    TRY(whole_shingles(r->whole, text.text, text.text_size, &fp, &count, &tokens, err));
    bit_maker_begin(r->maker);
    TRY(bit_maker_add(r->maker, fp, count, err));
    TRY(bit_maker_end(r->maker, err));
    bit_maker_take(r->maker, r->bits);
    return STEMMA_OK;
}

/* When all were tried for the first time, so that it is said of how many. */
static stemma_status check_missing(const struct resizing *r, stemma_error *err) {
    const char *first = (const char *)r->first.data;
    if (!r->missing || r->tried < r->documents) return STEMMA_OK;
    if (r->missing == 1)
        return fail(err, STEMMA_UNREADABLE,
                    "'%s' is needed for more bits, and no longer what was added: add it again, or remove it",
                    first);
    return fail(err, STEMMA_UNREADABLE,
                "'%s' and others are needed for more bits, and no longer what was added: add them again, or "
                "remove them",
                first);
}

static stemma_status make_column(void *context, const struct row *row, const struct part *part,
                                 struct buf *cell, stemma_error *err) {
    struct resizing *r = context;
    struct facts facts;
    TRY(check_stop(r->stop, err));
    TRY(facts_read(row->facts, &facts, err));
    memset(r->bits, 0, sizeof r->bits); /* of what has no text */
    if (facts.state == FACTS_TEXT) TRY(make_bits(r, row, &facts, err));
    r->tried++;
    TRY(check_missing(r, err));
    struct cell made = bits_cell(part, r->bits);
    return buf_add(cell, made.bytes, made.size) ? STEMMA_OK : fail_memory(err);
}

static stemma_status resize(struct resizing *r, struct collection *store, const struct stemma_recipe *recipe,
                            const stemma_limits *limits, uint32_t bits, stemma_error *err) {
    struct bits_layout layout;
    struct collection_facts about;
    bits_layout_read(collection_schema(store), &layout);
    collection_about(store, &about);
    r->documents = about.documents;
    if (!layout.bits)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' keeps no Hamming fingerprints", collection_path(store));
    TRY(bits_check(bits, 0, err));
    TRY(again_new(recipe, limits, &r->again, err));
    TRY(whole_new(&recipe->view, &recipe->tables, &r->whole, err));
    TRY(bit_maker_new(&recipe->view, bits, &r->maker, err));
    return bits_resize(store, bits, make_column, r, err);
}

stemma_status resize_bits(struct collection *store, const struct stemma_recipe *recipe,
                          const stemma_limits *limits, uint32_t bits, stemma_error *err) {
    struct resizing r = {.stop = limits->stop, .store = store};
    stemma_status status = resize(&r, store, recipe, limits, bits, err);
    again_free(r.again);
    whole_free(r.whole);
    bit_maker_free(r.maker);
    buf_release(&r.first);
    return status;
}

/* Documents are read once: their fingerprints wait in a temporary file, since columns are written one after
 * the other. What cannot be read is marked first, by a commit of its own, so that no fingerprint is ever
 * taken for more than it is. */
#include "collect/resize.h"

#include "base/file.h"
#include "base/temporary.h"
#include "index/hamming/growing.h"
#include "index/hamming/parts.h"
#include "shingle/whole.h"
#include "sketch/bits.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct resizing {
    struct collection *store;
    const stemma_limits *limits;
    struct again *again;
    struct whole *whole;
    struct bit_maker *maker;
    struct batch *batch; /* rows that get a mark, or lose it; NULL: none */
    int made;            /* file of fingerprints, by number */
    size_t bytes;        /* of each */
    uint64_t numbers;    /* that it has room for: zeros, where none was made */
    tell_unread *tell;
    void *context;
    uint64_t texts, lost; /* documents with a text; of them, those that cannot be read */
    struct buf id;        /* as a string */
    uint8_t facts[FACTS_BYTES], bits[BITS_MOST / 8];
};

/* ---- what is made ---- */

static stemma_status make_room(struct resizing *r, uint64_t numbers, stemma_error *err) {
    if (numbers <= r->numbers) return STEMMA_OK;
    r->numbers = numbers;
    return ftruncate(r->made, (off_t)(numbers * r->bytes)) == 0
               ? STEMMA_OK
               : fail_errno(err, "write", "a temporary file", errno);
}

static stemma_status keep_bits(const struct resizing *r, uint64_t number, stemma_error *err) {
    const int cause = write_at(r->made, r->bits, r->bytes, number * r->bytes);
    return cause ? fail_errno(err, "write", "a temporary file", cause) : STEMMA_OK;
}

static stemma_status make_column(void *context, uint64_t number, const struct row *row,
                                 const struct part *part, struct buf *cell, stemma_error *err) {
    struct resizing *r = context;
    (void)row;
    TRY(check_stop(r->limits->stop, err));
    const int cause = read_at(r->made, r->bits, r->bytes, number * r->bytes);
    if (cause) return fail_errno(err, "read", "a temporary file", cause);
    const struct cell made = bits_cell(part, r->bits);
    return buf_add(cell, made.bytes, made.size) ? STEMMA_OK : fail_memory(err);
}

/* ---- rows that are written again ---- */

typedef void change_facts(struct facts *facts, bool *changes);

static void unsettle(struct facts *facts, bool *changes) {
    *changes = !facts->unsettled;
    facts->unsettled = true;
}

static void lose_bits(struct facts *facts, bool *changes) {
    (void)changes;
    facts->no_bits = true;
}

static void have_bits(struct facts *facts, bool *changes) {
    (void)changes;
    facts->no_bits = false;
}

/* The fingerprint of a document that gets another number. */
static stemma_status move_bits(const struct resizing *r, uint64_t from, uint64_t to, stemma_error *err) {
    uint8_t bits[BITS_MOST / 8];
    int cause = read_at(r->made, bits, r->bytes, from * r->bytes);
    if (!cause) cause = write_at(r->made, bits, r->bytes, to * r->bytes);
    return cause ? fail_errno(err, "write", "a temporary file", cause) : STEMMA_OK;
}

/* The document with this id as the batch has it, with other facts, and the fingerprint of `bits`; NULL: with
 * the one that it has. */
static stemma_status rewrite(struct resizing *r, struct cell id, change_facts *change, const uint8_t *bits,
                             uint64_t *number, stemma_error *err) {
    const struct schema *schema = collection_schema(r->store);
    struct id_place place;
    struct facts facts;
    struct row row;
    bool changes = true;
    if (!r->batch) TRY(batch_new(r->store, &r->batch, err));
    TRY(batch_find(r->batch, id.bytes, id.size, &place, err));
    if (!place.found) return STEMMA_OK;
    TRY(batch_row(r->batch, &place, &row, err));
    TRY(facts_read(row.facts, &facts, err));
    change(&facts, &changes);
    if (!changes) return STEMMA_OK;
    facts_write(&facts, r->facts);
    row.facts = (struct cell){r->facts, sizeof r->facts};
    for (size_t i = 0; bits && i < schema->count; i++)
        if (schema->parts[i].kind == KIND_BITS) row.cells[i] = bits_cell(&schema->parts[i], bits);
    const uint64_t before = place.number;
    TRY(batch_put_at(r->batch, &place, &row, number, err));
    TRY(make_room(r, *number + 1, err));
    return bits ? STEMMA_OK : move_bits(r, before, *number, err);
}

static void tell(const struct resizing *r) {
    const char *name = (const char *)r->id.data;
    stemma_error cause;
    (void)fail(&cause, STEMMA_UNREADABLE,
               "'%s' cannot be read as it was added: it has no fingerprint until it is added again", name);
    const stemma_scan_problem problem = {.name = name, .cause = cause.message, .status = cause.status};
    if (r->tell) r->tell(r->context, &problem);
}

/* What it is inside is read again by the next `add`. */
static stemma_status lose(struct resizing *r, const struct facts *facts, stemma_error *err) {
    const struct cell id = {r->id.data, r->id.len - 1};
    const struct cell file = {id.bytes, facts->path_bytes};
    uint64_t number;
    memset(r->bits, 0, sizeof r->bits);
    if (!facts->no_bits) TRY(rewrite(r, id, lose_bits, r->bits, &number, err));
    if (facts_inside(facts, id.size)) TRY(rewrite(r, file, unsettle, NULL, &number, err));
    r->lost++;
    tell(r);
    return STEMMA_OK;
}

/* ---- documents ---- */

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

static stemma_status make_bits(struct resizing *r, const struct again_text *text, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(r->whole, text->text, text->text_size, &fp, &count, &tokens, err));
    bit_maker_begin(r->maker);
    TRY(bit_maker_add(r->maker, fp, count, err));
    TRY(bit_maker_end(r->maker, err));
    bit_maker_take(r->maker, r->bits);
    return STEMMA_OK;
}

/* It may have been written again for what is inside it. */
static stemma_status number_of(struct resizing *r, struct cell id, uint64_t *number, stemma_error *err) {
    struct id_place place;
    TRY(batch_find(r->batch, id.bytes, id.size, &place, err));
    if (place.found) *number = place.number;
    return STEMMA_OK;
}

static stemma_status take_document(struct resizing *r, uint64_t number, stemma_error *err) {
    struct again_text text;
    struct facts facts;
    struct row row;
    bool found;
    TRY(collection_row(r->store, number, &row, &found, err));
    TRY(facts_read(row.facts, &facts, err));
    if (facts.state != FACTS_TEXT) return STEMMA_OK;
    r->texts++;
    r->id.len = 0;
    if (!buf_add(&r->id, row.id.bytes, row.id.size) || !buf_add_byte(&r->id, 0)) return fail_memory(err);
    TRY(text_of(r, &row, &facts, &text, err));
    if (!text.text) return lose(r, &facts, err);
    TRY(make_bits(r, &text, err));
    const struct cell id = {r->id.data, r->id.len - 1};
    if (facts.no_bits) TRY(rewrite(r, id, have_bits, r->bits, &number, err));
    if (r->batch) TRY(number_of(r, id, &number, err));
    return keep_bits(r, number, err);
}

static stemma_status take_all(struct resizing *r, stemma_error *err) {
    for (uint64_t number = 0;; number++) {
        bool found;
        TRY(check_stop(r->limits->stop, err));
        TRY(collection_next(r->store, number, &number, &found, err));
        if (!found) return STEMMA_OK;
        TRY(take_document(r, number, err));
    }
}

/* ---- all of it ---- */

static stemma_status get_ready(struct resizing *r, const struct stemma_recipe *recipe, uint32_t bits,
                               stemma_error *err) {
    r->bytes = bits / 8;
    TRY(temporary_open(r->limits->temporary_directory, &r->made, err));
    TRY(again_new(recipe, r->limits, &r->again, err));
    TRY(whole_new(&recipe->view, &recipe->tables, &r->whole, err));
    return bit_maker_new(&recipe->view, bits, &r->maker, err);
}

static stemma_status grow(struct resizing *r, uint32_t bits, stemma_error *err) {
    struct collection_facts about;
    collection_about(r->store, &about);
    TRY(make_room(r, about.next_number, err));
    TRY(take_all(r, err));
    if (r->lost > r->texts / 2) /* fingerprints that are kept would be lost for ever */
        return fail(err, STEMMA_UNREADABLE,
                    "%llu of the %llu documents of '%s' cannot be read as they were added, as if a disk were "
                    "missing: its fingerprints stay as they are",
                    (unsigned long long)r->lost, (unsigned long long)r->texts, collection_path(r->store));
    if (r->batch) TRY(batch_commit(r->batch, err));
    batch_free(r->batch);
    r->batch = NULL;
    return bits_resize(r->store, bits, make_column, r, err);
}

stemma_status resize_bits(struct collection *store, const struct stemma_recipe *recipe,
                          const stemma_limits *limits, uint32_t bits, tell_unread *told, void *context,
                          stemma_error *err) {
    struct resizing r = {.store = store, .limits = limits, .made = -1, .tell = told, .context = context};
    struct bits_layout layout;
    bits_layout_read(collection_schema(store), &layout);
    if (!layout.bits)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' keeps no Hamming fingerprints", collection_path(store));
    TRY(bits_check(bits, 0, err));
    if (bits <= layout.bits) return bits_resize(store, bits, NULL, NULL, err);
    stemma_status status = get_ready(&r, recipe, bits, err);
    if (status == STEMMA_OK) status = grow(&r, bits, err);
    if (r.made >= 0) close(r.made);
    batch_free(r.batch);
    again_free(r.again);
    whole_free(r.whole);
    bit_maker_free(r.maker);
    buf_release(&r.id);
    return status;
}

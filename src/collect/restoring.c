#include "collect/restoring.h"

#include "base/alloc.h"
#include "collect/again.h"
#include "collect/row_maker.h"
#include "index/hamming/parts.h"

#include <string.h>

struct restorer {
    const stemma_limits *limits;
    const void *key;
    size_t key_size;
    bool ready, able; /* able: the rows are such as this program makes of documents */
    struct stemma_recipe *recipe;
    struct again *again;
    struct whole *whole;
    struct row_maker *maker;
};

stemma_status restorer_new(const stemma_limits *limits, const void *key, size_t key_size,
                           struct restorer **out, stemma_error *err) {
    struct restorer *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory(err);
    *r = (struct restorer){.limits = limits, .key = key, .key_size = key_size};
    *out = r;
    return STEMMA_OK;
}

void restorer_free(struct restorer *r) {
    if (!r) return;
    row_maker_free(r->maker);
    whole_free(r->whole);
    again_free(r->again);
    recipe_release(r->recipe);
    mem_free(r);
}

/* ---- what it takes ---- */

static stemma_status find_recipe(struct restorer *r, const char *text, stemma_error *err) {
    struct stemma_recipe *plain;
    TRY(recipe_parse(text, strlen(text), &plain, err));
    if (!plain->view.keyed) {
        r->recipe = plain;
        return STEMMA_OK;
    }
    stemma_status status = r->key ? recipe_with_key(plain, r->key, r->key_size, &r->recipe, err)
                                  : fail(err, STEMMA_INVALID,
                                         "the collection is keyed: it takes its key to make documents again");
    recipe_release(plain);
    return status;
}

static stemma_status get_ready(struct restorer *r, const struct schema *schema, stemma_error *err) {
    TRY(find_recipe(r, schema->recipe, err));
    TRY(again_new(r->recipe, r->limits, &r->again, err));
    TRY(whole_new(&r->recipe->view, &r->recipe->tables, &r->whole, err));
    stemma_status status = row_maker_new(schema, r->recipe, &r->maker, err);
    r->able = status == STEMMA_OK;
    r->ready = true;
    return status == STEMMA_UNSUPPORTED ? STEMMA_OK : status; /* the cache of a scan */
}

/* ---- a document ---- */

/* A stored text is there and sound, and is the one that was added. */
static stemma_status stored_text(struct restorer *r, const struct schema *schema, const bool *damaged,
                                 const struct row *row, const struct facts *facts, struct again_text *text,
                                 bool *found, stemma_error *err) {
    const int part = schema_find(schema, KIND_TEXT, 0);
    stemma_evidence evidence = STEMMA_FROM_GONE;
    if (part < 0 || damaged[part]) return STEMMA_OK;
    stemma_status status = again_stored(r->again, row->cells[part], facts, text, &evidence, err);
    if (status != STEMMA_OK && status != STEMMA_CORRUPT) return status;
    *found = status == STEMMA_OK && evidence == STEMMA_FROM_STORED && again_is_text(text, facts);
    return STEMMA_OK;
}

static stemma_status find_text(struct restorer *r, const struct schema *schema, const bool *damaged,
                               const struct row *row, const struct facts *facts, struct again_text *text,
                               bool *found, stemma_error *err) {
    stemma_evidence evidence;
    *found = false;
    TRY(stored_text(r, schema, damaged, row, facts, text, found, err));
    if (*found) return STEMMA_OK;
    TRY(again_read(r->again, row->id, facts, text, &evidence, err));
    *found = evidence == STEMMA_FROM_ORIGINAL && again_is_text(text, facts);
    return STEMMA_OK;
}

static void replace_damaged(const struct restorer *r, const struct schema *schema, const bool *damaged,
                            struct row *row) {
    struct row made;
    row_maker_give(r->maker, &made);
    for (size_t p = 0; p < schema->count; p++)
        if (damaged[p]) row->cells[p] = made.cells[p];
}

/* Without its stored text and its signature a document is still found: not so without its other sketches. */
static bool is_found_without(const struct part *part) {
    return part->kind == KIND_TEXT || part->kind == KIND_SIGNATURE;
}

static enum mending without_text(const struct schema *schema, const bool *damaged, struct row *row) {
    for (size_t p = 0; p < schema->count; p++)
        if (damaged[p] && !is_found_without(&schema->parts[p])) return MEND_NOT;
    for (size_t p = 0; p < schema->count; p++)
        if (damaged[p]) row->cells[p] = (struct cell){0};
    return MEND_EMPTIED;
}

/* The bits of a document that has no fingerprint are zeros; *left: whether there is more to mend. */
static void mend_no_bits(const struct schema *schema, const bool *damaged, struct row *row, bool *others,
                         bool *left) {
    static const uint8_t zeros[BITS_COLUMN / 8];
    *left = false;
    for (size_t p = 0; p < schema->count; p++) {
        const bool bits = damaged[p] && schema->parts[p].kind == KIND_BITS;
        if (bits) row->cells[p] = (struct cell){zeros, schema->parts[p].width};
        others[p] = damaged[p] && !bits;
        *left = *left || others[p];
    }
}

static stemma_status mend_text(struct restorer *r, const struct schema *schema, const bool *damaged,
                               struct row *row, const struct facts *facts, enum mending *done,
                               stemma_error *err) {
    struct again_text text;
    bool others[PARTS_MOST], found, left = true;
    if (facts->no_bits) {
        mend_no_bits(schema, damaged, row, others, &left);
        damaged = others;
    }
    *done = MEND_DONE;
    if (!left) return STEMMA_OK;
    TRY(find_text(r, schema, damaged, row, facts, &text, &found, err));
    if (!found) {
        *done = without_text(schema, damaged, row);
        return STEMMA_OK;
    }
    TRY(row_maker_text(r->maker, r->whole, text.text, text.text_size, err));
    replace_damaged(r, schema, damaged, row);
    return STEMMA_OK;
}

stemma_status restorer_mend(void *context, const struct schema *schema, const bool *damaged, struct row *row,
                            enum mending *done, stemma_error *err) {
    struct restorer *r = context;
    struct facts facts;
    TRY(check_stop(r->limits->stop, err));
    *done = MEND_NOT;
    if (!r->ready) TRY(get_ready(r, schema, err));
    if (!r->able || facts_read(row->facts, &facts, NULL) != STEMMA_OK) return STEMMA_OK;
    if (facts.state == FACTS_TEXT) return mend_text(r, schema, damaged, row, &facts, done, err);
    row_maker_none(r->maker);
    replace_damaged(r, schema, damaged, row);
    *done = MEND_DONE;
    return STEMMA_OK;
}

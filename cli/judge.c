#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "recipe_options.h"

enum exit_code judge_init(judge *j, const options *o, const char *command_name) {
    *j = (judge){.options = o, .thresholds = stemma_thresholds_default()};
    if (o->threshold >= 0) j->thresholds.resemblance = o->threshold;
    if (o->contained >= 0) j->thresholds.containment = o->contained;
    j->limits = limits_from(o);
    enum exit_code code = recipe_from_options(o, command_name, &j->recipe);
    if (!code) j->stored = stored_new();
    return code;
}

void judge_release(judge *j) {
    stored_free(j->stored);
    stemma_recipe_free(j->recipe);
}

/* ---- the cache ---- */

static void slot_release(struct cache_slot *slot) {
    free(slot->name);
    stemma_sketch_free(slot->sketch);
    stemma_document_free(slot->document);
    *slot = (struct cache_slot){0};
}

static struct cache_slot *cache_find(document_cache *cache, const char *name) {
    for (size_t i = 0; i < CACHE_SLOTS; i++) {
        struct cache_slot *slot = &cache->slots[i];
        if (slot->name && !strcmp(slot->name, name)) {
            slot->used = ++cache->clock;
            return slot;
        }
    }
    return NULL;
}

/* In the place of what was not used for longest: a pair uses two slots, so its own stay. */
static struct cache_slot *cache_add(document_cache *cache, const char *name) {
    struct cache_slot *oldest = &cache->slots[0];
    for (size_t i = 1; i < CACHE_SLOTS; i++)
        if (cache->slots[i].used < oldest->used) oldest = &cache->slots[i];
    slot_release(oldest);
    *oldest = (struct cache_slot){.name = need_copy(name), .used = ++cache->clock};
    return oldest;
}

/* Documents that are too large together are read again when they are needed again: the oldest go first. */
static void cache_trim(document_cache *cache, size_t memory) {
    for (;;) {
        struct cache_slot *oldest = NULL;
        uint64_t shingles = 0;
        for (size_t i = 0; i < CACHE_SLOTS; i++) {
            struct cache_slot *slot = &cache->slots[i];
            if (slot->document && (!oldest || slot->used < oldest->used)) oldest = slot;
            shingles += slot->shingles;
        }
        if (!oldest || shingles <= memory / sizeof(uint64_t)) return;
        stemma_document_free(oldest->document);
        oldest->document = NULL;
        oldest->shingles = 0;
    }
}

void cache_release(document_cache *cache) {
    for (size_t i = 0; i < CACHE_SLOTS; i++) slot_release(&cache->slots[i]);
}

/* ---- the two sides ---- */

/* A side is a stored sketch, or a document with its slot. */
typedef struct side {
    const char *name;
    const stemma_sketch *sketch;
    struct cache_slot *slot; /* NULL for a stored sketch */
} side;

static stemma_status find_side(const judge *j, document_cache *cache, const char *name, side *out,
                               stemma_error *error) {
    *out = (side){.name = name, .slot = cache_find(cache, name)};
    if (out->slot) return STEMMA_OK;
    stemma_status status = stored_find(j->stored, name, &out->sketch, error);
    if (status) return status;
    if (out->sketch)
        return recipe_check_stored(j->options, j->recipe, name, stemma_sketch_recipe(out->sketch), error);
    out->slot = cache_add(cache, name);
    return STEMMA_OK;
}

static bool made_by(const stemma_sketch *sketch, const stemma_recipe *recipe) {
    return sketch && !strcmp(stemma_recipe_text(stemma_sketch_recipe(sketch)), stemma_recipe_text(recipe));
}

static stemma_status sketch_document(const judge *j, side *document, const stemma_recipe *recipe,
                                     stemma_error *error) {
    struct cache_slot *slot = document->slot;
    if (!made_by(slot->sketch, recipe)) {
        stemma_sketch *sketch;
        stemma_status status = stemma_sketch_file(document->name, recipe, &j->limits, &sketch, error);
        if (status) return status;
        stemma_sketch_free(slot->sketch);
        slot->sketch = sketch;
    }
    document->sketch = slot->sketch;
    return STEMMA_OK;
}

/* Sketches the document in the way the stored sketch of the other side was made. */
static stemma_status sketch_alike(const judge *j, side *document, const side *stored, stemma_error *error) {
    const stemma_recipe *wanted = stemma_sketch_recipe(stored->sketch);
    stemma_recipe *recipe;
    if (made_by(document->slot->sketch, wanted)) return sketch_document(j, document, wanted, error);
    stemma_status status = recipe_like_stored(j->options, stored->name, wanted, &recipe, error);
    if (status) return status;
    status = sketch_document(j, document, recipe, error);
    stemma_recipe_free(recipe);
    return status;
}

/* Fills the sides that are documents; those that are stored are there already. */
static stemma_status complete_sides(const judge *j, side *a, side *b, stemma_error *error) {
    if (!a->slot && !b->slot) return STEMMA_OK;
    if (!a->slot) return sketch_alike(j, b, a, error);
    if (!b->slot) return sketch_alike(j, a, b, error);
    stemma_status status = sketch_document(j, a, j->recipe, error);
    return status ? status : sketch_document(j, b, j->recipe, error);
}

static bool has_signature(const stemma_sketch *sketch) {
    return strstr(stemma_recipe_text(stemma_sketch_recipe(sketch)), "; signature ") != NULL;
}

static stemma_status compare_sketches(const judge *j, const side *a, const side *b, verdict *out,
                                      stemma_error *error) {
    stemma_error cause;
    stemma_status status =
        stemma_compare_sketches(a->sketch, b->sketch, &j->thresholds, &out->comparison, &cause);
    if (status)
        return set_error(error, status, "cannot compare '%s' with '%s': %s", a->name, b->name, cause.message);
    out->recipe = need_copy(stemma_recipe_text(stemma_sketch_recipe(a->sketch)));
    bool asked = j->options->edit == EDIT_EXACT || j->options->edit == EDIT_ESTIMATE;
    out->edits.known =
        j->options->edit != EDIT_NONE && (asked || has_signature(a->sketch) || has_signature(b->sketch));
    out->edits.edit = out->comparison.edit;
    return out->edits.known ? edits_locate(a->sketch, b->sketch, &out->edits, error) : STEMMA_OK;
}

/* ---- exactly ---- */

static stemma_status read_document(const judge *j, const side *document, const stemma_text *text,
                                   stemma_error *error) {
    if (document->slot->document) return STEMMA_OK;
    if (!text)
        return stemma_document_file(document->name, j->recipe, &j->limits, &document->slot->document, error);
    return stemma_document_of_text(text, j->recipe, &j->limits, &document->slot->document, error);
}

/* Where edits are wanted a document is read once, as a text. */
static stemma_status read_texts(const judge *j, const side *a, const side *b, stemma_text *texts[2],
                                stemma_error *error) {
    if (!edits_wanted(j->options)) return STEMMA_OK;
    stemma_status status = edits_read(j->options, a->name, j->recipe, &texts[0], error);
    return status ? status : edits_read(j->options, b->name, j->recipe, &texts[1], error);
}

static bool is_binary(const stemma_text *text) {
    return text && stemma_text_is_binary(text);
}

static stemma_status compare_read(const judge *j, document_cache *cache, const side *a, const side *b,
                                  stemma_text *const texts[2], verdict *out, stemma_error *error) {
    stemma_status status = read_document(j, a, texts[0], error);
    if (!status) status = read_document(j, b, texts[1], error);
    if (!status)
        status = stemma_compare_documents(a->slot->document, b->slot->document, &j->thresholds,
                                          &out->comparison, error);
    if (status) return status;
    a->slot->shingles = out->comparison.shingles_a;
    b->slot->shingles = out->comparison.shingles_b;
    cache_trim(cache, j->limits.memory);
    out->recipe = need_copy(stemma_recipe_text(j->recipe));
    if (!edits_wanted(j->options) || is_binary(texts[0]) || is_binary(texts[1])) return STEMMA_OK;
    const char *const names[2] = {a->name, b->name};
    return edits_measure(j->options, j->recipe, names, texts, &out->edits, error);
}

static stemma_status compare_documents(const judge *j, document_cache *cache, const side *a, const side *b,
                                       verdict *out, stemma_error *error) {
    stemma_text *texts[2] = {NULL, NULL};
    stemma_status status = read_texts(j, a, b, texts, error);
    if (!status) status = compare_read(j, cache, a, b, texts, out, error);
    stemma_text_free(texts[0]);
    stemma_text_free(texts[1]);
    return status;
}

/* ---- why a relation is unknown ---- */

/* What its sketch says of a side; false where it cannot be had, as a pipe cannot be read again. */
static bool know_side(const judge *j, side *s, stemma_document_info *info) {
    stemma_error ignored;
    if (!s->sketch && (!can_be_read_again(s->name) || sketch_document(j, s, j->recipe, &ignored)))
        return false;
    *info = stemma_sketch_info(s->sketch);
    return true;
}

static bool has_no_text(const judge *j, side *s) {
    stemma_document_info info;
    return know_side(j, s, &info) && info.bytes && !info.tokens;
}

/* "x has 4 words, fewer than the window of 5", or NULL. Other windows can be tried only with documents. */
static char *too_short(const judge *j, side *s, const char *recipe, bool documents) {
    size_t length;
    stemma_document_info info = {0};
    uint64_t tokens = know_side(j, s, &info) ? info.tokens : 0,
             window = strtoull(recipe_field(recipe, "window", &length), NULL, 10);
    if (tokens == 0 || tokens >= window) return NULL;
    char advice[48] = "", *text = NULL;
    unsigned long long half = tokens > 1 ? tokens / 2 : 1;
    if (documents) snprintf(advice, sizeof advice, "; try --window=%llu", half);
    if (asprintf(&text, "%s has %llu %s, fewer than the window of %llu%s", s->name,
                 (unsigned long long)tokens, recipe_unit(recipe, tokens), (unsigned long long)window,
                 advice) < 0)
        text = NULL;
    return need(text);
}

static void explain_unknown(const judge *j, side *a, side *b, verdict *v) {
    bool documents = a->slot && b->slot;
    if (v->comparison.relation != STEMMA_UNKNOWN) return;
    v->no_text = has_no_text(j, a) ? a->name : has_no_text(j, b) ? b->name : NULL;
    if (v->no_text) return;
    v->hint = too_short(j, a, v->recipe, documents);
    if (!v->hint) v->hint = too_short(j, b, v->recipe, documents);
}

/* ---- a pair ---- */

void verdict_release(verdict *v) {
    free(v->recipe);
    free(v->hint);
    edits_release(&v->edits);
}

static stemma_status compare_sides(const judge *j, document_cache *cache, side *a, side *b, verdict *out,
                                   stemma_error *error) {
    if (a->slot && b->slot && !j->options->sketch) return compare_documents(j, cache, a, b, out, error);
    stemma_status status = complete_sides(j, a, b, error);
    return status ? status : compare_sketches(j, a, b, out, error);
}

stemma_status judge_pair(const judge *j, document_cache *cache, const char *a, const char *b, verdict *out,
                         stemma_error *error) {
    side side_a, side_b;
    *out = (verdict){.a = a, .b = b};
    stemma_status status = find_side(j, cache, a, &side_a, error);
    if (!status) status = find_side(j, cache, b, &side_b, error);
    if (!status) status = compare_sides(j, cache, &side_a, &side_b, out, error);
    if (!status) explain_unknown(j, &side_a, &side_b, out);
    return status;
}

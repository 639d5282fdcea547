/* The canonical text of a document, its tokens, and where they stood in the original. */
#include "text/canon.h"

#include "base/alloc.h"
#include "base/file.h"
#include "sketch/recipe.h"
#include "text/tokens.h"

/* The text and its map are held in memory; refuse what cannot be. */
#define TEXT_MOST ((size_t)16 << 30)

struct stemma_text {
    struct buf text;
    struct offset_map map;
    enum unit unit;
    struct token *tokens;
    size_t count, cap;
};

static stemma_status find_tokens(stemma_text *t, stemma_error *err) {
    struct token token;
    size_t at = 0;
    while (token_next(t->unit, t->text.data, t->text.len, true, &at, &token)) {
        if (!mem_grow((void **)&t->tokens, &t->cap, t->count + 1, sizeof *t->tokens)) return fail_memory(err);
        t->tokens[t->count++] = token;
    }
    return STEMMA_OK;
}

static stemma_status canonicalise(stemma_text *t, const stemma_recipe *recipe, const uint8_t *bytes, size_t size,
                                  stemma_error *err) {
    struct canon *canon;
    t->unit = recipe->view.unit;
    TRY(canon_new(recipe->view.folds, t->unit, &t->map, &canon, err));
    stemma_status status = canon_feed(canon, bytes, size, &t->text, err);
    if (status == STEMMA_OK) status = canon_finish(canon, &t->text, err);
    canon_free(canon);
    return status == STEMMA_OK ? find_tokens(t, err) : status;
}

stemma_status stemma_text_bytes(const void *data, size_t size, const stemma_recipe *recipe, stemma_text **out,
                                stemma_error *err) {
    if ((!data && size) || !out) return fail(err, STEMMA_INVALID, "data and a place for the text are needed");
    stemma_recipe *own = NULL;
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    stemma_text *text = mem_zero(1, sizeof *text);
    stemma_status status = text ? canonicalise(text, recipe ? recipe : own, data, size, err) : fail_memory(err);
    stemma_recipe_free(own);
    if (status != STEMMA_OK) {
        stemma_text_free(text);
        return status;
    }
    *out = text;
    return STEMMA_OK;
}

stemma_status stemma_text_file(const char *path, const stemma_recipe *recipe, stemma_text **out, stemma_error *err) {
    struct input input;
    struct buf bytes = {0};
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the text are needed");
    TRY(input_open(&input, path, err));
    stemma_status status = input_read_all(&input, TEXT_MOST, &bytes, err);
    input_close(&input);
    if (status == STEMMA_OK) status = stemma_text_bytes(bytes.data, bytes.len, recipe, out, err);
    buf_release(&bytes);
    return status;
}

const char *stemma_text_data(const stemma_text *text, size_t *size) {
    *size = text->text.len;
    return text->text.data ? (const char *)text->text.data : "";
}

size_t stemma_text_token_count(const stemma_text *text) {
    return text->count;
}

stemma_status stemma_text_token(const stemma_text *text, size_t index, stemma_token *out, stemma_error *err) {
    if (!text || !out) return fail(err, STEMMA_INVALID, "a text and a place for the token are needed");
    if (index >= text->count)
        return fail(err, STEMMA_NOT_FOUND, "the text has %zu tokens, not %zu", text->count, index + 1);
    struct token token = text->tokens[index];
    *out = (stemma_token){
        .begin = token.begin,
        .end = token.end,
        .source_begin = offset_map_find(&text->map, token.begin),
        .source_end = offset_map_find(&text->map, token.end),
    };
    return STEMMA_OK;
}

void stemma_text_free(stemma_text *text) {
    if (!text) return;
    buf_release(&text->text);
    offset_map_release(&text->map);
    mem_free(text->tokens);
    mem_free(text);
}

/* The canonical text of a document, its tokens, and where they stood in the original. */
#include "api/text.h"

#include "api/limits.h"
#include "base/alloc.h"
#include "base/file.h"
#include "sketch/recipe.h"

static stemma_status find_tokens(stemma_text *t, stemma_error *err) {
    struct token token;
    size_t at = 0;
    while (token_next(t->unit, t->text.data, t->text.len, true, &at, &token)) {
        if (!mem_grow((void **)&t->tokens, &t->cap, t->count + 1, sizeof *t->tokens)) return fail_memory(err);
        t->tokens[t->count++] = token;
    }
    return STEMMA_OK;
}

/* ---- lines ---- */

/* Line ends are counted once per block of this size; the rest of the way is looked at when a line is asked
 * for. */
enum { LINE_BLOCK = 256 };

static uint64_t count_lines(const uint8_t *bytes, size_t size) {
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    return lines;
}

static stemma_status count_all_lines(stemma_text *t, stemma_error *err) {
    size_t blocks = t->source.len / LINE_BLOCK + 1;
    t->lines_before = mem_alloc(blocks * sizeof *t->lines_before);
    if (!t->lines_before) return fail_memory(err);
    t->lines_before[0] = 0;
    for (size_t i = 1; i < blocks; i++)
        t->lines_before[i] =
            t->lines_before[i - 1] + count_lines(t->source.data + (i - 1) * LINE_BLOCK, LINE_BLOCK);
    return STEMMA_OK;
}

uint64_t stemma_text_line(const stemma_text *text, uint64_t source_offset) {
    size_t at = source_offset < text->source.len ? (size_t)source_offset : text->source.len;
    size_t block = at / LINE_BLOCK, rest = at % LINE_BLOCK;
    const uint8_t *from = rest ? text->source.data + block * LINE_BLOCK : NULL;
    return text->lines_before[block] + count_lines(from, rest) + 1;
}

/* ---- making one ---- */

/* Source, text, tokens and the map to the source take a few times the size of the document. */
static stemma_status refuse_large(uint64_t size, const stemma_limits *limits, const char *what,
                                  stemma_error *err) {
    if (size <= limits->memory / 4) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED,
                "%s has %llu bytes, and its text needs about four times as much memory: allow more", what,
                (unsigned long long)size);
}

enum { STEP = 1 << 20 }; /* bytes between two looks at whether to stop */

static stemma_status feed(stemma_text *t, struct canon *canon, const uint8_t *bytes, size_t size,
                          const volatile int *stop, stemma_error *err) {
    for (size_t step; size; bytes += step, size -= step) {
        step = size < STEP ? size : STEP;
        TRY(check_stop(stop, err));
        TRY(canon_feed(canon, bytes, step, &t->text, err));
    }
    return canon_finish(canon, &t->text, err);
}

static stemma_status canonicalise(stemma_text *t, const stemma_recipe *recipe, const uint8_t *bytes,
                                  size_t size, const volatile int *stop, stemma_error *err) {
    struct canon *canon;
    t->unit = recipe->view.unit;
    t->folds = recipe->view.folds;
    if (!buf_add(&t->source, bytes, size)) return fail_memory(err);
    TRY(count_all_lines(t, err));
    TRY(canon_new(recipe->view.folds, t->unit, &t->map, &canon, err));
    stemma_status status = feed(t, canon, bytes, size, stop, err);
    canon_free(canon);
    return status == STEMMA_OK ? find_tokens(t, err) : status;
}

stemma_status stemma_text_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                const stemma_limits *given, stemma_text **out, stemma_error *err) {
    if ((!data && size) || !out) return fail(err, STEMMA_INVALID, "data and a place for the text are needed");
    stemma_limits limits;
    stemma_recipe *own = NULL;
    TRY(limits_check(given, &limits, err));
    TRY(refuse_large(size, &limits, "the document", err));
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    stemma_text *text = mem_zero(1, sizeof *text);
    stemma_status status =
        text ? canonicalise(text, recipe ? recipe : own, data, size, limits.stop, err) : fail_memory(err);
    stemma_recipe_free(own);
    if (status != STEMMA_OK) {
        stemma_text_free(text);
        return status;
    }
    *out = text;
    return STEMMA_OK;
}

static stemma_status read_all(const char *path, const stemma_limits *limits, struct buf *bytes,
                              stemma_error *err) {
    struct input input;
    TRY(input_open(&input, path, err));
    input.stop = limits->stop;
    stemma_status status = refuse_large(input.size, limits, path, err);
    if (status == STEMMA_OK) status = input_read_all(&input, limits->memory / 4, bytes, err);
    input_close(&input);
    return status;
}

stemma_status stemma_text_file(const char *path, const stemma_recipe *recipe, const stemma_limits *given,
                               stemma_text **out, stemma_error *err) {
    struct buf bytes = {0};
    stemma_limits limits;
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the text are needed");
    TRY(limits_check(given, &limits, err));
    stemma_status status = read_all(path, &limits, &bytes, err);
    if (status == STEMMA_OK) status = stemma_text_bytes(bytes.data, bytes.len, recipe, &limits, out, err);
    buf_release(&bytes);
    return status;
}

/* ---- asking it ---- */

const char *stemma_text_source(const stemma_text *text, size_t *size) {
    *size = text->source.len;
    return text->source.data ? (const char *)text->source.data : "";
}

uint64_t text_source_begin(const stemma_text *text, size_t token) {
    return offset_map_find(&text->map, text->tokens[token].begin);
}

uint64_t text_source_end(const stemma_text *text, size_t token) {
    return offset_map_find(&text->map, text->tokens[token].end);
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
        .source_begin = text_source_begin(text, index),
        .source_end = text_source_end(text, index),
    };
    return STEMMA_OK;
}

void stemma_text_free(stemma_text *text) {
    if (!text) return;
    buf_release(&text->source);
    buf_release(&text->text);
    offset_map_release(&text->map);
    mem_free(text->tokens);
    mem_free(text->lines_before);
    mem_free(text);
}

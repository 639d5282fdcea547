/* The canonical text of a document, its tokens, and where they stood in the original. */
#include "api/text.h"

#include "api/limits.h"
#include "base/alloc.h"
#include "base/file.h"
#include "read/inside.h"
#include "sketch/recipe.h"

#include <string.h>

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

/* What a document is made into, and what may be used for it. */
struct making {
    stemma_text *text;
    const char *name;     /* for messages */
    const char *document; /* its name, NULL where it has none */
    bool is_text;         /* in UTF-8, whatever it looks like */
    const stemma_limits *limits;
};

static const char unnamed[] = "the document";

/* English text by words takes 3.7 times the size of the document: the original, the text, 8 bytes for a
 * token, 16 for a breakpoint of the map. */
enum { TIMES = 4 };

static stemma_status refuse_large(uint64_t size, const stemma_limits *limits, const char *name,
                                  stemma_error *err) {
    if (size <= limits->memory / TIMES) return STEMMA_OK;
    return fail(
        err, STEMMA_UNSUPPORTED,
        "%s has %llu bytes, and its text needs about four times as much memory: allow more (--memory)", name,
        (unsigned long long)size);
}

/* Where tokens are short or every word is set off, it is more: so it is counted, too. */
static stemma_status check_step(const struct making *making, stemma_error *err) {
    const stemma_text *t = making->text;
    size_t held =
        t->source.len + t->text.len + t->map.len * sizeof *t->map.pairs + t->count * sizeof *t->tokens;
    TRY(check_stop(making->limits->stop, err));
    if (held <= making->limits->memory) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED,
                "the text of %s needs more than %zu bytes of memory: allow more (--memory)", making->name,
                making->limits->memory);
}

enum { STEP = 1 << 20, STEP_TOKENS = 1 << 16 }; /* bytes or tokens between two checks */

static stemma_status feed(const struct making *making, struct canon *canon, stemma_error *err) {
    stemma_text *t = making->text;
    for (size_t at = 0, step; at < t->source.len; at += step) {
        step = t->source.len - at < STEP ? t->source.len - at : STEP;
        TRY(canon_feed(canon, t->source.data + at, step, &t->text, err));
        TRY(check_step(making, err));
    }
    return canon_finish(canon, &t->text, err);
}

static stemma_status find_tokens(const struct making *making, stemma_error *err) {
    stemma_text *t = making->text;
    struct token token;
    size_t at = 0;
    while (token_next(t->unit, t->text.data, t->text.len, true, &at, &token)) {
        if (!mem_grow((void **)&t->tokens, &t->cap, t->count + 1, sizeof *t->tokens)) return fail_memory(err);
        t->tokens[t->count++] = token_pack(token);
        if (t->count % STEP_TOKENS == 0) TRY(check_step(making, err));
    }
    return check_step(making, err);
}

static void digest_source(const stemma_text *t, uint8_t out[DIGEST_SIZE]) {
    struct digest digest;
    digest_init(&digest);
    digest_add(&digest, t->source.data, t->source.len);
    digest_finish(&digest, out);
}

/* The source becomes the text of the document that it is. */
static stemma_status extract(const struct making *making, const struct document_options *options,
                             enum text_format *format, stemma_error *err) {
    stemma_text *t = making->text;
    struct extractor x = {0};
    struct document_text text;
    stemma_status status =
        document_extract(&x, making->document, t->source.data, t->source.len, options, &text, err);
    if (status == STEMMA_OK) {
        limits_warn(making->limits, making->document, text.damage);
        size_t mark = text.extracted ? 0 : t->source.len - text.size;
        t->extracted = text.extracted || mark;
        *format = text.format;
        t->binary = text.format == TEXT_BINARY;
        t->original_size = t->source.len;
        if (t->extracted) digest_source(t, t->original);
        if (mark) memmove(t->source.data, text.bytes, t->source.len = text.size);
        struct buf *made = text.format == TEXT_PLAIN ? &x.decoded : &x.text, original = t->source;
        if (text.extracted) t->source = *made, *made = original;
    }
    extractor_release(&x);
    return status;
}

static stemma_status refuse_archive(const struct making *making, const struct document_options *reading,
                                    stemma_error *err) {
    const struct buf *source = &making->text->source;
    const struct container_options options = {
        .document = *reading, .held_most = making->limits->memory / TIMES, .stop = making->limits->stop};
    if (!making->document) return STEMMA_OK;
    return container_refuse_archive(making->document, source->data, source->len, &options, err);
}

static stemma_status read_document(const struct making *making, enum text_format *format, stemma_error *err) {
    struct document_options options = document_options_for(making->text->folds, making->limits);
    TRY(refuse_archive(making, &options, err));
    return extract(making, &options, format, err);
}

static stemma_status canonicalise(const struct making *making, const stemma_recipe *recipe,
                                  stemma_error *err) {
    struct canon *canon;
    stemma_text *t = making->text;
    t->unit = recipe->view.unit;
    t->folds = recipe->view.folds;
    enum text_format format = TEXT_PLAIN;
    if (!making->is_text) TRY(read_document(making, &format, err));
    TRY(count_all_lines(t, err));
    if (t->binary) return STEMMA_OK;
    TRY(canon_new(t->folds, t->unit, &t->map, &canon, err));
    stemma_status status = feed(making, canon, err);
    canon_free(canon);
    t->binary = t->text.len == 0 && !format_may_be_empty(format);
    return status == STEMMA_OK ? find_tokens(making, err) : status;
}

/* The source is taken over, whatever happens. */
static stemma_status make(struct making making, struct buf *source, const stemma_recipe *recipe,
                          stemma_text **out, stemma_error *err) {
    stemma_recipe *own = NULL;
    stemma_text *text = making.text = mem_zero(1, sizeof *text);
    if (!text) {
        buf_release(source);
        return fail_memory(err);
    }
    text->source = *source;
    *source = (struct buf){0};
    stemma_status status = recipe ? STEMMA_OK : stemma_recipe_parse(NULL, &own, err);
    if (status == STEMMA_OK) status = canonicalise(&making, recipe ? recipe : own, err);
    stemma_recipe_free(own);
    if (status == STEMMA_OK)
        *out = text;
    else
        stemma_text_free(text);
    return status;
}

/* Of bytes that stay the caller's. */
static stemma_status make_copy(struct making making, const void *bytes, size_t size,
                               const stemma_recipe *recipe, stemma_text **out, stemma_error *err) {
    struct buf source = {0};
    TRY(refuse_large(size, making.limits, making.name, err));
    if (!buf_add(&source, bytes, size)) return fail_memory(err);
    return make(making, &source, recipe, out, err);
}

stemma_status text_take(struct buf *source, const char *path, const stemma_recipe *recipe,
                        const stemma_limits *limits, stemma_text **out, stemma_error *err) {
    const struct making making = {.name = path ? path : unnamed, .document = path, .limits = limits};
    return make(making, source, recipe, out, err);
}

stemma_status text_of_document(const void *bytes, size_t size, const char *name, const stemma_recipe *recipe,
                               const stemma_limits *limits, stemma_text **out, stemma_error *err) {
    const struct making making = {.name = name ? name : unnamed, .document = name, .limits = limits};
    return make_copy(making, bytes, size, recipe, out, err);
}

stemma_status text_of_text(const void *text, size_t size, const stemma_recipe *recipe,
                           const stemma_limits *limits, stemma_text **out, stemma_error *err) {
    const struct making making = {.name = unnamed, .is_text = true, .limits = limits};
    return make_copy(making, text, size, recipe, out, err);
}

stemma_status stemma_text_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                const stemma_limits *given, stemma_text **out, stemma_error *err) {
    if ((!data && size) || !out) return fail(err, STEMMA_INVALID, "data and a place for the text are needed");
    stemma_limits limits;
    TRY(limits_check(given, &limits, err));
    return text_of_document(data, size, NULL, recipe, &limits, out, err);
}

stemma_status text_read_rest(struct input *input, const stemma_limits *limits, struct buf *bytes,
                             stemma_error *err) {
    input->stop = limits->stop;
    TRY(refuse_large(input->size, limits, input->name, err));
    return input_read_all(input, limits->memory / TIMES, bytes, err);
}

/* *name: by which its format is told. */
static stemma_status read_all(const char *path, const stemma_limits *limits, struct buf *bytes,
                              const char **name, stemma_error *err) {
    struct input input;
    stemma_status status = input_open(&input, path, err);
    *name = path;
    if (status == STEMMA_NOT_FOUND && inside_is_id(path)) {
        const struct container_options options = {.document = document_options_for(0, limits),
                                                  .held_most = limits->memory / TIMES,
                                                  .stop = limits->stop};
        const struct dataset_options datasets = limits_dataset(limits, limits->memory / TIMES);
        return inside_read(path, &options, &datasets, bytes, name, err);
    }
    TRY(status);
    status = text_read_rest(&input, limits, bytes, err);
    input_close(&input);
    return status;
}

stemma_status stemma_text_file(const char *path, const stemma_recipe *recipe, const stemma_limits *given,
                               stemma_text **out, stemma_error *err) {
    struct buf source = {0};
    const char *name;
    stemma_limits limits;
    if (!path || !out) return fail(err, STEMMA_INVALID, "a file and a place for the text are needed");
    TRY(limits_check(given, &limits, err));
    stemma_status status = read_all(path, &limits, &source, &name, err);
    if (status == STEMMA_OK) return text_take(&source, name, recipe, &limits, out, err);
    buf_release(&source);
    return status;
}

/* ---- asking it ---- */

const char *stemma_text_source(const stemma_text *text, size_t *size) {
    *size = text->source.len;
    return text->source.data ? (const char *)text->source.data : "";
}

bool stemma_text_is_extracted(const stemma_text *text) {
    return text->extracted;
}

bool stemma_text_is_binary(const stemma_text *text) {
    return text->binary;
}

static const uint8_t *original_digest(const stemma_text *text, uint8_t made[DIGEST_SIZE]) {
    if (text->extracted) return text->original;
    digest_source(text, made);
    return made;
}

bool stemma_text_same_original(const stemma_text *a, const stemma_text *b) {
    uint8_t made_a[DIGEST_SIZE], made_b[DIGEST_SIZE];
    const struct buf *x = &a->source, *y = &b->source;
    if (!a->extracted && !b->extracted)
        return x->len == y->len && (!x->len || !memcmp(x->data, y->data, x->len));
    return !memcmp(original_digest(a, made_a), original_digest(b, made_b), DIGEST_SIZE);
}

uint64_t text_source_begin(const stemma_text *text, size_t token) {
    return offset_map_find(&text->map, text->tokens[token].begin);
}

uint64_t text_source_end(const stemma_text *text, size_t token) {
    return offset_map_find(&text->map, text->tokens[token].begin + text->tokens[token].size);
}

stemma_place text_place(const stemma_text *text, size_t first, size_t end) {
    stemma_place place = {.first_token = first, .end_token = end};
    if (first < text->count)
        place.begin = text_source_begin(text, first);
    else if (text->count)
        place.begin = text_source_end(text, text->count - 1);
    place.end = first < end ? text_source_end(text, end - 1) : place.begin;
    place.first_line = stemma_text_line(text, place.begin);
    place.last_line = place.end > place.begin ? stemma_text_line(text, place.end - 1) : place.first_line;
    return place;
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
    struct packed_token token = text->tokens[index];
    *out = (stemma_token){
        .begin = token.begin,
        .end = token.begin + token.size,
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

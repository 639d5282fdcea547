/*
 * The kernels go straight over the text where a token is a byte or a word between single spaces. All other
 * views, and texts shorter than a window or with a word too long to be one token, go through a shingler that
 * is used again.
 */
#include "shingle/whole.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "kernels/generic.h"
#include "shingle/finish.h"
#include "shingle/labels.h"
#include "text/tokens.h"

#include <string.h>

enum {
    PIECE = 16384
}; /* bytes of text hashed at a time: bounds the room for the hashes; a longer word is rare */

struct whole {
    const struct view *view;
    const struct shingle_tables *tables;
    const struct kernels *kernels;
    struct canon *canon;
    struct shingler *shingler;
    struct buf text;
    struct vec64 tokens, fp;
};

static stemma_status append(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                            size_t token_count, stemma_error *err) {
    struct vec64 *all = context;
    (void)tokens, (void)token_count;
    return vec64_add_all(all, fp, count) ? STEMMA_OK : fail_memory(err);
}

stemma_status whole_new(const struct view *view, const struct shingle_tables *tables, struct whole **out,
                        stemma_error *err) {
    struct whole *whole = mem_zero(1, sizeof *whole);
    if (!whole) return fail_memory(err);
    whole->view = view;
    whole->tables = tables;
    whole->kernels = kernels_get();
    struct shingle_sink sink = {.context = &whole->fp, .take = append};
    stemma_status status = shingler_new(view, tables, sink, (struct text_sink){0}, &whole->shingler, err);
    if (status == STEMMA_OK) status = canon_new(view->folds, view->unit, NULL, &whole->canon, err);
    if (status != STEMMA_OK) {
        whole_free(whole);
        return status;
    }
    *out = whole;
    return STEMMA_OK;
}

void whole_free(struct whole *whole) {
    if (!whole) return;
    canon_free(whole->canon);
    shingler_free(whole->shingler);
    buf_release(&whole->text);
    vec64_release(&whole->tokens);
    vec64_release(&whole->fp);
    mem_free(whole);
}

stemma_status whole_canon_to(struct whole *whole, const uint8_t *bytes, size_t size, struct buf *out,
                             stemma_error *err) {
    canon_reset(whole->canon);
    TRY(canon_feed(whole->canon, bytes, size, out, err));
    TRY(canon_finish(whole->canon, out, err));
    return buf_reserve(out, KERNEL_SLACK) ? STEMMA_OK : fail_memory(err);
}

stemma_status whole_canon(struct whole *whole, const uint8_t *bytes, size_t size, const uint8_t **text,
                          size_t *text_size, stemma_error *err) {
    whole->text.len = 0;
    TRY(whole_canon_to(whole, bytes, size, &whole->text, err));
    *text = whole->text.data;
    *text_size = whole->text.len;
    return STEMMA_OK;
}

/* ---- the straight ways: each says whether it could be taken ---- */

static bool bytes_are_symbols(const struct view *view) {
    return view->unit == UNIT_BYTE && view->hash == HASH_RABIN;
}

static bool words_are_spaced(const struct view *view) {
    return view->unit == UNIT_WORD && view->hash == HASH_MIX && view->folds == FOLD_TEXT;
}

/* Hashes of all words; *done is false when one is so long that it has to be cut. */
static stemma_status hash_words(struct whole *whole, const uint8_t *text, size_t size, bool *done,
                                stemma_error *err) {
    struct vec64 *tokens = &whole->tokens;
    size_t used = 1, piece = 0;
    tokens->len = 0;
    for (; size && used; text += used, size -= used) {
        piece = size < PIECE ? size : PIECE;
        if (!vec64_reserve(tokens, piece / 2 + 2 + KERNEL_SLACK)) return fail_memory(err);
        tokens->len +=
            whole->kernels->hash_words(text, piece, &whole->tables->keys, tokens->data + tokens->len, &used);
    }
    *done = size < PIECE;
    if (*done && size) tokens->data[tokens->len++] = token_hash(&whole->tables->keys, text, size);
    return STEMMA_OK;
}

static stemma_status straight_words(struct whole *whole, const uint8_t *text, size_t size, bool *done,
                                    stemma_error *err) {
    size_t window = whole->view->window;
    TRY(hash_words(whole, text, size, done, err));
    size_t tokens = whole->tokens.len;
    *done = *done && tokens >= window;
    if (!*done) return STEMMA_OK;
    whole->fp.len = 0;
    if (!vec64_reserve(&whole->fp, tokens + KERNEL_SLACK)) return fail_memory(err);
    whole->kernels->combine(whole->tokens.data, tokens, window, &whole->tables->keys, whole->fp.data);
    whole->fp.len = tokens - window + 1;
    return STEMMA_OK;
}

static stemma_status straight_bytes(struct whole *whole, const uint8_t *text, size_t size, bool *done,
                                    stemma_error *err) {
    size_t window = whole->view->window;
    *done = size >= window;
    if (!*done) return STEMMA_OK;
    whole->fp.len = 0;
    if (!vec64_reserve(&whole->fp, size + KERNEL_SLACK)) return fail_memory(err);
    whole->kernels->rabin_all(whole->tables->rabin, text, size, whole->fp.data);
    whole->fp.len = size - window + 1;
    return STEMMA_OK;
}

/* ---- any view ---- */

static stemma_status through_shingler(struct whole *whole, const uint8_t *text, size_t size, uint64_t *tokens,
                                      stemma_error *err) {
    whole->fp.len = 0;
    shingler_reset(whole->shingler);
    TRY(shingler_feed_text(whole->shingler, text, size, err));
    TRY(shingler_finish(whole->shingler, err));
    if (!vec64_reserve(&whole->fp, KERNEL_SLACK)) return fail_memory(err);
    *tokens = shingler_tokens(whole->shingler);
    return STEMMA_OK;
}

static stemma_status put_labels(struct whole *whole, stemma_error *err) {
    struct labels labels = {.width = whole->view->width};
    if (!sort_u64(whole->fp.data, whole->fp.len)) return fail_memory(err);
    labels_put(&labels, whole->fp.data, whole->fp.len);
    return STEMMA_OK;
}

stemma_status whole_shingles(struct whole *whole, const uint8_t *text, size_t size, const uint64_t **fp,
                             size_t *count, uint64_t *tokens, stemma_error *err) {
    const struct view *view = whole->view;
    bool done = false;
    uint64_t token_count = 0;
    if (bytes_are_symbols(view)) TRY(straight_bytes(whole, text, size, &done, err));
    if (words_are_spaced(view)) TRY(straight_words(whole, text, size, &done, err));
    if (done) {
        token_count = whole->fp.len + view->window - 1;
        finish_windows(view, whole->fp.data, whole->fp.len);
    } else {
        TRY(through_shingler(whole, text, size, &token_count, err));
    }
    if (view->labelled) TRY(put_labels(whole, err));
    *fp = whole->fp.data;
    *count = whole->fp.len;
    *tokens = token_count;
    return STEMMA_OK;
}

/* ---- piece by piece ---- */

/* The tokens of the next piece stand behind the last of the one before, with which they form windows. */
static stemma_status give_windows(struct whole *whole, struct shingle_sink sink, stemma_error *err) {
    struct vec64 *tokens = &whole->tokens;
    size_t window = whole->view->window;
    if (tokens->len < window) return STEMMA_OK;
    size_t windows = tokens->len - window + 1;
    whole->fp.len = 0;
    if (!vec64_reserve(&whole->fp, tokens->len + KERNEL_SLACK)) return fail_memory(err);
    whole->kernels->combine(tokens->data, tokens->len, window, &whole->tables->keys, whole->fp.data);
    finish_windows(whole->view, whole->fp.data, windows);
    memmove(tokens->data, tokens->data + windows, (window - 1) * sizeof *tokens->data);
    tokens->len = window - 1;
    return sink.take(sink.context, whole->fp.data, windows, NULL, 0, err);
}

stemma_status whole_pieces(struct whole *whole, const uint8_t *text, size_t size, struct shingle_sink sink,
                           bool *done, stemma_error *err) {
    struct vec64 *tokens = &whole->tokens;
    *done = words_are_spaced(whole->view) && !whole->view->labelled && size > 2 * PIECE;
    tokens->len = 0;
    while (*done && size) {
        size_t used, piece = size < PIECE ? size : PIECE;
        if (!vec64_reserve(tokens, PIECE / 2 + 2 + KERNEL_SLACK)) return fail_memory(err);
        tokens->len +=
            whole->kernels->hash_words(text, piece, &whole->tables->keys, tokens->data + tokens->len, &used);
        if (used == 0 && piece == size) { /* the last word, behind which there is nothing */
            tokens->data[tokens->len++] = token_hash(&whole->tables->keys, text, size);
            used = size;
        }
        *done = used > 0;
        TRY(give_windows(whole, sink, err));
        text += used;
        size -= used;
    }
    return STEMMA_OK;
}

bool whole_samples_fast(const struct view *view) {
    return bytes_are_symbols(view) && !view->keyed && !view->labelled;
}

stemma_status whole_samples(struct whole *whole, const uint8_t *text, size_t size, uint64_t n,
                            const uint64_t **fp, size_t *count, stemma_error *err) {
    uint64_t tokens;
    if (!whole_samples_fast(whole->view) || size < whole->view->window)
        return whole_shingles(whole, text, size, fp, count, &tokens, err);
    whole->fp.len = 0;
    if (!vec64_reserve(&whole->fp, size + KERNEL_SLACK)) return fail_memory(err);
    *count = whole->kernels->rabin_mod(whole->tables->rabin, text, size, n, whole->fp.data);
    *fp = whole->fp.data;
    return STEMMA_OK;
}

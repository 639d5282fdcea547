/*
 * The pipeline of one document: canonical text, tokens, fingerprints, in pieces that stay in the cache.
 *
 * Tokens become values of 64 bits (hash=mix: combined by the rolling kernel) or symbols of 1, 4 or 8 bytes
 * (Rabin: a window of w symbols is a string of fixed width, so the sliding tables apply). What a window still
 * needs is carried over from piece to piece.
 */
#include "shingle/stream.h"

#include "base/alloc.h"
#include "kernels/generic.h"
#include "shingle/finish.h"
#include "shingle/rabin.h"
#include "text/tokens.h"

#include <string.h>

enum {
    PIECE = 32768, /* bytes of a document at a time: all that comes of them stays in the L2 cache */
    BLOCK = 4096 - KERNEL_SLACK /* fingerprints handed on at a time; with the slack they fill whole pages */
};

struct shingler {
    const struct view *view;
    const struct shingle_tables *tables;
    struct shingle_sink sink;
    struct text_sink text_sink;
    const struct kernels *kernels;
    struct canon *canon;
    size_t unfinished;    /* of text: the beginning of a token, when it was last looked at */
    struct buf text;      /* canonical text that is not yet tokens */
    struct vec64 tokens;  /* mix: token values, with the window - 1 that were already used in front */
    struct buf symbols;   /* rabin: the same, as bytes */
    size_t symbol_size;   /* bytes of a token in symbols */
    uint64_t token_count; /* of the document so far */
    size_t unseen;        /* of the tokens at the end of the carry, those the sink has not been given */
    bool any;             /* a full window has been seen */
    struct vec64 fp;      /* room for a block of fingerprints (of every byte position, for Rabin) */
    struct vec64 given;   /* room for the token values of a sink that wants them */
};

/* ---- setting up ---- */

static bool uses_rabin(const struct shingler *s) {
    return s->symbol_size > 0;
}

stemma_status shingler_new(const struct view *view, const struct shingle_tables *tables,
                           struct shingle_sink sink, struct text_sink text, struct shingler **out,
                           stemma_error *err) {
    if (!view_can_read(view))
        return fail(err, STEMMA_INVALID,
                    "the recipe is keyed (key id %016llx): its key is needed to read a document",
                    (unsigned long long)view->key_id);
    struct shingler *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    s->view = view;
    s->tables = tables;
    s->sink = sink;
    s->text_sink = text;
    s->kernels = kernels_get();
    s->symbol_size = view_symbol_size(view);
    stemma_status status = canon_new(view->folds, view->unit, NULL, &s->canon, err);
    if (status != STEMMA_OK) {
        shingler_free(s);
        return status;
    }
    *out = s;
    return STEMMA_OK;
}

void shingler_free(struct shingler *s) {
    if (!s) return;
    canon_free(s->canon);
    buf_release(&s->text);
    buf_release(&s->symbols);
    vec64_release(&s->tokens);
    vec64_release(&s->fp);
    vec64_release(&s->given);
    mem_free(s);
}

void shingler_reset(struct shingler *s) {
    canon_reset(s->canon);
    s->unfinished = s->unseen = 0;
    s->text.len = s->tokens.len = s->symbols.len = 0;
    s->token_count = 0;
    s->any = false;
}

uint64_t shingler_tokens(const struct shingler *s) {
    return s->token_count;
}

uint64_t shingler_windows(const struct shingler *s) {
    if (s->token_count < s->view->window) return s->token_count > 0;
    return s->token_count - s->view->window + 1;
}

/* ---- tokens ---- */

static bool add_symbol(struct shingler *s, uint64_t value) {
    uint8_t bytes[8];
    for (size_t i = 0; i < s->symbol_size; i++) bytes[i] = (uint8_t)(value >> (8 * (s->symbol_size - 1 - i)));
    s->token_count++;
    s->unseen++;
    return buf_add(&s->symbols, bytes, s->symbol_size);
}

/* Broder's words of at most 8 bytes: longer ones are cut, shorter ones padded. */
static bool add_padded(struct shingler *s, const uint8_t *token, size_t size) {
    for (size_t at = 0; at < size; at += 8) {
        uint64_t value = 0;
        for (size_t i = 0; i < 8; i++) value = value << 8 | (at + i < size ? token[at + i] : 0);
        if (!add_symbol(s, value)) return false;
    }
    return true;
}

static uint32_t code_point(const uint8_t *token, size_t size) {
    if (size == 1)
        return token[0] < 0x80 ? token[0] : 0x110000u + token[0]; /* a stray byte stands for itself */
    uint32_t value = token[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) value = value << 6 | (token[i] & 0x3f);
    return value;
}

/* A word or line as 8 bytes. Mixed, because the fingerprint of fingerprints of the same polynomial would be
 * linear in the bytes: neighbouring tokens could cancel each other, whatever the polynomial. */
static uint64_t rabin_symbol(const struct shingler *s, const uint8_t *token, size_t size) {
    return mix64(rabin_of(s->tables->rabin, token, size) ^ mix64(size));
}

static bool add_token(struct shingler *s, const uint8_t *token, size_t size) {
    if (s->view->hash == HASH_PADDED) return add_padded(s, token, size);
    if (uses_rabin(s))
        return add_symbol(s, s->view->unit == UNIT_CHAR ? code_point(token, size)
                                                        : rabin_symbol(s, token, size));
    s->token_count++;
    s->unseen++;
    return vec64_add(&s->tokens, token_hash(&s->tables->keys, token, size));
}

/* Tokens of any unit, one at a time. Returns how much of the text was used. */
static stemma_status each_token(struct shingler *s, bool last, size_t *used, stemma_error *err) {
    struct token token;
    *used = 0;
    while (token_next(s->view->unit, s->text.data, s->text.len, last, used, &token))
        if (!add_token(s, s->text.data + token.begin, token.end - token.begin)) return fail_memory(err);
    return STEMMA_OK;
}

/* Words of folded text: the kernel takes all that end in a space. */
static stemma_status all_words(struct shingler *s, size_t *used, stemma_error *err) {
    if (!vec64_reserve(&s->tokens, s->text.len / 2 + 1 + KERNEL_SLACK)) return fail_memory(err);
    size_t count = s->kernels->hash_words(s->text.data, s->text.len, &s->tables->keys,
                                          s->tokens.data + s->tokens.len, used);
    s->tokens.len += count;
    s->token_count += count;
    s->unseen += count;
    return STEMMA_OK;
}

static bool bytes_are_symbols(const struct shingler *s) {
    return uses_rabin(s) && s->view->unit == UNIT_BYTE;
}

static stemma_status tokenise(struct shingler *s, bool last, stemma_error *err) {
    size_t used = 0;
    bool plain_words = s->view->unit == UNIT_WORD && s->view->hash == HASH_MIX &&
                       s->view->folds == FOLD_TEXT && s->text.len <= TOKEN_MOST; /* no word to be cut */
    if (bytes_are_symbols(s) || s->text.len == 0) return STEMMA_OK;
    if (!buf_reserve(&s->text, KERNEL_SLACK)) return fail_memory(err);
    if (plain_words && !last)
        TRY(all_words(s, &used, err));
    else
        TRY(each_token(s, last, &used, err));
    memmove(s->text.data, s->text.data + used, s->text.len - used);
    s->text.len -= used;
    s->unfinished = s->text.len;
    return STEMMA_OK;
}

/* A token that comes in many small pieces is not looked at anew with each:
 * only when twice as much is there. */
static bool worth_tokenising(const struct shingler *s) {
    return s->text.len >= 2 * s->unfinished;
}

/* ---- windows ---- */

/* Every symbol_size-th fingerprint is that of a window that begins with a token. */
static void take_strided(uint64_t *fp, size_t count, size_t stride) {
    if (stride > 1)
        for (size_t i = 0; i < count; i++) fp[i] = fp[i * stride];
}

/* Fingerprints of `windows` windows that begin at token `first` of the carry. Fewer, when only multiples
 * matter. */
static size_t fingerprints(struct shingler *s, size_t first, size_t windows) {
    size_t window = s->view->window, stride = s->symbol_size;
    uint64_t *fp = s->fp.data;
    if (!uses_rabin(s)) {
        s->kernels->combine(s->tokens.data + first, windows + window - 1, window, &s->tables->keys, fp);
        finish_windows(s->view, fp, windows);
        return windows;
    }
    const uint8_t *bytes = s->symbols.data + first * stride;
    uint64_t modulus = s->sink.modulus ? s->sink.modulus(s->sink.context) : 1;
    if (stride == 1 && modulus > 1 && !s->view->keyed)
        return s->kernels->rabin_mod(s->tables->rabin, bytes, windows + window - 1, modulus, fp);
    s->kernels->rabin_all(s->tables->rabin, bytes, (windows - 1 + window) * stride, fp);
    take_strided(fp, windows, stride);
    finish_windows(s->view, fp, windows);
    return windows;
}

static uint64_t token_value(const struct shingler *s, size_t index) {
    if (!uses_rabin(s)) return s->tokens.data[index];
    uint64_t value = 0;
    const uint8_t *bytes = s->symbols.data + index * s->symbol_size;
    for (size_t i = 0; i < s->symbol_size; i++) value = value << 8 | bytes[i];
    return value;
}

/* Hand on fingerprints together with the tokens up to `end` of the carry that the sink has not seen. */
static stemma_status give(struct shingler *s, size_t count, size_t end, size_t carry, stemma_error *err) {
    size_t new_tokens = end - (carry - s->unseen);
    s->unseen -= new_tokens;
    if (!s->sink.wants_tokens) return s->sink.take(s->sink.context, s->fp.data, count, NULL, 0, err);
    if (!vec64_reserve(&s->given, new_tokens)) return fail_memory(err);
    for (size_t i = 0; i < new_tokens; i++) s->given.data[i] = token_value(s, end - new_tokens + i);
    return s->sink.take(s->sink.context, s->fp.data, count, s->given.data, new_tokens, err);
}

static size_t carried(const struct shingler *s) {
    return uses_rabin(s) ? s->symbols.len / s->symbol_size : s->tokens.len;
}

static void drop_tokens(struct shingler *s, size_t count) {
    if (uses_rabin(s)) {
        size_t bytes = count * s->symbol_size;
        memmove(s->symbols.data, s->symbols.data + bytes, s->symbols.len - bytes);
        s->symbols.len -= bytes;
    } else {
        memmove(s->tokens.data, s->tokens.data + count, (s->tokens.len - count) * sizeof *s->tokens.data);
        s->tokens.len -= count;
    }
}

/* Room for the fingerprints of as many windows, and the slack that kernels need, in the carry too. */
static bool reserve_windows(struct shingler *s, size_t windows) {
    if (!uses_rabin(s))
        return vec64_reserve(&s->tokens, KERNEL_SLACK) && vec64_reserve(&s->fp, windows + KERNEL_SLACK);
    return buf_reserve(&s->symbols, KERNEL_SLACK) &&
           vec64_reserve(&s->fp, windows * s->symbol_size + KERNEL_SLACK);
}

static stemma_status emit_windows(struct shingler *s, stemma_error *err) {
    size_t window = s->view->window, carry = carried(s);
    if (carry < window) return STEMMA_OK;
    size_t windows = carry - window + 1;
    if (!reserve_windows(s, windows < BLOCK ? windows : BLOCK)) return fail_memory(err);
    for (size_t first = 0; first < windows; first += BLOCK) {
        size_t block = windows - first < BLOCK ? windows - first : BLOCK;
        size_t count = fingerprints(s, first, block);
        TRY(give(s, count, first + block + window - 1, carry, err));
    }
    s->any = true;
    drop_tokens(s, windows);
    return STEMMA_OK;
}

/* Fewer tokens than a window: all of them are one shingle, told apart from others by their number. */
static stemma_status emit_short(struct shingler *s, stemma_error *err) {
    size_t count = carried(s);
    uint64_t value = 0;
    if (s->any || count == 0) return STEMMA_OK;
    if (!reserve_windows(s, 1)) return fail_memory(err);
    if (uses_rabin(s))
        value = rabin_of(s->tables->rabin, s->symbols.data, s->symbols.len);
    else
        for (size_t i = 0; i < count; i++) value = value * s->tables->keys.multiplier + s->tokens.data[i];
    s->fp.data[0] = mix64(value ^ mix64(s->tables->keys.finish + count));
    if (s->view->keyed) finish_keyed(s->view, s->fp.data, 1);
    narrow(s->fp.data, 1, s->view->width);
    return give(s, 1, count, count, err);
}

/* ---- feeding ---- */

/* Where canonical text goes: bytes that are symbols need not become tokens first. */
static struct buf *text_of(struct shingler *s) {
    return bytes_are_symbols(s) ? &s->symbols : &s->text;
}

static void count_bytes(struct shingler *s, size_t added) {
    if (!bytes_are_symbols(s)) return;
    s->token_count += added;
    s->unseen += added;
}

static stemma_status canonical(struct shingler *s, const uint8_t *bytes, size_t size, bool last,
                               stemma_error *err) {
    struct buf *out = text_of(s);
    size_t before = out->len;
    TRY(last ? canon_finish(s->canon, out, err) : canon_feed(s->canon, bytes, size, out, err));
    if (s->text_sink.take && out->len > before)
        s->text_sink.take(s->text_sink.context, out->data + before, out->len - before);
    count_bytes(s, out->len - before);
    return STEMMA_OK;
}

static stemma_status advance(struct shingler *s, stemma_error *err) {
    if (worth_tokenising(s)) TRY(tokenise(s, false, err));
    return emit_windows(s, err);
}

stemma_status shingler_feed(struct shingler *s, const uint8_t *bytes, size_t size, stemma_error *err) {
    for (size_t piece; size; bytes += piece, size -= piece) {
        piece = size < PIECE ? size : PIECE;
        TRY(canonical(s, bytes, piece, false, err));
        TRY(advance(s, err));
    }
    return STEMMA_OK;
}

stemma_status shingler_feed_text(struct shingler *s, const uint8_t *text, size_t size, stemma_error *err) {
    for (size_t piece; size; text += piece, size -= piece) {
        piece = size < PIECE ? size : PIECE;
        if (!buf_add(text_of(s), text, piece)) return fail_memory(err);
        count_bytes(s, piece);
        TRY(advance(s, err));
    }
    return STEMMA_OK;
}

stemma_status shingler_finish(struct shingler *s, stemma_error *err) {
    TRY(canonical(s, NULL, 0, true, err));
    TRY(tokenise(s, true, err));
    TRY(emit_windows(s, err));
    return emit_short(s, err);
}

#include "family/derivation.h"

#include "align/tokens/passages.h"
#include "base/alloc.h"

/* Shorter runs stand elsewhere by chance. */
enum { MOVED_LEAST = 8 };

/* The first few words of a passage are often found before it, too, and its last ones behind it. */
enum { END = 8 };

/* Up to an eighth of what was added, what was taken away is next to nothing, and the other way round. */
enum { NEXT_TO_NOTHING = 8 };

stemma_status family_text_read(struct family_text *text, enum unit unit, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    struct token token;
    size_t at = 0;
    text->text = bytes;
    text->size = size;
    text->count = 0;
    while (token_next(unit, bytes, size, true, &at, &token)) {
        if (!mem_grow((void **)&text->tokens, &text->cap, text->count + 1, sizeof *text->tokens))
            return fail_memory(err);
        text->tokens[text->count++] = token_pack(token);
    }
    return STEMMA_OK;
}

void family_text_release(struct family_text *text) {
    mem_free(text->tokens);
    *text = (struct family_text){0};
}

static void count_hunks(const struct hunk_list *hunks, struct derivation *d) {
    d->changes = hunks->count;
    for (size_t i = 0; i < hunks->count; i++) {
        const struct hunk *hunk = &hunks->hunks[i];
        const uint64_t removed = hunk->a_end - hunk->a_begin;
        d->removed += removed;
        d->added += hunk->b_end - hunk->b_begin;
        if (hunk->b_begin <= END)
            d->before += removed;
        else if (hunk->b_end + END >= d->tokens)
            d->behind += removed;
    }
}

static stemma_status compare(const struct id_pair *pair, const volatile int *stop, struct derivation *d,
                             stemma_error *err) {
    struct hunk_list hunks;
    struct common_runs runs = {0};
    TRY(tokens_diff(pair, stop, &hunks, err));
    count_hunks(&hunks, d);
    stemma_status status = common_runs_find(pair, &hunks, MOVED_LEAST, stop, &runs, err);
    for (size_t i = 0; i < runs.count && status == STEMMA_OK; i++)
        if (runs.runs[i].moved) d->moved += runs.runs[i].length;
    hunk_list_release(&hunks);
    common_runs_release(&runs);
    return status;
}

stemma_status derivation_find(const struct family_text *parent, const struct family_text *child,
                              const volatile int *stop, struct derivation *out, stemma_error *err) {
    struct id_pair pair;
    struct token_text a = {parent->text, parent->size, parent->tokens, parent->count};
    struct token_text b = {child->text, child->size, child->tokens, child->count};
    struct derivation found = {.parent_tokens = parent->count, .tokens = child->count};
    TRY(id_pair_init(&pair, &a, &b, err));
    stemma_status status = compare(&pair, stop, &found, err);
    id_pair_release(&pair);
    if (status == STEMMA_OK) *out = found;
    return status;
}

stemma_derivation derivation_kind(const struct derivation *d) {
    if (d->added + d->removed == 0) return STEMMA_DERIVATION_SAME;
    if (2 * d->moved >= d->added && 2 * d->moved >= d->removed) return STEMMA_DERIVATION_MOVED;
    if (d->removed <= d->added / NEXT_TO_NOTHING)
        return 2 * d->parent_tokens <= d->tokens ? STEMMA_DERIVATION_EXTENDED : STEMMA_DERIVATION_ADDED;
    if (d->added <= d->removed / NEXT_TO_NOTHING)
        return 2 * d->tokens <= d->parent_tokens ? STEMMA_DERIVATION_EXCERPT : STEMMA_DERIVATION_REMOVED;
    return STEMMA_DERIVATION_REVISED;
}

#include "align/fragments/grams.h"

#include "align/fragments/finder.h"
#include "base/alloc.h"

enum {
    GRAM_LEAST = 8,
    GRAM_MOST = 16,
    FRAGMENT_LEAST = 12, /* bytes: of shorter ones every few bytes would have to be looked at */
    FRAGMENT_MOST = 8192,
    TOKENS_MOST = 64, /* beyond a window */
    WORDS_LEAST = 6,
    WORDS_CACHED = 14, /* log2: 128 KiB stay in the L2 cache beside the text */
    CROWD = 4          /* grams to a word, at most: 1 of 64 other grams passes */
};

/* Equal tokens are equal bytes when what stands between tokens is always the same. */
static bool tokens_are_bytes(const struct view *view) {
    return view->unit <= UNIT_CHAR || view->folds & FOLD_SPACE;
}

/* How many tokens of a fragment, from its beginning, are enough to tell it. */
static uint64_t telling_tokens(const stemma_finder *finder, const struct target *target) {
    uint64_t tokens = finder->least < target->count ? finder->least : target->count;
    uint64_t most = finder->view.window + TOKENS_MOST;
    return tokens < most ? tokens : most;
}

/* The least and the most bytes that so many tokens of the target are. */
static void measure_runs(struct grams *grams, const struct target *target, uint64_t tokens) {
    for (uint32_t i = 0; i + tokens <= target->count; i++) {
        size_t begin = target_token(target, target->first + i).begin;
        size_t bytes = target_token(target, target->first + i + (uint32_t)tokens - 1).end - begin;
        if (bytes < grams->shortest) grams->shortest = bytes;
        if (bytes > grams->longest) grams->longest = bytes;
    }
}

static int log_words_for(uint64_t bytes) {
    int log_words = WORDS_LEAST;
    while (log_words < WORDS_CACHED && UINT64_C(1) << log_words < bytes) log_words++;
    while (UINT64_C(1) << log_words < bytes / CROWD) log_words++;
    return log_words;
}

void grams_plan(struct grams *grams, const stemma_finder *finder) {
    uint64_t bytes = 0;
    *grams = (struct grams){.shortest = SIZE_MAX, .tokens = UINT64_MAX};
    if (!tokens_are_bytes(&finder->view)) return;
    for (size_t i = 0; i < finder->target_count; i++) {
        uint64_t tokens = telling_tokens(finder, &finder->targets[i]);
        measure_runs(grams, &finder->targets[i], tokens);
        if (tokens < grams->tokens) grams->tokens = tokens;
        bytes += finder->targets[i].text.len;
    }
    if (grams->shortest < FRAGMENT_LEAST || grams->longest > FRAGMENT_MOST) return;
    size_t size = grams->shortest / 4;
    grams->size = size < GRAM_LEAST ? GRAM_LEAST : size > GRAM_MOST ? GRAM_MOST : size;
    grams->stride = grams->shortest - grams->size + 1;
    grams->log_words = log_words_for(bytes);
}

stemma_status grams_fill(struct grams *grams, const stemma_finder *finder, stemma_error *err) {
    grams->words = mem_zero((size_t)1 << grams->log_words, sizeof *grams->words);
    if (!grams->words) return fail_memory(err);
    for (size_t i = 0; i < finder->target_count; i++) {
        const struct buf *text = &finder->targets[i].text;
        for (size_t at = 0; at + grams->size <= text->len; at++) {
            uint64_t hash = grams_hash(grams, text->data + at);
            *grams_word(grams, hash) |= grams_bits(hash);
        }
    }
    return STEMMA_OK;
}

void grams_release(struct grams *grams) {
    mem_free(grams->words);
}

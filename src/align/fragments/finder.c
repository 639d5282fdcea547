/* Targets to tokens, and the index of their windows: one slot for each distinct window,
 * its places in a list. */
#include "align/fragments/finder.h"

#include "base/alloc.h"

#include <string.h>

enum {
    FILTER_MOST = 21, /* log2 of the bits: 256 KiB stay in the L2 cache beside the text */
    FILTER_LEAST = 12,
    SPREAD = 4,        /* log2 of bits per window, at least: 1 of 16 other windows passes */
    SPREAD_WISHED = 7, /* while there is room */
    BYTE_MODULUS = 16  /* what Rabin's sampling kernel asks for */
};

/* ---- targets ---- */

static stemma_status find_tokens(struct target *target, enum unit unit, stemma_error *err) {
    struct token token;
    size_t at = 0;
    if (unit == UNIT_BYTE) {
        target->count = target->text.len;
        return STEMMA_OK;
    }
    while (token_next(unit, target->text.data, target->text.len, true, &at, &token)) {
        if (!mem_grow((void **)&target->tokens, &target->cap, target->count + 1, sizeof token))
            return fail_memory(err);
        target->tokens[target->count++] = token;
    }
    return STEMMA_OK;
}

static stemma_status canonicalise(const stemma_finder *finder, struct target *target, const uint8_t *bytes,
                                  size_t size, stemma_error *err) {
    struct canon *canon;
    TRY(canon_new(finder->view.folds, finder->view.unit, &target->map, &canon, err));
    stemma_status status = canon_feed(canon, bytes, size, &target->text, err);
    if (status == STEMMA_OK) status = canon_finish(canon, &target->text, err);
    canon_free(canon);
    return status == STEMMA_OK ? find_tokens(target, finder->view.unit, err) : status;
}

static void target_release(struct target *target) {
    buf_release(&target->text);
    offset_map_release(&target->map);
    mem_free(target->tokens);
}

static stemma_status refuse_size(const stemma_finder *finder, const struct target *target, const char *name,
                                 stemma_error *err) {
    if (target->count == 0)
        return fail(err, STEMMA_UNSUPPORTED, "nothing to look for: '%s' has no text", name);
    if (target->count < finder->view.window)
        return fail(err, STEMMA_UNSUPPORTED,
                    "'%s' has %zu tokens, fewer than the window of %u: choose a smaller window", name,
                    target->count, finder->view.window);
    if (target->count >= POOR_POSITION - finder->tokens)
        return fail(err, STEMMA_UNSUPPORTED, "the targets have more than %u tokens", POOR_POSITION - 1);
    return STEMMA_OK;
}

stemma_status finder_add(stemma_finder *finder, const uint8_t *bytes, size_t size, const char *name,
                         stemma_error *err) {
    struct target target = {.first = finder->tokens};
    stemma_status status = canonicalise(finder, &target, bytes, size, err);
    if (status == STEMMA_OK) status = refuse_size(finder, &target, name, err);
    if (status != STEMMA_OK) {
        target_release(&target);
        return status;
    }
    finder->targets[finder->target_count++] = target;
    finder->tokens += (uint32_t)target.count;
    return STEMMA_OK;
}

const struct target *finder_target(const stemma_finder *finder, uint32_t position) {
    size_t low = 0, high = finder->target_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (finder->targets[middle].first <= position)
            low = middle;
        else
            high = middle;
    }
    return &finder->targets[low];
}

/* ---- the table ---- */

static size_t slot_of(const stemma_finder *finder, uint64_t fingerprint) {
    size_t at = (size_t)(fingerprint >> finder->slot_shift);
    while (finder->slots[at].position != NO_POSITION && finder->slots[at].fingerprint != fingerprint)
        at = (at + 1) & finder->slot_mask;
    return at;
}

uint32_t finder_lookup(const stemma_finder *finder, uint64_t fingerprint) {
    return finder->slots[slot_of(finder, fingerprint)].position;
}

/* The least number of bits, from `least` on, that count to at least `count`. */
static int bits_for(uint64_t count, int least) {
    int bits = least;
    while (UINT64_C(1) << bits < count) bits++;
    return bits;
}

static stemma_status refuse_memory(uint64_t need, size_t memory, stemma_error *err) {
    if (need <= memory) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED,
                "an index of the targets needs %llu bytes of memory, %zu are allowed: allow more (--memory)",
                (unsigned long long)need, memory);
}

static stemma_status make_table(stemma_finder *finder, size_t memory, stemma_error *err) {
    int bits = bits_for((uint64_t)finder->tokens + finder->tokens / 2, 4);
    size_t size = (size_t)1 << bits;
    uint64_t need = (uint64_t)size * sizeof *finder->slots + (uint64_t)finder->tokens * 12;
    TRY(refuse_memory(need + (UINT64_C(8) << finder->grams.log_words), memory, err));
    finder->slots = mem_alloc(size * sizeof *finder->slots);
    finder->next = mem_alloc((size_t)finder->tokens * sizeof *finder->next);
    if (!finder->slots || !finder->next) return fail_memory(err);
    for (size_t i = 0; i < size; i++) finder->slots[i].position = NO_POSITION;
    finder->slot_shift = 64 - bits;
    finder->slot_mask = size - 1;
    return STEMMA_OK;
}

static bool same_token(const struct target *target, uint32_t a, uint32_t b) {
    struct token x = target_token(target, a), y = target_token(target, b);
    return x.end - x.begin == y.end - y.begin &&
           !memcmp(target->text.data + x.begin, target->text.data + y.begin, x.end - x.begin);
}

/* A window that repeats itself within a quarter of its length says nothing: runs of zeros, ruled lines. */
static bool is_poor(const stemma_finder *finder, const struct target *target, uint32_t position) {
    uint32_t window = finder->view.window, longest = window < 8 ? 1 : window / 4;
    for (uint32_t period = 1; period <= longest && period < window; period++) {
        uint32_t i = period;
        while (i < window && same_token(target, position + i, position + i - period)) i++;
        if (i == window) return true;
    }
    return false;
}

/* Places come in descending order, so that the lists ascend. */
static void insert(stemma_finder *finder, const struct target *target, uint64_t fingerprint,
                   uint32_t position) {
    struct window_slot *slot = &finder->slots[slot_of(finder, fingerprint)];
    bool is_new = slot->position == NO_POSITION;
    finder->windows += is_new;
    if (slot->position == POOR_POSITION) return;
    finder->next[position] = slot->position;
    *slot = (struct window_slot){fingerprint,
                                 is_new && is_poor(finder, target, position) ? POOR_POSITION : position};
}

static stemma_status collect(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                             size_t token_count, stemma_error *err) {
    struct vec64 *all = context;
    (void)tokens, (void)token_count;
    return vec64_add_all(all, fp, count) ? STEMMA_OK : fail_memory(err);
}

/* The canonical text is fed as it is: it is its own canonical form,
 * and words and lines stay where they were. */
static stemma_status fingerprints(const stemma_finder *finder, const struct target *target, struct vec64 *out,
                                  stemma_error *err) {
    struct view plain = finder->view;
    struct shingler *shingler;
    plain.folds = FOLD_RAW;
    TRY(shingler_new(&plain, &finder->tables, (struct shingle_sink){.context = out, .take = collect},
                     (struct text_sink){0}, &shingler, err));
    stemma_status status = shingler_feed(shingler, target->text.data, target->text.len, err);
    if (status == STEMMA_OK) status = shingler_finish(shingler, err);
    shingler_free(shingler);
    return status;
}

static stemma_status index_target(stemma_finder *finder, const struct target *target, stemma_error *err) {
    struct vec64 all = {0};
    stemma_status status = fingerprints(finder, target, &all, err);
    for (size_t i = status == STEMMA_OK ? all.len : 0; i-- > 0;)
        insert(finder, target, all.data[i], target->first + (uint32_t)i);
    vec64_release(&all);
    return status;
}

/* ---- the filter ---- */

static void choose_modulus(stemma_finder *finder, bool thorough) {
    finder->modulus = finder->view.unit == UNIT_BYTE && !thorough ? BYTE_MODULUS : 1;
    while (!thorough && finder->windows / finder->modulus > UINT64_C(1) << (FILTER_MOST - SPREAD))
        finder->modulus *= 2;
}

/* Where only some windows pass, one that passes is a reason to look closely: poor ones are none. */
static bool belongs(const stemma_finder *finder, const struct window_slot *slot) {
    if (slot->position == NO_POSITION || slot->fingerprint % finder->modulus) return false;
    return finder->modulus == 1 || slot->position != POOR_POSITION;
}

static stemma_status make_filter(stemma_finder *finder, stemma_error *err) {
    uint64_t kept = finder->windows / finder->modulus;
    int wished = bits_for(kept << SPREAD_WISHED, FILTER_LEAST),
        needed = bits_for(kept << SPREAD, FILTER_LEAST);
    int bits = wished <= FILTER_MOST ? wished : needed > FILTER_MOST ? needed : FILTER_MOST;
    finder->filter = mem_zero(((size_t)1 << bits) / 64, sizeof *finder->filter);
    if (!finder->filter) return fail_memory(err);
    finder->filter_shift = 64 - bits;
    for (size_t i = 0; i <= finder->slot_mask; i++) {
        if (!belongs(finder, &finder->slots[i])) continue;
        uint64_t bit = finder->slots[i].fingerprint >> finder->filter_shift;
        finder->filter[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return STEMMA_OK;
}

stemma_status finder_index(stemma_finder *finder, bool thorough, size_t memory, stemma_error *err) {
    grams_plan(&finder->grams, finder);
    TRY(make_table(finder, memory, err));
    for (size_t i = finder->target_count; i-- > 0;) TRY(index_target(finder, &finder->targets[i], err));
    finder->modulus = 1;
    if (finder->grams.log_words) return grams_fill(&finder->grams, finder, err);
    choose_modulus(finder, thorough);
    return make_filter(finder, err);
}

void finder_release(stemma_finder *finder) {
    for (size_t i = 0; i < finder->target_count; i++) target_release(&finder->targets[i]);
    mem_free(finder->targets);
    mem_free(finder->slots);
    mem_free(finder->next);
    mem_free(finder->filter);
    grams_release(&finder->grams);
    shingle_tables_release(&finder->tables);
}

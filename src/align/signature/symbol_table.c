#include "align/signature/symbol_table.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

uint64_t token_at(const uint16_t *symbols, size_t run) {
    if (run == 1) return symbols[0];
    uint64_t token = run;
    for (size_t i = 0; i < run; i++) token = mix64(token ^ symbols[i]) + i;
    return token;
}

/* Symbols are parts of a hash already, but not all of their bits need be used: a small alphabet would fill
 * one end of the table. */
static struct symbol_entry *slot_of(const struct symbol_table *common, uint64_t token) {
    size_t at = (size_t)(token * MIX64_MULTIPLIER >> 32) & common->mask;
    while (common->entries[at].last != NOWHERE && common->entries[at].token != token)
        at = (at + 1) & common->mask;
    return &common->entries[at];
}

const struct symbol_entry *symbol_table_find(const struct symbol_table *common, uint64_t token) {
    const struct symbol_entry *entry = slot_of(common, token);
    return entry->last == NOWHERE ? NULL : entry;
}

static void add_places(struct symbol_table *common, const uint16_t *b, size_t tokens, size_t run) {
    for (size_t j = 0; j < tokens; j++) {
        uint64_t token = token_at(b + j, run);
        struct symbol_entry *entry = slot_of(common, token);
        common->before[j] = entry->last;
        entry->token = token;
        entry->last = (uint32_t)j;
        entry->in_b++;
    }
}

stemma_status symbol_table_new(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count,
                               size_t run, struct symbol_table *out, stemma_error *err) {
    size_t a_tokens = a_count < run ? 0 : a_count - run + 1, b_tokens = b_count < run ? 0 : b_count - run + 1;
    size_t slots = 16;
    while (slots < 2 * b_tokens) slots *= 2;
    struct symbol_table common = {.entries = mem_alloc(slots * sizeof *common.entries),
                                  .before = mem_alloc(b_tokens * sizeof *common.before),
                                  .mask = slots - 1};
    if (!common.entries || !common.before) {
        symbol_table_release(&common);
        return fail_memory(err);
    }
    for (size_t i = 0; i < slots; i++) common.entries[i] = (struct symbol_entry){.last = NOWHERE};
    add_places(&common, b, b_tokens, run);
    for (size_t i = 0; i < a_tokens; i++) {
        struct symbol_entry *entry = slot_of(&common, token_at(a + i, run));
        if (entry->last == NOWHERE) continue;
        entry->in_a++;
        common.pairs += entry->in_b;
    }
    *out = common;
    return STEMMA_OK;
}

void symbol_table_release(struct symbol_table *common) {
    mem_free(common->entries);
    mem_free(common->before);
    *common = (struct symbol_table){0};
}

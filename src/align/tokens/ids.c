/* One hash table for both texts. A slot holds the number of a token and where it was seen first. */
#include "align/tokens/ids.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/rng.h"

#include <string.h>

struct slot {
    const uint8_t *bytes; /* NULL: free */
    uint32_t size, id;
};

struct id_table {
    struct slot *slots;
    size_t mask;
    uint64_t seed;
    uint32_t next;
};

static uint64_t hash_bytes(const uint8_t *bytes, size_t size, uint64_t seed) {
    uint64_t hash = mix64(seed ^ size), word;
    for (; size >= 8; bytes += 8, size -= 8) {
        memcpy(&word, bytes, 8);
        hash = mix64(hash ^ word);
    }
    word = 0;
    memcpy(&word, bytes, size);
    return mix64(hash ^ word);
}

static uint32_t id_of(struct id_table *table, const uint8_t *bytes, size_t size) {
    size_t at = hash_bytes(bytes, size, table->seed) & table->mask;
    for (;; at = (at + 1) & table->mask) {
        struct slot *slot = &table->slots[at];
        if (!slot->bytes) *slot = (struct slot){bytes, (uint32_t)size, table->next++};
        if (slot->size == size && !memcmp(slot->bytes, bytes, size)) return slot->id;
    }
}

static uint64_t seed_of(const struct token_text *a, const struct token_text *b) {
    uint8_t digest_bytes[DIGEST_SIZE];
    uint64_t seed;
    struct digest digest;
    digest_init(&digest);
    digest_add(&digest, a->text, a->size);
    digest_add(&digest, b->text, b->size);
    digest_finish(&digest, digest_bytes);
    memcpy(&seed, digest_bytes, sizeof seed);
    return seed;
}

static bool number(struct id_table *table, const struct token_text *from, struct id_text *to) {
    to->ids = mem_alloc(from->count * sizeof *to->ids);
    if (!to->ids) return false;
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++) {
        struct token token = from->tokens[i];
        to->ids[i] = id_of(table, from->text + token.begin, token.end - token.begin);
    }
    return true;
}

stemma_status id_pair_init(struct id_pair *pair, const struct token_text *a, const struct token_text *b,
                           stemma_error *err) {
    size_t tokens = a->count + b->count, slots = 16;
    if (tokens > TOKENS_MOST)
        return fail(err, STEMMA_UNSUPPORTED, "the documents have %zu tokens, more than can be aligned",
                    tokens);
    while (slots < 2 * tokens) slots *= 2;
    *pair = (struct id_pair){.seed = seed_of(a, b)};
    struct id_table table = {mem_zero(slots, sizeof *table.slots), slots - 1, pair->seed, 0};
    bool done = table.slots && number(&table, a, &pair->a) && number(&table, b, &pair->b);
    mem_free(table.slots);
    if (done) return STEMMA_OK;
    id_pair_release(pair);
    return fail_memory(err);
}

void id_pair_release(struct id_pair *pair) {
    mem_free(pair->a.ids);
    mem_free(pair->b.ids);
    *pair = (struct id_pair){0};
}

/* One hash table for both texts, which grows with the number of different tokens: those of a language are
 * few, and their table stays in the cache. */
#include "align/tokens/ids.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/rng.h"

#include <string.h>

struct slot {
    uint32_t hash;
    uint32_t number; /* the id + 1; 0: free */
};

/* Where a token was seen first. */
struct sighting {
    const uint8_t *bytes;
    size_t size;
};

struct id_table {
    struct slot *slots;
    size_t mask;
    struct sighting *seen; /* by id */
    size_t count, cap;
    uint64_t seed;
};

enum { FIRST_SLOTS = 1024 };

static uint64_t load(const uint8_t *bytes, size_t size) {
    uint64_t word = 0;
    memcpy(&word, bytes, size);
    return word;
}

/* Up to eight bytes as a number, different for different bytes of the same size; by loads of a fixed size,
 * which may overlap. */
static uint64_t load_short(const uint8_t *bytes, size_t size) {
    if (size >= 4) return load(bytes, 4) << 32 | load(bytes + size - 4, 4);
    if (size == 0) return 0;
    return (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 8 | bytes[size - 1];
}

static uint32_t hash_bytes(const uint8_t *bytes, size_t size, uint64_t seed) {
    uint64_t hash = mix64(seed ^ size);
    for (; size > 8; bytes += 8, size -= 8) hash = mix64(hash ^ load(bytes, 8));
    return (uint32_t)mix64(hash ^ load_short(bytes, size));
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size) {
    for (; size > 8; a += 8, b += 8, size -= 8)
        if (load(a, 8) != load(b, 8)) return false;
    return load_short(a, size) == load_short(b, size);
}

/* Twice the slots; tokens keep their numbers. */
static bool grow(struct id_table *table) {
    size_t slots = table->slots ? 2 * (table->mask + 1) : FIRST_SLOTS;
    struct slot *grown = mem_zero(slots, sizeof *grown);
    if (!grown) return false;
    for (size_t i = 0; table->slots && i <= table->mask; i++) {
        if (!table->slots[i].number) continue;
        size_t at = table->slots[i].hash & (slots - 1);
        while (grown[at].number) at = (at + 1) & (slots - 1);
        grown[at] = table->slots[i];
    }
    mem_free(table->slots);
    table->slots = grown;
    table->mask = slots - 1;
    return true;
}

/* The slot of a token: its own, or a free one. */
static struct slot *find_slot(const struct id_table *table, uint32_t hash, struct sighting token) {
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        struct slot *slot = &table->slots[at];
        if (!slot->number) return slot;
        if (slot->hash != hash) continue;
        struct sighting seen = table->seen[slot->number - 1];
        if (seen.size == token.size && same_bytes(seen.bytes, token.bytes, token.size)) return slot;
    }
}

static bool id_of(struct id_table *table, struct sighting token, uint32_t *id) {
    uint32_t hash = hash_bytes(token.bytes, token.size, table->seed);
    struct slot *slot = find_slot(table, hash, token);
    if (!slot->number) {
        if (!mem_grow((void **)&table->seen, &table->cap, table->count + 1, sizeof token)) return false;
        table->seen[table->count++] = token;
        *slot = (struct slot){hash, (uint32_t)table->count};
        *id = slot->number - 1;
        return 2 * table->count <= table->mask || grow(table);
    }
    *id = slot->number - 1;
    return true;
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
        struct sighting seen = {from->text + from->tokens[i].begin, from->tokens[i].size};
        if (!id_of(table, seen, &to->ids[i])) return false;
    }
    return true;
}

stemma_status id_pair_init(struct id_pair *pair, const struct token_text *a, const struct token_text *b,
                           stemma_error *err) {
    size_t tokens = a->count + b->count;
    if (tokens > TOKENS_MOST)
        return fail(err, STEMMA_UNSUPPORTED, "the documents have %zu tokens, more than can be aligned",
                    tokens);
    *pair = (struct id_pair){.seed = seed_of(a, b)};
    struct id_table table = {.seed = pair->seed};
    bool done = grow(&table) && number(&table, a, &pair->a) && number(&table, b, &pair->b);
    mem_free(table.slots);
    mem_free(table.seen);
    if (done) return STEMMA_OK;
    id_pair_release(pair);
    return fail_memory(err);
}

void id_pair_release(struct id_pair *pair) {
    mem_free(pair->a.ids);
    mem_free(pair->b.ids);
    *pair = (struct id_pair){0};
}

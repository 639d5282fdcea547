/* The store of signatures: one array each for counters, lengths and symbols, so that a search reads the
 * counters from one end to the other and hardly anything else. */
#include "align/signature/near.h"

#include "base/alloc.h"
#include "kernels/kernels.h"

#include <string.h>

#define BLOCK 1024 /* signatures between two looks at the survivors; 64 KiB of counters */

struct store {
    uint8_t *counters;
    uint32_t *lengths;
    size_t *begins; /* of their symbols */
    uint16_t *symbols;
    size_t counters_room, lengths_room, begins_room, symbols_room;
    size_t count, symbol_count;
};

stemma_status store_new(struct store **out, stemma_error *err) {
    struct store *store = mem_zero(1, sizeof *store);
    if (!store) return fail_memory(err);
    *out = store;
    return STEMMA_OK;
}

void store_free(struct store *store) {
    if (!store) return;
    mem_free(store->counters);
    mem_free(store->lengths);
    mem_free(store->begins);
    mem_free(store->symbols);
    mem_free(store);
}

size_t store_count(const struct store *store) {
    return store->count;
}

void store_spans(const struct store *store, struct store_span out[STORE_SPANS]) {
    out[STORE_COUNTERS] = (struct store_span){store->counters, store->count * SYMBOL_COUNTERS};
    out[STORE_LENGTHS] = (struct store_span){store->lengths, store->count * sizeof *store->lengths};
    out[STORE_PLACES] = (struct store_span){store->begins, store->count * sizeof *store->begins};
    out[STORE_SYMBOLS] = (struct store_span){store->symbols, store->symbol_count * sizeof *store->symbols};
}

/* A counter that is full stays so: the differences it is part of become smaller, and the bound stays one. */
static void count_symbols(struct symbols symbols, uint8_t counters[SYMBOL_COUNTERS]) {
    memset(counters, 0, SYMBOL_COUNTERS);
    for (size_t i = 0; i < symbols.count; i++) {
        uint8_t *counter = &counters[symbols.at[i] % SYMBOL_COUNTERS];
        *counter += *counter < UINT8_MAX;
    }
}

static bool store_reserve(struct store *store, size_t symbols) {
    size_t count = store->count + 1, all = store->symbol_count + symbols;
    return mem_grow((void **)&store->counters, &store->counters_room, count * SYMBOL_COUNTERS, 1) &&
           mem_grow((void **)&store->lengths, &store->lengths_room, count, sizeof *store->lengths) &&
           mem_grow((void **)&store->begins, &store->begins_room, count, sizeof *store->begins) &&
           mem_grow((void **)&store->symbols, &store->symbols_room, all, sizeof *store->symbols);
}

stemma_status store_add(struct store *store, struct symbols symbols, stemma_error *err) {
    if (symbols.count > UINT32_MAX)
        return fail(err, STEMMA_UNSUPPORTED, "a signature of %zu symbols is too long to be searched",
                    symbols.count);
    if (!store_reserve(store, symbols.count)) return fail_memory(err);
    count_symbols(symbols, store->counters + store->count * SYMBOL_COUNTERS);
    store->lengths[store->count] = (uint32_t)symbols.count;
    store->begins[store->count] = store->symbol_count;
    if (symbols.count)
        memcpy(store->symbols + store->symbol_count, symbols.at, symbols.count * sizeof *symbols.at);
    store->symbol_count += symbols.count;
    store->count++;
    return STEMMA_OK;
}

/* ---- searching ---- */

struct search {
    const struct store *store;
    const struct kernels *kernels;
    struct comparer *comparer;
    uint64_t at_most, most; /* most: what the kernel's sum may be */
    uint8_t counters[SYMBOL_COUNTERS];
    uint32_t length; /* of the query; the longest there can be for longer ones */
    uint32_t kept[BLOCK];
    struct symbols strings[BLOCK];
    uint64_t distances[BLOCK];
    stemma_near *found;
    size_t found_count, found_room, compared;
};

static stemma_status keep_near(struct search *search, size_t first, size_t kept, stemma_error *err) {
    for (size_t i = 0; i < kept; i++) {
        if (search->distances[i] > search->at_most) continue;
        if (!mem_grow((void **)&search->found, &search->found_room, search->found_count + 1,
                      sizeof *search->found))
            return fail_memory(err);
        search->found[search->found_count++] = (stemma_near){first + search->kept[i], search->distances[i]};
    }
    return STEMMA_OK;
}

static stemma_status search_block(struct search *search, size_t first, size_t count, stemma_error *err) {
    const struct store *store = search->store;
    size_t kept =
        search->kernels->filter_counters(store->counters + first * SYMBOL_COUNTERS, store->lengths + first,
                                         count, search->counters, search->length, search->most, search->kept);
    if (kept == 0) return STEMMA_OK;
    for (size_t i = 0; i < kept; i++) {
        size_t at = first + search->kept[i];
        search->strings[i] = (struct symbols){store->symbols + store->begins[at], store->lengths[at]};
    }
    search->compared += kept;
    TRY(comparer_distances(search->comparer, search->strings, kept, search->at_most, search->distances, err));
    return keep_near(search, first, kept, err);
}

static stemma_status search_all(struct search *search, struct symbols query, const volatile int *stop,
                                stemma_error *err) {
    size_t count = search->store->count;
    TRY(comparer_new(&search->comparer, err));
    TRY(comparer_prepare(search->comparer, query, err));
    for (size_t first = 0; first < count; first += BLOCK) {
        if (stop && *stop) return fail(err, STEMMA_INTERRUPTED, "interrupted");
        TRY(search_block(search, first, count - first < BLOCK ? count - first : BLOCK, err));
    }
    return STEMMA_OK;
}

stemma_status store_search(const struct store *store, struct symbols query, uint64_t at_most,
                           const volatile int *stop, stemma_near **out, size_t *count, size_t *compared,
                           stemma_error *err) {
    struct search *search = mem_zero(1, sizeof *search);
    if (!search) return fail_memory(err);
    search->store = store;
    search->kernels = kernels_get();
    search->at_most = at_most;
    search->most = at_most < UINT64_MAX / 2 ? 2 * at_most : UINT64_MAX;
    search->length = query.count < UINT32_MAX ? (uint32_t)query.count : UINT32_MAX;
    count_symbols(query, search->counters);
    stemma_status status = search_all(search, query, stop, err);
    if (status == STEMMA_OK) {
        *out = search->found;
        *count = search->found_count;
        if (compared) *compared = search->compared;
    } else {
        mem_free(search->found);
    }
    comparer_free(search->comparer);
    mem_free(search);
    return status;
}

#include "shingle/tables.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "shingle/rabin.h"

#include <sodium/utils.h>

static void mix_keys_init(struct mix_keys *keys, uint64_t seed, uint32_t window) {
    uint64_t state = mix64(seed ^ 0x746f6b656e686173u); /* "tokenhas" */
    for (int i = 0; i < 3; i++) keys->token[i] = rng_next(&state) | 1;
    keys->multiplier = (rng_next(&state) & ~UINT64_C(7)) | 5;
    keys->finish = rng_next(&state);
    keys->leave = 1;
    for (uint32_t i = 0; i < window; i++) keys->leave *= keys->multiplier;
}

stemma_status shingle_tables_init(struct shingle_tables *tables, const struct view *view, stemma_error *err) {
    size_t symbol_size = view_symbol_size(view);
    struct rabin_tables *rabin = NULL;
    if (symbol_size) {
        rabin = mem_alloc(sizeof *rabin);
        if (!rabin) return fail_memory(err);
        rabin_init(rabin, view->width, view_seed(view), (int)(view->window * symbol_size));
    }
    tables->rabin = rabin;
    mix_keys_init(&tables->keys, view_seed(view), view->window);
    return STEMMA_OK;
}

void shingle_tables_release(struct shingle_tables *tables) {
    if (tables->rabin) sodium_memzero(tables->rabin, sizeof *tables->rabin);
    mem_free(tables->rabin);
    sodium_memzero(tables, sizeof *tables);
}

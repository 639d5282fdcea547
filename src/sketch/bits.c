#include "sketch/bits.h"

#include "base/alloc.h"

#include <string.h>

struct bit_maker {
    uint32_t bits;
    size_t planes;
    struct keyer *keyers[BITS_PLANES];
    uint8_t keys[BITS_PLANES][BITS_PLANE];
    struct vec64 none; /* samples, which are not made */
};

static struct key_form plane_form(const struct view *view, size_t plane) {
    struct key_form form = key_form_for(view);
    form.minima = BITS_PLANE;
    form.checks = 0;
    form.sampled = false;
    form.seed = mix64(form.seed + 1 + plane);
    return form;
}

static stemma_status add_plane(struct bit_maker *maker, const struct view *view, stemma_error *err) {
    TRY(keyer_new(plane_form(view, maker->planes), &maker->keyers[maker->planes], err));
    maker->planes++;
    return STEMMA_OK;
}

stemma_status bit_maker_new(const struct view *view, uint32_t bits, struct bit_maker **out,
                            stemma_error *err) {
    struct bit_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return fail_memory(err);
    maker->bits = bits;
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && maker->planes * BITS_PLANE < bits) status = add_plane(maker, view, err);
    if (status == STEMMA_OK)
        *out = maker;
    else
        bit_maker_free(maker);
    return status;
}

void bit_maker_free(struct bit_maker *maker) {
    if (!maker) return;
    for (size_t i = 0; i < maker->planes; i++) keyer_free(maker->keyers[i]);
    vec64_release(&maker->none);
    mem_free(maker);
}

void bit_maker_join(struct bit_maker *maker, struct keyers *keyers) {
    for (size_t i = 0; i < maker->planes; i++)
        keyers->list[keyers->count++] = (struct keyed){maker->keyers[i], maker->keys[i], &maker->none};
}

void bit_maker_take(const struct bit_maker *maker, uint8_t *out) {
    memset(out, 0, (maker->bits + 7) / 8);
    for (uint32_t i = 0; i < maker->bits; i++)
        out[i / 8] |= (uint8_t)((maker->keys[i / BITS_PLANE][i % BITS_PLANE] & 1) << i % 8);
}

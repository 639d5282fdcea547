/*
 * Content-defined chunks (Cherkasova et al. 2009): a window whose fingerprint is 0 mod n ends a chunk.
 *
 * bsw (their modification) keeps the smallest fingerprint of the windows of each chunk, bsw-chunk
 * (traditional) a hash of its tokens: the boundary window's last token is the chunk's last, and the first
 * window - 1 tokens belong to the first chunk. The trailing chunk counts too.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "sketch/maker.h"

/* Divisibility by n = 2^shift d, d odd, without division: the multiples of n are the numbers that d's inverse
 * takes to at most UINT64_MAX / n once rotated. */
struct divisor {
    uint64_t inverse, most;
    int shift;
};

static struct divisor divisor_of(uint64_t n) {
    int shift = __builtin_ctzll(n);
    uint64_t odd = n >> shift, inverse = odd; /* right to 3 bits; each step doubles them */
    for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
    return (struct divisor){inverse, UINT64_MAX / n, shift};
}

static bool divides(const struct divisor *divisor, uint64_t value) {
    uint64_t product = value * divisor->inverse;
    return (product >> divisor->shift | product << (-divisor->shift & 63)) <= divisor->most;
}

enum { CHUNKS_ROOM = 256 }; /* chunk values before the first sort */

struct chunk_maker {
    struct maker base;
    struct divisor divisor;
    struct vec64 chunks; /* values so far; sorted and made unique whenever they have doubled */
    size_t settled;
    uint64_t chunk; /* bsw: smallest fingerprint; bsw-chunk: hash of the tokens so far */
    uint64_t start; /* what `chunk` starts from */
    bool open;      /* the chunk has a window or a token */
};

static bool close_chunk(struct chunk_maker *maker, uint64_t value) {
    if (!vec64_add(&maker->chunks, value)) return false;
    maker->chunk = maker->start;
    maker->open = false;
    maker->base.held = maker->chunks.len;
    if (maker->chunks.len < CHUNKS_ROOM || maker->chunks.len < 2 * maker->settled) return true;
    if (!vec64_make_set(&maker->chunks)) return false;
    maker->settled = maker->chunks.len;
    return true;
}

static stemma_status bsw_take(struct maker *base, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct chunk_maker *maker = (struct chunk_maker *)base;
    (void)tokens, (void)token_count;
    for (size_t i = 0; i < count; i++) {
        if (fp[i] < maker->chunk) maker->chunk = fp[i];
        maker->open = true;
        if (divides(&maker->divisor, fp[i]) && !close_chunk(maker, mix64(maker->chunk)))
            return fail_memory(err);
    }
    return STEMMA_OK;
}

static void add_token(struct chunk_maker *maker, uint64_t token) {
    maker->chunk = mix64(maker->chunk ^ token) + maker->start;
    maker->open = true;
}

/* The last token of the block is the last of the last window, the one before it that of the window before. */
static stemma_status bsw_chunk_take(struct maker *base, const uint64_t *fp, size_t count,
                                    const uint64_t *tokens, size_t token_count, stemma_error *err) {
    struct chunk_maker *maker = (struct chunk_maker *)base;
    size_t early = token_count > count ? token_count - count : 0;
    for (size_t i = 0; i < early; i++) add_token(maker, tokens[i]);
    for (size_t i = 0; i < count && early + i < token_count; i++) {
        add_token(maker, tokens[early + i]);
        if (divides(&maker->divisor, fp[i]) && !close_chunk(maker, maker->chunk)) return fail_memory(err);
    }
    return STEMMA_OK;
}

static stemma_status chunks_finish(struct maker *base, uint64_t shingles, struct part *out,
                                   stemma_error *err) {
    struct chunk_maker *maker = (struct chunk_maker *)base;
    (void)shingles;
    uint64_t last = base->spec.scheme == SCHEME_BSW ? mix64(maker->chunk) : maker->chunk;
    if (maker->open && !close_chunk(maker, last)) return fail_memory(err);
    if (!vec64_make_set(&maker->chunks)) return fail_memory(err);
    return vec64_append(&out->values, maker->chunks.data, maker->chunks.len) ? STEMMA_OK : fail_memory(err);
}

static void chunks_free(struct maker *base) {
    struct chunk_maker *maker = (struct chunk_maker *)base;
    vec64_release(&maker->chunks);
    mem_free(maker);
}

struct maker *chunk_maker_new(const struct spec *spec, uint64_t seed) {
    static const struct maker_class bsw = {.take = bsw_take, .finish = chunks_finish, .free = chunks_free};
    static const struct maker_class bsw_chunk = {
        .take = bsw_chunk_take, .finish = chunks_finish, .free = chunks_free};
    struct chunk_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    bool modified = spec->scheme == SCHEME_BSW;
    maker->base = (struct maker){.class = modified ? &bsw : &bsw_chunk, .spec = *spec};
    maker->divisor = divisor_of(spec->n);
    maker->start = maker->chunk = modified ? UINT64_MAX : mix64(seed ^ SALT_CHUNK);
    return &maker->base;
}

/*
 * The maker of signatures, one pass over the edit text.
 *
 * The hash of a window is a polynomial in its characters mod 2^64, rolled on from window to window, then
 * mixed: the polynomial's low bits know only the characters' low bits. Whether a window is kept depends on
 * the hash mod C, its symbol on the hash divided by C, so one says nothing about the other.
 */
#include "sketch/signature.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/divisor.h"
#include "sketch/edit_text.h"
#include "sketch/signature2011.h"

#include <sodium/utils.h>

#define PIECE 32768u /* bytes of a document at a time: all that comes of them stays in the L2 cache */

/* Windows whose hash is a multiple of C, among the last n: a window that equals one of them is not kept. */
struct recent {
    uint64_t at[SIGNATURE_WINDOW_MOST], hash[SIGNATURE_WINDOW_MOST];
    size_t next; /* where the next one goes: a ring */
};

struct window_hash {
    uint64_t multiplier, leave; /* leave: what the first character of a window is worth */
    uint64_t finish[2];
    bool keyed;
    struct divisor divisor;
};

struct signer {
    struct edit_text text;
    struct spec spec;
    size_t memory;
    uint64_t windows; /* done so far: the number of the one that begins with text.chars[0] */
    struct window_hash hash;
    struct recent recent;
    struct bit_sampler *bits; /* signature2011 */
    struct signature_data made;
};

/* ---- setting up ---- */

static void window_hash_init(struct window_hash *hash, const struct view *view, const struct spec *spec) {
    uint64_t state = mix64(view_seed(view) ^ UINT64_C(0x7369676e61747572)); /* "signatur" */
    hash->multiplier = (rng_next(&state) & ~UINT64_C(7)) | 5;               /* of the longest period */
    hash->leave = 1;
    for (uint32_t i = 1; i < spec->n; i++) hash->leave *= hash->multiplier;
    hash->keyed = view->keyed;
    hash->finish[0] = rng_next(&state) ^ view->finish[0]; /* zero unless keyed */
    hash->finish[1] = view->finish[1];
    hash->divisor = divisor_of(spec->c);
}

stemma_status signer_new(const struct view *view, const struct spec *spec, size_t memory, struct signer **out,
                         stemma_error *err) {
    struct signer *signer = mem_zero(1, sizeof *signer);
    bool bits = spec->scheme == SCHEME_SIGNATURE2011;
    if (!signer) return fail_memory(err);
    signer->spec = *spec;
    signer->memory = memory;
    for (size_t i = 0; i < SIGNATURE_WINDOW_MOST; i++) signer->recent.at[i] = UINT64_MAX;
    window_hash_init(&signer->hash, view, spec);
    stemma_status status =
        edit_text_init(&signer->text, view->folds, bits || edit_text_is_bytes(view), spec->positions, err);
    if (status == STEMMA_OK && bits) status = bit_sampler_new(spec, view_seed(view), &signer->bits, err);
    if (status != STEMMA_OK) {
        signer_free(signer);
        return status;
    }
    *out = signer;
    return STEMMA_OK;
}

void signer_free(struct signer *signer) {
    if (!signer) return;
    edit_text_release(&signer->text);
    bit_sampler_free(signer->bits);
    signature_data_release(&signer->made);
    sodium_memzero(&signer->hash, sizeof signer->hash); /* it may follow from a key */
    mem_free(signer);
}

/* ---- windows ---- */

/* Whether one of the n windows before `at` has this hash. It is among the latest n multiples of C: newest
 * first. */
static bool seen_lately(const struct recent *recent, uint32_t n, uint64_t at, uint64_t hash) {
    for (size_t i = 1; i <= n; i++) {
        size_t slot = (recent->next - i) % SIGNATURE_WINDOW_MOST;
        if (recent->at[slot] == UINT64_MAX || at - recent->at[slot] > n) return false;
        if (recent->hash[slot] == hash) return true;
    }
    return false;
}

static void remember(struct recent *recent, uint64_t at, uint64_t hash) {
    size_t slot = recent->next++ % SIGNATURE_WINDOW_MOST;
    recent->at[slot] = at;
    recent->hash[slot] = hash;
}

/* The window that begins at `index` of the characters at hand has a hash that is a multiple of C. False when
 * memory is refused. */
static bool take_hit(struct signer *signer, size_t index, uint64_t hash) {
    const struct spec *spec = &signer->spec;
    struct signature_data *made = &signer->made;
    uint64_t at = signer->windows + index;
    bool repeated = seen_lately(&signer->recent, spec->n, at, hash);
    remember(&signer->recent, at, hash);
    if (repeated) return true;
    if (!vec16_reserve(&made->symbols, 1)) return false;
    made->symbols.data[made->symbols.len++] = (uint16_t)(hash / spec->c % spec->alphabet);
    return !spec->positions || vec64_add(&made->positions, signer->text.places.data[index]);
}

/* Half of mix64 is enough for a polynomial with a random multiplier; under a key, what fingerprints get, too.
 */
static inline uint64_t finished(const struct window_hash *hash, uint64_t value, bool keyed) {
    value ^= hash->finish[0];
    if (keyed) return mix64(mix64(value) ^ hash->finish[1]);
    value = (value ^ value >> 32) * MIX64_MULTIPLIER;
    return value ^ value >> 32;
}

/* A polynomial waits for its last value; so several stretches of the text are rolled at once. */
enum { LANES = 2, STRETCH = 512 };

/* The windows of a stretch whose hash is a multiple of C. */
struct hits {
    size_t count;
    uint32_t index[STRETCH];
    uint64_t hash[STRETCH];
};

/* `lanes` stretches of `each` windows, one behind the other. All but `in` and `each` are constants where this
 * is called, so that the loop has but one decision. `power`: C is a power of two. */
static inline __attribute__((always_inline)) void scan(const struct window_hash *hash, const uint32_t *in,
                                                       size_t n, size_t each, size_t lanes, bool keyed,
                                                       bool power, struct hits *hits) {
    const struct window_hash key = *hash;
    const uint64_t mask = key.divisor.shift ? (UINT64_C(1) << key.divisor.shift) - 1 : 0;
    uint64_t value[LANES] = {0};
    for (size_t lane = 0; lane < lanes; lane++) {
        hits[lane].count = 0;
        for (size_t i = 0; i + 1 < n; i++) value[lane] = value[lane] * key.multiplier + in[lane * each + i];
    }
    for (size_t i = 0; i < each; i++)
        for (size_t lane = 0; lane < lanes; lane++) {
            const uint32_t *at = in + lane * each + i;
            value[lane] = value[lane] * key.multiplier + at[n - 1];
            uint64_t finish = finished(&key, value[lane], keyed);
            value[lane] -= at[0] * key.leave;
            if (__builtin_expect(power ? (finish & mask) != 0 : !divides(&key.divisor, finish), 1)) continue;
            hits[lane].index[hits[lane].count] = (uint32_t)(lane * each + i);
            hits[lane].hash[hits[lane].count++] = finish;
        }
}

static void scan_stretches(const struct signer *signer, const uint32_t *in, size_t each, bool all,
                           struct hits *hits) {
    const struct window_hash *hash = &signer->hash;
    const size_t n = signer->spec.n;
    bool power = (signer->spec.c & (signer->spec.c - 1)) == 0;
    if (hash->keyed || !all)
        scan(hash, in, n, each, all ? LANES : 1, hash->keyed, power, hits);
    else if (power)
        scan(hash, in, n, STRETCH, LANES, false, true, hits);
    else
        scan(hash, in, n, STRETCH, LANES, false, false, hits);
}

static bool hash_windows(struct signer *signer, size_t windows) {
    struct hits hits[LANES];
    for (size_t at = 0; at < windows;) {
        bool all = windows - at >= LANES * STRETCH;
        size_t each = all || windows - at > STRETCH ? STRETCH : windows - at;
        scan_stretches(signer, signer->text.chars + at, each, all, hits);
        for (size_t lane = 0; lane < (all ? LANES : 1); lane++)
            for (size_t i = 0; i < hits[lane].count; i++)
                if (!take_hit(signer, at + hits[lane].index[i], hits[lane].hash[i])) return false;
        at += each * (all ? LANES : 1);
    }
    return true;
}

static stemma_status check_memory(const struct signer *signer, stemma_error *err) {
    size_t each = sizeof(uint16_t) + (signer->spec.positions ? sizeof(uint64_t) : 0);
    if (signer->made.symbols.len <= signer->memory / (2 * each))
        return STEMMA_OK; /* growing needs as much again */
    return fail(err, STEMMA_UNSUPPORTED,
                "the %s c=%u outgrows the memory allowed: choose a larger c, or allow more",
                scheme_name(signer->spec.scheme), signer->spec.c);
}

static stemma_status take_windows(struct signer *signer, stemma_error *err) {
    size_t count = signer->text.count, n = signer->spec.n;
    if (count < n) return STEMMA_OK;
    size_t windows = count - n + 1;
    bool good = signer->bits
                    ? bit_sampler_take(signer->bits, signer->text.chars, windows, &signer->made.symbols)
                    : hash_windows(signer, windows);
    if (!good) return fail_memory(err);
    signer->windows += windows;
    edit_text_drop(&signer->text, windows);
    return check_memory(signer, err);
}

stemma_status signer_feed(struct signer *signer, const uint8_t *bytes, size_t size, stemma_error *err) {
    for (size_t piece; size; bytes += piece, size -= piece) {
        piece = size < PIECE ? size : PIECE;
        TRY(edit_text_feed(&signer->text, bytes, piece, err));
        TRY(take_windows(signer, err));
    }
    return STEMMA_OK;
}

stemma_status signer_finish(struct signer *signer, struct signature_data *out, stemma_error *err) {
    TRY(edit_text_finish(&signer->text, err));
    TRY(take_windows(signer, err));
    signer->made.length = signer->text.length;
    signer->made.agree = edit_text_agree(&signer->text);
    *out = signer->made;
    signer->made = (struct signature_data){0};
    return STEMMA_OK;
}

/* ---- the value ---- */

void signature_data_release(struct signature_data *data) {
    vec16_release(&data->symbols);
    vec64_release(&data->positions);
    *data = (struct signature_data){0};
}

struct signature signature_of(const struct signature_data *data, const struct spec *spec) {
    return (struct signature){
        .symbols = data->symbols.data,
        .count = data->symbols.len,
        .positions = data->positions.len ? data->positions.data : NULL,
        .length = data->length,
        .agree = (double)data->agree / AGREE_SCALE,
        .n = spec->n,
        .c = spec->c,
        .alphabet = spec->scheme == SCHEME_SIGNATURE2011 ? 2 : spec->alphabet,
    };
}

static bool is_power(uint32_t x) {
    return (x & (x - 1)) == 0;
}

bool signature_rates_meet(struct signature_rate a, struct signature_rate b, struct signature_rate *out) {
    if (a.c > b.c) return signature_rates_meet(b, a, out);
    if (a.c == b.c && a.alphabet == b.alphabet) {
        *out = a;
        return true;
    }
    uint32_t ratio = b.c / a.c;
    if (b.c % a.c || !is_power(ratio) || !is_power(a.alphabet) || !is_power(b.alphabet)) return false;
    uint32_t left = a.alphabet / ratio; /* the bits that the sampling at b.c takes are gone */
    if (left < 2) return false;
    *out = (struct signature_rate){b.c, left < b.alphabet ? left : b.alphabet};
    return true;
}

stemma_status signature_coarsen(const struct signature *from, struct signature_rate to,
                                struct signature_data *data, struct signature *out, stemma_error *err) {
    uint32_t ratio = to.c / from->c;
    if (!vec16_reserve(&data->symbols, from->count)) return fail_memory(err);
    if (from->positions && !vec64_reserve(&data->positions, from->count)) return fail_memory(err);
    for (size_t i = 0; i < from->count; i++) {
        if (from->symbols[i] % ratio) continue;
        data->symbols.data[data->symbols.len++] = (uint16_t)(from->symbols[i] / ratio % to.alphabet);
        if (from->positions) data->positions.data[data->positions.len++] = from->positions[i];
    }
    *out = *from;
    out->symbols = data->symbols.data;
    out->count = data->symbols.len;
    out->positions = from->positions ? data->positions.data : NULL;
    out->c = to.c;
    out->alphabet = to.alphabet;
    return STEMMA_OK;
}

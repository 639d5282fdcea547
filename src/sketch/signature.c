/*
 * The maker of signatures, one pass over the edit text.
 *
 * The hash of a window is a polynomial in its characters mod 2^64, then mixed: the polynomial's low bits know
 * only the characters' low bits. Whether a window is kept depends on
 * the hash mod C, its symbol on the hash divided by C, so one says nothing about the other.
 */
#include "sketch/signature.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/divisor.h"
#include "kernels/kernels.h"
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
    struct window_keys keys;
    bool keyed;
    uint64_t last; /* keyed: xored in between the two rounds of the finaliser */
};

struct signer {
    struct edit_text text;
    struct spec spec;
    size_t memory;
    size_t most;      /* windows are kept, and so many at most; 0: symbols are, of all */
    uint32_t rate;    /* that of the spec, until there are more */
    uint64_t windows; /* done so far: the number of the one that begins with text.chars[0] */
    struct window_hash hash;
    const struct kernels *kernels;
    struct recent recent;
    struct bit_sampler *bits; /* signature2011 */
    struct signature_data made;
    struct kept_windows kept;
};

/* ---- setting up ---- */

static void window_hash_init(struct window_hash *hash, const struct view *view, const struct spec *spec) {
    uint64_t state = mix64(view_seed(view) ^ UINT64_C(0x7369676e61747572)); /* "signatur" */
    struct window_keys *keys = &hash->keys;
    keys->multiplier = (rng_next(&state) & ~UINT64_C(7)) | 5; /* of the longest period */
    keys->leave = 1;
    for (uint32_t i = 0; i < spec->n; i++) keys->leave *= keys->multiplier;
    hash->keyed = view->keyed;
    keys->finish = rng_next(&state) ^ view->finish[0]; /* zero unless keyed */
    hash->last = view->finish[1];
}

static void recent_clear(struct recent *recent) {
    for (size_t i = 0; i < SIGNATURE_WINDOW_MOST; i++) recent->at[i] = UINT64_MAX;
}

stemma_status signer_new(const struct view *view, const struct spec *spec, size_t memory, struct signer **out,
                         stemma_error *err) {
    struct signer *signer = mem_zero(1, sizeof *signer);
    bool bits = spec->scheme == SCHEME_SIGNATURE2011;
    if (!signer) return fail_memory(err);
    signer->spec = *spec;
    signer->rate = spec->c;
    signer->memory = memory;
    signer->kernels = kernels_get();
    recent_clear(&signer->recent);
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
    kept_windows_release(&signer->kept);
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

/* Those that are not kept at twice the rate are forgotten. */
static void double_rate(struct signer *signer) {
    struct kept_windows *kept = &signer->kept;
    size_t left = 0;
    signer->rate *= 2;
    for (size_t i = 0; i < kept->hashes.len; i++) {
        if (kept->hashes.data[i] & (signer->rate - 1)) continue;
        if (signer->spec.positions) kept->positions.data[left] = kept->positions.data[i];
        kept->hashes.data[left++] = kept->hashes.data[i];
    }
    kept->hashes.len = left;
    if (signer->spec.positions) kept->positions.len = left;
}

static bool keep_window(struct signer *signer, size_t index, uint64_t hash) {
    struct kept_windows *kept = &signer->kept;
    if (hash & (signer->rate - 1)) return true; /* it was found before the rate was doubled */
    if (kept->hashes.len == kept->hashes.cap && !vec64_reserve(&kept->hashes, 1)) return false;
    kept->hashes.data[kept->hashes.len++] = hash;
    if (signer->spec.positions && !vec64_add(&kept->positions, signer->text.places.data[index])) return false;
    while (kept->hashes.len > signer->most && signer->rate < KEPT_RATE_MOST) double_rate(signer);
    return true;
}

static bool take_symbol(struct signer *signer, size_t index, uint64_t hash) {
    const struct spec *spec = &signer->spec;
    struct signature_data *made = &signer->made;
    if (!vec16_reserve(&made->symbols, 1)) return false;
    made->symbols.data[made->symbols.len++] = (uint16_t)(hash / spec->c % spec->alphabet);
    return !spec->positions || vec64_add(&made->positions, signer->text.places.data[index]);
}

/* The window that begins at `index` of the characters at hand has a hash that is a multiple of C. False when
 * memory is refused. */
static bool take_hit(struct signer *signer, size_t index, uint64_t hash) {
    uint64_t at = signer->windows + index;
    bool repeated = seen_lately(&signer->recent, signer->spec.n, at, hash);
    remember(&signer->recent, at, hash);
    if (repeated) return true;
    return signer->most ? keep_window(signer, index, hash) : take_symbol(signer, index, hash);
}

/* Windows at a time: what comes of them stays on the stack. */
enum { STRETCH = 512 };

struct hits {
    size_t count;
    uint32_t place[STRETCH + KERNEL_SLACK];
    uint64_t hash[STRETCH + KERNEL_SLACK];
};

/* Under a key the finaliser is that of fingerprints. */
static void find_keyed(const struct signer *signer, const uint32_t *in, size_t windows, struct hits *hits) {
    const struct window_hash *hash = &signer->hash;
    const size_t n = signer->spec.n;
    uint64_t sum = 0;
    hits->count = 0;
    for (size_t i = 0; i + 1 < windows + n; i++) {
        sum = sum * hash->keys.multiplier + (in[i] - (i >= n ? in[i - n] * hash->keys.leave : 0));
        if (i + 1 < n) continue;
        hits->place[hits->count] = (uint32_t)(i + 1 - n);
        hits->hash[hits->count++] = mix64(mix64(sum ^ hash->keys.finish) ^ hash->last);
    }
}

static void drop_others(struct hits *hits, uint32_t rate) {
    const struct divisor divisor = divisor_of(rate);
    size_t kept = 0;
    for (size_t i = 0; i < hits->count; i++) {
        hits->place[kept] = hits->place[i];
        hits->hash[kept] = hits->hash[i];
        kept += divides(&divisor, hits->hash[i]);
    }
    hits->count = kept;
}

/* The windows whose hash is a multiple of the rate. Half of mix64 is enough for a polynomial with a random
 * multiplier. */
static void find_hits(const struct signer *signer, const uint32_t *in, size_t windows, struct hits *hits) {
    const uint32_t rate = signer->rate, power = rate & (~rate + 1);
    if (signer->hash.keyed)
        find_keyed(signer, in, windows, hits);
    else
        hits->count = signer->kernels->sign_windows(&signer->hash.keys, in, windows, signer->spec.n,
                                                    power - 1, hits->place, hits->hash);
    if (signer->hash.keyed || power != rate) drop_others(hits, rate);
}

static bool hash_windows(struct signer *signer, size_t windows) {
    struct hits hits;
    for (size_t at = 0, count; at < windows; at += count) {
        count = windows - at < STRETCH ? windows - at : STRETCH;
        find_hits(signer, signer->text.chars + at, count, &hits);
        for (size_t i = 0; i < hits.count; i++)
            if (!take_hit(signer, at + hits.place[i], hits.hash[i])) return false;
    }
    return true;
}

static stemma_status check_memory(const struct signer *signer, stemma_error *err) {
    size_t each = sizeof(uint16_t) + (signer->spec.positions ? sizeof(uint64_t) : 0);
    if (signer->made.symbols.len <= signer->memory / (2 * each))
        return STEMMA_OK; /* growing needs as much again */
    return fail(err, STEMMA_UNSUPPORTED,
                "the %s c=%u outgrows the memory allowed: choose a larger c, or allow more (--memory)",
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

bool signer_reserve(struct signer *signer, size_t count, uint32_t **chars, uint64_t **places) {
    struct edit_text *text = &signer->text;
    if (!edit_text_reserve(text, count)) return false;
    *chars = text->chars + text->count;
    *places = signer->spec.positions ? text->places.data + text->places.len : NULL;
    return true;
}

stemma_status signer_take(struct signer *signer, size_t count, stemma_error *err) {
    edit_text_take(&signer->text, count);
    return take_windows(signer, err);
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

/* ---- windows of many rates ---- */

void signer_keep(struct signer *signer, size_t most) {
    signer->most = most;
}

stemma_status signer_finish_kept(struct signer *signer, const struct kept_windows **out, stemma_error *err) {
    TRY(edit_text_finish(&signer->text, err));
    TRY(take_windows(signer, err));
    signer->kept.rate = signer->rate;
    signer->kept.length = signer->text.length;
    signer->kept.agree = edit_text_agree(&signer->text);
    *out = &signer->kept;
    return STEMMA_OK;
}

void signer_reset(struct signer *signer) {
    edit_text_reset(&signer->text);
    recent_clear(&signer->recent);
    signer->rate = signer->spec.c;
    signer->windows = 0;
    signer->kept.hashes.len = signer->kept.positions.len = 0;
}

void kept_windows_release(struct kept_windows *kept) {
    vec64_release(&kept->hashes);
    vec64_release(&kept->positions);
}

stemma_status kept_windows_at(const struct kept_windows *kept, struct signature_rate to,
                              struct signature_data *out, stemma_error *err) {
    const bool placed = kept->positions.len > 0;
    const int rate_bits = __builtin_ctz(to.c);
    out->symbols.len = out->positions.len = 0;
    out->length = kept->length;
    out->agree = kept->agree;
    if (!vec16_reserve(&out->symbols, kept->hashes.len) ||
        (placed && !vec64_reserve(&out->positions, kept->hashes.len)))
        return fail_memory(err);
    for (size_t i = 0; i < kept->hashes.len; i++) {
        const uint64_t hash = kept->hashes.data[i];
        if (hash & (to.c - 1)) continue;
        if (placed) out->positions.data[out->positions.len++] = kept->positions.data[i];
        out->symbols.data[out->symbols.len++] = (uint16_t)(hash >> rate_bits & (to.alphabet - 1));
    }
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

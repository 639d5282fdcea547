/*
 * The stages, from bytes to sketches. Later stages read what earlier ones made beforehand, in blocks whose
 * results stay in the cache, as the pipeline of the library does it.
 */
#include "stages.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/generic.h"
#include "shingle/rabin.h"
#include "sketch/lowest.h"
#include "stemma.h"
#include "text/unicode.h"

#include <string.h>

enum {
    BLOCK = 16 << 10,    /* bytes or values at a time */
    DOCUMENT = 16 << 10, /* bytes of a document where a sketch per document matters */
    WORDS = 5,
    BYTES = 20,
    DEFAULT_BINS = 2048, /* the default recipe: oph n=2048 bits=1; mod n=32 */
    DEFAULT_MOD = 32,
    HAMMING_BYTES = 50, /* k = 400 */
    FIELD_BYTES = 256   /* n = 1024, b = 2 */
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- text ---- */

/* Canonical text; characters that are left to others count as spaces here. */
static size_t fold(const struct kernels *k, const uint8_t *text, size_t size, uint8_t *out, bool *gap,
                   bool *any) {
    const struct run_chars chars = unicode_run_chars(1u << RUN_ENDS);
    size_t total = 0;
    for (size_t at = 0; at < size;) {
        size_t written;
        at += k->fold_text(&chars, text + at, size - at, out + total, &written, gap, any, NULL);
        total += written;
        if (at < size) *gap = *any;
        at++;
    }
    return total;
}

struct work stage_memcpy(const struct kernels *k, struct corpus *c, size_t size) {
    (void)k;
    memcpy(c->copy, c->raw, size);
    return (struct work){size, c->copy[size / 2]};
}

static struct work stage_sum(const struct kernels *k, struct corpus *c, size_t size) {
    (void)k;
    uint64_t sum = 0;
    const uint64_t *words = (const uint64_t *)(const void *)c->raw;
    for (size_t i = 0; i < size / 8; i++) sum += words[i];
    return (struct work){size, sum};
}

static struct work stage_fold(const struct kernels *k, struct corpus *c, size_t size) {
    bool gap = false, any = false;
    size_t written = fold(k, c->raw, size, c->copy, &gap, &any);
    return (struct work){size, written ^ c->copy[written / 2]};
}

static struct work stage_hash(const struct kernels *k, struct corpus *c, size_t size) {
    size_t end = (size_t)((double)c->canon_size * ((double)size / (double)c->size)), at = 0;
    struct work work = {size, 0};
    while (at < end) {
        size_t used, count = k->hash_words(c->canon + at, least(BLOCK, end - at), &c->keys, c->values, &used);
        if (!used) break;
        work.check ^= count ? c->values[count - 1] : 0;
        at += used;
    }
    return work;
}

static struct work stage_combine(const struct kernels *k, struct corpus *c, size_t size) {
    size_t end = (size_t)((double)c->token_count * ((double)size / (double)c->size));
    struct work work = {size, 0};
    for (size_t at = 0; at + WORDS <= end; at += BLOCK) {
        size_t count = least(BLOCK + WORDS - 1, end - at);
        k->combine(c->tokens + at, count, WORDS, &c->keys, c->values);
        work.check ^= c->values[count - WORDS];
    }
    return work;
}

/* Raw text to fingerprints of word windows, and into a sketch where minima are given. */
static struct work word_path(const struct kernels *k, struct corpus *c, size_t size, uint64_t *minima) {
    uint8_t *text = c->copy;
    uint64_t *tokens = c->values, *prints = tokens + BLOCK + KERNEL_SLACK;
    size_t held = 0, words = 0; /* of an unfinished word, of an unfinished window */
    bool gap = false, any = false;
    struct work work = {size, 0};
    for (size_t at = 0; at < size; at += BLOCK) {
        size_t used;
        held += fold(k, c->raw + at, least(BLOCK, size - at), text + held, &gap, &any);
        words += k->hash_words(text, held, &c->keys, tokens + words, &used);
        held -= used;
        memmove(text, text + used, held);
        if (words < WORDS) continue;
        size_t count = words - WORDS + 1;
        k->combine(tokens, words, WORDS, &c->keys, prints);
        if (minima) {
            k->oph_update(minima, DEFAULT_BINS, 1, prints, count);
            work.check ^= k->filter_mod(prints, count, DEFAULT_MOD, prints + count + KERNEL_SLACK);
        }
        work.check ^= prints[count - 1];
        memmove(tokens, tokens + count, (WORDS - 1) * sizeof *tokens);
        words = WORDS - 1;
    }
    return work;
}

static struct work stage_word_path(const struct kernels *k, struct corpus *c, size_t size) {
    return word_path(k, c, size, NULL);
}

/* All kernels of the default recipe. */
static struct work stage_default_sketch(const struct kernels *k, struct corpus *c, size_t size) {
    uint64_t minima[DEFAULT_BINS];
    memset(minima, 0xff, sizeof minima);
    struct work work = word_path(k, c, size, minima);
    for (size_t i = 0; i < DEFAULT_BINS; i++) work.check ^= minima[i];
    return work;
}

/* What a user of the library gets: documents in memory to sketches, with both digests. */
static struct work stage_library(const struct kernels *k, struct corpus *c, size_t size) {
    (void)k;
    struct work work = {0, 0};
    for (size_t at = 0; at + DOCUMENT <= size; at += DOCUMENT) {
        stemma_sketch *sketch;
        if (stemma_sketch_bytes(c->raw + at, DOCUMENT, "", NULL, NULL, &sketch, NULL) != STEMMA_OK) break;
        work.check ^= stemma_sketch_info(sketch).tokens;
        work.bytes += DOCUMENT;
        stemma_sketch_free(sketch);
    }
    return work;
}

/* ---- identity ---- */

static struct work stage_horner(const struct kernels *k, struct corpus *c, size_t size) {
    uint64_t sum[2] = {0};
    k->horner(&c->identity.point, c->raw, size / IDENTITY_BLOCK, sum);
    return (struct work){size, sum[0] ^ sum[1]};
}

/* ---- Rabin ---- */

static struct work rabin_mod(const struct kernels *k, struct corpus *c, size_t size, uint64_t n) {
    struct work work = {size, 0};
    for (size_t at = 0; at + BYTES <= size; at += BLOCK) {
        size_t kept = k->rabin_mod(&c->rabin, c->raw + at, least(BLOCK + BYTES - 1, size - at), n, c->values);
        for (size_t i = 0; i < kept; i++) work.check ^= c->values[i];
    }
    return work;
}

static struct work stage_rabin_mod128(const struct kernels *k, struct corpus *c, size_t size) {
    return rabin_mod(k, c, size, 128);
}

static struct work stage_rabin_mod100(const struct kernels *k, struct corpus *c, size_t size) {
    return rabin_mod(k, c, size, 100);
}

static struct work stage_rabin_all(const struct kernels *k, struct corpus *c, size_t size) {
    struct work work = {size, 0};
    for (size_t at = 0; at + BYTES <= size; at += BLOCK) {
        size_t count = least(BLOCK + BYTES - 1, size - at);
        k->rabin_all(&c->rabin, c->raw + at, count, c->values);
        work.check ^= c->values[count - BYTES];
    }
    return work;
}

/* ---- Min_128 of each document ---- */

enum { SMALLEST = 128, STEP = 4096 };

static struct work stage_smallest(const struct kernels *k, struct corpus *c, size_t size) {
    struct work work = {size, 0};
    struct lowest lowest;
    for (size_t begin = 0; begin + DOCUMENT <= size; begin += DOCUMENT) {
        lowest_init(&lowest, SMALLEST);
        for (size_t at = begin; at + BYTES <= begin + DOCUMENT; at += STEP) {
            size_t count = least(STEP + BYTES - 1, begin + DOCUMENT - at);
            k->rabin_all(&c->rabin, c->raw + at, count, c->values);
            if (!lowest_add(&lowest, k, c->values, count - BYTES + 1)) break;
        }
        if (!lowest_settle(&lowest)) break;
        for (size_t i = 0; i < lowest.kept.len; i++) work.check ^= lowest.kept.data[i];
        vec64_release(&lowest.kept);
    }
    return work;
}

static void sift_down(uint64_t *heap, size_t count, uint64_t value) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

static void sift_up(uint64_t *heap, size_t at, uint64_t value) {
    for (; at > 0 && heap[(at - 1) / 2] < value; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = value;
}

static void heap_offer(uint64_t *heap, size_t *count, uint64_t value) {
    if (*count == SMALLEST && value >= heap[0]) return;
    for (size_t i = 0; i < *count; i++)
        if (heap[i] == value) return;
    if (*count == SMALLEST)
        sift_down(heap, SMALLEST, value);
    else
        sift_up(heap, (*count)++, value);
}

/* Byte at a time, each fingerprint offered to a heap of the smallest. */
static struct work textbook_smallest(const struct kernels *k, struct corpus *c, size_t size) {
    (void)k;
    struct work work = {size, 0};
    for (size_t begin = 0; begin + DOCUMENT <= size; begin += DOCUMENT) {
        uint64_t heap[SMALLEST];
        size_t count = 0;
        generic_rabin_all(&c->rabin, c->raw + begin, DOCUMENT, c->values);
        for (size_t i = 0; i + BYTES <= DOCUMENT; i++) heap_offer(heap, &count, c->values[i]);
        for (size_t i = 0; i < count; i++) work.check ^= heap[i];
    }
    return work;
}

/* ---- sketches of fingerprints ---- */

static size_t prints_of(const struct corpus *c, size_t size) {
    return (size_t)((double)c->print_count * ((double)size / (double)c->size));
}

static struct work stage_minhash(const struct kernels *k, struct corpus *c, size_t size) {
    uint64_t minima[128];
    struct work work = {size, 0};
    memset(minima, 0xff, sizeof minima);
    k->minhash_update(minima, 128, c->coefficients, c->prints, prints_of(c, size));
    for (size_t i = 0; i < 128; i++) work.check ^= minima[i];
    return work;
}

static struct work stage_oph(const struct kernels *k, struct corpus *c, size_t size) {
    uint64_t minima[512];
    struct work work = {size, 0};
    memset(minima, 0xff, sizeof minima);
    k->oph_update(minima, 512, 1, c->prints, prints_of(c, size));
    for (size_t i = 0; i < 512; i++) work.check ^= minima[i];
    return work;
}

static struct work stage_simhash(const struct kernels *k, struct corpus *c, size_t size) {
    int64_t sums[64] = {0};
    struct work work = {size, 0};
    k->simhash_update(sums, 1, c->prints, prints_of(c, size));
    for (size_t i = 0; i < 64; i++) work.check = work.check * 31 + (uint64_t)sums[i];
    return work;
}

/* The fingerprints' bytes stand for packed sketches: 300,000 of them where the text is long enough. */
static size_t packed_count(const struct corpus *c, size_t each) {
    return least(300000, c->print_count * 8 / each);
}

static struct work stage_hamming(const struct kernels *k, struct corpus *c, size_t size) {
    (void)size;
    const uint8_t *packed = (const uint8_t *)c->prints;
    size_t count = packed_count(c, HAMMING_BYTES);
    struct work work = {count * HAMMING_BYTES, 0};
    for (size_t i = 0; i < count; i++)
        work.check += k->hamming(packed, packed + i * HAMMING_BYTES, HAMMING_BYTES);
    return work;
}

static struct work stage_equal_fields(const struct kernels *k, struct corpus *c, size_t size) {
    (void)size;
    const uint8_t *packed = (const uint8_t *)c->prints;
    size_t count = packed_count(c, FIELD_BYTES);
    struct work work = {count * FIELD_BYTES, 0};
    for (size_t i = 0; i < count; i++)
        work.check += k->equal_fields(packed, packed + i * FIELD_BYTES, FIELD_BYTES * 4, 2);
    return work;
}

const struct row rows[] = {
    {.name = "memcpy", .run = stage_memcpy, .share = 1, .plain = true},
    {.name = "read (sum)", .run = stage_sum, .share = 1, .plain = true},
    {.name = "fold_text", .run = stage_fold, .share = 1},
    {.name = "fold_text, in cache", .run = stage_fold, .share = 1, .cached = true},
    {.name = "hash_words", .run = stage_hash, .share = 2},
    {.name = "combine", .run = stage_combine, .share = 2},
    {.name = "words to fingerprints", .run = stage_word_path, .share = 2},
    {.name = "default sketch, kernels", .run = stage_default_sketch, .share = 2},
    {.name = "sketches of 16 KB, digests", .run = stage_library, .share = 4, .plain = true},
    {.name = "horner", .run = stage_horner, .share = 2},
    {.name = "horner, in cache", .run = stage_horner, .share = 1, .cached = true},
    {.name = "rabin w=20 mod 128", .run = stage_rabin_mod128, .share = 4},
    {.name = "rabin w=20 mod 100", .run = stage_rabin_mod100, .share = 4},
    {.name = "rabin w=20 all", .run = stage_rabin_all, .share = 4},
    {.name = "Min_128", .run = stage_smallest, .textbook = textbook_smallest, .share = 8},
    {.name = "minhash 128", .run = stage_minhash, .share = 16},
    {.name = "oph 512", .run = stage_oph, .share = 2},
    {.name = "simhash", .run = stage_simhash, .share = 16},
    {.name = "hamming k=400", .run = stage_hamming, .share = 1},
    {.name = "equal_fields b=2 n=1024", .run = stage_equal_fields, .share = 1},
};
const size_t row_count = sizeof rows / sizeof *rows;

/* ---- the corpus ---- */

static void keys_init(struct corpus *c) {
    uint64_t rng = 1;
    for (int i = 0; i < 3; i++) c->keys.token[i] = rng_next(&rng);
    c->keys.multiplier = rng_next(&rng) << 3 | 5;
    c->keys.finish = rng_next(&rng);
    c->keys.leave = 1;
    for (int i = 0; i < WORDS; i++) c->keys.leave *= c->keys.multiplier;
    for (size_t i = 0; i < 3 * 128; i++)
        c->coefficients[i] = i < 2 * 128 ? rng_next(&rng) >> 32 : rng_next(&rng);
    rabin_init(&c->rabin, 64, 1, BYTES);
    identity_key_set(&c->identity, (const uint8_t *)c->coefficients);
}

bool corpus_init(struct corpus *c, size_t size) {
    *c = (struct corpus){.size = size};
    size_t bytes = size + BLOCK + 2 * KERNEL_SLACK, values = size / 2 + 2 * (BLOCK + KERNEL_SLACK) + DOCUMENT;
    c->raw = mem_zero(bytes, 1);
    c->canon = mem_zero(bytes, 1);
    c->copy = mem_zero(bytes, 1);
    c->tokens = mem_zero(values, sizeof *c->tokens);
    c->prints = mem_zero(values, sizeof *c->prints);
    c->values = mem_zero(3 * (BLOCK + BYTES + KERNEL_SLACK) + DOCUMENT, sizeof *c->values);
    return c->raw && c->canon && c->copy && c->tokens && c->prints && c->values;
}

void corpus_derive(struct corpus *c) {
    const struct kernels *k = kernels_get();
    bool gap = false, any = false;
    size_t used;
    keys_init(c);
    c->canon_size = fold(k, c->raw, c->size, c->canon, &gap, &any);
    c->token_count = k->hash_words(c->canon, c->canon_size, &c->keys, c->tokens, &used);
    if (c->token_count < WORDS) return;
    k->combine(c->tokens, c->token_count, WORDS, &c->keys, c->prints);
    c->print_count = c->token_count - WORDS + 1;
}

void corpus_release(struct corpus *c) {
    mem_free(c->raw);
    mem_free(c->canon);
    mem_free(c->copy);
    mem_free(c->tokens);
    mem_free(c->prints);
    mem_free(c->values);
}

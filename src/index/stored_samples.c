#include "index/stored_samples.h"

#include "base/sort.h"

#include <string.h>

/* ---- parts ---- */

static uint32_t bits_of(const struct part *part) {
    return part->kind == KIND_SAMPLES ? KEY_SAMPLE_BITS : part->spec;
}

bool is_samples_part(const struct part *part) {
    if (part->form != FORM_TEXT) return false;
    if (part->kind == KIND_SAMPLES) return part->spec == 0;
    return part->kind == KIND_SHORT_SAMPLES && part->spec > 0 && part->spec < KEY_SAMPLE_BITS;
}

stemma_status samples_add_parts(struct schema *schema, uint32_t bits, stemma_error *err) {
    const bool whole = bits == KEY_SAMPLE_BITS;
    const uint32_t spec = whole ? 0 : bits;
    const struct part samples = {whole ? KIND_SAMPLES : KIND_SHORT_SAMPLES, spec, FORM_TEXT, 16},
                      keys = {whole ? KIND_SAMPLE_KEYS : KIND_SHORT_SAMPLE_KEYS, spec, FORM_LOOKUP, 0};
    TRY(schema_add(schema, samples, err));
    return schema_add(schema, keys, err);
}

void samples_renew_parts(struct schema *schema) {
    for (size_t i = 0; i < schema->count; i++) {
        struct part *part = &schema->parts[i];
        if (part->kind != KIND_SAMPLES && part->kind != KIND_SAMPLE_KEYS) continue;
        part->kind = part->kind == KIND_SAMPLES ? KIND_SHORT_SAMPLES : KIND_SHORT_SAMPLE_KEYS;
        part->spec = STORED_SAMPLE_BITS;
    }
}

int samples_find_part(const struct schema *schema, uint32_t *bits) {
    *bits = KEY_SAMPLE_BITS;
    for (size_t i = 0; i < schema->count; i++) {
        if (!is_samples_part(&schema->parts[i])) continue;
        *bits = bits_of(&schema->parts[i]);
        return (int)i;
    }
    return -1;
}

int sample_keys_find_part(const struct schema *schema) {
    uint32_t bits;
    if (samples_find_part(schema, &bits) < 0) return -1;
    return bits == KEY_SAMPLE_BITS ? schema_find(schema, KIND_SAMPLE_KEYS, 0)
                                   : schema_find(schema, KIND_SHORT_SAMPLE_KEYS, bits);
}

stemma_status sample_part_keys(const struct schema *schema, const struct part *part, const struct row *row,
                               struct vec64 *keys, stemma_error *err) {
    uint32_t bits;
    const int samples = samples_find_part(schema, &bits);
    const size_t first = keys->len;
    if (samples < 0 || (part->kind == KIND_SHORT_SAMPLE_KEYS ? part->spec : KEY_SAMPLE_BITS) != bits)
        return fail(err, STEMMA_INVALID, "an index without what it is made from");
    TRY(samples_unpack(row->cells[samples].bytes, row->cells[samples].size, bits, keys, err));
    for (size_t i = first; i < keys->len; i++) keys->data[i] = sample_key(keys->data[i], bits);
    return STEMMA_OK;
}

void samples_cut(struct vec64 *samples, uint32_t bits) {
    const uint32_t cut = KEY_SAMPLE_BITS - bits;
    if (cut == 0) return;
    for (size_t i = 0; i < samples->len; i++) samples->data[i] = samples->data[i] >> cut << cut;
    samples->len = unique_u64(samples->data, samples->len);
}

void samples_cut_for(const struct schema *schema, struct vec64 *samples) {
    uint32_t bits;
    (void)samples_find_part(schema, &bits);
    samples_cut(samples, bits);
}

/* ---- whole bytes ---- */

enum { WHOLE_BYTES = KEY_SAMPLE_BITS / 8 };

static stemma_status pack_whole(const struct vec64 *samples, struct buf *out, stemma_error *err) {
    if (!buf_reserve(out, samples->len * WHOLE_BYTES)) return fail_memory(err);
    for (size_t i = 0; i < samples->len; i++)
        for (int byte = 0; byte < WHOLE_BYTES; byte++)
            out->data[out->len++] = (uint8_t)(samples->data[i] >> 8 * byte);
    return STEMMA_OK;
}

static stemma_status unpack_whole(const uint8_t *bytes, size_t size, struct vec64 *out, stemma_error *err) {
    if (size % WHOLE_BYTES) return fail(err, STEMMA_CORRUPT, "samples of %zu bytes", size);
    if (!vec64_reserve(out, size / WHOLE_BYTES)) return fail_memory(err);
    for (size_t at = 0; at < size; at += WHOLE_BYTES) {
        uint64_t sample = 0;
        for (int byte = WHOLE_BYTES; byte-- > 0;) sample = sample << 8 | bytes[at + byte];
        out->data[out->len++] = sample;
    }
    return STEMMA_OK;
}

/* ---- Rice codes ----
 *
 * How many there are, seven bits to a byte. Then a string of bits: the lower bits of all gaps, of equal
 * width; behind them the rest of each, as so many zeros and a one. Apart they are read without a branch for
 * each bit. The width follows from the number: that of the mean gap. */

enum { COUNT_BYTES_MOST = 6 }; /* 42 bits */

static uint32_t lower_bits(uint64_t count, uint32_t bits) {
    const uint32_t log = count > 1 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 0;
    return bits > log ? bits - log : 0;
}

static size_t write_count(uint64_t count, uint8_t *to) {
    size_t size = 0;
    for (; count >> 7; count >>= 7) to[size++] = (uint8_t)(count | 0x80);
    to[size++] = (uint8_t)count;
    return size;
}

/* 0: it is none, or could be shorter. */
static size_t read_count(const uint8_t *bytes, size_t size, uint64_t *count) {
    *count = 0;
    for (size_t i = 0; i < size && i < COUNT_BYTES_MOST; i++) {
        *count |= (uint64_t)(bytes[i] & 0x7f) << 7 * i;
        if (!(bytes[i] & 0x80)) return bytes[i] ? i + 1 : 0;
    }
    return 0;
}

/* The gap before each one: samples differ, so 1 is taken off all but the first. */
static uint64_t gap_of(const struct vec64 *samples, size_t i, uint32_t cut) {
    const uint64_t key = samples->data[i] >> cut;
    return i ? key - (samples->data[i - 1] >> cut) - 1 : key;
}

static void put_gaps(const struct vec64 *samples, uint32_t cut, uint32_t lower, uint8_t *to) {
    size_t at = 0, rest = samples->len * lower;
    for (size_t i = 0; i < samples->len; i++, at += lower) {
        const uint64_t gap = gap_of(samples, i, cut), low = gap & ((UINT64_C(1) << lower) - 1);
        store_u64(to + at / 8, load_u64(to + at / 8) | low << at % 8);
        rest += gap >> lower;
        to[rest / 8] |= (uint8_t)(1 << rest % 8);
        rest++;
    }
}

stemma_status samples_pack(const struct vec64 *samples, uint32_t bits, struct buf *out, stemma_error *err) {
    const uint32_t cut = KEY_SAMPLE_BITS - bits, lower = lower_bits(samples->len, bits);
    uint8_t count[COUNT_BYTES_MOST];
    size_t size = samples->len * (lower + 1);
    if (cut == 0) return pack_whole(samples, out, err);
    if (samples->len == 0) return STEMMA_OK;
    for (size_t i = 0; i < samples->len; i++) size += gap_of(samples, i, cut) >> lower;
    size = (size + 7) / 8;
    if (!buf_add(out, count, write_count(samples->len, count)) || !buf_reserve(out, size + 8))
        return fail_memory(err);
    memset(out->data + out->len, 0, size + 8);
    put_gaps(samples, cut, lower, out->data + out->len);
    out->len += size;
    return STEMMA_OK;
}

/* Zeros follow the end. */
static uint64_t word_at(const uint8_t *bytes, size_t size, size_t at) {
    uint64_t word = 0;
    if (at < size && size - at >= 8) return load_u64(bytes + at);
    for (size_t i = at; i < size; i++) word |= (uint64_t)bytes[i] << 8 * (i - at);
    return word;
}

/* False when they are too many for the bytes, too few, or too large. */
static bool get_gaps(const uint8_t *bytes, size_t size, size_t count, uint32_t bits, uint64_t *out) {
    const uint32_t cut = KEY_SAMPLE_BITS - bits, lower = lower_bits(count, bits);
    const uint64_t mask = (UINT64_C(1) << lower) - 1;
    const size_t start = count * lower;
    size_t at = start / 8, place = 0;
    uint64_t word = word_at(bytes, size, at) >> start % 8 << start % 8, sum = 0, wrong = 0;
    for (size_t i = 0, low = 0; i < count; i++, low += lower) {
        while (word == 0) {
            if ((at += 8) >= size) return false;
            word = word_at(bytes, size, at);
        }
        place = 8 * at + (size_t)__builtin_ctzll(word);
        word &= word - 1;
        sum += word_at(bytes, size, low / 8) >> low % 8 & mask;
        const uint64_t rests = place - start - i, key = (rests << lower) + sum + i;
        wrong |= rests >> (bits - lower) | key >> bits;
        out[i] = key << cut;
    }
    return wrong == 0 && word == 0 && place / 8 + 1 == size;
}

stemma_status samples_unpack(const uint8_t *bytes, size_t size, uint32_t bits, struct vec64 *out,
                             stemma_error *err) {
    uint64_t count;
    if (bits == KEY_SAMPLE_BITS) return unpack_whole(bytes, size, out, err);
    if (size == 0) return STEMMA_OK;
    const size_t before = read_count(bytes, size, &count);
    if (before == 0 || count > 8 * (size - before) / (lower_bits(count, bits) + 1))
        return fail(err, STEMMA_CORRUPT, "samples of %zu bytes", size);
    if (!vec64_reserve(out, (size_t)count)) return fail_memory(err);
    if (!get_gaps(bytes + before, size - before, (size_t)count, bits, out->data + out->len))
        return fail(err, STEMMA_CORRUPT, "samples of %zu bytes", size);
    out->len += (size_t)count;
    return STEMMA_OK;
}

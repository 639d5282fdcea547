#include "runs/stored_block.h"

#include "base/bits.h"
#include "base/buf.h"

/* Of the least value there are 48 bits: where all are larger, rests are above the largest of these. */
#define LEAST_MOST ((UINT64_C(1) << 48) - 1)

/* ---- writing ---- */

/* A string of bits, as words. */
struct bit_writer {
    uint8_t *to;
    uint64_t word;
    unsigned filled; /* bits of it, below 64 */
};

/* `width` bits, up to 64; those above are 0. */
static void put(struct bit_writer *w, uint64_t bits, unsigned width) {
    w->word |= bits << w->filled;
    w->filled += width;
    if (w->filled < 64) return;
    store_u64(w->to, w->word);
    w->to += 8;
    w->filled -= 64;
    w->word = w->filled ? bits >> (width - w->filled) : 0;
}

static void put_one_behind(struct bit_writer *w, uint64_t zeros) {
    for (; zeros >= 63; zeros -= 63) put(w, 0, 63);
    put(w, UINT64_C(1) << zeros, (unsigned)zeros + 1);
}

static uint64_t rest_of(const struct record *records, size_t i, uint64_t least) {
    const bool follows = i && records[i].key == records[i - 1].key;
    return records[i].value - (follows ? records[i - 1].value : least);
}

static unsigned width_of(uint64_t number) {
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Those of the mean gap: then there are at most two zeros for each one. */
static unsigned lower_bits(const struct record *records, size_t count) {
    const uint64_t mean = (records[count - 1].key - records[0].key) / count;
    return mean ? width_of(mean) - 1 : 0;
}

static uint64_t least_value(const struct record *records, size_t count) {
    uint64_t least = LEAST_MOST;
    for (size_t i = 0; i < count; i++)
        if (records[i].value < least) least = records[i].value;
    return least;
}

static void put_upper_bits(struct bit_writer *w, const struct record *records, size_t count, unsigned lower) {
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t upper = (records[i].key - records[0].key) >> lower;
        put_one_behind(w, upper - before);
        before = upper;
    }
}

size_t stored_block_encode(const struct record *records, size_t count, uint64_t place, uint8_t *to) {
    const uint64_t least = least_value(records, count);
    const unsigned lower = lower_bits(records, count);
    const uint64_t mask = (UINT64_C(1) << lower) - 1;
    struct bit_writer w = {.to = to + STORED_BLOCK_HEADER};
    uint64_t rests = 0;
    for (size_t i = 0; i < count; i++) {
        rests |= rest_of(records, i, least);
        put(&w, (records[i].key - records[0].key) & mask, lower);
    }
    const unsigned width = width_of(rests);
    for (size_t i = 0; i < count; i++) put(&w, rest_of(records, i, least), width);
    put_upper_bits(&w, records, count, lower);
    if (w.filled) store_u64(w.to, w.word);
    const size_t size = (size_t)(w.to - to) + (w.filled ? 8 : 0);
    store_u64(to + 8, least << 16 | width << 8 | lower);
    store_u64(to, words_checksum(to + 8, size - 8, place));
    return size;
}

/* ---- reading ---- */

static size_t upper_start(const struct stored_block *b) {
    return b->count * (b->lower + b->width);
}

const char *stored_block_open(struct stored_block *b, const uint8_t *bytes, size_t size, uint64_t place,
                              uint64_t first_key, size_t count) {
    if (size < STORED_BLOCK_HEADER + 8 || size % 8 ||
        load_u64(bytes) != words_checksum(bytes + 8, size - 8, place))
        return "checksum differs";
    *b = (struct stored_block){.bytes = bytes + STORED_BLOCK_HEADER,
                               .size = size - STORED_BLOCK_HEADER,
                               .count = count,
                               .lower = bytes[8],
                               .width = bytes[9],
                               .first_key = first_key,
                               .least = load_u64(bytes + 8) >> 16,
                               .last = {first_key, 0}};
    b->at = upper_start(b);
    return b->lower > 63 || b->width > 64 || b->at + count > 8 * b->size ? "widths do not fit" : NULL;
}

/* Up to 56 bits from any place on, which may lie in the slack. */
static inline uint64_t get(const uint8_t *from, size_t at, unsigned width) {
    return load_u64(from + at / 8) >> at % 8 & ((UINT64_C(1) << width) - 1);
}

/* Up to 64 bits. */
static inline uint64_t get_wide(const uint8_t *from, size_t at, unsigned width) {
    const unsigned half = width / 2;
    return get(from, at, half) | get(from, at + half, width - half) << half;
}

static uint64_t word_from(const struct stored_block *b, size_t bit) {
    return load_u64(b->bytes + bit / 64 * 8) >> bit % 64 << bit % 64;
}

/* The bit behind so many zeros of the upper bits; the end of the block where there are fewer. */
static size_t behind_zeros(const struct stored_block *b, uint64_t zeros) {
    size_t base = b->at / 64 * 64;
    uint64_t word = ~word_from(b, b->at) >> b->at % 64 << b->at % 64;
    if (zeros == 0) return b->at;
    for (; zeros > bits_count(word); word = ~load_u64(b->bytes + base / 8)) {
        zeros -= bits_count(word);
        base += 64;
        if (base >= 8 * b->size) return 8 * b->size;
    }
    while (--zeros) word &= word - 1;
    return base + (size_t)__builtin_ctzll(word) + 1;
}

void stored_block_seek(struct stored_block *b, uint64_t key) {
    if (key <= b->first_key) return;
    const uint64_t rest = key - b->first_key, upper = rest >> b->lower;
    const uint64_t low = rest & ((UINT64_C(1) << b->lower) - 1);
    const size_t start = upper_start(b);
    b->at = behind_zeros(b, upper);
    b->next = b->at < 8 * b->size ? b->at - start - (size_t)upper : b->count;
    if (b->next > b->count) b->next = b->count;
    /* of those that have these upper bits */
    while (b->next < b->count && b->at < 8 * b->size && b->bytes[b->at / 8] >> b->at % 8 & 1 &&
           get_wide(b->bytes, b->next * b->lower, b->lower) < low) {
        b->next++;
        b->at++;
    }
    b->begun = b->next;
    b->last.key = key;
}

/* Inlined for each way to get numbers. False when ones are missing, or records are out of order. */
static inline bool read_some(struct stored_block *b, size_t count, struct record *records,
                             uint64_t get_number(const uint8_t *, size_t, unsigned)) {
    const size_t start = upper_start(b), rests = b->count * b->lower;
    const uint64_t most = (UINT64_MAX - b->first_key) >> b->lower;
    size_t base = b->at / 64 * 64;
    uint64_t word = word_from(b, b->at), wrong = 0;
    struct record last = b->last;
    for (size_t i = b->next, end = i + count; i < end; i++) {
        while (word == 0) {
            if ((base += 64) >= 8 * b->size) return false;
            word = load_u64(b->bytes + base / 8);
        }
        const size_t one = base + (size_t)__builtin_ctzll(word);
        const uint64_t upper = one - start - i;
        const uint64_t key =
            b->first_key + (upper << b->lower | get_number(b->bytes, i * b->lower, b->lower));
        const uint64_t above = i != b->begun && key == last.key ? last.value : b->least;
        const uint64_t value = above + get_number(b->bytes, rests + i * b->width, b->width);
        wrong |= (upper > most) | (key < last.key) | (value < above);
        last = *records++ = (struct record){key, value};
        word &= word - 1;
        b->at = one + 1;
    }
    b->last = last;
    b->next += count;
    return !wrong && (b->next < b->count || (word == 0 && base + 64 == 8 * b->size));
}

const char *stored_block_read(struct stored_block *b, size_t count, struct record *records) {
    const bool narrow = b->lower <= 56 && b->width <= 56;
    const bool sound = narrow ? read_some(b, count, records, get) : read_some(b, count, records, get_wide);
    return sound ? NULL : "records out of order";
}

#include "runs/block.h"

#include "base/buf.h"
#include "base/rng.h"

#include <string.h>

/* One to one in both arguments, so a difference in one word of a lane cannot be lost. */
static uint64_t checksum_step(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * MIX64_MULTIPLIER;
    return lane ^ lane >> 32;
}

uint64_t words_checksum(const uint8_t *bytes, size_t size, uint64_t seed) {
    uint64_t lanes[4] = {seed, ~seed, size, ~(uint64_t)size}; /* four, so that multiplications overlap */
    size_t at = 0;
    for (; at + 32 <= size; at += 32)
        for (int i = 0; i < 4; i++) lanes[i] = checksum_step(lanes[i], load_u64(bytes + at + (size_t)i * 8));
    for (; at + 8 <= size; at += 8) lanes[0] = checksum_step(lanes[0], load_u64(bytes + at));
    return mix64(mix64(mix64(mix64(lanes[0]) ^ lanes[1]) ^ lanes[2]) ^ lanes[3]);
}

/* ---- numbers of equal width ---- */

static unsigned width_of(const uint64_t *numbers, size_t count) {
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) all |= numbers[i];
    return all ? 64 - (unsigned)__builtin_clzll(all) : 0;
}

static size_t packed_size(size_t count, unsigned width) {
    return (count * width + 63) / 64 * 8;
}

static void pack(const uint64_t *numbers, size_t count, unsigned width, uint8_t *to) {
    uint64_t word = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < count; i++) {
        word |= numbers[i] << filled;
        filled += width;
        if (filled < 64) continue;
        store_u64(to, word);
        to += 8;
        filled -= 64;
        word = filled ? numbers[i] >> (width - filled) : 0;
    }
    if (filled) store_u64(to, word);
}

/* Reads up to 8 bytes behind the last number. */
static void unpack(const uint8_t *from, size_t count, unsigned width, uint64_t *numbers) {
    uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    size_t bit = 0;
    if (width <= 57) {
        for (size_t i = 0; i < count; i++, bit += width)
            numbers[i] = load_u64(from + bit / 8) >> bit % 8 & mask;
        return;
    }
    for (size_t i = 0; i < count; i++, bit += width) {
        unsigned __int128 wide = (unsigned __int128)from[bit / 8 + 8] << 64 | load_u64(from + bit / 8);
        numbers[i] = (uint64_t)(wide >> bit % 8) & mask;
    }
}

/* ---- groups ---- */

/* What the records before a group leave for it. */
struct state {
    uint64_t key, value; /* of the record before */
    uint64_t least;      /* value of the block */
};

struct group {
    uint64_t gaps[BLOCK_GROUP], rests[BLOCK_GROUP];
};

static void take_differences(const struct record *records, size_t count, struct state *state,
                             struct group *group) {
    for (size_t i = 0; i < count; i++) {
        group->gaps[i] = records[i].key - state->key;
        group->rests[i] = records[i].value - (group->gaps[i] ? state->least : state->value);
        state->key = records[i].key;
        state->value = records[i].value;
    }
}

/* False when a sum passes the largest number: then they are no differences of records in order. */
static bool add_differences(const struct group *group, size_t count, struct state *state,
                            struct record *records) {
    bool wrapped = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = state->key + group->gaps[i], base = group->gaps[i] ? state->least : state->value;
        uint64_t value = base + group->rests[i];
        wrapped |= key < state->key || value < base;
        records[i] = (struct record){key, value};
        state->key = key;
        state->value = value;
    }
    return !wrapped;
}

static size_t group_count(size_t count) {
    return (count + BLOCK_GROUP - 1) / BLOCK_GROUP;
}

static size_t group_size(size_t count, size_t group) {
    size_t left = count - group * BLOCK_GROUP;
    return left < BLOCK_GROUP ? left : BLOCK_GROUP;
}

/* The table of widths, two bytes a group, is filled up with zeros to whole words. */
static size_t widths_size(size_t count) {
    return (group_count(count) * 2 + 7) / 8 * 8;
}

/* ---- blocks ---- */

static uint64_t least_value(const struct record *records, size_t count) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (records[i].value < least) least = records[i].value;
    return least;
}

size_t block_encode(const struct record *records, size_t count, uint64_t place, uint8_t *to) {
    uint64_t least = least_value(records, count);
    struct state state = {records[0].key, least, least};
    uint8_t *widths = to + BLOCK_HEADER, *at = widths + widths_size(count);
    memset(widths, 0, widths_size(count));
    for (size_t g = 0; g < group_count(count); g++) {
        struct group group;
        size_t size = group_size(count, g);
        take_differences(records + g * BLOCK_GROUP, size, &state, &group);
        unsigned gap_width = width_of(group.gaps, size), rest_width = width_of(group.rests, size);
        widths[2 * g] = (uint8_t)gap_width;
        widths[2 * g + 1] = (uint8_t)rest_width;
        pack(group.gaps, size, gap_width, at);
        at += packed_size(size, gap_width);
        pack(group.rests, size, rest_width, at);
        at += packed_size(size, rest_width);
    }
    size_t total = (size_t)(at - to);
    store_u32(to + 8, (uint32_t)count);
    store_u32(to + 12, (uint32_t)total);
    store_u64(to + 16, records[0].key);
    store_u64(to + 24, least);
    store_u64(to, words_checksum(to + 8, total - 8, place));
    return total;
}

/* Widths that no encoder writes, or that need other than the bytes there are, would be read out of bounds. */
static bool widths_fit(const uint8_t *widths, size_t count, size_t room) {
    size_t need = 0;
    for (size_t g = 0; g < group_count(count); g++) {
        if (widths[2 * g] > 64 || widths[2 * g + 1] > 64) return false;
        need += packed_size(group_size(count, g), widths[2 * g]);
        need += packed_size(group_size(count, g), widths[2 * g + 1]);
    }
    return need == room;
}

const char *block_decode(const uint8_t *bytes, size_t size, uint64_t place, size_t count,
                         struct record *records) {
    size_t before = BLOCK_HEADER + widths_size(count);
    if (size < before || size % 8 || load_u64(bytes) != words_checksum(bytes + 8, size - 8, place))
        return "checksum differs";
    if (load_u32(bytes + 8) != count || load_u32(bytes + 12) != size) return "a block of another size";
    const uint8_t *widths = bytes + BLOCK_HEADER, *at = bytes + before;
    if (!widths_fit(widths, count, size - before)) return "widths do not fit";
    uint64_t least = load_u64(bytes + 24);
    struct state state = {load_u64(bytes + 16), least, least};
    for (size_t g = 0; g < group_count(count); g++) {
        struct group group;
        size_t part = group_size(count, g);
        unpack(at, part, widths[2 * g], group.gaps);
        at += packed_size(part, widths[2 * g]);
        unpack(at, part, widths[2 * g + 1], group.rests);
        at += packed_size(part, widths[2 * g + 1]);
        if (!add_differences(&group, part, &state, records + g * BLOCK_GROUP)) return "records out of order";
    }
    return NULL;
}

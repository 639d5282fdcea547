#include "text/word_map.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <string.h>

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* A bit for each of 8 bytes that is a space: it becomes a zero byte, the only one to which adding 0x7f leaves
 * the top bit clear; multiplying brings the eight top bits together. */
static uint64_t spaces_of_8(const uint8_t *text) {
    uint64_t bytes = load_u64(text) ^ EACH_BYTE * ' ', low = EACH_BYTE * 0x7f;
    uint64_t zero = ~(((bytes & low) + low) | bytes | low);
    return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static uint64_t spaces_of_64(const uint8_t *text) {
    uint64_t spaces = 0;
    for (int i = 0; i < 8; i++) spaces |= spaces_of_8(text + 8 * i) << 8 * i;
    return spaces;
}

static size_t add_block(struct word_block *block, const uint8_t *text, size_t before) {
    *block = (struct word_block){spaces_of_64(text), before};
    return before + bits_count(block->spaces);
}

/* Returns how many spaces there are. */
static size_t fill_blocks(struct word_block *blocks, const uint8_t *text, size_t size) {
    size_t before = 0, full = size / 64;
    uint8_t last[64] = {0};
    for (size_t i = 0; i < full; i++) before = add_block(&blocks[i], text + 64 * i, before);
    memcpy(last, text + 64 * full, size % 64);
    return add_block(&blocks[full], last, before);
}

static void fill_starts(uint32_t *starts, const struct word_block *blocks, size_t count, size_t size) {
    *starts++ = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t spaces = blocks[i].spaces; spaces; spaces &= spaces - 1)
            *starts++ = (uint32_t)(64 * i + 1) + (uint32_t)__builtin_ctzll(spaces);
    *starts = (uint32_t)size + 1;
}

bool word_map_set(struct word_map *map, const uint8_t *text, size_t size) {
    size_t blocks = size / 64 + 1;
    map->count = 0;
    if (!mem_grow((void **)&map->blocks, &map->block_cap, blocks, sizeof *map->blocks)) return false;
    size_t words = fill_blocks(map->blocks, text, size) + 1;
    if (!mem_grow((void **)&map->starts, &map->start_cap, words + 1, sizeof *map->starts)) return false;
    fill_starts(map->starts, map->blocks, blocks, size);
    map->count = words;
    return true;
}

void word_map_release(struct word_map *map) {
    mem_free(map->blocks);
    mem_free(map->starts);
    *map = (struct word_map){0};
}

/* Where the words of a text begin that are set apart by single spaces: which word is at a byte, and at which
 * byte a word begins, each in a step or two. */
#ifndef TEXT_WORD_MAP_H
#define TEXT_WORD_MAP_H

#include "base/bits.h"
#include "kernels/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_MAP_MOST (UINT32_MAX - 64) /* bytes of text */

/* Zeroed at first, and reusable. */
struct word_map {
    struct space_block *blocks;
    uint32_t *starts; /* of each word; behind the last, where the next would begin */
    size_t count;     /* words: a text without spaces is one */
    size_t block_cap, start_cap;
};

/* Of a text with KERNEL_SLACK readable bytes behind it. False when memory is refused. */
bool word_map_set(struct word_map *map, const uint8_t *text, size_t size);
void word_map_release(struct word_map *map);

/* The word that the byte is part of; a space is part of the word before it. */
static inline size_t word_map_find(const struct word_map *map, size_t byte) {
    const struct space_block *block = &map->blocks[byte / 64];
    uint64_t below = block->spaces & ((UINT64_C(1) << byte % 64) - 1);
    return (size_t)block->before + bits_count(below);
}

#endif

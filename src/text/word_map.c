#include "text/word_map.h"

#include "base/alloc.h"

enum { PIECE = 4096 }; /* bytes mapped at a time: room is made for as many words. A multiple of 64 */

static bool make_room(struct word_map *map, size_t starts) {
    return mem_grow((void **)&map->starts, &map->start_cap, starts, sizeof *map->starts);
}

/* Behind the last block there is one more where the text fills it: it has a byte at its end, too. */
bool word_map_set(struct word_map *map, const uint8_t *text, size_t size) {
    const struct kernels *kernels = kernels_get();
    size_t spaces = 0, blocks = size / 64 + 1;
    map->count = 0;
    if (!mem_grow((void **)&map->blocks, &map->block_cap, blocks, sizeof *map->blocks)) return false;
    for (size_t at = 0; at < size; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;
        if (!make_room(map, 1 + spaces + piece + KERNEL_SLACK)) return false;
        spaces += kernels->map_spaces(text + at, piece, at, spaces, map->blocks + at / 64,
                                      map->starts + 1 + spaces);
    }
    if (!make_room(map, spaces + 2)) return false;
    if (size % 64 == 0) map->blocks[size / 64] = (struct space_block){0, spaces};
    map->starts[0] = 0;
    map->starts[spaces + 1] = (uint32_t)size + 1;
    map->count = spaces + 1;
    return true;
}

void word_map_release(struct word_map *map) {
    mem_free(map->blocks);
    mem_free(map->starts);
    *map = (struct word_map){0};
}

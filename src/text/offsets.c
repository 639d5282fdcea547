/* From canonical offsets back to the source: sorted breakpoints, searched by halves. */
#include "text/offsets.h"

#include "base/alloc.h"

#include <string.h>

bool offset_map_reserve(struct offset_map *map, size_t extra) {
    return mem_grow((void **)&map->pairs, &map->cap, map->len + extra, sizeof *map->pairs);
}

/* From the breakpoint `at`, the last one that is not behind `canon`. */
static uint64_t source_of(const struct offset_map *map, size_t at, uint64_t canon) {
    uint64_t source = map->pairs[at].source + (canon - map->pairs[at].canon);
    /* A character may be longer here than in the source: its bytes do not reach into the next one. */
    if (at + 1 < map->len && source > map->pairs[at + 1].source) return map->pairs[at + 1].source;
    return source;
}

uint64_t offset_map_find(const struct offset_map *map, uint64_t canon) {
    if (map->len == 0) return canon;
    size_t low = 0, high = map->len;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (map->pairs[middle].canon <= canon)
            low = middle;
        else
            high = middle;
    }
    return source_of(map, low, canon);
}

uint64_t offset_map_follow(const struct offset_map *map, size_t *cursor, uint64_t canon) {
    if (map->len == 0) return canon;
    while (*cursor + 1 < map->len && map->pairs[*cursor + 1].canon <= canon) ++*cursor;
    return source_of(map, *cursor, canon);
}

void offset_map_forget(struct offset_map *map, uint64_t canon) {
    size_t gone = 0;
    while (gone + 1 < map->len && map->pairs[gone + 1].canon <= canon) gone++;
    if (gone) memmove(map->pairs, map->pairs + gone, (map->len - gone) * sizeof *map->pairs);
    map->len -= gone;
}

void offset_map_release(struct offset_map *map) {
    mem_free(map->pairs);
    *map = (struct offset_map){0};
}

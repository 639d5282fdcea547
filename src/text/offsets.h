/* Keeping the breakpoints of an offset map. */
#ifndef TEXT_OFFSETS_H
#define TEXT_OFFSETS_H

#include "text/canon.h"

/* Room for that many more breakpoints. */
bool offset_map_reserve(struct offset_map *map, size_t extra);

/* The canonical text is at `canon`, the source at `source`: a breakpoint, unless it follows from the last
 * one. Room was reserved. */
static inline void offset_map_add(struct offset_map *map, uint64_t canon, uint64_t source) {
    if (map->len) {
        const struct offset_pair *last = &map->pairs[map->len - 1];
        if (canon - last->canon == source - last->source) return;
    }
    map->pairs[map->len++] = (struct offset_pair){canon, source};
}

#endif

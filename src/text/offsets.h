/* Keeping the breakpoints of an offset map. */
#ifndef TEXT_OFFSETS_H
#define TEXT_OFFSETS_H

#include "text/canon.h"

/* Room for that many more breakpoints. */
bool offset_map_reserve(struct offset_map *map, size_t extra);

/* The canonical text is at `canon`, the source at `source`: a breakpoint, unless it follows from the last
 * one. Room was reserved. */
void offset_map_add(struct offset_map *map, uint64_t canon, uint64_t source);

#endif

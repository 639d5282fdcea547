#include "act/extents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

enum { AT_ONCE = 32 };

/* Some of the extents of a file, from an offset on. */
union extents {
    struct fiemap map;
    char room[sizeof(struct fiemap) + AT_ONCE * sizeof(struct fiemap_extent)];
};

static bool ask(int fd, uint64_t offset, union extents *out) {
    memset(&out->map, 0, sizeof out->map);
    out->map.fm_start = offset;
    out->map.fm_length = UINT64_MAX - offset;
    out->map.fm_extent_count = AT_ONCE;
    return ioctl(fd, FS_IOC_FIEMAP, &out->map) == 0 && out->map.fm_mapped_extents > 0;
}

static bool is_same(const struct fiemap_extent *a, const struct fiemap_extent *b) {
    const uint32_t nowhere = FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE;
    return !((a->fe_flags | b->fe_flags) & nowhere) && a->fe_logical == b->fe_logical &&
           a->fe_physical == b->fe_physical && a->fe_length == b->fe_length;
}

bool extents_shared(int a, int b) {
    union extents x, y;
    for (uint64_t offset = 0;;) {
        if (!ask(a, offset, &x) || !ask(b, offset, &y)) return false;
        uint32_t count = x.map.fm_mapped_extents;
        if (count != y.map.fm_mapped_extents) return false;
        for (uint32_t i = 0; i < count; i++)
            if (!is_same(&x.map.fm_extents[i], &y.map.fm_extents[i])) return false;
        const struct fiemap_extent *last = &x.map.fm_extents[count - 1];
        if (last->fe_flags & FIEMAP_EXTENT_LAST) return true;
        offset = last->fe_logical + last->fe_length;
    }
}

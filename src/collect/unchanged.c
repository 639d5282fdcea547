#include "collect/unchanged.h"

#include "base/clock.h"
#include "base/digest.h"

#define RACY ((int64_t)2 * 1000000000)

int64_t settled_until(void) {
    return clock_time() - RACY;
}

/* Not the device: its number is another when a disk is mounted again. */
uint32_t source_stamp(const struct source *source) {
    uint8_t bytes[16];
    store_u64(bytes, source->inode);
    store_u64(bytes + 8, (uint64_t)source->changed);
    return (uint32_t)checksum64(bytes, sizeof bytes);
}

bool is_unchanged(const struct source *source, const struct facts *facts) {
    return !facts->unsettled && facts->file_bytes == source->size && facts->modified == source->modified &&
           facts->stamp == source_stamp(source);
}

#include "free_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind `label` at the beginning of a line. */
static bool read_number(const char *path, const char *label, uint64_t *out) {
    FILE *file = fopen(path, "re");
    char line[128], *end = line;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, label, strlen(label))) continue;
        uint64_t number = strtoull(line + strlen(label), &end, 10);
        found = end > line + strlen(label);
        if (found) *out = number;
    }
    if (file) fclose(file);
    return found;
}

/* As a container sees its own group; "max" is no number, and no limit. Cached files give way. */
static uint64_t of_group(void) {
    uint64_t most, used = 0, cached = 0;
    if (!read_number("/sys/fs/cgroup/memory.max", "", &most)) return UINT64_MAX;
    read_number("/sys/fs/cgroup/memory.current", "", &used);
    read_number("/sys/fs/cgroup/memory.stat", "inactive_file ", &cached);
    used -= cached < used ? cached : used;
    return most > used ? most - used : 0;
}

size_t free_memory(void) {
    uint64_t kibibytes = 0, group = of_group();
    read_number("/proc/meminfo", "MemAvailable:", &kibibytes);
    return (size_t)(group < kibibytes << 10 ? group : kibibytes << 10);
}

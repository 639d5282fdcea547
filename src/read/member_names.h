/*
 * Which ids were given to members of a container, so that none is given twice. Only keys of the ids are kept;
 * should two ids ever have one key, the later gets a number that it did not need.
 */
#ifndef READ_MEMBER_NAMES_H
#define READ_MEMBER_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct member_names {
    struct member_name *slots;
    size_t count, capacity; /* capacity: 0 or a power of two */
};

uint64_t member_key(const void *id, size_t size);
/* How often a key was used, 0 for a new one; valid until the next call. NULL: memory was refused. */
uint64_t *member_names_at(struct member_names *names, uint64_t key);
void member_names_release(struct member_names *names);

#endif

/* Which files have been met, by device and inode: two names of one file are told from two files. */
#ifndef READ_IDENTITIES_H
#define READ_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity {
    uint64_t device, inode;
};

struct identity_set {
    struct identity *slots; /* inode 0, which no file has: empty */
    size_t count, capacity; /* a power of two */
};

/* *added: it was not there before. False when memory is refused. */
bool identity_add(struct identity_set *set, uint64_t device, uint64_t inode, bool *added);
void identity_set_release(struct identity_set *set);

#endif

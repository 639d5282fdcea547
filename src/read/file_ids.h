/* Which files have been met, by device and inode: two names of one file are told from two files. */
#ifndef READ_FILE_IDS_H
#define READ_FILE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_id {
    uint64_t device, inode;
};

struct file_ids {
    struct file_id *slots;  /* inode 0, which no file has: empty */
    size_t count, capacity; /* a power of two */
};

/* *added: it was not there before. False when memory is refused. */
bool file_ids_add(struct file_ids *set, uint64_t device, uint64_t inode, bool *added);
void file_ids_release(struct file_ids *set);

#endif

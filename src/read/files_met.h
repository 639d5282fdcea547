/* Which files have been met, by device and inode: two names of one file are told from two files. */
#ifndef READ_FILES_MET_H
#define READ_FILES_MET_H

#include "base/key_table.h"

#include <stdbool.h>

/* *again: it was met before. Errors: those of the table, whose numbers are bits of 64 inodes that follow each
 * other: files of one folder often do. */
stemma_status file_met(struct key_table *files, uint64_t device, uint64_t inode, bool *again,
                       stemma_error *err);

#endif

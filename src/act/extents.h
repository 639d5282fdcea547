/* Where files lie on the disk. */
#ifndef ACT_EXTENTS_H
#define ACT_EXTENTS_H

#include <stdbool.h>

/* Whether two files of one file system are known to lie on the same blocks;
 * false also where it does not say. */
bool extents_shared(int a, int b);

#endif

/* free_memory.h - how much memory could be had without driving others out. */
#ifndef STEMMA_CLI_FREE_MEMORY_H
#define STEMMA_CLI_FREE_MEMORY_H

#include <stddef.h>

/* Of the machine, or of the control group around this process when that allows less.
 * 0 when it is not known. */
size_t free_memory(void);

#endif

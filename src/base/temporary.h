/* Temporary files without names: nothing is left behind, whatever ends the process. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "base/error.h"

#include <stddef.h>

/* The one asked for; NULL: $TMPDIR, or /tmp. */
const char *temporary_directory(const char *asked);
/* Read and write, in that directory. Errors: NO_SPACE, IO (also for a directory that is not there: not the
 * document's fault). */
stemma_status temporary_open(const char *asked, int *fd, stemma_error *err);

/* Zeroed memory that is such a file: where there is little, the system puts it there. NULL: there is none. */
void *temporary_map(const char *asked, size_t size);
void temporary_unmap(void *bytes, size_t size);

#endif

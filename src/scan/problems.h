/*
 * What could not be read, and why, until it is told in the order of names.
 *
 * A scan holds all of them. Who goes through more documents than memory may hold has a bound: beyond it they
 * are sorted on disk.
 */
#ifndef SCAN_PROBLEMS_H
#define SCAN_PROBLEMS_H

#include "base/ordered.h"

struct problem {
    uint32_t document; /* whose text it is; NO_DOCUMENT: none that was entered */
    char *name;
    uint64_t line;
    stemma_status status;
    char *cause;
};

struct problems {
    size_t most;           /* that are held; 0: any number */
    const char *directory; /* of temporary files; NULL: $TMPDIR, or /tmp */
    struct problem *list;  /* those that are held */
    size_t held, cap;
    struct ordered *filed; /* the others; NULL: there are none */
    uint64_t count;        /* of all, also those for which there was no room; */
    uint64_t damaged;      /* among them documents that are used, though they may lack text */
    uint64_t next;         /* of the filed ones that are read */
};

enum { PROBLEMS_MOST = 4096 }; /* about a megabyte */

/* Both texts are copied. Never fails: for want of room it is counted, and not told. */
void problems_add(struct problems *problems, uint32_t document, const char *name, uint64_t line,
                  stemma_status status, const char *cause);
/* By names, then lines; no more will be added. Errors: NO_MEMORY, NO_SPACE, IO. */
stemma_status problems_sort(struct problems *problems, stemma_error *err);
/* Of sorted ones; its texts stay until the next call. Fast for one after the other. Errors: NOT_FOUND: no
 * more; NO_MEMORY, IO. */
stemma_status problems_get(struct problems *problems, uint64_t index, struct problem *out, stemma_error *err);
void problems_release(struct problems *problems);

#endif

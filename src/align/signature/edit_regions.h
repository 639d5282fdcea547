/*
 * Where two documents differ, as far as their signatures tell: the stretches between symbols that correspond.
 * Characters are estimates, by how many symbols stand before; bytes are exact bounds, of a document whose
 * signature has positions.
 */
#ifndef ALIGN_EDIT_REGIONS_H
#define ALIGN_EDIT_REGIONS_H

#include "sketch/signature.h"

enum region_kind { REGION_INSERT, REGION_DELETE, REGION_REPLACE };

/* A stretch of one document; empty where the other has something inserted. */
struct region_side {
    uint64_t begin, end;           /* characters of the edit text, about: */
    uint64_t margin;               /* the stretch may lie so far to either side (95 %) */
    uint64_t byte_begin, byte_end; /* that positions count: the difference lies within. UINT64_MAX: the end;
                                    * both 0 where there are no positions */
};

struct edit_region {
    enum region_kind kind;
    struct region_side a, b;
    uint64_t symbols_a, symbols_b; /* of the signatures, that correspond to nothing */
};

struct edit_regions {
    struct edit_region *list; /* in order of place; owned */
    size_t count;
    bool bytes_known; /* of both */
};

/* Differences that touched no symbol are not seen. MISMATCH as estimate_edit(). */
stemma_status find_edit_regions(const struct signature *a, const struct signature *b,
                                struct edit_regions *out, stemma_error *err);
void edit_regions_release(struct edit_regions *regions);

#endif

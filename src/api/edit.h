/* The edit distance of documents, as the API gives it. */
#ifndef API_EDIT_H
#define API_EDIT_H

#include "align/signature/edit_regions.h"

struct stemma_sketch;

/* The first pair of signatures that can be compared; false when there is none.
 * They point into the sketches. */
bool signatures_of(const struct stemma_sketch *a, const struct stemma_sketch *b, struct signature *out_a,
                   struct signature *out_b);

stemma_edit edit_unknown(const char *why);

/* Of texts that differ, from their signatures alone; bytes: those are what edits change. MISMATCH as
 * estimate_edit(). */
stemma_status edit_of_signatures(const struct signature *a, const struct signature *b, bool bytes,
                                 stemma_edit *out, stemma_error *err);

/* A text whose edits are counted. */
struct edit_side {
    const struct buf *source; /* what its characters are made of: the document's text, or they themselves */
    size_t tokens;
};
/* As stemma_edit_texts, of texts under one view. */
stemma_status edit_of_sides(struct edit_side a, struct edit_side b, const struct view *view,
                            const stemma_alignment *alignment, const stemma_edit_options *options,
                            const stemma_limits *limits, stemma_edit *out, stemma_error *err);

/* Without its bytes. */
stemma_region region_of(const struct edit_region *region);

/* From the signatures of two sketches; not known where there is none. */
stemma_status edit_of_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b, stemma_edit *out,
                               stemma_error *err);

#endif

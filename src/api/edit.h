/* The edit distance of documents, as the API gives it. */
#ifndef API_EDIT_H
#define API_EDIT_H

#include "sketch/sketch.h"

/* The first pair of signatures that can be compared; false when there is none. They point into the sketches. */
bool signatures_of(const struct stemma_sketch *a, const struct stemma_sketch *b, struct signature *out_a,
                   struct signature *out_b);

stemma_edit edit_unknown(const char *why);

/* From the signatures of two sketches; not known where there is none. */
stemma_status edit_of_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b, stemma_edit *out,
                               stemma_error *err);

#endif

/* The edit distance of a question and its answers. */
#ifndef API_COLLECTION_EDITS_H
#define API_COLLECTION_EDITS_H

#include "api/collection.h"
#include "api/edit.h"
#include "collect/asker.h"

stemma_edit edit_none(const char *why);
/* Of texts that differ; not known where nothing suits both signatures. */
stemma_status edit_by_signatures(const struct view *view, const struct signature_pair *pair, stemma_edit *out,
                                 stemma_error *err);

/* Whose context is a struct stemma_collection. */
extern const struct measuring collection_measuring;

#endif

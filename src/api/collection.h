/* What a caller of section 16 of stemma.h holds: a collection of src/index, and how documents become its rows. */
#ifndef API_COLLECTION_H
#define API_COLLECTION_H

#include "base/error.h"

struct collection;

struct stemma_collection {
    struct collection *store;
    const struct stemma_recipe *recipe; /* retained */
    stemma_limits limits;
};

#endif

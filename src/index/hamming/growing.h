/* k grows and shrinks by whole columns (parts.h); no other part is written again. */
#ifndef INDEX_HAMMING_GROWING_H
#define INDEX_HAMMING_GROWING_H

#include "index/collection.h"

/* To k bits, with groups of the same width if there are such already: columns that are there stay, but for a
 * last one that is no whole word. Fewer bits are cut from what is there; for more, `make` (NULL where there
 * are not) appends the cell of a column. INVALID: k cannot be.
 * One commit: what fails or is stopped leaves it as it was. */
stemma_status bits_resize(struct collection *collection, uint32_t k, make_cell *make, void *context,
                          stemma_error *err);

#endif

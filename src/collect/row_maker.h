/* From a canonical text to the cells of a row: whatever the parts of a schema keep of a document. */
#ifndef COLLECT_ROW_MAKER_H
#define COLLECT_ROW_MAKER_H

#include "index/schema.h"
#include "shingle/whole.h"
#include "sketch/recipe.h"

struct row_maker; /* scratch of one thread, for any number of documents */

/* Schema and recipe must outlive it. UNSUPPORTED: a part that this program cannot make. */
stemma_status row_maker_new(const struct schema *schema, const struct stemma_recipe *recipe,
                            struct row_maker **out, stemma_error *err);
void row_maker_free(struct row_maker *maker);

/* A text in memory, not empty. UNSUPPORTED: there is more of it than a row can have. */
stemma_status row_maker_text(struct row_maker *maker, struct whole *whole, const uint8_t *text, size_t size,
                             stemma_error *err);
/* One that is not to be held: its fingerprints go to the sink, its canonical text comes in pieces. It is not
 * stored. */
struct shingle_sink row_maker_begin(struct row_maker *maker);
stemma_status row_maker_piece(struct row_maker *maker, const uint8_t *text, size_t size, stemma_error *err);
stemma_status row_maker_end(struct row_maker *maker, stemma_error *err);
/* None. */
void row_maker_none(struct row_maker *maker);

/* The cells of the last one, which last until the next; and how many distinct shingles it has, see
 * keyer_size. */
void row_maker_give(const struct row_maker *maker, struct row *row);
uint64_t row_maker_shingles(const struct row_maker *maker);
/* Of these its minima (MINIMA_BYTES) and samples, as they are kept, by themselves. */
const uint8_t *row_maker_minima(const struct row_maker *maker);
const struct vec64 *row_maker_samples(const struct row_maker *maker);

#endif

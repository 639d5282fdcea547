/* Rows in memory, one behind the other, as a batch has them until they are written. */
#ifndef INDEX_ROWS_H
#define INDEX_ROWS_H

#include "base/buf.h"
#include "index/schema.h"

struct stored_rows {
    struct buf bytes;
    struct vec64 starts;
    uint64_t first; /* number; those that follow are the next */
};
/* Room for one more row; rows_add then cannot fail. */
bool rows_reserve(struct stored_rows *rows, const struct schema *schema, const struct row *row);
void rows_add(struct stored_rows *rows, const struct schema *schema, const struct row *row);
void rows_get(const struct stored_rows *rows, const struct schema *schema, size_t index, struct row *row);
void rows_clear(struct stored_rows *rows);
void rows_release(struct stored_rows *rows);

#endif

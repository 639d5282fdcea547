/* Rows that were made again, in a temporary file until they are written: a column that is damaged as a whole
 * is as long as its segment. */
#ifndef INDEX_MENDED_H
#define INDEX_MENDED_H

#include "index/state.h"

struct mended { /* zeros: none yet */
    bool has_file;
    int fd; /* of that, which may be 0 */
    uint64_t size;
    struct vec64 places;     /* of rows in the file */
    struct stored_rows held; /* the row that was put or asked for last */
};

/* In a file of this folder. */
stemma_status mended_add(struct mended *mended, const char *folder, const struct schema *schema,
                         const struct row *row, stemma_error *err);
/* A row by the order of adding, until the next call. */
stemma_status mended_get(struct mended *mended, const struct schema *schema, size_t index, struct row *row,
                         stemma_error *err);
void mended_release(struct mended *mended);

#endif

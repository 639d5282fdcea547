/*
 * A table of data: what an experiment writes and a report reads.
 *
 * Kept as the text of the file it goes to: lines of cells with tabs between them, the names of the columns
 * first. Remarks ("# seed 1") come before. Numbers are formatted by who writes them, so that the same run
 * gives the same bytes.
 */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "base/buf.h"
#include "base/error.h"

/* A zeroed one is empty. */
struct table {
    struct buf text, remarks;
    bool failed; /* memory was refused; table_finish says so */
    /* once parsed: */
    const char **cells;
    size_t columns, rows;
};

/* Names of the columns, with tabs between them. */
void table_begin(struct table *table, const char *columns);
void table_remark(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_row(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* No more rows: from here on it can be read. CORRUPT when a row has more or fewer cells than there are
 * columns. */
stemma_status table_finish(struct table *table, stemma_error *err);
void table_release(struct table *table);

stemma_status table_write(const struct table *table, const char *path, stemma_error *err);
/* NOT_FOUND when there is no such file. */
stemma_status table_read(struct table *table, const char *path, stemma_error *err);
stemma_status table_parse(struct table *table, const char *text, size_t size, const char *name,
                          stemma_error *err);

#define NO_COLUMN SIZE_MAX
size_t table_column(const struct table *table, const char *name, size_t length);
const char *table_name(const struct table *table, size_t column);
const char *table_cell(const struct table *table, size_t row,
                       size_t column); /* "" when there is no such column */
double table_number(const struct table *table, size_t row, const char *column); /* NAN where it is none */

/* Whether a row is wanted: "window=20 edits=50", all of which must hold; NULL or "" wants all. */
bool table_matches(const struct table *table, size_t row, const char *where);
/* Of the wanted rows: the number in a column of the first, the mean, the least, the largest; NAN if there is
 * none. */
double table_look(const struct table *table, const char *column, const char *where);
double table_mean(const struct table *table, const char *column, const char *where);
double table_least(const struct table *table, const char *column, const char *where);
double table_most(const struct table *table, const char *column, const char *where);
/* The same with a formatted condition. */
double table_at(const struct table *table, const char *column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

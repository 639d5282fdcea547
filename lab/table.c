#include "table.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MOST   2000
#define TABLE_MOST ((size_t)1 << 30)

static void add_line(struct table *table, struct buf *to, const char *before, const char *format,
                     va_list more) {
    char line[ROW_MOST];
    int length = vsnprintf(line, sizeof line, format, more);
    if (length < 0 || (size_t)length >= sizeof line || !buf_add_string(to, before) ||
        !buf_add(to, line, (size_t)length) || !buf_add_byte(to, '\n'))
        table->failed = true;
}

void table_begin(struct table *table, const char *columns) {
    table_row(table, "%s", columns);
}

void table_row(struct table *table, const char *format, ...) {
    va_list more;
    va_start(more, format);
    add_line(table, &table->text, "", format, more);
    va_end(more);
}

void table_remark(struct table *table, const char *format, ...) {
    va_list more;
    va_start(more, format);
    add_line(table, &table->remarks, "# ", format, more);
    va_end(more);
}

static size_t count_of(const char *line, const char *end, char what) {
    size_t count = 0;
    for (; line < end; line++) count += *line == what;
    return count;
}

/* Cells point into the text, whose tabs and line ends become NULs in a copy behind the pointers. */
stemma_status table_finish(struct table *table, stemma_error *err) {
    const char *text = (const char *)table->text.data, *end = text + table->text.len;
    if (table->failed) return fail_memory(err);
    if (!table->text.len) return fail(err, STEMMA_CORRUPT, "a table has no columns");
    size_t lines = count_of(text, end, '\n');
    const char *first_end = memchr(text, '\n', table->text.len);
    table->columns = count_of(text, first_end, '\t') + 1;
    table->rows = lines - 1;
    if (count_of(text, end, '\t') != (table->columns - 1) * lines)
        return fail(err, STEMMA_CORRUPT, "a table has rows of different lengths");
    size_t cells = table->columns * lines;
    table->cells = mem_alloc(cells * sizeof *table->cells + table->text.len);
    if (!table->cells) return fail_memory(err);
    char *copy = (char *)(table->cells + cells);
    memcpy(copy, text, table->text.len);
    for (size_t i = 0; i < cells; i++) {
        table->cells[i] = copy;
        copy += strcspn(copy, "\t\n");
        *copy++ = '\0';
    }
    return STEMMA_OK;
}

void table_release(struct table *table) {
    buf_release(&table->text);
    buf_release(&table->remarks);
    mem_free(table->cells);
    *table = (struct table){0};
}

stemma_status table_write(const struct table *table, const char *path, stemma_error *err) {
    struct output output;
    TRY(output_open(&output, path, err));
    stemma_status status = output_write(&output, table->remarks.data, table->remarks.len, err);
    if (status == STEMMA_OK) status = output_write(&output, table->text.data, table->text.len, err);
    if (status == STEMMA_OK) return output_commit(&output, err);
    output_abandon(&output);
    return status;
}

stemma_status table_parse(struct table *table, const char *text, size_t size, const char *name,
                          stemma_error *err) {
    const char *end = text + size;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end) return fail(err, STEMMA_CORRUPT, "'%s' does not end with a line end", name);
        struct buf *to = *text == '#' ? &table->remarks : &table->text;
        if (!buf_add(to, text, (size_t)(line_end + 1 - text))) return fail_memory(err);
        text = line_end + 1;
    }
    if (table_finish(table, NULL) == STEMMA_OK) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' is no table", name);
}

stemma_status table_read(struct table *table, const char *path, stemma_error *err) {
    struct input input;
    struct buf bytes = {0};
    TRY(input_open(&input, path, err));
    stemma_status status = input_read_all(&input, TABLE_MOST, &bytes, err);
    input_close(&input);
    if (status == STEMMA_OK) status = table_parse(table, (const char *)bytes.data, bytes.len, path, err);
    buf_release(&bytes);
    return status;
}

/* ---- reading ---- */

const char *table_name(const struct table *table, size_t column) {
    return table->cells[column];
}

size_t table_column(const struct table *table, const char *name, size_t length) {
    for (size_t i = 0; i < table->columns; i++)
        if (!strncmp(table->cells[i], name, length) && !table->cells[i][length]) return i;
    return NO_COLUMN;
}

const char *table_cell(const struct table *table, size_t row, size_t column) {
    return column == NO_COLUMN ? "" : table->cells[(row + 1) * table->columns + column];
}

double table_number(const struct table *table, size_t row, const char *column) {
    const char *cell = table_cell(table, row, table_column(table, column, strlen(column)));
    char *end;
    double value = strtod(cell, &end);
    return end == cell || *end ? NAN : value;
}

bool table_matches(const struct table *table, size_t row, const char *where) {
    while (where && *where) {
        size_t name = strcspn(where, "="), whole = strcspn(where, " ");
        const char *cell = table_cell(table, row, table_column(table, where, name)),
                   *value = where + name + 1;
        size_t length = whole - name - 1;
        if (strncmp(cell, value, length) || cell[length]) return false;
        where += whole;
        where += strspn(where, " ");
    }
    return true;
}

struct summary {
    double first, sum, least, most;
    size_t count;
};

static struct summary summarise(const struct table *table, const char *column, const char *where) {
    struct summary s = {NAN, 0, NAN, NAN, 0};
    for (size_t row = 0; row < table->rows; row++) {
        if (!table_matches(table, row, where)) continue;
        double value = table_number(table, row, column);
        if (isnan(value)) continue;
        if (!s.count++) s.first = value;
        s.sum += value;
        s.least = fmin(s.least, value);
        s.most = fmax(s.most, value);
    }
    return s;
}

double table_look(const struct table *table, const char *column, const char *where) {
    return summarise(table, column, where).first;
}

double table_mean(const struct table *table, const char *column, const char *where) {
    struct summary s = summarise(table, column, where);
    return s.count ? s.sum / (double)s.count : NAN;
}

double table_least(const struct table *table, const char *column, const char *where) {
    return summarise(table, column, where).least;
}

double table_most(const struct table *table, const char *column, const char *where) {
    return summarise(table, column, where).most;
}

double table_at(const struct table *table, const char *column, const char *format, ...) {
    char where[ROW_MOST];
    va_list more;
    va_start(more, format);
    vsnprintf(where, sizeof where, format, more);
    va_end(more);
    return table_look(table, column, where);
}

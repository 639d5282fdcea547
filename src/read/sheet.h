/* Sheets of cells: a row is a line. Dates are shown as their formats say; other numbers have the digits that
 * are shown at most, and their formats are not applied. */
#ifndef READ_SHEET_H
#define READ_SHEET_H

#include "read/sheet_dates.h"
#include "read/text_writer.h"

/* The strings that cells refer to. A zeroed one is empty. */
struct shared_strings {
    struct buf text;
    struct vec64 ends;
};
void shared_strings_release(struct shared_strings *strings);

/* Both: the errors of xml_parse; whether the text was too long, the writer knows.
 * most: bytes of all strings. */
stemma_status shared_strings_read(struct shared_strings *strings, const uint8_t *bytes, size_t size,
                                  size_t most, const volatile int *stop, stemma_error *err);
stemma_status sheet_text(const struct shared_strings *strings, const struct date_styles *styles,
                         const uint8_t *bytes, size_t size, struct text_writer *writer,
                         const volatile int *stop, stemma_error *err);

#endif

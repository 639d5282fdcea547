/* Dates and times of sheets: numbers of days that the style of their cell makes a date. They are shown as the
 * style says, names of months and days in English. */
#ifndef READ_SHEET_DATES_H
#define READ_SHEET_DATES_H

#include "base/buf.h"
#include "base/error.h"

/* What is known of the styles of cells. A zeroed one knows of none. */
struct date_styles {
    bool from_1904;       /* the day that is counted from; else the eve of 1900 */
    struct buf codes;     /* of the formats that show dates, each ended by NUL */
    struct vec64 formats; /* number of a format, place of its code, by number */
    struct vec64 cells;   /* of each style of cells, the number of its format */
};
void date_styles_release(struct date_styles *styles);

/* The part of styles. The errors of xml_parse. */
stemma_status date_styles_read(struct date_styles *styles, const uint8_t *bytes, size_t size,
                               const volatile int *stop, stemma_error *err);

/* The code of the format that a style of cells has; NULL: it shows no date. */
const char *date_styles_code(const struct date_styles *styles, size_t cell_style);

enum { DATE_MOST = 128 }; /* bytes of a date that is shown, and its NUL */

/* false when the number, in decimal digits, is no day. */
bool date_text(const char *code, bool from_1904, const char *number, char out[DATE_MOST]);

#endif

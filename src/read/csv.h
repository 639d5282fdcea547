/*
 * Records of CSV and TSV, as RFC 4180 has them: a field that begins with a quote ends with one, quotes in it
 * are doubled, delimiters and line ends in it are text. A quote anywhere else is text, too.
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include "base/buf.h"

/* Where in a record the bytes so far end; a record may come in pieces. */
enum csv_place { CSV_FIELD, CSV_PLAIN, CSV_QUOTED, CSV_QUOTE };

/* Goes on in a record: true when it ends in these bytes, *end is then behind its line end, and *place at a
 * new record. */
bool csv_record_end(enum csv_place *place, const uint8_t *bytes, size_t size, uint8_t delimiter, size_t *end);

/* A field as it stands in the record, without its quotes. */
struct csv_field {
    const uint8_t *at, *end;
    bool escaped; /* a quote in it is text, or doubled: csv_unescape */
};

/* The next field of a record whose line end was cut off; begin with *at == record.
 * False behind the last one. */
bool csv_next_field(const uint8_t **at, const uint8_t *end, uint8_t delimiter, struct csv_field *field);
/* The text of a field, appended to out; false when memory is refused. */
bool csv_unescape(const struct csv_field *field, struct buf *out);

#endif

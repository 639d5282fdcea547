/*
 * One line of JSON lines: finds the values of a few fields, and skips the rest.
 *
 * Strings are most of the bytes, so they are searched eight bytes at a time for the quote that ends them, and
 * copied only when they hold escapes. A line is checked as far as that goes by itself: an object with
 * members, strings and brackets that end, nothing behind it. Brackets in skipped values are counted, not
 * matched, so depth has no limit.
 */
#ifndef READ_JSON_LINES_H
#define READ_JSON_LINES_H

#include "base/buf.h"
#include "base/error.h"

/* A value as it stands in the line, strings without their quotes; at NULL: not there. */
struct json_value {
    const uint8_t *at, *end;
    enum json_type {
        JSON_STRING,
        JSON_ESCAPED,
        JSON_SCALAR,
        JSON_NESTED
    } type; /* ESCAPED: a string with a backslash */
};

/* A field to be found: "a.b" is the field b of the object a, unless there is a field named so. The last of
 * several with one name counts. */
struct json_field {
    const char *path;
    struct json_value value;
};

/* NULL, or what is wrong with the line. scratch: for names with escapes.
 * NO_MEMORY is the only other failure. */
stemma_status json_line_read(const uint8_t *line, size_t size, struct json_field *fields, size_t count,
                             struct buf *scratch, const char **broken, stemma_error *err);

/* The next string from *at on, outside of strings: a value or a name, at any depth. False behind the last. */
bool json_next_string(const uint8_t **at, const uint8_t *end, struct json_value *string);

/* The characters of a string with escapes, appended to out. Half a surrogate pair becomes U+FFFD, a backslash
 * that begins no escape stays. False when memory is refused. */
bool json_unescape(const uint8_t *at, const uint8_t *end, struct buf *out);

#endif

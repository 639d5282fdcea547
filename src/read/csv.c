#include "read/csv.h"

#include "read/find_byte.h"

#include <string.h>

bool csv_record_end(enum csv_place *place, const uint8_t *bytes, size_t size, uint8_t delimiter,
                    size_t *end) {
    const uint8_t *at = bytes, *stop = bytes + size;
    while (at < stop) {
        switch (*place) {
        case CSV_FIELD:
            *place = *at == '"' ? CSV_QUOTED : CSV_PLAIN;
            at += *place == CSV_QUOTED;
            break;
        case CSV_PLAIN:
            at = find_either(at, stop, delimiter, '\n');
            if (at == stop) break;
            *place = CSV_FIELD;
            if (*at++ == delimiter) break;
            *end = (size_t)(at - bytes);
            return true;
        case CSV_QUOTED:
            at = memchr(at, '"', (size_t)(stop - at));
            if (!at) return false;
            at++;
            *place = CSV_QUOTE;
            break;
        case CSV_QUOTE:
            *place = *at == '"' ? CSV_QUOTED : CSV_PLAIN;
            at += *place == CSV_QUOTED;
            break;
        }
    }
    return false;
}

/* Behind the quote that a field begins with; returns where the field ends. */
static const uint8_t *quoted_field(const uint8_t *at, const uint8_t *end, uint8_t delimiter,
                                   struct csv_field *field) {
    field->at = at;
    for (;;) {
        at = field->end = find_byte(at, end, '"');
        if (at == end || ++at == end || *at == delimiter) return at;
        field->escaped = true;
        if (*at++ == '"') continue;
        return field->end = find_byte(at, end, delimiter); /* text behind the quote */
    }
}

bool csv_next_field(const uint8_t **at, const uint8_t *end, uint8_t delimiter, struct csv_field *field) {
    if (!*at) return false;
    struct csv_field next = {*at, NULL, false};
    const uint8_t *stop;
    if (*at < end && **at == '"')
        stop = quoted_field(*at + 1, end, delimiter, &next);
    else
        stop = next.end = find_byte(*at, end, delimiter);
    *at = stop < end ? stop + 1 : NULL;
    *field = next;
    return true;
}

bool csv_unescape(const struct csv_field *field, struct buf *out) {
    const uint8_t *at = field->at;
    while (at < field->end) {
        const uint8_t *quote = find_byte(at, field->end, '"'), *next = quote < field->end ? quote + 1 : quote;
        bool doubled = next < field->end && *next == '"';
        if (!buf_add(out, at, (size_t)((doubled ? next : quote) - at))) return false;
        at = doubled ? next + 1 : next;
        if (!doubled)
            return buf_add(out, at, (size_t)(field->end - at)); /* the quote that ends it is no text */
    }
    return true;
}

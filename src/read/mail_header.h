/* Headers of mail and their values: RFC 5322, 2045, 2047 and 2231, as far as they say what a part is. */
#ifndef READ_MAIL_HEADER_H
#define READ_MAIL_HEADER_H

#include "base/buf.h"
#include "base/error.h"
#include "read/charset.h"

struct text_span {
    const uint8_t *at;
    size_t size;
};

/* Takes a line with its end from the front; false when there is none left. */
bool span_line(struct text_span *text, struct text_span *line);

/* Takes the next field from the front, with the lines that continue it; or the empty line that ends the
 * header. NONE: a line that is neither, which is not taken. */
struct header_field {
    struct text_span name, value;
};
enum header_step { HEADER_FIELD, HEADER_END, HEADER_NONE };
enum header_step header_next(struct text_span *text, struct header_field *field);
bool span_is(struct text_span span, const char *word); /* whatever the case */

/* "text/plain; charset=utf-8": the first word in lower case, "" for none. */
#define HEADER_WORD_MOST 80
void header_word(struct text_span value, char word[HEADER_WORD_MOST]);

/* A parameter behind it, decoded to UTF-8; empty where there is none. False when memory is refused. */
bool header_parameter(struct text_span value, const char *name, struct buf *out);

/* Append text as UTF-8 by the name of its charset; a name that says nothing leaves it to the bytes. False
 * when memory is refused. */
bool mail_decode_charset(const char *charset, const uint8_t *bytes, size_t size, struct buf *out);

/* The charset that a text of this type (with its parameters) is in and that its bytes do not show;
 * ENCODING_AUTO: none. */
stemma_status declares_charset(struct text_span type, const uint8_t *bytes, size_t size, enum encoding *out,
                               stemma_error *err);

/* Append what was encoded for the transfer; what is none of it is skipped. False when memory is refused. */
bool decode_base64(const uint8_t *bytes, size_t size, struct buf *out);
bool decode_quoted_printable(const uint8_t *bytes, size_t size, struct buf *out);

#endif

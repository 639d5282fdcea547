/* Text in the encodings of single languages: their names and numbers, converted by the C library. */
#ifndef READ_CHARSET_H
#define READ_CHARSET_H

#include "read/encoding.h"

/* Of those that text is written in and that have a number from ENCODING_LEGACY on, whatever the case and the
 * hyphens: "Shift_JIS", "cp1251", "latin2"; ENCODING_AUTO: none of them. UTF-8 and Latin-1 show by the
 * bytes. */
enum encoding charset_named(const char *said);

/* Any encoding, also those: its number, false where there is none of that name; its name, NULL where there is
 * none of that number. */
bool encoding_named(const char *said, enum encoding *out);
const char *encoding_name(enum encoding encoding);

enum charset_result { CHARSET_DONE, CHARSET_UNKNOWN, CHARSET_NO_MEMORY };

/* Append the text as UTF-8, with U+FFFD for bytes that are none in it, which are counted: strange may be
 * NULL. UNKNOWN: this C library cannot convert it, and nothing was appended. */
enum charset_result charset_decode(enum encoding charset, const uint8_t *bytes, size_t size, struct buf *out,
                                   size_t *strange);

#endif

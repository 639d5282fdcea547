/* Pages in the encodings of single languages, which say so: converted by the C library. */
#ifndef READ_CHARSET_H
#define READ_CHARSET_H

#include "base/buf.h"

/* The name that the Encoding standard has for one that mail and pages call otherwise, in lower case; others
 * stay. */
#define CHARSET_NAME_MOST 80
void charset_standard_name(const char *said, char out[CHARSET_NAME_MOST]);

/* Whether it is one that pages are written in, and not one that shows by the bytes (UTF-8, Latin-1). */
bool charset_is_legacy(const char *charset);

enum charset_result { CHARSET_DONE, CHARSET_UNKNOWN, CHARSET_NO_MEMORY };

/* Append the text as UTF-8, with U+FFFD for bytes that are none in it. UNKNOWN: this C library cannot convert
 * it. */
enum charset_result charset_decode(const char *charset, const uint8_t *bytes, size_t size, struct buf *out);

#endif

/*
 * Text that is neither UTF-8 nor UTF-16 may be in an encoding of East Asia, or in a Cyrillic one: that shows
 * where there is enough of it. Whatever is not plainly one of these stays Latin-1.
 */
#ifndef READ_CHARSET_GUESS_H
#define READ_CHARSET_GUESS_H

#include "read/encoding.h"

/* Of bytes that are no UTF-8; ENCODING_AUTO: none of them. cut: the last character may be there in part. */
enum encoding charset_guess(const uint8_t *bytes, size_t size, bool cut);

#endif

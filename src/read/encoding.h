/*
 * Which encoding bytes are in, and the same text in UTF-8.
 *
 * What is UTF-8 or ASCII is most of what there is, and costs one look at its beginning. The answer follows
 * from the first ENCODING_SAMPLE bytes, so that it can be had before the rest of a long document is read.
 * Only where these are ASCII it stays open whether the text is UTF-8 or Latin-1, until the first other byte
 * comes: as many bytes from there on decide. What is read in pieces goes through a `late_text`.
 */
#ifndef READ_ENCODING_H
#define READ_ENCODING_H

#include "base/buf.h"

enum encoding {
    ENCODING_AUTO, /* by the bytes */
    ENCODING_UTF8,
    ENCODING_UTF16LE,
    ENCODING_UTF16BE,
    ENCODING_LATIN1,    /* read as Windows-1252, which contains its letters */
    ENCODING_UTF16,     /* by its byte order mark, else little-endian; only ever asked for */
    ENCODING_LEGACY = 8 /* from here on those of single languages: see charset.h */
};

#define ENCODING_SAMPLE ((size_t)1 << 18)

/* What was found, and how sure it is. */
struct encoding_guess {
    enum encoding encoding;
    size_t mark;    /* bytes of the byte order mark */
    bool multibyte; /* UTF-8: most bytes beyond ASCII are well-formed characters */
    bool binary;    /* no text in any encoding */
    bool open;      /* nothing beyond ASCII was seen, and more may follow */
};

/* Of a document: all of it, or its first ENCODING_SAMPLE bytes. */
struct encoding_guess encoding_guess(const uint8_t *bytes, size_t size);

/* Whether there are bytes near the beginning that no text has: a NUL, or many control characters. In UTF-16
 * there are. */
bool encoding_is_binary(const uint8_t *bytes, size_t size);

/* Those become spaces, where it is known that there is text around them. */
void encoding_blank_controls(uint8_t *bytes, size_t size);

/* Bytes of ASCII at the beginning. */
size_t encoding_ascii(const uint8_t *bytes, size_t size);

/* UTF-8 or Latin-1: of what begins with the first byte beyond ASCII, all of it, or ENCODING_SAMPLE bytes or
 * more. */
enum encoding encoding_of_rest(const uint8_t *bytes, size_t size);

/* The mark alone, for an encoding that is asked for: 0 where there is none. ENCODING_UTF16 becomes one of its
 * orders. */
size_t encoding_mark(const uint8_t *bytes, size_t size, enum encoding *asked);

/* Append the text as UTF-8, with U+FFFD for what is none in this encoding; false when memory is refused. From
 * UTF-8 it makes valid UTF-8. */
bool encoding_decode(enum encoding encoding, const uint8_t *bytes, size_t size, struct buf *out);

/* The character that a byte is in Windows-1252. */
uint32_t windows_1252_character(uint8_t byte);

#endif

/*
 * What a text is made of, met one after the other: characters, words, lines, paragraphs.
 *
 * Nothing is listed in memory: whoever chooses among the units of a text goes over it twice.
 */
#ifndef MUTATE_UNITS_H
#define MUTATE_UNITS_H

#include "text/unicode.h"
#include "text/utf8.h"

#include <stdbool.h>

struct span {
    size_t begin, end;
};

/* A character of the text, or what is none. */
struct sign {
    uint32_t cp; /* UTF8_INVALID: bytes that are no character */
    size_t size;
};

struct sign sign_at(const uint8_t *text, size_t size, size_t at);

/* CHAR_OTHER for what is no character. */
enum char_class sign_class(struct sign sign);

enum units {
    UNITS_CHARACTERS,  /* valid ones that end no line */
    UNITS_WORDS,       /* letters and digits with their marks; of scripts without spaces single characters */
    UNITS_LETTERS,     /* characters of words, without marks */
    UNITS_CASED,       /* words with a letter that has a counterpart in the other case */
    UNITS_PUNCTUATION, /* visible signs that are neither letters nor digits */
    UNITS_LINES,       /* with their ends */
    UNITS_PARAGRAPHS,  /* between lines that are blank, without the last line's end */
    UNITS_PLAIN_LINES  /* lines that are not blank, without their ends */
};

/* The next unit at or behind *at, which moves behind it; false when there is none. */
bool unit_next(enum units units, const uint8_t *text, size_t size, size_t *at, struct span *out);

size_t unit_count(enum units units, const uint8_t *text, size_t size);

/* Code points; a byte that is not part of one counts for itself. */
size_t character_count(const uint8_t *text, size_t size);

/* The same letter in the other case, where that is one letter for one letter; else cp itself. */
uint32_t other_case(uint32_t cp);

#endif

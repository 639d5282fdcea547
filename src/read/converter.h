/*
 * Programs that turn a document into text, run as if they were after no good: whoever wrote the document may
 * have taken them over.
 *
 * The program gets the document on its standard input and gives the text on its standard output. It has so
 * much time, memory and output; it can open no file for writing, start no other program, talk to nobody, and
 * it ends with us.
 */
#ifndef READ_CONVERTER_H
#define READ_CONVERTER_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

struct converter {
    const char *program;      /* looked for in PATH; with a slash in it: its path */
    const char *arguments[8]; /* behind its name, ended by NULL */
    const char *chatter;      /* lines on standard error that begin so are dropped; NULL: all count */
    const char *advice;       /* what to say where it is not there */
};

/* What it said on standard error, as lines of printable characters. */
#define CONVERTER_WORDS 256

/* Append the text; `words` has what it said, "" for nothing, also where all went well. Errors: UNSUPPORTED
 * (it is not there, or went beyond its limits), TEXT_TOO_LONG, CORRUPT (it refused the document or crashed
 * over it), NO_MEMORY, IO, INTERRUPTED. */
stemma_status converter_run(const struct converter *converter, const uint8_t *bytes, size_t size,
                            const struct reading_limits *limits, struct buf *out, char words[CONVERTER_WORDS],
                            stemma_error *err);

#endif

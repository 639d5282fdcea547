/*
 * Text that is being made of a document, as lines: words are separated once, empty lines are left out, and
 * there is an end to it.
 */
#ifndef READ_TEXT_WRITER_H
#define READ_TEXT_WRITER_H

#include "base/buf.h"
#include "base/error.h"

struct text_writer {
    struct buf *out;
    size_t most;    /* bytes */
    bool space;     /* is owed before the next character */
    bool full;      /* it would have been longer: what came since is lost */
    bool no_memory; /* likewise */
};

/* Text in UTF-8 as it is. */
void write_bytes(struct text_writer *writer, const void *bytes, size_t size);
/* Text whose white space separates words and nothing else. */
void write_words(struct text_writer *writer, const char *text, size_t size);
void write_character(struct text_writer *writer, uint32_t cp);
void write_space(struct text_writer *writer);
void write_break(struct text_writer *writer); /* the next character begins a line */

static inline bool writer_is_good(const struct text_writer *writer) {
    return !writer->full && !writer->no_memory;
}

/* TEXT_TOO_LONG, NO_MEMORY. */
stemma_status writer_finish(const struct text_writer *writer, stemma_error *err);

#endif

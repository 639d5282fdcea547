/*
 * Mailboxes: messages one after the other, each behind a line "From address date". Such a line inside a
 * message has a
 * '>' before it, which goes (mboxrd); programs that forget that write no date in it.
 */
#include "read/container_walk.h"
#include "read/lines.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

/* "From ", and a time of day further on. */
static bool is_from_line(const struct line *line) {
    if (!line->begins || line->size < 5 || memcmp(line->bytes, "From ", 5)) return false;
    for (size_t i = 5; i + 4 < line->size; i++)
        if (line->bytes[i + 2] == ':' && is_digit(line->bytes[i]) && is_digit(line->bytes[i + 1]) &&
            is_digit(line->bytes[i + 3]) && is_digit(line->bytes[i + 4]))
            return true;
    return false;
}

static bool is_quoted_from(const struct line *line) {
    size_t marks = 0;
    while (marks < line->size && line->bytes[marks] == '>') marks++;
    return line->begins && marks && line->size - marks >= 5 && !memcmp(line->bytes + marks, "From ", 5);
}

static bool is_empty(const struct line *line) {
    return line->begins && (line->bytes[0] == '\n' || (line->size == 2 && line->bytes[0] == '\r'));
}

/* One message, up to the line that begins the next, which was read by then. */
static stemma_status read_message(struct walk *w, struct lines *lines, struct line *line,
                                  struct holding *message, bool *whole, stemma_error *err) {
    bool empty = false;
    *whole = true;
    for (;;) {
        TRY(lines_next(lines, line, err));
        if (!line->size || (empty && is_from_line(line))) return STEMMA_OK;
        empty = is_empty(line);
        const size_t mark = is_quoted_from(line);
        if (*whole) TRY(holding_add(w, message, line->bytes + mark, line->size - mark, whole, err));
    }
}

static stemma_status take_message(struct walk *w, struct lines *lines, struct line *line, uint64_t number,
                                  stemma_error *err) {
    struct holding message = {0};
    bool whole;
    char name[32];
    size_t before;
    snprintf(name, sizeof name, "%llu", (unsigned long long)number);
    stemma_status status = walk_push(w, name, &before, err);
    if (status == STEMMA_OK) status = read_message(w, lines, line, &message, &whole, err);
    if (status == STEMMA_OK) {
        stemma_error cause;
        status = whole ? walk_give(w, name, message.bytes.data, message.bytes.len, &cause)
                       : walk_too_large(w, &cause);
        status = walk_told(w, status, &cause, err);
    }
    holding_release(w, &message);
    walk_pop(w, before);
    return status;
}

stemma_status walk_mbox(struct walk *w, struct stream *stream, stemma_error *err) {
    struct lines lines;
    struct line line = {.size = 0};
    stemma_status status = lines_init(&lines, stream, err);
    if (status == STEMMA_OK) status = lines_next(&lines, &line, err); /* the first "From " */
    for (uint64_t number = 1; status == STEMMA_OK && line.size && walk_goes_on(w); number++)
        status = take_message(w, &lines, &line, number, err);
    lines_release(&lines);
    return status;
}

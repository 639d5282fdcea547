#include "read/text_writer.h"

#include "read/reading_limits.h"
#include "text/utf8.h"

static bool in_line(const struct text_writer *w) {
    return w->out->len && w->out->data[w->out->len - 1] != '\n';
}

static void put(struct text_writer *w, const void *bytes, size_t size) {
    if (!writer_is_good(w)) return;
    if (size > w->most - w->out->len)
        w->full = true;
    else if (!buf_add(w->out, bytes, size))
        w->no_memory = true;
}

void write_bytes(struct text_writer *w, const void *bytes, size_t size) {
    if (size && w->space && in_line(w)) put(w, " ", 1);
    if (size) w->space = false;
    put(w, bytes, size);
}

static bool is_space(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

void write_words(struct text_writer *w, const char *text, size_t size) {
    for (size_t at = 0, end; at < size; at = end) {
        end = at;
        while (end < size && is_space(text[end])) end++;
        if (end > at) write_space(w);
        size_t word = end;
        while (end < size && !is_space(text[end])) end++;
        write_bytes(w, text + word, end - word);
    }
}

void write_character(struct text_writer *w, uint32_t cp) {
    uint8_t bytes[4];
    write_bytes(w, bytes, utf8_encode(cp, bytes));
}

void write_space(struct text_writer *w) {
    w->space = true;
}

void write_break(struct text_writer *w) {
    if (in_line(w)) put(w, "\n", 1);
    w->space = false;
}

stemma_status writer_finish(const struct text_writer *w, stemma_error *err) {
    if (w->no_memory) return fail_memory(err);
    if (w->full)
        return fail(err, TEXT_TOO_LONG, "its text is longer than %zu bytes: allow more memory", w->most);
    return STEMMA_OK;
}

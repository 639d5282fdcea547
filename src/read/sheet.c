#include "read/sheet.h"

#include "read/xml.h"

#include <stdlib.h>
#include <string.h>

void shared_strings_release(struct shared_strings *strings) {
    buf_release(&strings->text);
    vec64_release(&strings->ends);
}

/* ---- strings ---- */

struct string_walk {
    struct shared_strings *strings;
    struct text_writer writer;
    unsigned text, phonetic; /* open elements */
};

static bool begin_string(void *context, const char *name, const char **attributes) {
    struct string_walk *w = context;
    (void)attributes;
    w->text += !strcmp(name, "t");
    w->phonetic += !strcmp(name, "rPh");
    return true;
}

static bool end_string(void *context, const char *name) {
    struct string_walk *w = context;
    if (!strcmp(name, "t") && w->text) w->text--;
    if (!strcmp(name, "rPh") && w->phonetic) w->phonetic--;
    if (!strcmp(name, "si") && !vec64_add(&w->strings->ends, w->strings->text.len))
        w->writer.no_memory = true;
    return writer_is_good(&w->writer);
}

static bool take_string(void *context, const char *text, size_t size) {
    struct string_walk *w = context;
    if (w->text && !w->phonetic) write_bytes(&w->writer, text, size);
    return writer_is_good(&w->writer);
}

stemma_status shared_strings_read(struct shared_strings *strings, const uint8_t *bytes, size_t size,
                                  size_t most, const volatile int *stop, stemma_error *err) {
    static const struct xml_events events = {begin_string, end_string, take_string};
    struct string_walk walk = {.strings = strings, .writer = {.out = &strings->text, .most = most}};
    TRY(xml_parse(bytes, size, NULL, &events, &walk, stop, err));
    return writer_finish(&walk.writer, err);
}

/* ---- cells ---- */

enum { NUMBER_MOST = 32 }; /* bytes of the longest index */

struct cell_walk {
    const struct shared_strings *strings;
    struct text_writer *writer;
    bool shared, truth;          /* what the value of this cell is */
    unsigned value, phonetic;    /* open elements */
    char index[NUMBER_MOST + 1]; /* of a shared string, or a truth value */
    size_t index_size;
};

static bool is_value(const char *name) {
    return !strcmp(name, "v") || !strcmp(name, "t");
}

static bool begin_cell(void *context, const char *name, const char **attributes) {
    struct cell_walk *w = context;
    if (!strcmp(name, "c")) {
        const char *type = xml_attribute(attributes, "t");
        w->shared = type && !strcmp(type, "s");
        w->truth = type && !strcmp(type, "b");
        w->index_size = 0;
        write_space(w->writer);
    } else if (!strcmp(name, "row")) {
        write_break(w->writer);
    }
    w->value += is_value(name);
    w->phonetic += !strcmp(name, "rPh");
    return writer_is_good(w->writer);
}

static void write_shared(struct cell_walk *w) {
    char *end;
    w->index[w->index_size] = '\0';
    unsigned long long index = strtoull(w->index, &end, 10);
    if (end == w->index || *end || index >= w->strings->ends.len) return;
    size_t from = index ? (size_t)w->strings->ends.data[index - 1] : 0,
           to = (size_t)w->strings->ends.data[index];
    write_words(w->writer, (const char *)w->strings->text.data + from, to - from);
}

static void end_value(struct cell_walk *w) {
    if (w->value == 0 || --w->value) return;
    if (w->shared) write_shared(w);
    if (w->truth) write_words(w->writer, w->index[0] == '1' ? "TRUE" : "FALSE", w->index[0] == '1' ? 4 : 5);
}

static bool end_cell(void *context, const char *name) {
    struct cell_walk *w = context;
    if (is_value(name)) end_value(w);
    if (!strcmp(name, "rPh") && w->phonetic) w->phonetic--;
    return writer_is_good(w->writer);
}

static bool take_value(void *context, const char *text, size_t size) {
    struct cell_walk *w = context;
    if (!w->value || w->phonetic) return true;
    if (!w->shared && !w->truth) {
        write_words(w->writer, text, size);
    } else if (size <= NUMBER_MOST - w->index_size) {
        memcpy(w->index + w->index_size, text, size);
        w->index_size += size;
    }
    return writer_is_good(w->writer);
}

stemma_status sheet_text(const struct shared_strings *strings, const uint8_t *bytes, size_t size,
                         struct text_writer *writer, const volatile int *stop, stemma_error *err) {
    static const struct xml_events events = {begin_cell, end_cell, take_value};
    struct cell_walk walk = {.strings = strings, .writer = writer};
    return xml_parse(bytes, size, NULL, &events, &walk, stop, err);
}

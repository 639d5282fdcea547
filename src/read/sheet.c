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
    static const struct xml_events events = {.begin = begin_string, .end = end_string, .text = take_string};
    struct string_walk walk = {.strings = strings, .writer = {.out = &strings->text, .most = most}};
    TRY(xml_parse(bytes, size, NULL, &events, &walk, stop, err));
    return writer_finish(&walk.writer, err);
}

/* ---- cells ---- */

enum { NUMBER_MOST = 32, DIGITS_MOST = 15 }; /* bytes of the longest number; digits that are shown of it */

enum value_kind { NUMBER, SHARED, TRUTH, WORDS };

struct cell_walk {
    const struct shared_strings *strings;
    const struct date_styles *styles;
    struct text_writer *writer;
    const char *date;             /* the format of this cell, where it shows one */
    enum value_kind kind;         /* of this cell's value */
    unsigned value, phonetic;     /* open elements */
    char number[NUMBER_MOST + 1]; /* of all kinds but words */
    size_t number_size;
};

static bool is_value(const char *name) {
    return !strcmp(name, "v") || !strcmp(name, "t");
}

static enum value_kind kind_of(const char *type) {
    if (!type || !strcmp(type, "n")) return NUMBER;
    return !strcmp(type, "s") ? SHARED : !strcmp(type, "b") ? TRUTH : WORDS;
}

/* Styles are numbers; without one a cell has the first. */
static const char *date_of(const struct cell_walk *w, const char *style) {
    return date_styles_code(w->styles, style ? strtoul(style, NULL, 10) : 0);
}

static bool begin_cell(void *context, const char *name, const char **attributes) {
    struct cell_walk *w = context;
    if (!strcmp(name, "c")) {
        w->kind = kind_of(xml_attribute(attributes, "t"));
        w->date = w->kind == NUMBER ? date_of(w, xml_attribute(attributes, "s")) : NULL;
        w->number_size = 0;
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
    unsigned long long index = strtoull(w->number, &end, 10);
    if (end == w->number || *end || index >= w->strings->ends.len) return;
    size_t from = index ? (size_t)w->strings->ends.data[index - 1] : 0,
           to = (size_t)w->strings->ends.data[index];
    write_words(w->writer, (const char *)w->strings->text.data + from, to - from);
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/* The place of the first digit that is not shown; the size where all are. */
static size_t digits_end(const char *number, size_t size) {
    size_t digits = 0, at = 0;
    for (; at < size && (is_digit(number[at]) || number[at] == '.' || number[at] == '-'); at++) {
        if (is_digit(number[at]) && digits == DIGITS_MOST) return at;
        digits += is_digit(number[at]) && (digits || number[at] != '0');
    }
    return size;
}

/* Numbers are stored with all digits that a binary one takes: 1.1 as 1.1000000000000001. They are shown with
 * 15, and so are they here. Only fractions, without exponent,
 * where leaving digits out is all there is to it. */
static size_t shown_size(char *number, size_t size) {
    size_t end = digits_end(number, size), at = end;
    if (end == size || !memchr(number, '.', end) || memchr(number, 'E', size) || memchr(number, 'e', size))
        return size;
    if (number[end] >= '5') {
        while (at > 0 && (number[at - 1] == '9' || number[at - 1] == '.')) at--;
        if (at == 0 || !is_digit(number[at - 1]))
            return size; /* 9.99...: another digit in front, which nobody has */
        number[at - 1]++;
        for (; at < end; at++)
            if (number[at] == '9') number[at] = '0';
    }
    while (number[end - 1] == '0') end--;
    return number[end - 1] == '.' ? end - 1 : end;
}

static void write_number(struct cell_walk *w) {
    char date[DATE_MOST];
    if (w->date && date_text(w->date, w->styles->from_1904, w->number, date))
        write_words(w->writer, date, strlen(date));
    else
        write_words(w->writer, w->number, shown_size(w->number, w->number_size));
}

static void end_value(struct cell_walk *w) {
    if (w->value == 0 || --w->value) return;
    w->number[w->number_size] = '\0';
    if (w->kind == SHARED) write_shared(w);
    if (w->kind == TRUTH)
        write_words(w->writer, w->number[0] == '1' ? "TRUE" : "FALSE", w->number[0] == '1' ? 4 : 5);
    if (w->kind == NUMBER) write_number(w);
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
    if (w->kind == WORDS) {
        write_words(w->writer, text, size);
    } else if (size <= NUMBER_MOST - w->number_size) {
        memcpy(w->number + w->number_size, text, size);
        w->number_size += size;
    }
    return writer_is_good(w->writer);
}

stemma_status sheet_text(const struct shared_strings *strings, const struct date_styles *styles,
                         const uint8_t *bytes, size_t size, struct text_writer *writer,
                         const volatile int *stop, stemma_error *err) {
    static const struct xml_events events = {.begin = begin_cell, .end = end_cell, .text = take_value};
    struct cell_walk walk = {.strings = strings, .styles = styles, .writer = writer};
    return xml_parse(bytes, size, NULL, &events, &walk, stop, err);
}

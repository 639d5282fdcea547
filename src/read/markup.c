#include "read/markup.h"

#include "read/xml.h"

#include <string.h>

enum action {
    NOTHING,
    TEXT,       /* what is inside counts */
    BLOCK,      /* is a line of its own */
    TEXT_BLOCK, /* both */
    LINE_END,
    SPACE,
    HYPHEN,
    NOTE,        /* stands elsewhere */
    SKIP,        /* what is inside does not count */
    FIELD,       /* of Word: with its instruction as an attribute, */
    FIELD_MARK,  /* or begun, divided and ended by marks, */
    INSTRUCTION, /* with the instruction as text */
};

struct markup_rule {
    const char *name;
    enum action action;
};

#define DIALECT(rules)                                                                                       \
    { rules, sizeof rules / sizeof *rules }

/* Deleted text has an element of its own (delText), moved text does not where it was. What is drawn stands
 * there twice, for old and for new programs. */
static const struct markup_rule word_rules[] = {{"t", TEXT},
                                                {"p", BLOCK},
                                                {"br", LINE_END},
                                                {"cr", LINE_END},
                                                {"tab", SPACE},
                                                {"ptab", SPACE},
                                                {"tc", BLOCK},
                                                {"noBreakHyphen", HYPHEN},
                                                {"moveFrom", SKIP},
                                                {"Fallback", SKIP},
                                                {"fldSimple", FIELD},
                                                {"fldChar", FIELD_MARK},
                                                {"instrText", INSTRUCTION},
                                                {"tabs", SKIP}};
const struct markup_dialect markup_word = DIALECT(word_rules);

/* Fields are numbers of slides and dates. */
static const struct markup_rule slide_rules[] = {{"t", TEXT},       {"p", BLOCK},  {"br", LINE_END},
                                                 {"tab", SPACE},    {"tc", BLOCK}, {"fld", SKIP},
                                                 {"Fallback", SKIP}};
const struct markup_dialect markup_slides = DIALECT(slide_rules);

static const struct markup_rule opendocument_rules[] = {{"p", TEXT_BLOCK},
                                                        {"h", TEXT_BLOCK},
                                                        {"s", SPACE},
                                                        {"tab", SPACE},
                                                        {"line-break", LINE_END},
                                                        {"note", NOTE},
                                                        {"note-citation", SKIP},
                                                        {"tracked-changes", SKIP},
                                                        {"annotation", SKIP},
                                                        {"ruby-text", SKIP},
                                                        {"desc", SKIP},
                                                        {"binary-data", SKIP},
                                                        {"page-number", SKIP},
                                                        {"page-count", SKIP}};
const struct markup_dialect markup_opendocument = DIALECT(opendocument_rules);

struct walk {
    const struct markup_dialect *dialect;
    struct text_writer *writer, *body, *notes;
    unsigned text, skip, note; /* open elements of these kinds */
    unsigned instruction;
    bool page_field; /* the field that was begun is a number of pages: */
    bool mute;       /* its value does not count */
    stemma_error *damage;
};

static enum action action_of(const struct walk *w, const char *name) {
    for (size_t i = 0; i < w->dialect->count; i++)
        if (!strcmp(w->dialect->rules[i].name, name)) return w->dialect->rules[i].action;
    return NOTHING;
}

/* ---- fields ---- */

static bool is_page_number(const char *instruction, size_t size) {
    static const char *const names[] = {"PAGE", "NUMPAGES", "SECTIONPAGES"};
    while (size && *instruction == ' ') instruction++, size--;
    size_t length = 0;
    while (length < size && instruction[length] != ' ') length++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && !memcmp(instruction, names[i], length)) return true;
    return false;
}

static void at_field_mark(struct walk *w, const char *type) {
    if (!type) return;
    if (!strcmp(type, "separate"))
        w->mute = w->page_field;
    else
        w->mute = w->page_field = false;
}

static bool is_page_field(const char *instruction) {
    return instruction && is_page_number(instruction, strlen(instruction));
}

/* ---- events ---- */

static void begin_note(struct walk *w) {
    w->note++;
    w->writer = w->notes;
    write_break(w->writer);
}

static void end_note(struct walk *w) {
    write_break(w->writer);
    if (--w->note == 0) w->writer = w->body;
}

static bool begin(void *context, const char *name, const char **attributes) {
    struct walk *w = context;
    enum action action = action_of(w, name);
    if (w->skip || action == SKIP) {
        w->skip++; /* whatever it is, until it ends */
        return true;
    }
    switch (action) {
    case NOTHING:
    case SKIP:
        break;
    case TEXT_BLOCK:
    case BLOCK:
        write_break(w->writer);
        w->text += action == TEXT_BLOCK;
        break;
    case TEXT:
        w->text++;
        break;
    case LINE_END:
        write_break(w->writer);
        break;
    case SPACE:
        write_space(w->writer);
        break;
    case HYPHEN:
        write_bytes(w->writer, "-", 1);
        break;
    case NOTE:
        begin_note(w);
        break;
    case FIELD:
        if (is_page_field(xml_attribute(attributes, "instr"))) w->skip = 1;
        break;
    case FIELD_MARK:
        at_field_mark(w, xml_attribute(attributes, "fldCharType"));
        break;
    case INSTRUCTION:
        w->instruction++;
        break;
    }
    return writer_is_good(w->writer);
}

static bool end(void *context, const char *name) {
    struct walk *w = context;
    if (w->skip) {
        w->skip--;
        return true;
    }
    enum action action = action_of(w, name);
    if (action == TEXT || action == TEXT_BLOCK) w->text--;
    if (action == BLOCK || action == TEXT_BLOCK) write_break(w->writer);
    if (action == INSTRUCTION) w->instruction--;
    if (action == NOTE) end_note(w);
    return true;
}

static bool take_text(void *context, const char *text, size_t size) {
    struct walk *w = context;
    if (w->instruction && is_page_number(text, size)) w->page_field = true;
    if (w->text && !w->skip && !w->mute) write_words(w->writer, text, size);
    return writer_is_good(w->writer);
}

static bool note_missing(void *context, const char *entity) {
    xml_note_missing(((struct walk *)context)->damage, entity);
    return true;
}

stemma_status markup_text(const struct markup_dialect *dialect, const uint8_t *bytes, size_t size,
                          struct text_writer *text, struct text_writer *notes, const volatile int *stop,
                          stemma_error *damage, stemma_error *err) {
    static const struct xml_events events = {begin, end, take_text, note_missing};
    struct walk walk = {.dialect = dialect, .writer = text, .body = text, .notes = notes, .damage = damage};
    return xml_parse(bytes, size, NULL, &events, &walk, stop, err);
}

/* ---- headers and footers ---- */

enum { LINES_MOST = 100 }; /* as many are compared with each other; nobody has more headers */

void markup_drop_repeated_lines(struct buf *text) {
    size_t begins[LINES_MOST], sizes[LINES_MOST], count = 0, to = 0;
    for (size_t at = 0, size; at < text->len; at += size) {
        const uint8_t *line = text->data + at, *end = memchr(line, '\n', text->len - at);
        size = end ? (size_t)(end - line) + 1 : text->len - at;
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = sizes[i] == size && !memcmp(text->data + begins[i], line, size);
        if (known) continue;
        memmove(text->data + to, line, size);
        if (count < LINES_MOST) begins[count] = to, sizes[count++] = size;
        to += size;
    }
    text->len = to;
}

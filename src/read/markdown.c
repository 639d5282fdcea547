/*
 * md4c finds the structure; each block becomes lines of text. HTML inside goes to the reader of pages.
 *
 * md4c takes linear time but for paragraphs, in which a bracket may cost a look at every line, and for empty
 * lines, which cost a look at every list they stand in. So paragraphs of very many lines are divided, and of
 * very many empty lines only the first count.
 */
#include "read/markdown.h"

#include "read/entity.h"
#include "read/find_byte.h"
#include "read/html.h"
#include "text/utf8.h"

#include <limits.h>
#include <md4c.h>
#include <string.h>

/* Lines; twice as many cost twice as much, at worst. */
enum { PARAGRAPH_MOST = 500, EMPTY_MOST = 100 };

struct writer {
    struct buf *out;
    struct buf html; /* of the block that is being read */
    bool in_html;
    bool failed; /* memory was refused; md4c does not always hand on that a callback gave up */
};

/* Callbacks return whether to give up. */

static int result(struct writer *w, bool done) {
    w->failed |= !done;
    return w->failed;
}

static int add(struct writer *w, const void *bytes, size_t size) {
    return result(w, buf_add(w->in_html ? &w->html : w->out, bytes, size));
}

static int break_line(struct writer *w) {
    bool inside = w->out->len && w->out->data[w->out->len - 1] != '\n';
    return result(w, !inside || buf_add_byte(w->out, '\n'));
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context) {
    (void)detail;
    struct writer *w = context;
    w->in_html = type == MD_BLOCK_HTML;
    return break_line(w);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context) {
    (void)detail;
    struct writer *w = context;
    if (type == MD_BLOCK_HTML) {
        result(w, html_text(w->html.data, w->html.len, w->out));
        w->html.len = 0;
        w->in_html = false;
    }
    return break_line(w);
}

/* An image is a word of its own. */
static int at_span(MD_SPANTYPE type, void *detail, void *context) {
    (void)detail;
    return type == MD_SPAN_IMG ? add(context, " ", 1) : 0;
}

static int add_entity(struct writer *w, const MD_CHAR *text, MD_SIZE size) {
    uint32_t cp;
    uint8_t bytes[4];
    if (!entity_decode((const uint8_t *)text, size, &cp)) return add(w, text, size);
    return add(w, bytes, utf8_encode(cp, bytes));
}

static int take_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *context) {
    struct writer *w = context;
    switch (type) {
    case MD_TEXT_ENTITY:
        return add_entity(w, text, size);
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
        return add(w, "\n", 1);
    case MD_TEXT_NULLCHAR:
        return add(w, "\xEF\xBF\xBD", 3);
    case MD_TEXT_HTML:
        if (!w->in_html) return result(w, html_text((const uint8_t *)text, size, w->out));
        return add(w, text, size);
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_LATEXMATH:
        break;
    }
    return add(w, text, size);
}

/* ---- lines ---- */

/* With its end: LF, CR LF or CR, as md4c has it. */
static size_t line_size(const uint8_t *bytes, size_t size) {
    size_t length = (size_t)(find_either(bytes, bytes + size, '\n', '\r') - bytes);
    if (length < size && bytes[length++] == '\r') length += length < size && bytes[length] == '\n';
    return length;
}

static bool is_blank(const uint8_t *line, size_t size) {
    while (size && strchr(" \t\r\n", line[size - 1]) && line[size - 1]) size--;
    return size == 0;
}

/* A blank line, perhaps of a quotation. */
static bool is_empty(const uint8_t *line, size_t size) {
    while (size && (*line == '>' || *line == ' ' || *line == '\t')) line++, size--;
    return is_blank(line, size);
}

/* ---- footnotes ---- */

/* "[^name]" where it stands, and "[^name]: ..." at the beginning of a line. md4c knows nothing of them. What
 * was not defined is no footnote: code is full of such brackets. */
enum { NOTES_MOST = 256, NOTE_NAME_MOST = 64 };

struct notes {
    const uint8_t *names[NOTES_MOST]; /* with their brackets */
    size_t sizes[NOTES_MOST], count;
};

/* Bytes of the "[^name]" at `at`; 0: there is none. */
static size_t note_size(const uint8_t *at, size_t left) {
    if (left < 4 || at[0] != '[' || at[1] != '^') return 0;
    for (size_t i = 2; i < left && i < NOTE_NAME_MOST; i++) {
        if (at[i] == ']') return i > 2 ? i + 1 : 0;
        if (at[i] <= ' ' || at[i] == '[') return 0;
    }
    return 0;
}

/* Bytes of the "[^name]:" that a line begins with. */
static size_t definition_size(const uint8_t *line, size_t size) {
    size_t name = note_size(line, size);
    return name && name < size && line[name] == ':' ? name + 1 : 0;
}

static void find_notes(const uint8_t *bytes, size_t size, struct notes *notes) {
    notes->count = 0;
    for (size_t at = 0, line; at < size && notes->count < NOTES_MOST; at += line) {
        line = line_size(bytes + at, size - at);
        size_t definition = definition_size(bytes + at, line);
        if (!definition) continue;
        notes->names[notes->count] = bytes + at;
        notes->sizes[notes->count++] = definition - 1;
    }
}

static bool is_note(const struct notes *notes, const uint8_t *name, size_t size) {
    for (size_t i = 0; size && i < notes->count; i++)
        if (notes->sizes[i] == size && !memcmp(notes->names[i], name, size)) return true;
    return false;
}

/* Append a line without the marks of notes. */
static bool add_line(const struct notes *notes, const uint8_t *line, size_t size, struct buf *out) {
    size_t from = notes->count ? definition_size(line, size) : 0;
    if (!is_note(notes, line, from ? from - 1 : 0)) from = 0;
    for (size_t at = from; notes->count && at < size;) {
        const uint8_t *bracket = memchr(line + at, '[', size - at);
        if (!bracket) break;
        at = (size_t)(bracket - line);
        size_t note = note_size(bracket, size - at);
        if (is_note(notes, bracket, note)) {
            if (!buf_add(out, line + from, at - from)) return false;
            from = at + note;
        }
        at += note ? note : 1;
    }
    return buf_add(out, line + from, size - from);
}

/* ---- what md4c is given ---- */

/* Append the text with a blank line after so many that are not, few empty ones in a row, without the marks of
 * notes, and with a line end at its end: without it md4c 0.4 reads beyond. */
static bool divide(const uint8_t *bytes, size_t size, struct buf *out) {
    struct notes notes;
    size_t run = 0, empty = 0;
    find_notes(bytes, size, &notes);
    for (size_t at = 0, line; at < size; at += line) {
        line = line_size(bytes + at, size - at);
        empty = is_empty(bytes + at, line) ? empty + 1 : 0;
        if (empty > EMPTY_MOST) continue;
        run = is_blank(bytes + at, line) ? 0 : run + 1;
        if (!add_line(&notes, bytes + at, line, out)) return false;
        size_t ends = bytes[at + line - 1] == '\r' ? 2 : 1; /* the first would be one with it */
        if (run == PARAGRAPH_MOST && !buf_add(out, "\n\n", ends)) return false;
        run %= PARAGRAPH_MOST;
    }
    return buf_add_byte(out, '\n');
}

/* Bytes of what stands between two lines "---" at the very beginning, with the lines: data that is kept as it
 * is. */
static size_t front_matter(const uint8_t *bytes, size_t size) {
    size_t at = line_size(bytes, size), line;
    if (at < 4 || memcmp(bytes, "---", 3) || !is_blank(bytes + 3, at - 3)) return 0;
    for (; at < size; at += line) {
        line = line_size(bytes + at, size - at);
        bool marks = line >= 3 && (!memcmp(bytes + at, "---", 3) || !memcmp(bytes + at, "...", 3));
        if (marks && is_blank(bytes + at + 3, line - 3)) return at + line;
    }
    return 0;
}

/* ---- all of it ---- */

static bool parse(const uint8_t *bytes, size_t size, struct buf *out) {
    const MD_PARSER parser = {.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
                              .enter_block = enter_block,
                              .leave_block = leave_block,
                              .enter_span = at_span,
                              .leave_span = at_span,
                              .text = take_text};
    struct writer writer = {.out = out};
    int failed = md_parse((const MD_CHAR *)bytes, (MD_SIZE)size, &parser, &writer);
    buf_release(&writer.html);
    return !failed && !writer.failed;
}

stemma_status markdown_text(const uint8_t *bytes, size_t size, struct buf *out, stemma_error *err) {
    struct buf divided = {0};
    if (size == 0) return STEMMA_OK;
    if (size > UINT_MAX / 2) return fail(err, STEMMA_UNSUPPORTED, "a Markdown document of 2 GB and more");
    size_t front = front_matter(bytes, size);
    bool done = buf_add(out, bytes, front) && divide(bytes + front, size - front, &divided) &&
                parse(divided.data, divided.len, out);
    buf_release(&divided);
    return done ? STEMMA_OK : fail_memory(err);
}

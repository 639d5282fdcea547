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

/* Append the text with a blank line after so many that are not, few empty ones in a row, and a line end at
 * its end: without it md4c 0.4 reads beyond. */
static bool divide(const uint8_t *bytes, size_t size, struct buf *out) {
    size_t run = 0, empty = 0;
    for (size_t at = 0, line; at < size; at += line) {
        line = line_size(bytes + at, size - at);
        empty = is_empty(bytes + at, line) ? empty + 1 : 0;
        if (empty > EMPTY_MOST) continue;
        run = is_blank(bytes + at, line) ? 0 : run + 1;
        if (!buf_add(out, bytes + at, line)) return false;
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

/*
 * md4c finds the structure; each block becomes lines of text. HTML inside goes to the reader of pages.
 *
 * md4c takes linear time but for paragraphs, in which a bracket may cost a look at every line. Paragraphs of
 * very many lines are therefore divided.
 */
#include "read/markdown.h"

#include "read/entity.h"
#include "read/html.h"
#include "text/utf8.h"

#include <limits.h>
#include <md4c.h>
#include <string.h>

#define PARAGRAPH_MOST 500 /* lines; twice as many cost twice as much, at worst */

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

static size_t line_size(const uint8_t *bytes, size_t size) {
    const uint8_t *end = memchr(bytes, '\n', size);
    return end ? (size_t)(end - bytes) + 1 : size;
}

static bool is_blank(const uint8_t *line, size_t size) {
    while (size && strchr(" \t\r\n", line[size - 1]) && line[size - 1]) size--;
    return size == 0;
}

/* Append the text with a blank line after so many that are not, and a line end at its end: without it md4c
 * 0.4 reads beyond. */
static bool divide(const uint8_t *bytes, size_t size, struct buf *out) {
    size_t run = 0;
    for (size_t at = 0, line; at < size; at += line) {
        line = line_size(bytes + at, size - at);
        run = is_blank(bytes + at, line) ? 0 : run + 1;
        if (!buf_add(out, bytes + at, line)) return false;
        if (run == PARAGRAPH_MOST && !buf_add_byte(out, '\n')) return false;
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

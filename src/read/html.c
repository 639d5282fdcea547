/*
 * A page as text, in one pass without a tree.
 *
 * What separates words is told by the names of elements alone, so there is nothing to build and nothing to
 * repair: tags are read as the HTML standard reads them, and forgotten. Time is linear and memory constant
 * whatever the page, which parsers that repair do not give (docs/design/formats.md).
 */
#include "read/html.h"

#include "read/entity.h"
#include "read/find_byte.h"
#include "read/format.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { INLINE, BLOCK, PRE, RAW, TITLE, TEMPLATE, IMAGE, LINK };

#define NAME_MOST 10 /* letters of the longest name that matters */

static const struct element {
    char name[NAME_MOST + 1];
    uint8_t kind;
} elements[] = {
    {"a", LINK},
    {"address", BLOCK},
    {"area", IMAGE},
    {"article", BLOCK},
    {"aside", BLOCK},
    {"blockquote", BLOCK},
    {"body", BLOCK},
    {"br", BLOCK},
    {"button", BLOCK},
    {"caption", BLOCK},
    {"center", BLOCK},
    {"dd", BLOCK},
    {"details", BLOCK},
    {"dialog", BLOCK},
    {"dir", BLOCK},
    {"div", BLOCK},
    {"dl", BLOCK},
    {"dt", BLOCK},
    {"fieldset", BLOCK},
    {"figcaption", BLOCK},
    {"figure", BLOCK},
    {"footer", BLOCK},
    {"form", BLOCK},
    {"frame", BLOCK},
    {"frameset", BLOCK},
    {"h1", BLOCK},
    {"h2", BLOCK},
    {"h3", BLOCK},
    {"h4", BLOCK},
    {"h5", BLOCK},
    {"h6", BLOCK},
    {"head", BLOCK},
    {"header", BLOCK},
    {"hgroup", BLOCK},
    {"hr", BLOCK},
    {"html", BLOCK},
    {"iframe", BLOCK},
    {"img", IMAGE},
    {"input", BLOCK},
    {"legend", BLOCK},
    {"li", BLOCK},
    {"main", BLOCK},
    {"menu", BLOCK},
    {"nav", BLOCK},
    {"noframes", BLOCK},
    {"noscript", BLOCK},
    {"ol", BLOCK},
    {"optgroup", BLOCK},
    {"option", BLOCK},
    {"p", BLOCK},
    {"pre", PRE},
    {"script", RAW},
    {"search", BLOCK},
    {"section", BLOCK},
    {"select", BLOCK},
    {"style", RAW},
    {"summary", BLOCK},
    {"table", BLOCK},
    {"tbody", BLOCK},
    {"td", BLOCK},
    {"template", TEMPLATE},
    {"textarea", BLOCK},
    {"tfoot", BLOCK},
    {"th", BLOCK},
    {"thead", BLOCK},
    {"title", TITLE},
    {"tr", BLOCK},
    {"ul", BLOCK},
    {"video", BLOCK},
};

struct page {
    const uint8_t *at, *end;
    uint8_t *text, *out; /* begins, goes on, with room for as many bytes as the page has */
    size_t templates;    /* open ones: what is in them is not shown */
    bool pre;            /* white space counts */
    bool mark;           /* in the link to a footnote: its number is no text */
    bool space;          /* is owed before the next character */
    bool untitled;       /* no title ends from here on: looked for once */
    bool xml;            /* XHTML: elements may end where they begin */
};

static bool is_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

static bool is_letter(uint8_t byte) {
    return (uint8_t)((byte | 32) - 'a') < 26;
}

/* ---- writing ---- */

static void break_line(struct page *p) {
    p->mark = false; /* a link that was not closed */
    if (p->templates) return;
    if (p->out > p->text && p->out[-1] != '\n') *p->out++ = '\n';
    p->space = false;
}

static void pay_space(struct page *p) {
    if (p->space && p->out > p->text && p->out[-1] != '\n') *p->out++ = ' ';
    p->space = false;
}

static void write_character(struct page *p, uint32_t cp) {
    pay_space(p);
    p->out += utf8_encode(cp, p->out);
}

/* Text with references, up to `end`. */
static void write_text(struct page *p, const uint8_t *at, const uint8_t *end) {
    if (p->templates || p->mark) return;
    while (at < end) {
        uint32_t cp;
        size_t length = *at == '&' ? entity_decode(at, (size_t)(end - at), &cp) : 0;
        if (length) {
            write_character(p, cp);
            at += length;
        } else if (is_space(*at) && !p->pre) {
            p->space = true;
            at++;
        } else {
            pay_space(p);
            *p->out++ = *at++;
        }
    }
}

/* ---- tags ---- */

static int compare_element(const void *key, const void *element) {
    return strcmp(key, ((const struct element *)element)->name);
}

/* The name at p->at, which is skipped; what it is, INLINE for all that are not listed. */
static const struct element *read_name(struct page *p) {
    static const struct element other = {"", INLINE};
    char name[NAME_MOST + 1];
    size_t length = 0;
    for (; p->at < p->end && !is_space(*p->at) && *p->at != '/' && *p->at != '>'; p->at++, length++)
        if (length < NAME_MOST) name[length] = (char)(is_letter(*p->at) ? *p->at | 32 : *p->at);
    if (length > NAME_MOST) return &other;
    name[length] = '\0';
    const struct element *found =
        bsearch(name, elements, sizeof elements / sizeof *elements, sizeof *elements, compare_element);
    return found ? found : &other;
}

static bool begins_line(const struct element *element) {
    return element->kind == BLOCK || element->kind == PRE || element->kind == TITLE;
}

struct attribute {
    const uint8_t *name, *name_end, *value, *value_end;
};

static void read_value(struct page *p, struct attribute *a) {
    while (p->at < p->end && is_space(*p->at)) p->at++;
    if (p->at < p->end && (*p->at == '"' || *p->at == '\'')) {
        a->value = p->at + 1;
        a->value_end = find_byte(a->value, p->end, *p->at);
        p->at = a->value_end < p->end ? a->value_end + 1 : p->end;
        return;
    }
    a->value = p->at;
    while (p->at < p->end && !is_space(*p->at) && *p->at != '>') p->at++;
    a->value_end = p->at;
}

/* The next attribute of a tag; false at its end, which is skipped. */
static bool read_attribute(struct page *p, struct attribute *a) {
    while (p->at < p->end && (is_space(*p->at) || *p->at == '/')) p->at++;
    if (p->at == p->end) return false;
    if (*p->at == '>') return p->at++, false;
    *a = (struct attribute){.name = p->at++}; /* a '=' in front is part of the name */
    while (p->at < p->end && !is_space(*p->at) && *p->at != '/' && *p->at != '>' && *p->at != '=') p->at++;
    a->name_end = p->at;
    const uint8_t *after = p->at;
    while (after < p->end && is_space(*after)) after++;
    if (after == p->end || *after != '=') return true;
    p->at = after + 1;
    read_value(p, a);
    return true;
}

static bool is_named(const struct attribute *a, const char *name) {
    size_t size = strlen(name);
    return (size_t)(a->name_end - a->name) == size && !strncasecmp((const char *)a->name, name, size);
}

static bool has_value(const struct attribute *a, const char *value) {
    size_t size = strlen(value);
    return a->value && (size_t)(a->value_end - a->value) == size && !memcmp(a->value, value, size);
}

/* Skip what is left of a tag, writing the words that stand for an image. */
static void read_attributes(struct page *p, enum kind kind) {
    struct attribute a;
    while (read_attribute(p, &a)) {
        if (kind == LINK && is_named(&a, "role") && has_value(&a, "doc-noteref")) p->mark = true;
        if (kind != IMAGE || !a.value || !is_named(&a, "alt")) continue;
        p->space = true;
        write_text(p, a.value, a.value_end);
        p->space = true;
    }
}

static bool ends_raw(const struct page *p, const uint8_t *at, const char *name) {
    size_t size = strlen(name), left = (size_t)(p->end - at);
    if (left < size + 3 || at[1] != '/' || strncasecmp((const char *)at + 2, name, size)) return false;
    uint8_t after = at[size + 2];
    return is_space(after) || after == '/' || after == '>';
}

/* Nothing but its own end tag ends a script or a style. */
static void skip_raw(struct page *p, const char *name) {
    for (;;) {
        p->at = find_byte(p->at, p->end, '<');
        if (p->at == p->end || ends_raw(p, p->at, name)) return;
        p->at++;
    }
}

static bool is_empty(const struct page *p) {
    return p->xml && p->at[-1] == '>' && p->at[-2] == '/';
}

/* It is not on the page. One that does not end would take all of the page with it: its words are text. */
static void skip_title(struct page *p) {
    const uint8_t *begin = p->at;
    if (p->untitled) return;
    skip_raw(p, "title");
    p->untitled = p->at == p->end;
    if (p->untitled) p->at = begin;
}

static void read_start_tag(struct page *p) {
    p->at += 1;
    const struct element *element = read_name(p);
    if (begins_line(element)) break_line(p);
    read_attributes(p, element->kind);
    if (is_empty(p)) {
        if (element->kind == LINK) p->mark = false;
        return;
    }
    if (element->kind == RAW) skip_raw(p, element->name);
    if (element->kind == TITLE) skip_title(p);
    p->pre |= element->kind == PRE;
    p->templates += element->kind == TEMPLATE;
}

static void read_end_tag(struct page *p) {
    p->at += 2;
    const struct element *element = read_name(p);
    read_attributes(p, INLINE);
    if (element->kind == PRE) p->pre = false;
    if (element->kind == LINK) p->mark = false;
    if (element->kind == TEMPLATE && p->templates) p->templates--;
    if (begins_line(element)) break_line(p);
}

/* ---- comments, and what is read as one ---- */

static void skip_comment(struct page *p) {
    const uint8_t *at = p->at + 2; /* its own dashes may be those that end it */
    while ((at = find_byte(at, p->end, '>')) < p->end) {
        bool plain = at[-1] == '-' && at[-2] == '-';
        bool odd = at - p->at >= 6 && at[-1] == '!' && at[-2] == '-' && at[-3] == '-';
        at++;
        if (plain || odd) break;
    }
    p->at = at;
}

static void skip_declaration(struct page *p) {
    p->at = find_byte(p->at, p->end, '>');
    if (p->at < p->end) p->at++;
}

/* What the '<' at p->at begins; false when it is a character like others. */
static bool read_markup(struct page *p) {
    size_t left = (size_t)(p->end - p->at);
    uint8_t first = left > 1 ? p->at[1] : 0, second = left > 2 ? p->at[2] : 0;
    if (is_letter(first))
        read_start_tag(p);
    else if (first == '/' && is_letter(second))
        read_end_tag(p);
    else if (left >= 4 && !memcmp(p->at, "<!--", 4))
        skip_comment(p);
    else if (first == '!' || first == '?' || (first == '/' && left > 2))
        skip_declaration(p);
    else
        return false;
    return true;
}

static bool page_text(const uint8_t *bytes, size_t size, bool xml, struct buf *out) {
    if (size == 0) return true;
    if (!buf_reserve(out, size + 1)) return false;
    struct page page = {
        .at = bytes, .end = bytes + size, .text = out->data, .out = out->data + out->len, .xml = xml};
    while (page.at < page.end) {
        if (*page.at == '<' && read_markup(&page)) continue;
        const uint8_t *next = find_byte(page.at + 1, page.end, '<');
        write_text(&page, page.at, next);
        page.at = next;
    }
    out->len = (size_t)(page.out - page.text);
    return true;
}

bool html_text(const uint8_t *bytes, size_t size, struct buf *out) {
    return page_text(bytes, size, format_says_xml(bytes, size), out);
}

bool xhtml_text(const uint8_t *bytes, size_t size, struct buf *out) {
    return page_text(bytes, size, true, out);
}

/* ---- the encoding it names ---- */

static void copy_charset(const uint8_t *at, const uint8_t *end, char charset[HTML_CHARSET_MOST]) {
    size_t length = 0;
    while (at < end && (is_space(*at) || *at == '"' || *at == '\'')) at++;
    for (; at < end && (is_letter(*at) || (uint8_t)(*at - '0') < 10 || *at == '-' || *at == '_'); at++) {
        if (length == HTML_CHARSET_MOST - 1) {
            length = 0; /* no encoding has such a name */
            break;
        }
        charset[length++] = (char)(is_letter(*at) ? *at | 32 : *at);
    }
    charset[length] = '\0';
}

void html_charset(const uint8_t *bytes, size_t size, char charset[HTML_CHARSET_MOST]) {
    static const char word[] = "charset=", xml_word[] = "encoding=";
    const uint8_t *end = bytes + (size < 1024 ? size : 1024);
    charset[0] = '\0';
    for (const uint8_t *at = bytes; at < end && !charset[0]; at++) {
        size_t left = (size_t)(end - at);
        if (left >= sizeof word && !strncasecmp((const char *)at, word, sizeof word - 1))
            copy_charset(at + sizeof word - 1, end, charset);
        else if (left >= sizeof xml_word && !strncasecmp((const char *)at, xml_word, sizeof xml_word - 1))
            copy_charset(at + sizeof xml_word - 1, end, charset);
    }
}

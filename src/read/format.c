#include "read/format.h"

#include <string.h>
#include <strings.h>

/* ---- by the name ---- */

static bool has_extension(const char *name, const char *const *extensions) {
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    if (!dot) return false;
    for (; *extensions; extensions++)
        if (!strcasecmp(dot + 1, *extensions)) return true;
    return false;
}

static enum text_format by_name(const char *name) {
    static const char *const html[] = {"html", "htm", "xhtml", NULL};
    static const char *const markdown[] = {"md", "markdown", "mdown", NULL};
    if (has_extension(name, html)) return TEXT_HTML;
    return has_extension(name, markdown) ? TEXT_MARKDOWN : TEXT_PLAIN;
}

/* ---- by the beginning ---- */

struct span {
    const char *at, *end;
};

static bool begins(struct span span, const char *word) {
    size_t size = strlen(word);
    return (size_t)(span.end - span.at) >= size && !strncasecmp(span.at, word, size);
}

/* Skip what begins with `open`, up to behind `close`. */
static bool skip(struct span *span, const char *open, const char *close) {
    if (!begins(*span, open)) return false;
    size_t inside = strlen(open);
    const char *end =
        memmem(span->at + inside, (size_t)(span->end - span->at) - inside, close, strlen(close));
    span->at = end ? end + strlen(close) : span->end;
    return true;
}

static bool skip_space(struct span *span) {
    const char *from = span->at;
    while (span->at < span->end && strchr(" \t\r\n\f", *span->at) && *span->at) span->at++;
    return span->at > from;
}

static bool begins_tag(struct span span, const char *tag) {
    if (!begins(span, tag)) return false;
    span.at += strlen(tag);
    return span.at < span.end && *span.at && strchr(" \t\r\n\f/>", *span.at);
}

static bool begins_html(const uint8_t *text, size_t size) {
    struct span span = {(const char *)text,
                        (const char *)text + (size < FORMAT_SAMPLE ? size : FORMAT_SAMPLE)};
    while (skip_space(&span) || skip(&span, "\xEF\xBB\xBF", "") || skip(&span, "<!--", "-->") ||
           skip(&span, "<?xml", "?>")) {
    }
    return begins_tag(span, "<!doctype html") || begins_tag(span, "<html") || begins_tag(span, "<head") ||
           begins_tag(span, "<body");
}

enum text_format format_guess(const char *name, const uint8_t *text, size_t size) {
    enum text_format named = name ? by_name(name) : TEXT_PLAIN;
    if (named == TEXT_PLAIN && begins_html(text, size)) return TEXT_HTML;
    return named;
}

#include "read/glob.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

/* ---- one byte ---- */

struct byte_class {
    const char *name, *ranges; /* pairs of first and last */
};

static const struct byte_class classes[] = {
    {"alnum", "azAZ09"},   {"alpha", "azAZ"},   {"blank", "  \t\t"}, {"cntrl", "\1\37\177\177"},
    {"digit", "09"},       {"graph", "!~"},     {"lower", "az"},     {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "  \t\r"}, {"upper", "AZ"},     {"xdigit", "09afAF"},
};

static bool in_class(const char *name, size_t size, uint8_t byte) {
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) != size || memcmp(classes[i].name, name, size)) continue;
        for (const char *range = classes[i].ranges; *range; range += 2)
            if (byte >= (uint8_t)range[0] && byte <= (uint8_t)range[1]) return true;
    }
    return false;
}

/* Where "[:name:]" at `at` ends, 0 when there is none. */
static size_t class_end(const char *text, size_t at, size_t size) {
    if (at + 1 >= size || text[at] != '[' || text[at + 1] != ':') return 0;
    for (size_t end = at + 2; end + 1 < size && text[end] >= 'a' && text[end] <= 'z'; end++)
        if (text[end + 1] == ':' && end + 2 < size && text[end + 2] == ']') return end + 3;
    return 0;
}

/* A byte of a bracket, behind its backslash if it has one; 0 at the end of the pattern. */
static uint8_t bracket_byte(const char *text, size_t *at, size_t size) {
    if (*at < size && text[*at] == '\\') ++*at;
    return *at < size ? (uint8_t)text[(*at)++] : 0;
}

/* One range, class or byte of a bracket. */
static bool bracket_item(const char *text, size_t *at, size_t size, uint8_t byte) {
    size_t class = class_end(text, *at, size);
    if (class) {
        bool found = in_class(text + *at + 2, class - *at - 4, byte);
        *at = class;
        return found;
    }
    uint8_t first = bracket_byte(text, at, size), last = first;
    if (*at + 1 < size && text[*at] == '-' && text[*at + 1] != ']') {
        ++*at;
        last = bracket_byte(text, at, size);
    }
    return byte >= first && byte <= last;
}

/* The offset behind the bracket that opens at `at`, 0 when it is never closed. */
static size_t bracket(const char *text, size_t at, size_t size, uint8_t byte, bool *matches) {
    bool negated = ++at < size && (text[at] == '!' || text[at] == '^'), inside = false;
    if (negated) at++;
    size_t first = at;
    while (at < size && (text[at] != ']' || at == first)) inside |= bracket_item(text, &at, size, byte);
    *matches = inside != negated;
    return at < size ? at + 1 : 0;
}

/* The offset behind the element of the pattern at `at` if it matches the byte, else 0. */
static size_t match_byte(const char *text, size_t at, size_t size, uint8_t byte) {
    bool matches = false;
    if (text[at] == '?') return at + 1;
    if (text[at] == '[') {
        size_t end = bracket(text, at, size, byte, &matches);
        return matches ? end : 0;
    }
    if (text[at] == '\\' && ++at == size) return 0;
    return (uint8_t)text[at] == byte ? at + 1 : 0;
}

/* ---- one name ---- */

static bool name_matches(const char *text, size_t size, const char *name, size_t name_size) {
    size_t at = 0, taken = 0, star = 0,
           resume = 0; /* star: the offset behind the last one, 0 before the first */
    while (taken < name_size) {
        if (at < size && text[at] == '*') {
            star = ++at;
            resume = taken;
            continue;
        }
        size_t next = at < size ? match_byte(text, at, size, (uint8_t)name[taken]) : 0;
        if (!next && !star) return false;
        taken = next ? taken + 1 : ++resume;
        at = next ? next : star;
    }
    while (at < size && text[at] == '*') at++;
    return at == size;
}

/* ---- a path ---- */

/* Where the part of a pattern that begins at `at` ends: at a slash that is neither
 * escaped nor in a bracket. */
static size_t part_end(const char *text, size_t at, size_t size) {
    while (at < size && text[at] != '/') {
        bool ignored;
        size_t next = text[at] == '['    ? bracket(text, at, size, 0, &ignored)
                      : text[at] == '\\' ? at + 2
                                         : at + 1;
        at = next && next < size ? next : size; /* a bracket that is never closed matches nothing anyway */
    }
    return at;
}

static size_t name_end(const char *path, size_t at, size_t size) {
    const char *slash = memchr(path + at, '/', size - at);
    return slash ? (size_t)(slash - path) : size;
}

/* Offsets are behind the end when nothing is left. */
static bool path_matches(const char *text, size_t size, const char *path, size_t path_size) {
    size_t at = 0, taken = 0, deep = 0,
           resume = 0; /* deep: behind the last star of folders, 0 before the first */
    while (taken <= path_size) {
        if (at <= size) {
            size_t end = part_end(text, at, size);
            if (end - at == 2 && !memcmp(text + at, "**", 2)) {
                if (end == size) return true; /* all that is inside, which is one name at least */
                at = deep = end + 1;
                resume = taken;
                continue;
            }
            size_t stop = name_end(path, taken, path_size);
            if (name_matches(text + at, end - at, path + taken, stop - taken)) {
                at = end + 1;
                taken = stop + 1;
                continue;
            }
        }
        if (!deep) return false;
        taken = resume = name_end(path, resume, path_size) + 1;
        at = deep;
    }
    return at > size;
}

/* ---- patterns ---- */

/* Spaces at the end do not count, unless escaped. */
static size_t trimmed(const char *text, size_t size) {
    if (size && text[size - 1] == '\r') size--;
    while (size && text[size - 1] == ' ') {
        size_t slashes = 0;
        while (slashes + 1 < size && text[size - 2 - slashes] == '\\') slashes++;
        if (slashes % 2) break;
        size--;
    }
    return size;
}

bool glob_parse(const char *text, size_t size, struct glob *glob) {
    struct glob parsed = {0};
    size = trimmed(text, size);
    if (size && text[0] == '#') return false;
    parsed.negated = size && text[0] == '!';
    if (parsed.negated) text++, size--;
    parsed.folder = size && text[size - 1] == '/';
    while (size && text[size - 1] == '/') size--;
    parsed.anchored = part_end(text, 0, size) < size;
    if (size && text[0] == '/') text++, size--;
    parsed.text = text;
    parsed.size = size;
    if (size) *glob = parsed;
    return size > 0;
}

bool glob_matches(const struct glob *glob, const char *path, size_t size, bool folder) {
    if (glob->folder && !folder) return false;
    if (glob->anchored) return path_matches(glob->text, glob->size, path, size);
    const char *slash = memrchr(path, '/', size), *name = slash ? slash + 1 : path;
    return name_matches(glob->text, glob->size, name, size - (size_t)(name - path));
}

bool glob_list_add(struct glob_list *globs, const char *text, size_t size) {
    struct glob glob;
    if (!glob_parse(text, size, &glob)) return true;
    if (!mem_grow((void **)&globs->list, &globs->capacity, globs->count + 1, sizeof *globs->list))
        return false;
    globs->list[globs->count++] = glob;
    return true;
}

bool glob_list_add_lines(struct glob_list *globs, const char *text, size_t size) {
    const char *end = text + size;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
        if (!glob_list_add(globs, text, (size_t)(stop - text))) return false;
        text = newline ? newline + 1 : end;
    }
    return true;
}

void glob_list_release(struct glob_list *globs) {
    mem_free(globs->list);
    *globs = (struct glob_list){0};
}

enum glob_verdict glob_list_judge(const struct glob_list *globs, const char *path, size_t size, bool folder) {
    for (size_t i = globs->count; i-- > 0;)
        if (glob_matches(&globs->list[i], path, size, folder))
            return globs->list[i].negated ? GLOB_NEGATED : GLOB_MATCHED;
    return GLOB_SILENT;
}

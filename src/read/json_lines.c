#include "read/json_lines.h"

#include "read/find_byte.h"

#include <string.h>

/* ---- strings ---- */

/* Behind a quote: the string up to the one that ends it. NULL when it does not end. */
static const uint8_t *scan_string(const uint8_t *at, const uint8_t *end, struct json_value *value) {
    *value = (struct json_value){at, end, JSON_STRING};
    for (;;) {
        at = find_either(at, end, '"', '\\');
        if (at == end) return NULL;
        if (*at == '"') break;
        value->type = JSON_ESCAPED;
        if (end - at < 2) return NULL;
        at += 2;
    }
    value->end = at;
    return at + 1;
}

static int hex_digit(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The four digits at `at`, -1 when there are not four. */
static long hex_number(const uint8_t *at, const uint8_t *end) {
    long number = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        number = number * 16 + digit;
    }
    return number;
}

enum { REPLACEMENT = 0xfffd };

/* The character of an escape whose 'u' is at *at, which is moved behind it. */
static uint32_t unicode_escape(const uint8_t **at, const uint8_t *end) {
    long first = hex_number(*at + 1, end);
    *at += first < 0 ? 1 : 5;
    if (first < 0 || (first >= 0xdc00 && first < 0xe000)) return REPLACEMENT;
    if (first < 0xd800 || first >= 0xe000) return (uint32_t)first;
    bool another = end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
    long second = another ? hex_number(*at + 2, end) : -1;
    if (second < 0xdc00 || second >= 0xe000) return REPLACEMENT;
    *at += 6;
    return 0x10000 + ((uint32_t)(first - 0xd800) << 10 | (uint32_t)(second - 0xdc00));
}

/* The character of the escape behind a backslash, at *at, which is moved behind it. */
static uint32_t escaped_character(const uint8_t **at, const uint8_t *end) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (**at == 'u') return unicode_escape(at, end);
    const char *name = memchr(names, **at, sizeof names - 1);
    if (!name) return REPLACEMENT; /* what follows the backslash stands for itself */
    ++*at;
    return (uint32_t)meant[name - names];
}

/* Returns the bytes written, at most four. */
static size_t put_utf8(uint32_t c, uint8_t *out) {
    if (c < 0x80) return out[0] = (uint8_t)c, 1;
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3f));
    out[0] = (uint8_t)(0xf00 >> size | c);
    return size;
}

/* No escape is longer than its character, but for a single backslash that becomes three bytes. */
bool json_unescape(const uint8_t *at, const uint8_t *end, struct buf *out) {
    while (at < end) {
        const uint8_t *stop = memchr(at, '\\', (size_t)(end - at));
        size_t run = (size_t)((stop ? stop : end) - at);
        if (!buf_reserve(out, run + 4)) return false;
        memcpy(out->data + out->len, at, run);
        out->len += run;
        at += run + 1;
        if (!stop || at >= end) break;
        out->len += put_utf8(escaped_character(&at, end), out->data + out->len);
    }
    return true;
}

/* ---- values ---- */

static const uint8_t *skip_space(const uint8_t *at, const uint8_t *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    return at;
}

/* A number, true, false or null. */
static const uint8_t *scan_scalar(const uint8_t *at, const uint8_t *end, struct json_value *value) {
    static const char *const words[] = {"true", "false", "null"};
    const uint8_t *begin = at;
    while (at < end && !strchr(",]} \t\r\n", *at)) at++;
    *value = (struct json_value){begin, at, JSON_SCALAR};
    if (at > begin && (*begin == '-' || (*begin >= '0' && *begin <= '9'))) return at;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((size_t)(at - begin) == strlen(words[i]) && !memcmp(begin, words[i], strlen(words[i]))) return at;
    return NULL;
}

/* An object or array, from its bracket to the one that ends it. */
static const uint8_t *scan_nested(const uint8_t *at, const uint8_t *end, struct json_value *value) {
    struct json_value inner;
    size_t depth = 0;
    *value = (struct json_value){at, at, JSON_NESTED};
    while (at && at < end) {
        uint8_t byte = *at++;
        if (byte == '"') at = scan_string(at, end, &inner);
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        if (depth == 0) {
            value->end = at;
            return at;
        }
    }
    return NULL;
}

static const uint8_t *scan_value(const uint8_t *at, const uint8_t *end, struct json_value *value) {
    if (at == end) return NULL;
    if (*at == '"') return scan_string(at + 1, end, value);
    if (*at == '{' || *at == '[') return scan_nested(at, end, value);
    return scan_scalar(at, end, value);
}

/* ---- objects ---- */

/* A field that is looked for in one object, and the object in which the rest of its path is. */
struct search {
    const char *path;
    size_t whole, first; /* sizes: of the path, and of it up to the first dot */
    struct json_value found, inside;
};

static struct search search_for(const char *path) {
    return (struct search){.path = path, .whole = strlen(path), .first = strcspn(path, ".")};
}

static void offer(struct search *search, const uint8_t *name, size_t size, struct json_value value) {
    if (size == search->whole && !memcmp(name, search->path, size)) search->found = value;
    if (size == search->first && size < search->whole && !memcmp(name, search->path, size))
        search->inside = value;
}

/* The name of a member, unescaped if need be. */
static bool member_name(struct json_value name, struct buf *scratch, const uint8_t **bytes, size_t *size) {
    *bytes = name.at;
    *size = (size_t)(name.end - name.at);
    if (name.type == JSON_STRING) return true;
    scratch->len = 0;
    if (!json_unescape(name.at, name.end, scratch)) return false;
    *bytes = scratch->data;
    *size = scratch->len;
    return true;
}

/* Goes through the members of the object at `at`. *stop: behind it, NULL when it is broken. False: no memory.
 */
static bool search_object(const uint8_t *at, const uint8_t *end, struct search *searches, size_t count,
                          struct buf *scratch, const uint8_t **stop) {
    *stop = NULL;
    at = skip_space(at + 1, end);
    if (at < end && *at == '}') return *stop = at + 1, true;
    for (;;) {
        struct json_value name, value;
        const uint8_t *bytes;
        size_t size;
        if (at == end || *at != '"' || !(at = scan_string(at + 1, end, &name))) return true;
        at = skip_space(at, end);
        if (at == end || *at != ':' || !(at = scan_value(skip_space(at + 1, end), end, &value))) return true;
        if (!member_name(name, scratch, &bytes, &size)) return false;
        for (size_t i = 0; i < count; i++) offer(&searches[i], bytes, size, value);
        at = skip_space(at, end);
        if (at < end && *at == '}') return *stop = at + 1, true;
        if (at == end || *at != ',') return true;
        at = skip_space(at + 1, end);
    }
}

/* Follows a path into the objects it leads through. */
static bool follow_path(struct search search, struct buf *scratch, struct json_value *value) {
    const uint8_t *stop;
    while (!search.found.at && search.inside.at && *search.inside.at == '{' &&
           search.inside.type == JSON_NESTED) {
        struct json_value object = search.inside;
        search = search_for(search.path + search.first + 1);
        if (!search_object(object.at, object.end, &search, 1, scratch, &stop)) return false;
    }
    *value = search.found;
    return true;
}

enum { FIELDS_MOST = 4 };

stemma_status json_line_read(const uint8_t *line, size_t size, struct json_field *fields, size_t count,
                             struct buf *scratch, const char **broken, stemma_error *err) {
    struct search searches[FIELDS_MOST];
    const uint8_t *end = line + size, *at = skip_space(line, end), *stop;
    if (count > FIELDS_MOST) return fail(err, STEMMA_INVALID, "too many fields");
    for (size_t i = 0; i < count; i++) searches[i] = search_for(fields[i].path);
    *broken = "is not a JSON object";
    if (at == end || *at != '{') return STEMMA_OK;
    if (!search_object(at, end, searches, count, scratch, &stop)) return fail_memory(err);
    *broken = "is broken JSON";
    if (!stop || skip_space(stop, end) != end) return STEMMA_OK;
    for (size_t i = 0; i < count; i++)
        if (!follow_path(searches[i], scratch, &fields[i].value)) return fail_memory(err);
    *broken = NULL;
    return STEMMA_OK;
}

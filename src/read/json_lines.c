#include "read/json_lines.h"

#include "read/find_byte.h"
#include "text/utf8.h"

#include <string.h>

/* ---- strings ---- */

/* Whether an odd number of backslashes stands before `at`, so that it is escaped. */
static bool is_escaped(const uint8_t *begin, const uint8_t *at) {
    const uint8_t *back = at;
    while (back > begin && back[-1] == '\\') back--;
    return (at - back) % 2;
}

/* Behind a quote: the string up to the one that ends it. NULL when it does not end. */
static const uint8_t *scan_string(const uint8_t *at, const uint8_t *end, struct json_value *value) {
    const uint8_t *quote = at - 1;
    do {
        quote = memchr(quote + 1, '"', (size_t)(end - quote - 1));
        if (!quote) return NULL;
    } while (is_escaped(at, quote));
    bool escapes = memchr(at, '\\', (size_t)(quote - at));
    *value = (struct json_value){at, quote, escapes ? JSON_ESCAPED : JSON_STRING};
    return quote + 1;
}

bool json_next_string(const uint8_t **at, const uint8_t *end, struct json_value *string) {
    const uint8_t *quote = memchr(*at, '"', (size_t)(end - *at));
    *at = quote ? scan_string(quote + 1, end, string) : NULL;
    return *at;
}

/* One more than the value of a digit, 0 for what is none. */
static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* The number of "\uXXXX" at `at`, -1 when something else is there. */
static int32_t escaped_number(const uint8_t *at, const uint8_t *end) {
    int32_t number = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return -1;
    for (int i = 2; i < 6; i++) {
        if (!hex_digits[at[i]]) return -1;
        number = number << 4 | (hex_digits[at[i]] - 1);
    }
    return number;
}

/* A character that UTF-16 writes as two; a half without its other half is none. */
static uint32_t join_surrogates(int32_t first, int32_t second) {
    bool pair = first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
    return pair ? 0x10000 + ((uint32_t)(first - 0xd800) << 10 | (uint32_t)(second - 0xdc00)) : 0xfffd;
}

static const char escapes[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                  ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

/* The character that the backslash at `at` begins goes to *out, which never becomes more than was read. A
 * backslash that begins none stays what it is. */
static const uint8_t *put_escaped(const uint8_t *at, const uint8_t *end, uint8_t **out) {
    if (end - at >= 2 && escapes[at[1]]) {
        *(*out)++ = (uint8_t)escapes[at[1]];
        return at + 2;
    }
    int32_t number = escaped_number(at, end);
    if (number < 0) return *(*out)++ = '\\', at + 1;
    bool half = number >= 0xd800 && number < 0xe000;
    uint32_t c = half ? join_surrogates(number, escaped_number(at + 6, end)) : (uint32_t)number;
    *out += utf8_encode(c, *out);
    return at + (c >= 0x10000 ? 12 : 6);
}

/* Eight bytes are copied before it is known how many of them are wanted. */
bool json_unescape(const uint8_t *at, const uint8_t *end, struct buf *buf) {
    if (!buf_reserve(buf, (size_t)(end - at) + 8)) return false;
    uint8_t *out = buf->data + buf->len;
    while (end - at >= 8) {
        uint64_t found = zero_bytes(load_u64(at) ^ BYTES_OF('\\'));
        size_t run = found ? (size_t)__builtin_ctzll(found) / 8 : 8;
        memcpy(out, at, 8);
        out += run;
        at += run;
        if (found) at = put_escaped(at, end, &out);
    }
    while (at < end)
        if (*at == '\\')
            at = put_escaped(at, end, &out);
        else
            *out++ = *at++;
    buf->len = (size_t)(out - buf->data);
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

/* Goes through the members of the object at `at`. *stop: behind it, NULL when it is broken.
 * False: no memory. */
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

enum { FIELDS_MOST = 32 };

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

#include "read/warc.h"

#include <string.h>

static bool first_line(struct text_span *text, const char *begins, struct text_span *line) {
    size_t size = strlen(begins);
    return span_line(text, line) && line->size >= size && !memcmp(line->at, begins, size);
}

static bool read_number(struct text_span value, uint64_t *out) {
    uint64_t number = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] < '0' || value.at[i] > '9' || number > UINT64_MAX / 10 - 1) return false;
        number = 10 * number + (uint64_t)(value.at[i] - '0');
    }
    *out = number;
    return value.size > 0;
}

static struct text_span without_brackets(struct text_span uri) {
    bool has = uri.size >= 2 && uri.at[0] == '<' && uri.at[uri.size - 1] == '>';
    return has ? (struct text_span){uri.at + 1, uri.size - 2} : uri;
}

bool warc_header(struct text_span header, struct warc_record *out) {
    struct text_span line;
    struct header_field field;
    char type[HEADER_WORD_MOST] = "", content[HEADER_WORD_MOST];
    bool sized = false;
    *out = (struct warc_record){0};
    if (!first_line(&header, "WARC/", &line)) return false;
    while (header_next(&header, &field) == HEADER_FIELD) {
        if (span_is(field.name, "warc-type")) header_word(field.value, type);
        if (span_is(field.name, "content-type")) out->type = field.value;
        if (span_is(field.name, "warc-target-uri")) out->uri = without_brackets(field.value);
        if (span_is(field.name, "content-length")) sized = read_number(field.value, &out->length);
    }
    header_word(out->type, content);
    bool response = !strcmp(type, "response");
    out->http = response && !strcmp(content, "application/http");
    out->document = out->uri.size && (out->http || !strcmp(type, "resource") || !strcmp(type, "conversion"));
    return sized;
}

/* ---- HTTP ---- */

static enum http_coding coding_called(const char *name) {
    static const char *const known[] = {"gzip", "x-gzip", "zstd", "bzip2", "xz"};
    if (!*name || !strcmp(name, "identity") || !strcmp(name, "none")) return HTTP_PLAIN;
    if (!strcmp(name, "deflate")) return HTTP_DEFLATED;
    if (!strcmp(name, "br")) return HTTP_BROTLI;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i])) return HTTP_COMPRESSED;
    return HTTP_UNKNOWN;
}

static void add_coding(struct http_response *out, struct text_span name) {
    char word[HEADER_WORD_MOST];
    while (name.size && (*name.at == ' ' || *name.at == '\t')) name.at++, name.size--;
    header_word(name, word);
    const bool chunked = !strcmp(word, "chunked");
    const enum http_coding coding = chunked ? HTTP_PLAIN : coding_called(word);
    out->chunked |= chunked;
    out->too_many_codings |= coding != HTTP_PLAIN && out->coding_count == HTTP_CODINGS_MOST;
    if (coding == HTTP_UNKNOWN)
        strcpy(out->unknown, word);
    else if (coding != HTTP_PLAIN && !out->too_many_codings)
        out->codings[out->coding_count++] = coding;
}

/* In the order in which they were applied; chunks always were made last. */
static void take_codings(struct http_response *out, struct text_span value) {
    while (value.size) {
        const uint8_t *comma = memchr(value.at, ',', value.size);
        const size_t size = comma ? (size_t)(comma - value.at) : value.size;
        add_coding(out, (struct text_span){value.at, size});
        value.at += size + (comma != NULL);
        value.size -= size + (comma != NULL);
    }
}

static unsigned status_of(struct text_span line) {
    const uint8_t *space = memchr(line.at, ' ', line.size);
    unsigned status = 0;
    if (!space) return 0;
    for (const uint8_t *at = space + 1; at < line.at + line.size && *at >= '0' && *at <= '9' && status < 1000;
         at++)
        status = 10 * status + (unsigned)(*at - '0');
    return status;
}

/* Those of the content came first, wherever the fields stand. */
bool http_response(struct text_span block, struct http_response *out) {
    struct text_span line, header;
    struct header_field field;
    *out = (struct http_response){0};
    if (!first_line(&block, "HTTP/", &line)) return false;
    out->status = status_of(line);
    header = block;
    while (header_next(&block, &field) == HEADER_FIELD) {
        if (span_is(field.name, "content-encoding")) take_codings(out, field.value);
        if (span_is(field.name, "content-type")) out->type = field.value;
    }
    while (header_next(&header, &field) == HEADER_FIELD)
        if (span_is(field.name, "transfer-encoding")) take_codings(out, field.value);
    out->body = block;
    return true;
}

/* The size of a chunk, whose line is taken from the front; false: there is none. */
static bool chunk_size(struct text_span *text, size_t *size) {
    struct text_span line;
    size_t digits = 0;
    *size = 0;
    if (!span_line(text, &line)) return false;
    for (; digits < line.size && digits < 15; digits++) {
        uint8_t byte = line.at[digits], low = byte | 0x20;
        if (byte >= '0' && byte <= '9')
            *size = 16 * *size + (size_t)(byte - '0');
        else if (low >= 'a' && low <= 'f')
            *size = 16 * *size + (size_t)(low - 'a' + 10);
        else
            break;
    }
    return digits > 0;
}

/* Some writers leave the header as it was and take the chunks out: then there is no size in front. */
size_t http_join_chunks(uint8_t *bytes, size_t size) {
    struct text_span text = {bytes, size}, line;
    size_t joined = 0, chunk;
    bool first = true;
    for (; chunk_size(&text, &chunk); first = false) {
        if (chunk > text.size) chunk = text.size;
        if (!chunk) return joined;
        memmove(bytes + joined, text.at, chunk);
        joined += chunk;
        text.at += chunk;
        text.size -= chunk;
        span_line(&text, &line);
    }
    return first ? size : joined;
}

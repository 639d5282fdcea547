#include "json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "digits.h"

static bool needs_escape(unsigned char byte) {
    return byte == '"' || byte == '\\' || byte < 0x20 || byte == 0x7F;
}

/* How much can be written as it is, in one piece: what a pipe takes whole or not at all, so that an
 * interruption is noticed while nobody reads. */
static size_t plain_run(const unsigned char *text, size_t size) {
    size_t run = 0, length;
    if (size > PIPE_BUF) size = PIPE_BUF;
    while (run < size && !needs_escape(text[run]) && (length = utf8_length(text + run, size - run)))
        run += length;
    return run;
}

static void write_escape(FILE *out, unsigned char byte) {
    if (byte == '"' || byte == '\\')
        fprintf(out, "\\%c", byte);
    else if (byte == '\n')
        fputs("\\n", out);
    else
        fprintf(out, "\\u%04x", byte);
}

/* Writes text as the inside of a JSON string; invalid UTF-8 becomes U+FFFD. Returns whether all was valid. */
static bool write_escaped(FILE *out, const char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    bool valid = true;
    while (at < end && !stop_requested && !output_lost()) {
        size_t run = plain_run(at, (size_t)(end - at));
        fwrite(at, 1, run, out);
        at += run;
        if (run || at == end) continue;
        if (needs_escape(*at)) {
            write_escape(out, *at);
        } else {
            fputs("\xEF\xBF\xBD", out);
            valid = false;
        }
        at++;
    }
    return valid;
}

/* What comes before a value: the comma, and inside an object the key. */
static void lead(json *j, const char *key) {
    if (j->comma) fputc(',', j->out);
    j->comma = true;
    if (!key) return;
    fputc('"', j->out);
    fputs(key, j->out);
    fputs("\":", j->out);
}

json json_begin(FILE *out) {
    fputc('{', out);
    return (json){out, false};
}

void json_end(json *j) {
    fputs("}\n", j->out);
}

void json_open(json *j, const char *key, char bracket) {
    lead(j, key);
    fputc(bracket, j->out);
    j->comma = false;
}

void json_close(json *j, char bracket) {
    fputc(bracket, j->out);
    j->comma = true;
}

void json_text(json *j, const char *key, const char *text, size_t size) {
    lead(j, key);
    fputc('"', j->out);
    write_escaped(j->out, text, size);
    fputc('"', j->out);
}

void json_word(json *j, const char *key, const char *word) {
    json_text(j, key, word, strlen(word));
}

void json_count(json *j, const char *key, uint64_t value) {
    char digits[DIGITS_ROOM];
    lead(j, key);
    fwrite(digits, 1, count_digits(value, digits), j->out);
}

void json_number(json *j, const char *key, double value) {
    char digits[DIGITS_ROOM];
    lead(j, key);
    fwrite(digits, 1, number_digits(value, digits), j->out);
}

void json_bool(json *j, const char *key, bool value) {
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key) {
    lead(j, key);
    fputs("null", j->out);
}

void write_base64(FILE *out, const uint8_t *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                         (left > 2 ? data[i + 2] : 0);
        fputc(digits[three >> 18], out);
        fputc(digits[three >> 12 & 63], out);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[three & 63] : '=', out);
    }
}

void json_base64(json *j, const char *key, const uint8_t *data, size_t size) {
    lead(j, key);
    fputc('"', j->out);
    write_base64(j->out, data, size);
    fputc('"', j->out);
}

void json_hex(json *j, const char *key, const uint8_t *data, size_t size) {
    lead(j, key);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i++) fprintf(j->out, "%02x", data[i]);
    fputc('"', j->out);
}

void json_name(json *j, const char *key, const char *name) {
    char bytes_key[64];
    lead(j, key);
    fputc('"', j->out);
    bool valid = write_escaped(j->out, name, strlen(name));
    fputc('"', j->out);
    if (valid) return;
    snprintf(bytes_key, sizeof bytes_key, "%s_bytes", key);
    json_base64(j, bytes_key, (const uint8_t *)name, strlen(name));
}

void json_open_quantity(json *j, const char *key, const stemma_quantity *quantity) {
    json_open(j, key, '{');
    if (quantity->known) {
        json_number(j, "value", quantity->value);
        json_number(j, "low", quantity->low);
        json_number(j, "high", quantity->high);
        json_bool(j, "exact", quantity->exact);
    } else {
        json_null(j, "value");
        json_null(j, "low");
        json_null(j, "high");
        json_bool(j, "exact", false);
        json_word(j, "why", quantity->why ? quantity->why : "not known");
    }
}

void json_quantity(json *j, const char *key, const stemma_quantity *quantity) {
    json_open_quantity(j, key, quantity);
    json_close(j, '}');
}

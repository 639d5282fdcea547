/*
 * json.h - writing one JSON object a line.
 *
 * Commas are kept by the writer: open, name, value, close. Output is always valid UTF-8.
 */
#ifndef STEMMA_CLI_JSON_H
#define STEMMA_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stemma.h>

typedef struct json {
    FILE *out;
    bool comma; /* something precedes on this level */
} json;

json json_begin(FILE *out); /* opens the line's object */
void json_end(json *j);     /* closes it, ends the line */

void json_open(json *j, const char *key, char bracket); /* key may be NULL inside a list; '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */

void json_text(json *j, const char *key, const char *text, size_t size);
void json_word(json *j, const char *key, const char *word); /* NUL-terminated text */
void json_count(json *j, const char *key, uint64_t value);
void json_number(json *j, const char *key, double value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_base64(json *j, const char *key, const uint8_t *data, size_t size);
void json_hex(json *j, const char *key, const uint8_t *data, size_t size);

/* Data as letters, without anything around them. */
void write_base64(FILE *out, const uint8_t *data, size_t size);

/* A document's name: `key`, and where it is not UTF-8 also `key`_bytes in base64. */
void json_name(json *j, const char *key, const char *name);

/* {"value", "low", "high", "exact"}; not known: value null, and "why". */
void json_quantity(json *j, const char *key, const stemma_quantity *quantity);
/* The same, to be closed behind what else belongs to it. */
void json_open_quantity(json *j, const char *key, const stemma_quantity *quantity);

/* "differences" and "shared": the lists of an alignment, with their places in both documents. */
/* What they are bytes of: one document, or both of a pair. */
enum places { PLACES_ORIGINAL, PLACES_EXTRACTED, PLACES_CANONICAL };
const char *json_word_of_places(enum places places);
void json_offsets(json *j, enum places places);
void json_offsets_of_pair(json *j, enum places a, enum places b);
void json_differences(json *j, const stemma_difference *differences, size_t count);
void json_shared(json *j, const stemma_alignment *alignment);
/* One place of a document; and where something lies about, or with `bytes` within. */
void json_place(json *j, const char *key, const stemma_place *place);
void json_stretch(json *j, const char *key, const stemma_stretch *stretch, bool bytes);

/* A whole line: a document's facts, the recipe, and every part of the sketch. */
void json_sketch(FILE *out, const stemma_sketch *sketch);

#endif

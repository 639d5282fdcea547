/* A sketch as a line of JSON: all that docs/format.md needs to use its parts elsewhere. */
#include "json.h"

#include <string.h>

static bool is(const stemma_sketch_part *part, const char *scheme) {
    return !strcmp(part->scheme, scheme);
}

/* As strings: 64 bits are more than the numbers of many readers hold. */
static void print_values(json *line, const char *key, const uint64_t *values, size_t count) {
    char number[32];
    json_open(line, key, '[');
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)values[i]);
        json_word(line, NULL, number);
    }
    json_close(line, ']');
}

/* Small numbers, and places in a file, as numbers. */
static void print_symbols(json *line, const stemma_sketch_part *part) {
    json_count(line, "c", part->c);
    if (is(part, "signature2011")) json_count(line, "k", part->k);
    json_count(line, "alphabet", part->alphabet);
    json_count(line, "length", part->length);
    json_number(line, "agree", part->agree);
    json_count(line, "symbol_count", part->symbol_count);
    json_open(line, "symbols", '[');
    for (size_t i = 0; i < part->symbol_count; i++) json_count(line, NULL, part->symbols[i]);
    json_close(line, ']');
    if (!part->positions) return;
    json_open(line, "positions", '[');
    for (size_t i = 0; i < part->symbol_count; i++) json_count(line, NULL, part->positions[i]);
    json_close(line, ']');
}

/* What the recipe asked for, and what came of it. */
static void print_properties(json *line, const stemma_sketch_part *part) {
    bool minima = is(part, "oph") || is(part, "minhash");
    if (part->n) json_count(line, "n", part->n);
    if (part->mod) json_count(line, "mod", part->mod);
    if (minima) json_count(line, "bits_per_value", part->width);
    if (is(part, "level")) json_count(line, "level", part->level);
    if (is(part, "min") || is(part, "minmod")) json_bool(line, "complete", part->complete);
    if (is(part, "oph")) json_count(line, "filled", part->filled);
    if (minima) json_count(line, "distinct", part->distinct);
}

static void print_part(json *line, const stemma_sketch_part *part) {
    bool packed = part->width > 0 && (part->width < 64 || is(part, "simhash"));
    json_open(line, NULL, '{');
    json_word(line, "scheme", part->scheme);
    print_properties(line, part);
    if (part->c) {
        print_symbols(line, part);
    } else if (packed) {
        json_count(line, "bit_count", part->bit_count);
        json_base64(line, "bits", part->bits, (part->bit_count + 7) / 8);
    } else {
        print_values(line, "values", part->values, part->value_count);
    }
    if (part->smallest_count) print_values(line, "smallest", part->smallest, part->smallest_count);
    json_close(line, '}');
}

void json_sketch(FILE *out, const stemma_sketch *sketch) {
    stemma_document_info info = stemma_sketch_info(sketch);
    stemma_sketch_part part;
    stemma_error error;
    json line = json_begin(out);
    json_name(&line, "id", info.name);
    json_count(&line, "bytes", info.bytes);
    json_count(&line, "tokens", info.tokens);
    json_count(&line, "shingles", info.shingles);
    json_hex(&line, "digest", info.digest, sizeof info.digest);
    json_hex(&line, "text_digest", info.text_digest, sizeof info.text_digest);
    json_word(&line, "recipe", stemma_recipe_text(stemma_sketch_recipe(sketch)));
    json_open(&line, "parts", '[');
    for (size_t i = 0; stemma_sketch_get_part(sketch, i, &part, &error) == STEMMA_OK; i++)
        print_part(&line, &part);
    json_close(&line, ']');
    json_end(&line);
}

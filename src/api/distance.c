/* The edit distance and the edit script of two texts, in bytes or characters. */
#include "align/distance/alphabet.h"
#include "align/distance/script.h"
#include "api/limits.h"
#include "base/alloc.h"
#include "text/utf8.h"

struct stemma_script {
    struct script script;
};

/* A question as it was put. */
struct question {
    const uint8_t *a, *b;
    size_t a_size, b_size;
    stemma_edit_unit unit;
    struct distance_limits limits;
};

static stemma_status check_question(const void *a, size_t a_size, const void *b, size_t b_size,
                                    stemma_edit_unit unit, uint64_t at_most, const stemma_limits *given,
                                    struct question *out, stemma_error *err) {
    stemma_limits limits;
    if ((!a && a_size) || (!b && b_size)) return fail(err, STEMMA_INVALID, "two texts are needed");
    if (unit != STEMMA_EDIT_BYTES && unit != STEMMA_EDIT_CHARACTERS)
        return fail(err, STEMMA_INVALID, "the unit of edits is neither bytes nor characters");
    TRY(limits_check(given, &limits, err));
    static const uint8_t nothing[1];
    *out = (struct question){.a = a ? a : nothing,
                             .b = b ? b : nothing,
                             .a_size = a_size,
                             .b_size = b_size,
                             .unit = unit,
                             .limits = {at_most, UINT64_MAX, limits.memory, limits.stop}};
    return STEMMA_OK;
}

/* ---- characters ---- */

/* A byte that is part of no character stands for itself, behind all of them. */
static size_t next_character(const uint8_t *at, size_t size, uint32_t *out) {
    size_t bytes = utf8_decode(at, size, out);
    if (bytes && *out != UTF8_INVALID) return bytes;
    *out = 0x110000u + *at;
    return 1;
}

static bool is_ascii(const uint8_t *text, size_t size) {
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++) any |= text[i];
    return any < 0x80;
}

static size_t decode(const uint8_t *text, size_t size, uint32_t *out) {
    size_t count = 0;
    for (size_t at = 0; at < size;) at += next_character(text + at, size - at, &out[count++]);
    return count;
}

struct characters {
    uint32_t *a, *b;
};

static void characters_release(struct characters *characters) {
    mem_free(characters->a);
    mem_free(characters->b);
}

static stemma_status decode_both(const struct question *q, struct characters *out, struct distance_pair *pair,
                                 stemma_error *err) {
    if (q->a_size > q->limits.memory / 8 || q->b_size > q->limits.memory / 8)
        return fail(err, STEMMA_UNSUPPORTED,
                    "the characters of texts that long need more memory than is allowed");
    *out = (struct characters){mem_alloc(q->a_size * sizeof *out->a), mem_alloc(q->b_size * sizeof *out->b)};
    if (!out->a || !out->b) {
        characters_release(out);
        return fail_memory(err);
    }
    size_t n = decode(q->a, q->a_size, out->a), m = decode(q->b, q->b_size, out->b);
    int log_width = alphabet_squeeze(out->a, n, out->b, m) ? 0 : 2;
    *pair = (struct distance_pair){(const uint8_t *)out->a, (const uint8_t *)out->b, n, m, log_width};
    return STEMMA_OK;
}

/* Symbols as they are compared; characters that are bytes are left where they are. */
static stemma_status symbols_of(const struct question *q, struct characters *out, struct distance_pair *pair,
                                stemma_error *err) {
    bool bytes = q->unit == STEMMA_EDIT_BYTES || (is_ascii(q->a, q->a_size) && is_ascii(q->b, q->b_size));
    *out = (struct characters){0};
    *pair = (struct distance_pair){q->a, q->b, q->a_size, q->b_size, 0};
    return bytes ? STEMMA_OK : decode_both(q, out, pair, err);
}

/* ---- the distance ---- */

stemma_status stemma_distance(const void *a, size_t a_size, const void *b, size_t b_size,
                              stemma_edit_unit unit, uint64_t at_most, const stemma_limits *limits,
                              uint64_t *out, stemma_error *err) {
    struct question q;
    struct characters characters;
    struct distance_pair pair;
    struct distance_result found;
    if (!out) return fail(err, STEMMA_INVALID, "a place for the distance is needed");
    TRY(check_question(a, a_size, b, b_size, unit, at_most, limits, &q, err));
    TRY(symbols_of(&q, &characters, &pair, err));
    stemma_status status = distance_by(&pair, DISTANCE_ANY, kernels_get(), &q.limits, &found, err);
    characters_release(&characters);
    if (status == STEMMA_OK) *out = found.exceeded ? at_most + 1 : found.distance;
    return status;
}

/* ---- the script ---- */

/* The place behind `count` characters. */
static uint64_t skip(const uint8_t *text, size_t size, uint64_t at, uint64_t count) {
    uint32_t character;
    for (; count > 0; count--) at += next_character(text + at, size - (size_t)at, &character);
    return at;
}

/* Steps in characters become steps in bytes. */
static void place_steps(const struct question *q, struct script *script) {
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < script->count; i++) {
        stemma_step *step = &script->steps[i];
        uint64_t a_end = skip(q->a, q->a_size, a, step->a_end - step->a_begin);
        uint64_t b_end = skip(q->b, q->b_size, b, step->b_end - step->b_begin);
        *step = (stemma_step){step->kind, a, a_end, b, b_end};
        a = a_end;
        b = b_end;
    }
}

static stemma_status find_script(const struct question *q, struct script *out, stemma_error *err) {
    struct characters characters;
    struct distance_pair pair;
    TRY(symbols_of(q, &characters, &pair, err));
    stemma_status status = script_by(&pair, DISTANCE_ANY, kernels_get(), &q->limits, out, err);
    if (status == STEMMA_OK && characters.a) place_steps(q, out);
    characters_release(&characters);
    return status;
}

stemma_status stemma_script_new(const void *a, size_t a_size, const void *b, size_t b_size,
                                stemma_edit_unit unit, uint64_t at_most, const stemma_limits *limits,
                                stemma_script **out, stemma_error *err) {
    struct question q;
    if (!out) return fail(err, STEMMA_INVALID, "a place for the script is needed");
    TRY(check_question(a, a_size, b, b_size, unit, at_most, limits, &q, err));
    stemma_script *script = mem_zero(1, sizeof *script);
    if (!script) return fail_memory(err);
    stemma_status status = find_script(&q, &script->script, err);
    if (status == STEMMA_OK && script->script.found.exceeded)
        status = fail(err, STEMMA_NOT_FOUND, "the texts are more than %llu edits apart",
                      (unsigned long long)at_most);
    if (status != STEMMA_OK) {
        stemma_script_free(script);
        return status;
    }
    *out = script;
    return STEMMA_OK;
}

uint64_t stemma_script_distance(const stemma_script *script) {
    return script->script.found.distance;
}

const stemma_step *stemma_script_steps(const stemma_script *script, size_t *count) {
    *count = script->script.count;
    return script->script.steps;
}

void stemma_script_free(stemma_script *script) {
    if (!script) return;
    script_release(&script->script);
    mem_free(script);
}

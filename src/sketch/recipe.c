/* The text form of a recipe: a strict parser, and the canonical text that stands for it ever after.
 *
 * Words stand between white space, segments between semicolons. The first segment is the view (fields
 * name=value, any order), the others are a scheme and its fields. What is left out has its default; what is
 * written out is complete, so that a stored recipe never depends on the defaults of the day. */
#include "sketch/recipe.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "sketch/signature.h"

#include <inttypes.h>
#include <sodium/utils.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- defaults and limits: the only place they are written ---- */

static const char default_specs[] = "oph n=2048 bits=1; mod n=32";
enum { DEFAULT_WINDOW = 5, DEFAULT_BYTE_WINDOW = 20, DEFAULT_WIDTH = 64, WIDTH_LEAST = 32, WIDTH_MOST = 64 };

/* Which fields a scheme takes, with their usual and largest values;
 * a field whose most is 0 it does not take. */
enum spec_field { SPEC_N, SPEC_MOD, SPEC_BITS, SPEC_C, SPEC_K, SPEC_ALPHABET, SPEC_POSITIONS, SPEC_FIELDS };
static const char *const spec_fields[] = {"n", "mod", "bits", "c", "k", "alphabet", "positions"};
struct field_rule {
    uint32_t usual, most;
};
static const struct field_rule rules[][SPEC_FIELDS] = {
    [SCHEME_MOD] = {[SPEC_N] = {32, UINT32_MAX}},
    [SCHEME_MIN] = {[SPEC_N] = {128, SPEC_N_MOST}},
    [SCHEME_MINMOD] = {[SPEC_N] = {128, SPEC_N_MOST}, [SPEC_MOD] = {8, UINT32_MAX}},
    [SCHEME_LEVEL] = {{0, 0}},
    [SCHEME_MINHASH] = {[SPEC_N] = {256, SPEC_N_MOST}, [SPEC_BITS] = {64, 128}},
    [SCHEME_OPH] = {[SPEC_N] = {2048, SPEC_N_MOST}, [SPEC_BITS] = {1, 128}},
    [SCHEME_BSW] = {[SPEC_N] = {100, SPEC_N_MOST}},
    [SCHEME_BSW_CHUNK] = {[SPEC_N] = {100, SPEC_N_MOST}},
    [SCHEME_SIMHASH] = {[SPEC_BITS] = {64, 128}},
    [SCHEME_SIGNATURE] = {[SPEC_N] = {8, SIGNATURE_WINDOW_MOST},
                          [SPEC_C] = {64, SIGNATURE_RATE_MOST},
                          [SPEC_ALPHABET] = {65536, SIGNATURE_ALPHABET_MOST},
                          [SPEC_POSITIONS] = {0, 1}},
    [SCHEME_SIGNATURE2011] = {[SPEC_N] = {4, SIGNATURE_WINDOW_MOST},
                              [SPEC_C] = {50, SIGNATURE_RATE_MOST},
                              [SPEC_K] = {0, SIGNATURE_RATE_MOST - 1}},
};
enum { SCHEME_COUNT = sizeof rules / sizeof *rules };

static const char *const scheme_names[] = {
#define SCHEME_NAME(id, name) [id] = name,
    SCHEME_LIST(SCHEME_NAME)
#undef SCHEME_NAME
};
static const char *const unit_names[] = {
    [UNIT_BYTE] = "byte", [UNIT_CHAR] = "char", [UNIT_WORD] = "word", [UNIT_LINE] = "line"};
static const char *const hash_names[] = {
    [HASH_RABIN] = "rabin", [HASH_MIX] = "mix", [HASH_PADDED] = "padded"};
static const char *const no_yes[] = {"no", "yes"};
static const char *const fold_names[] = {"nfc", "case", "space", "punct"}; /* in the order of their bits */
static const char *const preset_names[] = {"raw", "code", "text"};
static const unsigned preset_folds[] = {FOLD_RAW, FOLD_CODE, FOLD_TEXT};
#define COUNT(names) (sizeof(names) / sizeof *(names))

const char *scheme_name(enum scheme scheme) {
    return scheme_names[scheme];
}

bool spec_equal(const struct spec *a, const struct spec *b) {
    return a->scheme == b->scheme && a->n == b->n && a->mod == b->mod && a->bits == b->bits && a->c == b->c &&
           a->k == b->k && a->alphabet == b->alphabet && a->positions == b->positions;
}

bool spec_is_signature(const struct spec *spec) {
    return spec->scheme == SCHEME_SIGNATURE || spec->scheme == SCHEME_SIGNATURE2011;
}

const char *unit_name(enum unit unit) {
    return unit_names[unit];
}

const char *hash_name(enum hash_kind hash) {
    return hash_names[hash];
}

struct fold_text fold_text(unsigned folds) {
    struct fold_text out;
    for (size_t i = 0; i < COUNT(preset_folds); i++) {
        if (folds != preset_folds[i]) continue;
        snprintf(out.text, sizeof out.text, "preset=%s", preset_names[i]);
        return out;
    }
    int used = snprintf(out.text, sizeof out.text, "fold");
    char separator = '=';
    for (size_t i = 0; i < COUNT(fold_names); i++) {
        if (!(folds >> i & 1)) continue;
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, "%c%s", separator, fold_names[i]);
        separator = '+';
    }
    return out;
}

/* ---- words ---- */

struct word {
    const char *at;
    size_t size;
};

struct cursor {
    const char *at, *end;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct cursor *cursor) {
    while (cursor->at < cursor->end && is_space(*cursor->at)) cursor->at++;
}

static struct word peek_word(struct cursor *cursor) {
    skip_space(cursor);
    struct word word = {cursor->at, 0};
    while (word.at + word.size < cursor->end && !is_space(word.at[word.size]) && word.at[word.size] != ';')
        word.size++;
    return word;
}

/* The next word of this segment; false at its end. */
static bool next_word(struct cursor *cursor, struct word *word) {
    *word = peek_word(cursor);
    cursor->at += word->size;
    return word->size > 0;
}

/* Over the semicolon to the next segment; false at the end of the text. */
static bool next_segment(struct cursor *cursor) {
    skip_space(cursor);
    if (cursor->at == cursor->end) return false;
    cursor->at++;
    return true;
}

static bool word_is(struct word word, const char *text) {
    return word.size == strlen(text) && !memcmp(word.at, text, word.size);
}

static bool split(struct word word, char at, struct word *before, struct word *after) {
    const char *found = word.size ? memchr(word.at, at, word.size) : NULL;
    if (!found) return false;
    *before = (struct word){word.at, (size_t)(found - word.at)};
    *after = (struct word){found + 1, word.size - before->size - 1};
    return true;
}

static int find_name(struct word word, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (word_is(word, names[i])) return (int)i;
    return -1;
}

/* A word as it may be shown in a message: short, printable. */
struct shown {
    char text[44];
};
static struct shown show(struct word word) {
    struct shown out;
    size_t i = 0;
    for (; i < word.size && i < sizeof out.text - 4; i++)
        out.text[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
    strcpy(out.text + i, i < word.size ? "..." : "");
    return out;
}

/* ---- values ---- */

static bool parse_digits(struct word word, uint64_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] < '0' || word.at[i] > '9') return false;
        uint64_t digit = (uint64_t)(word.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return word.size > 0;
}

static stemma_status parse_number(const char *field, struct word value, uint64_t least, uint64_t most,
                                  uint64_t *out, stemma_error *err) {
    uint64_t number;
    if (!parse_digits(value, &number) || number < least || number > most)
        return fail(err, STEMMA_INVALID, "recipe: %s=%s is not a number from %" PRIu64 " to %" PRIu64, field,
                    show(value).text, least, most);
    *out = number;
    return STEMMA_OK;
}

static stemma_status parse_key_id(struct word value, uint64_t *out, stemma_error *err) {
    uint64_t id = 0;
    bool good = value.size == 16;
    for (size_t i = 0; good && i < value.size; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, value.at[i]);
        good = digit && *digit;
        if (good) id = id << 4 | (uint64_t)(digit - digits);
    }
    if (!good)
        return fail(err, STEMMA_INVALID, "recipe: keyid=%s is not 16 lower-case hexadecimal digits",
                    show(value).text);
    *out = id;
    return STEMMA_OK;
}

static stemma_status parse_name(const char *field, struct word value, const char *const *names, size_t count,
                                int *out, stemma_error *err) {
    int found = find_name(value, names, count);
    if (found < 0) return fail(err, STEMMA_INVALID, "recipe: unknown %s '%s'", field, show(value).text);
    *out = found;
    return STEMMA_OK;
}

static stemma_status parse_folds(struct word value, unsigned *out, stemma_error *err) {
    unsigned folds = 0;
    bool more = !word_is(value, "none");
    while (more) {
        struct word one = value, rest;
        more = split(value, '+', &one, &rest);
        if (more) value = rest;
        int bit = 0;
        TRY(parse_name("fold", one, fold_names, COUNT(fold_names), &bit, err));
        if (folds >> bit & 1)
            return fail(err, STEMMA_INVALID, "recipe: fold '%s' is given twice", fold_names[bit]);
        folds |= 1u << bit;
    }
    *out = folds;
    return STEMMA_OK;
}

/* ---- the view ---- */

enum view_field { PRESET, FOLD, UNIT, WINDOW, LABELLED, HASH, WIDTH, SEED, KEYID };
static const char *const view_fields[] = {"preset", "fold",  "unit", "window", "labelled",
                                          "hash",   "width", "seed", "keyid"};

static stemma_status set_view_field(struct view *view, enum view_field field, struct word value,
                                    stemma_error *err) {
    const char *name = view_fields[field];
    uint64_t number = 0;
    int choice = 0;
    switch (field) {
    case PRESET:
        TRY(parse_name(name, value, preset_names, COUNT(preset_names), &choice, err));
        view->folds = preset_folds[choice];
        return STEMMA_OK;
    case FOLD:
        return parse_folds(value, &view->folds, err);
    case UNIT:
        TRY(parse_name(name, value, unit_names, COUNT(unit_names), &choice, err));
        view->unit = (enum unit)choice;
        return STEMMA_OK;
    case WINDOW:
        TRY(parse_number(name, value, 1, WINDOW_MOST, &number, err));
        view->window = (uint32_t)number;
        return STEMMA_OK;
    case LABELLED:
        TRY(parse_name(name, value, no_yes, COUNT(no_yes), &choice, err));
        view->labelled = choice;
        return STEMMA_OK;
    case HASH:
        TRY(parse_name(name, value, hash_names, COUNT(hash_names), &choice, err));
        view->hash = (enum hash_kind)choice;
        return STEMMA_OK;
    case WIDTH:
        TRY(parse_number(name, value, WIDTH_LEAST, WIDTH_MOST, &number, err));
        view->width = (int)number;
        return STEMMA_OK;
    case SEED:
        return parse_number(name, value, 0, UINT64_MAX, &view->seed, err);
    case KEYID:
        view->keyed = true;
        return parse_key_id(value, &view->key_id, err);
    }
    return STEMMA_OK;
}

/* Split name=value and find the name; refuses one that was `seen` before. */
static stemma_status parse_field(struct word word, const char *const *names, size_t count, const char *where,
                                 unsigned *seen, int *field, struct word *value, stemma_error *err) {
    struct word name;
    if (!split(word, '=', &name, value))
        return fail(err, STEMMA_INVALID, "recipe: '%s' is not of the form field=value", show(word).text);
    *field = find_name(name, names, count);
    if (*field < 0) return fail(err, STEMMA_INVALID, "recipe: %s has no field '%s'", where, show(name).text);
    if (*seen >> *field & 1) return fail(err, STEMMA_INVALID, "recipe: %s is given twice", names[*field]);
    *seen |= 1u << *field;
    return STEMMA_OK;
}

static stemma_status check_view(struct view *view, unsigned seen, stemma_error *err) {
    if ((seen >> PRESET & 1) && (seen >> FOLD & 1))
        return fail(err, STEMMA_INVALID, "recipe: preset and fold exclude each other");
    bool byte = view->unit == UNIT_BYTE;
    if (!(seen >> WINDOW & 1)) view->window = byte ? DEFAULT_BYTE_WINDOW : DEFAULT_WINDOW;
    if (!(seen >> HASH & 1)) view->hash = byte ? HASH_RABIN : HASH_MIX;
    if (view->hash == HASH_PADDED && view->unit != UNIT_WORD)
        return fail(err, STEMMA_INVALID, "recipe: hash=padded is for unit=word, not unit=%s",
                    unit_name(view->unit));
    return STEMMA_OK;
}

static stemma_status parse_view(struct cursor *cursor, struct view *view, stemma_error *err) {
    unsigned seen = 0;
    struct word word, value;
    *view = (struct view){.folds = FOLD_TEXT, .unit = UNIT_WORD, .width = DEFAULT_WIDTH};
    while (next_word(cursor, &word)) {
        int field = 0;
        TRY(parse_field(word, view_fields, COUNT(view_fields), "a view", &seen, &field, &value, err));
        TRY(set_view_field(view, (enum view_field)field, value, err));
    }
    return check_view(view, seen, err);
}

/* ---- specs ---- */

/* Where a spec has the field. */
static uint32_t *field_of(struct spec *spec, enum spec_field field) {
    uint32_t *const fields[] = {&spec->n, &spec->mod,      &spec->bits,     &spec->c,
                                &spec->k, &spec->alphabet, &spec->positions};
    return fields[field];
}

static uint32_t least_of(enum spec_field field) {
    return field == SPEC_K ? 0 : field == SPEC_ALPHABET ? 2 : 1;
}

static bool bits_fit(enum scheme scheme, uint64_t bits) {
    if (scheme == SCHEME_SIMHASH) return bits == 64 || bits == 128;
    return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 64;
}

static stemma_status set_spec_field(struct spec *spec, enum spec_field field, struct word value,
                                    stemma_error *err) {
    const struct field_rule *rule = &rules[spec->scheme][field];
    const char *scheme = scheme_name(spec->scheme);
    uint64_t number;
    int choice = 0;
    if (rule->most == 0)
        return fail(err, STEMMA_INVALID, "recipe: %s takes no %s", scheme, spec_fields[field]);
    char name[32];
    snprintf(name, sizeof name, "%s %s", scheme, spec_fields[field]);
    if (field == SPEC_POSITIONS) {
        TRY(parse_name(name, value, no_yes, COUNT(no_yes), &choice, err));
        number = (uint64_t)choice;
    } else {
        TRY(parse_number(name, value, least_of(field), rule->most, &number, err));
    }
    if (field == SPEC_BITS && !bits_fit(spec->scheme, number))
        return fail(err, STEMMA_INVALID, "recipe: %s bits=%s is not one of %s", scheme, show(value).text,
                    spec->scheme == SCHEME_SIMHASH ? "64, 128" : "1, 2, 4, 8, 16, 64");
    *field_of(spec, field) = (uint32_t)number;
    return STEMMA_OK;
}

static stemma_status parse_spec(struct cursor *cursor, struct spec *out, stemma_error *err) {
    struct word word, value;
    unsigned seen = 0;
    int scheme = 0, field = 0;
    if (!next_word(cursor, &word)) return fail(err, STEMMA_INVALID, "recipe: a sketch spec is empty");
    TRY(parse_name("scheme", word, scheme_names, SCHEME_COUNT, &scheme, err));
    *out = (struct spec){.scheme = (enum scheme)scheme};
    for (int i = 0; i < SPEC_FIELDS; i++) *field_of(out, (enum spec_field)i) = rules[scheme][i].usual;
    while (next_word(cursor, &word)) {
        TRY(parse_field(word, spec_fields, COUNT(spec_fields), scheme_names[scheme], &seen, &field, &value,
                        err));
        TRY(set_spec_field(out, (enum spec_field)field, value, err));
    }
    return STEMMA_OK;
}

/* What a recipe says, before there is one. */
struct draft {
    struct view view;
    struct spec specs[SPECS_MOST];
    size_t spec_count;
};

static stemma_status check_spec(const struct draft *draft, const struct spec *spec, stemma_error *err) {
    bool chunks = spec->scheme == SCHEME_BSW || spec->scheme == SCHEME_BSW_CHUNK;
    if (chunks && draft->view.labelled) /* labels are given to the sorted set: the order is lost */
        return fail(err, STEMMA_INVALID, "recipe: %s cannot be made of labelled shingles",
                    scheme_name(spec->scheme));
    if (spec->scheme == SCHEME_SIGNATURE2011 && spec->k >= spec->c)
        return fail(err, STEMMA_INVALID, "recipe: signature2011 k=%" PRIu32 " is not below c=%" PRIu32,
                    spec->k, spec->c);
    for (size_t i = 0; i < draft->spec_count; i++) {
        if (spec_equal(&draft->specs[i], spec))
            return fail(err, STEMMA_INVALID, "recipe: the same %s is asked for twice",
                        scheme_name(spec->scheme));
    }
    return STEMMA_OK;
}

/* The cursor stands at the beginning of a segment. */
static stemma_status parse_specs(struct cursor *cursor, struct draft *draft, stemma_error *err) {
    do {
        struct spec spec;
        TRY(parse_spec(cursor, &spec, err));
        TRY(check_spec(draft, &spec, err));
        if (draft->spec_count == SPECS_MOST)
            return fail(err, STEMMA_INVALID, "recipe: more than %d sketch specs", SPECS_MOST);
        draft->specs[draft->spec_count++] = spec;
    } while (next_segment(cursor));
    return STEMMA_OK;
}

/* ---- the canonical text ---- */

struct writer {
    char text[RECIPE_TEXT_MAX]; /* more than the longest recipe */
    size_t used;
};

static void write_text(struct writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_text(struct writer *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out->text + out->used, sizeof out->text - out->used, format, arguments);
    va_end(arguments);
    out->used += (size_t)length;
}

static void write_spec(struct writer *out, const struct spec *spec) {
    struct spec copy = *spec;
    write_text(out, "; %s", scheme_name(spec->scheme));
    for (int i = 0; i < SPEC_FIELDS; i++) {
        uint32_t value = *field_of(&copy, (enum spec_field)i);
        if (rules[spec->scheme][i].most == 0) continue;
        if (i == SPEC_POSITIONS)
            write_text(out, " positions=%s", no_yes[value]);
        else
            write_text(out, " %s=%" PRIu32, spec_fields[i], value);
    }
}

static void write_recipe(struct writer *out, const struct draft *draft) {
    const struct view *view = &draft->view;
    write_text(out, "%s unit=%s window=%" PRIu32, fold_text(view->folds).text, unit_name(view->unit),
               view->window);
    if (view->labelled) write_text(out, " labelled=yes");
    write_text(out, " hash=%s width=%d seed=%" PRIu64, hash_name(view->hash), view->width, view->seed);
    if (view->keyed) write_text(out, " keyid=%016" PRIx64, view->key_id);
    for (size_t i = 0; i < draft->spec_count; i++) write_spec(out, &draft->specs[i]);
}

/* ---- whole recipes ---- */

static stemma_status recipe_new(const struct draft *draft, struct stemma_recipe **out, stemma_error *err) {
    struct writer text = {.used = 0};
    write_recipe(&text, draft);
    struct stemma_recipe *recipe = mem_zero(1, sizeof *recipe + text.used + 1);
    if (!recipe) return fail_memory(err);
    atomic_init(&recipe->references, 1);
    recipe->view = draft->view;
    memcpy(recipe->specs, draft->specs, sizeof recipe->specs);
    recipe->spec_count = draft->spec_count;
    memcpy(recipe->text, text.text, text.used);
    stemma_status status = STEMMA_OK;
    if (view_can_read(&recipe->view)) status = shingle_tables_init(&recipe->tables, &recipe->view, err);
    if (status != STEMMA_OK) {
        recipe_release(recipe);
        return status;
    }
    *out = recipe;
    return STEMMA_OK;
}

const struct stemma_recipe *recipe_retain(const struct stemma_recipe *recipe) {
    atomic_size_t *references = &((struct stemma_recipe *)recipe)->references; /* all that ever changes */
    atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
    return recipe;
}

void recipe_release(const struct stemma_recipe *recipe) {
    struct stemma_recipe *last = (struct stemma_recipe *)recipe;
    if (!last || atomic_fetch_sub_explicit(&last->references, 1, memory_order_acq_rel) > 1) return;
    shingle_tables_release(&last->tables);
    sodium_memzero(last, sizeof *last); /* it may hold what follows from a key */
    mem_free(last);
}

static bool starts_with_scheme(struct cursor *cursor) {
    return find_name(peek_word(cursor), scheme_names, SCHEME_COUNT) >= 0;
}

stemma_status recipe_parse(const char *text, size_t size, struct stemma_recipe **out, stemma_error *err) {
    struct cursor cursor = {text, text ? text + size : text};
    struct cursor usual = {default_specs, &default_specs[sizeof default_specs - 1]};
    struct cursor nothing = {text, text};
    struct draft draft = {.spec_count = 0};
    bool view_left_out = starts_with_scheme(&cursor);
    TRY(parse_view(view_left_out ? &nothing : &cursor, &draft.view, err));
    bool specs_follow = view_left_out || next_segment(&cursor);
    TRY(parse_specs(specs_follow ? &cursor : &usual, &draft, err));
    return recipe_new(&draft, out, err);
}

stemma_status recipe_with_key(const struct stemma_recipe *recipe, const void *key, size_t key_size,
                              struct stemma_recipe **out, stemma_error *err) {
    if (key_size < KEY_LEAST)
        return fail(err, STEMMA_INVALID, "a key needs at least %d bytes, this one has %zu", KEY_LEAST,
                    key_size);
    uint64_t id = derive64(key, key_size, "stemma key id");
    if (recipe->view.keyed && recipe->view.key_id != id)
        return fail(err, STEMMA_MISMATCH, "the recipe's keyid is %016" PRIx64 ", that of the key %016" PRIx64,
                    recipe->view.key_id, id);
    struct draft keyed = {.view = recipe->view, .spec_count = recipe->spec_count};
    memcpy(keyed.specs, recipe->specs, sizeof keyed.specs);
    keyed.view.keyed = keyed.view.has_secret = true;
    keyed.view.key_id = id;
    keyed.view.secret = derive64(key, key_size, "stemma view");
    keyed.view.finish[0] = derive64(key, key_size, "stemma finish 1");
    keyed.view.finish[1] = derive64(key, key_size, "stemma finish 2");
    stemma_status status = recipe_new(&keyed, out, err);
    sodium_memzero(&keyed, sizeof keyed);
    return status;
}

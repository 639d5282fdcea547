#include "recipe_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the text form ---- */

static void add_field(FILE *to, const char *name, const char *value) {
    if (value) fprintf(to, " %s=%s", name, value);
}

static void write_scheme(FILE *to, const char *scheme, const scheme_choice *s) {
    fprintf(to, "; %s", scheme);
    add_field(to, "n", s->n);
    add_field(to, "bits", s->bits);
    add_field(to, "mod", s->mod);
    add_field(to, "c", s->rate);
    add_field(to, "alphabet", s->alphabet);
    add_field(to, "positions", s->positions ? "yes" : NULL);
}

static void write_recipe(FILE *to, const options *o) {
    for (size_t i = 0; i < OPT_VIEW_COUNT; i++) add_field(to, option_table[i].long_name, o->view[i]);
    for (size_t i = 0; i < o->scheme_count; i++) write_scheme(to, o->schemes[i].scheme, &o->schemes[i]);
}

/* The recipe with the signature behind it that --signature asks for. Its own text is complete: a recipe that
 * leaves its sketches out keeps the usual ones. */
static stemma_status add_signature(const options *o, stemma_recipe **recipe, stemma_error *error) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to) {
        fputs(stemma_recipe_text(*recipe), to);
        write_scheme(to, "signature", &o->signature_of);
        fclose(to);
    }
    stemma_recipe *more;
    stemma_status status =
        text ? stemma_recipe_parse(text, &more, error) : set_error(error, STEMMA_NO_MEMORY, "out of memory");
    free(text);
    if (status) return status;
    stemma_recipe_free(*recipe);
    *recipe = more;
    return STEMMA_OK;
}

/* Free the result. */
static char *recipe_text(const options *o) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to) {
        write_recipe(to, o);
        fclose(to);
    }
    return text ? text : need_copy("");
}

static enum exit_code check_combination(const options *o, const char *command) {
    const char *other = o->scheme_count ? "--scheme, -n, --bits or --mod" : NULL;
    for (size_t i = 0; i < OPT_VIEW_COUNT; i++)
        if (o->view[i]) other = option_table[i].long_name;
    if (o->recipe && other)
        return wrong_use(command, "--recipe is a whole recipe and does not go with %s%s",
                         o->scheme_count ? "" : "--", other);
    if (o->view[OPT_PRESET] && o->view[OPT_FOLD])
        return wrong_use(command, "--preset and --fold exclude each other");
    if (o->scheme_count && !o->schemes[0].scheme)
        return wrong_use(command, "-n, --bits and --mod need a --scheme");
    const scheme_choice *s = &o->signature_of;
    if (!o->signature && (s->rate || s->alphabet || s->positions))
        return wrong_use(
            command,
            "--rate, --alphabet and --positions need --signature, or a --scheme=signature before them");
    return EXIT_DONE;
}

/* ---- the key ---- */

static ssize_t read_key(const char *path, uint8_t *key) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return -1;
    ssize_t size = read(file, key, KEY_MAX + 1);
    int cause = errno;
    close(file);
    errno = cause;
    return size;
}

static stemma_status load_key(const char *path, uint8_t *key, size_t *size, stemma_error *error) {
    ssize_t got = read_key(path, key);
    if (got < 0)
        return set_error(error, STEMMA_UNREADABLE, "cannot read key '%s': %s", path, cause_text(errno));
    if (got > KEY_MAX)
        return set_error(error, STEMMA_INVALID, "cannot use key '%s': it is longer than %d bytes", path,
                         KEY_MAX);
    *size = (size_t)got;
    return STEMMA_OK;
}

enum exit_code key_from_options(const options *o, uint8_t key[KEY_MAX + 1], size_t *size) {
    stemma_error error;
    *size = 0;
    return o->key_file && load_key(o->key_file, key, size, &error) ? complain_of(&error) : EXIT_DONE;
}

/* Replaces *recipe by the same under the key. */
static stemma_status apply_key(const char *path, stemma_recipe **recipe, stemma_error *error) {
    uint8_t key[KEY_MAX + 1];
    size_t size;
    stemma_recipe *keyed;
    stemma_error cause;
    stemma_status loaded = load_key(path, key, &size, error);
    if (loaded) return loaded;
    stemma_status status = stemma_recipe_with_key(*recipe, key, size, &keyed, &cause);
    explicit_bzero(key, sizeof key);
    if (status) return set_error(error, status, "cannot use key '%s': %s", path, cause.message);
    stemma_recipe_free(*recipe);
    *recipe = keyed;
    return STEMMA_OK;
}

/* signature: with the one that --signature asks for. */
static stemma_status parse_with_key(const options *o, const char *text, bool signature, const char *key_file,
                                    stemma_recipe **out, stemma_error *error) {
    stemma_recipe *recipe;
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    if (status) return status;
    if (signature) status = add_signature(o, &recipe, error);
    if (!status && key_file) status = apply_key(key_file, &recipe, error);
    if (status)
        stemma_recipe_free(recipe);
    else
        *out = recipe;
    return status;
}

enum exit_code recipe_from_options(const options *o, const char *command, stemma_recipe **out) {
    stemma_error error;
    enum exit_code code = check_combination(o, command);
    if (code) return code;
    char *text = o->recipe ? need_copy(o->recipe) : recipe_text(o);
    stemma_status status = parse_with_key(o, text, o->signature, o->key_file, out, &error);
    if (status == STEMMA_INVALID)
        code = wrong_use(command, "%s", error.message);
    else if (status)
        code = complain_of(&error);
    free(text);
    return code;
}

/* ---- fields of a recipe's text ---- */

const char *recipe_field(const char *text, const char *name, size_t *length) {
    size_t name_length = strlen(name);
    const char *end = text + strcspn(text, ";");
    for (const char *at = text + strspn(text, " "); at < end; at += strspn(at, " ")) {
        if (!strncmp(at, name, name_length) && at[name_length] == '=') {
            at += name_length + 1;
            *length = strcspn(at, " ;");
            return at;
        }
        at += strcspn(at, " ;");
    }
    *length = 0;
    return "none";
}

const char *recipe_unit(const char *text, uint64_t count) {
    static const char *const nouns[][3] = {
        {"byte", "byte", "bytes"}, {"char", "character", "characters"}, {"line", "line", "lines"}};
    size_t length;
    const char *unit = recipe_field(text, "unit", &length);
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strlen(nouns[i][0]) == length && !memcmp(unit, nouns[i][0], length))
            return nouns[i][count == 1 ? 1 : 2];
    return count == 1 ? "word" : "words";
}

/* ---- agreement with a stored sketch ---- */

static stemma_status check_field(const char *asked, const char *stored, const char *name, const char *file,
                                 stemma_error *error) {
    size_t asked_length, stored_length;
    const char *a = recipe_field(asked, name, &asked_length), *s = recipe_field(stored, name, &stored_length);
    if (asked_length == stored_length && !memcmp(a, s, stored_length)) return STEMMA_OK;
    return set_error(
        error, STEMMA_MISMATCH, "cannot use '%s': it was made with %s=%.*s, but %s=%.*s was asked for", file,
        name, stored_length ? (int)stored_length : 4, s, name, asked_length ? (int)asked_length : 4, a);
}

static stemma_status check_key(const char *asked, const char *stored, const char *file, stemma_error *error) {
    size_t asked_length, stored_length;
    const char *a = recipe_field(asked, "keyid", &asked_length);
    const char *s = recipe_field(stored, "keyid", &stored_length);
    if (asked_length == stored_length && !memcmp(a, s, stored_length)) return STEMMA_OK;
    return set_error(error, STEMMA_MISMATCH, "cannot use '%s': it %s", file,
                     stored_length ? "was made with another key" : "is not keyed, but --key was given");
}

stemma_status recipe_check_stored(const options *o, const stemma_recipe *asked, const char *file,
                                  const stemma_recipe *stored, stemma_error *error) {
    const char *want = stemma_recipe_text(asked), *have = stemma_recipe_text(stored);
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < OPT_VIEW_COUNT && !status; i++)
        if (o->view[i] || o->recipe) status = check_field(want, have, option_table[i].long_name, file, error);
    if (!status && o->key_file) status = check_key(want, have, file, error);
    want += strcspn(want, ";");
    have += strcspn(have, ";");
    bool specs_asked = o->scheme_count || o->signature || (o->recipe && strchr(o->recipe, ';'));
    if (!status && specs_asked && strcmp(want, have))
        return set_error(error, STEMMA_MISMATCH, "cannot use '%s': it keeps '%s', but '%s' was asked for",
                         file, have + strspn(have, "; "), want + strspn(want, "; "));
    return status;
}

stemma_status recipe_like_stored(const options *o, const char *file, const stemma_recipe *stored,
                                 stemma_recipe **out, stemma_error *error) {
    size_t length;
    const char *text = stemma_recipe_text(stored);
    recipe_field(text, "keyid", &length);
    if (length && !o->key_file)
        return set_error(error, STEMMA_MISMATCH,
                         "cannot compare with '%s': it is keyed, and --key was not given", file);
    return parse_with_key(o, text, false, length ? o->key_file : NULL, out, error);
}

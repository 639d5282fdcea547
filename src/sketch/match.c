/* Which recipes go together, and when they do not: which field it is. */
#include "sketch/recipe.h"

#include "sketch/signature.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One value of a recipe as words. */
struct value {
    char text[48];
};
static struct value value_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct value value_of(const char *format, ...) {
    struct value value;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value.text, sizeof value.text, format, arguments);
    va_end(arguments);
    return value;
}

static stemma_status differ(const char *field, struct value a, struct value b, stemma_error *err) {
    if (!strcmp(a.text, b.text)) return STEMMA_OK;
    return fail(err, STEMMA_MISMATCH, "recipes differ: %s is %s in one and %s in the other", field, a.text,
                b.text);
}

static struct value fold_value(unsigned folds) {
    struct fold_text fold = fold_text(folds);
    return value_of("%s", strchr(fold.text, '=') + 1);
}

static struct value key_value(const struct view *view) {
    return view->keyed ? value_of("%016" PRIx64, view->key_id) : value_of("none");
}

stemma_status view_equal(const struct view *a, const struct view *b, stemma_error *err) {
    TRY(differ("preset", fold_value(a->folds), fold_value(b->folds), err));
    TRY(differ("unit", value_of("%s", unit_name(a->unit)), value_of("%s", unit_name(b->unit)), err));
    TRY(differ("window", value_of("%u", a->window), value_of("%u", b->window), err));
    TRY(differ("labelled", value_of("%s", a->labelled ? "yes" : "no"),
               value_of("%s", b->labelled ? "yes" : "no"), err));
    TRY(differ("hash", value_of("%s", hash_name(a->hash)), value_of("%s", hash_name(b->hash)), err));
    TRY(differ("width", value_of("%d", a->width), value_of("%d", b->width), err));
    TRY(differ("seed", value_of("%" PRIu64, a->seed), value_of("%" PRIu64, b->seed), err));
    return differ("keyid", key_value(a), key_value(b), err);
}

static stemma_status same_spec(const struct spec *a, const struct spec *b, stemma_error *err) {
    const char *scheme = scheme_name(a->scheme);
    TRY(differ("scheme", value_of("%s", scheme), value_of("%s", scheme_name(b->scheme)), err));
    TRY(differ(value_of("%s n", scheme).text, value_of("%u", a->n), value_of("%u", b->n), err));
    TRY(differ(value_of("%s mod", scheme).text, value_of("%u", a->mod), value_of("%u", b->mod), err));
    TRY(differ(value_of("%s bits", scheme).text, value_of("%u", a->bits), value_of("%u", b->bits), err));
    TRY(differ(value_of("%s c", scheme).text, value_of("%u", a->c), value_of("%u", b->c), err));
    TRY(differ(value_of("%s k", scheme).text, value_of("%u", a->k), value_of("%u", b->k), err));
    TRY(differ(value_of("%s alphabet", scheme).text, value_of("%u", a->alphabet), value_of("%u", b->alphabet),
               err));
    return differ(value_of("%s positions", scheme).text, value_of("%s", a->positions ? "yes" : "no"),
                  value_of("%s", b->positions ? "yes" : "no"), err);
}

static bool signatures_nest(const struct spec *a, const struct spec *b) {
    struct signature_rate rate_a = {a->c, a->alphabet}, rate_b = {b->c, b->alphabet}, both;
    return a->n == b->n && signature_rates_meet(rate_a, rate_b, &both);
}

/* Whether a comparison can be made at the coarser of two resolutions. */
static bool nests(const struct spec *a, const struct spec *b) {
    if (a->scheme != b->scheme) return false;
    switch (a->scheme) {
    case SCHEME_MOD:
        return a->n % b->n == 0 || b->n % a->n == 0;
    case SCHEME_MINMOD:
        return a->mod == b->mod;
    case SCHEME_MINHASH:
        return a->bits == b->bits;
    case SCHEME_OPH:
        return a->n == b->n && a->bits == b->bits;
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        return a->n == b->n;
    case SCHEME_MIN:
    case SCHEME_LEVEL:
    case SCHEME_SIMHASH:
        return true;
    case SCHEME_SIGNATURE:
        return signatures_nest(a, b);
    case SCHEME_SIGNATURE2011:
        return spec_equal(a, b);
    }
    return false;
}

static size_t find_partner(const struct spec *spec, const struct stemma_recipe *in, const bool *taken,
                           bool (*fits)(const struct spec *, const struct spec *)) {
    size_t at = 0;
    while (at < in->spec_count && (taken[at] || !fits(spec, &in->specs[at]))) at++;
    return at;
}

/* Equal specs find each other first, so that no finer spec takes the partner of an equal one. */
size_t recipe_pairs(const struct stemma_recipe *a, const struct stemma_recipe *b,
                    struct spec_pair out[SPECS_MOST]) {
    size_t partner[SPECS_MOST], count = 0;
    bool taken[SPECS_MOST] = {false};
    for (size_t i = 0; i < a->spec_count; i++) {
        partner[i] = find_partner(&a->specs[i], b, taken, spec_equal);
        if (partner[i] < b->spec_count) taken[partner[i]] = true;
    }
    for (size_t i = 0; i < a->spec_count; i++) {
        if (partner[i] == b->spec_count) partner[i] = find_partner(&a->specs[i], b, taken, nests);
        if (partner[i] == b->spec_count) continue;
        taken[partner[i]] = true;
        out[count++] = (struct spec_pair){i, partner[i]};
    }
    return count;
}

/* Why no two specs pair up: the first two of one scheme, or else the first of each. */
static stemma_status explain_no_pair(const struct stemma_recipe *a, const struct stemma_recipe *b,
                                     stemma_error *err) {
    for (size_t i = 0; i < a->spec_count; i++)
        for (size_t j = 0; j < b->spec_count; j++)
            if (a->specs[i].scheme == b->specs[j].scheme) return same_spec(&a->specs[i], &b->specs[j], err);
    return same_spec(&a->specs[0], &b->specs[0], err);
}

/* The usual case, and quick: one object, or two that say the same. */
static bool same_recipe(const struct stemma_recipe *a, const struct stemma_recipe *b) {
    return a == b || !strcmp(a->text, b->text);
}

stemma_status recipe_comparable(const struct stemma_recipe *a, const struct stemma_recipe *b,
                                stemma_error *err) {
    struct spec_pair pairs[SPECS_MOST];
    if (same_recipe(a, b)) return STEMMA_OK;
    TRY(view_equal(&a->view, &b->view, err));
    return recipe_pairs(a, b, pairs) ? STEMMA_OK : explain_no_pair(a, b, err);
}

stemma_status recipe_equal(const struct stemma_recipe *a, const struct stemma_recipe *b, stemma_error *err) {
    if (same_recipe(a, b)) return STEMMA_OK;
    TRY(view_equal(&a->view, &b->view, err));
    TRY(differ("the number of sketch specs", value_of("%zu", a->spec_count), value_of("%zu", b->spec_count),
               err));
    for (size_t i = 0; i < a->spec_count; i++) TRY(same_spec(&a->specs[i], &b->specs[i], err));
    return STEMMA_OK;
}

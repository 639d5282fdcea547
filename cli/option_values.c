/* Values by a table: of each option who takes its value, where it goes and between which bounds it lies. */
#include "option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output.h"

typedef struct value_rule value_rule;
typedef bool value_taker(const given_option *g, const value_rule *rule);

/* Of a fraction: 0, below the least, is one, too. */
enum { OR_NONE = 2 };

struct value_rule {
    value_taker *take;
    size_t place; /* in options, or in the scheme_choice that the taker looks up */
    uint64_t least, most;
};

bool option_refuse(const given_option *g, const char *reason) {
    char name[64];
    wrong_use(g->command_name, "%s: '%s' %s", option_name(g->spec, name, sizeof name), g->value, reason);
    return false;
}

static void *place_in(void *base, const value_rule *rule) {
    return (char *)base + rule->place;
}

static bool take_flag(const given_option *g, const value_rule *rule) {
    return *(bool *)place_in(g->out, rule) = true;
}

static bool take_text(const given_option *g, const value_rule *rule) {
    *(const char **)place_in(g->out, rule) = g->value;
    return true;
}

/* A file or folder that is made: never standard output, and never called as that is. */
static bool take_written(const given_option *g, const value_rule *rule) {
    return strcmp(g->value, "-") ? take_text(g, rule)
                                 : option_refuse(g, "is not a file or folder to write to");
}

static bool take_yes(const given_option *g, const value_rule *rule) {
    *(const char **)place_in(g->out, rule) = "yes";
    return true;
}

static bool take_one_more(const given_option *g, const value_rule *rule) {
    text_list *list = place_in(g->out, rule);
    if (list->count == MAX_TEXTS) return option_refuse(g, "is one too many");
    list->texts[list->count++] = g->value;
    return true;
}

/* ---- numbers ---- */

static const char not_whole[] = "is not a whole number";

/* Decimal digits and nothing else. Returns why not, or NULL. */
static const char *read_whole(const char *text, uint64_t *out) {
    if (!*text || strspn(text, "0123456789") != strlen(text)) return not_whole;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno || number > UINT64_MAX) return "is too large";
    *out = number;
    return NULL;
}

/* From the rule's least, which is 0 or 1, to its most. */
static bool read_bounded(const given_option *g, const value_rule *rule, uint64_t *out) {
    const char *reason = read_whole(g->value, out);
    if (!reason && *out > rule->most) reason = "is too large";
    if (!reason && *out < rule->least) reason = "is not at least 1";
    return !reason || option_refuse(g, reason);
}

static bool take_unsigned(const given_option *g, const value_rule *rule) {
    uint64_t number;
    if (!read_bounded(g, rule, &number)) return false;
    *(unsigned *)place_in(g->out, rule) = (unsigned)number;
    return true;
}

static bool take_long(const given_option *g, const value_rule *rule) {
    uint64_t number;
    if (!read_bounded(g, rule, &number)) return false;
    *(long *)place_in(g->out, rule) = (long)number;
    return true;
}

static bool take_uint64(const given_option *g, const value_rule *rule) {
    return read_bounded(g, rule, place_in(g->out, rule));
}

/* Numbers that go into a recipe stay text. */
static bool take_digits_in(const given_option *g, const value_rule *rule, void *base) {
    char reason[64];
    uint64_t number = 0;
    const char *malformed = read_whole(g->value, &number);
    snprintf(reason, sizeof reason, "is not from %" PRIu64 " to %" PRIu64, rule->least, rule->most);
    if (malformed || number < rule->least || number > rule->most)
        return option_refuse(g, malformed ? malformed : reason);
    *(const char **)place_in(base, rule) = g->value;
    return true;
}

static bool take_digits(const given_option *g, const value_rule *rule) {
    return take_digits_in(g, rule, g->out);
}

/* Plain decimals: "nan", "inf" and "0x1p-1" are not what anybody means. The least is in hundredths. */
static bool take_fraction(const given_option *g, const value_rule *rule) {
    char *end = NULL, reason[96], least[32] = "0";
    bool decimal = *g->value && strspn(g->value, "0123456789.") == strlen(g->value);
    double number = decimal ? strtod(g->value, &end) : -1;
    const bool whole = decimal && end != g->value && !*end, none = rule->most == OR_NONE;
    if (whole && number <= 1 && (number >= (double)rule->least / 100 || (none && number == 0))) {
        *(double *)place_in(g->out, rule) = number;
        return true;
    }
    if (rule->least) snprintf(least, sizeof least, "%g", (double)rule->least / 100);
    snprintf(reason, sizeof reason, "is %s a number from %s to 1, such as .7", none ? "neither 0 nor" : "not",
             rule->least ? least + 1 : least);
    return option_refuse(g, reason);
}

/* What a unit stands for: K is 1024, as KiB is, and KB is 1000, as the program prints it. 0: none. */
static double size_unit(const char *unit) {
    static const char letters[] = "kmgt";
    if (!*unit || !strcasecmp(unit, "b")) return 1;
    const char *letter = strchr(letters, *unit | 0x20);
    const bool binary = !unit[1] || !strcasecmp(unit + 1, "ib");
    double value = 1;
    if (!letter || (!binary && strcasecmp(unit + 1, "b"))) return 0;
    for (const char *l = letters; l <= letter; l++) value *= binary ? 1024 : 1000;
    return value;
}

static bool take_size(const given_option *g, const value_rule *rule) {
    static const char digits[] = "0123456789";
    char *end = NULL;
    const char *point = g->value + strspn(g->value, digits);
    const char *rest = *point == '.' ? point + 1 + strspn(point + 1, digits) : point;
    const double number = rest > g->value ? strtod(g->value, &end) : -1;
    const double unit = size_unit(rest), bytes = number * unit;
    const char *reason = end != rest || unit == 0 ? "is not a number, or one with K, M, G, T, KB, MB, GB or TB"
                         : bytes >= (double)SIZE_MAX ? "is too large"
                         : bytes < (double)rule->least ? "is not at least 1"
                                                       : NULL;
    if (reason) return option_refuse(g, reason);
    *(size_t *)place_in(g->out, rule) = (size_t)bytes;
    return true;
}

/* ---- words ---- */

/* Counted from 1; 0 when it is none of them. */
static unsigned place_of(const char *choices, const char *value) {
    size_t length = strlen(value);
    unsigned place = 1;
    for (const char *at = choices; *at; at += strspn(at, " "), place++) {
        size_t word = strcspn(at, " ");
        if (word == length && !memcmp(at, value, length)) return place;
        at += word;
    }
    return 0;
}

const char *choice_at(const char *choices, unsigned place, size_t *length) {
    for (; place > 1; place--) {
        choices += strcspn(choices, " ");
        choices += strspn(choices, " ");
    }
    *length = strcspn(choices, " ");
    return choices;
}

/* The place of a value among the option's choices; 0 after a refusal. */
static unsigned read_choice(const given_option *g) {
    unsigned place = place_of(g->spec->choices, g->value);
    char name[64];
    if (!place)
        wrong_use(g->command_name, "%s: '%s' is not one of: %s", option_name(g->spec, name, sizeof name),
                  g->value, g->spec->choices);
    return place;
}

static bool take_choice(const given_option *g, const value_rule *rule) {
    unsigned place = read_choice(g);
    if (place) *(unsigned *)place_in(g->out, rule) = place;
    return place != 0;
}

static bool take_encoding(const given_option *g, const value_rule *rule) {
    stemma_encoding *out = place_in(g->out, rule);
    char option[64];
    stemma_error error;
    if (stemma_encoding_named(g->value, out, &error) == STEMMA_OK) return true;
    wrong_use(g->command_name, "%s: %s; stemma-input(7) lists them",
              option_name(g->spec, option, sizeof option), error.message);
    return false;
}

static bool take_word(const given_option *g, const value_rule *rule) {
    return read_choice(g) && take_text(g, rule);
}

/* Which of some words are in a list joined by '+', as bits; 0 when there is another one. */
static unsigned read_set(const char *value, const char *words) {
    char *list = need_copy(value), *rest = list, *word;
    unsigned set = 0, place = 1;
    while (place && (word = strsep(&rest, "+"))) {
        place = place_of(words, word);
        if (place) set |= 1u << (place - 1);
    }
    free(list);
    return place ? set : 0;
}

static bool take_folds(const given_option *g, const value_rule *rule) {
    if (read_set(g->value, "nfc case space punct")) return take_text(g, rule);
    return option_refuse(g, "is not any of nfc, case, space and punct, joined by '+'");
}

static bool take_parts(const given_option *g, const value_rule *rule) {
    static const unsigned parts[] = {STEMMA_PART_MINIMA, STEMMA_PART_SAMPLES, STEMMA_PART_BITS,
                                     STEMMA_PART_GROUPS, STEMMA_PART_SIGNATURE};
    const unsigned set = read_set(g->value, "minima samples bits groups signature");
    if (!set)
        return option_refuse(g, "is not any of minima, samples, bits, groups and signature, joined by '+'");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (set >> i & 1) *(unsigned *)place_in(g->out, rule) |= parts[i];
    return true;
}

/* ---- schemes: -n, --bits and --mod belong to the --scheme before them, or to the first ---- */

static scheme_choice *current_scheme(options *o) {
    if (o->scheme_count == 0) o->scheme_count = 1;
    return &o->schemes[o->scheme_count - 1];
}

static bool take_scheme(const given_option *g, const value_rule *rule) {
    options *o = g->out;
    if (current_scheme(o)->scheme) {
        if (o->scheme_count == MAX_SCHEMES) return option_refuse(g, "is one scheme too many");
        o->scheme_count++;
    }
    if (!read_choice(g)) return false;
    *(const char **)place_in(current_scheme(o), rule) = g->value;
    return true;
}

static bool take_digits_of_scheme(const given_option *g, const value_rule *rule) {
    return take_digits_in(g, rule, current_scheme(g->out));
}

/* --rate, --alphabet and --positions: of the --scheme before them if that is a signature, else of
 * --signature. */
static scheme_choice *current_signature(options *o) {
    scheme_choice *last = o->scheme_count ? &o->schemes[o->scheme_count - 1] : NULL;
    return last && last->scheme && !strncmp(last->scheme, "signature", 9) ? last : &o->signature_of;
}

static bool take_digits_of_signature(const given_option *g, const value_rule *rule) {
    return take_digits_in(g, rule, current_signature(g->out));
}

static bool take_flag_of_signature(const given_option *g, const value_rule *rule) {
    return *(bool *)place_in(current_signature(g->out), rule) = true;
}

/* ---- the table ---- */

/* A member's offset; does not compile where the member is of another type than its taker writes. */
#define PLACE(record, member, type)                                                                          \
    (offsetof(record, member) + 0 * sizeof(&((record *)0)->member == (type *)0))

#define FLAG(member)                       {take_flag, PLACE(options, member, bool), 0, 0}
#define TEXT(member)                       {take_text, PLACE(options, member, const char *), 0, 0}
#define WRITTEN(member)                    {take_written, PLACE(options, member, const char *), 0, 0}
#define TEXTS(member)                      {take_one_more, PLACE(options, member, text_list), 0, 0}
#define FRACTION(member)                   {take_fraction, PLACE(options, member, double), 0, 1}
#define FRACTION_FROM(member, least, most) {take_fraction, PLACE(options, member, double), least, most}
#define CHOICE(member)                     {take_choice, PLACE(options, member, unsigned), 0, 0}
#define UNSIGNED(member, least, most)      {take_unsigned, PLACE(options, member, unsigned), least, most}
#define LONG(member, least, most)          {take_long, PLACE(options, member, long), least, most}
#define UINT64(member, least)              {take_uint64, PLACE(options, member, uint64_t), least, UINT64_MAX}
#define SIZE(member, least)                {take_size, PLACE(options, member, size_t), least, SIZE_MAX}
#define VIEW(take, option, least, most)    {take, PLACE(options, view[option], const char *), least, most}
#define OF_SCHEME(take, member, type)      {take, PLACE(scheme_choice, member, type), 0, UINT64_MAX}

static const value_rule rules[OPT_COUNT] = {
    [OPT_PRESET] = VIEW(take_word, OPT_PRESET, 0, 0),
    [OPT_FOLD] = VIEW(take_folds, OPT_FOLD, 0, 0),
    [OPT_UNIT] = VIEW(take_word, OPT_UNIT, 0, 0),
    [OPT_WINDOW] = VIEW(take_digits, OPT_WINDOW, 1, 1024),
    [OPT_LABELLED] = VIEW(take_yes, OPT_LABELLED, 0, 0),
    [OPT_HASH] = VIEW(take_word, OPT_HASH, 0, 0),
    [OPT_WIDTH] = VIEW(take_digits, OPT_WIDTH, 32, 64),
    [OPT_SEED] = VIEW(take_digits, OPT_SEED, 0, UINT64_MAX),
    [OPT_KEY] = TEXT(key_file),
    [OPT_RECIPE] = TEXT(recipe),

    [OPT_SCHEME] = OF_SCHEME(take_scheme, scheme, const char *),
    [OPT_N] = OF_SCHEME(take_digits_of_scheme, n, const char *),
    [OPT_BITS] = OF_SCHEME(take_digits_of_scheme, bits, const char *),
    [OPT_MOD] = OF_SCHEME(take_digits_of_scheme, mod, const char *),
    [OPT_SIGNATURE] = FLAG(signature),
    [OPT_RATE] = OF_SCHEME(take_digits_of_signature, rate, const char *),
    [OPT_ALPHABET] = OF_SCHEME(take_digits_of_signature, alphabet, const char *),
    [OPT_POSITIONS] = OF_SCHEME(take_flag_of_signature, positions, bool),

    [OPT_SKETCH] = FLAG(sketch),
    [OPT_THRESHOLD] = FRACTION(threshold),
    [OPT_SCAN_THRESHOLD] = FRACTION_FROM(threshold, 30, 1), /* what the library finds without fail */
    [OPT_QUERY_THRESHOLD] = FRACTION(threshold),
    [OPT_CONTAINED] = FRACTION(contained),
    [OPT_SCAN_CONTAINED] = FRACTION_FROM(contained, 50, OR_NONE),
    [OPT_QUERY_CONTAINED] = FRACTION(contained),
    [OPT_KNOWN_CONTAINED] = FRACTION(contained),
    [OPT_KEEP] = CHOICE(keep),
    [OPT_GROUP] = CHOICE(group),
    [OPT_CAP] = UNSIGNED(cap, 1, UINT32_MAX),
    [OPT_EDIT] = CHOICE(edit),
    [OPT_EDIT_LIMIT] = UINT64(edit_limit, 1),
    [OPT_BLOCKS] = SIZE(blocks, 1),
    [OPT_LEAST] = UINT64(least, 1),
    [OPT_THOROUGH] = FLAG(thorough),
    [OPT_TOP] = LONG(top, 0, 1000000),
    [OPT_HAMMING] = FLAG(hamming),
    [OPT_VERSIONS] = CHOICE(versions),
    [OPT_DATES] = FLAG(dates),

    [OPT_TARGET] = TEXTS(targets),
    [OPT_PAIRS_FROM] = TEXT(pairs_from),
    [OPT_FILES_FROM] = TEXT(files_from),
    [OPT_NULL] = FLAG(null_separated),
    [OPT_SEEN_NULL] = FLAG(null_separated),
    [OPT_INCLUDE] = TEXTS(include),
    [OPT_EXCLUDE] = TEXTS(exclude),
    [OPT_HIDDEN] = FLAG(hidden),
    [OPT_FOLLOW] = FLAG(follow),
    [OPT_NO_IGNORE] = FLAG(no_ignore),
    [OPT_NO_ARCHIVES] = FLAG(no_archives),
    [OPT_UNPACKED] = SIZE(unpacked, 1),
    [OPT_MIN_SIZE] = SIZE(min_size, 1),
    [OPT_MAX_SIZE] = SIZE(max_size, 1),
    [OPT_ENCODING] = {take_encoding, PLACE(options, encoding, stemma_encoding), 0, 0},
    [OPT_TEXT_FIELD] = TEXT(text_field),
    [OPT_ID_FIELD] = TEXT(id_field),
    [OPT_STRICT] = FLAG(strict),
    [OPT_FROM] = TEXT(from),
    [OPT_PRUNE] = FLAG(prune),
    [OPT_PRUNE_ALL] = FLAG(prune_all),
    [OPT_JSONL] = FLAG(jsonl),
    [OPT_PREFIX] = TEXT(prefix),

    [OPT_TOKENS] = FLAG(tokens),
    [OPT_EXTRACTED] = FLAG(extracted),
    [OPT_SIDE_BY_SIDE] = FLAG(side_by_side),
    [OPT_COLUMNS] = UNSIGNED(columns, 1, 10000),
    [OPT_CONTEXT] = LONG(context, 0, 1000000),
    [OPT_PASSAGES] = FLAG(passages),
    [OPT_HTML] = FLAG(html),
    [OPT_TREE] = FLAG(tree),
    [OPT_FORMAT] = CHOICE(format),
    [OPT_PAIRS] = FLAG(pairs),
    [OPT_BOILERPLATE] = FLAG(boilerplate),
    [OPT_LIST_REDUNDANT] = FLAG(list_redundant),
    [OPT_FILTER] = TEXT(filter),
    [OPT_REPORT] = WRITTEN(report),
    [OPT_TUNE_REPORT] = WRITTEN(report),
    [OPT_REPORT_TEXT] = SIZE(report_text, 0),
    [OPT_CSV] = TEXT(csv),
    [OPT_OUTPUT] = TEXT(output),
    [OPT_EXPORT_OUTPUT] = TEXT(output),
    [OPT_DIRECTORY] = WRITTEN(directory),
    [OPT_FORCE] = FLAG(force),
    [OPT_JSON] = FLAG(json),
    [OPT_COMPARE_QUIET] = FLAG(quiet),
    [OPT_SKETCH_QUIET] = FLAG(quiet),
    [OPT_ANSWER_QUIET] = FLAG(quiet),
    [OPT_SCAN_QUIET] = FLAG(quiet),
    [OPT_TUNE_QUIET] = FLAG(quiet),
    [OPT_KNOWN_QUIET] = FLAG(quiet),
    [OPT_SEEN_QUIET] = FLAG(quiet),
    [OPT_CHANGE_QUIET] = FLAG(quiet),
    [OPT_NO_QUIET] = FLAG(quiet),
    [OPT_PRINT0] = FLAG(print0),
    [OPT_LIST] = FLAG(list),
    [OPT_FAMILY] = FLAG(family),
    [OPT_NO_EDITS] = FLAG(no_edits),
    [OPT_EXPLAIN] = FLAG(explain),
    [OPT_LINK] = FLAG(link),

    [OPT_DELETE] = FLAG(delete),
    [OPT_HARDLINK] = FLAG(hardlink),
    [OPT_REFLINK] = FLAG(reflink),
    [OPT_MOVE] = WRITTEN(move_to),
    [OPT_NEAR] = FRACTION(near),
    [OPT_NEAR_CONTAINED] = FRACTION(near_contained),
    [OPT_DRY_RUN] = FLAG(dry_run),
    [OPT_SEEN_DRY_RUN] = FLAG(dry_run),
    [OPT_YES] = FLAG(yes),
    [OPT_LOG] = WRITTEN(log),

    [OPT_STORE_TEXT] = FLAG(store_text),
    [OPT_PARTS] = {take_parts, PLACE(options, parts, unsigned), 0, 0},
    [OPT_HAMMING_BITS] = UNSIGNED(hamming_bits, 1, 4096),
    [OPT_GROUP_BITS] = UNSIGNED(group_bits, 1, 64),
    [OPT_KEEP_SIGNATURE] = FLAG(keep_signature),
    [OPT_SIGNATURE_SYMBOLS] = UNSIGNED(signature_symbols, 16, 65536),

    [OPT_CACHE] = WRITTEN(cache),
    [OPT_WAIT] = FLAG(wait),
    [OPT_REPAIR] = FLAG(repair),
    [OPT_VIA] = CHOICE(via),
    [OPT_THREADS] = UNSIGNED(threads, 1, 256),
    [OPT_MEMORY] = SIZE(memory, 1),
    [OPT_SCAN_MEMORY] = SIZE(memory, 1),
    [OPT_ASK_MEMORY] = SIZE(memory, 1),

    [OPT_KIND] = CHOICE(kind),
    [OPT_COUNT_OF] = UINT64(count, 1),
    [OPT_SHARE] = FRACTION(share),
    [OPT_PASSAGE_COUNT] = UNSIGNED(passage_count, 1, UINT32_MAX),
    [OPT_WRAP] = UNSIGNED(columns, 1, UINT32_MAX),
    [OPT_WITH] = TEXT(with),
    [OPT_CHANCE] = UINT64(chance, 0),
    [OPT_FOR] = CHOICE(aim),
    [OPT_COPIES] = FRACTION(copies),
    [OPT_SAMPLE] = SIZE(sample, 1),
    [OPT_MOST_BYTES] = SIZE(most_bytes, 1),
    [OPT_PREFER] = CHOICE(prefer),

    [OPT_HELP] = FLAG(help),
    [OPT_VERSION] = FLAG(version),
};

bool option_store(const given_option *given) {
    const value_rule *rule = &rules[given->spec->id];
    given->out->given[given->spec->id] = true;
    return rule->take(given, rule);
}

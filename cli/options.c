/* Parsing by the table: find the option, take its value, store it. Every refusal says its reason. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

typedef struct parser {
    options *out;
    const char *command_name;
    unsigned mask;
    int argc, next; /* next: the argument to be read */
    char **argv;
} parser;

const char *option_name(const option_spec *spec, char *buffer, size_t size) {
    if (spec->long_name)
        snprintf(buffer, size, "--%s", spec->long_name);
    else
        snprintf(buffer, size, "-%c", spec->short_name);
    return buffer;
}

/* ---- values ---- */

static bool refuse(const parser *p, const option_spec *spec, const char *value, const char *reason) {
    char name[64];
    wrong_use(p->command_name, "%s: '%s' %s", option_name(spec, name, sizeof name), value, reason);
    return false;
}

static const char not_whole[] = "is not a whole number";

/* Decimal digits and nothing else, up to `limit`. Returns why not, or NULL. */
static const char *read_whole(const char *text, uint64_t limit, uint64_t *out) {
    if (!*text || strspn(text, "0123456789") != strlen(text)) return not_whole;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno || number > limit) return "is too large";
    *out = number;
    return NULL;
}

static bool take_text_of_number(const parser *p, const option_spec *spec, const char *value,
                                const char **out) {
    uint64_t ignored;
    const char *reason = read_whole(value, UINT64_MAX, &ignored);
    if (reason) return refuse(p, spec, value, reason);
    *out = value;
    return true;
}

static bool take_text_in_range(const parser *p, const option_spec *spec, const char *value, unsigned least,
                               unsigned most, const char **out) {
    char reason[64];
    uint64_t number = 0;
    const char *malformed = read_whole(value, UINT64_MAX, &number);
    snprintf(reason, sizeof reason, "is not from %u to %u", least, most);
    if (malformed || number < least || number > most)
        return refuse(p, spec, value, malformed ? malformed : reason);
    *out = value;
    return true;
}

/* Plain decimals: "nan", "inf" and "0x1p-1" are not what anybody means. */
static bool take_fraction(const parser *p, const option_spec *spec, const char *value, double *out) {
    char *end = NULL;
    bool decimal = *value && strspn(value, "0123456789.") == strlen(value);
    double number = decimal ? strtod(value, &end) : -1;
    if (!decimal || end == value || *end || number > 1)
        return refuse(p, spec, value, "is not a number from 0 to 1, such as .7");
    *out = number;
    return true;
}

/* From 1 to `most`. */
static bool take_count(const parser *p, const option_spec *spec, const char *value, unsigned most,
                       unsigned *out) {
    uint64_t number;
    const char *reason = read_whole(value, most, &number);
    if (!reason && number == 0) reason = "is not at least 1";
    if (reason) return refuse(p, spec, value, reason);
    *out = (unsigned)number;
    return true;
}

static bool take_from_zero(const parser *p, const option_spec *spec, const char *value, long *out) {
    uint64_t number;
    const char *reason = read_whole(value, 1000000, &number);
    if (reason) return refuse(p, spec, value, reason);
    *out = (long)number;
    return true;
}

/* Bytes, with K, M, G or T for powers of 1024. */
static bool take_size(const parser *p, const option_spec *spec, const char *value, size_t *out) {
    static const char units[] = "KMGT";
    char digits[32];
    uint64_t number;
    size_t length = strlen(value);
    const char *unit = length && value[length - 1] ? strchr(units, value[length - 1]) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(length - (unit ? 1 : 0)), value);
    const char *reason =
        length < sizeof digits ? read_whole(digits, SIZE_MAX >> shift, &number) : "is too large";
    if (!reason && number == 0) reason = "is not at least 1";
    if (reason == not_whole) reason = "is not a whole number, or one with suffix K, M, G or T";
    if (reason) return refuse(p, spec, value, reason);
    *out = (size_t)number << shift;
    return true;
}

static bool take_size_or_none(const parser *p, const option_spec *spec, const char *value, size_t *out) {
    if (strcmp(value, "0")) return take_size(p, spec, value, out);
    *out = 0;
    return true;
}

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

/* A word that goes into the recipe's text must not bring fields of its own. */
static bool take_word(const parser *p, const option_spec *spec, const char *value, const char **out) {
    if (spec->choices && !place_of(spec->choices, value)) {
        char name[64];
        wrong_use(p->command_name, "%s: '%s' is not one of: %s", option_name(spec, name, sizeof name), value,
                  spec->choices);
        return false;
    }
    if (!*value || strpbrk(value, " \t\r\n;=")) return refuse(p, spec, value, "is not one word");
    *out = value;
    return true;
}

/* Words joined by '+'. */
static bool take_folds(const parser *p, const option_spec *spec, const char *value) {
    char *list = need_copy(value), *rest = list, *word;
    bool known = true;
    while (known && (word = strsep(&rest, "+"))) known = place_of("nfc case space punct", word) != 0;
    free(list);
    if (!known) return refuse(p, spec, value, "is not any of nfc, case, space and punct, joined by '+'");
    p->out->view[spec->id] = value;
    return true;
}

/* The same; the order is that of the library's STEMMA_PART_*. */
static bool take_parts(const parser *p, const option_spec *spec, const char *value) {
    char *list = need_copy(value), *rest = list, *word;
    bool known = true;
    while (known && (word = strsep(&rest, "+"))) {
        unsigned place = place_of("minima samples bits groups", word);
        known = place != 0;
        if (known) p->out->parts |= 1u << (place - 1);
    }
    free(list);
    return known || refuse(p, spec, value, "is not any of minima, samples, bits and groups, joined by '+'");
}

/* ---- schemes: -n, --bits and --mod belong to the --scheme before them, or to the first ---- */

static scheme_choice *current_scheme(options *o) {
    if (o->scheme_count == 0) o->scheme_count = 1;
    return &o->schemes[o->scheme_count - 1];
}

static bool take_scheme(const parser *p, const option_spec *spec, const char *value) {
    options *o = p->out;
    if (current_scheme(o)->scheme) {
        if (o->scheme_count == MAX_SCHEMES) return refuse(p, spec, value, "is one scheme too many");
        o->scheme_count++;
    }
    return take_word(p, spec, value, &current_scheme(o)->scheme);
}

/* --rate, --alphabet and --positions: of the --scheme before them if that is a signature, else of
 * --signature. */
static scheme_choice *current_signature(options *o) {
    scheme_choice *last = o->scheme_count ? &o->schemes[o->scheme_count - 1] : NULL;
    return last && last->scheme && !strncmp(last->scheme, "signature", 9) ? last : &o->signature_of;
}

static bool take_one_more(const parser *p, const option_spec *spec, const char *value, text_list *list) {
    if (list->count == MAX_TEXTS) return refuse(p, spec, value, "is one too many");
    list->texts[list->count++] = value;
    return true;
}

static bool take_choice(const parser *p, const option_spec *spec, const char *value, unsigned *place) {
    const char *word;
    if (!take_word(p, spec, value, &word)) return false;
    *place = place_of(spec->choices, word);
    return true;
}

static bool take_edit(const parser *p, const option_spec *spec, const char *value) {
    unsigned place;
    if (!take_choice(p, spec, value, &place)) return false;
    p->out->edit = (enum edit_choice)place;
    return true;
}

static bool take_positive(const parser *p, const option_spec *spec, const char *value, uint64_t *out) {
    const char *reason = read_whole(value, UINT64_MAX, out);
    if (!reason && *out == 0) reason = "is not at least 1";
    return !reason || refuse(p, spec, value, reason);
}

static bool take_seed(const parser *p, const option_spec *spec, const char *value, uint64_t *out) {
    const char *reason = read_whole(value, UINT64_MAX, out);
    return !reason || refuse(p, spec, value, reason);
}

/* ---- storing ---- */

/* Where flags and plain texts go; false when the option is neither. */
static bool store_plain(options *o, enum option_id id, const char *value) {
    static const struct {
        enum option_id id;
        size_t place;
    } flags[] = {{OPT_SIGNATURE, offsetof(options, signature)},
                 {OPT_SKETCH, offsetof(options, sketch)},
                 {OPT_NULL, offsetof(options, null_separated)},
                 {OPT_SEEN_NULL, offsetof(options, null_separated)},
                 {OPT_TOKENS, offsetof(options, tokens)},
                 {OPT_EXTRACTED, offsetof(options, extracted)},
                 {OPT_FORCE, offsetof(options, force)},
                 {OPT_JSON, offsetof(options, json)},
                 {OPT_QUIET, offsetof(options, quiet)},
                 {OPT_SCAN_QUIET, offsetof(options, quiet)},
                 {OPT_PRINT0, offsetof(options, print0)},
                 {OPT_SIDE_BY_SIDE, offsetof(options, side_by_side)},
                 {OPT_PASSAGES, offsetof(options, passages)},
                 {OPT_HTML, offsetof(options, html)},
                 {OPT_THOROUGH, offsetof(options, thorough)},
                 {OPT_LIST, offsetof(options, list)},
                 {OPT_HIDDEN, offsetof(options, hidden)},
                 {OPT_FOLLOW, offsetof(options, follow)},
                 {OPT_NO_IGNORE, offsetof(options, no_ignore)},
                 {OPT_NO_ARCHIVES, offsetof(options, no_archives)},
                 {OPT_STRICT, offsetof(options, strict)},
                 {OPT_TREE, offsetof(options, tree)},
                 {OPT_DATES, offsetof(options, dates)},
                 {OPT_PAIRS, offsetof(options, pairs)},
                 {OPT_BOILERPLATE, offsetof(options, boilerplate)},
                 {OPT_LIST_REDUNDANT, offsetof(options, list_redundant)},
                 {OPT_DELETE, offsetof(options, delete)},
                 {OPT_HARDLINK, offsetof(options, hardlink)},
                 {OPT_REFLINK, offsetof(options, reflink)},
                 {OPT_DRY_RUN, offsetof(options, dry_run)},
                 {OPT_SEEN_DRY_RUN, offsetof(options, dry_run)},
                 {OPT_YES, offsetof(options, yes)},
                 {OPT_PRUNE, offsetof(options, prune)},
                 {OPT_PRUNE_ALL, offsetof(options, prune_all)},
                 {OPT_STORE_TEXT, offsetof(options, store_text)},
                 {OPT_WAIT, offsetof(options, wait)},
                 {OPT_JSONL, offsetof(options, jsonl)},
                 {OPT_FAMILY, offsetof(options, family)},
                 {OPT_NO_EDITS, offsetof(options, no_edits)},
                 {OPT_EXPLAIN, offsetof(options, explain)},
                 {OPT_REPAIR, offsetof(options, repair)},
                 {OPT_LINK, offsetof(options, link)},
                 {OPT_HAMMING, offsetof(options, hamming)},
                 {OPT_HELP, offsetof(options, help)},
                 {OPT_VERSION, offsetof(options, version)}},
      texts[] = {{OPT_KEY, offsetof(options, key_file)},
                 {OPT_RECIPE, offsetof(options, recipe)},
                 {OPT_PAIRS_FROM, offsetof(options, pairs_from)},
                 {OPT_FILES_FROM, offsetof(options, files_from)},
                 {OPT_OUTPUT, offsetof(options, output)},
                 {OPT_EXPORT_OUTPUT, offsetof(options, output)},
                 {OPT_PREFIX, offsetof(options, prefix)},
                 {OPT_DIRECTORY, offsetof(options, directory)},
                 {OPT_TEXT_FIELD, offsetof(options, text_field)},
                 {OPT_ID_FIELD, offsetof(options, id_field)},
                 {OPT_FROM, offsetof(options, from)},
                 {OPT_FILTER, offsetof(options, filter)},
                 {OPT_REPORT, offsetof(options, report)},
                 {OPT_TUNE_REPORT, offsetof(options, report)},
                 {OPT_CSV, offsetof(options, csv)},
                 {OPT_MOVE, offsetof(options, move_to)},
                 {OPT_WITH, offsetof(options, with)},
                 {OPT_CACHE, offsetof(options, cache)},
                 {OPT_LOG, offsetof(options, log)}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].id == id) return *(bool *)((char *)o + flags[i].place) = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].id == id) {
            *(const char **)((char *)o + texts[i].place) = value;
            return true;
        }
    return false;
}

/* Those that need reading; the cast lets the plain ones be left to the default. */
static bool store(const parser *p, const option_spec *spec, const char *value) {
    options *o = p->out;
    switch ((int)spec->id) {
    case OPT_PRESET:
    case OPT_UNIT:
    case OPT_HASH:
        return take_word(p, spec, value, &o->view[spec->id]);
    case OPT_FOLD:
        return take_folds(p, spec, value);
    case OPT_WINDOW:
        return take_text_in_range(p, spec, value, 1, 1024, &o->view[spec->id]);
    case OPT_WIDTH:
        return take_text_in_range(p, spec, value, 32, 64, &o->view[spec->id]);
    case OPT_SEED:
        return take_text_of_number(p, spec, value, &o->view[spec->id]);
    case OPT_LABELLED:
        o->view[spec->id] = "yes";
        return true;
    case OPT_SCHEME:
        return take_scheme(p, spec, value);
    case OPT_N:
        return take_text_of_number(p, spec, value, &current_scheme(o)->n);
    case OPT_BITS:
        return take_text_of_number(p, spec, value, &current_scheme(o)->bits);
    case OPT_MOD:
        return take_text_of_number(p, spec, value, &current_scheme(o)->mod);
    case OPT_RATE:
        return take_text_of_number(p, spec, value, &current_signature(o)->rate);
    case OPT_ALPHABET:
        return take_text_of_number(p, spec, value, &current_signature(o)->alphabet);
    case OPT_POSITIONS:
        return current_signature(o)->positions = true;
    case OPT_THRESHOLD:
    case OPT_SCAN_THRESHOLD:
    case OPT_QUERY_THRESHOLD:
        return take_fraction(p, spec, value, &o->threshold);
    case OPT_CONTAINED:
    case OPT_SCAN_CONTAINED:
    case OPT_QUERY_CONTAINED:
    case OPT_KNOWN_CONTAINED:
        return take_fraction(p, spec, value, &o->contained);
    case OPT_NEAR:
        return take_fraction(p, spec, value, &o->near);
    case OPT_NEAR_CONTAINED:
        return take_fraction(p, spec, value, &o->near_contained);
    case OPT_EDIT:
        return take_edit(p, spec, value);
    case OPT_EDIT_LIMIT:
        return take_positive(p, spec, value, &o->edit_limit);
    case OPT_KEEP:
        return take_choice(p, spec, value, &o->keep);
    case OPT_GROUP:
        return take_choice(p, spec, value, &o->group);
    case OPT_FORMAT:
        return take_choice(p, spec, value, &o->format);
    case OPT_CAP:
        return take_count(p, spec, value, UINT32_MAX, &o->cap);
    case OPT_INCLUDE:
        return take_one_more(p, spec, value, &o->include);
    case OPT_EXCLUDE:
        return take_one_more(p, spec, value, &o->exclude);
    case OPT_MIN_SIZE:
        return take_size(p, spec, value, &o->min_size);
    case OPT_MAX_SIZE:
        return take_size(p, spec, value, &o->max_size);
    case OPT_REPORT_TEXT:
        return take_size_or_none(p, spec, value, &o->report_text);
    case OPT_UNPACKED:
        return take_size(p, spec, value, &o->unpacked);
    case OPT_ENCODING:
        return take_choice(p, spec, value, &o->encoding);
    case OPT_BLOCKS:
        return take_size(p, spec, value, &o->blocks);
    case OPT_LEAST:
        return take_positive(p, spec, value, &o->least);
    case OPT_TARGET:
        return take_one_more(p, spec, value, &o->targets);
    case OPT_PARTS:
        return take_parts(p, spec, value);
    case OPT_HAMMING_BITS:
        return take_count(p, spec, value, 4096, &o->hamming_bits);
    case OPT_GROUP_BITS:
        return take_count(p, spec, value, 64, &o->group_bits);
    case OPT_THREADS:
        return take_count(p, spec, value, 256, &o->threads);
    case OPT_COLUMNS:
        return take_count(p, spec, value, 10000, &o->columns);
    case OPT_VERSIONS:
        return take_choice(p, spec, value, &o->versions);
    case OPT_VIA:
        return take_choice(p, spec, value, &o->via);
    case OPT_TOP:
        return take_from_zero(p, spec, value, &o->top);
    case OPT_CONTEXT:
        return take_from_zero(p, spec, value, &o->context);
    case OPT_KIND:
        return take_choice(p, spec, value, &o->kind);
    case OPT_COUNT_OF:
        return take_positive(p, spec, value, &o->count);
    case OPT_SHARE:
        return take_fraction(p, spec, value, &o->share);
    case OPT_PASSAGE_COUNT:
        return take_count(p, spec, value, UINT32_MAX, &o->passage_count);
    case OPT_WRAP:
        return take_count(p, spec, value, UINT32_MAX, &o->columns);
    case OPT_CHANCE:
        return take_seed(p, spec, value, &o->chance);
    case OPT_FOR:
        return take_choice(p, spec, value, &o->aim);
    case OPT_COPIES:
        return take_fraction(p, spec, value, &o->copies);
    case OPT_SAMPLE:
        return take_size(p, spec, value, &o->sample);
    case OPT_MOST_BYTES:
        return take_size(p, spec, value, &o->most_bytes);
    case OPT_PREFER:
        return take_choice(p, spec, value, &o->prefer);
    case OPT_MEMORY:
    case OPT_SCAN_MEMORY:
    case OPT_ASK_MEMORY:
        return take_size(p, spec, value, &o->memory);
    default:
        return store_plain(o, spec->id, value);
    }
}

/* ---- finding ---- */

static const option_spec *find_long(unsigned mask, const char *name, size_t length) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const option_spec *spec = &option_table[i];
        if (spec->long_name && option_known(spec, mask) && strlen(spec->long_name) == length &&
            !memcmp(spec->long_name, name, length))
            return spec;
    }
    return NULL;
}

static const option_spec *find_short(unsigned mask, char name) {
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].short_name == name && option_known(&option_table[i], mask))
            return &option_table[i];
    return NULL;
}

static bool unknown_long(const parser *p, const char *name, size_t length) {
    const char *known[OPT_COUNT];
    char given[64];
    size_t count = 0;
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].long_name && option_known(&option_table[i], p->mask))
            known[count++] = option_table[i].long_name;
    snprintf(given, sizeof given, "%.*s", (int)(length < sizeof given ? length : sizeof given - 1), name);
    const char *near = nearest_word(given, known, count);
    if (command_named(given))
        wrong_use(p->command_name, "unknown option '--%s'; did you mean 'stemma %s'?", given, given);
    else if (near)
        wrong_use(p->command_name, "unknown option '--%s'; did you mean '--%s'?", given, near);
    else
        wrong_use(p->command_name, "unknown option '--%s'", given);
    return false;
}

static bool take_following(parser *p, const option_spec *spec, const char **value) {
    char name[64];
    if (p->next == p->argc) {
        wrong_use(p->command_name, "%s needs a value: %s", option_name(spec, name, sizeof name),
                  spec->argument);
        return false;
    }
    *value = p->argv[p->next++];
    return true;
}

static bool parse_long(parser *p, const char *name) {
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const option_spec *spec = find_long(p->mask, name, length);
    if (!spec) return unknown_long(p, name, length);
    if (!spec->argument && value) return refuse(p, spec, value, "is a value, and this option takes none");
    if (spec->argument && !value && !take_following(p, spec, &value)) return false;
    return store(p, spec, value);
}

static bool parse_shorts(parser *p, const char *letters) {
    while (*letters) {
        const option_spec *spec = find_short(p->mask, *letters++);
        const char *value = NULL;
        if (!spec) {
            wrong_use(p->command_name, "unknown option '-%c'", letters[-1]);
            return false;
        }
        if (spec->argument && *letters) {
            value = letters;
            letters = "";
        } else if (spec->argument && !take_following(p, spec, &value)) {
            return false;
        }
        if (!store(p, spec, value)) return false;
    }
    return true;
}

bool options_parse(options *out, const char *command_name, unsigned mask, int argc, char **argv) {
    parser p = {out, command_name, mask, argc, 1, argv};
    *out = (options){.threshold = -1,
                     .contained = -1,
                     .near = -1,
                     .near_contained = -1,
                     .context = -1,
                     .share = -1,
                     .copies = -1,
                     .top = -1,
                     .report_text = REPORT_TEXT,
                     .operands = argv + 1};
    bool ended = false;
    while (p.next < argc) {
        char *word = argv[p.next++];
        if (ended || word[0] != '-' || !word[1])
            out->operands[out->operand_count++] = word; /* behind p.next: already read */
        else if (!strcmp(word, "--"))
            ended = true;
        else if (!(word[1] == '-' ? parse_long(&p, word + 2) : parse_shorts(&p, word + 1)))
            return false;
    }
    return true;
}

/* ---- suggestions ---- */

/* Levenshtein's distance of two short words, in one row. */
static size_t word_distance(const char *a, const char *b) {
    size_t row[64], length = strlen(b);
    if (length >= 64) return SIZE_MAX;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            size_t shifted = (row[j] < diagonal ? row[j] : diagonal) + 1;
            row[j + 1] = changed < shifted ? changed : shifted;
        }
    }
    return row[length];
}

const char *nearest_word(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t least = strlen(word) / 3 + 2; /* farther than this is no longer a slip of the finger */
    for (size_t i = 0; i < count; i++) {
        size_t distance = word_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

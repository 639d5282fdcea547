/* Parsing by the table: find the option, take its value, store it. Every refusal says its reason. */
#include "options.h"

#include <string.h>

#include "command.h"
#include "option_values.h"
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

/* What was forgotten is more likely than a file that is called so, which --option=VALUE can name. */
static bool is_long_option(const parser *p, const char *word) {
    return !strncmp(word, "--", 2) && find_long(p->mask, word + 2, strcspn(word + 2, "="));
}

static bool take_following(parser *p, const option_spec *spec, const char **value) {
    char name[64];
    if (p->next == p->argc) {
        wrong_use(p->command_name, "%s needs a value: %s", option_name(spec, name, sizeof name),
                  spec->argument);
        return false;
    }
    *value = p->argv[p->next];
    if (is_long_option(p, *value)) {
        wrong_use(p->command_name, "%s needs a value: %s; '%s' is an option",
                  option_name(spec, name, sizeof name), spec->argument, *value);
        return false;
    }
    p->next++;
    return true;
}

static bool parse_long(parser *p, const char *name) {
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const option_spec *spec = find_long(p->mask, name, length);
    given_option given = {p->out, p->command_name, spec, value};
    if (!spec) return unknown_long(p, name, length);
    if (!spec->argument && value) return option_refuse(&given, "is a value, and this option takes none");
    if (spec->argument && !value && !take_following(p, spec, &given.value)) return false;
    return option_store(&given);
}

static bool parse_shorts(parser *p, const char *letters) {
    while (*letters) {
        const option_spec *spec = find_short(p->mask, *letters++);
        given_option given = {p->out, p->command_name, spec, NULL};
        if (!spec) {
            wrong_use(p->command_name, "unknown option '-%c'", letters[-1]);
            return false;
        }
        if (spec->argument && *letters) {
            given.value = letters;
            letters = "";
        } else if (spec->argument && !take_following(p, spec, &given.value)) {
            return false;
        }
        if (!option_store(&given)) return false;
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

const option_spec *option_besides(const options *o, const enum option_id *ids, size_t count) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        bool meant = !o->given[i];
        for (size_t k = 0; k < count && !meant; k++) meant = ids[k] == i;
        if (!meant) return &option_table[i];
    }
    return NULL;
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

enum { BEGUN = 3 }; /* letters with which a word is begun, and not just short */

const char *nearest_word(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t least = strlen(word) / 3 + 2; /* farther than this is no longer a slip of the finger */
    for (size_t i = 0; i < count; i++) {
        if (strlen(word) >= BEGUN && !strncmp(word, words[i], strlen(word))) return words[i];
        size_t distance = word_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

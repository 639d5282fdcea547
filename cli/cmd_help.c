/* stemma help: the words of a command and the table of options, laid out for a terminal. */
#include "command.h"

#include <string.h>

enum { WIDTH = 79, OPTION_COLUMN = 26 };

/* Prints words from column `at` on, broken at WIDTH, further lines indented by `indent`. */
static void print_wrapped(const char *text, int at, int indent) {
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > indent && at + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* "one of: raw, text, code" */
static void print_choices(const char *choices) {
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "one of: ");
    for (; *choices && used + 2 < sizeof text; choices++) {
        if (*choices == ' ') text[used++] = ',';
        text[used++] = *choices;
    }
    text[used] = '\0';
    printf("%*s", OPTION_COLUMN, "");
    print_wrapped(text, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_option(const option_spec *spec) {
    char left[64];
    int length =
        snprintf(left, sizeof left, "  %c%c%s", spec->short_name ? '-' : ' ',
                 spec->short_name ? spec->short_name : ' ', spec->long_name && spec->short_name ? ", " : "");
    if (spec->long_name)
        length += snprintf(left + length, sizeof left - (size_t)length, "%s--%s",
                           spec->short_name ? "" : "  ", spec->long_name);
    if (spec->argument)
        length += snprintf(left + length, sizeof left - (size_t)length, "%c%s", spec->long_name ? '=' : ' ',
                           spec->argument);
    printf("%-*s", OPTION_COLUMN, left);
    if (length >= OPTION_COLUMN) printf("\n%*s", OPTION_COLUMN, "");
    print_wrapped(spec->help, OPTION_COLUMN, OPTION_COLUMN);
    if (spec->choices) print_choices(spec->choices);
}

static void print_group(const char *group, unsigned command_bit) {
    bool head_printed = false;
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const option_spec *spec = &option_table[i];
        if (!option_known(spec, command_bit) || strcmp(spec->group, group)) continue;
        if (!head_printed) printf("\n%s:\n", group);
        head_printed = true;
        print_option(spec);
    }
}

static void print_options(unsigned command_bit) {
    for (size_t i = 0; i < OPTION_GROUPS; i++) print_group(option_groups[i], command_bit);
}

static void print_usage(const command *c) {
    const char *lead = "Usage:";
    for (const char *form = c->usage; *form; form += strspn(form, "\n")) {
        int length = (int)strcspn(form, "\n");
        printf("%-6s stemma %s %.*s\n", lead, c->name, length, form);
        lead = "";
        form += length;
    }
}

/* no: what exit code 1 says, NULL where there is none. */
static void print_exit_codes(const char *no) {
    puts("\nExit codes:\n"
         "  0    done");
    if (no) printf("  1    done, and the answer is no: %s\n", no);
    puts("  2    wrong use, or input that cannot be read\n"
         "  3    the machine failed: disk, memory\n"
         "  130  interrupted");
}

void help_of_command(const command *c) {
    print_usage(c);
    putchar('\n');
    print_wrapped(c->purpose, 0, 0);
    print_options(c->mask);
    printf("\nExamples:\n%s", c->examples);
    print_exit_codes(c->no);
    printf("\nSee also: %s\n", c->see_also);
}

void help_of_program(void) {
    puts("Usage: stemma COMMAND [OPTION]... [DOCUMENT]...\n"
         "\n"
         "Which of these documents are really the same? Stemma finds the near-duplicates\n"
         "in a pile of documents, and says how closely two are related, and in which\n"
         "direction.\n"
         "\n"
         "Commands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-12s %s\n", command_list[i]->name, command_list[i]->summary);
    print_options(IN_HELP);
    puts("\nExamples:\n"
         "  stemma scan ~/documents\n"
         "  stemma compare draft.txt final.txt\n"
         "  stemma sketch --output=all.sketch *.txt\n"
         "  stemma help compare");
    print_exit_codes("the documents differ, nothing was found, damage was");
    puts("\nSee also: stemma(1), stemma-input(7), stemma-recipe(7)");
}

void help_in_brief(FILE *out) {
    fputs("  piles        scan, tree, undo, tune\n"
          "  documents    compare, diff, find, text\n"
          "  collections  add, query, seen, known, list, remove, info,\n"
          "               verify, backup, export, merge\n"
          "  sketches     sketch, show\n"
          "  trials       mutate, lab\n"
          "  this         help, completion, version\n"
          "Try 'stemma --help'.\n",
          out);
}

static void help_of_recipe(void) {
    puts("A recipe is everything that decides the bytes of a sketch: a view of the\n"
         "document, then what is kept of it. The default:\n"
         "  preset=text unit=word window=5 hash=mix width=64 seed=0;\n"
         "  oph n=2048 bits=1; mod n=32\n"
         "\n"
         "What can be kept (--scheme):\n"
         "  mod n=N             the fingerprints that are 0 mod N: containment too\n"
         "  min n=N             the N smallest; can be united\n"
         "  minmod n=N mod=M    the N smallest of those that are 0 mod M\n"
         "  level               those that are 0 mod 2^i, i by the size: containment too\n"
         "  minhash n=N bits=B  the minima of N hash functions; with bits=64 can be united\n"
         "  oph n=N bits=B      the minima of N bins; bits=1: resemblance with the\n"
         "                      smallest error for its bytes\n"
         "  bsw n=N             the smallest of each chunk of about N tokens\n"
         "  bsw-chunk n=N       a hash of each such chunk\n"
         "  simhash bits=B      64 or 128 bits: a cosine, not resemblance\n"
         "  signature n=N c=C alphabet=A positions=no\n"
         "                      a symbol of one window of N characters in C, in order: the\n"
         "                      edit distance; positions=yes: where documents differ, too\n"
         "  signature2011 n=N c=C k=K\n"
         "                      bits by sums, as Coates 2011 has them\n"
         "\n"
         "See also: stemma-recipe(7)");
}

static enum exit_code run(const options *o) {
    if (o->operand_count == 0) {
        help_of_program();
        return EXIT_DONE;
    }
    if (o->operand_count > 1) return wrong_use("help", "one command at a time");
    if (!strcmp(o->operands[0], "recipe")) {
        help_of_recipe();
        return EXIT_DONE;
    }
    const command *c = command_named(o->operands[0]);
    if (!c) return unknown_command(o->operands[0]);
    help_of_command(c);
    return EXIT_DONE;
}

const command command_help = {
    .name = "help",
    .mask = IN_HELP,
    .summary = "explain a command",
    .usage = "[COMMAND]\nrecipe",
    .purpose = "Shows what a command does, its options and examples; or the schemes of a recipe.",
    .examples = "  stemma help compare\n"
                "  stemma help recipe\n",
    .see_also = "stemma(1)",
    .run = run,
};

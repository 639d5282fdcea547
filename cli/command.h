/*
 * command.h - what a command is: its words for --help, and its function.
 */
#ifndef STEMMA_CLI_COMMAND_H
#define STEMMA_CLI_COMMAND_H

#include "options.h"
#include "output.h"

typedef struct command {
    const char *name;
    unsigned mask;        /* its bit in the table of options */
    const char *summary;  /* one line, for `stemma --help` */
    const char *usage;    /* what follows "stemma NAME", one form a line */
    const char *purpose;  /* a paragraph */
    const char *examples; /* lines as they are typed, with remarks */
    const char *see_also;
    const char *no; /* what exit code 1 says; NULL: it is not used */
    enum exit_code (*run)(const options *o);
    enum exit_code (*start)(
        char **argv); /* instead: it takes its arguments as they are, its own name first */
} command;

#define COMMAND_DECLARED(BIT, name) extern const command command_##name;
COMMAND_LIST(COMMAND_DECLARED)
#undef COMMAND_DECLARED
extern const command *const command_list[COMMAND_COUNT];

const command *command_named(const char *name); /* NULL when there is none; `name` may be NULL */

/* An unknown command's message, with a suggestion. */
enum exit_code unknown_command(const char *name);

void help_of_program(void);
void help_in_brief(FILE *out); /* the names of all commands */
void help_of_command(const command *c);

/* Set by SIGINT and SIGTERM; the library ends its work when it sees it. */
extern volatile int stop_requested;

/* What the library may use: --memory, and an end at stop_requested. */
stemma_limits limits_from(const options *o);

#endif

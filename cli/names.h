/*
 * names.h - lists of names in a file or on standard input: --files-from and --pairs-from.
 */
#ifndef STEMMA_CLI_NAMES_H
#define STEMMA_CLI_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "output.h"

typedef struct name_list {
    FILE *file;
    const char *path;
    int separator; /* '\n', or NUL with -0 */
    char *line;
    size_t capacity;
    unsigned long number; /* of the line read last */
    bool broken;          /* a NUL inside a line: the rest of a name would be lost without a word */
} name_list;

/* "-" is standard input. Complains when it cannot be opened. */
enum exit_code names_open(name_list *names, const char *path, bool null_separated);

/* The next name that is not empty, without its end; false at the end. Valid until the next call. */
bool names_next(name_list *names, char **name);

/* Closes; complains when reading ended with an error. */
enum exit_code names_close(name_list *names);

#endif

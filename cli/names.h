/*
 * names.h - lists of names in a file or on standard input: --files-from and --pairs-from.
 *
 * A list may be anything: a name has a longest length, and what is no name ends the list with a message.
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
    size_t length;
    unsigned long number; /* of the line read last */
    const char *trouble;  /* why the line read last ends the list, or NULL */
    int cause;            /* errno of a failure to read, or 0 */
} name_list;

/* "-" is standard input. Complains when it cannot be opened, or is a directory or a device. */
enum exit_code names_open(name_list *names, const char *path, bool null_separated);

/* The next name, without its end (LF, CR LF or NUL); lines that are empty are passed over. False at the end.
 * Valid until the next call. */
bool names_next(name_list *names, char **name);

const char *names_item(const name_list *names); /* what `number` counts: "line" or "name" */

/* Closes; complains when the list ended before its end. */
enum exit_code names_close(name_list *names);

#endif

/*
 * subjects.h - the documents that a collection is asked about: paths, and what standard input holds.
 */
#ifndef STEMMA_CLI_SUBJECTS_H
#define STEMMA_CLI_SUBJECTS_H

#include "collections.h"
#include "options.h"

typedef struct subjects {
    path_list list; /* "-" once at most: records, an archive or one document, which the library finds out */
    stemma_error trouble; /* its status is not OK where standard input could not be read */
} subjects;

/* Operands from the second on, and --files-from. Complains of what cannot be asked about at all; standard
 * input that cannot be read is one document among others. */
enum exit_code subjects_read(subjects *s, const char *verb, const options *o);
void subjects_tell_trouble(const subjects *s, void (*tell)(void *context, const stemma_scan_problem *problem),
                           void *context);
void subjects_release(subjects *s);

#endif

/* new_file.h - a file that appears whole, or not at all. */
#ifndef STEMMA_CLI_NEW_FILE_H
#define STEMMA_CLI_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "output.h"

typedef struct new_file {
    FILE *out;
    char *path;  /* a symbolic link stays one: this is its target */
    char *draft; /* the name it has until it gets its own; NULL when the path is written to directly */
    bool named;  /* the draft has its name */
} new_file;

/* False, and errno, when it cannot be made. A device or a pipe is written to as it stands. */
bool new_file_open(new_file *file, const char *path);

/* Gives the file its name. False, and errno, when anything written to it was lost, or when the name is taken
 * and is not to be replaced (EEXIST); then nothing is left of it. Releases in either case. */
bool new_file_keep(new_file *file, bool replace);

/* Nothing is left of it. */
void new_file_abandon(new_file *file);

/* Whether it could be made, by trying; nothing is left of that. If not, errno. */
bool new_file_possible(const char *path);

/* Said before the work: a file that exists is replaced only with --force, one of the inputs never. */
enum exit_code new_file_check(const char *path, char *const *inputs, size_t count, bool force);
/* Files in the folder of a collection are its own, also with --force. */
enum exit_code new_file_check_place(const char *path);
enum exit_code complain_of_document(const char *path);
enum exit_code complain_of_existing(const char *path);
/* That it cannot be written, or not replaced (EEXIST). */
enum exit_code complain_of_write(const char *path, int cause);

/* Whether both names lead to one file. */
bool is_same_file(const char *a, const char *b);
/* Also of files that do not exist yet. */
bool is_same_name(const char *a, const char *b);

#endif

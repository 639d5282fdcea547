/*
 * output.h - what reaches the terminal: messages, names made safe, numbers, colour, exit codes.
 */
#ifndef STEMMA_CLI_OUTPUT_H
#define STEMMA_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stemma.h>

/* EXIT_NO: done, and the answer to the question asked is no. */
enum exit_code { EXIT_DONE = 0, EXIT_NO = 1, EXIT_WRONG = 2, EXIT_MACHINE = 3, EXIT_INTERRUPTED = 130 };

/* The exit code a status stands for. */
enum exit_code exit_code_of(stemma_status status);

/* The graver of two exit codes. */
enum exit_code graver(enum exit_code a, enum exit_code b);

/* "stemma: message" on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message and "Try 'stemma COMMAND --help'."; returns EXIT_WRONG. */
enum exit_code wrong_use(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills `error` as the library does; returns `status`. */
stemma_status set_error(stemma_error *error, stemma_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Complains of a library error; returns its exit code. An interruption needs no words. */
enum exit_code complain_of(const stemma_error *error);
/* ... of one that ended the printing; where the output is lost, main() speaks of that. */
enum exit_code complain_unless_lost(const stemma_error *error);
/* The collection that is in use: where it is damaged, the way to mend it is told, too. */
void complain_of_collection(const char *path);

/* Complains of a document that there is nothing to `what` of ("compare"), unless as bytes. */
void complain_no_text(const char *name, const char *what);

/* "permission denied": an errno in words, as part of a sentence. Static for each thread. */
const char *cause_text(int number);

/* Whose lines and bytes are those of the text that was taken out of the document: "a", "a and b", ...; NULL:
 * of neither. */
const char *extracted_of(bool a, bool b);

/* Whether a write failed. To be asked soon after printing much: unless nobody reads, the cause is the errno
 * of that moment. */
bool output_lost(void);
bool output_on_terminal(void); /* asked between writes, where isatty() would take the place of the cause */

/* Sends on what was printed; returns false when that, or anything before, failed. */
bool flush_output(void);
bool output_unread(void); /* standard output is a pipe that nobody reads any more */

/* Flushes standard output for good; complains when something did not get through (but not of a closed pipe,
 * nor of an interruption). */
enum exit_code finish_output(void);

/* Memory or death: the command line has nothing to save. */
void *need(void *memory);
void *need_memory(size_t size);
void *need_more(void *old, size_t size);
char *need_copy(const char *text);

/* Text with control characters, bidirectional marks and invalid UTF-8 as \xHH. Free the result. */
char *safe_text(const char *text, size_t size);
void print_name(FILE *out, const char *name);

/* The beginning of a text on one line, at most `most` bytes of it and whole characters, made safe; "..."
 * behind it where more follows, of which `more` says whether it is beyond `size`. Free the result. */
char *excerpt_of(const char *text, size_t size, size_t most, bool more);

/* The length in bytes of the UTF-8 character at `text`, or 0 when it is not one. */
size_t utf8_length(const unsigned char *text, size_t size);

bool locale_is_utf8(void); /* whether to write arrows, or plain ASCII */

/* Escape sequences when standard output is a terminal that wants them, else "". */
typedef struct palette {
    const char *strong, *good, *bad, *moved, *faint, *end;
} palette;
palette palette_choose(void);

/* ".912", "-.041", "1", "0": three places, more where rounding would claim 0 or 1 falsely. */
const char *format_fraction(double value, char *buffer, size_t size);
/* The same of what may be an estimate, "~.912"; "?" where nothing is known. */
const char *format_quantity(const stemma_quantity *quantity, char *buffer, size_t size);
/* ".7": as short as it was given. */
const char *format_threshold(double value, char *buffer, size_t size);
/* "26,333" */
const char *format_count(uint64_t value, char *buffer, size_t size);
/* "812 B", "61.2 KB", "1.3 GB": powers of 1000. */
const char *format_bytes(uint64_t bytes, char *buffer, size_t size);
/* "97 %": rounded down, so that 100 % is all and what is below a threshold looks so; "<1 %" for the least. */
const char *format_percent(double share, char *buffer, size_t size);

#endif

/*
 * problems.h - documents that could not be read, or not all of them: said in words on standard error, or as
 * JSON lines.
 */
#ifndef STEMMA_CLI_PROBLEMS_H
#define STEMMA_CLI_PROBLEMS_H

#include "options.h"
#include "output.h"

#include <sys/types.h>

typedef struct problem_list {
    bool (*get)(const void *of, uint64_t index, stemma_scan_problem *problem); /* false: there is none */
    const void *of;
    uint64_t count;
    uint64_t documents; /* with those that could not be read; 0: whether any was is asked elsewhere */
    uint64_t spared;    /* of them, paths below which nothing was removed */
    const char *all;    /* what lists all of them; NULL: --json */
} problem_list;

/* listed: each is said, not only how many; rest: what follows behind that. */
void problems_report(const problem_list *list, bool listed, const char *rest);
uint64_t problems_damaged(const problem_list *list);            /* of them, documents that are used */
void problem_complain(stemma_status status, const char *cause); /* OK: it is a warning */
void problem_json(FILE *out, const stemma_scan_problem *problem);
void problems_json(const problem_list *list, FILE *out);

/* What was named on the command line, from the operand `first` on, is to be read: EXIT_WRONG where it was
 * not. Files that a folder turned out to have may be anything, and what is damaged was read as far as that
 * goes: that counts only where all that was named is, and nothing else was met. */
enum exit_code problems_code(const options *o, size_t first, const problem_list *list);

/* What was named, to be found by its paths and by the file that it is. */
typedef struct named_path {
    char *path;
    size_t operand;
} named_path;

typedef struct named_file {
    dev_t device;
    ino_t file;
    size_t operand;
} named_file;

typedef struct operand_set {
    named_path *paths;
    named_file *files;
    bool *met; /* of each operand: there was a problem with it */
    size_t operands, path_count, file_count, met_count;
} operand_set;

/* The same of problems that are told one by one, of which none is kept. */
typedef struct problem_teller {
    const options *options;
    operand_set named;
    uint64_t told, damaged; /* damaged: documents that are used */
    enum exit_code code;
} problem_teller;

void problem_teller_init(problem_teller *t, const options *o, size_t first);
void problem_tell(void *teller, const stemma_scan_problem *problem);
void problem_teller_end(const problem_teller *t); /* how many there were */
void problem_teller_release(problem_teller *t);

#endif

/*
 * problems.h - documents that could not be read: said in words on standard error, or as JSON lines.
 */
#ifndef STEMMA_CLI_PROBLEMS_H
#define STEMMA_CLI_PROBLEMS_H

#include "options.h"
#include "output.h"

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
void problems_json(const problem_list *list, FILE *out);

/* What was named on the command line, from the operand `first` on, is to be read: EXIT_WRONG where it was
 * not. Files that a folder turned out to have may be anything, and what is damaged was read as far as that
 * goes: that counts only where all that was named is, and nothing else was met. */
enum exit_code problem_code(const options *o, size_t first, const stemma_scan_problem *problem);
enum exit_code problems_code(const options *o, size_t first, const problem_list *list);

#endif

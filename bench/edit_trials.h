/*
 * The experiments of the papers on signatures (Coates 2011 and 2015), made again: a text, an edited copy, the
 * true distance and what the signatures say. bench/edit_accuracy prints them for real text,
 * tests/test_estimated.c holds them to bounds.
 */
#ifndef BENCH_EDIT_TRIALS_H
#define BENCH_EDIT_TRIALS_H

#include "align/signature/estimated.h"

enum trial_edit {
    TRIAL_SUBSTITUTE,    /* a share of the characters */
    TRIAL_INSERT_BLOCKS, /* of 500 characters */
    TRIAL_DELETE_LINES,  /* a line of so many characters */
    TRIAL_DELETE_BLOCKS, /* two blocks of lines, so many characters together */
    TRIAL_DELETE_WORDS,  /* so many characters, word by word */
    TRIAL_EMBED          /* between two other texts of its length */
};

struct trial {
    const char *name;
    enum trial_edit edit;
    double amount;
    size_t length;           /* of the text */
    uint32_t n, c, alphabet; /* of the signature */
    double most;             /* allowed error (root mean square), as a share of the unrelated distance */
    const char *paper;       /* the error that the paper gives, where it has this row */
};

extern const struct trial trials[];
extern const size_t trial_count;

/* Characters that a trial needs: the text itself and the other ones. */
#define TRIAL_TEXT ((size_t)90000)

struct trial_result {
    double truth, parity; /* true distance; C times the distance of the signatures */
    struct edit_estimate estimate;
};

/* text: TRIAL_TEXT bytes in lower case. Dies when memory runs out. */
struct trial_result run_trial(const struct trial *trial, const uint8_t *text, uint64_t seed);

/* Folds letters to lower case and everything else to single spaces, in place; returns the new size. */
size_t fold_plain(uint8_t *text, size_t size);

#endif

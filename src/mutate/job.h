/* A mutation at work: what it was asked for, its source of chance, and the text that comes of it. */
#ifndef MUTATE_JOB_H
#define MUTATE_JOB_H

#include "base/rng.h"
#include "mutate/tape.h"
#include "mutate/units.h"

struct job {
    const stemma_mutation *asked;
    struct tape tape;
    stemma_mutated_info info; /* available, changed */
    uint64_t chance;
};

/* `need` of `left` things, met one after the other: each choice is as likely as any other. */
struct choice {
    uint64_t left, need;
};

static inline bool choose(struct choice *choice, uint64_t *chance) {
    bool taken = choice->left && rng_below(chance, choice->left) < choice->need;
    choice->left -= choice->left > 0;
    choice->need -= taken;
    return taken;
}

/* How many of `available` things are meant, which may be more than there are. */
uint64_t amount_asked(const struct job *job, uint64_t available);
/* Never more than there are. */
uint64_t amount_of(const struct job *job, uint64_t available);

/* The words from the first-th on, `count` of them (at least 1): from the first one's begin to the last one's
 * end. */
struct span words_at(const uint8_t *text, size_t size, uint64_t first, uint64_t count);

/* The end of the white space at `at`. */
size_t skip_space(const uint8_t *text, size_t size, size_t at);

/* Writes a letter that stands somewhere in the text, and is not the one at `unit`; returns its bytes. */
size_t other_letter(struct job *job, struct span unit, uint8_t out[4]);

/* One function for each kind; failures other than refused memory are none. */
typedef void mutator(struct job *job);
mutator mutate_insert, mutate_remove_words, mutate_substitute, mutate_delete_lines; /* scattered.c */
mutator mutate_case, mutate_punctuation, mutate_ocr;                                /* signs.c */
mutator mutate_delete_blocks, mutate_cut, mutate_insert_blocks, mutate_excerpt;     /* blocks.c */
mutator mutate_shuffle, mutate_rewrap;                                              /* layout.c */

/* Has each of some units, chosen by chance, changed. The unit is not before what was changed last. */
typedef void unit_changer(struct job *job, struct span unit);
void mutate_some(struct job *job, enum units units, unit_changer *change);

#endif

/*
 * mutate.h - texts changed in a known way.
 */
#ifndef STEMMA_MUTATE_H
#define STEMMA_MUTATE_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A text changed in a known way, to see what a method makes of it. The same text, mutation and seed give the
 * same result on every machine. No character of UTF-8 is ever cut; a byte that is none is left alone where
 * characters are changed. A word is a run of letters and digits; a character of a script without spaces is a
 * word.
 */
typedef enum stemma_mutation_kind {
    STEMMA_MUTATE_INSERT = 0, /* "a " before words at random places, which may coincide; amount of words */
    STEMMA_MUTATE_INSERT_EVENLY = 1, /* the same, evenly spread */
    STEMMA_MUTATE_REMOVE_WORDS = 2,  /* with the white space behind them; amount of words */
    STEMMA_MUTATE_SUBSTITUTE =
        3, /* characters by others of the text; amount of characters, line ends aside */
    STEMMA_MUTATE_DELETE_LINES = 4,  /* here and there; amount of lines */
    STEMMA_MUTATE_DELETE_BLOCKS = 5, /* `blocks` blocks of lines; amount of lines in all */
    STEMMA_MUTATE_CUT = 6,           /* `blocks` passages; amount of words in all */
    STEMMA_MUTATE_INSERT_RANDOM =
        7, /* `blocks` passages of words that mean nothing; amount of words in all */
    STEMMA_MUTATE_INSERT_FOREIGN = 8, /* the same, passages of `other` */
    STEMMA_MUTATE_EXCERPT = 9,        /* one passage is left; amount of words */
    STEMMA_MUTATE_EMBED = 10,         /* such a passage, somewhere in `other` */
    STEMMA_MUTATE_SHUFFLE =
        11, /* paragraphs change places (lines, where nothing separates paragraphs); amount of them */
    STEMMA_MUTATE_REWRAP = 12, /* lines of at most `columns` characters; all of them, whatever the amount */
    STEMMA_MUTATE_CASE = 13,   /* words change to upper or lower case; amount of words that have case */
    STEMMA_MUTATE_PUNCTUATION = 14, /* signs become others; amount of signs */
    STEMMA_MUTATE_OCR = 15          /* misread, lost and torn as by a scanner; amount of letters */
} stemma_mutation_kind;
enum { STEMMA_MUTATION_KINDS = 16 };

/* "insert", "insert-evenly", ..., "ocr"; "" for what is no kind. */
STEMMA_API const char *stemma_mutation_name(stemma_mutation_kind kind);

/* What was done: these bytes of the text became those of the result. Whatever no operation names is as it
 * was. They are in the order of both texts; but those that moved are in the order of the result alone, and
 * nothing else happens with them. */
typedef enum stemma_operation_kind {
    STEMMA_OPERATION_INSERT = 0,
    STEMMA_OPERATION_DELETE = 1,
    STEMMA_OPERATION_REPLACE = 2, /* by as many characters, or others */
    STEMMA_OPERATION_MOVE = 3
} stemma_operation_kind;
STEMMA_API const char *stemma_operation_name(stemma_operation_kind kind); /* "insert" */

typedef struct stemma_operation {
    stemma_operation_kind kind;
    uint64_t a_begin, a_end, b_begin, b_end; /* bytes of the text, of the result */
} stemma_operation;
typedef stemma_status stemma_take_operation(void *context, const stemma_operation *operation,
                                            stemma_error *error);

/* Start from stemma_mutation_default(). */
typedef struct stemma_mutation {
    size_t size; /* of this struct, as the caller knows it */
    stemma_mutation_kind kind;
    uint64_t count;   /* the amount, as a number; 0: by share */
    double share;     /* the amount as a share of all there are, 0 to 1; rounded to whole ones: .1 */
    uint32_t blocks;  /* 1 */
    uint32_t columns; /* 72 */
    uint64_t seed;
    const void *other; /* another text */
    size_t other_size;
    stemma_take_operation *take; /* told each operation in its order, and none is kept; NULL: they are kept.
                                  * What it returns, if it is not OK, ends the work and is returned */
    void *context;
} stemma_mutation;
STEMMA_API stemma_mutation stemma_mutation_default(void);

typedef struct stemma_mutated_info {
    uint64_t available; /* words, lines, ...: what the amount is of */
    uint64_t changed; /* how many of them were inserted, deleted or changed; words of `other` around a passage
                         are inserted */
    uint64_t
        edits; /* characters inserted, deleted and replaced: the edit distance is at most this, and exactly
                * this where all are insertions or all deletions; where something moved, see moved */
    uint64_t moved; /* characters */
} stemma_mutated_info;

typedef struct stemma_mutated stemma_mutated;

/* An amount larger than what there is means all of it (of insertions as many as are asked for). A text that
 * has nothing of what is to be changed stays as it is. `text` and `other` are not kept. Errors: INVALID
 * (`other` is needed; a share beyond 0 to 1), NO_MEMORY, those of `take`. */
STEMMA_API stemma_status stemma_mutate(const void *text, size_t size, const stemma_mutation *mutation,
                                       stemma_mutated **out, stemma_error *error);
/* All belong to it. An operation has 40 bytes, and of a whole text there may be one for every character. */
STEMMA_API const char *stemma_mutated_text(const stemma_mutated *mutated, size_t *size);
STEMMA_API const stemma_operation *stemma_mutated_operations(const stemma_mutated *mutated, size_t *count);
STEMMA_API stemma_mutated_info stemma_mutated_get_info(const stemma_mutated *mutated);
STEMMA_API void stemma_mutated_free(stemma_mutated *mutated);

#ifdef __cplusplus
}
#endif

#endif

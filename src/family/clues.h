/*
 * Which of two texts is the younger, as far as the texts themselves tell.
 *
 * A number that was replaced by another in the same place (a year, a version, a count) has mostly grown, and
 * the younger text names the later dates. Both are looked for by words, whatever the tokens of the view.
 */
#ifndef FAMILY_CLUES_H
#define FAMILY_CLUES_H

#include "base/buf.h"
#include "base/error.h"

/* Of one text. */
struct clues {
    struct vec64 sites; /* numbers by the words before them: hash above, number below; sorted */
    struct vec64 dates; /* year, month, day as one number, latest first */
};

stemma_status clues_find(struct clues *clues, const uint8_t *text, size_t size, stemma_error *err);
void clues_release(struct clues *clues);

/* What speaks for b being the younger of the two (below 0: a). */
struct evidence {
    int32_t years, numbers; /* replaced by higher ones, less those replaced by lower ones */
    int32_t replaced;       /* numbers that are no years, in all */
    int32_t dates;          /* 1, 0 or -1: which of them names the latest date that the other does not */
};
struct evidence clues_weigh(const struct clues *a, const struct clues *b);

#endif

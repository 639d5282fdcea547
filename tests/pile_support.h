/* Piles of documents made by chance: random words, and copies in which some are others. */
#ifndef TESTS_PILE_SUPPORT_H
#define TESTS_PILE_SUPPORT_H

#include "base/error.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DOCUMENTS_MOST = 600 };

static uint64_t chance = 1;

struct pile {
    char *texts[DOCUMENTS_MOST];
    char ids[DOCUMENTS_MOST][16];
    bool gone[DOCUMENTS_MOST]; /* no longer in a collection that had them all */
    size_t count;
};

static inline void pile_add(struct pile *pile, const char *text) {
    assert_true(pile->count < DOCUMENTS_MOST);
    snprintf(pile->ids[pile->count], sizeof pile->ids[0], "d%03zu", pile->count);
    pile->texts[pile->count] = strdup(text);
    assert_non_null(pile->texts[pile->count]);
    pile->gone[pile->count++] = false;
}

static inline void pile_release(struct pile *pile) {
    for (size_t i = 0; i < pile->count; i++) free(pile->texts[i]);
}

/* Each word is followed by a space. */
static inline void random_words(char *out, size_t words, unsigned vocabulary) {
    size_t at = 0;
    for (size_t i = 0; i < words; i++)
        at += (size_t)sprintf(out + at, "w%u ", (unsigned)rng_below(&chance, vocabulary));
    out[at] = 0;
}

/* Each word is replaced with probability `rate`. */
static inline void mutate(const char *text, double rate, char *out) {
    size_t at = 0;
    while (*text) {
        const char *end = strchr(text, ' ');
        if (rng_unit(&chance) < rate)
            at += (size_t)sprintf(out + at, "x%u ", (unsigned)rng_below(&chance, 100000));
        else
            at += (size_t)sprintf(out + at, "%.*s ", (int)(end - text), text);
        text = end + 1;
    }
    out[at] = 0;
}

#endif

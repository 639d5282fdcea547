/* How many random rounds a test makes. STEMMA_TEST_EFFORT is a percentage of the usual number: less for slow
 * tools such as valgrind, which look for other things than rare inputs; more for a long search. */
#ifndef TESTS_EFFORT_H
#define TESTS_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static inline size_t effort(size_t full) {
    const char *text = getenv("STEMMA_TEST_EFFORT");
    size_t percent = text ? strtoul(text, NULL, 10) : 100;
    size_t rounds = full * percent / 100;
    return rounds ? rounds : 1;
}

/* Statistics over fewer rounds than they were designed for would fail by chance. */
static inline bool effort_is_full(void) {
    return effort(100) >= 100;
}

/* From one case to the next where all are listed: 1 at full effort. Odd, so that both parities come. */
static inline size_t effort_step(void) {
    return effort_is_full() ? 1 : (100 / effort(100)) | 1;
}

#endif

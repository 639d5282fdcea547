/* What the data of an experiment say about the paper's claims. Sentences are chosen by the data. */
#ifndef LAB_VERDICT_H
#define LAB_VERDICT_H

#include "base/buf.h"

#include <stdarg.h>

enum finding {
    FINDING_NOTE,    /* neither here nor there: something to know */
    FINDING_HOLDS,   /* the paper's claim, or a bound, holds */
    FINDING_DIFFERS, /* we find something else than the paper, and say why */
    FINDING_FAILS    /* what must hold does not: the run fails */
};

struct point {
    enum finding finding;
    char text[600];
};

struct verdict {
    struct point points[24];
    unsigned count;
};

/* Something that must hold, with the numbers that show whether it does. */
void claim(struct verdict *verdict, bool held, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Our data say something else than the paper does. */
void differs(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Something to know that says nothing about the claims. */
void note(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The gravest finding. */
enum finding verdict_of(const struct verdict *verdict);
/* The sentence for it. */
const char *finding_sentence(enum finding finding);

#endif

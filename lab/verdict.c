#include "verdict.h"

#include <stdio.h>

#define POINTS_MOST (sizeof((struct verdict *)0)->points / sizeof(struct point))

static void add(struct verdict *verdict, enum finding finding, const char *format, va_list more) {
    if (verdict->count == POINTS_MOST) return;
    struct point *point = &verdict->points[verdict->count++];
    point->finding = finding;
    vsnprintf(point->text, sizeof point->text, format, more);
}

void claim(struct verdict *verdict, bool held, const char *format, ...) {
    va_list more;
    va_start(more, format);
    add(verdict, held ? FINDING_HOLDS : FINDING_FAILS, format, more);
    va_end(more);
}

void differs(struct verdict *verdict, const char *format, ...) {
    va_list more;
    va_start(more, format);
    add(verdict, FINDING_DIFFERS, format, more);
    va_end(more);
}

void note(struct verdict *verdict, const char *format, ...) {
    va_list more;
    va_start(more, format);
    add(verdict, FINDING_NOTE, format, more);
    va_end(more);
}

enum finding verdict_of(const struct verdict *verdict) {
    enum finding gravest = FINDING_HOLDS;
    for (unsigned i = 0; i < verdict->count; i++)
        if (verdict->points[i].finding > gravest) gravest = verdict->points[i].finding;
    return gravest;
}

const char *finding_sentence(enum finding finding) {
    switch (finding) {
    case FINDING_NOTE:
    case FINDING_HOLDS:
        return "Agrees with what the paper says, its numbers included as far as it gives them.";
    case FINDING_DIFFERS:
        return "Agrees in part; where it differs, the reason is given.";
    case FINDING_FAILS:
        break;
    }
    return "Disagrees: something that must hold does not.";
}

/*
 * diff_view.h - two documents laid out for a reader: their lines, what is marked in them, and which line
 * stands beside which.
 *
 * Marks are made by tokens, lines are the original's: a text that was only wrapped anew has no marks. The
 * terminal and the page show the same model.
 */
#ifndef STEMMA_CLI_DIFF_VIEW_H
#define STEMMA_CLI_DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <stemma.h>

enum { NOT_MOVED = -1 };

typedef struct span {
    size_t begin, end;
} span;

/* A marked stretch of an original: it is part of a difference, and perhaps of a passage that was moved. */
typedef struct mark {
    size_t begin, end;
    size_t difference;
    long moved; /* index of the passage, or NOT_MOVED */
} mark;

typedef struct side {
    const char *name;
    const stemma_text *text;
    const char *source;
    size_t size;
    bool exact;    /* white space counts */
    size_t *lines; /* where each begins; one more for the end */
    size_t line_count;
    size_t *row_of; /* by line, counted from 1 */
    span *spans;    /* by difference: what is marked of it, or the empty place where it would stand */
    mark *marks;    /* the spans, cut where moved passages begin and end; in order, apart */
    size_t mark_count;
} side;

/* Lines that stand beside each other; counted from 1, 0: none. A block of rows begins where both documents
 * are at the same place of their alignment, and so the lines of a block tell the same part of either. */
typedef struct row {
    size_t a, b, block;
    bool changed;
    bool separate; /* of its block: some change is not within a line, so that lines of a stand before those of
                      b */
} row;

typedef struct diff_view {
    side a, b;
    const stemma_difference *differences;
    size_t difference_count;
    bool *in_line; /* by difference: to be shown within the line of b that it stands in */
    const stemma_passage *shared;
    size_t shared_count;
    row *rows;
    size_t row_count, row_cap;
} diff_view;

/* The documents and what is known of them. */
typedef struct diff_pair {
    const char *a_name, *b_name;
    const stemma_text *a, *b;
    const stemma_difference *differences;
    size_t difference_count;
    const stemma_passage *shared;
    size_t shared_count;
    bool exact;
} diff_pair;

void view_init(diff_view *view, const diff_pair *pair);
void view_release(diff_view *view);

/* A line without its end (a CR that counts is part of it); *size may be 0. */
const char *view_line(const side *s, size_t line, size_t *size);

static inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Parts of view_init: spans and marks, then rows. */
void view_find_marks(diff_view *view);
void view_find_rows(diff_view *view);

/* A place with all around it up to the tokens before and behind. */
span view_room(const side *s, const stemma_place *place);

/* The line that a byte stands in; the last for the end. 0 when there is none. */
size_t view_line_of(const side *s, size_t at);

/* The first difference whose place in b is not before `at`. */
size_t view_difference_from(const diff_view *view, size_t at);

/* Whether what is common to both differs in bytes: it is shown as b has it. */
bool view_hides_something(const diff_view *view);

/* The first mark that ends behind `at`, by halving; mark_count when there is none. */
size_t view_mark_from(const side *s, size_t at);

bool view_is_marked(const side *s, size_t line);

/* Which rows to show: those within `context` of a change. Free the result. */
bool *view_choose_rows(const diff_view *view, size_t context);

/* Tokens of a and of b that are part of a difference. */
typedef struct diff_counts {
    size_t a_tokens, b_tokens, a_changed, b_changed, moved;
} diff_counts;
diff_counts view_count(const diff_view *view);

#endif

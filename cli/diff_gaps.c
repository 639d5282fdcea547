/*
 * Differences between tokens.
 *
 * Tokens are aligned; what separates them (white space under preset raw) is part of the canonical text all
 * the same. Where it differs between two tokens in common, that is a difference without tokens.
 */
#include "diff_gaps.h"

#include <string.h>

#include "output.h"

/* What stands before a token, or at the end. */
typedef struct gap {
    size_t begin, end; /* in the canonical text */
    uint64_t source_begin, source_end;
} gap;

static gap gap_before(const stemma_text *text, size_t token) {
    stemma_token found;
    gap g = {0};
    size_t source_size;
    if (token > 0) {
        stemma_text_token(text, token - 1, &found, NULL);
        g.begin = found.end;
        g.source_begin = found.source_end;
    }
    if (token < stemma_text_token_count(text)) {
        stemma_text_token(text, token, &found, NULL);
        g.end = found.begin;
        g.source_end = found.source_begin;
    } else {
        stemma_text_data(text, &g.end);
        stemma_text_source(text, &source_size);
        g.source_end = source_size;
    }
    return g;
}

static stemma_place place_of(const stemma_text *text, const gap *g, size_t token) {
    stemma_place place = {
        .begin = g->source_begin, .end = g->source_end, .first_token = token, .end_token = token};
    place.first_line = stemma_text_line(text, place.begin);
    place.last_line = place.end > place.begin ? stemma_text_line(text, place.end - 1) : place.first_line;
    return place;
}

static bool gap_differs(const stemma_text *a, const gap *in_a, const stemma_text *b, const gap *in_b) {
    size_t size = in_a->end - in_a->begin, ignored;
    return size != in_b->end - in_b->begin || memcmp(stemma_text_data(a, &ignored) + in_a->begin,
                                                     stemma_text_data(b, &ignored) + in_b->begin, size);
}

static void add(difference_list *list, stemma_difference difference) {
    if (list->count == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->differences = need_more(list->differences, list->cap * sizeof *list->differences);
    }
    list->differences[list->count++] = difference;
}

static void add_gap(difference_list *list, const stemma_text *a, size_t a_token, const stemma_text *b,
                    size_t b_token) {
    gap in_a = gap_before(a, a_token), in_b = gap_before(b, b_token);
    if (!gap_differs(a, &in_a, b, &in_b)) return;
    stemma_change kind = in_a.begin == in_a.end   ? STEMMA_CHANGE_INSERT
                         : in_b.begin == in_b.end ? STEMMA_CHANGE_DELETE
                                                  : STEMMA_CHANGE_REPLACE;
    add(list, (stemma_difference){kind, place_of(a, &in_a, a_token), place_of(b, &in_b, b_token)});
}

/* The gaps beside a difference of tokens are part of it. */
difference_list differences_with_gaps(const stemma_text *a, const stemma_text *b,
                                      const stemma_alignment *alignment) {
    difference_list list = {0};
    size_t count, a_token = 0, b_token = 0, tokens = stemma_text_token_count(a);
    const stemma_difference *differences = stemma_alignment_differences(alignment, &count);
    for (size_t i = 0; i <= count; i++) {
        const stemma_difference *d = i < count ? &differences[i] : NULL;
        size_t end = d ? d->a.first_token : tokens + 1, skip = i > 0;
        for (size_t k = a_token + skip; k < end; k++) add_gap(&list, a, k, b, b_token + (k - a_token));
        if (!d) break;
        add(&list, *d);
        a_token = d->a.end_token;
        b_token = d->b.end_token;
    }
    return list;
}

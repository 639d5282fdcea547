/* How the edits of a pair look: three kinds of lines in a verdict, and JSON. */
#include "edits.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES_SHOWN = 5 };

static const char *unit_noun(const stemma_edit *edit, double count) {
    if (edit->unit == STEMMA_EDIT_BYTES) return count == 1 ? "byte" : "bytes";
    return count == 1 ? "character" : "characters";
}

static const char *whole(double value, char buffer[32]) {
    return format_count((uint64_t)llround(value), buffer, 32);
}

/* ---- how far apart ---- */

static void print_distance(const stemma_edit *edit) {
    char value[32], low[32], high[32], most[32], more[32];
    const stemma_quantity *d = &edit->distance;
    uint64_t longer = edit->length_a > edit->length_b ? edit->length_a : edit->length_b;
    if (edit->more_than) printf("more than %s; ", format_count(edit->more_than, more, sizeof more));
    if (!d->known) {
        printf("not known: %s\n", d->why ? d->why : "no reason given");
        return;
    }
    if (d->exact)
        printf("%s of %s %s, exact\n", whole(d->value, value), format_count(longer, most, sizeof most),
               unit_noun(edit, (double)longer));
    else
        printf("about %s of %s %s, 95 %% between %s and %s\n", whole(d->value, value),
               format_count(longer, most, sizeof most), unit_noun(edit, (double)longer), whole(d->low, low),
               whole(d->high, high));
}

/* What the distance is to be held against. */
static void print_unrelated(const stemma_edit *edit) {
    char value[32];
    printf("texts of these lengths differ by about %s", whole(edit->unrelated.value, value));
    if (edit->p_unrelated < 1e-9)
        puts("; alike by chance: p < 10^-9");
    else if (edit->p_unrelated < .01)
        printf("; alike by chance: p < %.1g\n", edit->p_unrelated);
    else if (edit->kind == STEMMA_EDITS_UNRELATED)
        puts("; these are no more alike");
    else
        putchar('\n');
}

/* ---- of what kind ---- */

static void print_kind(const edits *e) {
    size_t count = 0;
    char all[32], blocks[32];
    if (e->alignment) stemma_alignment_differences(e->alignment, &count);
    fputs(stemma_edit_kind_name(e->edit.kind), stdout);
    switch (e->edit.kind) {
    case STEMMA_EDITS_MIXED:
        if (count)
            printf(": %s differences, %s of them blocks\n", format_count(count, all, sizeof all),
                   format_count(e->edit.blocks, blocks, sizeof blocks));
        else
            printf(": %s blocks and scattered edits\n", format_count(e->edit.blocks, blocks, sizeof blocks));
        break;
    case STEMMA_EDITS_BLOCKS:
        printf(": %s\n", format_count(e->edit.blocks, blocks, sizeof blocks));
        break;
    case STEMMA_EDITS_SCATTERED:
        if (count) printf(": %s", format_count(count, all, sizeof all));
        putchar('\n');
        break;
    case STEMMA_EDITS_NONE:
    case STEMMA_EDITS_UNRELATED:
    case STEMMA_EDITS_UNKNOWN:
        putchar('\n');
        break;
    }
}

/* ---- where ---- */

/* What is printed of a difference, from an alignment or from signatures. */
typedef struct shown_place {
    uint64_t begin, end, first_line, last_line;
} shown_place;

typedef struct shown {
    stemma_change kind;
    shown_place a, b;
    size_t order;
} shown;

static shown_place exact_place(const stemma_place *place) {
    return (shown_place){place->begin, place->end, place->first_line, place->last_line};
}

static shown_place likely_place(const edits *e, const stemma_stretch *stretch) {
    if (e->bytes_known) return (shown_place){.begin = stretch->byte_begin, .end = stretch->byte_end};
    return (shown_place){.begin = stretch->begin, .end = stretch->end};
}

static shown *all_places(const edits *e, size_t *count) {
    const stemma_difference *differences = NULL;
    *count = e->region_count;
    if (e->alignment) differences = stemma_alignment_differences(e->alignment, count);
    shown *places = need_memory((*count + 1) * sizeof *places);
    for (size_t i = 0; i < *count; i++) {
        if (differences)
            places[i] = (shown){differences[i].kind, exact_place(&differences[i].a),
                                exact_place(&differences[i].b), i};
        else
            places[i] = (shown){e->regions[i].kind, likely_place(e, &e->regions[i].a),
                                likely_place(e, &e->regions[i].b), i};
    }
    return places;
}

static uint64_t extent(const shown *s) {
    return (s->a.end - s->a.begin) + (s->b.end - s->b.begin);
}

static int by_place(const void *x, const void *y) {
    const shown *a = x, *b = y;
    return a->order < b->order ? -1 : 1;
}

/* Larger first; of two alike, the one that comes first. */
static int by_extent(const void *x, const void *y) {
    const shown *a = x, *b = y;
    if (extent(a) != extent(b)) return extent(a) < extent(b) ? 1 : -1;
    return by_place(x, y);
}

/* bytes: of what has no lines. */
static void print_place(const char *name, const shown_place *place, const char *unit, bool bytes) {
    unsigned long long begin = place->begin, end = place->end;
    if (place->first_line && bytes)
        printf("  %s bytes %llu-%llu", name, begin, end);
    else if (!place->first_line)
        printf("  %s about %s %llu-%llu", name, unit, begin, end);
    else if (place->first_line == place->last_line)
        printf("  %s line %llu (bytes %llu-%llu)", name, (unsigned long long)place->first_line, begin, end);
    else
        printf("  %s lines %llu-%llu (bytes %llu-%llu)", name, (unsigned long long)place->first_line,
               (unsigned long long)place->last_line, begin, end);
}

static const char *place_unit(const edits *e) {
    return e->bytes_known ? "bytes" : unit_noun(&e->edit, 2);
}

static unsigned long long widest_margin(const edits *e) {
    uint64_t widest = 0;
    for (size_t i = 0; i < e->region_count; i++) {
        if (e->regions[i].a.margin > widest) widest = e->regions[i].a.margin;
        if (e->regions[i].b.margin > widest) widest = e->regions[i].b.margin;
    }
    return widest;
}

static void print_places(const edits *e, void (*label)(const palette *p, const char *text),
                         const palette *p) {
    size_t count;
    char left[32];
    shown *places = all_places(e, &count);
    size_t most = count < PLACES_SHOWN ? count : PLACES_SHOWN;
    qsort(places, count, sizeof *places, by_extent);
    qsort(places, most, sizeof *places, by_place);
    for (size_t i = 0; i < most; i++) {
        label(p, i ? "" : "where");
        printf("%-7s", stemma_change_name(places[i].kind));
        print_place("a", &places[i].a, place_unit(e), e->edit.unit == STEMMA_EDIT_BYTES);
        print_place("b", &places[i].b, place_unit(e), e->edit.unit == STEMMA_EDIT_BYTES);
        putchar('\n');
    }
    if (most < count) {
        label(p, "");
        printf("and %s smaller%s\n", format_count(count - most, left, sizeof left),
               e->alignment ? "; 'stemma diff' shows all" : "");
    }
    const char *extracted = extracted_of(e->extracted[0], e->extracted[1]);
    if (count && e->alignment && extracted) {
        label(p, "");
        printf("places of %s are in the text, as 'stemma text --extracted' prints it\n", extracted);
    }
    if (count && !e->alignment && !e->bytes_known) {
        label(p, "");
        printf("places may be off by %llu; sketches made with --positions know them\n", widest_margin(e));
    }
    free(places);
}

void edits_print(const edits *e, void (*label)(const palette *p, const char *text), const palette *p) {
    label(p, "edit distance");
    print_distance(&e->edit);
    if (e->edit.unrelated.known && e->edit.kind != STEMMA_EDITS_NONE) {
        label(p, "unrelated");
        print_unrelated(&e->edit);
    }
    if (e->edit.kind != STEMMA_EDITS_NONE && e->edit.kind != STEMMA_EDITS_UNKNOWN) {
        label(p, "differences");
        print_kind(e);
    }
    if (e->edit.kind != STEMMA_EDITS_UNRELATED) print_places(e, label, p);
}

/* ---- JSON ---- */

static void print_regions_json(json *line, const edits *e) {
    json_word(line, "offsets",
              e->bytes_known                      ? "bytes of the text, about"
              : e->edit.unit == STEMMA_EDIT_BYTES ? "bytes, about"
                                                  : "characters of the canonical text, about");
    json_open(line, "differences", '[');
    for (size_t i = 0; i < e->region_count; i++) {
        json_open(line, NULL, '{');
        json_word(line, "kind", stemma_change_name(e->regions[i].kind));
        json_stretch(line, "a", &e->regions[i].a, e->bytes_known);
        json_stretch(line, "b", &e->regions[i].b, e->bytes_known);
        json_close(line, '}');
    }
    json_close(line, ']');
}

static enum places places_of(const edits *e, int side) {
    return e->canonical[side] ? PLACES_CANONICAL : e->extracted[side] ? PLACES_EXTRACTED : PLACES_ORIGINAL;
}

void edits_print_json(const edits *e, json *line) {
    const stemma_edit *edit = &e->edit;
    json_open_quantity(line, "edit", &edit->distance);
    if (edit->more_than) json_count(line, "more_than", edit->more_than);
    json_quantity(line, "unrelated", &edit->unrelated);
    json_number(line, "p_unrelated", edit->p_unrelated);
    json_word(line, "kind", stemma_edit_kind_name(edit->kind));
    json_count(line, "blocks", edit->blocks);
    json_word(line, "unit", edit->unit == STEMMA_EDIT_BYTES ? "bytes" : "characters");
    json_count(line, "length_a", edit->length_a);
    json_count(line, "length_b", edit->length_b);
    json_close(line, '}');
    if (e->regions) print_regions_json(line, e);
    if (!e->alignment) return;
    json_offsets_of_pair(line, places_of(e, 0), places_of(e, 1));
    size_t count;
    const stemma_difference *differences = stemma_alignment_differences(e->alignment, &count);
    json_differences(line, differences, count);
    json_shared(line, e->alignment);
}

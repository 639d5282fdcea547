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
    printf("about %s", whole(edit->unrelated.value, value));
    if (edit->p_unrelated < 1e-9)
        puts("; chance agrees as much in less than 1 of 10^9 pairs");
    else if (edit->p_unrelated < 1)
        printf("; chance agrees as much in at most %.2g of such pairs\n", edit->p_unrelated);
    else
        puts("; chance agrees as much");
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

static uint64_t extent(const stemma_difference *d) {
    return (d->a.end - d->a.begin) + (d->b.end - d->b.begin);
}

/* Larger first; of two alike, the one that comes first. */
static int by_extent(const void *x, const void *y) {
    const stemma_difference *a = *(const stemma_difference *const *)x,
                            *b = *(const stemma_difference *const *)y;
    if (extent(a) != extent(b)) return extent(a) < extent(b) ? 1 : -1;
    return a < b ? -1 : 1;
}

static int by_place(const void *x, const void *y) {
    const stemma_difference *a = *(const stemma_difference *const *)x,
                            *b = *(const stemma_difference *const *)y;
    return a < b ? -1 : 1;
}

static void print_place(const char *name, const stemma_place *place) {
    char lines[48];
    if (place->first_line == place->last_line)
        snprintf(lines, sizeof lines, "line %llu", (unsigned long long)place->first_line);
    else
        snprintf(lines, sizeof lines, "lines %llu-%llu", (unsigned long long)place->first_line,
                 (unsigned long long)place->last_line);
    printf("  %s %s (bytes %llu-%llu)", name, lines, (unsigned long long)place->begin,
           (unsigned long long)place->end);
}

static void print_places(const edits *e, void (*label)(const palette *p, const char *text),
                         const palette *p) {
    size_t count, shown;
    const stemma_difference *all = stemma_alignment_differences(e->alignment, &count);
    const stemma_difference **largest = need_memory((count + 1) * sizeof *largest);
    for (size_t i = 0; i < count; i++) largest[i] = &all[i];
    shown = count < PLACES_SHOWN ? count : PLACES_SHOWN;
    qsort(largest, count, sizeof *largest, by_extent);
    qsort(largest, shown, sizeof *largest, by_place);
    for (size_t i = 0; i < shown; i++) {
        label(p, i ? "" : "where");
        printf("%-7s", stemma_change_name(largest[i]->kind));
        print_place("a", &largest[i]->a);
        print_place("b", &largest[i]->b);
        putchar('\n');
    }
    if (shown < count) {
        label(p, "");
        printf("and %zu smaller ones; 'stemma diff' shows them all\n", count - shown);
    }
    free(largest);
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
    if (e->alignment && e->edit.kind != STEMMA_EDITS_UNRELATED) print_places(e, label, p);
}

/* ---- JSON ---- */

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
    if (!e->alignment) return;
    json_word(line, "offsets", "bytes of the original");
    json_differences(line, e->alignment);
    json_shared(line, e->alignment);
}

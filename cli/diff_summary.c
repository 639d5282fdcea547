/* Differences and passages in words and numbers. */
#include "diff_print.h"

#include <stdlib.h>

#include "command.h"

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

/* Line numbers are of what is shown, which need not be the file. */
static void write_whose_lines(FILE *out, const diff_view *view) {
    const char *extracted =
        extracted_of(stemma_text_is_extracted(view->a.text), stemma_text_is_extracted(view->b.text));
    if (extracted) fprintf(out, "; lines of %s are of the text taken out of it", extracted);
}

void write_summary(FILE *out, const diff_view *view, const char *unit) {
    diff_counts n = view_count(view);
    char text[5][32];
    size_t count = view->difference_count;
    fprintf(out, "%s difference%s: %s of %s %s deleted, %s of %s inserted", format_count(count, text[0], 32),
            plural(count), format_count(n.a_changed, text[1], 32), format_count(n.a_tokens, text[2], 32),
            unit, format_count(n.b_changed, text[3], 32), format_count(n.b_tokens, text[4], 32));
    if (n.moved)
        fprintf(out, "; %s passage%s moved or copied", format_count(n.moved, text[0], 32), plural(n.moved));
    write_whose_lines(out, view);
}

/* ---- passages ---- */

static void print_place(const char *label, const side *s, const stemma_place *place) {
    printf("  %s  ", label);
    print_name(stdout, s->name);
    if (place->first_line == place->last_line)
        printf(", line %llu", (unsigned long long)place->first_line);
    else
        printf(", lines %llu-%llu", (unsigned long long)place->first_line,
               (unsigned long long)place->last_line);
    printf(", bytes %llu-%llu\n", (unsigned long long)place->begin, (unsigned long long)place->end);
}

static void print_excerpt(const side *s, const stemma_place *place) {
    enum { MOST = 100 };
    char *excerpt = excerpt_of(s->source + place->begin, (size_t)(place->end - place->begin), MOST, false);
    printf("     %s\n", excerpt);
    free(excerpt);
}

/* Tokens of a that stand in some passage: stretches of a may overlap. */
static size_t covered_in_a(const diff_view *view) {
    size_t count = stemma_text_token_count(view->a.text), covered = 0;
    bool *in_passage = need_memory(count);
    for (size_t i = 0; i < view->shared_count; i++)
        for (size_t k = view->shared[i].a.first_token; k < view->shared[i].a.end_token; k++) {
            covered += !in_passage[k];
            in_passage[k] = true;
        }
    free(in_passage);
    return covered;
}

static void print_share(const char *label, size_t covered, size_t count, const char *end) {
    char share[32];
    printf("%s of %s%s", format_fraction(count ? (double)covered / (double)count : 0, share, sizeof share),
           label, end);
}

void print_passages(const diff_view *view, const char *unit) {
    palette p = palette_choose();
    size_t covered_in_b = 0, count = view->shared_count;
    char text[32];
    for (size_t i = 0; i < count && !stop_requested && !output_lost(); i++) {
        const stemma_passage *passage = &view->shared[i];
        printf("%s%zu. %s %s%s%s\n", p.strong, i + 1, format_count(passage->tokens, text, sizeof text), unit,
               passage->moved ? ", moved or copied" : "", p.end);
        print_place("a", &view->a, &passage->a);
        print_place("b", &view->b, &passage->b);
        print_excerpt(&view->b, &passage->b);
        covered_in_b += passage->tokens;
    }
    printf("%s passage%s: ", format_count(count, text, sizeof text), plural(count));
    print_share("a, ", covered_in_a(view), stemma_text_token_count(view->a.text), "");
    print_share("b", covered_in_b, stemma_text_token_count(view->b.text), "");
    write_whose_lines(stdout, view);
    putchar('\n');
}

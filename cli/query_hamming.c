/* stemma query --hamming: documents whose fingerprints differ in few bits, as the collection keeps them. */
#include "query_hamming.h"

#include "json.h"
#include "problems.h"
#include "query_print.h"
#include "reading_options.h"

#include <string.h>

typedef struct hamming_asking {
    const options *options;
    stemma_hamming_options how;
    stemma_scan_options reading;
    progress progress;
    stemma_hamming_summary sum;
    query_printer printer;
    uint64_t place, given; /* the document at hand, and how many matches it had */
    problem_teller problems;
} hamming_asking;

/* ---- printing ---- */

static void print_json(const stemma_hamming_match *m) {
    json line = json_begin(stdout);
    json_name(&line, "query", m->query);
    json_name(&line, "id", m->id);
    json_count(&line, "distance", m->distance);
    json_quantity(&line, "resemblance", &m->resemblance);
    json_end(&line);
}

static void print_words(hamming_asking *a, const stemma_hamming_match *m) {
    const palette p = palette_choose();
    char number[32];
    if (a->given == 1) {
        if (a->printer.shown++) putchar('\n');
        printf("%s", p.strong);
        print_name(stdout, m->query);
        printf("%s\n", p.end);
        if (!a->options->quiet) printf("  %s%8s %9s%s\n", p.faint, "distance", "resembl.", p.end);
    }
    printf("  %8u %9s  ", m->distance, format_quantity(&m->resemblance, number, sizeof number));
    print_name(stdout, m->id);
    putchar('\n');
}

static stemma_status print_match(void *context, const stemma_hamming_match *m, stemma_error *error) {
    hamming_asking *a = context;
    const long top = a->options->top;
    progress_erase(&a->progress);
    if (output_lost()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    if (!a->given || a->place != m->place) a->given = 0;
    a->place = m->place;
    a->given++;
    if (top > 0 && a->given > (uint64_t)top) return STEMMA_OK;
    if (a->options->json)
        print_json(m);
    else
        print_words(a, m);
    return STEMMA_OK;
}

static void tell_question(void *context, const stemma_question *q) {
    hamming_asking *a = context;
    if (q->found || output_lost()) return;
    progress_erase(&a->progress);
    if (a->options->json)
        query_print_none_json(q);
    else
        query_print_none(&a->printer, q);
}

/* For --explain. */
static void explain_json(const stemma_hamming_summary *s) {
    json line = json_begin(stdout);
    json_open(&line, "explain", '{');
    json_count(&line, "documents", s->documents);
    json_count(&line, "found", s->found);
    json_word(&line, "via", stemma_via_name(s->used));
    json_count(&line, "bits", s->bits);
    json_count(&line, "radius", s->radius);
    json_count(&line, "groups", s->groups);
    json_count(&line, "combinations", s->combinations);
    json_count(&line, "searches", s->searches);
    json_count(&line, "postings", s->postings);
    json_count(&line, "candidates", s->candidates);
    json_count(&line, "distances", s->distances);
    if (s->without_bits) json_count(&line, "without_bits", s->without_bits);
    json_number(&line, "seconds_reading", s->seconds_reading);
    json_number(&line, "seconds_finding", s->seconds);
    json_close(&line, '}');
    json_end(&line);
}

static void explain_count(const char *label, uint64_t count) {
    char number[32];
    if (count) printf("  %-12s %s\n", label, format_count(count, number, sizeof number));
}

static void explain(const stemma_hamming_summary *s) {
    printf("\n  %-12s %s: at most %u of %u bits differ, in %u groups\n", "via", stemma_via_name(s->used),
           s->radius, s->bits, s->groups);
    explain_count("choices", s->combinations);
    explain_count("lookups", s->searches);
    explain_count("postings", s->postings);
    explain_count("candidates", s->candidates);
    explain_count("distances", s->distances);
    printf("  %-12s %.2f ms\n", "reading", s->seconds_reading * 1e3);
    printf("  %-12s %.2f ms\n", "finding", s->seconds * 1e3);
}

/* ---- asking ---- */

static stemma_status ask_all(hamming_asking *a, stemma_collection *c, const subjects *s,
                             stemma_error *error) {
    if (s->list.count == 0) return STEMMA_OK;
    return stemma_collection_hamming(c, (const char *const *)s->list.paths, s->list.count, &a->how,
                                     print_match, a, &a->sum, error);
}

static void set_options(hamming_asking *a) {
    const options *o = a->options;
    a->how = stemma_hamming_options_default();
    a->reading = reading_options(o, &a->progress);
    a->how.reading = &a->reading;
    if (o->threshold >= 0) a->how.resemblance = o->threshold;
    if (o->via) a->how.via = (stemma_via)(o->via - 1);
    a->how.problem = problem_tell;
    a->how.problem_context = &a->problems;
    a->how.asked = tell_question;
    a->how.asked_context = a;
}

static void warn_of_missing(const options *o, uint64_t without_bits) {
    char text[64];
    if (without_bits && !o->quiet)
        complain("warning: %s without a fingerprint cannot be found by it, until added again",
                 count_of_documents(without_bits, text, sizeof text));
}

static enum exit_code conclude(const hamming_asking *a) {
    const options *o = a->options;
    const stemma_hamming_summary *s = &a->sum;
    warn_of_missing(o, s->without_bits);
    if (o->explain && s->documents) {
        if (o->json)
            explain_json(s);
        else
            explain(s);
    }
    problem_teller_end(&a->problems);
    if (s->problems && (s->documents == s->problems - a->problems.damaged || o->strict)) return EXIT_WRONG;
    return graver(a->problems.code, s->found ? EXIT_DONE : EXIT_NO);
}

enum exit_code query_hamming(const options *o, stemma_collection *c, const subjects *s) {
    hamming_asking a = {.options = o, .printer = {.options = o}};
    stemma_error error;
    set_options(&a);
    problem_teller_init(&a.problems, o, 1);
    subjects_tell_trouble(s, problem_tell, &a.problems);
    progress_begin(&a.progress, o->quiet);
    stemma_status status = ask_all(&a, c, s, &error);
    progress_erase(&a.progress);
    enum exit_code code = status ? complain_unless_lost(&error) : conclude(&a);
    problem_teller_release(&a.problems);
    return code;
}

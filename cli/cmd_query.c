/* stemma query: what a collection has that is like these documents. */
#include "collections.h"
#include "command.h"
#include "problems.h"
#include "query_hamming.h"
#include "query_print.h"
#include "reading_options.h"
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

typedef struct asking {
    const options *options;
    stemma_collection *collection;
    stemma_query_options how;
    stemma_scan_options reading;
    progress progress;
    query_printer printer;
    problem_teller problems;
    stemma_query_summary sum;
    uint64_t new; /* documents without a match */
} asking;

static stemma_status print_match(void *context, const stemma_match *m, stemma_error *error) {
    asking *a = context;
    progress_erase(&a->progress);
    if (output_lost()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    if (a->options->json)
        query_print_match_json(a->options, m);
    else
        query_print_match(&a->printer, m);
    return STEMMA_OK;
}

/* Nobody said how many matches are enough. */
static void tell_rest(const asking *a, const stemma_question *q) {
    const options *o = a->options;
    if (o->json || o->family || o->top >= 0 || q->found < a->how.top) return;
    printf("  the best %zu; there may be more (--top=0 has all)\n", a->how.top);
}

static void tell_question(void *context, const stemma_question *q) {
    asking *a = context;
    if (q->found) tell_rest(a, q);
    if (q->found || output_lost()) return;
    progress_erase(&a->progress);
    a->new += !q->empty;
    if (a->options->json)
        query_print_none_json(q);
    else
        query_print_none(&a->printer, q);
}

static stemma_status ask_paths(asking *a, const subjects *s, stemma_error *error) {
    if (s->list.count == 0) return STEMMA_OK;
    return stemma_collection_query(a->collection, (const char *const *)s->list.paths, s->list.count, &a->how,
                                   print_match, a, &a->sum, error);
}

static void set_options(asking *a) {
    const options *o = a->options;
    a->how = stemma_query_options_default();
    a->reading = reading_options(o, &a->progress);
    if (o->threshold >= 0) a->how.threshold = o->threshold;
    if (o->family) a->how.contained = 0; /* what a quotation hangs together with is no version */
    if (o->contained >= 0)
        a->how.contained = o->contained;
    else if (a->how.threshold > 0 && !collection_keeps(a->collection, STEMMA_PART_SAMPLES))
        a->how.contained = 0;
    if (o->top >= 0) a->how.top = (size_t)o->top;
    if (o->top >= 0) a->how.family_most = o->top ? (size_t)o->top : SIZE_MAX;
    if (o->via) a->how.via = (stemma_via)(o->via - 1); /* the enumeration has the order of the table */
    a->how.family = o->family;
    a->how.edits = !o->no_edits;
    a->how.reading = &a->reading;
    a->how.problem = problem_tell;
    a->how.problem_context = &a->problems;
    a->how.asked = tell_question;
    a->how.asked_context = a;
}

static void tell_limits(const asking *a) {
    const stemma_query_summary *s = &a->sum;
    const options *o = a->options;
    if (o->quiet || o->json) return;
    if (a->how.via >= STEMMA_VIA_G && o->contained > 0)
        complain("--via=%s finds what resembles a document: --contained brings up nothing more",
                 stemma_via_name(a->how.via));
    if (!o->family && o->contained < 0 && a->how.contained == 0)
        complain("the collection keeps no samples: only what resembles a document is found");
    if (s->families_cut)
        complain("families that may be larger than %zu documents, and end there: %llu (--top=0 has all of them)",
                 a->how.family_most, (unsigned long long)s->families_cut);
}

static void tell_new(const asking *a) {
    char new[32], all[64];
    if (a->sum.documents < 2 || a->options->quiet) return;
    printf("\n%s of %s %s new", format_count(a->new, new, sizeof new),
           count_of_documents(a->sum.documents, all, sizeof all), a->new == 1 ? "is" : "are");
    if (a->sum.without_text) printf(", %s empty", format_count(a->sum.without_text, new, sizeof new));
    putchar('\n');
}

static enum exit_code conclude(asking *a) {
    const options *o = a->options;
    if (!o->json) tell_new(a);
    if (o->explain && o->json) query_print_summary_json(o, &a->sum);
    if (o->explain && !o->json) query_print_summary(&a->sum);
    problem_teller_end(&a->problems);
    tell_limits(a);
    const bool nothing = a->sum.documents == 0;
    if (a->problems.told && (nothing || o->strict)) return EXIT_WRONG;
    return graver(a->problems.code, a->sum.found ? EXIT_DONE : EXIT_NO);
}

static enum exit_code ask(const options *o, stemma_collection *c, const subjects *s) {
    asking a = {.options = o, .collection = c, .printer = {.options = o}};
    stemma_error error;
    set_options(&a);
    problem_teller_init(&a.problems, o, 1);
    subjects_tell_trouble(s, problem_tell, &a.problems);
    progress_begin(&a.progress, o->quiet);
    stemma_status status = ask_paths(&a, s, &error);
    progress_erase(&a.progress);
    enum exit_code code = status ? complain_unless_lost(&error) : conclude(&a);
    problem_teller_release(&a.problems);
    return code;
}

static enum exit_code check_use(const options *o) {
    if (o->operand_count == 0) return wrong_use("query", "a collection is needed");
    if (o->operand_count == 1 && !o->files_from)
        return wrong_use("query", "at least one document is needed behind the collection");
    if (o->null_separated && !o->files_from) return wrong_use("query", "-0 is for --files-from");
    return EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    subjects s;
    enum exit_code code = check_use(o);
    if (!code) code = collection_to_read(o, &c);
    if (code) return code;
    code = subjects_read(&s, "query", o);
    if (!code) code = o->hamming ? query_hamming(o, c, &s) : ask(o, c, &s);
    stemma_collection_free(c);
    subjects_release(&s);
    return code;
}

const command command_query = {
    .name = "query",
    .mask = IN_QUERY,
    .summary = "what a collection has that is like a document",
    .usage = "[OPTION]... COLLECTION DOCUMENT...\n[OPTION]... COLLECTION --files-from=FILE",
    .purpose =
        "Prints the documents of a collection (see 'stemma add') that resemble a document, contain it, or are contained "
        "in it, best first: at any threshold, whatever the collection was made with. A document is a file, a folder "
        "of them, an archive or a data set, as 'stemma scan' reads them; '-' is one of them, but a folder, on "
        "standard input. Numbers are exact where the document in the collection can still be read, or its text was stored; else they are estimates, "
        "marked by '~'.",
    .examples = "  stemma query contracts.stemma draft.txt\n"
                "  stemma query -t .4 --top=50 contracts.stemma draft.txt\n"
                "  stemma query --contained=.8 -t 0 manuals.stemma page.html\n"
                "  stemma query --family contracts.stemma final.pdf\n"
                "  stemma query --hamming -t .9 contracts.stemma draft.txt\n"
                "  cat draft.txt | stemma query --json contracts.stemma -\n",
    .see_also = "stemma-query(1), stemma-add(1), stemma-compare(1), stemma-input(7)",
    .no = "nothing like the documents was found",
    .run = run,
};

/* stemma query: what a collection has that is like these documents. */
#include "collections.h"
#include "command.h"
#include "names.h"
#include "problems.h"
#include "query_hamming.h"
#include "query_print.h"
#include "reading_options.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is asked about ---- */

typedef struct subjects {
    char **paths;
    size_t count, room;
    bool standard; /* standard input is one of the documents */
} subjects;

static bool is_standard(const char *name) {
    return !strcmp(name, "-");
}

static void add_subject(subjects *s, const char *name) {
    if (is_standard(name)) {
        s->standard = true;
        return;
    }
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->paths = need_more(s->paths, s->room * sizeof *s->paths);
    }
    s->paths[s->count++] = need_copy(name);
}

static void subjects_release(subjects *s) {
    for (size_t i = 0; i < s->count; i++) free(s->paths[i]);
    free(s->paths);
}

static enum exit_code list_subjects(const options *o, subjects *s) {
    name_list names;
    char *name;
    for (size_t i = 1; i < o->operand_count; i++) add_subject(s, o->operands[i]);
    if (!o->files_from) return EXIT_DONE;
    if (s->standard && is_standard(o->files_from))
        return wrong_use("query", "standard input can be read only once");
    enum exit_code code = names_open(&names, o->files_from, o->null_separated);
    if (code) return code;
    while (names_next(&names, &name)) add_subject(s, name);
    return names_close(&names);
}

static char *read_standard_input(size_t *size) {
    size_t room = 1 << 16, got = 1;
    char *bytes = need_memory(room);
    for (*size = 0; got && !stop_requested; *size += got) {
        if (*size == room) bytes = need_more(bytes, room *= 2);
        got = fread(bytes + *size, 1, room - *size, stdin);
    }
    return bytes;
}

/* ---- what could not be read ---- */

typedef struct told_problem {
    stemma_scan_problem problem;
    char *name, *cause;
} told_problem;

typedef struct told_problems {
    told_problem *list;
    size_t count, room;
} told_problems;

static void keep_problem(void *context, const stemma_scan_problem *p) {
    told_problems *t = context;
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->list = need_more(t->list, t->room * sizeof *t->list);
    }
    told_problem *to = &t->list[t->count++];
    *to = (told_problem){.problem = *p, .name = need_copy(p->name), .cause = need_copy(p->cause)};
    to->problem.name = to->name;
    to->problem.cause = to->cause;
}

static bool told_problem_at(const void *of, uint64_t index, stemma_scan_problem *problem) {
    const told_problems *t = of;
    if (index >= t->count) return false;
    *problem = t->list[index].problem;
    return true;
}

static void told_problems_release(told_problems *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->list[i].name);
        free(t->list[i].cause);
    }
    free(t->list);
}

/* ---- asking ---- */

typedef struct asking {
    const options *options;
    stemma_collection *collection;
    stemma_query_options how;
    stemma_scan_options reading;
    progress progress;
    query_printer printer;
    told_problems problems;
    stemma_query_summary sum;
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

static void add_summary(stemma_query_summary *sum, const stemma_query_summary *s) {
    sum->documents += s->documents;
    sum->without_text += s->without_text;
    sum->problems += s->problems;
    sum->found += s->found;
    sum->bands = s->bands;
    sum->agree = s->agree;
    sum->scanned += s->scanned;
    sum->lookups += s->lookups;
    sum->postings += s->postings;
    sum->common += s->common;
    sum->left_aside += s->left_aside;
    sum->candidates += s->candidates;
    sum->verified += s->verified;
    sum->unverified += s->unverified;
    sum->families_cut += s->families_cut;
    sum->unasked += s->unasked;
    sum->seconds_reading += s->seconds_reading;
    sum->seconds_finding += s->seconds_finding;
    sum->seconds_verifying += s->seconds_verifying;
}

static stemma_status ask_paths(asking *a, const subjects *s, stemma_error *error) {
    stemma_query_summary summary;
    if (s->count == 0) return STEMMA_OK;
    stemma_status status = stemma_collection_query(a->collection, (const char *const *)s->paths, s->count,
                                                   &a->how, print_match, a, &summary, error);
    if (!status) add_summary(&a->sum, &summary);
    return status;
}

static stemma_status ask_standard_input(asking *a, const subjects *s, stemma_error *error) {
    stemma_query_summary summary;
    size_t size;
    if (!s->standard) return STEMMA_OK;
    char *bytes = read_standard_input(&size);
    a->printer.place = UINT64_MAX; /* a head line of its own */
    stemma_status status = stemma_collection_query_text(a->collection, "-", bytes, size, &a->how, print_match,
                                                        a, &summary, error);
    if (!status) add_summary(&a->sum, &summary);
    free(bytes);
    return status;
}

static void set_options(asking *a) {
    const options *o = a->options;
    a->how = stemma_query_options_default();
    a->reading = reading_options(o, &a->progress);
    if (o->threshold >= 0) a->how.threshold = o->threshold;
    if (o->family) a->how.contained = 0; /* what a quotation hangs together with is no version */
    if (o->contained >= 0) a->how.contained = o->contained;
    if (o->top >= 0) a->how.top = (size_t)o->top;
    if (o->via) a->how.via = (stemma_via)(o->via - 1); /* the enumeration has the order of the table */
    a->how.family = o->family;
    a->how.edits = !o->no_edits;
    a->how.reading = &a->reading;
    a->how.problem = keep_problem;
    a->how.problem_context = &a->problems;
}

static void tell_limits(const asking *a) {
    const stemma_query_summary *s = &a->sum;
    if (a->options->quiet || a->options->json) return;
    if (a->how.via >= STEMMA_VIA_G && a->options->contained > 0)
        complain("--via=%s finds what resembles a document: --contained brings up nothing more",
                 stemma_via_name(a->how.via));
    if (s->families_cut)
        complain("families that may be larger than %zu documents, and end there: %llu", a->how.family_most,
                 (unsigned long long)s->families_cut);
    if (s->unasked)
        complain("documents of families that were not asked about, since their text is gone: %llu",
                 (unsigned long long)s->unasked);
}

static enum exit_code conclude(asking *a) {
    const options *o = a->options;
    const problem_list problems = {told_problem_at, &a->problems, a->problems.count};
    if (o->json) problems_json(&problems, stdout);
    if (o->explain && o->json) query_print_summary_json(o, &a->sum);
    if (o->explain && !o->json) query_print_summary(o, &a->sum);
    problems_report(&problems, !o->quiet && !o->json, "");
    tell_limits(a);
    if (!a->sum.found && !o->json && !o->quiet && a->sum.documents) complain("nothing like it was found");
    const bool nothing = a->sum.documents == 0;
    if (a->problems.count && (nothing || o->strict)) return EXIT_WRONG;
    return a->sum.found ? EXIT_DONE : EXIT_NO;
}

static enum exit_code ask(const options *o, stemma_collection *c, const subjects *s) {
    asking a = {.options = o, .collection = c, .printer = {.options = o}};
    stemma_error error;
    set_options(&a);
    progress_begin(&a.progress);
    if (o->quiet) a.progress.wanted = false;
    stemma_status status = ask_paths(&a, s, &error);
    if (!status) status = ask_standard_input(&a, s, &error);
    progress_erase(&a.progress);
    enum exit_code code = status ? (output_lost() ? EXIT_DONE : complain_of(&error)) : conclude(&a);
    told_problems_release(&a.problems);
    return code;
}

static enum exit_code ask_hamming(const options *o, stemma_collection *c, const subjects *s) {
    hamming_subjects all = {.paths = (const char *const *)s->paths, .count = s->count};
    char *text = s->standard ? read_standard_input(&all.text_size) : NULL;
    all.text = text;
    enum exit_code code = query_hamming(o, c, &all);
    free(text);
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
    subjects s = {0};
    enum exit_code code = check_use(o);
    if (!code) code = list_subjects(o, &s);
    if (!code) code = collection_to_read(o, &c);
    if (!code) {
        code = o->hamming ? ask_hamming(o, c, &s) : ask(o, c, &s);
        stemma_collection_free(c);
    }
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
        "of them, an archive or a data set, as 'stemma scan' reads them; '-' is standard input. Numbers are exact "
        "where the document in the collection can still be read, or its text was stored; else they are estimates, "
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

/* stemma query: what a collection has that is like these documents. */
#include "collections.h"
#include "command.h"
#include "json_record.h"
#include "problems.h"
#include "query_hamming.h"
#include "query_print.h"
#include "reading_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked about ---- */

typedef struct subjects {
    path_list list;
    bool standard; /* standard input is one of the documents */
} subjects;

static bool is_standard(const char *name) {
    return !strcmp(name, "-");
}

static enum exit_code list_subjects(const options *o, subjects *s) {
    size_t kept = 0;
    for (size_t i = 1; i < o->operand_count && o->files_from; i++)
        if (is_standard(o->operands[i]) && is_standard(o->files_from))
            return wrong_use("query", "standard input can be read only once");
    enum exit_code code = path_list_read(&s->list, o);
    for (size_t i = 0; i < s->list.count; i++) {
        char *path = s->list.paths[i];
        if (!is_standard(path)) {
            s->list.paths[kept++] = path;
            continue;
        }
        s->standard = true;
        free(path);
    }
    s->list.count = kept;
    return code;
}

/* All of it: half a document would be answered as another. Free the bytes in any case. */
static stemma_status read_standard_input(char **bytes, size_t *size, stemma_error *error) {
    size_t room = 1 << 16, got = 1;
    *bytes = need_memory(room);
    for (*size = 0; got && !ferror(stdin) && !stop_requested; *size += got) {
        if (*size == room) *bytes = need_more(*bytes, room *= 2);
        got = fread(*bytes + *size, 1, room - *size, stdin);
    }
    if (stop_requested) return set_error(error, STEMMA_INTERRUPTED, "interrupted");
    if (!ferror(stdin)) return STEMMA_OK;
    return set_error(error, STEMMA_UNREADABLE, "cannot read '-': %s", cause_text(errno));
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

static void tell_question(void *context, const stemma_question *q) {
    asking *a = context;
    if (q->found || output_lost()) return;
    progress_erase(&a->progress);
    a->new += !q->empty;
    if (a->options->json)
        query_print_none_json(q);
    else
        query_print_none(&a->printer, q);
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
    if (s->list.count == 0) return STEMMA_OK;
    stemma_status status = stemma_collection_query(a->collection, (const char *const *)s->list.paths,
                                                   s->list.count, &a->how, print_match, a, &summary, error);
    if (!status) add_summary(&a->sum, &summary);
    return status;
}

static stemma_status ask_text(asking *a, const char *id, const char *text, size_t size, stemma_error *error) {
    stemma_query_summary summary;
    a->printer.place = UINT64_MAX; /* a head line of its own */
    stemma_status status =
        stemma_collection_query_text(a->collection, id, text, size, &a->how, print_match, a, &summary, error);
    if (!status) add_summary(&a->sum, &summary);
    return status;
}

static size_t line_length(const char *line, const char *end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    return (size_t)((stop ? stop : end) - line);
}

/* A page of JSON is a document; lines that are records, as scan and add take them, are some. */
static bool is_records(const options *o, const char *bytes, size_t size) {
    json_record record;
    const size_t length = line_length(bytes, bytes + size);
    if (size == 0 || bytes[0] != '{') return false;
    if (json_record_read(&record, bytes, length, o->text_field, o->id_field)) return false;
    json_record_release(&record);
    return true;
}

static stemma_status ask_record(asking *a, const char *line, size_t length, uint64_t number,
                                stemma_error *error) {
    json_record record;
    char place[32], cause[128];
    snprintf(place, sizeof place, "-:%llu", (unsigned long long)number);
    const char *trouble =
        json_record_read(&record, line, length, a->options->text_field, a->options->id_field);
    if (trouble) {
        snprintf(cause, sizeof cause, "cannot read '%s': %s", place, trouble);
        const stemma_scan_problem p = {.name = "-", .line = number, .status = STEMMA_CORRUPT, .cause = cause};
        keep_problem(&a->problems, &p);
        return STEMMA_OK;
    }
    stemma_status status = ask_text(a, record.id ? record.id : place, record.text, record.text_size, error);
    json_record_release(&record);
    return status;
}

static stemma_status ask_records(asking *a, const char *bytes, size_t size, stemma_error *error) {
    const char *end = bytes + size;
    stemma_status status = STEMMA_OK;
    uint64_t number = 0;
    for (size_t length; bytes < end && !status; bytes += length + (bytes + length < end)) {
        length = line_length(bytes, end);
        number++;
        if (length) status = ask_record(a, bytes, length, number, error);
    }
    return status;
}

static stemma_status ask_bytes(asking *a, const char *bytes, size_t size, stemma_error *error) {
    return is_records(a->options, bytes, size) ? ask_records(a, bytes, size, error)
                                               : ask_text(a, "-", bytes, size, error);
}

static stemma_status ask_standard_input(asking *a, const subjects *s, stemma_error *error) {
    char *bytes;
    size_t size;
    if (!s->standard) return STEMMA_OK;
    stemma_status status = read_standard_input(&bytes, &size, error);
    if (!status) {
        status = ask_bytes(a, bytes, size, error);
    } else if (status == STEMMA_UNREADABLE) {
        const stemma_scan_problem p = {.name = "-", .status = status, .cause = error->message};
        keep_problem(&a->problems, &p);
        status = STEMMA_OK;
    }
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
    a->how.asked = tell_question;
    a->how.asked_context = a;
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
    const problem_list problems = {.get = told_problem_at, .of = &a->problems, .count = a->problems.count};
    if (!o->json) tell_new(a);
    if (o->json) problems_json(&problems, stdout);
    if (o->explain && o->json) query_print_summary_json(o, &a->sum);
    if (o->explain && !o->json) query_print_summary(o, &a->sum);
    problems_report(&problems, !o->quiet && !o->json, "");
    tell_limits(a);
    const bool nothing = a->sum.documents == 0;
    if (a->problems.count && (nothing || o->strict)) return EXIT_WRONG;
    return graver(problems_code(o, 1, &problems), a->sum.found ? EXIT_DONE : EXIT_NO);
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
    hamming_subjects all = {.paths = (const char *const *)s->list.paths, .count = s->list.count};
    char *text = NULL;
    stemma_error error;
    enum exit_code code = EXIT_DONE;
    if (s->standard && read_standard_input(&text, &all.text_size, &error))
        code = complain_of(&error);
    else
        all.text = text;
    if (code != EXIT_INTERRUPTED) code = graver(code, query_hamming(o, c, &all));
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
    path_list_release(&s.list);
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
        "of them, an archive or a data set, as 'stemma scan' reads them; '-' is standard input: JSON lines, "
        "or else one text. Numbers are exact "
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

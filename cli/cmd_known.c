/* stemma known: which files, binaries too, are versions of those in a collection. */
#include "collections.h"
#include "command.h"
#include "edits.h"
#include "json.h"
#include "problems.h"
#include "reading_options.h"
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

typedef struct knowing {
    const options *options;
    stemma_known_options how;
    stemma_scan_options reading;
    progress progress;
    stemma_known_summary sum;
    problem_teller problems;
} knowing;

/* ---- printing ---- */

static void print_json(const stemma_known_file *f) {
    json line = json_begin(stdout);
    json_name(&line, "file", f->file);
    json_word(&line, "verdict", stemma_verdict_name(f->verdict));
    json_count(&line, "samples", f->samples);
    if (f->name) {
        json_name(&line, "name", f->name);
        json_count(&line, "versions", f->versions);
    }
    json_quantity(&line, "containment", &f->containment);
    if (f->best) {
        json_bool(&line, "identical", f->identical);
        json_name(&line, "best", f->best);
        json_quantity(&line, "best_containment", &f->best_containment);
        const edits e = {.known = true, .edit = f->edit};
        if (f->edit.distance.known) edits_print_json(&e, &line);
    }
    json_end(&line);
}

/* A share says nothing where it decides nothing. */
static const char *share_text(const stemma_known_file *f, char *buffer, size_t size) {
    const bool judged = f->verdict == STEMMA_KNOWN || f->verdict == STEMMA_NOT_KNOWN;
    return judged && f->name ? format_quantity(&f->containment, buffer, size) : "";
}

/* How much of the file the best version has, and how far it is. */
static void print_nearness(const stemma_known_file *f, const palette *p) {
    char share[32], apart[32];
    printf(" %s(%s", p->faint, format_quantity(&f->best_containment, share, sizeof share));
    if (f->edit.distance.known)
        printf(", about %s edits",
               format_count((uint64_t)(f->edit.distance.value + .5), apart, sizeof apart));
    printf(")%s", p->end);
}

static void print_match(const stemma_known_file *f, const palette *p) {
    printf("  %s%s%s ", p->faint, f->identical ? "is identical to" : "is a version of", p->end);
    if (!f->identical) {
        print_name(stdout, f->name);
        printf("%s, most like%s ", p->faint, p->end);
    }
    print_name(stdout, f->best);
    if (!f->identical) print_nearness(f, p);
}

static void print_words(const knowing *k, const stemma_known_file *f) {
    const palette p = palette_choose();
    char share[32];
    const bool known = f->verdict == STEMMA_KNOWN;
    if (k->options->quiet && !known) return;
    printf("%s%-9s%s %6s  ", known ? p.strong : p.faint, stemma_verdict_name(f->verdict), p.end,
           share_text(f, share, sizeof share));
    print_name(stdout, f->file);
    if (known) print_match(f, &p);
    if (f->verdict == STEMMA_TOO_SHORT) printf("  %s(too few samples to tell)%s", p.faint, p.end);
    putchar('\n');
}

static stemma_status print_file(void *context, const stemma_known_file *f, stemma_error *error) {
    knowing *k = context;
    progress_erase(&k->progress);
    if (output_lost()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    if (k->options->json)
        print_json(f);
    else
        print_words(k, f);
    return STEMMA_OK;
}

/* ---- asking ---- */

static void set_options(knowing *k) {
    const options *o = k->options;
    k->how = stemma_known_options_default();
    k->reading = reading_options(o, &k->progress);
    k->how.reading = &k->reading;
    if (o->contained >= 0) k->how.contained = o->contained;
    if (o->versions) k->how.versions = (stemma_versions)(o->versions - 1); /* in the order of the table */
    k->how.problem = problem_tell;
    k->how.problem_context = &k->problems;
}

/* Bytes are text to a collection of the preset raw: all that is without is empty. */
static void tell_without_text(const knowing *k, const stemma_collection *c) {
    char *view = collection_view(c);
    const unsigned long long count = k->sum.without_text;
    if (!strncmp(view, "preset=raw ", 11))
        complain("%llu empty", count);
    else
        complain(
            "%llu without text: empty, or binaries, for which the collection has to be made with --preset=raw",
            count);
    free(view);
}

static enum exit_code conclude(const knowing *k, const stemma_collection *c) {
    const stemma_known_summary *s = &k->sum;
    if (s->without_text && !k->options->quiet && !k->options->json) tell_without_text(k, c);
    problem_teller_end(&k->problems);
    if (s->problems && (!s->files || k->options->strict)) return EXIT_WRONG;
    return graver(k->problems.code, s->known ? EXIT_DONE : EXIT_NO);
}

static stemma_status ask(knowing *k, stemma_collection *c, const subjects *s, stemma_error *error) {
    if (!s->list.count) return STEMMA_OK;
    return stemma_collection_known(c, (const char *const *)s->list.paths, s->list.count, &k->how, print_file,
                                   k, &k->sum, error);
}

static enum exit_code judge(const options *o, stemma_collection *c, const subjects *s) {
    knowing k = {.options = o};
    stemma_error error;
    set_options(&k);
    problem_teller_init(&k.problems, o, 1);
    subjects_tell_trouble(s, problem_tell, &k.problems);
    progress_begin(&k.progress, o->quiet);
    stemma_status status = ask(&k, c, s, &error);
    progress_erase(&k.progress);
    enum exit_code code = status ? complain_unless_lost(&error) : conclude(&k, c);
    problem_teller_release(&k.problems);
    return code;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    subjects s;
    if (o->operand_count == 0) return wrong_use("known", "a collection is needed");
    if (o->operand_count == 1 && !o->files_from)
        return wrong_use("known", "at least one file or folder is needed behind the collection");
    if (o->null_separated && !o->files_from) return wrong_use("known", "-0 is for --files-from");
    enum exit_code code = collection_to_read(o, &c);
    if (code) return code;
    code = subjects_read(&s, "known", o);
    if (!code) code = judge(o, c, &s);
    stemma_collection_free(c);
    subjects_release(&s);
    return code;
}

const command command_known = {
    .name = "known",
    .mask = IN_KNOWN,
    .summary = "which files, binaries too, are versions of known ones",
    .usage = "[OPTION]... COLLECTION PATH...\n[OPTION]... COLLECTION --files-from=FILE",
    .purpose =
        "Says of every file whether it is a version of a file in the collection. The versions of a known file have "
        "one signature: what is in any of them counts. Versions are documents with the same file name, wherever "
        "they lie. For binaries, make the collection with --preset=raw --unit=byte --window=20.",
    .examples = "  stemma add --preset=raw --unit=byte --window=20 known.stemma releases/\n"
                "  stemma known known.stemma /usr/local/bin\n"
                "  stemma known --contained=.9 --json known.stemma suspicious.bin\n"
                "  stemma known --versions=folder known.stemma download/\n",
    .see_also = "stemma-known(1), stemma-add(1), stemma-query(1), stemma-input(7)",
    .no = "none of the files is known",
    .run = run,
};

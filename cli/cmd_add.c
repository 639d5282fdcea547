/* stemma add: documents into a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "problems.h"
#include "progress.h"
#include "reading_options.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is to be added ---- */

static bool is_standard(const char *name) {
    return name && !strcmp(name, "-");
}

static enum exit_code check_use(const options *o) {
    size_t standard = is_standard(o->files_from);
    if (o->operand_count == 0) return wrong_use("add", "a collection is needed");
    if (o->operand_count == 1 && !o->files_from && !o->hamming_bits)
        return wrong_use("add", "at least one file or folder is needed behind the collection");
    if (o->null_separated && !o->files_from) return wrong_use("add", "-0 is for --files-from");
    for (size_t i = 1; i < o->operand_count; i++) standard += is_standard(o->operands[i]);
    if (standard > 1) return wrong_use("add", "standard input can be read only once");
    if (o->max_size && o->min_size > o->max_size)
        return wrong_use("add", "--min-size is above --max-size: there are no such documents");
    return EXIT_DONE;
}

/* ---- what came of it ---- */

static bool problem_of_add(const void *collection, uint64_t index, stemma_scan_problem *problem) {
    return stemma_collection_get_problem(collection, index, problem, NULL) == STEMMA_OK;
}

static void print_json(const stemma_add_summary *s, bool made, const stemma_collection *c) {
    char *view = collection_view(c);
    const problem_list problems = {.get = problem_of_add, .of = c, .count = s->problems};
    problems_json(&problems, stdout);
    json line = json_begin(stdout);
    json_open(&line, "summary", '{');
    json_count(&line, "added", s->added);
    json_count(&line, "replaced", s->replaced);
    json_count(&line, "unchanged", s->unchanged);
    json_count(&line, "removed", s->removed);
    json_count(&line, "problems", s->problems);
    json_count(&line, "damaged", problems_damaged(&problems));
    json_count(&line, "repeated", s->repeated);
    json_count(&line, "bytes", s->bytes);
    json_bool(&line, "made", made);
    json_number(&line, "seconds", (double)(uint64_t)(s->seconds * 1e6 + .5) / 1e6);
    json_word(&line, "recipe", view);
    json_close(&line, '}');
    json_end(&line);
    free(view);
}

static void print_words(const options *o, const stemma_add_summary *s, bool made,
                        const stemma_collection *c) {
    char text[64], bytes[32];
    if (o->quiet) return;
    if (made) collection_print_made(o->operands[0], c);
    format_bytes(s->bytes, bytes, sizeof bytes); /* of those that are replaced, too */
    printf("%s added", count_of_documents(s->added, text, sizeof text));
    if (!s->replaced) printf(" (%s)", bytes);
    printf(", %s replaced", format_count(s->replaced, text, sizeof text));
    if (s->replaced) printf(" (%s%s)", bytes, s->added ? " together" : "");
    printf(", %s unchanged", format_count(s->unchanged, text, sizeof text));
    printf(", %s removed\n", format_count(s->removed, text, sizeof text));
}

/* Without anything that could be read. */
static bool is_wrong(const stemma_add_summary *s) {
    return s->problems && s->added + s->replaced + s->unchanged == 0;
}

static enum exit_code add_paths(const options *o, stemma_collection *c, const path_list *list, bool made) {
    progress p = {0};
    stemma_error error;
    stemma_add_summary summary;
    stemma_add_options how = stemma_add_options_default();
    progress_begin(&p, o->quiet);
    const stemma_scan_options reading = reading_options(o, &p);
    how.reading = &reading;
    how.prune = o->prune;
    how.prune_all = o->prune_all;
    stemma_status status =
        stemma_collection_add(c, (const char *const *)list->paths, list->count, &how, &summary, &error);
    progress_erase(&p);
    if (status) return complain_of(&error);
    const bool stays = made && !is_wrong(&summary);
    if (o->json)
        print_json(&summary, stays, c);
    else
        print_words(o, &summary, stays, c);
    const problem_list problems = {
        .get = problem_of_add, .of = c, .count = summary.problems, .spared = summary.spared};
    problems_report(&problems, !o->quiet && !o->json, "");
    return is_wrong(&summary) || (summary.problems && o->strict) ? EXIT_WRONG
                                                                 : problems_code(o, 1, &problems);
}

/* Of a collection that is there, --hamming-bits changes how many there are. */
static enum exit_code resize(const options *o, stemma_collection *c, bool made) {
    char text[64];
    stemma_error error;
    problem_teller teller;
    if (made || !o->hamming_bits) return EXIT_DONE;
    problem_teller_init(&teller, o, o->operand_count);
    stemma_status status = stemma_collection_resize_bits(c, o->hamming_bits, problem_tell, &teller, &error);
    if (!status && teller.told)
        complain("warning: %s left without a fingerprint: not found by --hamming until added again",
                 count_of_documents(teller.told, text, sizeof text));
    const bool strict = o->strict && teller.told;
    problem_teller_release(&teller);
    if (status) return complain_of(&error);
    return strict ? EXIT_WRONG : EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    path_list list = {0};
    what_made made;
    enum exit_code code = check_use(o);
    if (!code) code = path_list_read(&list, o);
    if (!code) code = collection_to_fill(o, "add", "stemma add", &c, &made);
    if (!code) {
        code = resize(o, c, made.collection);
        if (!code && (list.count || !o->hamming_bits)) code = add_paths(o, c, &list, made.collection);
        if (code) collection_take_back(o->operands[0], c, &made);
        stemma_collection_free(c);
    }
    path_list_release(&list);
    return code;
}

const command command_add = {
    .name = "add",
    .mask = IN_ADD,
    .summary = "documents into a collection, to be asked about later",
    .usage = "[OPTION]... COLLECTION PATH...\n[OPTION]... COLLECTION --files-from=FILE",
    .purpose =
        "Adds all files below folders, the documents in archives and the records of data sets, as 'stemma scan' reads "
        "them, to a collection: a folder, made when it is not there. What the collection has is left alone, by size "
        "and time of the file, or by its bytes; what has changed is replaced, and with --prune what is gone is "
        "removed. How documents are looked at (see View) is fixed when the collection is made.",
    .examples = "  stemma add contracts.stemma ~/contracts\n"
                "  stemma add --prune contracts.stemma ~/contracts\n"
                "  stemma add --store-text crawl.stemma crawl.jsonl.zst\n"
                "  find . -name '*.md' -print0 | stemma add notes.stemma --files-from=- -0\n",
    .see_also = "stemma-add(1), stemma-query(1), stemma-list(1), stemma-remove(1), stemma-input(7)",
    .run = run,
};

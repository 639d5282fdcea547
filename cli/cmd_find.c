/* stemma find: which files hold fragments of a target, and where. */
#include "command.h"
#include "fragments.h"
#include "parallel.h"
#include "progress.h"
#include "recipe_options.h"
#include "stored.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file of a round. What is found in it, and in the documents inside, is put into words by the thread that
 * finds it, while the text is at hand, and printed in its turn. */
typedef struct item {
    const struct find_run *run;
    char *name;
    FILE *out; /* into: */
    char *printed;
    size_t size;
    stemma_error *problems; /* of the file, and of documents inside it */
    size_t problem_count;
    find_totals totals;
} item;

typedef struct find_run {
    const options *options;
    const char *unit; /* what a fragment is counted in */
    stemma_finder *finder;
    stemma_limits limits;
    name_list names; /* of --files-from */
    walk walk;
    progress progress;
    unsigned threads;
    item *round;
    size_t count;
    find_totals totals;
    enum exit_code code;
} find_run;

/* ---- rounds ---- */

static bool read_round(find_run *run) {
    const char *name;
    run->count = 0;
    while (run->count < round_size(run->threads) && walk_next(&run->walk, &name))
        run->round[run->count++] = (item){.run = run, .name = need_copy(name)};
    return run->count > 0;
}

/* With --quiet one is enough. */
static bool take_found(void *context, const stemma_found *found) {
    item *it = context;
    const options *o = it->run->options;
    stemma_find_summary summary = stemma_findings_summary(found->findings);
    totals_add(&it->totals, &summary);
    if (summary.fragments == 0) return true;
    if (o->quiet) return false;
    if (o->list || o->print0)
        print_listed(it->out, found->id, o->print0);
    else if (o->json)
        fragments_print_json(it->out, found, o);
    else
        fragments_print(it->out, found, it->run->unit, o->targets.count);
    return true;
}

static void take_problem(void *context, const char *id, const stemma_error *cause) {
    item *it = context;
    (void)id; /* the message names it */
    it->problems = need_more(it->problems, (it->problem_count + 1) * sizeof *it->problems);
    it->problems[it->problem_count++] = *cause;
}

static void search_item(void *context, size_t index, unsigned worker) {
    find_run *run = context;
    item *it = &run->round[index];
    stemma_error error;
    (void)worker;
    it->out = need(open_memstream(&it->printed, &it->size));
    if (stemma_find_documents(run->finder, it->name, !run->options->no_archives, &run->limits, take_found,
                              take_problem, it, &error))
        take_problem(it, it->name, &error);
    fclose(it->out);
    need(it->printed);
}

static void print_item(find_run *run, const item *it) {
    find_totals *totals = &run->totals;
    for (size_t i = 0; i < it->problem_count; i++)
        run->code = graver(run->code, complain_of(&it->problems[i]));
    fwrite(it->printed, 1, it->size, stdout);
    totals->files += it->totals.files;
    totals->found += it->totals.found;
    totals->unreadable += it->problem_count;
    totals->bytes += it->totals.bytes;
    totals->fragments += it->totals.fragments;
}

/* Returns false when more work would be for nothing: nobody reads, or --quiet has its answer. */
static bool print_round(find_run *run) {
    progress_erase(&run->progress);
    for (size_t i = 0; i < run->count; i++) {
        item *it = &run->round[i];
        if (!stop_requested) print_item(run, it);
        free(it->printed);
        free(it->problems);
        free(it->name);
    }
    return flush_output() && !(run->options->quiet && run->totals.found);
}

static void search_rounds(find_run *run) {
    run->round = need_memory(round_size(run->threads) * sizeof *run->round);
    bool heard = true;
    while (heard && !stop_requested && read_round(run)) {
        parallel_for(run->count, run->threads, search_item, run);
        heard = print_round(run);
    }
    free(run->round);
    walk_close(&run->walk);
}

static enum exit_code search_paths(find_run *run) {
    const options *o = run->options;
    if (o->files_from) {
        enum exit_code code = names_open(&run->names, o->files_from, o->null_separated);
        if (code) return code;
        run->walk.list = &run->names;
    }
    search_rounds(run);
    if (o->files_from) run->code = graver(run->code, names_close(&run->names));
    run->code = graver(run->code, run->walk.code);
    if (o->json && !o->quiet && !stop_requested) totals_print_json(&run->totals);
    return graver(run->code, run->totals.found ? EXIT_DONE : EXIT_NO);
}

/* ---- the command ---- */

static bool names_standard_input(const options *o) {
    for (size_t i = 0; i < o->operand_count; i++)
        if (!strcmp(o->operands[i], "-")) return true;
    return false;
}

static enum exit_code check_use(const options *o) {
    size_t needed = o->targets.count ? 1 : 2;
    size_t inputs = (o->files_from && !strcmp(o->files_from, "-")) ? 1 : 0;
    if (o->operand_count + (o->files_from != NULL) < needed)
        return wrong_use("find", "a target and at least one file or folder are needed");
    if (!o->targets.count && o->operand_count == 0) return wrong_use("find", "a target is needed");
    if (o->null_separated && !o->files_from) return wrong_use("find", "-0 is for --files-from");
    if (o->json && (o->list || o->print0))
        return wrong_use("find", "only one of --json, --list and --print0");
    for (size_t i = 0; i < o->operand_count; i++) inputs += !strcmp(o->operands[i], "-");
    for (size_t i = 0; i < o->targets.count; i++) inputs += !strcmp(o->targets.texts[i], "-");
    if (inputs > 1) return wrong_use("find", "standard input can be read only once");
    return EXIT_DONE;
}

/* A pipe is read by the main thread, where an interruption ends the waiting. */
static unsigned threads_for(const options *o, const walk *w) {
    struct stat info;
    for (size_t i = w->next; i < w->operand_count; i++)
        if (stat(o->operands[i], &info) || !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) return 1;
    return worker_count(o->threads);
}

/* The targets are those of --target, or the first operand. */
static enum exit_code make_finder(find_run *run, const stemma_recipe *recipe) {
    const options *o = run->options;
    size_t count = o->targets.count ? o->targets.count : 1;
    stemma_find_options how = stemma_find_options_default();
    stemma_target targets[MAX_TEXTS] = {{.path = o->targets.count ? o->targets.texts[0] : o->operands[0]}};
    stemma_error error;
    for (size_t i = 0; i < o->targets.count; i++) targets[i].path = o->targets.texts[i];
    for (size_t i = 0; i < count; i++)
        if (stored_refuse(targets[i].path, "look for", &error)) return complain_of(&error);
    how.least = o->least;
    how.thorough = o->thorough;
    how.most_unpacked = o->unpacked;
    how.progress = progress_searched;
    how.progress_context = &run->progress;
    return stemma_finder_new(targets, count, recipe, &how, &run->limits, &run->finder, &error)
               ? complain_of(&error)
               : EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_recipe *recipe;
    find_run run = {.options = o, .limits = limits_from(o)};
    run.walk =
        (walk){.operands = o->operands, .operand_count = o->operand_count, .next = o->targets.count ? 0 : 1};
    enum exit_code code = check_use(o);
    if (!code) code = recipe_from_options(o, "find", &recipe);
    if (code) return code;
    run.unit = recipe_unit(stemma_recipe_text(recipe), 2);
    run.threads = names_standard_input(o) ? 1 : threads_for(o, &run.walk);
    progress_begin(&run.progress);
    code = make_finder(&run, recipe);
    if (!code) code = search_paths(&run);
    stemma_finder_free(run.finder);
    stemma_recipe_free(recipe);
    return code;
}

const command command_find = {
    .name = "find",
    .mask = IN_FIND,
    .summary = "which files hold fragments of a target, and where",
    .usage = "[OPTION]... TARGET PATH...\n[OPTION]... --target=FILE... PATH...",
    .purpose =
        "Looks for text of TARGET in files, and in all files below folders. A fragment is a stretch of at least "
        "8 words (--least; 32 bytes with --preset=raw --unit=byte) that is the same in both, however it was wrapped, "
        "spaced, cased and punctuated. Printed are the files that hold any, how much of the target is in them, and "
        "the longest fragments with their lines and bytes. HTML, PDF, office documents and the like are searched in "
        "their text, and archives, mail and crawls document by document. Plain text may be of any size. Exits with "
        "1 when nothing was found. '-' is standard input.",
    .examples = "  stemma find secret.txt ~/outbox\n"
                "  stemma find --list --target=a.txt --target=b.txt pages/\n"
                "  stemma find --preset=raw --unit=byte picture.jpg disk.img\n"
                "  zcat backup.tar.gz | stemma find --json contract.txt -\n",
    .see_also = "stemma-find(1), stemma-compare(1), stemma-recipe(7)",
    .no = "nothing was found",
    .run = run,
};

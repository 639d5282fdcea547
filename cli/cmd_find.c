/* stemma find: which files hold fragments of a target, and where. */
#include "command.h"
#include "find_round.h"
#include "parallel.h"
#include "recipe_options.h"
#include "stored.h"
#include "walk.h"

#include <string.h>
#include <sys/stat.h>

typedef struct find_run {
    const options *options;
    find_round round;
    name_list names; /* of --files-from */
    walk walk;
} find_run;

/* ---- the files ---- */

static bool read_round(find_run *run) {
    const char *name;
    bool some = false;
    while (!round_is_full(&run->round) && walk_next(&run->walk, &name)) {
        round_add(&run->round, name, !run->walk.tree);
        some = true;
    }
    return some;
}

static void search_rounds(find_run *run) {
    while (!stop_requested && read_round(run) && round_search(&run->round)) continue;
    walk_close(&run->walk);
}

/* Where something could not be searched, that nothing was found is not the answer. */
static enum exit_code answer(const find_run *run) {
    const find_totals *totals = &run->round.totals;
    enum exit_code code = graver(run->round.code, run->walk.code);
    if (totals->found) return run->options->quiet ? EXIT_DONE : code;
    return graver(code, totals->unreadable ? EXIT_WRONG : EXIT_NO);
}

static enum exit_code search_paths(find_run *run) {
    const options *o = run->options;
    if (o->files_from) {
        enum exit_code code = names_open(&run->names, o->files_from, o->null_separated);
        if (code) return code;
        run->walk.list = &run->names;
    }
    search_rounds(run);
    if (o->files_from) run->walk.code = graver(run->walk.code, names_close(&run->names));
    if (o->json && !o->quiet && !stop_requested) totals_print_json(&run->round.totals);
    return answer(run);
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
    how.progress = round_searched;
    how.progress_context = &run->round;
    return stemma_finder_new(targets, count, recipe, &how, &run->round.limits, &run->round.finder, &error)
               ? complain_of(&error)
               : EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_recipe *recipe;
    find_run run = {.options = o};
    run.walk =
        (walk){.operands = o->operands, .operand_count = o->operand_count, .next = o->targets.count ? 0 : 1};
    enum exit_code code = check_use(o);
    if (!code) code = recipe_from_options(o, "find", &recipe);
    if (code) return code;
    round_open(&run.round, o, names_standard_input(o) ? 1 : threads_for(o, &run.walk));
    run.round.unit = recipe_unit(stemma_recipe_text(recipe), 2);
    code = make_finder(&run, recipe);
    if (!code) code = search_paths(&run);
    round_close(&run.round);
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

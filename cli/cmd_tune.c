/* stemma tune: the view and the threshold for these documents, found by trying on a sample of them. */
#include "command.h"
#include "new_file.h"
#include "tune.h"

#include <errno.h>
#include <string.h>

static bool is_standard(const char *name) {
    return name && !strcmp(name, "-");
}

static enum exit_code check_use(const options *o) {
    size_t standard = is_standard(o->files_from);
    for (size_t i = 0; i < o->operand_count; i++) standard += is_standard(o->operands[i]);
    if (o->operand_count == 0 && !o->files_from)
        return wrong_use("tune", "at least one file or folder is needed");
    if (standard > 1) return wrong_use("tune", "standard input can be read only once");
    if (o->null_separated && !o->files_from) return wrong_use("tune", "-0 is for --files-from");
    if (o->force && !o->report) return wrong_use("tune", "--force is for --report");
    if (o->copies == 0 || o->copies == 1) return wrong_use("tune", "--copies is between 0 and 1");
    if (!o->report) return EXIT_DONE;
    enum exit_code code = new_file_check(o->report, o->operands, o->operand_count, o->force);
    if (code || new_file_possible(o->report)) return code;
    complain("cannot write '%s': %s", o->report, cause_text(errno));
    return EXIT_WRONG;
}

/* With one document there is nothing that it could be taken for. */
static enum exit_code check_sample(const tune_sample *sample) {
    if (sample->count >= 2) return EXIT_DONE;
    complain("at least two documents with different texts are needed, %zu found", sample->count);
    return EXIT_WRONG;
}

static enum exit_code tune(tuning *t, progress *p) {
    const options *o = t->options;
    enum exit_code code = tune_sample_take(&t->sample, o, p);
    if (!code) code = check_sample(&t->sample);
    if (!code) code = tune_bound_sample(t, p);
    if (!code) code = tune_own_find(&t->own, &t->sample);
    if (!code) tune_name_script(t);
    if (!code) code = tune_measure(t, p);
    if (!code) code = tune_try_sketches(t);
    if (code) return code;
    if (o->json)
        tune_print_json(t);
    else
        tune_print(t);
    if (o->report) code = tune_write_page(t);
    if (t->sample.summary.problems && o->strict) code = graver(code, EXIT_WRONG);
    return code;
}

static enum exit_code run(const options *o) {
    tuning t = {.options = o, .aim = tune_aim_of(o), .prevalence = o->copies > 0 ? o->copies : .5};
    progress p = {0};
    enum exit_code code = check_use(o);
    if (code) return code;
    progress_begin(&p, o->quiet);
    code = tune(&t, &p);
    tune_views_release(&t);
    tune_own_release(&t.own);
    tune_copies_release(&t.copies);
    tune_sample_release(&t.sample);
    return code;
}

const command command_tune = {
    .name = "tune",
    .mask = IN_TUNE,
    .summary = "which view and threshold to use for these documents",
    .usage = "[OPTION]... PATH...\n[OPTION]... --files-from=FILE",
    .purpose =
        "Takes a sample of the documents, makes changed copies of them, and scans both under several views: which "
        "share of the copies is found, and which share of the documents is taken for another one, from each "
        "threshold on. Says which scan to run. Nothing is written but what --report names.",
    .examples = "  stemma tune ~/documents\n"
                "  stemma tune --for=versions --include='*.md' notes/\n"
                "  stemma tune --for=plagiarism --report=tune.html essays/\n",
    .see_also = "stemma-tune(1), stemma-scan(1), stemma-mutate(1)",
    .run = run,
};

#include "act.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "json.h"

/* ---- what is asked ---- */

bool act_is_asked(const options *o) {
    return o->delete || o->hardlink || o->reflink || o->move_to;
}

static stemma_act_options act_options(const options *o) {
    stemma_act_options a = stemma_act_options_default();
    a.action = o->delete     ? STEMMA_ACT_DELETE
               : o->hardlink ? STEMMA_ACT_HARDLINK
               : o->reflink  ? STEMMA_ACT_REFLINK
                             : STEMMA_ACT_MOVE;
    a.directory = o->move_to;
    if (o->near >= 0) a.near = o->near;
    if (o->near_contained >= 0) a.near_contained = o->near_contained;
    return a;
}

static enum exit_code check_alone(const options *o) {
    const char *given = o->dry_run ? "--dry-run" : o->yes ? "--yes" : o->log ? "--log" : NULL;
    if (given) return wrong_use("scan", "%s is for --delete, --hardlink, --reflink and --move", given);
    if (o->near < 0 && o->near_contained < 0) return EXIT_DONE;
    return wrong_use("scan", "%s is for --delete and --move", o->near < 0 ? "--near-contained" : "--near");
}

/* The folder is not scanned: nothing would be left of what was asked for. */
static enum exit_code check_move(const options *o) {
    struct stat to, from;
    if (!o->move_to) return EXIT_DONE;
    if (!*o->move_to) return wrong_use("scan", "--move needs a folder");
    if (stat(o->move_to, &to) != 0) return EXIT_DONE;
    for (size_t i = 0; i < o->operand_count; i++)
        if (stat(o->operands[i], &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return wrong_use("scan", "--move leads to '%s', which is to be scanned", o->operands[i]);
    return EXIT_DONE;
}

static enum exit_code check_near(const options *o) {
    stemma_scan_options scan = stemma_scan_options_default();
    double threshold = o->threshold >= 0 ? o->threshold : scan.threshold,
           contained = o->contained >= 0 ? o->contained : scan.contained;
    if ((o->near >= 0 || o->near_contained >= 0) && (o->hardlink || o->reflink))
        return wrong_use("scan", "only identical files can be linked: --near is for --delete and --move");
    if (o->near >= 0 && o->near < threshold)
        return wrong_use("scan", "--near is below --threshold: nothing below it is found");
    if (o->near_contained >= 0 && contained == 0)
        return wrong_use("scan",
                         "--near-contained finds nothing: --contained=0 looks for no contained documents");
    if (o->near_contained >= 0 && o->near_contained < contained)
        return wrong_use("scan", "--near-contained is below --contained: nothing below it is found");
    return EXIT_DONE;
}

enum exit_code act_check_use(const options *o) {
    if (!act_is_asked(o)) return check_alone(o);
    if (o->delete + o->hardlink + o->reflink + (o->move_to != NULL) > 1)
        return wrong_use("scan", "only one of --delete, --hardlink, --reflink and --move");
    if (o->pairs || o->boilerplate || o->list_redundant || o->filter)
        return wrong_use("scan",
                         "--delete, --hardlink, --reflink and --move do not go with --pairs, --boilerplate, "
                         "--list-redundant and --filter");
    if (check_move(o)) return EXIT_WRONG;
    if (o->dry_run && o->log) return wrong_use("scan", "--dry-run does nothing that --log could tell");
    if (!o->yes && !o->dry_run && !isatty(STDIN_FILENO))
        return wrong_use("scan", "--%s needs --yes where nobody can be asked",
                         stemma_action_name(act_options(o).action));
    return check_near(o);
}

/* ---- asking back ---- */

enum { PATIENCE = 100 }; /* milliseconds */

/* A signal may come just before the waiting, which it would not end then. */
static bool wait_for_answer(void) {
    struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
    while (!stop_requested)
        if (poll(&waiting, 1, PATIENCE) > 0) return true;
    return false;
}

static bool is_confirmed(const options *o, const stemma_act_options *act, const stemma_act_totals *t) {
    char answer[16], count[32], bytes[32];
    if (o->yes) return true;
    fflush(stdout);
    fprintf(stderr, "%s %s file%s, %s? (--dry-run shows them) [y/N] ", stemma_action_name(act->action),
            format_count(t->steps, count, sizeof count), t->steps == 1 ? "" : "s",
            format_bytes(t->bytes, bytes, sizeof bytes));
    if (!wait_for_answer() || !fgets(answer, sizeof answer, stdin)) answer[0] = '\0';
    return answer[0] == 'y' || answer[0] == 'Y';
}

/* ---- what came of it ---- */

static void json_totals(const options *o, const stemma_act_options *act, const stemma_act_totals *t,
                        const char *log) {
    json line = json_begin(stdout);
    json_open(&line, "acted", '{');
    json_word(&line, "action", stemma_action_name(act->action));
    act_json_totals(&line, t, o->dry_run);
    json_count(&line, "not_files", t->not_files);
    json_count(&line, "holding", t->holding);
    if (log) json_name(&line, "log", log);
    json_close(&line, '}');
    json_end(&line);
}

/* Where the log is, and what it is good for; also to those who want to read little. */
static void print_log(FILE *out, const char *log, uint64_t done, uint64_t for_good) {
    char count[32];
    fputs("log: ", out);
    print_name(out, log);
    if (for_good == 0)
        fputs(" (stemma undo takes it back)\n", out);
    else if (for_good == done)
        fputs(" (what was deleted was not identical: stemma undo cannot take it back)\n", out);
    else
        fprintf(out, " (stemma undo takes it back, but for %s not identical)\n",
                format_count(for_good, count, sizeof count));
}

static void print_totals(const options *o, const stemma_act_options *act, const stemma_act_totals *t,
                         const char *log, uint64_t for_good) {
    char count[32];
    if (o->json) {
        json_totals(o, act, t, log);
        return;
    }
    act_report_totals(act->action, o->dry_run, t);
    if (t->not_files)
        printf("%s left alone, as they or what is kept are inside archives, mail or data sets\n",
               format_count(t->not_files, count, sizeof count));
    if (t->holding)
        printf("%s left alone, as %s more than was compared: attachments, or what cannot be read\n",
               format_count(t->holding, count, sizeof count), t->holding == 1 ? "it holds" : "they hold");
    if (o->quiet) flush_output(); /* in the order of what it says */
    if (log && t->done) print_log(o->quiet ? stderr : stdout, log, t->done, for_good);
}

/* ---- doing it ---- */

/* log NULL: nothing is touched, or there is nothing to touch. */
static enum exit_code carry_out(const options *o, const stemma_act_options *act, stemma_plan *plan,
                                char *log) {
    act_report report = {.json = o->json};
    stemma_act_totals totals = stemma_plan_totals(plan);
    stemma_error error;
    stemma_status status = log ? stemma_plan_carry_out(plan, log, act_report_step, &report, &totals, &error)
                               : stemma_plan_check(plan, act_report_step, &report, &totals, &error);
    if (status && error.status == STEMMA_INVALID) return complain_of(&error);
    if (status == STEMMA_INTERRUPTED && log && totals.done) /* what is printed may not get through any more */
        complain("interrupted after %llu files; the log is '%s'", (unsigned long long)totals.done, log);
    print_totals(o, act, &totals, log, report.for_good);
    if (o->strict && totals.skipped) report.code = graver(report.code, EXIT_WRONG);
    return status ? graver(report.code, complain_of(&error)) : report.code;
}

static enum exit_code act_by(const options *o, const stemma_act_options *act, stemma_plan *plan) {
    stemma_act_totals planned = stemma_plan_totals(plan);
    if (planned.steps == 0 || o->dry_run) return carry_out(o, act, plan, NULL);
    if (!is_confirmed(o, act, &planned)) {
        if (!stop_requested) complain("nothing was done");
        return EXIT_NO;
    }
    char *log = o->log ? need_copy(o->log) : act_log_path(act->action);
    enum exit_code code = log ? carry_out(o, act, plan, log) : EXIT_WRONG;
    free(log);
    return code;
}

enum exit_code act_on(const scan_report *r) {
    stemma_act_options act = act_options(r->options);
    stemma_plan *plan;
    stemma_error error;
    if (stemma_plan_new(r->scan, &act, &plan, &error)) return complain_of(&error);
    enum exit_code code = act_by(r->options, &act, plan);
    stemma_plan_free(plan);
    return code;
}

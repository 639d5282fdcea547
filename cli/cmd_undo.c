/* stemma undo: takes back what a log of stemma scan says. */
#include "act.h"
#include "command.h"
#include "json.h"

static void print_totals(const options *o, const stemma_act_totals *t) {
    char count[32], bytes[32];
    if (o->json) {
        json line = json_begin(stdout);
        json_open(&line, "undone", '{');
        act_json_totals(&line, t, o->dry_run);
        json_close(&line, '}');
        json_end(&line);
    } else if (!o->quiet || o->dry_run) {
        printf("%s file%s %srestored, %s", format_count(t->done, count, sizeof count),
               t->done == 1 ? "" : "s", o->dry_run ? "would be " : "",
               format_bytes(t->done_bytes, bytes, sizeof bytes));
        act_report_rest(t);
    }
}

static enum exit_code run(const options *o) {
    act_report report = {.json = o->json, .quiet = o->quiet && !o->dry_run, .undo = true};
    stemma_act_totals totals = {0};
    stemma_error error;
    if (o->operand_count == 0 && (act_list_logs(o->json) || o->json)) return EXIT_DONE;
    if (o->operand_count != 1) return wrong_use("undo", "one log is needed, %zu given", o->operand_count);
    stemma_limits limits = limits_from(o);
    stemma_status status =
        stemma_undo(o->operands[0], o->dry_run, &limits, act_report_step, &report, &totals, &error);
    if (totals.steps || !status) print_totals(o, &totals);
    if (totals.skipped) report.code = graver(report.code, EXIT_NO);
    return status ? graver(report.code, complain_of(&error)) : report.code;
}

const command command_undo = {
    .name = "undo",
    .mask = IN_UNDO,
    .summary = "take back what a scan did to files",
    .usage = "[OPTION]... [LOG]",
    .purpose =
        "Takes back what 'stemma scan' with --delete, --hardlink, --reflink or --move did, by the log it kept, last "
        "step first: moved files go back, linked ones become files of their own again, and deleted ones are "
        "copied from the identical file that was kept; a folder that is gone is made again. Of what cannot be restored the kept file is named. "
        "Nothing is overwritten, and undoing twice does no harm. Without a LOG those of the user are listed, the "
        "newest first, with their time and the number of files.",
    .examples = "  stemma undo --dry-run moved.jsonl\n"
                "  stemma undo ~/.local/state/stemma/move-20261116T101500Z-4711.jsonl\n",
    .see_also = "stemma-undo(1), stemma-scan(1)",
    .no = "something could not be restored",
    .run = run,
};

/*
 * act.h - acting on what a scan found: --delete, --hardlink, --reflink, --move; and the words for it, which
 * undoing shares.
 */
#ifndef STEMMA_CLI_ACT_H
#define STEMMA_CLI_ACT_H

#include "json.h"
#include "options.h"
#include "output.h"
#include "scan_report.h"

bool act_is_asked(const options *o);
/* What does not go together, before anything is read. */
enum exit_code act_check_use(const options *o);
/* After the scan: shows or does it, and says what came of it. */
enum exit_code act_on(const scan_report *r);

/* ---- the words ---- */

typedef struct act_report {
    bool json, quiet, undo;
    enum exit_code code; /* the gravest that a step met */
    uint64_t for_good;   /* deleted without an identical file to restore it from */
} act_report;

/* A stemma_act_take; context: an act_report. */
stemma_status act_report_step(void *report, const stemma_act_step *step, stemma_error *error);

/* What acting and undoing say alike of their totals. */
void act_json_totals(json *line, const stemma_act_totals *totals, bool dry_run);

/* "12 files deleted, 3.4 MB freed" */
void act_report_totals(stemma_action action, bool dry, const stemma_act_totals *totals);
/* ", 2 skipped, 1 failed" and the end of the line. */
void act_report_rest(const stemma_act_totals *totals);

/* ---- the log ---- */

/* $XDG_STATE_HOME/stemma/ACTION-TIME-PROCESS.jsonl; its folders are made. NULL, and a message, when there is
 * no such place. Free the result. */
char *act_log_path(stemma_action action);
/* The logs that are there, the newest first, one a line: when it was, what was done with how many files;
 * false: there are none. */
bool act_list_logs(bool as_json);
/* Before the work: a log is never written over, nor added to. */
enum exit_code act_check_log(const char *path);

#endif

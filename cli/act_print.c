/* One line a step: what becomes of it, how it relates to the kept file, its bytes, its name, and what is
 * kept. */
#include "act.h"
#include "json.h"

/* ---- JSON ---- */

static const char *outcome_name(stemma_outcome outcome) {
    static const char *const names[] = {"possible", "done", "skipped", "failed", "unneeded"};
    return names[outcome];
}

static void print_json(const stemma_act_step *s, bool undo) {
    json line = json_begin(stdout);
    json_word(&line, undo ? "undo" : "action", stemma_action_name(s->action));
    json_name(&line, "id", s->path);
    json_name(&line, "kept", s->kept);
    if (s->target) json_name(&line, "to", s->target);
    json_word(&line, "relation", stemma_relation_name(s->relation));
    if (!undo) json_number(&line, "resemblance", s->resemblance);
    if (!undo) json_number(&line, "contained", s->contained);
    json_count(&line, "bytes", s->bytes);
    json_word(&line, "outcome", outcome_name(s->outcome));
    if (*s->cause) json_word(&line, "cause", s->cause);
    json_end(&line);
}

/* ---- words ---- */

typedef struct act_words {
    const char *done, *possible, *participle;
} act_words;

static act_words words_of(stemma_action action) {
    static const act_words words[] = {{"deleted", "would delete", "deleted"},
                                      {"linked", "would link", "linked"},
                                      {"shared", "would share", "made to share blocks"},
                                      {"moved", "would move", "moved"}};
    return words[action];
}

static const char *outcome_words(const stemma_act_step *s, bool undo) {
    if (s->outcome == STEMMA_STEP_DONE) return undo ? "restored" : words_of(s->action).done;
    if (s->outcome == STEMMA_STEP_POSSIBLE) return undo ? "would restore" : words_of(s->action).possible;
    return s->outcome == STEMMA_STEP_UNNEEDED ? "as it was" : "skipped";
}

static void print_line(const stemma_act_step *s, bool undo) {
    stemma_scan_member member = {
        .relation = s->relation, .resemblance = s->resemblance, .contained = s->contained};
    char bytes[32], relation[48];
    printf("  %-13s  %-19s  %8s  ", outcome_words(s, undo),
           undo ? stemma_action_name(s->action)
                : form_words(&member, s->another_form, relation, sizeof relation),
           format_bytes(s->bytes, bytes, sizeof bytes));
    print_name(stdout, s->path);
    if (s->outcome == STEMMA_STEP_SKIPPED) {
        fputs(": ", stdout);
        print_name(stdout, s->cause);
    } else if (undo) {
        if (s->target) fputs(" from ", stdout), print_name(stdout, s->target);
    } else {
        fputs(s->target ? " to " : "; kept ", stdout);
        print_name(stdout, s->target ? s->target : s->kept);
    }
    putchar('\n');
}

/* A failure names what failed; what was skipped does so in a line of its own. */
static void complain_of_step(const stemma_act_step *s) {
    if (s->outcome == STEMMA_STEP_SKIPPED)
        complain("'%s' was left as it is: %s", s->path, s->cause);
    else
        complain("%s", s->cause);
}

stemma_status act_report_step(void *context, const stemma_act_step *s, stemma_error *error) {
    act_report *report = context;
    (void)error;
    if (s->outcome == STEMMA_STEP_FAILED) report->code = graver(report->code, exit_code_of(s->status));
    report->for_good +=
        s->outcome == STEMMA_STEP_DONE && s->action == STEMMA_ACT_DELETE && s->relation != STEMMA_IDENTICAL;
    if (report->json)
        print_json(s, report->undo);
    else if (s->outcome == STEMMA_STEP_FAILED || (report->quiet && s->outcome == STEMMA_STEP_SKIPPED))
        complain_of_step(s);
    else if (!report->quiet && s->outcome != STEMMA_STEP_UNNEEDED)
        print_line(s, report->undo);
    return STEMMA_OK; /* a step that was begun is ended, whether or not somebody reads of it */
}

/* ---- totals ---- */

void act_json_totals(json *line, const stemma_act_totals *totals, bool dry_run) {
    json_bool(line, "dry_run", dry_run);
    json_count(line, "steps", totals->steps);
    json_count(line, "done", totals->done);
    json_count(line, "done_bytes", totals->done_bytes);
    json_count(line, "skipped", totals->skipped);
    json_count(line, "failed", totals->failed);
}

void act_report_rest(const stemma_act_totals *t) {
    char count[32];
    if (t->skipped) printf(", %s skipped", format_count(t->skipped, count, sizeof count));
    if (t->failed) printf(", %s failed", format_count(t->failed, count, sizeof count));
    putchar('\n');
}

void act_report_totals(stemma_action action, bool dry, const stemma_act_totals *t) {
    char count[32], bytes[32];
    printf("%s file%s %s%s, %s%s", format_count(t->done, count, sizeof count), t->done == 1 ? "" : "s",
           dry ? "would be " : "", words_of(action).participle,
           format_bytes(t->done_bytes, bytes, sizeof bytes), action == STEMMA_ACT_MOVE ? "" : " freed");
    act_report_rest(t);
}

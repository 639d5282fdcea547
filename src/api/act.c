/* Acting on what a scan found: arguments are checked here, the work is in src/act. */
#include "act/plan.h"
#include "act/undo.h"
#include "api/limits.h"

const char *stemma_action_name(stemma_action action) {
    switch (action) {
    case STEMMA_ACT_DELETE:
        return "delete";
    case STEMMA_ACT_HARDLINK:
        return "hardlink";
    case STEMMA_ACT_REFLINK:
        return "reflink";
    case STEMMA_ACT_MOVE:
        return "move";
    }
    return "unknown";
}

stemma_act_options stemma_act_options_default(void) {
    return (stemma_act_options){.size = sizeof(stemma_act_options)};
}

static bool is_share(double x) {
    return x >= 0 && x <= 1; /* and so no NaN */
}

static stemma_status check_options(const stemma_act_options *given, stemma_act_options *out,
                                   stemma_error *err) {
    stemma_act_options o = stemma_act_options_default();
    TRY(options_take(given, &o, sizeof o, err));
    if ((unsigned)o.action > STEMMA_ACT_MOVE) return fail(err, STEMMA_INVALID, "there is no such action");
    if (!is_share(o.near) || !is_share(o.near_contained))
        return fail(err, STEMMA_INVALID, "what is near is said by a number from 0 to 1");
    if ((o.near > 0 || o.near_contained > 0) &&
        (o.action == STEMMA_ACT_HARDLINK || o.action == STEMMA_ACT_REFLINK))
        return fail(err, STEMMA_INVALID, "only identical files can be linked");
    if (o.action == STEMMA_ACT_MOVE && (!o.directory || !*o.directory))
        return fail(err, STEMMA_INVALID, "a folder to move to is needed");
    *out = o;
    return STEMMA_OK;
}

stemma_status stemma_plan_new(stemma_scan *scan, const stemma_act_options *options, stemma_plan **out,
                              stemma_error *err) {
    stemma_act_options o;
    if (!scan || !scan->done || !options || !out)
        return fail(err, STEMMA_INVALID, "a scan that has run, options and a place for the plan are needed");
    TRY(check_options(options, &o, err));
    return plan_new(scan, &o, out, err);
}

void stemma_plan_free(stemma_plan *plan) {
    plan_free(plan);
}

stemma_act_totals stemma_plan_totals(const stemma_plan *plan) {
    return plan ? plan->totals : (stemma_act_totals){0};
}

stemma_status stemma_plan_check(stemma_plan *plan, stemma_act_take *take, void *context,
                                stemma_act_totals *totals, stemma_error *err) {
    if (!plan) return fail(err, STEMMA_INVALID, "a plan is needed");
    return plan_run(plan, NULL, take, context, totals, err);
}

stemma_status stemma_plan_carry_out(stemma_plan *plan, const char *log, stemma_act_take *take, void *context,
                                    stemma_act_totals *totals, stemma_error *err) {
    if (!plan || !log || !*log) return fail(err, STEMMA_INVALID, "a plan and a path for the log are needed");
    if (plan->carried_out) return fail(err, STEMMA_INVALID, "the plan was carried out");
    return plan_run(plan, log, take, context, totals, err);
}

stemma_status stemma_undo(const char *log, bool dry, const stemma_limits *limits, stemma_act_take *take,
                          void *context, stemma_act_totals *totals, stemma_error *err) {
    stemma_limits checked;
    if (!log) return fail(err, STEMMA_INVALID, "the path of a log is needed");
    TRY(limits_check(limits, &checked, err));
    return undo_log(log, dry, checked.stop, take, context, totals, err);
}

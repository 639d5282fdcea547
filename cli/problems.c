#include "problems.h"

#include "command.h"
#include "json.h"
#include "new_file.h"

#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };

void problem_complain(stemma_status status, const char *cause) {
    complain("%s%s", status ? "" : "warning: ", cause);
}

static uint64_t list_some(const problem_list *list) {
    stemma_scan_problem problem;
    uint64_t at = 0;
    for (; at < list->count && at < LISTED && list->get(list->of, at, &problem); at++)
        problem_complain(problem.status, problem.cause);
    return at;
}

uint64_t problems_damaged(const problem_list *list) {
    stemma_scan_problem problem;
    uint64_t count = 0;
    for (uint64_t i = 0; i < list->count && list->get(list->of, i, &problem); i++)
        count += problem.status == STEMMA_OK;
    return count;
}

static void report_rest(uint64_t shown, uint64_t count, const char *all) {
    char text[32];
    if (shown && shown < count)
        complain("and %s more; %s has all", format_count(count - shown, text, sizeof text), all);
}

static void warn_of(uint64_t count, const char *what, const char *rest) {
    char text[32];
    if (count)
        complain("warning: %s document%s %s%s", format_count(count, text, sizeof text), count == 1 ? "" : "s",
                 what, rest);
}

static void report_counts(uint64_t damaged, uint64_t unread, const char *rest) {
    warn_of(damaged, "may lack text", "");
    warn_of(unread, "could not be read", rest);
}

void problems_report(const problem_list *list, bool listed, const char *rest) {
    char text[32];
    const uint64_t damaged = problems_damaged(list);
    report_rest(listed ? list_some(list) : 0, list->count, list->all ? list->all : "--json");
    if (list->spared)
        complain("warning: nothing was removed below %s path%s",
                 format_count(list->spared, text, sizeof text), list->spared == 1 ? "" : "s");
    report_counts(damaged, list->count - list->spared - damaged, rest);
}

void problem_json(FILE *out, const stemma_scan_problem *problem) {
    json line = json_begin(out);
    json_name(&line, "problem", problem->name);
    if (problem->line) json_count(&line, "line", problem->line);
    json_word(&line, "cause", problem->cause);
    if (problem->status == STEMMA_OK) json_bool(&line, "used", true);
    json_end(&line);
}

void problems_json(const problem_list *list, FILE *out) {
    stemma_scan_problem problem;
    for (uint64_t i = 0; i < list->count && !stop_requested && !output_lost(); i++) {
        if (!list->get(list->of, i, &problem)) break;
        problem_json(out, &problem);
    }
}

/* ---- what was named on the command line ---- */

static bool is_unread(const stemma_scan_problem *problem) {
    return problem->status == STEMMA_NOT_FOUND || problem->status == STEMMA_UNREADABLE;
}

/* A collection has the whole path of a file: `path`, NULL where the operand is one, or leads nowhere. */
static bool is_named(const char *name, const char *operand, const char *path) {
    return !strcmp(operand, name) || (path && !strcmp(path, name));
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file that was met in a folder before has the name it had there. */
static bool is_met(const char *name, const char *operand) {
    return !strcmp(last_name(name), last_name(operand)) && is_same_file(name, operand);
}

static char *whole_path(const char *operand) {
    return operand[0] == '/' ? NULL : realpath(operand, NULL);
}

void problem_teller_init(problem_teller *t, const options *o, size_t first) {
    *t = (problem_teller){.options = o, .operands = o->operands + first, .count = o->operand_count - first};
    t->paths = need_memory((t->count + 1) * sizeof *t->paths);
    for (size_t i = 0; i < t->count; i++) t->paths[i] = whole_path(t->operands[i]);
}

void problem_teller_release(problem_teller *t) {
    for (size_t i = 0; i < t->count; i++) free(t->paths[i]);
    free(t->paths);
}

void problem_tell(void *context, const stemma_scan_problem *problem) {
    problem_teller *t = context;
    t->told++;
    t->damaged += problem->status == STEMMA_OK;
    if (t->options->json)
        problem_json(stdout, problem);
    else if (!t->options->quiet && t->told <= LISTED)
        problem_complain(problem->status, problem->cause);
    if (problem->line || !is_unread(problem)) return;
    for (size_t i = 0; i < t->count && !t->code; i++)
        if (is_named(problem->name, t->operands[i], t->paths[i]) || is_met(problem->name, t->operands[i]))
            t->code = EXIT_WRONG;
}

void problem_teller_end(const problem_teller *t) {
    if (!t->options->json && !t->options->quiet) report_rest(LISTED, t->told, "--json");
    report_counts(t->damaged, t->told - t->damaged, "");
}

/* Of one operand: whether it could not be had, and whether anything was wrong with it. */
static enum exit_code operand_code(const char *operand, const problem_list *list, bool *failed) {
    stemma_scan_problem problem;
    enum exit_code code = EXIT_DONE;
    char *path = whole_path(operand);
    for (uint64_t i = 0; i < list->count && !code && list->get(list->of, i, &problem); i++) {
        if (!problem.status || problem.line ||
            (!is_named(problem.name, operand, path) && !is_met(problem.name, operand)))
            continue;
        *failed = true;
        if (is_unread(&problem)) code = EXIT_WRONG;
    }
    free(path);
    return code;
}

enum exit_code problems_code(const options *o, size_t first, const problem_list *list) {
    enum exit_code code = EXIT_DONE;
    size_t failures = 0;
    if (list->count == 0) return EXIT_DONE;
    for (size_t i = first; i < o->operand_count && !code; i++) {
        bool failed = false;
        code = operand_code(o->operands[i], list, &failed);
        failures += failed;
    }
    bool all = failures == o->operand_count - first && !o->files_from;
    return all && list->documents && list->documents <= list->count - problems_damaged(list) ? EXIT_WRONG
                                                                                             : code;
}

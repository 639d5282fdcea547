#include "problems.h"

#include "command.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum {
    LISTED = 20,
    LOOKED_AT = 1000 /* of which some may be said once for all */
};

/* "PDF needs ...": what is said behind the name of the document. */
static const char *reason_of(const char *cause) {
    const char *end = strstr(cause, "': ");
    return end ? end + 3 : cause;
}

/* What this program cannot do, rather than what is wrong with a document, is said once. */
static bool is_said(const problem_list *list, uint64_t index, const stemma_scan_problem *problem) {
    stemma_scan_problem before;
    if (problem->status != STEMMA_UNSUPPORTED) return false;
    for (uint64_t i = 0; i < index; i++)
        if (list->get(list->of, i, &before) && before.status == STEMMA_UNSUPPORTED &&
            !strcmp(reason_of(before.cause), reason_of(problem->cause)))
            return true;
    return false;
}

static uint64_t list_some(const problem_list *list, uint64_t *said) {
    stemma_scan_problem problem;
    uint64_t at = 0;
    for (; at < list->count && at - *said < LISTED && at < LOOKED_AT; at++) {
        if (!list->get(list->of, at, &problem)) break;
        if (is_said(list, at, &problem))
            ++*said;
        else
            complain("%s", problem.cause);
    }
    return at;
}

void problems_report(const problem_list *list, bool listed, const char *rest) {
    uint64_t said = 0, shown = listed ? list_some(list, &said) : 0;
    char text[32];
    if (list->count == 0) return;
    const char *all = list->all ? list->all : "--json";
    if (said) complain("the same of %s more; %s has all", format_count(said, text, sizeof text), all);
    if (shown && shown < list->count)
        complain("and %s more; %s has all", format_count(list->count - shown, text, sizeof text), all);
    const uint64_t unread = list->count - list->spared;
    if (list->spared)
        complain("warning: nothing was removed below %s path%s",
                 format_count(list->spared, text, sizeof text), list->spared == 1 ? "" : "s");
    if (unread)
        complain("warning: %s document%s could not be read%s", format_count(unread, text, sizeof text),
                 unread == 1 ? "" : "s", rest);
}

void problems_json(const problem_list *list, FILE *out) {
    stemma_scan_problem problem;
    for (uint64_t i = 0; i < list->count && !stop_requested && !output_lost(); i++) {
        if (!list->get(list->of, i, &problem)) break;
        json line = json_begin(out);
        json_name(&line, "problem", problem.name);
        if (problem.line) json_count(&line, "line", problem.line);
        json_word(&line, "cause", problem.cause);
        json_end(&line);
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

static char *whole_path(const char *operand) {
    return operand[0] == '/' ? NULL : realpath(operand, NULL);
}

enum exit_code problem_code(const options *o, size_t first, const stemma_scan_problem *problem) {
    bool named = false;
    for (size_t i = first; i < o->operand_count && is_unread(problem) && !named; i++) {
        char *path = problem->name[0] == '/' ? whole_path(o->operands[i]) : NULL;
        named = is_named(problem->name, o->operands[i], path);
        free(path);
    }
    return named ? EXIT_WRONG : EXIT_DONE;
}

/* Of one operand: whether it could not be had, and whether anything was wrong with it. */
static enum exit_code operand_code(const char *operand, const problem_list *list, bool *failed) {
    stemma_scan_problem problem;
    enum exit_code code = EXIT_DONE;
    char *path = whole_path(operand);
    for (uint64_t i = 0; i < list->count && !code && list->get(list->of, i, &problem); i++) {
        if (problem.line || !is_named(problem.name, operand, path)) continue;
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
    return all && list->documents && list->documents <= list->count ? EXIT_WRONG : code;
}

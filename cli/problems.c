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

/* A collection has the whole path of a file. */
static bool is_path_of(const char *name, const char *operand) {
    char *path = name[0] == '/' && operand[0] != '/' ? realpath(operand, NULL) : NULL;
    bool same = path && !strcmp(path, name);
    free(path);
    return same;
}

enum exit_code problem_code(const options *o, size_t first, const stemma_scan_problem *problem) {
    const bool unread = problem->status == STEMMA_NOT_FOUND || problem->status == STEMMA_UNREADABLE;
    for (size_t i = first; i < o->operand_count && unread; i++)
        if (!strcmp(o->operands[i], problem->name) || is_path_of(problem->name, o->operands[i]))
            return EXIT_WRONG;
    return EXIT_DONE;
}

enum exit_code problems_code(const options *o, size_t first, const problem_list *list) {
    stemma_scan_problem problem;
    enum exit_code code = EXIT_DONE;
    for (uint64_t i = 0; i < list->count && !code && list->get(list->of, i, &problem); i++)
        code = problem_code(o, first, &problem);
    return code;
}

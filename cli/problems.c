#include "problems.h"

#include "command.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static int by_name(const void *a, const void *b) {
    return strcmp(((const named_path *)a)->path, ((const named_path *)b)->path);
}

static int by_file(const void *a, const void *b) {
    const named_file *f = a, *g = b;
    if (f->device != g->device) return f->device < g->device ? -1 : 1;
    return (f->file > g->file) - (f->file < g->file);
}

static void note_path(operand_set *n, char *path, size_t operand) {
    n->paths[n->path_count++] = (named_path){path, operand};
}

/* A collection has the whole path of a file; one that was met in a folder before has the name it had there.
 */
static void operand_set_init(operand_set *n, char **operands, size_t count) {
    struct stat info;
    *n = (operand_set){.operands = count,
                       .paths = need_memory((2 * count + 1) * sizeof *n->paths),
                       .files = need_memory((count + 1) * sizeof *n->files),
                       .met = need_memory(count + 1)};
    memset(n->met, 0, count + 1);
    for (size_t i = 0; i < count; i++) {
        char *whole = operands[i][0] == '/' ? NULL : realpath(operands[i], NULL);
        note_path(n, need_copy(operands[i]), i);
        if (whole) note_path(n, whole, i);
        if (!stat(operands[i], &info)) n->files[n->file_count++] = (named_file){info.st_dev, info.st_ino, i};
    }
    qsort(n->paths, n->path_count, sizeof *n->paths, by_name);
    qsort(n->files, n->file_count, sizeof *n->files, by_file);
}

static void operand_set_release(operand_set *n) {
    for (size_t i = 0; i < n->path_count; i++) free(n->paths[i].path);
    free(n->paths);
    free(n->files);
    free(n->met);
}

static void mark(operand_set *n, size_t operand) {
    n->met_count += !n->met[operand];
    n->met[operand] = true;
}

/* What is named twice is met twice; where the first that is found is marked, all are. */
static bool meet_path(operand_set *n, const char *name) {
    const named_path path = {.path = (char *)name}, *end = n->paths + n->path_count;
    const named_path *found = bsearch(&path, n->paths, n->path_count, sizeof *n->paths, by_name);
    if (!found || n->met[found->operand]) return found;
    for (const named_path *p = found; p > n->paths && !by_name(p - 1, found); p--) mark(n, p[-1].operand);
    for (const named_path *p = found; p < end && !by_name(p, found); p++) mark(n, p->operand);
    return true;
}

static bool meet_file(operand_set *n, const char *name) {
    struct stat info;
    if (stat(name, &info)) return false;
    const named_file file = {.device = info.st_dev, .file = info.st_ino}, *end = n->files + n->file_count;
    const named_file *found = bsearch(&file, n->files, n->file_count, sizeof *n->files, by_file);
    if (!found || n->met[found->operand]) return found;
    for (const named_file *f = found; f > n->files && !by_file(f - 1, found); f--) mark(n, f[-1].operand);
    for (const named_file *f = found; f < end && !by_file(f, found); f++) mark(n, f->operand);
    return true;
}

/* Whether an operand is what is called so. */
static bool operand_set_meet(operand_set *n, const char *name) {
    const bool path = meet_path(n, name), file = meet_file(n, name);
    return path || file;
}

void problem_teller_init(problem_teller *t, const options *o, size_t first) {
    *t = (problem_teller){.options = o};
    operand_set_init(&t->named, o->operands + first, o->operand_count - first);
}

void problem_teller_release(problem_teller *t) {
    operand_set_release(&t->named);
}

void problem_tell(void *context, const stemma_scan_problem *problem) {
    problem_teller *t = context;
    t->told++;
    t->damaged += problem->status == STEMMA_OK;
    if (t->options->json)
        problem_json(stdout, problem);
    else if (!t->options->quiet && t->told <= LISTED)
        problem_complain(problem->status, problem->cause);
    if (!t->code && !problem->line && is_unread(problem) && operand_set_meet(&t->named, problem->name))
        t->code = EXIT_WRONG;
}

void problem_teller_end(const problem_teller *t) {
    if (!t->options->json && !t->options->quiet) report_rest(LISTED, t->told, "--json");
    report_counts(t->damaged, t->told - t->damaged, "");
}

/* A document that was met and is damaged; what is inside another file, or a record, is none by itself. */
static bool is_failed_document(const stemma_scan_problem *problem) {
    return (problem->status == STEMMA_CORRUPT || problem->status == STEMMA_UNSUPPORTED) && !problem->line &&
           !strstr(problem->name, "!/");
}

enum exit_code problems_code(const options *o, size_t first, const problem_list *list) {
    stemma_scan_problem problem;
    enum exit_code code = EXIT_DONE;
    uint64_t failed = 0;
    operand_set n;
    if (list->count == 0) return EXIT_DONE;
    operand_set_init(&n, o->operands + first, o->operand_count - first);
    for (uint64_t i = 0; i < list->count && list->get(list->of, i, &problem); i++) {
        failed += is_failed_document(&problem);
        if (problem.status && !problem.line && operand_set_meet(&n, problem.name) && is_unread(&problem))
            code = EXIT_WRONG;
    }
    const bool all = n.met_count == n.operands && !o->files_from;
    operand_set_release(&n);
    if (all) failed = list->count - problems_damaged(list);
    return list->documents && list->documents <= failed ? EXIT_WRONG : code;
}

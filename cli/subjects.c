#include "subjects.h"

#include "command.h"
#include "standard_input.h"

#include <stdlib.h>
#include <string.h>

static bool is_standard(const char *name) {
    return !strcmp(name, "-");
}

static size_t first_standard(const path_list *list) {
    size_t at = 0;
    while (at < list->count && !is_standard(list->paths[at])) at++;
    return at;
}

/* It can be read once. */
static void leave_out_standard(path_list *list, size_t from) {
    size_t kept = from;
    for (size_t i = from; i < list->count; i++)
        if (is_standard(list->paths[i]))
            free(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    list->count = kept;
}

enum exit_code subjects_read(subjects *s, const char *verb, const options *o) {
    *s = (subjects){0};
    enum exit_code code = path_list_read(&s->list, o);
    const size_t at = first_standard(&s->list);
    if (code || at == s->list.count) return code;
    if (o->files_from && is_standard(o->files_from))
        return wrong_use(verb, "standard input can be read only once");
    stemma_status status = s->trouble.status = standard_input_keep(&s->trouble);
    leave_out_standard(&s->list, status ? at : at + 1);
    return status && status != STEMMA_UNREADABLE ? complain_of(&s->trouble) : EXIT_DONE;
}

void subjects_tell_trouble(const subjects *s, void (*tell)(void *context, const stemma_scan_problem *problem),
                           void *context) {
    const stemma_scan_problem p = {.name = "-", .status = s->trouble.status, .cause = s->trouble.message};
    if (p.status) tell(context, &p);
}

void subjects_release(subjects *s) {
    path_list_release(&s->list);
}

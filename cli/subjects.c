#include "subjects.h"

#include "command.h"
#include "standard_input.h"

#include <stdlib.h>
#include <string.h>

static bool is_standard(const char *name) {
    return !strcmp(name, "-");
}

/* True where it was in the list. */
static bool leave_out_standard(path_list *list) {
    size_t kept = 0;
    const size_t count = list->count;
    for (size_t i = 0; i < count; i++) {
        char *path = list->paths[i];
        if (is_standard(path))
            free(path);
        else
            list->paths[kept++] = path;
    }
    list->count = kept;
    return kept < count;
}

enum exit_code subjects_read(subjects *s, const char *verb, const options *o) {
    *s = (subjects){0};
    for (size_t i = 1; i < o->operand_count && o->files_from; i++)
        if (is_standard(o->operands[i]) && is_standard(o->files_from))
            return wrong_use(verb, "standard input can be read only once");
    enum exit_code code = path_list_read(&s->list, o);
    if (code || !leave_out_standard(&s->list)) return code;
    stemma_status status = s->trouble.status = standard_input_keep(&s->trouble);
    if (!status) path_list_add(&s->list, "-");
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

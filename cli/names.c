#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum exit_code names_open(name_list *names, const char *path, bool null_separated) {
    *names = (name_list){.path = path, .separator = null_separated ? '\0' : '\n'};
    names->file = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (names->file) return EXIT_DONE;
    complain("cannot read '%s': %s", path, cause_text(errno));
    return EXIT_WRONG;
}

bool names_next(name_list *names, char **name) {
    ssize_t length;
    while ((length = getdelim(&names->line, &names->capacity, names->separator, names->file)) > 0) {
        names->number++;
        if (names->line[length - 1] == names->separator) names->line[--length] = '\0';
        names->broken = strlen(names->line) != (size_t)length;
        if (names->broken) return false;
        if (length > 0) {
            *name = names->line;
            return true;
        }
    }
    return false;
}

enum exit_code names_close(name_list *names) {
    enum exit_code code = EXIT_DONE;
    if (ferror(names->file) && errno != EINTR) {
        complain("cannot read '%s': %s", names->path, cause_text(errno));
        code = EXIT_WRONG;
    }
    if (names->broken) {
        complain("cannot use line %lu of '%s': it holds a NUL byte; use -0 for names ended by NUL",
                 names->number, names->path);
        code = EXIT_WRONG;
    }
    free(names->line);
    if (names->file != stdin) fclose(names->file);
    return code;
}

#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

enum { LONGEST_LINE = 1 << 20 };

static enum exit_code cannot_read(const char *path, const char *reason) {
    complain("cannot read '%s': %s", path, reason);
    return EXIT_WRONG;
}

/* As for documents: files and pipes are read. Scripts give /dev/null for no names. */
static const char *why_no_list(const char *path) {
    struct stat info, empty;
    if (stat(path, &info)) return cause_text(errno);
    if (S_ISDIR(info.st_mode)) return "is a directory";
    if (S_ISCHR(info.st_mode) && !stat("/dev/null", &empty) && info.st_rdev == empty.st_rdev) return NULL;
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) return "is a device, not a list";
    return NULL;
}

enum exit_code names_open(name_list *names, const char *path, bool null_separated) {
    bool standard_input = !strcmp(path, "-");
    *names = (name_list){.path = path, .separator = null_separated ? '\0' : '\n'};
    const char *reason = standard_input ? NULL : why_no_list(path);
    if (reason) return cannot_read(path, reason);
    names->file = standard_input ? stdin : fopen(path, "re");
    if (!names->file) return cannot_read(path, cause_text(errno));
    names->line = need_memory(LONGEST_LINE + 1);
    return EXIT_DONE;
}

/* Up to the separator or the end of the file. False at the end, and where reading failed. */
static bool read_line(name_list *names) {
    int next = EOF;
    names->length = 0;
    while (names->length <= LONGEST_LINE && (next = getc_unlocked(names->file)) != EOF &&
           next != names->separator)
        names->line[names->length++] = (char)next;
    if (next == EOF && ferror(names->file)) names->cause = errno;
    if (next == EOF && (names->length == 0 || names->cause)) return false;
    names->number++;
    return true;
}

/* Why a line is no name, or NULL. */
static const char *trouble_of(name_list *names) {
    if (names->length > LONGEST_LINE) return "it is too long";
    bool is_line = names->separator == '\n';
    if (is_line && names->length > 0 && names->line[names->length - 1] == '\r') names->length--;
    names->line[names->length] = '\0';
    if (strlen(names->line) != names->length) return "it holds a NUL byte; use -0 for names ended by NUL";
    if (names->length == 0 && names->separator == '\0') return "it is empty";
    return NULL;
}

bool names_next(name_list *names, char **name) {
    while (!names->trouble && !stop_requested && read_line(names)) {
        names->trouble = trouble_of(names);
        if (names->trouble || names->length == 0) continue;
        *name = names->line;
        return true;
    }
    return false;
}

const char *names_item(const name_list *names) {
    return names->separator ? "line" : "name";
}

enum exit_code names_close(name_list *names) {
    enum exit_code code = EXIT_DONE;
    if (names->cause && names->cause != EINTR) code = cannot_read(names->path, cause_text(names->cause));
    if (names->trouble) {
        complain("cannot use %s %lu of '%s': %s", names_item(names), names->number, names->path,
                 names->trouble);
        code = EXIT_WRONG;
    }
    free(names->line);
    if (names->file != stdin) fclose(names->file);
    return code;
}

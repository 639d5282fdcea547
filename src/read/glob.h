/*
 * Patterns of file names with the rules of gitignore.
 *
 * `*`, `?` and `[a-z]` match within one name, `**` any number of folders; a pattern with a slash (other than
 * at its end) is anchored at the folder it belongs to, one without matches the last name of a path; a slash
 * at the end asks for a folder; `!` takes back what earlier patterns matched. Bytes are matched, whatever the
 * encoding.
 *
 * A path is matched name by name, and a name byte by byte, each time going back to the last star only, which
 * is enough: an earlier one that took more would leave less for the rest. So no match takes more than size of
 * pattern times size of path steps.
 */
#ifndef READ_GLOB_H
#define READ_GLOB_H

#include <stdbool.h>
#include <stddef.h>

struct glob {
    const char *text; /* the caller's */
    size_t size;
    bool anchored, folder, negated;
};

/* False for what is no pattern: an empty line, a comment. */
bool glob_parse(const char *text, size_t size, struct glob *glob);

/* path: relative to the folder the pattern belongs to, without a slash at either end. */
bool glob_matches(const struct glob *glob, const char *path, size_t size, bool folder);

struct glob_list {
    struct glob *list;
    size_t count, capacity;
};

/* One pattern, or each line of a file. False when memory is refused. */
bool glob_list_add(struct glob_list *globs, const char *text, size_t size);
bool glob_list_add_lines(struct glob_list *globs, const char *text, size_t size);
void glob_list_release(struct glob_list *globs);

/* What the last of the patterns that match says. */
enum glob_verdict { GLOB_SILENT, GLOB_MATCHED, GLOB_NEGATED };
enum glob_verdict glob_list_judge(const struct glob_list *globs, const char *path, size_t size, bool folder);

#endif

#include "walk.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void cannot_read(walk *w, const char *path, int cause) {
    complain("cannot read '%s': %s", path, cause_text(cause));
    w->code = graver(w->code, EXIT_WRONG);
}

/* Whether it is a file to be read; if not, what there is to say is said. */
static bool is_file(walk *w, const FTSENT *entry) {
    switch (entry->fts_info) {
    case FTS_F:
        return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        cannot_read(w, entry->fts_path, entry->fts_errno);
        return false;
    default: /* folders, links, pipes and the like */
        return false;
    }
}

static bool next_in_tree(walk *w, const char **name) {
    FTSENT *entry;
    while (!stop_requested && (entry = fts_read(w->tree))) {
        if (!is_file(w, entry)) continue;
        *name = entry->fts_path;
        return true;
    }
    walk_close(w);
    return false;
}

static bool next_named(walk *w, char **name) {
    if (w->next < w->operand_count) {
        *name = w->operands[w->next++];
        return true;
    }
    return w->list && names_next(w->list, name);
}

static bool is_folder(const char *name) {
    struct stat info;
    return strcmp(name, "-") && stat(name, &info) == 0 && S_ISDIR(info.st_mode);
}

bool walk_next(walk *w, const char **name) {
    char *named;
    while (!stop_requested) {
        if (w->tree && next_in_tree(w, name)) return true;
        if (!next_named(w, &named)) return false;
        if (!is_folder(named)) {
            *name = named;
            return true;
        }
        w->tree = fts_open((char *[]){named, NULL}, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
        if (!w->tree) cannot_read(w, named, errno);
    }
    return false;
}

void walk_close(walk *w) {
    if (w->tree) fts_close(w->tree);
    w->tree = NULL;
}

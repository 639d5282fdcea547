/* stemma remove: documents out of a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that is no document: a folder, which may be gone. */
typedef struct folder {
    char *name, *path;
    bool found; /* something is below it */
} folder;

typedef struct removal {
    stemma_collection *collection;
    uint64_t removed;
    folder *folders;
    size_t count, room;
    path_list patterns;
} removal;

/* What is there by that very name is meant, also where nobody may look. */
static bool is_pattern(const char *name) {
    if (!strpbrk(name, "*?[") && name[strlen(name) - 1] != '/') return false;
    return access(name, F_OK) && errno != EACCES;
}

/* ---- the path that add gave to what is named so, which may be gone ---- */

/* Of the longest part that leads to something, from the left; *rest is what is behind it. NULL: there is no
 * telling, not even where we are. */
static char *path_that_is(const char *name, const char **rest) {
    char *path = realpath(name[0] == '/' ? "/" : ".", NULL), *part = need_copy(name), *next = path;
    *rest = name;
    for (char *end = part; *end && next;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char after = *end;
        *end = 0;
        next = realpath(part, NULL);
        *end = after;
        if (!next) break;
        free(path);
        path = next;
        *rest = name + (end - part);
    }
    free(part);
    return path;
}

static bool is_word(const char *word, const char *at, size_t length) {
    return strlen(word) == length && !memcmp(word, at, length);
}

static char *path_of(const char *name) {
    const char *rest;
    char *path = path_that_is(name, &rest);
    if (!path) return need_copy(name);
    path = need_more(path, strlen(path) + strlen(rest) + 2);
    char *end = path + (path[1] ? strlen(path) : 0);
    for (size_t length; *rest; rest += length + (rest[length] == '/')) {
        length = strcspn(rest, "/");
        if (is_word("..", rest, length)) {
            while (end > path && *--end != '/') continue;
        } else if (!is_word(".", rest, length) && length) {
            *end++ = '/';
            end = mempcpy(end, rest, length);
        }
    }
    strcpy(end, end == path ? "/" : "");
    return path;
}

/* Of what is inside a file that is there: what follows its name is no path, and stays as it is. NULL: it is
 * not. */
static char *path_inside(const char *name) {
    struct stat info;
    for (const char *end = strpbrk(name, "!:"); end; end = strpbrk(end + 1, "!:")) {
        if (*end == '!' && end[1] != '/') continue;
        char *file = need(strndup(name, (size_t)(end - name))), *path = NULL;
        if (!stat(file, &info) && S_ISREG(info.st_mode)) path = realpath(file, NULL);
        free(file);
        if (!path) continue;
        path = need_more(path, strlen(path) + strlen(end) + 1);
        return strcat(path, end);
    }
    return NULL;
}

/* ---- names as they are printed ---- */

static int digit_of(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Bytes that the terminal is spared stand as \xHH. NULL: there are none. */
static char *as_it_was(const char *printed) {
    char *name = need_copy(printed), *to = name;
    bool any = false;
    for (const char *at = printed; *at; to++) {
        const bool hidden = at[0] == '\\' && at[1] == 'x' && digit_of(at[2]) >= 0 && digit_of(at[3]) >= 0 &&
                            digit_of(at[2]) + digit_of(at[3]) > 0;
        *to = hidden ? (char)(digit_of(at[2]) << 4 | digit_of(at[3])) : *at;
        at += hidden ? 4 : 1;
        any = any || hidden;
    }
    *to = 0;
    if (any) return name;
    free(name);
    return NULL;
}

/* ---- folders: all of them in one pass ---- */

/* The path is its own from here on. What is below a folder has its path and a slash in front: of the root, a
 * slash. */
static void note_folder(removal *r, const char *name, char *path) {
    if (!strcmp(path, "/")) *path = 0;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->folders = need_more(r->folders, r->room * sizeof *r->folders);
    }
    r->folders[r->count++] = (folder){.name = need_copy(name), .path = path};
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const folder *)a)->path, ((const folder *)b)->path);
}

typedef struct beginning {
    const char *text;
    size_t length;
} beginning;

static int compare_path(const void *key, const void *of) {
    const beginning *b = key;
    const char *path = ((const folder *)of)->path;
    const int order = strncmp(b->text, path, b->length);
    return order ? order : -(path[b->length] != 0);
}

/* Of several with the same path always the same one. */
static folder *find_folder(const removal *r, const char *path, size_t length) {
    const beginning b = {path, length};
    return bsearch(&b, r->folders, r->count, sizeof *r->folders, compare_path);
}

static bool is_in_folders(const removal *r, const char *id) {
    bool in = false;
    for (const char *end = strchr(id, '/'); end; end = strchr(end + 1, '/')) {
        folder *f = find_folder(r, id, (size_t)(end - id));
        if (!f) continue;
        in = f->found = true;
    }
    return in;
}

static stemma_status remove_if_in_folders(void *context, const stemma_collection_document *document,
                                          stemma_error *error) {
    removal *r = context;
    uint64_t count = 0;
    if (!is_in_folders(r, document->id)) return STEMMA_OK;
    stemma_status status = stemma_collection_remove(r->collection, document->id, &count, error);
    r->removed += count;
    return status == STEMMA_NOT_FOUND ? STEMMA_OK : status; /* it went with its file, or by its own name */
}

static enum exit_code remove_folders(removal *r) {
    stemma_error error;
    enum exit_code code = EXIT_DONE;
    if (r->count == 0) return EXIT_DONE;
    qsort(r->folders, r->count, sizeof *r->folders, by_path);
    if (stemma_collection_list(r->collection, NULL, remove_if_in_folders, r, &error))
        return complain_of(&error);
    for (size_t i = 0; i < r->count; i++) {
        const folder *f = &r->folders[i];
        if (find_folder(r, f->path, strlen(f->path))->found) continue;
        complain("'%s' is not in the collection", f->name);
        code = EXIT_WRONG;
    }
    return code;
}

static void release_folders(removal *r) {
    for (size_t i = 0; i < r->count; i++) {
        free(r->folders[i].name);
        free(r->folders[i].path);
    }
    free(r->folders);
}

/* ---- patterns: likewise ---- */

static enum exit_code tell_unmatched(const removal *r, const uint64_t *matched) {
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < r->patterns.count; i++) {
        if (matched[i]) continue;
        complain("nothing in the collection matches '%s'", r->patterns.paths[i]);
        code = EXIT_NO;
    }
    return code;
}

static enum exit_code remove_patterns(removal *r) {
    stemma_error error;
    uint64_t count = 0;
    if (r->patterns.count == 0) return EXIT_DONE;
    uint64_t *matched = need_memory(r->patterns.count * sizeof *matched);
    enum exit_code code = EXIT_DONE;
    if (stemma_collection_remove_matching_any(r->collection, (const char *const *)r->patterns.paths,
                                              r->patterns.count, matched, &count, &error))
        code = complain_of(&error);
    else
        code = tell_unmatched(r, matched);
    r->removed += count;
    free(matched);
    return code;
}

/* ---- names ---- */

static stemma_status remove_id(removal *r, const char *id, stemma_error *error) {
    uint64_t count = 0;
    stemma_status status = stemma_collection_remove(r->collection, id, &count, error);
    r->removed += count;
    return status;
}

static stemma_status remove_printed(removal *r, const char *name, stemma_error *error) {
    char *id = as_it_was(name);
    stemma_status status = id ? remove_id(r, id, error) : STEMMA_NOT_FOUND;
    free(id);
    return status;
}

static stemma_status remove_inside(removal *r, const char *name, stemma_error *error) {
    char *path = path_inside(name);
    stemma_status status = path ? remove_id(r, path, error) : STEMMA_NOT_FOUND;
    free(path);
    return status;
}

/* A file, or else a folder. */
static enum exit_code remove_path(removal *r, const char *name) {
    stemma_error error;
    char *path = path_of(name);
    stemma_status status = remove_id(r, path, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_printed(r, path, &error);
    if (status == STEMMA_NOT_FOUND) {
        note_folder(r, name, path);
        return EXIT_DONE;
    }
    free(path);
    return status ? complain_of(&error) : EXIT_DONE;
}

static enum exit_code remove_one(removal *r, const char *name) {
    stemma_error error;
    if (!*name) { /* a variable that is not set, and not the folder one is in */
        complain("'' names no document");
        return EXIT_WRONG;
    }
    stemma_status status = remove_id(r, name, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_printed(r, name, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_inside(r, name, &error);
    if (status != STEMMA_NOT_FOUND) return status ? complain_of(&error) : EXIT_DONE;
    if (!is_pattern(name)) return remove_path(r, name);
    path_list_add(&r->patterns, name);
    return EXIT_DONE;
}

static enum exit_code remove_listed(const options *o, removal *r) {
    name_list names;
    char *name;
    enum exit_code code = names_open(&names, o->files_from, o->null_separated), one;
    if (code) return code;
    while (names_next(&names, &name)) {
        one = remove_one(r, name);
        code = graver(code, one);
    }
    one = names_close(&names);
    return graver(code, one);
}

static enum exit_code remove_all(const options *o, removal *r) {
    stemma_error error;
    char text[64];
    enum exit_code code = EXIT_DONE, one;
    for (size_t i = 1; i < o->operand_count; i++) {
        one = remove_one(r, o->operands[i]);
        code = graver(code, one);
    }
    one = o->files_from ? remove_listed(o, r) : EXIT_DONE;
    code = graver(code, one);
    one = remove_patterns(r);
    code = graver(code, one);
    one = remove_folders(r);
    code = graver(code, one);
    if (stop_requested) return EXIT_INTERRUPTED;
    if (stemma_collection_commit(r->collection, &error)) return complain_of(&error);
    if (o->json) {
        json line = json_begin(stdout);
        json_count(&line, "removed", r->removed);
        json_end(&line);
    } else if (!o->quiet) {
        printf("%s removed\n", count_of_documents(r->removed, text, sizeof text));
    }
    return code;
}

static enum exit_code run(const options *o) {
    removal r = {0};
    if (o->operand_count == 0) return wrong_use("remove", "a collection is needed");
    if (o->operand_count == 1 && !o->files_from)
        return wrong_use("remove", "at least one document or pattern is needed behind the collection");
    if (o->null_separated && !o->files_from) return wrong_use("remove", "-0 is for --files-from");
    enum exit_code code = collection_to_write(o, "stemma remove", &r.collection);
    if (code) return code;
    code = remove_all(o, &r);
    release_folders(&r);
    path_list_release(&r.patterns);
    stemma_collection_free(r.collection);
    return code;
}

const command command_remove = {
    .name = "remove",
    .mask = IN_REMOVE,
    .summary = "documents out of a collection",
    .usage = "[OPTION]... COLLECTION ID...\n[OPTION]... COLLECTION --files-from=FILE",
    .purpose =
        "Removes documents from a collection; the files themselves are not touched. A document is named by its id as "
        "'stemma list' prints it, by the path of its file (with all that is inside it: records, members of an archive) or of a folder, or by a "
        "pattern such as '*.tmp', 'drafts/' or '/home/me/old/**', with the rules of an ignore file. All of it is one "
        "commit.",
    .examples =
        "  stemma remove contracts.stemma ~/contracts/draft.txt\n"
        "  stemma remove crawl.stemma '*.tmp' 'cache/'\n"
        "  stemma list --print0 crawl.stemma | grep -z example.org | stemma remove crawl.stemma --files-from=- -0\n",
    .see_also = "stemma-remove(1), stemma-list(1), stemma-add(1)",
    .no = "nothing matched a pattern",
    .run = run,
};

/* stemma remove: documents out of a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
} removal;

/* What is there by that very name is meant, also where nobody may look. */
static bool is_pattern(const char *name) {
    if (!strpbrk(name, "*?[") && name[strlen(name) - 1] != '/') return false;
    return access(name, F_OK) && errno != EACCES;
}

/* The path that add gave to this file, where it still is. */
static stemma_status remove_file(removal *r, const char *name, uint64_t *count, stemma_error *error) {
    char *path = realpath(name, NULL);
    stemma_status status =
        path ? stemma_collection_remove(r->collection, path, count, error) : STEMMA_NOT_FOUND;
    free(path);
    return status;
}

/* ---- folders: all of them in one pass ---- */

/* The folder may be gone: then its path is what it would be from here. */
static char *path_of(const char *name) {
    char *path = realpath(name, NULL), *here = path || name[0] == '/' ? NULL : realpath(".", NULL);
    if (path) return path;
    if (!here) return need_copy(name);
    path = need_memory(strlen(here) + strlen(name) + 2);
    stpcpy(stpcpy(stpcpy(path, here), "/"), name);
    free(here);
    return path;
}

static void note_folder(removal *r, const char *name) {
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->folders = need_more(r->folders, r->room * sizeof *r->folders);
    }
    r->folders[r->count++] = (folder){.name = need_copy(name), .path = path_of(name)};
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

/* ---- names ---- */

static enum exit_code remove_pattern(removal *r, const char *pattern) {
    stemma_error error;
    uint64_t count;
    if (stemma_collection_remove_matching(r->collection, pattern, &count, &error)) return complain_of(&error);
    r->removed += count;
    if (count) return EXIT_DONE;
    complain("nothing in the collection matches '%s'", pattern);
    return EXIT_NO;
}

static enum exit_code remove_one(removal *r, const char *name) {
    stemma_error error;
    uint64_t count = 0;
    if (!*name) { /* a variable that is not set, and not the folder one is in */
        complain("'' names no document");
        return EXIT_WRONG;
    }
    stemma_status status = stemma_collection_remove(r->collection, name, &count, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_file(r, name, &count, &error);
    r->removed += count;
    if (status != STEMMA_NOT_FOUND) return status ? complain_of(&error) : EXIT_DONE;
    if (is_pattern(name)) return remove_pattern(r, name);
    note_folder(r, name);
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

/* stemma remove: documents out of a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct removal {
    stemma_collection *collection;
    uint64_t removed;
} removal;

/* What is there by that very name is meant. */
static bool is_pattern(const char *name) {
    return (*name && name[strlen(name) - 1] == '/') || (strpbrk(name, "*?[") && access(name, F_OK));
}

/* The path that add gave to this file, where it still is. */
static stemma_status remove_file(removal *r, const char *name, uint64_t *count, stemma_error *error) {
    char *path = realpath(name, NULL);
    stemma_status status =
        path ? stemma_collection_remove(r->collection, path, count, NULL) : STEMMA_NOT_FOUND;
    free(path);
    return status == STEMMA_NOT_FOUND ? set_error(error, status, "'%s' is not in the collection", name)
                                      : status;
}

/* The pattern of all that is in a folder; what is a sign of patterns stands for itself. */
static char *pattern_of(const char *folder) {
    char *pattern = need_memory(2 * strlen(folder) + 2), *to = pattern;
    for (const char *from = folder; *from; *to++ = *from++)
        if (strchr("*?[\\!#", *from)) *to++ = '\\';
    strcpy(to, "/");
    return pattern;
}

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

static stemma_status remove_folder(removal *r, const char *name, uint64_t *count, stemma_error *error) {
    char *path = path_of(name), *pattern = pattern_of(path);
    stemma_status status = stemma_collection_remove_matching(r->collection, pattern, count, error);
    free(pattern);
    free(path);
    return !status && *count == 0 ? set_error(error, STEMMA_NOT_FOUND, "'%s' is not in the collection", name)
                                  : status;
}

static enum exit_code remove_pattern(removal *r, const char *pattern, uint64_t *count) {
    stemma_error error;
    if (stemma_collection_remove_matching(r->collection, pattern, count, &error)) return complain_of(&error);
    if (*count) return EXIT_DONE;
    complain("nothing in the collection matches '%s'", pattern);
    return EXIT_NO;
}

static enum exit_code remove_one(removal *r, const char *name) {
    stemma_error error;
    uint64_t count = 0;
    enum exit_code code = EXIT_DONE;
    stemma_status status = stemma_collection_remove(r->collection, name, &count, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_file(r, name, &count, &error);
    const bool pattern = status == STEMMA_NOT_FOUND && is_pattern(name);
    if (pattern)
        code = remove_pattern(r, name, &count);
    else if (status == STEMMA_NOT_FOUND)
        status = remove_folder(r, name, &count, &error);
    if (status && !pattern) code = graver(complain_of(&error), EXIT_WRONG);
    r->removed += count;
    return code;
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

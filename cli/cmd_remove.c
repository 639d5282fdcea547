/* stemma remove: documents out of a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>

typedef struct removal {
    stemma_collection *collection;
    uint64_t removed;
    bool missed; /* something was not there */
} removal;

static bool is_pattern(const char *name) {
    return strpbrk(name, "*?[") || (*name && name[strlen(name) - 1] == '/');
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

static enum exit_code remove_one(removal *r, const char *name) {
    stemma_error error;
    uint64_t count;
    stemma_status status = stemma_collection_remove(r->collection, name, &count, &error);
    if (status == STEMMA_NOT_FOUND) status = remove_file(r, name, &count, &error);
    if (status == STEMMA_NOT_FOUND && is_pattern(name))
        status = stemma_collection_remove_matching(r->collection, name, &count, &error);
    if (!status) {
        r->removed += count;
        return EXIT_DONE;
    }
    r->missed = r->missed || status == STEMMA_NOT_FOUND;
    return graver(complain_of(&error), status == STEMMA_NOT_FOUND ? EXIT_WRONG : EXIT_DONE);
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
        "'stemma list' prints it, by the path of its file (with all that is inside it: records, members of an archive), or by a "
        "pattern such as '*.tmp', 'drafts/' or '/home/me/old/**', with the rules of an ignore file. All of it is one "
        "commit.",
    .examples = "  stemma remove contracts.stemma ~/contracts/draft.txt\n"
                "  stemma remove crawl.stemma '*.tmp' 'cache/'\n"
                "  stemma list crawl.stemma | grep example.org | stemma remove crawl.stemma --files-from=-\n",
    .see_also = "stemma-remove(1), stemma-list(1), stemma-add(1)",
    .run = run,
};

/*
 * collections.h - opening a collection for a command, and what its commands share.
 */
#ifndef STEMMA_CLI_COLLECTIONS_H
#define STEMMA_CLI_COLLECTIONS_H

#include "options.h"
#include "output.h"

/* The collection that is the first operand, under --key where that is given.
 * Complains when it cannot be had. */
enum exit_code collection_to_read(const options *o, stemma_collection **out);
/* user: "stemma add", what other writers are told. With --wait it waits for them. */
enum exit_code collection_to_write(const options *o, const char *user, stemma_collection **out);
/* '-' is standard input or output wherever it is given, and no collection is made under that name. */
enum exit_code collection_check_new(const char *path);
/* What a command made of it, to be taken back. */
typedef struct what_made {
    bool collection, folder;
} what_made;
/* The same, made where there is none, as the options say. Options of the view that are given must be those of
 * the collection. */
enum exit_code collection_to_fill(const options *o, const char *name, const char *user,
                                  stemma_collection **out, what_made *made);
/* The same, made like `model`: another collection, or a file of one. */
enum exit_code collection_to_merge(const options *o, const char *user, const char *model,
                                   stemma_collection **out, what_made *made);
/* Where the command failed, what it made goes if it has no document, which is told: only what the program
 * puts there. While it is still open, so that nobody else begins to write to it. */
void collection_take_back(const char *path, stemma_collection *c, const what_made *made);

/* How its documents are looked at: the recipe without what sketches would keep. Free the result. */
char *collection_view(const stemma_collection *collection);
/* A line that says so. */
void collection_print_made(const char *path, const stemma_collection *c);

/* "n documents" */
const char *count_of_documents(uint64_t count, char *buffer, size_t size);

/* STEMMA_PART_*: whether it keeps all of them. */
bool collection_keeps(stemma_collection *c, unsigned parts);

typedef struct path_list {
    char **paths;
    size_t count, room;
} path_list;
void path_list_add(path_list *list, const char *path); /* a copy of it */
/* All behind the collection: operands, then those of --files-from. To be released in any case. */
enum exit_code path_list_read(path_list *list, const options *o);
void path_list_release(path_list *list);

#endif

#include "collections.h"

#include "command.h"
#include "names.h"
#include "reading_options.h"
#include "recipe_options.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static stemma_collection_options options_for(const options *o, const char *user) {
    stemma_collection_options how = stemma_collection_options_default();
    how.write = user != NULL;
    how.wait = o->wait;
    how.user = user;
    if (o->parts) how.parts = o->parts;
    if (o->store_text) how.parts |= STEMMA_PART_TEXT;
    if (o->hamming_bits) {
        how.bits = o->hamming_bits;
        how.parts |= STEMMA_PART_BITS;
    }
    if (o->group_bits) {
        how.group_bits = o->group_bits;
        how.parts |= STEMMA_PART_GROUPS;
    }
    if (o->keep_signature || o->signature_symbols) how.parts |= STEMMA_PART_SIGNATURE;
    if (o->signature_symbols) how.signature_symbols = o->signature_symbols;
    return how;
}

/* The status goes through, so that the caller may do something else where there is none. */
static stemma_status open_with_key(const options *o, const char *user, const uint8_t *key, size_t key_size,
                                   stemma_collection **out, stemma_error *error) {
    stemma_collection_options how = options_for(o, user);
    stemma_limits limits = reading_limits(o);
    complain_of_collection(o->operands[0]);
    how.key = key_size ? key : NULL;
    how.key_size = key_size;
    return stemma_collection_open(o->operands[0], &how, &limits, out, error);
}

static enum exit_code open_named(const options *o, const char *user, stemma_collection **out,
                                 stemma_error *error) {
    uint8_t key[KEY_MAX + 1];
    size_t size;
    enum exit_code code = key_from_options(o, key, &size);
    error->status = STEMMA_OK;
    if (code) return code;
    stemma_status status = open_with_key(o, user, key, size, out, error);
    explicit_bzero(key, sizeof key);
    return status ? exit_code_of(status) : EXIT_DONE;
}

static enum exit_code open_or_complain(const options *o, const char *user, stemma_collection **out) {
    stemma_error error;
    enum exit_code code = open_named(o, user, out, &error);
    return code && error.status ? complain_of(&error) : code;
}

enum exit_code collection_to_read(const options *o, stemma_collection **out) {
    return open_or_complain(o, NULL, out);
}

enum exit_code collection_to_write(const options *o, const char *user, stemma_collection **out) {
    return open_or_complain(o, user, out);
}

/* ---- that may have to be made ---- */

enum exit_code collection_check_new(const char *path) {
    if (strcmp(path, "-")) return EXIT_DONE;
    complain("cannot make the collection '-': that is no name of a folder");
    return EXIT_WRONG;
}

static enum exit_code make(const options *o, const char *user, const stemma_recipe *recipe,
                           stemma_collection **out) {
    stemma_collection_options how = options_for(o, user);
    stemma_limits limits = reading_limits(o);
    stemma_error error;
    enum exit_code code = collection_check_new(o->operands[0]);
    if (code) return code;
    return stemma_collection_create(o->operands[0], recipe, &how, &limits, out, &error) ? complain_of(&error)
                                                                                        : EXIT_DONE;
}

static enum exit_code check_made(const options *o, const char *name, const stemma_recipe *asked,
                                 const stemma_collection *c) {
    stemma_error error;
    if (o->parts || o->store_text || o->group_bits || o->keep_signature || o->signature_symbols)
        return wrong_use(name, "'%s' is there already: what it keeps was chosen when it was made",
                         o->operands[0]);
    return recipe_check_stored(o, asked, o->operands[0], stemma_collection_recipe(c), &error)
               ? complain_of(&error)
               : EXIT_DONE;
}

static what_made to_be_made(const options *o, enum exit_code code, const stemma_error *error) {
    const bool missing = code && error->status == STEMMA_NOT_FOUND;
    return (what_made){.collection = missing, .folder = missing && access(o->operands[0], F_OK) != 0};
}

enum exit_code collection_to_fill(const options *o, const char *name, const char *user,
                                  stemma_collection **out, what_made *made) {
    stemma_recipe *recipe;
    stemma_error error;
    enum exit_code code = recipe_from_options(o, name, &recipe);
    if (code) return code;
    code = open_named(o, user, out, &error);
    *made = to_be_made(o, code, &error);
    if (made->collection)
        code = make(o, user, recipe, out);
    else if (code)
        code = error.status ? complain_of(&error) : code;
    else if ((code = check_made(o, name, recipe, *out)))
        stemma_collection_free(*out);
    stemma_recipe_free(recipe);
    return code;
}

char *collection_view(const stemma_collection *c) {
    char *view = need_copy(stemma_recipe_text(stemma_collection_recipe(c)));
    view[strcspn(view, ";")] = 0;
    return view;
}

void collection_print_made(const char *path, const stemma_collection *c) {
    char *view = collection_view(c);
    print_name(stdout, path);
    printf(" was made, %s\n", view);
    free(view);
}

static enum exit_code make_like(const options *o, const char *user, const char *model,
                                stemma_collection **out) {
    uint8_t key[KEY_MAX + 1];
    stemma_collection_options how = options_for(o, user);
    stemma_limits limits = reading_limits(o);
    stemma_error error;
    enum exit_code code = collection_check_new(o->operands[0]);
    if (!code) code = key_from_options(o, key, &how.key_size);
    if (code) return code;
    how.key = how.key_size ? key : NULL;
    stemma_status status = stemma_collection_create_like(o->operands[0], model, &how, &limits, out, &error);
    explicit_bzero(key, sizeof key);
    return status ? complain_of(&error) : EXIT_DONE;
}

enum exit_code collection_to_merge(const options *o, const char *user, const char *model,
                                   stemma_collection **out, what_made *made) {
    stemma_error error;
    enum exit_code code = open_named(o, user, out, &error);
    *made = to_be_made(o, code, &error);
    if (made->collection) return make_like(o, user, model, out);
    return code && error.status ? complain_of(&error) : code;
}

static bool is_of_collection(const char *name) {
    const char *end = strrchr(name, '.');
    return !strcmp(name, "lock") || !strcmp(name, "manifest") || (end && !strcmp(end, ".segment"));
}

static void unmake(const char *path, bool folder_too) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_of_collection(entry->d_name)) unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    if (folder_too) rmdir(path);
}

/* Another process may have filled it before this one had the lock. */
static bool is_empty(stemma_collection *c) {
    stemma_collection_info info;
    return !stemma_collection_get_info(c, &info, NULL) && info.documents == 0;
}

void collection_take_back(const char *path, stemma_collection *c, const what_made *made) {
    if (!made->collection || !is_empty(c)) return;
    unmake(path, made->folder);
    complain("'%s' was not made: there is no document for it", path);
}

bool collection_keeps(stemma_collection *c, unsigned parts) {
    stemma_collection_info info;
    stemma_error error;
    return stemma_collection_get_info(c, &info, &error) || (info.parts & parts) == parts;
}

const char *count_of_documents(uint64_t count, char *buffer, size_t size) {
    char number[32];
    snprintf(buffer, size, "%s document%s", format_count(count, number, sizeof number),
             count == 1 ? "" : "s");
    return buffer;
}

/* ---- paths ---- */

void path_list_add(path_list *list, const char *path) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->paths = need_more(list->paths, list->room * sizeof *list->paths);
    }
    list->paths[list->count++] = need_copy(path);
}

enum exit_code path_list_read(path_list *list, const options *o) {
    name_list names;
    char *name;
    for (size_t i = 1; i < o->operand_count; i++) path_list_add(list, o->operands[i]);
    if (!o->files_from) return EXIT_DONE;
    enum exit_code code = names_open(&names, o->files_from, o->null_separated);
    if (code) return code;
    while (names_next(&names, &name)) path_list_add(list, name);
    return names_close(&names);
}

void path_list_release(path_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->paths[i]);
    free(list->paths);
}

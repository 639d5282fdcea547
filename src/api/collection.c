/* stemma/collection.h: making and opening a collection, and documents into it and out of it. */
#include "api/collection.h"

#include "api/limits.h"
#include "base/alloc.h"
#include "base/collection_folder.h"
#include "collect/direct.h"
#include "collect/removing.h"
#include "collect/seeing.h"
#include "index/hamming/parts.h"
#include "index/keys.h"
#include "index/stored_samples.h"
#include "index/stored_signature.h"
#include "index/transfer.h"
#include "scan/reading.h"
#include "sketch/recipe.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 400, GROUP_BITS = 16, PARTS = STEMMA_PART_MINIMA | STEMMA_PART_SAMPLES | STEMMA_PART_BITS };

stemma_collection_options stemma_collection_options_default(void) {
    return (stemma_collection_options){.size = sizeof(stemma_collection_options),
                                       .parts = PARTS,
                                       .bits = BITS,
                                       .group_bits = GROUP_BITS,
                                       .signature_symbols = STORED_SYMBOLS};
}

stemma_add_options stemma_add_options_default(void) {
    return (stemma_add_options){.size = sizeof(stemma_add_options)};
}

/* ---- making and opening ---- */

static stemma_status add_parts(struct schema *schema, const stemma_collection_options *o, stemma_error *err) {
    const struct part members = {.kind = KIND_MEMBER_KEYS, .form = FORM_LOOKUP},
                      digests = {.kind = KIND_DIGEST_KEYS, .form = FORM_LOOKUP},
                      texts = {.kind = KIND_TEXT, .form = FORM_TEXT, .width = 1};
    TRY(schema_add(schema, members, err));
    TRY(schema_add(schema, digests, err));
    if (o->parts & STEMMA_PART_MINIMA) TRY(minima_add_parts(schema, err));
    if (o->parts & STEMMA_PART_SAMPLES) TRY(samples_add_parts(schema, STORED_SAMPLE_BITS, err));
    if (o->parts & (STEMMA_PART_BITS | STEMMA_PART_GROUPS))
        TRY(bits_add_parts(schema, o->bits, o->parts & STEMMA_PART_GROUPS ? o->group_bits : 0, err));
    if (o->parts & STEMMA_PART_SIGNATURE) TRY(signature_add_part(schema, o->signature_symbols, err));
    if (o->parts & STEMMA_PART_TEXT) TRY(schema_add(schema, texts, err));
    return STEMMA_OK;
}

static stemma_status make_schema(const struct stemma_recipe *recipe, const stemma_collection_options *o,
                                 struct schema *out, stemma_error *err) {
    TRY(schema_init(out, recipe->text, err));
    stemma_status status = add_parts(out, o, err);
    if (status != STEMMA_OK) schema_release(out);
    return status;
}

/* Rows and keys of a batch take about twice this; reading documents takes the rest. */
enum { BATCH_SHARE = 4, BATCH_MEMORY = 64 << 20 };

static struct collection_options store_options(const stemma_collection_options *o,
                                               const stemma_limits *limits) {
    const size_t share = limits->memory / BATCH_SHARE;
    return (struct collection_options){.who = o->user ? o->user : "a program",
                                       .wait = o->wait,
                                       .memory = share < BATCH_MEMORY ? share : BATCH_MEMORY,
                                       .stop = limits->stop,
                                       .directory = limits->temporary_directory};
}

/* The recipe that a collection was made with, and its secret. */
static stemma_status recipe_of(const struct collection *store, const stemma_collection_options *o,
                               struct stemma_recipe **out, stemma_error *err) {
    const char *text = collection_schema(store)->recipe;
    struct stemma_recipe *plain;
    TRY(recipe_parse(text, strlen(text), &plain, err));
    if (!o->key) {
        *out = plain;
        return STEMMA_OK;
    }
    struct stemma_recipe *keyed = NULL;
    stemma_status status = recipe_with_key(plain, o->key, o->key_size, &keyed, err);
    recipe_release(plain);
    if (status == STEMMA_OK && strcmp(keyed->text, text) != 0) {
        recipe_release(keyed);
        return fail(err, STEMMA_MISMATCH, "'%s' is not keyed", collection_path(store));
    }
    if (status == STEMMA_OK) *out = keyed;
    return status;
}

/* Takes the store, also when it fails; the recipe is retained. */
static stemma_status wrap(struct collection *store, const struct stemma_recipe *recipe,
                          const stemma_limits *limits, bool writes, stemma_collection **out,
                          stemma_error *err) {
    stemma_collection *c = mem_zero(1, sizeof *c);
    if (!c) {
        collection_close(store);
        return fail_memory(err);
    }
    *c = (stemma_collection){
        .store = store, .recipe = recipe_retain(recipe), .limits = *limits, .writes = writes};
    c->limits.warn = NULL; /* of what may lack text it keeps problems */
    pending_init(&c->pending, store);
    pthread_mutex_init(&c->measuring, NULL);
    *out = c;
    return STEMMA_OK;
}

stemma_status collection_refuse_existing(const char *path, stemma_error *err) {
    struct collection *there;
    stemma_error ignored;
    stemma_status status = collection_open_read(path, &(struct collection_options){0}, &there, &ignored);
    if (status == STEMMA_NOT_FOUND) return STEMMA_OK;
    if (status == STEMMA_OK) collection_close(there);
    return status == STEMMA_OK ? fail(err, STEMMA_INVALID, "'%s' is a collection already", path)
                               : fail(err, status, "%s", ignored.message);
}

static stemma_status create(const char *path, const struct stemma_recipe *recipe,
                            const stemma_collection_options *o, const stemma_limits *limits,
                            stemma_collection **out, stemma_error *err) {
    struct schema schema;
    struct collection *store;
    struct collection_options how = store_options(o, limits);
    TRY(collection_refuse_existing(path, err));
    TRY(make_schema(recipe, o, &schema, err));
    how.schema = &schema;
    stemma_status status = collection_open(path, &how, &store, err);
    schema_release(&schema);
    return status == STEMMA_OK ? wrap(store, recipe, limits, true, out, err) : status;
}

stemma_status stemma_collection_create(const char *path, const stemma_recipe *recipe,
                                       const stemma_collection_options *options, const stemma_limits *limits,
                                       stemma_collection **out, stemma_error *err) {
    stemma_collection_options o = stemma_collection_options_default();
    stemma_limits in_force;
    stemma_recipe *own = NULL;
    if (!path || !*path || !out)
        return fail(err, STEMMA_INVALID, "a path and a place for the collection are needed");
    TRY(options_take(options, &o, sizeof o, err));
    TRY(limits_check(limits, &in_force, err));
    if (!recipe) TRY(recipe_parse("", 0, &own, err));
    stemma_status status = create(path, recipe ? recipe : own, &o, &in_force, out, err);
    recipe_release(own);
    return status;
}

stemma_status stemma_collection_open(const char *path, const stemma_collection_options *options,
                                     const stemma_limits *limits, stemma_collection **out,
                                     stemma_error *err) {
    stemma_collection_options o = stemma_collection_options_default();
    stemma_limits in_force;
    struct collection *store;
    struct stemma_recipe *recipe = NULL;
    if (!path || !out) return fail(err, STEMMA_INVALID, "a path and a place for the collection are needed");
    if (!*path) return fail(err, STEMMA_INVALID, "'' is not the name of a collection");
    TRY(options_take(options, &o, sizeof o, err));
    TRY(limits_check(limits, &in_force, err));
    const struct collection_options how = store_options(&o, &in_force);
    TRY(o.write ? collection_open(path, &how, &store, err) : collection_open_read(path, &how, &store, err));
    stemma_status status = recipe_of(store, &o, &recipe, err);
    if (status == STEMMA_OK)
        status = wrap(store, recipe, &in_force, o.write, out, err);
    else
        collection_close(store);
    recipe_release(recipe);
    return status;
}

bool stemma_collection_exists(const char *path) {
    bool is = false;
    const int folder = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder < 0) return false;
    (void)is_collection_folder(folder, &is);
    close(folder);
    return is;
}

void collection_forget_parts(stemma_collection *c) {
    collecting_free(c->texts);
    seeing_free(c->seeing);
    direct_free(c->direct);
    c->texts = NULL;
    c->seeing = NULL;
    c->direct = NULL;
}

void stemma_collection_free(stemma_collection *c) {
    if (!c) return;
    collecting_free(c->adding);
    collection_forget_parts(c);
    pending_release(&c->pending);
    origin_close(c->model);
    collection_close(c->store);
    recipe_release(c->recipe);
    mem_free(c->parts);
    pthread_mutex_destroy(&c->measuring);
    mem_free(c);
}

const stemma_recipe *stemma_collection_recipe(const stemma_collection *c) {
    return c ? c->recipe : NULL;
}

stemma_status stemma_collection_follow(stemma_collection *c, stemma_error *err) {
    if (!c) return fail(err, STEMMA_INVALID, "a collection is needed");
    return c->writes ? STEMMA_OK : collection_follow(c->store, NULL, err);
}

/* ---- changing ---- */

stemma_status collection_check_writer(const struct stemma_collection *c, stemma_error *err) {
    return c && c->writes ? STEMMA_OK
                          : fail(err, STEMMA_INVALID, "a collection that is open to be written is needed");
}

static stemma_status settings_of(const stemma_collection *c, const stemma_scan_options *given,
                                 struct scan_settings *out, stemma_error *err) {
    *out = (struct scan_settings){
        .options = stemma_scan_options_default(), .limits = c->limits, .store = collection_path(c->store)};
    return options_take(given, &out->options, sizeof out->options, err);
}

stemma_status stemma_collection_add(stemma_collection *c, const char *const *paths, size_t count,
                                    const stemma_add_options *options, stemma_add_summary *summary,
                                    stemma_error *err) {
    stemma_add_options o = stemma_add_options_default();
    stemma_add_summary done;
    struct scan_settings settings;
    TRY(collection_check_writer(c, err));
    if (!paths && count) return fail(err, STEMMA_INVALID, "paths are needed");
    TRY(options_take(options, &o, sizeof o, err));
    TRY(settings_of(c, o.reading, &settings, err));
    collecting_free(c->adding);
    c->adding = NULL;
    TRY(collecting_new(&c->pending, c->recipe, &settings, &c->adding, err));
    const enum pruning prune = o.prune_all ? PRUNE_ALL : o.prune ? PRUNE_SOME : PRUNE_NOTHING;
    stemma_status status = collecting_add(c->adding, paths, count, prune, &done, err);
    if (summary && status == STEMMA_OK) *summary = done;
    return status;
}

stemma_status stemma_collection_get_problem(const stemma_collection *c, uint64_t index,
                                            stemma_scan_problem *problem, stemma_error *err) {
    struct problem found;
    if (!c || !problem)
        return fail(err, STEMMA_INVALID, "a collection and a place for the problem are needed");
    if (!c->adding) return fail(err, STEMMA_NOT_FOUND, "there is no such problem");
    TRY(problems_get(collecting_problems(c->adding), index, &found, err));
    *problem = (stemma_scan_problem){found.name, found.line, found.status, found.cause};
    return STEMMA_OK;
}

stemma_status stemma_collection_add_text(stemma_collection *c, const char *id, const void *data, size_t size,
                                         stemma_error *err) {
    struct scan_settings settings;
    TRY(collection_check_writer(c, err));
    if (!id || !*id || (!data && size)) return fail(err, STEMMA_INVALID, "an id and data are needed");
    if (!c->texts) {
        TRY(settings_of(c, NULL, &settings, err));
        settings.options.threads = 1;
        TRY(collecting_new(&c->pending, c->recipe, &settings, &c->texts, err));
    }
    return collecting_add_text(c->texts, id, data ? data : "", size, err);
}

stemma_status stemma_collection_remove(stemma_collection *c, const char *id, uint64_t *removed,
                                       stemma_error *err) {
    uint64_t count = 0;
    TRY(collection_check_writer(c, err));
    if (!id) return fail(err, STEMMA_INVALID, "an id is needed");
    TRY(remove_named(&c->pending, id, strlen(id), &count, err));
    if (removed) *removed = count;
    return count ? STEMMA_OK : fail(err, STEMMA_NOT_FOUND, "'%s' is not in the collection", id);
}

stemma_status stemma_collection_commit(stemma_collection *c, stemma_error *err) {
    TRY(collection_check_writer(c, err));
    if (c->seeing) TRY(seeing_commit(c->seeing, true, err));
    return pending_commit(&c->pending, err);
}

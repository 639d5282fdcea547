#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "recipe_options.h"
#include "stored.h"

enum exit_code judge_init(judge *j, const options *o, const char *command_name) {
    *j = (judge){.options = o, .thresholds = stemma_thresholds_default()};
    if (o->threshold >= 0) j->thresholds.resemblance = o->threshold;
    if (o->contained >= 0) j->thresholds.containment = o->contained;
    j->limits = (stemma_limits){.size = sizeof(stemma_limits), .memory = o->memory, .stop = &stop_requested};
    return recipe_from_options(o, command_name, &j->recipe);
}

void judge_release(judge *j) {
    stemma_recipe_free(j->recipe);
}

/* ---- the cache ---- */

static bool same_recipe(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static struct cache_slot *cache_find(sketch_cache *cache, const char *name, const char *recipe) {
    for (size_t i = 0; i < CACHE_SLOTS; i++) {
        struct cache_slot *slot = &cache->slots[i];
        if (slot->name && !strcmp(slot->name, name) && same_recipe(slot->recipe, recipe)) {
            slot->used = ++cache->clock;
            return slot;
        }
    }
    return NULL;
}

static void slot_release(struct cache_slot *slot) {
    free(slot->name);
    free(slot->recipe);
    stemma_sketch_free(slot->sketch);
    *slot = (struct cache_slot){0};
}

/* In the place of what was not used for longest: a pair uses at most four slots, so its own stay. */
static void cache_keep(sketch_cache *cache, const char *name, const char *recipe, stemma_sketch *sketch) {
    struct cache_slot *oldest = &cache->slots[0];
    for (size_t i = 1; i < CACHE_SLOTS; i++)
        if (cache->slots[i].used < oldest->used) oldest = &cache->slots[i];
    slot_release(oldest);
    *oldest = (struct cache_slot){need_copy(name), recipe ? need_copy(recipe) : NULL, sketch, ++cache->clock};
}

void cache_release(sketch_cache *cache) {
    for (size_t i = 0; i < CACHE_SLOTS; i++) slot_release(&cache->slots[i]);
}

/* ---- the two sides ---- */

/* The stored sketch called `name`, belonging to the cache; NULL when it is a document. */
static stemma_status find_stored(const judge *j, sketch_cache *cache, const char *name,
                                 const stemma_sketch **out, stemma_error *error) {
    stemma_sketch *sketch;
    struct cache_slot *slot = cache_find(cache, name, NULL);
    if (slot) {
        *out = slot->sketch;
        return STEMMA_OK;
    }
    stemma_status status = stored_open(name, &sketch, error);
    if (!status && sketch)
        status = recipe_check_stored(j->options, j->recipe, name, stemma_sketch_recipe(sketch), error);
    if (status) {
        stemma_sketch_free(sketch);
        return status;
    }
    cache_keep(cache, name, NULL, sketch);
    *out = sketch;
    return STEMMA_OK;
}

static stemma_status sketch_document(const judge *j, sketch_cache *cache, const char *name,
                                     const stemma_recipe *recipe, const stemma_sketch **out,
                                     stemma_error *error) {
    const char *text = stemma_recipe_text(recipe);
    const struct cache_slot *slot = cache_find(cache, name, text);
    if (slot) {
        *out = slot->sketch;
        return STEMMA_OK;
    }
    stemma_sketch *sketch;
    stemma_status status = stemma_sketch_file(name, recipe, &j->limits, &sketch, error);
    if (status) return status;
    cache_keep(cache, name, text, sketch);
    *out = sketch;
    return STEMMA_OK;
}

/* Sketches the document in the way the stored sketch of the other side was made. */
static stemma_status sketch_alike(const judge *j, sketch_cache *cache, const char *name,
                                  const char *stored_name, const stemma_sketch *stored,
                                  const stemma_sketch **out, stemma_error *error) {
    stemma_recipe *recipe;
    stemma_status status =
        recipe_like_stored(j->options, stored_name, stemma_sketch_recipe(stored), &recipe, error);
    if (status) return status;
    status = sketch_document(j, cache, name, recipe, out, error);
    stemma_recipe_free(recipe);
    return status;
}

/* Fills the sides that are documents; those that are stored are there already. */
static stemma_status complete_sides(const judge *j, sketch_cache *cache, const char *a, const char *b,
                                    const stemma_sketch **sketch_a, const stemma_sketch **sketch_b,
                                    stemma_error *error) {
    if (*sketch_a && *sketch_b) return STEMMA_OK;
    if (*sketch_a) return sketch_alike(j, cache, b, a, *sketch_a, sketch_b, error);
    if (*sketch_b) return sketch_alike(j, cache, a, b, *sketch_b, sketch_a, error);
    stemma_status status = sketch_document(j, cache, a, j->recipe, sketch_a, error);
    return status ? status : sketch_document(j, cache, b, j->recipe, sketch_b, error);
}

static stemma_status compare_sketches(const judge *j, const stemma_sketch *a, const stemma_sketch *b,
                                      verdict *out, stemma_error *error) {
    stemma_error cause;
    stemma_status status = stemma_compare_sketches(a, b, &j->thresholds, &out->comparison, &cause);
    if (status)
        return set_error(error, status, "cannot compare '%s' with '%s': %s", out->a, out->b, cause.message);
    out->recipe = need_copy(stemma_recipe_text(stemma_sketch_recipe(a)));
    return STEMMA_OK;
}

stemma_status judge_pair(const judge *j, sketch_cache *cache, const char *a, const char *b, verdict *out,
                         stemma_error *error) {
    const stemma_sketch *sketch_a = NULL, *sketch_b = NULL;
    *out = (verdict){.a = a, .b = b};
    stemma_status status = find_stored(j, cache, a, &sketch_a, error);
    if (!status) status = find_stored(j, cache, b, &sketch_b, error);
    if (status) return status;
    if (sketch_a || sketch_b || j->options->sketch) {
        status = complete_sides(j, cache, a, b, &sketch_a, &sketch_b, error);
        return status ? status : compare_sketches(j, sketch_a, sketch_b, out, error);
    }
    status = stemma_compare_files(a, b, j->recipe, &j->thresholds, &j->limits, &out->comparison, error);
    if (!status) out->recipe = need_copy(stemma_recipe_text(j->recipe));
    return status;
}

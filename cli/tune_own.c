/*
 * What is a document's own: the shingles that few others of the sample have.
 *
 * Two documents that share no more than a form, a licence or a menu do not belong together, however much of
 * them that is; whoever removes one loses what is its own.
 */
#include "tune.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { FINGERPRINTS_MOST = 8 << 20, MANY_LEAST = 5, OWN_LEAST = 10, TEXT_OF_SHINGLE = 6 };

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every shingle of the default view, or one in some, where there are very many. */
static stemma_status view_recipe(const tune_sample *sample, stemma_recipe **out, stemma_error *error) {
    char text[64];
    unsigned rate = 1;
    while (sample->bytes / TEXT_OF_SHINGLE / rate > FINGERPRINTS_MOST) rate *= 2;
    snprintf(text, sizeof text, "preset=text unit=word window=5; mod n=%u", rate);
    return stemma_recipe_parse(text, out, error);
}

static stemma_status take_fingerprints(tune_own *own, size_t i, const tune_text *text,
                                       const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketch *sketch;
    stemma_sketch_part part;
    stemma_limits limits = stemma_limits_default();
    limits.stop = &stop_requested;
    stemma_status status = stemma_sketch_bytes(text->data, text->size, "", recipe, &limits, &sketch, error);
    if (status) return status;
    status = stemma_sketch_get_part(sketch, 0, &part, error);
    if (!status) {
        own->tokens[i] = stemma_sketch_info(sketch).tokens;
        own->counts[i] = own->all[i] = part.value_count;
        own->values[i] = need_memory((part.value_count ? part.value_count : 1) * sizeof **own->values);
        if (part.value_count) memcpy(own->values[i], part.values, part.value_count * sizeof **own->values);
    }
    stemma_sketch_free(sketch);
    return status;
}

/* Those that at least `many` documents have, ascending. */
static uint64_t *common_values(const tune_own *own, size_t *count) {
    size_t total = 0, kept = 0;
    for (size_t i = 0; i < own->count; i++) total += own->counts[i];
    uint64_t *all = need_memory((total ? total : 1) * sizeof *all);
    total = 0;
    for (size_t i = 0; i < own->count; i++) {
        memcpy(all + total, own->values[i], own->counts[i] * sizeof *all);
        total += own->counts[i];
    }
    qsort(all, total, sizeof *all, ascending);
    for (size_t i = 0, end; i < total; i = end) {
        for (end = i + 1; end < total && all[end] == all[i]; end++) {
        }
        if (end - i >= own->many) all[kept++] = all[i];
    }
    *count = kept;
    return all;
}

static void keep_own(tune_own *own, const uint64_t *common, size_t common_count) {
    size_t documents = 0;
    for (size_t i = 0; i < own->count; i++) {
        size_t kept = 0;
        qsort(own->values[i], own->counts[i], sizeof **own->values, ascending);
        for (size_t k = 0; k < own->counts[i]; k++)
            if (!bsearch(&own->values[i][k], common, common_count, sizeof *common, ascending))
                own->values[i][kept++] = own->values[i][k];
        own->counts[i] = kept;
        if (!own->all[i]) continue;
        own->shared += 1 - (double)kept / (double)own->all[i];
        documents++;
    }
    if (documents) own->shared /= (double)documents;
}

enum exit_code tune_own_find(tune_own *own, const tune_sample *sample) {
    stemma_recipe *recipe;
    stemma_error error;
    stemma_status status = STEMMA_OK;
    size_t common_count;
    if (view_recipe(sample, &recipe, &error)) return complain_of(&error);
    own->count = sample->count;
    own->many = sample->count / 100 > MANY_LEAST ? sample->count / 100 : MANY_LEAST;
    own->values = need(calloc(sample->count, sizeof *own->values));
    own->counts = need(calloc(sample->count, sizeof *own->counts));
    own->all = need(calloc(sample->count, sizeof *own->all));
    own->tokens = need(calloc(sample->count, sizeof *own->tokens));
    for (size_t i = 0; i < sample->count && !status; i++)
        status = take_fingerprints(own, i, &sample->texts[i], recipe, &error);
    stemma_recipe_free(recipe);
    if (status) return complain_of(&error);
    uint64_t *common = common_values(own, &common_count);
    keep_own(own, common, common_count);
    free(common);
    return EXIT_DONE;
}

void tune_own_release(tune_own *own) {
    for (size_t i = 0; own->values && i < own->count; i++) free(own->values[i]);
    free(own->values);
    free(own->counts);
    free(own->all);
    free(own->tokens);
}

static size_t in_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t common = 0;
    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        if (a[i] == b[k]) common++;
        if (a[i] <= b[k])
            i++;
        else
            k++;
    }
    return common;
}

/* A tenth of it, and more than a word or two. */
static bool has_enough(const tune_own *own, size_t i) {
    return own->counts[i] >= OWN_LEAST && own->counts[i] * 10 >= own->all[i];
}

bool tune_own_differ(const tune_own *own, size_t a, size_t b) {
    if (!has_enough(own, a) || !has_enough(own, b)) return false;
    size_t least = own->counts[a] < own->counts[b] ? own->counts[a] : own->counts[b];
    return in_common(own->values[a], own->counts[a], own->values[b], own->counts[b]) * 10 < least;
}

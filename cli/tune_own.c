/*
 * What is a document's own: the shingles that few others of the sample have.
 *
 * Two documents that share no more than a form, a licence or a menu do not belong together, however much of
 * them that is; whoever removes one loses what is its own.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"

enum { FINGERPRINTS_MOST = 8 << 20, TEXT_OF_SHINGLE = 6 };

/* What so many documents have is nobody's own: one in a hundred, but not fewer than may be versions of one
 * document. Among few documents a fifth is many. */
enum { MANY_PART = 100, MANY_LEAST = 10, MANY_FEW = 5 };

/* Of two documents that belong together: a tenth of what the smaller has of its own, and more than a
 * sentence. */
enum { COMMON_PART = 10, COMMON_LEAST = 10 };

enum { LINKS_MOST = 4 << 20 }; /* shared fingerprints that are looked at: beyond, one in some */

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
        own->all[i] = part.value_count;
        own->values[i] = need_memory((part.value_count ? part.value_count : 1) * sizeof **own->values);
        for (size_t k = 0; k < part.value_count; k++)
            own->values[i][k] = (tune_own_value){.value = part.values[k]};
    }
    stemma_sketch_free(sketch);
    return status;
}

typedef struct entry {
    uint64_t value;
    size_t document;
} entry;

static int by_value(const void *x, const void *y) {
    const entry *a = x, *b = y;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->document > b->document) - (a->document < b->document);
}

/* All fingerprints of all documents, ascending: equal ones together. */
static entry *sorted_entries(const tune_own *own, size_t *total) {
    size_t count = 0;
    for (size_t i = 0; i < own->count; i++) count += own->all[i];
    entry *entries = need_memory((count ? count : 1) * sizeof *entries);
    *total = count;
    count = 0;
    for (size_t i = 0; i < own->count; i++)
        for (size_t k = 0; k < own->all[i]; k++) entries[count++] = (entry){own->values[i][k].value, i};
    if (count) qsort(entries, count, sizeof *entries, by_value);
    return entries;
}

static size_t end_of_run(const entry *entries, size_t total, size_t begin) {
    size_t end = begin + 1;
    while (end < total && entries[end].value == entries[begin].value) end++;
    return end;
}

/* What few have goes back to its documents. */
static void keep_own(tune_own *own, const entry *entries, size_t total) {
    for (size_t i = 0, end; i < total; i = end) {
        end = end_of_run(entries, total, i);
        for (size_t k = i; k < end && end - i < own->cuts[TUNE_CUTS - 1]; k++) {
            size_t document = entries[k].document;
            own->values[document][own->kept[document]++] =
                (tune_own_value){entries[k].value, (uint32_t)(end - i)};
            for (size_t cut = 0; cut < TUNE_CUTS; cut++)
                own->counts[cut][document] += end - i < own->cuts[cut];
        }
    }
}

static void count_own(tune_own *own) {
    size_t documents = 0;
    for (size_t i = 0; i < own->count; i++) {
        for (size_t cut = 0; cut < TUNE_CUTS; cut++) own->judged[cut] += own->counts[cut][i] > 0;
        if (!own->all[i]) continue;
        own->shared += 1 - (double)own->counts[TUNE_CUT][i] / (double)own->all[i];
        documents++;
    }
    if (documents) own->shared /= (double)documents;
}

/* ---- pairs by nature ---- */

/* One link for every two documents that have a fingerprint of every rate-th run; counted, where links is
 * NULL. */
static size_t link_documents(const tune_own *own, const entry *entries, size_t total, size_t rate,
                             uint64_t *links) {
    size_t count = 0, run = 0;
    for (size_t i = 0, end; i < total; i = end) {
        end = end_of_run(entries, total, i);
        if (end - i < 2 || end - i >= own->cuts[TUNE_CUT] || run++ % rate) continue;
        for (size_t a = i; a < end; a++)
            for (size_t b = a + 1; b < end; b++, count++)
                if (links) links[count] = (uint64_t)entries[a].document << 32 | entries[b].document;
    }
    return count;
}

static bool is_natural(const tune_own *own, uint64_t link, size_t common) {
    const size_t *counts = own->counts[TUNE_CUT];
    size_t a = counts[link >> 32], b = counts[link & UINT32_MAX], least = a < b ? a : b;
    return common >= COMMON_LEAST && common * COMMON_PART >= least;
}

static void count_related(tune_own *own) {
    bool *related = need(calloc(own->count, sizeof *related));
    for (size_t i = 0; i < own->natural_count; i++)
        related[own->natural[i] >> 32] = related[own->natural[i] & UINT32_MAX] = true;
    for (size_t i = 0; i < own->count; i++) own->related += related[i];
    free(related);
}

static void find_natural(tune_own *own, const entry *entries, size_t total) {
    size_t rate = 1, count;
    while ((count = link_documents(own, entries, total, rate, NULL)) > LINKS_MOST) rate *= 2;
    own->natural = need_memory((count ? count : 1) * sizeof *own->natural);
    link_documents(own, entries, total, rate, own->natural);
    if (count) qsort(own->natural, count, sizeof *own->natural, ascending);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && own->natural[end] == own->natural[i]; end++) {
        }
        if (is_natural(own, own->natural[i], (end - i) * rate))
            own->natural[own->natural_count++] = own->natural[i];
    }
    count_related(own);
}

bool tune_own_natural(const tune_own *own, uint64_t a, uint64_t b) {
    uint64_t link = a << 32 | b;
    return own->natural_count &&
           bsearch(&link, own->natural, own->natural_count, sizeof link, ascending) != NULL;
}

static size_t many_of(size_t documents) {
    if (documents / MANY_PART > MANY_LEAST) return documents / MANY_PART;
    if (documents / MANY_FEW > MANY_LEAST) return MANY_LEAST;
    return documents / MANY_FEW > MANY_FEW ? documents / MANY_FEW : MANY_FEW;
}

/* The chance that decides how many of the documents with a text are in the sample has about the square root
 * of their number for its deviation. */
static void choose_cuts(tune_own *own) {
    size_t many = many_of(own->count), chance = (size_t)sqrt((double)many);
    own->cuts[0] = many - chance;
    own->cuts[TUNE_CUT] = many;
    own->cuts[2] = many + chance;
}

enum exit_code tune_own_find(tune_own *own, const tune_sample *sample) {
    stemma_recipe *recipe;
    stemma_error error;
    stemma_status status = STEMMA_OK;
    size_t total;
    if (view_recipe(sample, &recipe, &error)) return complain_of(&error);
    own->count = sample->count;
    choose_cuts(own);
    own->values = need(calloc(sample->count, sizeof *own->values));
    own->kept = need(calloc(sample->count, sizeof *own->kept));
    for (size_t cut = 0; cut < TUNE_CUTS; cut++)
        own->counts[cut] = need(calloc(sample->count, sizeof *own->counts[cut]));
    own->all = need(calloc(sample->count, sizeof *own->all));
    own->tokens = need(calloc(sample->count, sizeof *own->tokens));
    for (size_t i = 0; i < sample->count && !status; i++)
        status = take_fingerprints(own, i, &sample->texts[i], recipe, &error);
    stemma_recipe_free(recipe);
    if (status) return complain_of(&error);
    entry *entries = sorted_entries(own, &total);
    keep_own(own, entries, total);
    count_own(own);
    find_natural(own, entries, total);
    free(entries);
    return EXIT_DONE;
}

void tune_own_release(tune_own *own) {
    for (size_t i = 0; own->values && i < own->count; i++) free(own->values[i]);
    free(own->values);
    free(own->kept);
    for (size_t cut = 0; cut < TUNE_CUTS; cut++) free(own->counts[cut]);
    free(own->all);
    free(own->tokens);
    free(own->natural);
}

static void count_common(const tune_own *own, size_t a, size_t b, size_t common[TUNE_CUTS]) {
    const tune_own_value *x = own->values[a], *y = own->values[b];
    for (size_t i = 0, k = 0; i < own->kept[a] && k < own->kept[b];) {
        uint64_t first = x[i].value, second = y[k].value;
        for (size_t cut = 0; cut < TUNE_CUTS && first == second; cut++)
            common[cut] += x[i].documents < own->cuts[cut];
        i += first <= second;
        k += second <= first;
    }
}

unsigned tune_own_differ(const tune_own *own, size_t a, size_t b) {
    size_t common[TUNE_CUTS] = {0};
    unsigned differ = 0;
    count_common(own, a, b, common);
    for (unsigned cut = 0; cut < TUNE_CUTS; cut++) {
        size_t least = own->counts[cut][a] < own->counts[cut][b] ? own->counts[cut][a] : own->counts[cut][b];
        if (least && common[cut] * COMMON_PART < least) differ |= 1u << cut;
    }
    return differ;
}

/* Finders and searches of stemma.h: files are read here, what is found is found in src/align. */
#include "api/find.h"
#include "api/limits.h"
#include "base/alloc.h"
#include "sketch/recipe.h"

#include <math.h>
#include <string.h>

enum { LEAST_WORDS = 8, LEAST_BYTES = 32, PAGE = 4096 };

stemma_find_options stemma_find_options_default(void) {
    return (stemma_find_options){.size = sizeof(stemma_find_options), .block = 65536, .most = 100000};
}

/* ---- the finder ---- */

static stemma_status options_check(const stemma_find_options *given, stemma_find_options *out,
                                   stemma_error *err) {
    stemma_find_options options = stemma_find_options_default(), defaults = options;
    TRY(options_take(given, &options, sizeof options, err));
    if (options.block == 0) options.block = defaults.block;
    if (options.most == 0) options.most = defaults.most;
    *out = options;
    return STEMMA_OK;
}

/* Only equal text matters, so the hash is what is fastest here: nothing of it leaves the finder. */
static struct view view_for_search(const struct view *given) {
    struct view view = {.folds = given->folds, .unit = given->unit, .window = given->window, .width = 64};
    view.hash = given->unit == UNIT_BYTE ? HASH_RABIN : HASH_MIX;
    view.seed = view_seed(given);
    return view;
}

static uint64_t least_for(const struct view *view, uint64_t asked) {
    uint64_t usual = view->unit == UNIT_WORD ? LEAST_WORDS : view->unit == UNIT_LINE ? 1 : LEAST_BYTES;
    uint64_t least = asked ? asked : usual;
    return least < view->window ? view->window : least;
}

static stemma_status add_target(stemma_finder *finder, const stemma_target *target,
                                const stemma_limits *limits, stemma_error *err) {
    if (target->path) return find_add_target(finder, target->path, limits, err);
    if (!target->data && target->data_size) return fail(err, STEMMA_INVALID, "a target needs a path or data");
    return finder_add(finder, target->data, target->data_size, "the target", err);
}

static stemma_status fill(stemma_finder *finder, const stemma_target *targets, size_t count,
                          const stemma_find_options *options, const stemma_limits *limits,
                          stemma_error *err) {
    finder->least = least_for(&finder->view, options->least);
    finder->block = options->block;
    finder->most = options->most;
    finder->most_unpacked = options->most_unpacked;
    finder->progress = options->progress;
    finder->progress_context = options->progress_context;
    TRY(shingle_tables_init(&finder->tables, &finder->view, err));
    finder->targets = mem_zero(count, sizeof *finder->targets);
    if (!finder->targets) return fail_memory(err);
    for (size_t i = 0; i < count; i++) TRY(add_target(finder, &targets[i], limits, err));
    TRY(check_stop(limits->stop, err));
    return finder_index(finder, options->thorough, limits->memory, err);
}

static stemma_status view_of(const stemma_recipe *recipe, struct view *out, stemma_error *err) {
    stemma_recipe *own = NULL;
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    const struct view *view = &(recipe ? recipe : own)->view;
    bool readable = view_can_read(view);
    if (readable) *out = view_for_search(view);
    stemma_recipe_free(own);
    return readable ? STEMMA_OK
                    : fail(err, STEMMA_INVALID, "the recipe is keyed: its key is needed to read a document");
}

stemma_status stemma_finder_new(const stemma_target *targets, size_t count, const stemma_recipe *recipe,
                                const stemma_find_options *given, const stemma_limits *given_limits,
                                stemma_finder **out, stemma_error *err) {
    stemma_find_options options;
    stemma_limits limits;
    if (!targets || count == 0 || !out)
        return fail(err, STEMMA_INVALID, "targets and a place for the finder are needed");
    TRY(options_check(given, &options, err));
    TRY(limits_check(given_limits, &limits, err));
    stemma_finder *finder = mem_zero(1, sizeof *finder);
    if (!finder) return fail_memory(err);
    stemma_status status = view_of(recipe, &finder->view, err);
    if (status == STEMMA_OK) status = fill(finder, targets, count, &options, &limits, err);
    if (status != STEMMA_OK) {
        stemma_finder_free(finder);
        return status;
    }
    *out = finder;
    return STEMMA_OK;
}

void stemma_finder_free(stemma_finder *finder) {
    if (!finder) return;
    finder_release(finder);
    mem_free(finder);
}

stemma_finder_info stemma_finder_get_info(const stemma_finder *finder) {
    double missed = 1 - 1 / (double)finder->modulus; /* a window by the scan */
    uint64_t windows = finder->modulus == 1 ? 1 : (uint64_t)ceil(log(1e-6) / log(missed));
    uint64_t sure = finder->view.window - 1 + windows;
    return (stemma_finder_info){
        .targets = finder->target_count,
        .tokens = finder->tokens,
        .windows = finder->windows,
        .least = finder->least,
        .modulus = finder->modulus,
        .sure = sure < finder->least ? finder->least : sure,
    };
}

/* ---- searching ---- */

static stemma_status search_all(struct search *search, const uint8_t *bytes, size_t size, size_t segment,
                                const volatile int *stop, stemma_error *err) {
    for (size_t at = 0; at < size; at += segment) {
        TRY(check_stop(stop, err));
        TRY(search_segment(search, bytes + at, size - at < segment ? size - at : segment, err));
    }
    return STEMMA_OK;
}

/* A file, of which some bytes were read already. */
struct rest {
    struct input *input;
    const uint8_t *begun;
    size_t begun_size;
};

static stemma_status read_some(struct rest *rest, uint8_t *room, size_t size, size_t *got,
                               stemma_error *err) {
    if (rest->begun_size == 0) return input_read(rest->input, room, size, got, err);
    *got = rest->begun_size < size ? rest->begun_size : size;
    memcpy(room, rest->begun, *got);
    rest->begun += *got;
    rest->begun_size -= *got;
    return STEMMA_OK;
}

/* Reads until the room is filled or the file ends: segments lie at fixed offsets, however a pipe delivers. */
static stemma_status fill_room(struct rest *rest, uint8_t *room, size_t size, size_t *got,
                               stemma_error *err) {
    for (*got = 0; *got < size;) {
        size_t count = 0;
        TRY(read_some(rest, room + *got, size - *got, &count, err));
        if (count == 0) break;
        *got += count;
    }
    return STEMMA_OK;
}

/* The buffer holds two segments: the one before stands in front of the one that is read. A segment at a time,
 * because what is read then stays in the cache until it was searched. */
static stemma_status search_rest(struct search *search, struct rest *rest, uint8_t *buffer, size_t segment,
                                 stemma_error *err) {
    size_t got = segment;
    uint8_t *room = buffer + segment;
    while (got == segment) {
        TRY(fill_room(rest, room, segment, &got, err));
        if (got) TRY(search_segment(search, room, got, err));
        if (got == segment) memcpy(buffer, room, segment);
    }
    return search_segment(search, room + got, 0, err);
}

/* Kernels copy whole pages to the beginning of a page in half the time. */
static uint8_t *page_in(uint8_t *memory) {
    return memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
}

static stemma_status search_input(struct search *search, struct input *input, const struct buf *begun,
                                  size_t segment, stemma_error *err) {
    struct rest rest = {input, begun ? begun->data : NULL, begun ? begun->len : 0};
    uint8_t *memory = mem_alloc(2 * segment + PAGE);
    stemma_status status =
        memory ? search_rest(search, &rest, page_in(memory), segment, err) : fail_memory(err);
    mem_free(memory);
    return status;
}

static stemma_status search_bytes(struct search *search, const uint8_t *bytes, size_t size, size_t segment,
                                  const volatile int *stop, stemma_error *err) {
    static const uint8_t nothing[1];
    TRY(search_all(search, bytes, size, segment, stop, err));
    return search_segment(search, bytes ? bytes + size : nothing, 0, err);
}

static stemma_status conclude(struct search *search, stemma_status status, stemma_findings **out,
                              stemma_error *err) {
    if (status == STEMMA_OK) status = search_finish(search, out, err);
    search_free(search);
    return status;
}

stemma_status find_in_input(const stemma_finder *finder, struct input *input, const struct buf *begun,
                            const volatile int *stop, stemma_findings **out, stemma_error *err) {
    struct search *search;
    TRY(search_new(finder, &search, err));
    input->stop = stop;
    return conclude(search, search_input(search, input, begun, search_segment_size(finder), err), out, err);
}

stemma_status find_in_bytes(const stemma_finder *finder, const uint8_t *bytes, size_t size,
                            const volatile int *stop, stemma_findings **out, stemma_error *err) {
    struct search *search;
    TRY(search_new(finder, &search, err));
    return conclude(search, search_bytes(search, bytes, size, search_segment_size(finder), stop, err), out,
                    err);
}

stemma_status stemma_find_file(const stemma_finder *finder, const char *path, const stemma_limits *given,
                               stemma_findings **out, stemma_error *err) {
    stemma_limits limits;
    struct input input;
    if (!finder || !path || !out)
        return fail(err, STEMMA_INVALID, "a finder, a file and a place for what is found are needed");
    TRY(limits_check(given, &limits, err));
    TRY(input_open(&input, path, err));
    stemma_status status = find_in_input(finder, &input, NULL, limits.stop, out, err);
    input_close(&input);
    return status;
}

stemma_status stemma_find_bytes(const stemma_finder *finder, const void *data, size_t size,
                                const stemma_limits *given, stemma_findings **out, stemma_error *err) {
    stemma_limits limits;
    if (!finder || (!data && size) || !out)
        return fail(err, STEMMA_INVALID, "a finder, data and a place for what is found are needed");
    TRY(limits_check(given, &limits, err));
    return find_in_bytes(finder, data, size, limits.stop, out, err);
}

/* ---- what was found ---- */

stemma_find_summary stemma_findings_summary(const stemma_findings *findings) {
    return findings->summary;
}

const stemma_fragment *stemma_findings_fragments(const stemma_findings *findings, size_t *count) {
    *count = findings->fragment_count;
    return findings->fragments;
}

const stemma_block *stemma_findings_blocks(const stemma_findings *findings, size_t *count) {
    *count = findings->block_count;
    return findings->blocks;
}

double stemma_findings_share(const stemma_findings *findings, size_t target) {
    if (target >= findings->finder->target_count) return 0;
    return (double)findings->target_tokens[target] / (double)findings->finder->targets[target].count;
}

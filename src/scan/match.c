/* From keys and samples to candidate pairs, in ranks. */
#include "base/alloc.h"
#include "scan/scan.h"

/* Each thread of the join takes 16 bytes a class: together no more than a quarter of the memory, which those
 * that read have left. */
static unsigned join_threads(const struct stemma_scan *scan) {
    size_t most = scan->settings.limits.memory / 4 / (16 * scan->catalogue.class_count + 1);
    return most < 1 ? 1 : most < scan->settings.threads ? (unsigned)most : scan->settings.threads;
}

static stemma_status join_all(struct stemma_scan *scan, uint32_t *sizes, uint32_t *samples,
                              stemma_error *err) {
    const struct catalogue *c = &scan->catalogue;
    const stemma_limits *limits = &scan->settings.limits;
    struct join_counts counts = {0};
    for (size_t i = 0; i < c->class_count; i++) {
        sizes[i] = c->classes[i].size;
        samples[i] = c->classes[i].samples;
    }
    struct join_input input = {.count = (uint32_t)c->class_count,
                               .keys = c->keys,
                               .rank = scan->ranking.rank_of,
                               .sizes = sizes,
                               .sample_counts = samples,
                               .samples = scan->samples,
                               .threads = join_threads(scan),
                               .memory = limits->memory / 8,
                               .directory = limits->temporary_directory,
                               .stop = limits->stop};
    mem_scattered(c->keys, c->class_count * c->key_bytes);
    TRY(join_candidates(&scan->plan, &input, scan->pairs, &counts, err));
    scan->summary.spilled_bytes += counts.spilled;
    scan->summary.crowded = counts.crowded;
    return sorter_finish(scan->pairs, err);
}

stemma_status scan_match(struct stemma_scan *scan, stemma_error *err) {
    const stemma_limits *limits = &scan->settings.limits;
    size_t classes = scan->catalogue.class_count;
    struct sorter_options options = {.memory = limits->memory / 8,
                                     .directory = limits->temporary_directory,
                                     .stop = limits->stop,
                                     .threads = scan->settings.threads};
    TRY(sorter_new(&options, &scan->pairs, err));
    uint32_t *numbers = mem_alloc(2 * classes * sizeof *numbers);
    if (!numbers) return fail_memory(err);
    progress_stage(scan, "matching", 0, 0);
    stemma_status status = join_all(scan, numbers, numbers + classes, err);
    mem_free(numbers);
    return status;
}

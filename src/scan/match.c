/* From keys and samples to candidate pairs, in ranks. */
#include "base/alloc.h"
#include "scan/scan.h"

stemma_status scan_match(struct stemma_scan *scan, stemma_error *err) {
    const struct catalogue *c = &scan->catalogue;
    const struct scan_settings *settings = &scan->settings;
    struct sorter_options options = {.memory = settings->limits.memory / 8,
                                     .directory = settings->limits.temporary_directory,
                                     .stop = settings->limits.stop,
                                     .threads = settings->threads};
    TRY(sorter_new(&options, &scan->pairs, err));
    uint32_t *samples = mem_alloc(c->class_count * sizeof *samples);
    if (!samples) return fail_memory(err);
    for (size_t i = 0; i < c->class_count; i++) samples[i] = c->classes[i].samples;
    struct join_input input = {.count = (uint32_t)c->class_count,
                               .keys = c->keys,
                               .rank = scan->ranking.rank_of,
                               .sample_counts = samples,
                               .samples = scan->samples,
                               .threads = settings->threads,
                               .memory = settings->limits.memory / 8,
                               .directory = settings->limits.temporary_directory,
                               .stop = settings->limits.stop};
    struct join_counts counts = {0};
    progress_stage(scan, "matching", 0, 0);
    stemma_status status = join_candidates(&scan->plan, &input, scan->pairs, &counts, err);
    mem_free(samples);
    return status == STEMMA_OK ? sorter_finish(scan->pairs, err) : status;
}

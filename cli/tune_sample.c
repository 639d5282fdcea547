/* The sample: documents whose texts differ, drawn by chance from all that a scan would read. */
#include "reading_options.h"
#include "scan_input.h"
#include "tune.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "problems.h"

/* As many copies as make an interval of .02 to either side, whatever the share (1.96^2 / 4 / .02^2 = 2401),
 * and some more for what repeated copies of one document tell less. */
enum { SAMPLE_MOST = 2600 };
static const size_t bytes_usual = 96u
                                  << 20; /* of texts: copies are as much again, and scans need memory, too */

/* SplitMix64 */
static uint64_t chance_next(tune_chance *chance) {
    uint64_t x = (chance->state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t chance_below(tune_chance *chance, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)chance_next(chance) * bound) >> 64);
}

double chance_between(tune_chance *chance, double least, double most) {
    return least + (most - least) * ((double)(chance_next(chance) >> 11) * 0x1p-53);
}

/* The first document of every text, in an order decided by chance. */
static uint64_t *shuffled_texts(stemma_scan *scan, uint64_t documents, uint64_t seed, size_t *count) {
    uint64_t *order = need_memory((documents ? documents : 1) * sizeof *order);
    tune_chance chance = {seed};
    size_t found = 0, same;
    for (uint64_t i = 0; i < documents; i++) {
        const uint64_t *copies = stemma_scan_copies(scan, i, &same);
        if (copies && copies[0] == i) order[found++] = i;
    }
    for (size_t i = found; i > 1; i--) {
        size_t other = (size_t)chance_below(&chance, i);
        uint64_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    *count = found;
    return order;
}

static void take_document(tune_sample *sample, stemma_scan_document document, const char *text, size_t size) {
    tune_text *taken = &sample->texts[sample->count++];
    taken->data = need_memory(size);
    memcpy(taken->data, text, size);
    taken->size = size;
    sample->bytes += size;
    sample->name_bytes += strlen(document.id);
    sample->inside |= document.source || document.container;
}

/* What has no text, or has gone meanwhile, is passed over: a scan would not compare it either. The first that
 * does not fit ends it: to go on with smaller ones would make a sample of small ones. */
static void draw(tune_sample *sample, stemma_scan *scan, uint64_t seed, size_t bytes_most) {
    size_t count, size;
    const char *text;
    uint64_t *order = shuffled_texts(scan, sample->summary.documents, seed, &count);
    sample->all = count;
    sample->texts = need_memory(SAMPLE_MOST * sizeof *sample->texts);
    for (size_t i = 0; i < count && sample->count < SAMPLE_MOST && !sample->full && !stop_requested; i++) {
        if (stemma_scan_get_text(scan, order[i], &text, &size, NULL, NULL) || !size)
            sample->all--;
        else if (size > bytes_most / 16)
            sample->too_large++;
        else if (sample->bytes + size > bytes_most)
            sample->full = true;
        else
            take_document(sample, stemma_scan_get_document(scan, order[i]), text, size);
    }
    free(order);
}

static bool problem_of_scan(const void *scan, uint64_t index, stemma_scan_problem *problem) {
    return stemma_scan_get_problem(scan, index, problem, NULL) == STEMMA_OK;
}

static enum exit_code read_all(tune_sample *sample, const options *o, stemma_scan *scan, progress *p) {
    stemma_error error;
    enum exit_code code = scan_add_paths(o, scan);
    if (code) return code;
    bool failed = stemma_scan_run(scan, &error);
    progress_erase(p);
    if (failed) return complain_of(&error);
    sample->summary = stemma_scan_get_summary(scan);
    const problem_list problems = {
        .get = problem_of_scan, .of = scan, .count = sample->summary.problems, .all = "'stemma scan --json'"};
    if (o->json) problems_json(&problems, stdout);
    problems_report(&problems, !o->quiet && !o->json, "");
    draw(sample, scan, o->chance, o->sample ? o->sample : bytes_usual);
    return stop_requested ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* Only which texts are the same is wanted of this scan: it looks for nothing else. */
enum exit_code tune_sample_take(tune_sample *sample, const options *o, progress *p) {
    stemma_scan *scan;
    stemma_error error;
    stemma_scan_options how = reading_options(o, p);
    stemma_limits limits = reading_limits(o);
    how.threshold = 1;
    how.contained = 0;
    how.keep = STEMMA_KEEP_FIRST;
    *sample = (tune_sample){0};
    if (stemma_scan_new(NULL, &how, &limits, &scan, &error)) return complain_of(&error);
    enum exit_code code = read_all(sample, o, scan, p);
    stemma_scan_free(scan);
    return code;
}

void tune_sample_release(tune_sample *sample) {
    for (size_t i = 0; i < sample->count; i++) free(sample->texts[i].data);
    free(sample->texts);
}

#include "align/fragments/search.h"

#include "align/fragments/closeup.h"
#include "align/fragments/gram_scan.h"
#include "base/alloc.h"

enum {
    SEGMENT = 1 << 16,      /* bytes: what one hit makes the close look cost */
    SEGMENT_WIDE = 1 << 20, /* where a window may be long */
    WINDOW_WIDE = 64,       /* tokens */
    RUN_MOST = 16           /* windows in a row that are asked for */
};

struct search {
    const stemma_finder *finder;
    stemma_findings *findings;
    struct matcher matcher;
    struct closeup *closeup; /* made when it is first needed */
    struct gram_scan *grams; /* the fast scan, or, where the finder has no grams: */
    struct shingler *windows;
    uint64_t offset; /* of the next segment */
    uint64_t lines;  /* ended before it */
    bool looked;     /* closely, at what stands somewhere before it */

    uint64_t run_needed; /* known windows in a row that are worth a close look */
    uint64_t run;
    size_t skip; /* windows that need not be looked at */
    bool rich;   /* one of the run is not poor */
    bool hit;    /* in this segment */
    bool lags;   /* the close look knows one token less than the scan: folded bytes and characters */
};

size_t search_segment_size(const stemma_finder *finder) {
    return finder->view.window > WINDOW_WIDE ? SEGMENT_WIDE : SEGMENT;
}

/* ---- the scan ---- */

static inline uint32_t known(const struct search *s, uint64_t fingerprint) {
    return finder_passes(s->finder, fingerprint) ? finder_lookup(s->finder, fingerprint) : NO_POSITION;
}

static inline void meet(struct search *s, uint64_t fingerprint) {
    uint32_t position = known(s, fingerprint);
    if (position == NO_POSITION) {
        s->run = 0;
        s->rich = false;
        return;
    }
    s->run++;
    s->rich |= position != POOR_POSITION;
    s->hit |= s->rich && s->run >= s->run_needed;
}

/* How many of the windows before the i-th belong to its run. Those before the block are taken to: that costs
 * a close look now and then, and misses nothing. */
static void look_back(struct search *s, const uint64_t *fp, size_t i) {
    for (uint64_t back = 1; back < s->run_needed; back++) {
        uint32_t position = back <= i ? known(s, fp[i - back]) : NO_POSITION;
        if (back <= i && position == NO_POSITION) return;
        s->run++;
        s->rich |= position != POOR_POSITION;
    }
}

/* All windows are there, and a fragment is so many known ones in a row: one is looked at, and when it is not
 * known the next in which such a row could end, as in Boyer and Moore's search for strings. */
static stemma_status take_all(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct search *s = context;
    size_t i = s->skip, stride = (size_t)s->run_needed;
    (void)tokens, (void)token_count, (void)err;
    while (i < count) {
        if (s->run == 0) {
            if (known(s, fp[i]) == NO_POSITION) {
                i += stride;
                continue;
            }
            look_back(s, fp, i);
        }
        meet(s, fp[i]);
        i += s->run ? 1 : stride;
    }
    s->skip = i - count;
    return STEMMA_OK;
}

/* Some are: a single one is a reason. */
static stemma_status take_sample(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                                 size_t token_count, stemma_error *err) {
    struct search *s = context;
    uint64_t mask = s->finder->modulus - 1;
    (void)tokens, (void)token_count, (void)err;
    for (size_t i = 0; i < count && !s->hit; i++)
        if (!(fp[i] & mask) && finder_passes(s->finder, fp[i])) meet(s, fp[i]);
    return STEMMA_OK;
}

static uint64_t modulus(void *context) {
    return ((struct search *)context)->finder->modulus;
}

static uint64_t run_needed(const stemma_finder *finder) {
    uint64_t least = finder->least;
    if (finder->modulus > 1) return 1;
    for (size_t i = 0; i < finder->target_count; i++)
        if (finder->targets[i].count < least) least = finder->targets[i].count;
    uint64_t windows = least - finder->view.window + 1;
    return windows < RUN_MOST ? windows : RUN_MOST;
}

static stemma_status search_init(struct search *s, const stemma_finder *finder, stemma_error *err) {
    struct shingle_sink sink = {
        .context = s, .take = finder->modulus == 1 ? take_all : take_sample, .modulus = modulus};
    s->finder = finder;
    s->run_needed = run_needed(finder);
    s->lags = !finder->grams.words && finder->view.unit <= UNIT_CHAR && finder->view.folds != FOLD_RAW;
    TRY(findings_new(finder, &s->findings, err));
    s->matcher.findings = s->findings;
    if (finder->grams.words) return gram_scan_new(finder, &s->grams, err);
    return shingler_new(&finder->view, &finder->tables, sink, (struct text_sink){0}, &s->windows, err);
}

stemma_status search_new(const stemma_finder *finder, struct search **out, stemma_error *err) {
    struct search *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    stemma_status status = search_init(s, finder, err);
    if (status != STEMMA_OK) {
        search_free(s);
        return status;
    }
    *out = s;
    return STEMMA_OK;
}

void search_free(struct search *s) {
    if (!s) return;
    stemma_findings_free(s->findings);
    matcher_release(&s->matcher);
    closeup_free(s->closeup);
    gram_scan_free(s->grams);
    shingler_free(s->windows);
    mem_free(s);
}

/* ---- segments ---- */

/* Blocks of so few bytes that a byte counts them: compilers make vectors of the inner loop. */
static uint64_t count_lines(const uint8_t *bytes, size_t size) {
    uint64_t lines = 0;
    for (size_t at = 0; at < size;) {
        uint8_t count = 0;
        size_t end = size - at < 255 ? size : at + 255;
        for (; at < end; at++) count = (uint8_t)(count + (bytes[at] == '\n'));
        lines += count;
    }
    return lines;
}

/* How many bytes stand in front of the segment. */
static size_t bytes_before(const struct search *s) {
    size_t segment = search_segment_size(s->finder);
    return s->offset < segment ? (size_t)s->offset : segment;
}

static stemma_status look_closely(struct search *s, const uint8_t *bytes, size_t size, stemma_error *err) {
    if (!s->closeup) TRY(closeup_new(s->finder, &s->matcher, &s->closeup, err));
    bool continued = s->looked && closeup_end(s->closeup) == s->offset;
    if (!continued) {
        size_t before = bytes_before(s);
        TRY(closeup_begin(s->closeup, s->offset - before, s->lines - count_lines(bytes - before, before) + 1,
                          err));
        TRY(closeup_feed(s->closeup, bytes - before, before, false, err));
    }
    s->looked = true;
    return closeup_feed(s->closeup, bytes, size, size == 0, err);
}

static stemma_status scan(struct search *s, const uint8_t *bytes, size_t size, stemma_error *err) {
    if (s->grams) return gram_scan_feed(s->grams, bytes, size, bytes_before(s), &s->hit, err);
    s->hit = false;
    return size ? shingler_feed(s->windows, bytes, size, err) : shingler_finish(s->windows, err);
}

stemma_status search_segment(struct search *s, const uint8_t *bytes, size_t size, stemma_error *err) {
    bool owed = s->lags && s->hit; /* what the last segment's hit ended with */
    TRY(scan(s, bytes, size, err));
    if (s->hit || owed || s->matcher.live_count) TRY(look_closely(s, bytes, size, err));
    s->offset += size;
    s->lines += count_lines(bytes, size);
    if (s->finder->progress) s->finder->progress(s->finder->progress_context, size);
    return STEMMA_OK;
}

stemma_status search_finish(struct search *s, stemma_findings **out, stemma_error *err) {
    TRY(matcher_end(&s->matcher, err));
    TRY(findings_finish(s->findings, s->offset, err));
    *out = s->findings;
    s->findings = NULL;
    return STEMMA_OK;
}

uint64_t search_work(const struct search *s) {
    return s->matcher.work;
}

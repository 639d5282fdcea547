#include "collect/recent.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "estimate/overlap.h"

#include <string.h>

struct entry {
    char *id;
    uint8_t digest[FACTS_DIGEST], text_digest[FACTS_DIGEST];
    uint8_t minima[KEY_MINIMA];
    struct vec64 samples;
    bool by_bytes; /* it is no text */
    uint8_t *text; /* with KERNEL_SLACK zeros behind it */
    size_t size;
};

struct recent {
    const struct asker_settings *settings;
    stemma_thresholds thresholds;
    struct overlap_base *base;
    struct entry *list;
    size_t count, cap;
    uint64_t bytes;
};

stemma_status recent_new(const struct stemma_recipe *recipe, const struct asker_settings *settings,
                         struct recent **out, stemma_error *err) {
    struct recent *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory(err);
    r->settings = settings;
    r->thresholds = (stemma_thresholds){.size = sizeof r->thresholds,
                                        .resemblance = settings->threshold > 0 ? settings->threshold : 2,
                                        .containment = settings->contained > 0 ? settings->contained : 2};
    stemma_status status = overlap_base_new(&recipe->view, &recipe->tables, &r->base, err);
    if (status == STEMMA_OK)
        *out = r;
    else
        mem_free(r);
    return status;
}

static void entry_release(struct entry *e) {
    mem_free(e->id);
    mem_free(e->text);
    vec64_release(&e->samples);
}

void recent_clear(struct recent *r) {
    for (size_t i = 0; i < r->count; i++) entry_release(&r->list[i]);
    r->count = 0;
    r->bytes = 0;
}

void recent_free(struct recent *r) {
    if (!r) return;
    recent_clear(r);
    overlap_base_free(r->base);
    mem_free(r->list);
    mem_free(r);
}

uint64_t recent_bytes(const struct recent *r) {
    return r->bytes;
}

/* ---- taking ---- */

static bool entry_fill(struct entry *e, const char *id, const struct asked_document *d) {
    e->id = mem_copy_string(id);
    e->text = mem_zero(1, d->text_size + KERNEL_SLACK);
    if (!e->id || !e->text || !vec64_add_all(&e->samples, d->samples.data, d->samples.len)) return false;
    if (d->text_size) memcpy(e->text, d->text, d->text_size);
    e->by_bytes = d->by_bytes;
    e->size = d->text_size;
    memcpy(e->digest, d->digest, sizeof e->digest);
    memcpy(e->text_digest, d->text_digest, sizeof e->text_digest);
    memcpy(e->minima, d->minima, sizeof e->minima);
    return true;
}

static void drop_id(struct recent *r, const char *id) {
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->list[i].id, id) != 0) continue;
        r->bytes -= r->list[i].size;
        entry_release(&r->list[i]);
        r->list[i] = r->list[--r->count];
        return;
    }
}

stemma_status recent_add(struct recent *r, const char *id, const struct asked_document *d,
                         stemma_error *err) {
    struct entry entry = {0};
    if (!mem_grow((void **)&r->list, &r->cap, r->count + 1, sizeof *r->list)) return fail_memory(err);
    if (!entry_fill(&entry, id, d)) {
        entry_release(&entry);
        return fail_memory(err);
    }
    drop_id(r, id);
    r->list[r->count++] = entry;
    r->bytes += entry.size;
    return STEMMA_OK;
}

/* ---- finding ---- */

static uint32_t minima_agreeing(const uint8_t *a, const uint8_t *b) {
    uint32_t agree = 0;
    for (size_t i = 0; i < KEY_MINIMA; i++) agree += a[i] == b[i];
    return agree;
}

static bool shares_samples(const struct recent *r, const struct entry *e, const struct asked_document *d) {
    const struct asking *asking = &r->settings->asking;
    const size_t fewer = e->samples.len < d->samples.len ? e->samples.len : d->samples.len;
    if (asking->contained <= 0 || fewer == 0) return false;
    return common_u64(d->samples.data, d->samples.len, e->samples.data, e->samples.len) >=
           sharing_least(&asking->sharing, asking->contained, fewer);
}

static bool is_candidate(const struct recent *r, const struct entry *e, const struct asked_document *d) {
    if (e->by_bytes || d->by_bytes)
        return e->by_bytes == d->by_bytes && memcmp(e->digest, d->digest, sizeof e->digest) == 0;
    if (memcmp(e->text_digest, d->text_digest, sizeof e->text_digest) == 0) return true;
    bool alike =
        r->settings->threshold > 0 && minima_agreeing(e->minima, d->minima) >= r->settings->asking.scan_agree;
    return alike || shares_samples(r, e, d);
}

static stemma_status compare(struct recent *r, const struct entry *e, const struct asked_document *d,
                             struct answer *out, stemma_error *err) {
    struct estimates *n = &out->numbers;
    struct overlap overlap;
    bool hopeless = false, certain;
    *out = (struct answer){.id = e->id, .evidence = STEMMA_FROM_STORED};
    if (e->by_bytes || memcmp(e->text_digest, d->text_digest, sizeof e->text_digest) == 0) {
        n->resemblance = n->a_in_b = n->b_in_a = quantity_exact(1);
        out->relation =
            memcmp(e->digest, d->digest, sizeof e->digest) == 0 ? STEMMA_IDENTICAL : STEMMA_SAME_TEXT;
        return STEMMA_OK;
    }
    TRY(overlap_with(r->base, e->text, e->size, NULL, &overlap, &hopeless, err));
    overlap_quantities(&overlap, n);
    out->relation = judge(n, &r->thresholds, &certain);
    return STEMMA_OK;
}

stemma_status recent_find(struct recent *r, const struct asked_document *d, struct answer *best, bool *found,
                          stemma_error *err) {
    *found = false;
    if (!d->by_bytes) overlap_base_set(r->base, d->text, d->text_size);
    for (size_t i = 0; i < r->count; i++) {
        struct answer answer;
        if (!is_candidate(r, &r->list[i], d)) continue;
        TRY(compare(r, &r->list[i], d, &answer, err));
        if (answer.relation > STEMMA_CONTAINS || (*found && answer_order(&answer, best) > 0)) continue;
        *best = answer;
        *found = true;
    }
    return STEMMA_OK;
}

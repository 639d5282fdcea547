#include "clusters.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rng.h"

#include <string.h>

#define NONE UINT32_MAX

/* A fingerprint of a cluster; those of one fingerprint are a list. */
struct posting {
    uint64_t value;
    uint32_t cluster, next;
    uint32_t count; /* of the list from here on */
};

struct clusters {
    size_t s;
    double threshold;
    uint32_t common;
    size_t passed; /* fingerprints of the sketch that are too common */
    struct posting *postings;
    size_t posting_count, posting_room;
    uint32_t *slots; /* by fingerprint, open addressing: the first posting of a list, or NONE */
    size_t slot_count;
    struct vec64 firsts; /* of each cluster where its representative begins in values */
    struct vec64 values; /* of all representatives, one behind the other */
    uint32_t *met;       /* by cluster: how often the sketch met it; 0 but for those in `who` */
    size_t met_room;
    struct vec64 who;
    struct cluster_work work;
};

stemma_status clusters_new(size_t s, double threshold, uint32_t common, struct clusters **out,
                           stemma_error *err) {
    struct clusters *clusters = mem_zero(1, sizeof *clusters);
    if (!clusters) return fail_memory(err);
    clusters->s = s;
    clusters->threshold = threshold;
    clusters->common = common;
    *out = clusters;
    return STEMMA_OK;
}

void clusters_free(struct clusters *clusters) {
    if (!clusters) return;
    mem_free(clusters->postings);
    mem_free(clusters->slots);
    mem_free(clusters->met);
    vec64_release(&clusters->firsts);
    vec64_release(&clusters->values);
    vec64_release(&clusters->who);
    mem_free(clusters);
}

static size_t slot_of(const struct clusters *c, uint64_t value) {
    size_t slot = mix64(value) & (c->slot_count - 1);
    while (c->slots[slot] != NONE && c->postings[c->slots[slot]].value != value)
        slot = (slot + 1) & (c->slot_count - 1);
    return slot;
}

/* Twice as many slots, at most half of them used. */
static bool grow_slots(struct clusters *c) {
    if (2 * (c->posting_count + c->s) < c->slot_count) return true;
    size_t count = c->slot_count ? 2 * c->slot_count : 4096;
    while (count < 2 * (c->posting_count + c->s)) count *= 2;
    uint32_t *slots = mem_alloc(count * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0xff, count * sizeof *slots);
    uint32_t *old = c->slots;
    size_t old_count = c->slot_count;
    c->slots = slots;
    c->slot_count = count;
    for (size_t i = 0; i < old_count; i++)
        if (old[i] != NONE) slots[slot_of(c, c->postings[old[i]].value)] = old[i];
    mem_free(old);
    return true;
}

/* Counts for each cluster how many fingerprints it shares with the sketch. */
static bool meet(struct clusters *c, const uint64_t *values, size_t count) {
    c->passed = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t first = c->slots[slot_of(c, values[i])];
        bool too_common = first != NONE && c->postings[first].count > c->common;
        c->work.lookups++;
        c->passed += too_common;
        for (uint32_t p = too_common ? NONE : first; p != NONE; p = c->postings[p].next) {
            uint32_t cluster = c->postings[p].cluster;
            c->work.meetings++;
            if (!c->met[cluster]++ && !vec64_add(&c->who, cluster)) return false;
        }
    }
    return true;
}

/* Broder's estimate: of the s smallest of both, those in both. */
static double resemblance(struct clusters *c, const uint64_t *a, size_t a_count, uint32_t cluster) {
    size_t begin = c->firsts.data[cluster],
           end = cluster + 1 < c->firsts.len ? c->firsts.data[cluster + 1] : c->values.len;
    const uint64_t *b = c->values.data + begin;
    size_t b_count = end - begin, i = 0, j = 0, seen = 0, common = 0;
    for (; seen < c->s && i < a_count && j < b_count; seen++) {
        bool first = a[i] <= b[j], second = b[j] <= a[i];
        common += first && second;
        i += first;
        j += second;
    }
    size_t left = a_count - i + b_count - j;
    c->work.merges += seen;
    seen += left < c->s - seen ? left : c->s - seen;
    return seen ? (double)common / (double)seen : 0;
}

/* The most alike, the oldest of equals. What shares too few fingerprints cannot be; of common ones it is not
 * known. */
static uint32_t choose(struct clusters *c, const uint64_t *values, size_t count) {
    uint32_t best = NONE;
    double most = 0;
    for (size_t i = 0; i < c->who.len; i++) {
        uint32_t cluster = (uint32_t)c->who.data[i];
        if (c->met[cluster] >= c->threshold * (double)(count - c->passed) / 2) {
            double now = resemblance(c, values, count, cluster);
            if (now >= c->threshold && (now > most || (now == most && cluster < best))) {
                most = now;
                best = cluster;
            }
        }
        c->met[cluster] = 0;
    }
    c->who.len = 0;
    return best;
}

static bool begin_cluster(struct clusters *c, const uint64_t *values, size_t count, uint32_t *cluster) {
    size_t room = c->met_room;
    *cluster = (uint32_t)c->firsts.len;
    if (!mem_grow((void **)&c->met, &c->met_room, c->firsts.len + 1, sizeof *c->met)) return false;
    memset(c->met + room, 0, (c->met_room - room) * sizeof *c->met);
    if (!vec64_add(&c->firsts, c->values.len) || !vec64_add_all(&c->values, values, count) ||
        !mem_grow((void **)&c->postings, &c->posting_room, c->posting_count + count, sizeof *c->postings))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t slot = slot_of(c, values[i]);
        uint32_t next = c->slots[slot], before = next == NONE ? 0 : c->postings[next].count;
        c->postings[c->posting_count] = (struct posting){values[i], *cluster, next, before + 1};
        c->slots[slot] = (uint32_t)c->posting_count++;
    }
    c->work.clusters++;
    return true;
}

stemma_status clusters_add(struct clusters *c, const uint64_t *values, size_t count, uint32_t *cluster,
                           stemma_error *err) {
    if (!grow_slots(c) || !meet(c, values, count)) return fail_memory(err);
    c->work.documents++;
    *cluster = choose(c, values, count);
    if (*cluster == NONE && !begin_cluster(c, values, count, cluster)) return fail_memory(err);
    return STEMMA_OK;
}

struct cluster_work clusters_work(const struct clusters *clusters) {
    return clusters->work;
}

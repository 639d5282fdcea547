/*
 * Broder's greedy clustering with popular representatives (1997, 4.4): in keep order, each class joins the
 * group whose representative its sample resembles most, or opens one. The representative of a group is the s
 * fingerprints that occur in most of its members' samples (the s smallest of a class); a table says of which
 * groups a fingerprint has represented, so a class is compared with the groups that share something, O(r s)
 * for r classes.
 *
 * Classes that no chain of candidates links cannot be alike, so each such set of classes is clustered alone,
 * and only its samples are in memory. Who joins is decided by samples alone; the numbers of members are
 * exact.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "group/forest.h"
#include "group/rules.h"
#include "group/window.h"

#include <stdlib.h>
#include <string.h>

enum {
    POPULAR_USUAL = 128,
    TALLY_TIMES =
        4, /* fingerprints counted in a group, in representatives: those that may still become popular */
    CROWDED =
        64 /* groups that a fingerprint leads to at most: a template is in all of them and tells none apart */
};

/* How often a fingerprint occurs in the samples of a group. */
struct tally {
    uint64_t fingerprint;
    uint32_t times;
};

struct cluster {
    uint32_t kept;
    uint32_t members;      /* counted in, the kept one among them */
    struct tally *tallies; /* ascending */
    size_t tally_count;
    uint64_t *popular; /* the representative, ascending */
    size_t popular_count;
};

/* An open table, in which a fingerprint stands once for each cluster it leads to. */
struct slot {
    uint64_t fingerprint;
    uint32_t cluster; /* 1 + its number; 0: empty */
};

struct clusters {
    struct grouping *grouping;
    size_t most; /* fingerprints of a sample and of a representative */
    struct cluster *list;
    size_t count, cap;
    struct slot *slots;
    size_t slot_count, slot_used; /* a power of two */
    struct vec64 sample;
    struct vec64 near; /* clusters that share something with the sample */
};

/* ---- the table ---- */

static size_t slot_of(const struct clusters *c, uint64_t fingerprint) {
    return (size_t)mix64(fingerprint) & (c->slot_count - 1);
}

static size_t next_slot(const struct clusters *c, size_t slot) {
    return (slot + 1) & (c->slot_count - 1);
}

static void put_slot(struct clusters *c, struct slot slot) {
    size_t at = slot_of(c, slot.fingerprint);
    while (c->slots[at].cluster) at = next_slot(c, at);
    c->slots[at] = slot;
    c->slot_used++;
}

static bool grow_slots(struct clusters *c) {
    struct slot *old = c->slots;
    size_t old_count = c->slot_count, grown = old_count ? 2 * old_count : 1024;
    struct slot *slots = mem_zero(grown, sizeof *slots);
    if (!slots) return false;
    c->slots = slots;
    c->slot_count = grown;
    c->slot_used = 0;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].cluster) put_slot(c, old[i]);
    mem_free(old);
    return true;
}

/* From now on the fingerprint leads to the cluster, unless it does so already or to enough others. */
static bool lead_to(struct clusters *c, uint64_t fingerprint, uint32_t cluster) {
    if (2 * c->slot_used >= c->slot_count && !grow_slots(c)) return false;
    size_t at = slot_of(c, fingerprint), same = 0;
    for (; c->slots[at].cluster; at = next_slot(c, at)) {
        if (c->slots[at].fingerprint != fingerprint) continue;
        if (c->slots[at].cluster == cluster + 1 || ++same == CROWDED) return true;
    }
    c->slots[at] = (struct slot){fingerprint, cluster + 1};
    c->slot_used++;
    return true;
}

static bool find_near(struct clusters *c) {
    c->near.len = 0;
    for (size_t i = 0; i < c->sample.len && c->slot_count; i++)
        for (size_t at = slot_of(c, c->sample.data[i]); c->slots[at].cluster; at = next_slot(c, at))
            if (c->slots[at].fingerprint == c->sample.data[i] &&
                !vec64_add(&c->near, c->slots[at].cluster - 1))
                return false;
    if (!sort_u64(c->near.data, c->near.len)) return false;
    c->near.len = unique_u64(c->near.data, c->near.len);
    return true;
}

/* ---- representatives ---- */

static int by_fingerprint(const void *a, const void *b) {
    const struct tally *x = a, *y = b;
    return (x->fingerprint > y->fingerprint) - (x->fingerprint < y->fingerprint);
}

static int by_popularity(const void *a, const void *b) {
    const struct tally *x = a, *y = b;
    if (x->times != y->times) return x->times > y->times ? -1 : 1;
    return by_fingerprint(a, b);
}

/* The counts of the cluster and of one more sample, ascending, into `to`. */
static size_t merge_tallies(const struct cluster *cluster, const struct vec64 *sample, struct tally *to) {
    size_t i = 0, j = 0, count = 0;
    while (i < cluster->tally_count || j < sample->len) {
        bool old = i < cluster->tally_count &&
                   (j == sample->len || cluster->tallies[i].fingerprint <= sample->data[j]);
        struct tally tally = old ? cluster->tallies[i++] : (struct tally){sample->data[j], 0};
        if (j < sample->len && tally.fingerprint == sample->data[j]) {
            tally.times++;
            j++;
        }
        to[count++] = tally;
    }
    return count;
}

/* The most popular ones, and of them the representative. */
static void choose_popular(const struct clusters *c, struct cluster *cluster) {
    struct tally *tallies = cluster->tallies;
    qsort(tallies, cluster->tally_count, sizeof *tallies, by_popularity);
    if (cluster->tally_count > TALLY_TIMES * c->most) cluster->tally_count = TALLY_TIMES * c->most;
    cluster->popular_count = cluster->tally_count < c->most ? cluster->tally_count : c->most;
    qsort(tallies, cluster->popular_count, sizeof *tallies, by_fingerprint);
    for (size_t i = 0; i < cluster->popular_count; i++) cluster->popular[i] = tallies[i].fingerprint;
    qsort(tallies, cluster->tally_count, sizeof *tallies, by_fingerprint);
}

/* What is popular changes less and less, so it is looked at again when the members have doubled, or too much
 * is counted. */
static bool is_due(const struct clusters *c, const struct cluster *cluster) {
    bool doubled = (cluster->members & (cluster->members - 1)) == 0;
    return doubled || cluster->tally_count > 2 * TALLY_TIMES * c->most;
}

/* Counts the sample in. */
static stemma_status add_sample(struct clusters *c, uint32_t number, stemma_error *err) {
    struct cluster *cluster = &c->list[number];
    struct tally *merged = mem_alloc((cluster->tally_count + c->sample.len) * sizeof *merged);
    if (!merged) return fail_memory(err);
    cluster->tally_count = merge_tallies(cluster, &c->sample, merged);
    mem_free(cluster->tallies);
    cluster->tallies = merged;
    cluster->members++;
    if (!is_due(c, cluster)) return STEMMA_OK;
    choose_popular(c, cluster);
    for (size_t i = 0; i < cluster->popular_count; i++)
        if (!lead_to(c, cluster->popular[i], number)) return fail_memory(err);
    return STEMMA_OK;
}

static stemma_status open_cluster(struct clusters *c, uint32_t rank, stemma_error *err) {
    uint64_t *popular = mem_alloc(c->most * sizeof *popular);
    if (!popular || !mem_grow((void **)&c->list, &c->cap, c->count + 1, sizeof *c->list)) {
        mem_free(popular);
        return fail_memory(err);
    }
    c->list[c->count++] = (struct cluster){.kept = rank, .popular = popular};
    return add_sample(c, (uint32_t)(c->count - 1), err);
}

/* ---- who joins whom ---- */

/* Broder's estimate: of the s smallest fingerprints of both, the share that is in both. */
static double sample_resemblance(const struct clusters *c, const struct cluster *cluster) {
    const uint64_t *a = cluster->popular, *b = c->sample.data;
    size_t i = 0, j = 0, all = 0, common = 0;
    while (all < c->most && (i < cluster->popular_count || j < c->sample.len)) {
        bool from_a = j == c->sample.len || (i < cluster->popular_count && a[i] <= b[j]);
        bool from_b = i == cluster->popular_count || (j < c->sample.len && b[j] <= a[i]);
        common += from_a && from_b;
        i += from_a;
        j += from_b;
        all++;
    }
    return all ? (double)common / (double)all : 0;
}

/* The nearest cluster above the threshold; of two, the one that was opened first. c->count when there is
 * none. */
static size_t nearest_cluster(const struct clusters *c) {
    size_t nearest = c->count;
    double best = 0;
    for (size_t i = 0; i < c->near.len; i++) {
        double share = sample_resemblance(c, &c->list[c->near.data[i]]);
        if (share < c->grouping->rule->threshold || share <= best) continue;
        best = share;
        nearest = (size_t)c->near.data[i];
    }
    return nearest;
}

static stemma_status place_class(struct clusters *c, uint32_t rank, stemma_error *err) {
    const struct group_verifier *verifier = c->grouping->verifier;
    c->sample.len = 0;
    TRY(verifier->sample(verifier->context, rank, c->most, &c->sample, err));
    if (!find_near(c)) return fail_memory(err);
    size_t cluster = nearest_cluster(c);
    if (cluster == c->count) return open_cluster(c, rank, err);
    TRY(add_member(c->grouping->members, (struct group_member){.rank = rank, .kept = c->list[cluster].kept},
                   err));
    return add_sample(c, (uint32_t)cluster, err);
}

static void forget_clusters(struct clusters *c) {
    for (size_t i = 0; i < c->count; i++) {
        mem_free(c->list[i].tallies);
        mem_free(c->list[i].popular);
    }
    c->count = 0;
    mem_free(c->slots);
    c->slots = NULL;
    c->slot_count = c->slot_used = 0;
}

/* ---- sets of classes that candidates link ---- */

static stemma_status link_candidates(struct grouping *grouping, struct forest *linked, stemma_error *err) {
    struct window window;
    stemma_status status = STEMMA_OK;
    TRY(window_open(&window, grouping->candidates, grouping->verifier, grouping->members, err));
    do {
        for (size_t i = 0; i < window.count; i++)
            forest_join(linked, window.pairs[i].first, window.pairs[i].second);
        window.count = 0;
        status = window_fill(&window, forest_holds_both, linked, err);
    } while (status == STEMMA_OK && window.count);
    window_close(&window);
    return status;
}

/* All classes that are linked with others, as set << 32 | rank, ascending. */
static stemma_status list_linked(struct grouping *grouping, struct vec64 *list, stemma_error *err) {
    struct forest linked;
    if (!forest_init(&linked, grouping->count)) return fail_memory(err);
    stemma_status status = link_candidates(grouping, &linked, err);
    for (uint32_t rank = 0; rank < grouping->count && status == STEMMA_OK; rank++) {
        uint32_t set = forest_find(&linked, rank);
        if (set == rank) continue;
        if (!vec64_add(list, (uint64_t)set << 32 | rank)) status = fail_memory(err);
    }
    forest_release(&linked);
    if (status == STEMMA_OK && !sort_u64(list->data, list->len)) status = fail_memory(err);
    return status;
}

/* The first of a set is not in the list: it names the set. */
static stemma_status cluster_all(struct clusters *c, const struct vec64 *list, stemma_error *err) {
    for (size_t i = 0; i < list->len; i++) {
        uint32_t set = (uint32_t)(list->data[i] >> 32);
        if (i == 0 || set != list->data[i - 1] >> 32) {
            forget_clusters(c);
            TRY(place_class(c, set, err));
        }
        TRY(place_class(c, (uint32_t)list->data[i], err));
    }
    order_members(c->grouping->members, 0);
    return verify_members(c->grouping->verifier, c->grouping->members, 0, err);
}

stemma_status group_popular(struct grouping *grouping, stemma_error *err) {
    size_t asked = grouping->rule->popular;
    if (!grouping->verifier->sample)
        return fail(err, STEMMA_INVALID, "groups by popular fingerprints need the samples of documents");
    struct clusters c = {.grouping = grouping, .most = asked ? asked : POPULAR_USUAL};
    struct vec64 list = {0};
    stemma_status status = list_linked(grouping, &list, err);
    if (status == STEMMA_OK) status = cluster_all(&c, &list, err);
    forget_clusters(&c);
    mem_free(c.list);
    vec64_release(&c.sample);
    vec64_release(&c.near);
    vec64_release(&list);
    return status;
}

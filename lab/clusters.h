/*
 * Greedy clustering as Broder 1997, 4.4 describes it: sketches in turn, each to the cluster whose first
 * member it resembles, found through a table from fingerprints to clusters. Counts the work.
 */
#ifndef LAB_CLUSTERS_H
#define LAB_CLUSTERS_H

#include "base/error.h"

struct clusters;

/* threshold: of the resemblance that two sketches give; s: fingerprints of a sketch; common: how many
 * clusters may have a fingerprint before it no longer leads to them. */
stemma_status clusters_new(size_t s, double threshold, uint32_t common, struct clusters **out,
                           stemma_error *err);
void clusters_free(struct clusters *clusters);

/* The cluster that a sketch of ascending fingerprints, at most s, joins or begins. */
stemma_status clusters_add(struct clusters *clusters, const uint64_t *values, size_t count, uint32_t *cluster,
                           stemma_error *err);

struct cluster_work {
    uint64_t documents, clusters;
    uint64_t lookups;  /* of a fingerprint in the table */
    uint64_t meetings; /* clusters met there */
    uint64_t merges;   /* fingerprints gone through to compare with a cluster that was met often enough */
};
struct cluster_work clusters_work(const struct clusters *clusters);

#endif

/*
 * The proportions of Broder's crawl, and what a generated one has of each.
 *
 * Of 30 million documents 17.7 were alone, 5.3 in 2.1 million clusters of identical ones, 7 in 1.5 million
 * mixed clusters.
 */
#ifndef LAB_CRAWL_H
#define LAB_CRAWL_H

#include "table.h"

#define CRAWL_DOCUMENTS 30e6
#define CRAWL_BYTES     150e9
#define CRAWL_THRESHOLD .5

struct planted {
    size_t documents, identical, identical_documents, mixed,
        mixed_documents; /* clusters, and documents in them */
    size_t bytes;
};

/* Clusters by how many documents they have, all of them first. The paper says how many there are of each
 * kind, and not how large they are. */
enum { CRAWL_SIZES = 4 };
extern const char *const crawl_size_names[CRAWL_SIZES];
/* Counts a cluster among all and among those of its size. */
void crawl_count(struct planted by_size[CRAWL_SIZES], bool mixed, size_t size);

/* The next document or cluster: how many documents it has, and whether they differ. Counts clusters, as
 * crawl_count does. */
size_t crawl_draw(uint64_t *rng, struct planted *planted, bool *mixed);
/* Of a mixed cluster the first copy is changed, and two thirds of the others. */
bool crawl_changes(uint64_t *rng, bool mixed, size_t copy);
/* The share of words that a changed copy lacks: a resemblance of .95 down to .6. */
double crawl_share(uint64_t *rng);

#define CRAWL_COLUMNS                                                                                        \
    "crawl\tdocuments\tidentical\tidentical_documents\tmixed\tmixed_documents\tidentical_M\t"                \
    "identical_docs_M\tmixed_M\tmixed_docs_M"
/* more: further cells, each after a tab. */
void crawl_row(const char *what, const struct planted *p, const char *more, struct table *data);
/* The largest of the relative errors of four counts in the row `found` against the row `made`; `where` limits
 * both. */
double crawl_error(const struct table *data, const char *where);

#endif

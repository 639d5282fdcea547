/*
 * The range query on Hamming fingerprints: which differ from the query's in at most r_h bits? Four ways, one
 * answer.
 *
 *   scan   every fingerprint is looked at, most of them only as far as the first words
 *   G      grouping (Manku et al. 2007, as Yuan et al. describe it): every choice of m - r_h groups out of m,
 * and the documents that have all of them in common with the query H      group merging (Yuan et al. 2012):
 * one index of (group, value); who has m - r_h groups in common is counted mih    multi-index hashing
 * (Norouzi, Punjani, Fleet 2012): with r_h differing bits, some group has at most floor(r_h / m) of them; all
 * values that near are looked up
 *
 * What is looked up may be more than memory should hold: it is sorted in HAMMING_MEMORY, and beyond on disk.
 * They work on a source, which is fingerprints in memory (fingerprints.h) or in a collection (collected.h).
 */
#ifndef INDEX_HAMMING_RETRIEVAL_H
#define INDEX_HAMMING_RETRIEVAL_H

#include "base/buf.h"
#include "base/error.h"
#include "index/hamming/groups.h"

#define HAMMING_MEMORY ((size_t)16 << 20)

enum hamming_via { HAMMING_AUTO, HAMMING_SCAN, HAMMING_G, HAMMING_H, HAMMING_MIH };

const char *hamming_via_name(enum hamming_via via); /* "auto", "scan", "g", "h", "mih" */

struct hamming_match {
    uint64_t number; /* of the document */
    uint32_t distance;
};

/* Of more than `most` the nearest stay, of equals those with the lowest numbers; twice as many are held
 * meanwhile. */
struct hamming_matches {
    struct hamming_match *list; /* by number */
    size_t count, capacity;
    size_t most;       /* set before; 0: all */
    uint64_t left_out; /* of more */
    stemma_status (*take)(void *to, uint64_t number, uint32_t distance,
                          stemma_error *err); /* not NULL: gets them all instead, by number; set before */
    void *to;
};
void hamming_matches_release(struct hamming_matches *matches);
stemma_status hamming_matches_add(struct hamming_matches *matches, uint64_t number, uint32_t distance,
                                  stemma_error *err);
int hamming_nearest_first(const void *a, const void *b); /* matches; for qsort */

/* What a query did: the quantities that the papers' costs are reckoned in. */
struct hamming_work {
    enum hamming_via used;
    uint32_t bits, radius, groups; /* k, r_h, m */
    uint64_t combinations;         /* G: choices of m - r_h groups */
    uint64_t searches;   /* of an index for a key. G: m - r_h for each choice (eq. 16); H: m (eq. 17) */
    uint64_t postings;   /* entries of lists gone through. H: m n_g (eq. 17) */
    uint64_t candidates; /* documents of S(Pre_Query), each once */
    uint64_t distances;  /* computed, or begun: a scan begins all */
};

/* Some of what was looked up; more may come. */
typedef stemma_status take_numbers(void *to, const uint64_t *numbers, size_t count, stemma_error *err);
/* Into a struct vec64. */
stemma_status hamming_take_all(void *vec, const uint64_t *numbers, size_t count, stemma_error *err);

/* Where fingerprints lie. Functions return what fails; numbers may be any that fit 63 bits. */
struct hamming_source {
    void *context;
    uint32_t bits;      /* k */
    uint64_t documents; /* about how many */
    const struct bit_group *groups;
    uint32_t group_count;     /* m; 0: there is no index, and a scan answers everything */
    double search_cost;       /* of a lookup that finds nothing, and */
    double posting_cost;      /* of a candidate, each as so many documents scanned: for HAMMING_AUTO */
    const volatile int *stop; /* ends a query when it is set; may be NULL */
    const char *directory;    /* for what is sorted on disk; NULL: TMPDIR, else /tmp */
    /* The numbers of those with this key, ascending. */
    stemma_status (*lookup)(void *context, uint64_t key, take_numbers *take, void *to, stemma_error *err);
    /* At least: exact when it is at most `most`. */
    stemma_status (*distance)(void *context, const uint64_t *query, uint64_t number, uint32_t most,
                              uint32_t *distance, stemma_error *err);
    /* Appends all within the radius, by number; counts in work->distances what it looks at. */
    stemma_status (*scan)(void *context, const uint64_t *query, uint32_t radius,
                          struct hamming_matches *matches, struct hamming_work *work, stemma_error *err);
};

/* G goes through at most so many postings: some seconds. Its cost grows with the choices of m - r_h out of m
 * groups, which are 39,711 for 400 bits at a resemblance of .7 with three groups to spare, and 585,276 for
 * 1,000. */
#define HAMMING_G_MOST 4e9
/* Nor does it hold more than so many: 8 bytes each. */
#define HAMMING_G_HELD ((size_t)1 << 22)
/* Multi-index hashing makes as many lookups as there are documents, or so many, at most; where it would need
 * more, a scan answers, and is faster. */
#define HAMMING_PROBES 4096

/*
 * All within the radius, by number; matches is replaced. Where the groups cannot decide (r_h >= m for G and
 * H, too many lookups for mih, no groups at all) a scan answers; work->used says so. HAMMING_AUTO takes what
 * costs least, mih or a scan. work may be NULL. Errors: INVALID (G would go through more than
 * HAMMING_G_MOST, or hold more than HAMMING_G_HELD), NO_MEMORY, INTERRUPTED, and what the source fails with.
 */
stemma_status hamming_query(const struct hamming_source *source, const uint64_t *query, uint32_t radius,
                            enum hamming_via via, struct hamming_matches *matches, struct hamming_work *work,
                            stemma_error *err);

/* How many words of a random fingerprint differ from another in more than `radius` bits, all but surely (one
 * in 30,000 does not). */
size_t hamming_head(uint32_t bits, uint32_t radius);

#endif

/*
 * The pipeline: sources are listed, every document is read once (reading.c) and entered into the catalogue
 * with keys and samples, the join finds candidates, the verifier (verify.c) compares them on full shingle
 * sets, groups are made, and results.c turns ranks into documents again.
 */
#ifndef SCAN_SCAN_H
#define SCAN_SCAN_H

#include "estimate/overlap.h"
#include "group/group.h"
#include "join/join.h"
#include "join/plan.h"
#include "read/container.h"
#include "scan/ahead.h"
#include "scan/cache.h"
#include "scan/catalogue.h"
#include "scan/compared.h"
#include "scan/progress.h"
#include "scan/texts.h"
#include "sketch/keyer.h"
#include "sketch/recipe.h"

/* Documents of up to so many bytes are held in memory, however little there is. */
#define SCAN_HELD ((size_t)1 << 20)

struct scan_settings {
    stemma_scan_options options; /* strings and lists belong to the caller */
    stemma_limits limits;
    unsigned threads;
    const char
        *store; /* the folder of the collection that is filled or asked: holds no documents; may be NULL */
};

/* Keep order: rank <-> class. Classes of documents that are not text have numbers behind those of text
 * classes. */
struct ranking {
    uint32_t count;      /* classes of any kind */
    uint32_t *class_of;  /* by rank */
    uint32_t *rank_of;   /* by class */
    uint32_t *documents; /* all that have a class, class after class by rank, each in keep order */
    uint32_t *first;     /* by rank: where its documents begin; one more at the end */
};

struct scan_results {
    stemma_scan_member *members;
    size_t member_count, member_cap;
    struct result_group {
        uint32_t kept;
        size_t first, count; /* of members */
        uint64_t bytes;      /* that could be saved */
        size_t node, root;   /* of its tree: where its nodes begin, and which of them is the root */
    } *groups;
    size_t group_count, group_cap;
    uint64_t redundant, redundant_bytes;
    uint8_t *redundant_bits; /* by document */
    uint8_t *held_bits;      /* by the first document of the same bytes: a file that holds others stays */
    stemma_tree_node *nodes; /* of trees, group after group; NULL: not asked for */
};

/* A file that holds documents. */
struct scan_container {
    struct identity same; /* its bytes, and how they are read */
    uint32_t source;
    uint64_t size;
};

struct stemma_scan {
    const struct stemma_recipe *recipe;
    struct scan_settings settings;
    struct join_plan plan;
    struct identity_key key;
    char **operands; /* paths to look at, in the order given */
    size_t operand_count, operand_cap;
    struct vec64 found;              /* files at or below each of them, once they are listed */
    const struct taker_kind *takers; /* of the documents that are read */
    const struct scan_cache *cache;  /* of cached_taker */
    stemma_error cache_trouble;      /* why there is none, or not to the end; STEMMA_OK: nothing */
    void *taken_for;                 /* what these work for, if it is not the scan */
    struct catalogue catalogue;
    struct scan_container *containers; /* under the catalogue's lock while files are read */
    size_t container_count, container_cap;
    size_t datasets;         /* among the sources */
    pthread_mutex_t opening; /* one of them at a time */
    uint64_t jobs;           /* that were given to takers which want to know */
    struct texts texts;
    struct ahead ahead;
    struct sorter *samples;   /* (sample, class) */
    struct sorter *pairs;     /* candidates in ranks */
    struct compared compared; /* of these, what was compared, where pairs will be asked for */
    struct ranking ranking;
    struct scan_results results;
    uint32_t *order;        /* documents in the order of input */
    uint32_t *place;        /* and back: the number that is reported */
    bool any_in_order_only; /* texts that cannot be read again by themselves; known with the order */
    stemma_scan_summary summary;
    struct document_options document_options;
    size_t huge_from;           /* bytes: larger documents are not held in memory; */
    size_t record_most;         /* records have to be */
    pthread_mutex_t converting; /* one such document at a time */
    struct scan_progress progress;
    uint64_t *copies;                  /* documents of ranking, as they are reported; made when asked for */
    uint64_t lone_copy;                /* the same of a document without class */
    struct original_reader *originals; /* likewise */
    bool started, done;                /* done: the run succeeded */
};

/* recipe is retained; strings and lists of the options are copied. */
stemma_status scan_new(const struct stemma_recipe *recipe, const struct scan_settings *settings,
                       struct stemma_scan **out, stemma_error *err);
/* To be looked at; the path is copied. */
stemma_status scan_add_path(struct stemma_scan *scan, const char *path, stemma_error *err);
stemma_status scan_run(struct stemma_scan *scan, stemma_error *err);
void scan_free(struct stemma_scan *scan);

/* Bytes of memory that are needed for all documents, whatever the limits: the catalogue, and what ranking and
 * joining take. */
uint64_t scan_resident(const struct stemma_scan *scan);

/* Whether a file with this beginning holds documents, and the scan is to look into it. */
stemma_status scan_container(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                             size_t size, enum container_kind *out, stemma_error *err);
/* Goes through such a file, each time in the same order: for a worker, where others read meanwhile, or NULL.
 */
struct worker;
stemma_status scan_walk_container(struct stemma_scan *scan, uint32_t source, struct worker *worker,
                                  struct container_visitor *visitor, stemma_error *err);

/* Opens the data set that a source is, to be read from its beginning. */
stemma_status scan_open_dataset(const struct stemma_scan *scan, struct source *source, stemma_error *err);
/* The same, for who reads some of it again: opened if it was not. By any thread. */
stemma_status scan_dataset(struct stemma_scan *scan, uint32_t source, struct dataset **out,
                           stemma_error *err);

/* Of JSON lines: whether one of the first records has a text, or that cannot be told. */
stemma_status scan_find_texts(const struct stemma_scan *scan, const char *path, bool *found,
                              stemma_error *err);
stemma_status scan_look_at_standard(const struct stemma_scan *scan, bool *records, stemma_error *err);

/* All sources that were listed, with what they hold. */
stemma_status scan_read_sources(struct stemma_scan *scan, stemma_error *err);
/* Others may be listed in their place. */
void scan_forget_sources(struct stemma_scan *scan);

/* After documents were read again, and some of them were not what they had been; `status` is how that ended.
 */
stemma_status scan_count_problems(struct stemma_scan *scan, stemma_status status, stemma_error *err);

/* ---- stages, in this order; each fills what the next needs ---- */

stemma_status scan_list(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_read(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_count_namesakes(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_rank(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_match(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_group(struct stemma_scan *scan, stemma_error *err);
stemma_status scan_trees(struct stemma_scan *scan, stemma_error *err);        /* of all groups */
bool scan_same_bytes(const struct stemma_scan *scan, uint32_t a, uint32_t b); /* documents of the catalogue */

/* The smallest fingerprints of a class, by its rank: see group.h. */
stemma_status scan_sample(struct stemma_scan *scan, uint32_t rank, size_t most, struct vec64 *out,
                          stemma_error *err);

/* Numbers of candidate pairs (ranks), exactly: see group.h. With an aim, those of pairs that do not reach it
 * may be 0. */
stemma_status scan_verify(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                          const struct overlap_aim *aim, struct numbers *numbers, stemma_error *err);

#endif

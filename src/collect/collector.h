/* What those share who put what is read into a collection: collecting.c drives, collector.c takes documents,
 * settling.c the files that hold them, putting.c what was made of them. */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include "collect/collecting.h"
#include "collect/row_maker.h"
#include "index/gone.h"
#include "index/rows.h"
#include "scan/reading.h"
#include "scan/taker.h"

/* What the collection has of a source. */
struct source_state {
    bool known;  /* it, or something inside it */
    bool holds;  /* it is read, and documents are inside it, or were */
    bool failed; /* not all of it could be read: what is not known to be complete is read the next time */
};

struct waiting_rows {
    struct stored_rows rows;
    struct buf records; /* a byte each: whether others may have its id */
};

/* Rows that were made while another thread had the lock of pending. */
struct waiting {
    const struct schema *schema;
    size_t most; /* bytes of those that come, and of those that go */
    pthread_mutex_t lock;
    struct waiting_rows coming; /* under it */
    struct waiting_rows going;  /* under the lock of pending */
    size_t gone;                /* of these */
};

struct collecting {
    struct pending *pending;
    const struct stemma_recipe *recipe;
    struct stemma_scan *scan;
    size_t member_part;
    int64_t settled; /* files that were modified after this are looked at again */
    struct source_state *states;
    uint64_t first;            /* number that is given here; what has a lower one was there before */
    struct collection *before; /* as it was then; NULL: documents come one by one */
    /* under the lock of pending */
    struct waiting waiting;
    stemma_add_summary counts;
    struct gone met; /* older ones that are still inside files as they were: bits, since they may be many */
    uint64_t superseded;  /* records whose id another one of their data set has */
    struct worker *texts; /* for documents one by one; NULL: there were none */
    watch_taken *watch;   /* NULL: nobody */
    void *watcher;
    bool dry;
};

/* One worker's. */
struct collector {
    struct collecting *all;
    struct row_maker *maker;
    struct buf id;
    struct facts facts;
    stemma_error cause; /* why it could not be read, where the facts say so */
    uint32_t source;
    bool wanted; /* the row is to be put */
    bool record; /* others may have its id */
    struct {     /* that the last document had: its neighbours in a file have the same */
        bool made;
        uint64_t inode;
        int64_t changed;
        uint32_t is;
    } stamp;
};

const struct source *collecting_source(const struct collecting *all, uint32_t number);
bool is_standard_input(const struct source *source);
/* How texts are made. */
uint32_t collecting_way(const struct collecting *all);

/* With the lock held: of what has the id by now. */
stemma_status collecting_find(struct collecting *all, const void *id, size_t size, struct id_place *place,
                              struct facts *facts, stemma_error *err);
/* With the lock held: the same row with other facts. */
stemma_status collecting_rewrite(struct collecting *all, const struct id_place *place,
                                 const struct facts *facts, stemma_error *err);

/* Whether nothing new has to be made of a document whose bytes are read like this. */
bool is_same_document(const struct facts *old, const struct facts *now);
/* With the lock held: whether a row that was found is of another record of the same data set, met before. */
bool is_again(const struct collecting *all, uint64_t number, const struct facts *old, const struct facts *now,
              bool record);
/* Counts the document and puts its row, now or later; record: others may have its id. */
stemma_status collecting_put(struct collecting *all, const struct row *row, const struct facts *facts,
                             bool record, stemma_error *err);
/* With the lock held, or when nobody else is at work: puts those that wait. */
stemma_status collecting_put_waiting(struct collecting *all, stemma_error *err);
void waiting_init(struct waiting *waiting, const struct collection *store);
void waiting_release(struct waiting *waiting);

/* One worker, see taker.h. */
extern const struct taker_kind collecting_taker;
/* Facts of a document, of which path_bytes is set. */
void collector_set_facts(struct collector *c, const struct source *source, const struct document *d);

/* Whether it is known if a file is a data set; of the taker. */
stemma_status collecting_knows_dataset(struct stemma_scan *scan, const struct source *source, bool *known,
                                       bool *is, stemma_error *err);
/* Whether a source has to be read; of the taker. */
stemma_status collecting_take_source(void *taker, uint32_t number, bool *wanted, stemma_error *err);
/* Reads what was listed, and settles what holds documents. */
stemma_status collecting_read_listed(struct stemma_scan *scan, stemma_error *err);

#endif

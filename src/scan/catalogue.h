/*
 * What is known of every document of a scan, and which of them are the same.
 *
 * Documents are numbered as they come, which depends on the threads; nothing that is reported does. A
 * document names its source (a file, a record of a data set, memory) and its class: all documents with one
 * canonical text. A class has the keys that the join looks at. About 310 bytes a document in all, names
 * included.
 */
#ifndef SCAN_CATALOGUE_H
#define SCAN_CATALOGUE_H

#include "base/buf.h"
#include "base/error.h"
#include "scan/identity.h"
#include "scan/problems.h"

#include <pthread.h>
#include <stdatomic.h>

#define NO_CLASS    UINT32_MAX
#define NO_DOCUMENT UINT32_MAX

enum source_kind { SOURCE_FILE, SOURCE_DATASET, SOURCE_MEMORY };

struct source {
    const char *name; /* path, or the id of a text in memory */
    enum source_kind kind;
    bool has_owner;
    bool filled;   /* of a file that was looked into: something is in it */
    bool known;    /* what is inside was, so that it was not read */
    bool in_order; /* of a data set: its records cannot be read again by themselves */
    bool looked;   /* it is one because there are texts in its first records */
    uint32_t owner;
    uint64_t size;
    int64_t modified, changed; /* nanoseconds since 1970 */
    uint64_t device, inode;    /* of a file: what is acted on must still be it */
    union {
        struct dataset *dataset; /* open from its reading on, until the end; NULL: see scan_dataset */
        const void *memory;
    };
};

enum document_state {
    DOCUMENT_TEXT,     /* has a class, once it is known */
    DOCUMENT_EMPTY,    /* no text: nothing to judge by */
    DOCUMENT_BINARY,   /* not text: compared by its bytes alone */
    DOCUMENT_FAILED,   /* its text could not be had: likewise */
    DOCUMENT_CONTAINER /* the documents in it are others: likewise */
};

struct document {
    struct identity bytes_identity;
    uint64_t bytes;  /* as it is stored */
    uint64_t offset; /* of a record in its data set; of a document in a container its number there, from 1 */
    uint32_t record_size; /* likewise */
    uint32_t source;
    uint32_t class;   /* NO_CLASS: no text, or not yet known */
    uint32_t same_as; /* the document that first had the same bytes, read alike, or NO_DOCUMENT */
    uint8_t format;   /* enum text_format: how the bytes are read, which may depend on the name */
    uint8_t
        state;  /* enum document_state; of one that is the same as another: that one's, once all is settled */
    bool holds; /* a file in which other documents may be: a container; */
    bool filled;    /* more is in it than its text says, or in one with the same bytes, once all is settled */
    bool damaged;   /* it is used, but may lack text, which is told among the problems */
    const char *id; /* of a record, or in a container; NULL: the source's name */
};

/* Of its bytes and how they are read: what is a page by one name may be plain text by another. */
struct identity document_identity(const struct document *document);

struct text_class {
    struct identity text_identity;
    uint64_t text_size;
    uint32_t document; /* to read the text from: the first of the class in keep order, once it has ranks */
    uint32_t samples;
    uint32_t size;    /* distinct shingles, about: see keyer_size */
    bool huge;        /* not to be held in memory; known with the rank */
    bool known;       /* by a cache: nobody has read it yet */
    atomic_bool lost; /* its text cannot be had again, which has been told */
    uint8_t
        *cached; /* the canonical text, with KERNEL_SLACK bytes behind it; NULL: it has to be read again */
};

/* Numbers found by identity: open addressing, the identities are in what the numbers name. */
struct identity_slot {
    uint32_t tag;    /* bits of the identity, the lowest of which say where it stands */
    uint32_t number; /* and 1; 0: empty */
};

struct identity_table {
    struct identity_slot *slots;
    size_t capacity, count;
};

/* Names of sources and records, in large pieces: of so many small ones half of the memory would be the
 * allocator's. */
struct name_store {
    char **pieces;
    size_t count, cap;
    char *at; /* free, in the newest of the shared pieces */
    size_t left;
    uint64_t bytes; /* of all pieces */
};

struct catalogue {
    struct source *sources;
    size_t source_count, source_cap;
    struct document *documents;
    size_t document_count, document_cap, documents_touched;
    struct text_class *classes;
    size_t class_count, class_cap, classes_touched;
    uint8_t *keys; /* [class][key_bytes], with KERNEL_SLACK readable bytes behind */
    size_t key_cap, key_bytes, keys_touched;
    struct problems problems;
    struct identity_table by_bytes, by_text;
    struct name_store names;
    pthread_mutex_t lock; /* of everything above while documents are read */
};

void catalogue_init(struct catalogue *catalogue, size_t key_bytes);
void catalogue_release(struct catalogue *catalogue);

/* Before the reading begins. The name is copied. */
stemma_status catalogue_add_source(struct catalogue *catalogue, const struct source *source,
                                   stemma_error *err);

void catalogue_forget_sources(struct catalogue *catalogue); /* and all names */

/* No more documents come, and all keys have been looked at. */
void catalogue_forget_keys(struct catalogue *catalogue);

/* The rest may be called by any thread. */

/* Enters a document, of which source, place, bytes and their identity, and format are given. *number is its
 * own; *seen: its bytes were read before, in the same way. */
stemma_status catalogue_add_document(struct catalogue *catalogue, const struct document *document,
                                     const char *id, size_t id_size, uint32_t *number, bool *seen,
                                     stemma_error *err);

/* The class of a text; *made when it is new: then its keys are to be given. */
stemma_status catalogue_classify(struct catalogue *catalogue, uint32_t document, struct identity text,
                                 uint64_t text_size, uint32_t *class, bool *made, stemma_error *err);
void catalogue_mark_known(struct catalogue *catalogue, uint32_t class);
void catalogue_set_keys(struct catalogue *catalogue, uint32_t class, const uint8_t *keys, uint32_t size,
                        uint32_t samples);

/* A file, or a line of a data set, that could not be read; if the status is OK, a document that is used
 * though it may lack text. */
void catalogue_add_problem(struct catalogue *catalogue, const char *name, uint64_t line,
                           const stemma_error *cause);
/* The text of a document cannot be had, or not all of it. */
void catalogue_fail_document(struct catalogue *catalogue, uint32_t document, const stemma_error *cause);
void catalogue_damage_document(struct catalogue *catalogue, uint32_t document, const stemma_error *cause);
/* Nor, any more, that of a class; told once. */
void catalogue_lose(struct catalogue *catalogue, uint32_t class, const stemma_error *cause);

void catalogue_set_state(struct catalogue *catalogue, uint32_t document, enum document_state state);

/* When all is read: documents with the bytes of another get its state and class, and share its problem. */
void catalogue_settle(struct catalogue *catalogue);

/* The document that first had its bytes, read alike; it may be itself. */
uint32_t catalogue_first_same(const struct catalogue *catalogue, uint32_t document);
/* Whether it is inside a file, and no file itself. */
bool catalogue_is_contained(const struct catalogue *catalogue, const struct document *document);

/* Both when all is read. */
const char *catalogue_id(const struct catalogue *catalogue, uint32_t document);
uint64_t catalogue_resident(const struct catalogue *catalogue); /* bytes of memory */

#endif

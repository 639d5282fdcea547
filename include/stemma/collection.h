/*
 * collection.h - documents remembered on disk: added, asked about, kept in order.
 */
#ifndef STEMMA_COLLECTION_H
#define STEMMA_COLLECTION_H

#include "scan.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A collection is a folder that remembers documents: their names, where they lie, and what is kept of their
 * texts, so that a document can be held against all of them at any threshold. The view is fixed when it is
 * made. One process writes at a time, any number read meanwhile; each sees the last commit, whatever becomes
 * of the writer.
 *
 * The id of a document in a file is the file's path from the root on; of a record FILE:ID (or FILE:LINE), of
 * one inside an archive FILE!/MEMBER. Texts in memory, and records from standard input, have the ids they are
 * given.
 */
typedef struct stemma_collection stemma_collection;

/* What is kept, besides names, digests and sizes. What is not wanted is not built. */
enum {
    STEMMA_PART_MINIMA = 1,    /* resemblance: minima, found by bands */
    STEMMA_PART_SAMPLES = 2,   /* containment: Mod samples */
    STEMMA_PART_BITS = 4,      /* Hamming fingerprint, scanned */
    STEMMA_PART_GROUPS = 8,    /* its groups, found by lookup: algorithms G, H and multi-index hashing */
    STEMMA_PART_TEXT = 16,     /* canonical texts, compressed */
    STEMMA_PART_SIGNATURE = 32 /* edit-distance signatures, for when a document can no longer be read */
};

/* Start from stemma_collection_options_default(). */
typedef struct stemma_collection_options {
    size_t size; /* of this struct, as the caller knows it */
    /* of a new collection; one that is there has its own */
    unsigned parts;      /* STEMMA_PART_*: the default is minima, samples and bits */
    unsigned bits;       /* of the Hamming fingerprint (default 400), */
    unsigned group_bits; /* and of each of its groups (default 16) */
    const void *key;     /* of a keyed recipe: the secret, to open it */
    size_t key_size;
    /* of this opening */
    bool write;       /* else it is only read */
    bool wait;        /* while another process writes; else that is an error which names it */
    const char *user; /* what others are told who holds it, such as "stemma add"; NULL: "a program" */
    /* of a new collection */
    unsigned signature_symbols; /* of a signature at most: a power of two, 16 to 65536 (default 64) */
} stemma_collection_options;
STEMMA_API stemma_collection_options stemma_collection_options_default(void);

/* A new one, empty and open to be written. The folder must not exist, or be empty. recipe, options and limits
 * may be NULL: the defaults. Of the recipe the view counts. Errors: INVALID, UNREADABLE, NO_MEMORY, NO_SPACE,
 * IO. */
STEMMA_API stemma_status stemma_collection_create(const char *path, const stemma_recipe *recipe,
                                                  const stemma_collection_options *options,
                                                  const stemma_limits *limits, stemma_collection **out,
                                                  stemma_error *error);
/* Errors: NOT_FOUND, UNREADABLE, CORRUPT, LATER_VERSION; INVALID where it is no collection, or another
 * process writes; NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_open(const char *path, const stemma_collection_options *options,
                                                const stemma_limits *limits, stemma_collection **out,
                                                stemma_error *error);
/* Whether there is one in this folder, by what it begins with; it may be damaged all the same. */
STEMMA_API bool stemma_collection_exists(const char *path);
/* What was not committed is forgotten. */
STEMMA_API void stemma_collection_free(stemma_collection *collection);
/* Belongs to the collection. */
STEMMA_API const stemma_recipe *stemma_collection_recipe(const stemma_collection *collection);
/* A reader goes on to what was committed last. Errors: as of _open. */
STEMMA_API stemma_status stemma_collection_follow(stemma_collection *collection, stemma_error *error);

/* Start from stemma_add_options_default(). */
typedef struct stemma_add_options {
    size_t size;                        /* of this struct, as the caller knows it */
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    bool prune; /* what the collection has below the paths, and is no longer there, is removed, but for more
                   than a hundred documents that are more than half of those below a path: then it is likelier
                   that a disk is missing */
    bool prune_all; /* these, too */
} stemma_add_options;
STEMMA_API stemma_add_options stemma_add_options_default(void);

/* Documents, those inside files and records included. */
typedef struct stemma_add_summary {
    uint64_t added, replaced; /* what could not be read is a problem, and counted by no other number */
    uint64_t unchanged;       /* skipped: size and time are those they had, or at least the bytes */
    uint64_t removed;         /* by prune, and what files no longer hold */
    uint64_t problems;        /* could not be read, or not all of it, or was spared */
    uint64_t spared;          /* paths below which prune removed nothing, though files are gone */
    uint64_t repeated; /* files that were reached once more, and records whose id was: counted once; the last
                          record  of a data set with an id is the one that is kept */
    uint64_t bytes;    /* of what was added and replaced */
    double seconds;
} stemma_add_summary;

/* Adds files, folders, data sets and archives, as a scan reads them, in commits of what memory holds. What is
 * there unchanged is skipped, what has changed replaced. What cannot be read is a problem and no document;
 * its last version that could be read stays, and is tried again by the next _add. summary may be NULL.
 * Errors: INVALID (it is not open to be written), INTERRUPTED, NO_MEMORY, NO_SPACE, IO, CORRUPT; what was
 * committed by then stays. */
STEMMA_API stemma_status stemma_collection_add(stemma_collection *collection, const char *const *paths,
                                               size_t count, const stemma_add_options *options,
                                               stemma_add_summary *summary, stemma_error *error);
/* What could not be read by the last _add, or was spared, and why; in the order of names and lines.
 * NOT_FOUND: no more. Pointers stay until the next call. Errors: NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_get_problem(const stemma_collection *collection, uint64_t index,
                                                       stemma_scan_problem *problem, stemma_error *error);

/* A document in memory, or in place of the one with its id. It counts from the next commit on. Errors:
 * INVALID, UNREADABLE (what is no text has nothing to be found by, and is kept for its bytes alone),
 * NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_add_text(stemma_collection *collection, const char *id,
                                                    const void *data, size_t size, stemma_error *error);
/* From the next commit on it is gone; with the path of a file go all documents inside it, too. *removed (may
 * be NULL): how many. Errors: NOT_FOUND; else as above. */
STEMMA_API stemma_status stemma_collection_remove(stemma_collection *collection, const char *id,
                                                  uint64_t *removed, stemma_error *error);
/* All whose ids match a glob (in which * stands for / too); *removed of them. */
STEMMA_API stemma_status stemma_collection_remove_matching(stemma_collection *collection, const char *glob,
                                                           uint64_t *removed, stemma_error *error);
/* The same of several globs, with one look at each document; matched[i] (matched may be NULL): how many
 * globs[i] matches. */
STEMMA_API stemma_status stemma_collection_remove_matching_any(stemma_collection *collection,
                                                               const char *const *globs, size_t count,
                                                               uint64_t *matched, uint64_t *removed,
                                                               stemma_error *error);
/* All or nothing. When it fails the collection is as it was at the last commit. Errors: NO_MEMORY, NO_SPACE,
 * IO. */
STEMMA_API stemma_status stemma_collection_commit(stemma_collection *collection, stemma_error *error);

/* A stream: is there anything like this document? And from now on it is there. What is like it is looked for
 * among all documents before it, those not committed yet included; a commit is made every second or thousand
 * documents, when the next one comes, and by _commit. Start from stemma_see_options_default(). */
typedef struct stemma_see_options {
    size_t size;                 /* of this struct, as the caller knows it */
    double threshold, contained; /* as of stemma_query_options */
    bool dry;                    /* nothing is added; then the collection need not be open to be written */
} stemma_see_options;
STEMMA_API stemma_see_options stemma_see_options_default(void);

/* Pointers stay until the next call. */
typedef struct stemma_sighting {
    const char *id;           /* that the document has in the collection */
    const char *match;        /* the document most like it, which may be itself; NULL: it is new */
    stemma_relation relation; /* of it towards the match; unrelated where it is new, unknown where it has no
                               * text either: then only what has the same bytes is found */
    stemma_quantity resemblance, a_in_b, b_in_a; /* a: the document */
} stemma_sighting;
/* id NULL: the document is called by the digest of its bytes. Errors: UNREADABLE (a document whose text
 * cannot be had, with the cause), and as of _add_text and of _query. */
STEMMA_API stemma_status stemma_collection_see(stemma_collection *collection, const char *id,
                                               const void *data, size_t size,
                                               const stemma_see_options *options, stemma_sighting *sighting,
                                               stemma_error *error);
/* A file, as one document whatever it holds. Errors: also NOT_FOUND, UNSUPPORTED (too large). */
STEMMA_API stemma_status stemma_collection_see_file(stemma_collection *collection, const char *path,
                                                    const stemma_see_options *options,
                                                    stemma_sighting *sighting, stemma_error *error);

/* Pointers stay until `take` returns. */
typedef struct stemma_collection_document {
    const char *id;
    const char *source;  /* the file it is in, itself or inside; NULL: it was in memory */
    uint64_t number;     /* its own for ever; of a document that is replaced, the new one has another */
    uint64_t bytes;      /* as it is stored there */
    uint64_t text_bytes; /* of its canonical text */
    uint64_t shingles;   /* distinct ones: exact up to about a thousand, else within some percent */
    int64_t modified;    /* the file, in nanoseconds since 1970; 0: unknown */
    const char *form;    /* as of a scan */
    bool binary, empty, container; /* what it has no text for */
    bool unreadable; /* its text could not be had, by an older program: it goes with the next _add */
    bool outdated;   /* its file has changed since, and could not be read then */
} stemma_collection_document;
typedef stemma_status stemma_collection_take(void *context, const stemma_collection_document *document,
                                             stemma_error *error);
/* All documents that match the glob (NULL: all), in the order of the bytes of their ids. What `take` returns,
 * if it is not OK, ends it and is returned. Errors: CORRUPT, INTERRUPTED, NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_list(stemma_collection *collection, const char *glob,
                                                stemma_collection_take *take, void *context,
                                                stemma_error *error);

typedef struct stemma_collection_part {
    const char *name; /* "records", "minima", "bands", ... */
    uint64_t bytes;   /* on disk */
    bool index;       /* can be made again from the others */
} stemma_collection_part;

typedef struct stemma_collection_info {
    uint64_t documents;
    uint64_t datasets;     /* files whose records are documents, which are none themselves */
    uint64_t bytes;        /* of the collection on disk */
    uint64_t gone;         /* documents that are removed, and still take space */
    uint64_t segments;     /* files with documents */
    uint64_t segments_due; /* some of them, that are to become one at the next commit, or when nothing comes;
                              where it stays so, damage keeps them from it, which verify tells */
    uint64_t commit;       /* how many there were; */
    int64_t committed;     /* when the last one was, in nanoseconds since 1970 */
    unsigned parts, bits, group_bits;        /* STEMMA_PART_* that it keeps */
    const stemma_collection_part *part_list; /* belongs to the collection, until it is asked again */
    size_t part_count;
    const char *damage;         /* the first that shows without reading all of it, likewise; NULL: none does.
                                   stemma_collection_verify reads all */
    unsigned signature_symbols; /* of a signature at most; 0: none are kept */
    uint64_t without_bits;      /* texts that have no fingerprint, see stemma_collection_resize_bits */
} stemma_collection_info;
STEMMA_API stemma_status stemma_collection_get_info(stemma_collection *collection,
                                                    stemma_collection_info *info, stemma_error *error);

/* ---- asking: is there anything like this? ---------------------------------------------------- */

/* How candidates are found. What a collection does not keep cannot be asked. */
typedef enum stemma_via {
    STEMMA_VIA_AUTO = 0,    /* the cheapest that keeps the promises of stemma_collection_query; fingerprints,
                               where they are all that is kept */
    STEMMA_VIA_BANDS = 1,   /* resemblance alone, by looking up bands of minima */
    STEMMA_VIA_SAMPLES = 2, /* resemblance and containment, by looking up samples */
    STEMMA_VIA_SCAN = 3,    /* by reading minima and samples, or else the fingerprints, of all documents */
    STEMMA_VIA_G = 4,       /* resemblance alone, by Hamming fingerprints: algorithm G, */
    STEMMA_VIA_H = 5,       /* algorithm H, */
    STEMMA_VIA_MIH = 6      /* multi-index hashing */
} stemma_via;
/* "auto" and so on. */
STEMMA_API const char *stemma_via_name(stemma_via via);

/* What the numbers of a match were made from. */
typedef enum stemma_evidence {
    STEMMA_FROM_ORIGINAL = 0, /* the document, which is still what was added: exact */
    STEMMA_FROM_STORED = 1,   /* its text in the collection: exact */
    STEMMA_FROM_CHANGED = 2,  /* its sketches alone, since it has changed */
    STEMMA_FROM_GONE = 3      /* its sketches alone, since it can no longer be read */
} stemma_evidence;
/* "original", "stored", "changed", "gone". */
STEMMA_API const char *stemma_evidence_name(stemma_evidence evidence);

/* A document that was asked about. */
typedef struct stemma_question {
    const char *id;
    uint64_t place; /* in the order of input */
    uint64_t found; /* matches given of it */
    bool empty;     /* it has nothing to be judged by */
} stemma_question;

/* Start from stemma_query_options_default(). */
typedef struct stemma_query_options {
    size_t size;      /* of this struct, as the caller knows it */
    double threshold; /* matches have this resemblance: .7; up to 1, or 0: not asked for */
    double contained; /* or contain, or are contained in, the document to this share: .9; likewise */
    size_t top;       /* matches of a document at most: 10; 0: all. Above 1,024 they are sorted on disk */
    stemma_via via;
    bool edits;  /* also how far apart they are, and where they differ; of more than 1,024, the first 256 */
    bool family; /* also what is like a match, and what is like that, and so on */
    size_t family_most;                 /* documents of a family at most: 1000 */
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    /* What could not be read, after the matches were given; may be NULL. */
    void (*problem)(void *context, const stemma_scan_problem *problem);
    void *problem_context;
    /* Each document that was read, behind its matches, as `take` gets these; may be NULL. */
    void (*asked)(void *context, const stemma_question *question);
    void *asked_context;
} stemma_query_options;
STEMMA_API stemma_query_options stemma_query_options_default(void);

/* Where two documents differ, as far as signatures tell. */
typedef struct stemma_match_region {
    stemma_region about; /* characters of both canonical texts; bytes are not known */
    stemma_place a;      /* of the query: the difference lies within */
} stemma_match_region;

/* Pointers stay until `take` returns, which any thread may call, one at a time, while others go on reading.
 */
typedef struct stemma_match {
    const char
        *query;     /* id of the document asked about; of a family, of the one from which this was reached */
    uint64_t place; /* of the document asked about, in the order of input */
    uint64_t step;  /* 1: like the document itself; 2: like one of those, ... */
    const char *id; /* in the collection */
    uint64_t number;
    stemma_relation relation;                    /* of query towards id */
    stemma_quantity resemblance, a_in_b, b_in_a; /* a: query */
    stemma_evidence source;
    stemma_edit edit;
    const stemma_alignment *alignment; /* where they differ; NULL: not asked for, or not known */
    bool extracted[2];                 /* its places are in extracted text: of query, of id, */
    bool canonical[2]; /* or in the canonical text: a record of a data set, a text that is stored */
    /* Where there is no alignment, since one of the two can no longer be read, and signatures are kept. In
     * the order of place; a difference that touched no symbol is not seen. */
    const stemma_match_region *regions;
    size_t region_count;
    bool placed; /* the query could be read: places of a are known */
} stemma_match;
typedef stemma_status stemma_take_match(void *context, const stemma_match *match, stemma_error *error);

/* How the candidates of a document were found. */
typedef enum stemma_way {
    STEMMA_WAY_BANDS = 0,       /* by looking up bands, */
    STEMMA_WAY_ALL_MINIMA = 1,  /* by reading the minima of all documents: that is cheaper, or bands do not
                                   suffice; */
    STEMMA_WAY_SAMPLES = 2,     /* likewise what contains it, or is contained in it, by samples: looked up, */
    STEMMA_WAY_ALL_SAMPLES = 3, /* or read; */
    STEMMA_WAY_G = 4,           /* by fingerprints, and their groups, */
    STEMMA_WAY_H = 5,
    STEMMA_WAY_MIH = 6,
    STEMMA_WAY_ALL_BITS = 7 /* or by reading all of them */
} stemma_way;
#define STEMMA_WAYS 8

/* What was done, and what it cost. */
typedef struct stemma_query_summary {
    uint64_t documents;         /* that were read, */
    uint64_t without_text;      /* some of them empty; */
    uint64_t problems;          /* and that could not be read, or not all of them */
    uint64_t found;             /* matches given */
    uint64_t ways[STEMMA_WAYS]; /* documents whose candidates were found so, those of families included */
    unsigned bands, agree; /* by BANDS: looked up for a document, and minima that candidates have in common */
    unsigned scan_agree;   /* by ALL_MINIMA, likewise */
    uint64_t scanned;      /* rows of minima, samples or fingerprints that were read for all of that */
    uint64_t lookups, postings; /* keys asked for, numbers that came back */
    uint64_t common;            /* keys that so many documents have that they were left aside */
    uint64_t left_aside;        /* indexes that are damaged: answers came by other ways */
    uint64_t candidates, verified,
        unverified;        /* unverified: more candidates than `top` asks for, worse by their sketches */
    uint64_t families_cut; /* families that may be larger than family_most */
    double seconds_reading, seconds_finding, seconds_verifying; /* of all threads together */
    uint64_t unmeasured; /* with `edits`: matches that can no longer be read, and have no signature that would
                            tell how far away they are */
} stemma_query_summary;

/*
 * What the collection has that is like these documents: files, folders, data sets and archives, as a scan
 * reads them. Matches are given document after document in the order of input, best first, as soon as all
 * before them are known; what is known earlier is held, within bounds.
 *
 * Of the documents with resemblance t + .05 and more at least .999 are found, of those with t at least .99,
 * whatever t is; of those that contain or are contained in the document to a share c, .99 where the contained
 * one has a kilobyte or more, for c below .45 more: 5 kilobytes for .1, 10 for .05, 55 for .01. Numbers are
 * exact unless their source says otherwise; those that are not may be of documents below the thresholds.
 *
 * options and summary may be NULL. What `take` returns, if it is not OK, ends it and is returned. Errors:
 * INVALID, UNSUPPORTED (the collection does not keep what is asked), CORRUPT, INTERRUPTED, NO_MEMORY, IO.
 */
STEMMA_API stemma_status stemma_collection_query(stemma_collection *collection, const char *const *paths,
                                                 size_t count, const stemma_query_options *options,
                                                 stemma_take_match *take, void *context,
                                                 stemma_query_summary *summary, stemma_error *error);
/* The same of a document in memory. */
STEMMA_API stemma_status stemma_collection_query_text(stemma_collection *collection, const char *id,
                                                      const void *data, size_t size,
                                                      const stemma_query_options *options,
                                                      stemma_take_match *take, void *context,
                                                      stemma_query_summary *summary, stemma_error *error);

/* ---- keeping: checks, backups, collections of several machines ------------------------------- */

/* Start from stemma_verify_options_default(). */
typedef struct stemma_verify_options {
    size_t size;      /* of this struct, as the caller knows it */
    bool repair;      /* what is damaged is made again from what is sound, as one commit */
    bool wait;        /* repair: while another process writes; else that is an error which names it */
    const char *user; /* repair: what others are told who holds it */
    const void *key;  /* repair, of a keyed recipe: the secret, to make again what is damaged */
    size_t key_size;
} stemma_verify_options;
STEMMA_API stemma_verify_options stemma_verify_options_default(void);

typedef struct stemma_verify_summary {
    uint64_t files, bytes; /* read */
    uint64_t documents;    /* that count; after a repair those that are left */
    uint64_t damages;      /* places found */
    uint64_t lost;         /* documents that could not be repaired: each was told; add them again */
    bool repaired;
} stemma_verify_summary;

/* What is wrong, or was lost, in a sentence. */
typedef void stemma_take_finding(void *context, const char *text);

/* Reads every byte of a collection, and says what is damaged: that is no error. Without repair it is a
 * reader. With it sketches that are damaged are made again from stored texts, or from documents that are
 * still what was added. take and summary may be NULL. Errors: NOT_FOUND, LATER_VERSION, INTERRUPTED,
 * NO_MEMORY, NO_SPACE, IO; CORRUPT when so much is damaged that nothing can be read or repaired. */
STEMMA_API stemma_status stemma_collection_verify(const char *path, const stemma_verify_options *options,
                                                  const stemma_limits *limits, stemma_take_finding *take,
                                                  void *context, stemma_verify_summary *summary,
                                                  stemma_error *error);

/* What the collection is now, as a collection in a new folder; a writer goes on meanwhile. link: files get a
 * second name instead of a copy where that can be, which takes no space, and guards against mistakes but not
 * against a failing disk; they are not read. What is copied is checked. CORRUPT: the backup was made and is
 * kept, but is as damaged as the collection; the message names the first place. On any other failure nothing
 * is left. Errors: UNREADABLE, INTERRUPTED, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_backup(stemma_collection *collection, const char *path, bool link,
                                                  stemma_error *error);
/* All documents as one file, for another machine; path "-" is standard output. documents may be NULL. */
STEMMA_API stemma_status stemma_collection_export(stemma_collection *collection, const char *path,
                                                  uint64_t *documents, stemma_error *error);

typedef struct stemma_merge_summary {
    uint64_t documents, added, replaced, unchanged;
    /* of those that were added or replaced, where the other one does not keep what this one does: */
    uint64_t made; /* it was made again, from the document or its stored text; */
    uint64_t without_text, without_signature, without_bits; /* or they have none, since neither can be read */
    unsigned dropped;                       /* STEMMA_PART_* that only the other one keeps: left out */
    unsigned bits, bits_before, bits_given; /* of fingerprints: now, before, and those of the other one */
} stemma_merge_summary;

/* The documents of another collection, or of a file that _export wrote, into one that is open to be written,
 * as one commit (what was changed before is committed first). prefix: put before each id, as "server1:", so
 * that equal paths of several machines stay apart; NULL: none. A document whose id is there is replaced. The
 * collection goes on to keep what it does (see the summary); only where fingerprints of the other one have
 * fewer bits, its own are cut to as many, by the same commit. Errors: MISMATCH (the views differ,
 * or documents would lack minima or samples, and cannot be read), NOT_FOUND, CORRUPT, LATER_VERSION, INVALID,
 * INTERRUPTED, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_merge(stemma_collection *collection, const char *path,
                                                 const char *prefix, stemma_merge_summary *summary,
                                                 stemma_error *error);
/* A new collection, empty and open to be written, with view and parts of another one, or of a file that
 * _export wrote; "-" is standard input, which the first _merge of "-" then goes on to read. */
STEMMA_API stemma_status stemma_collection_create_like(const char *path, const char *model,
                                                       const stemma_collection_options *options,
                                                       const stemma_limits *limits, stemma_collection **out,
                                                       stemma_error *error);

/* ---- Hamming fingerprints: who differs in at most r_h bits? ---------------------------------- */

/* Start from stemma_hamming_options_default(). */
typedef struct stemma_hamming_options {
    size_t size;        /* of this struct, as the caller knows it */
    double resemblance; /* r = .7: the radius is r_h = floor(k (1 - r) / 2) of k bits */
    stemma_via
        via; /* AUTO, SCAN, G, H or MIH: all find the same. Where groups cannot decide a scan answers */
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    void (*problem)(void *context,
                    const stemma_scan_problem *problem); /* of each that could not be read; may be NULL */
    void *problem_context;
    /* Each document that was read, behind its matches, as `take` gets these; may be NULL. */
    void (*asked)(void *context, const stemma_question *question);
    void *asked_context;
} stemma_hamming_options;
STEMMA_API stemma_hamming_options stemma_hamming_options_default(void);

/* Pointers stay until `take` returns, which any thread may call, one at a time. */
typedef struct stemma_hamming_match {
    const char *query; /* id of the document asked about, */
    uint64_t place;    /* and its place in the order of input */
    const char *id;    /* in the collection */
    uint64_t number;
    unsigned distance;           /* bits that differ */
    stemma_quantity resemblance; /* as they say: 1 - 2 distance / k */
} stemma_hamming_match;
typedef stemma_status stemma_take_hamming_match(void *context, const stemma_hamming_match *match,
                                                stemma_error *error);

typedef struct stemma_hamming_summary {
    uint64_t documents, without_text, problems;
    uint64_t found;                /* matches given */
    unsigned bits, radius, groups; /* k, r_h, m */
    stemma_via used;               /* for the last document */
    uint64_t combinations;         /* of all documents: choices of groups that G tried, */
    uint64_t searches, postings;   /* keys looked up, entries of their lists gone through, */
    uint64_t candidates;           /* documents that the groups left, */
    uint64_t distances;            /* and that were held against the document */
    double seconds;                /* of finding them, of all threads together */
    double seconds_reading;        /* likewise of reading documents */
    uint64_t without_bits; /* texts in the collection that have no fingerprint, and cannot be found by it */
} stemma_hamming_summary;

/* Fingerprints get another number of bits, a multiple of 8 up to 4096: no other part is written again. Fewer
 * are cut from those that are kept; for more every document is read again, from where it lies or from its
 * stored text. Those that cannot be read are told to `problem` (may be NULL), and have no fingerprint until
 * they are added again: everything else finds them as before. It is a commit of its own, with what was not
 * committed before; where documents lose their fingerprints, these are a commit before it. Errors: INVALID
 * (it is not open to be written, no such number), UNREADABLE (more than half of the documents cannot be read:
 * nothing was changed), UNSUPPORTED (no fingerprints are kept), INTERRUPTED, NO_MEMORY, NO_SPACE, IO,
 * CORRUPT. */
STEMMA_API stemma_status stemma_collection_resize_bits(stemma_collection *collection, unsigned bits,
                                                       void (*problem)(void *context,
                                                                       const stemma_scan_problem *problem),
                                                       void *context, stemma_error *error);

/* The bare range query on fingerprints: nothing is verified, so that there are matches which resemble the
 * document less, and documents which do are missed; how many says the number of bits. Nearest first, document
 * after document. options and summary may be NULL. Errors: INVALID (also when G would take too long, with its
 * cost), UNSUPPORTED (no fingerprints are kept), CORRUPT, INTERRUPTED, NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_hamming(stemma_collection *collection, const char *const *paths,
                                                   size_t count, const stemma_hamming_options *options,
                                                   stemma_take_hamming_match *take, void *context,
                                                   stemma_hamming_summary *summary, stemma_error *error);
/* The same of a document in memory. */
STEMMA_API stemma_status stemma_collection_hamming_text(stemma_collection *collection, const char *id,
                                                        const void *data, size_t size,
                                                        const stemma_hamming_options *options,
                                                        stemma_take_hamming_match *take, void *context,
                                                        stemma_hamming_summary *summary, stemma_error *error);

/* ---- known files: which of these are versions of known ones? --------------------------------- */

/* What makes documents of the collection versions of one file, which share one signature. */
typedef enum stemma_versions {
    STEMMA_VERSIONS_NAME = 0,   /* the same file name, wherever it lies */
    STEMMA_VERSIONS_FOLDER = 1, /* they lie in the same folder */
    STEMMA_VERSIONS_EACH = 2    /* nothing: each document is a file of its own */
} stemma_versions;

typedef enum stemma_verdict {
    STEMMA_KNOWN = 0,
    STEMMA_NOT_KNOWN = 1,
    STEMMA_TOO_SHORT = 2, /* too few samples to tell */
    STEMMA_NO_TEXT = 3 /* empty; or binary, where the collection is of texts and has not the same bytes: make
                          it with preset=raw */
} stemma_verdict;
/* "known", "unknown", "too-short", "no-text". */
STEMMA_API const char *stemma_verdict_name(stemma_verdict verdict);

/* Start from stemma_known_options_default(). */
typedef struct stemma_known_options {
    size_t size;      /* of this struct, as the caller knows it */
    double contained; /* known are files of which this share is in the signature of a known one: .5 */
    stemma_versions versions;
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    void (*problem)(void *context,
                    const stemma_scan_problem *problem); /* of each that could not be read; may be NULL */
    void *problem_context;
} stemma_known_options;
STEMMA_API stemma_known_options stemma_known_options_default(void);

/* Pointers stay until `take` returns, which any thread may call, one at a time. */
typedef struct stemma_known_file {
    const char *file;
    uint64_t place; /* in the order of input */
    stemma_verdict verdict;
    const char *name;            /* of the known file that has most of it; NULL: none has anything */
    uint64_t versions;           /* of it with something in common */
    uint64_t samples;            /* of the file */
    stemma_quantity containment; /* share of them in the signature, which all versions have together */
    const char *best;            /* id of the version that has most, */
    stemma_quantity best_containment;
    bool identical;   /* and the same bytes: then it is known, whatever else */
    stemma_edit edit; /* how far it is from the best, where signatures are kept */
} stemma_known_file;
typedef stemma_status stemma_take_known_file(void *context, const stemma_known_file *file,
                                             stemma_error *error);

typedef struct stemma_known_summary {
    uint64_t files, known, too_short, without_text, problems;
} stemma_known_summary;

/* Whether files, binaries too, are versions of what the collection has, by samples of both: a file that was
 * put together from two versions is known as well. For this, collections are best made with preset=raw
 * unit=byte window=20. One answer a file, in the order of input. options and summary may be NULL. Errors:
 * INVALID, UNSUPPORTED (no samples are kept), CORRUPT, INTERRUPTED, NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_known(stemma_collection *collection, const char *const *paths,
                                                 size_t count, const stemma_known_options *options,
                                                 stemma_take_known_file *take, void *context,
                                                 stemma_known_summary *summary, stemma_error *error);
/* The same of one in memory. */
STEMMA_API stemma_status stemma_collection_known_text(stemma_collection *collection, const char *id,
                                                      const void *data, size_t size,
                                                      const stemma_known_options *options,
                                                      stemma_take_known_file *take, void *context,
                                                      stemma_known_summary *summary, stemma_error *error);

#ifdef __cplusplus
}
#endif

#endif

/*
 * scan.h - all near-duplicates in a pile of documents, and which was made from which.
 */
#ifndef STEMMA_SCAN_H
#define STEMMA_SCAN_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- all near-duplicates in a pile ----------------------------------------------------------- */

/*
 * Point it at folders and data sets; get the groups of near-duplicates, and how each member relates to the
 * one that is kept.
 *
 * Documents with the same bytes, then with the same canonical text, are one class. Candidates are found by
 * sketches: of the pairs of classes with resemblance t + .05 and more at least .999, of those with t at least
 * .99, for any t from .3. Every candidate is verified on full shingle sets, so every number is exact and
 * every reported pair is a true one. Neither threads nor memory nor the order of files in folders change the
 * result.
 */
typedef struct stemma_scan stemma_scan;

/* Which document of a group is kept; ties by longer text, then by id. FIRST: in the order of input. */
typedef enum stemma_keep {
    STEMMA_KEEP_LONGEST = 0,
    STEMMA_KEEP_NEWEST = 1,
    STEMMA_KEEP_OLDEST = 2,
    STEMMA_KEEP_FIRST = 3,
    STEMMA_KEEP_SHORTEST_PATH = 4
} stemma_keep;

/* How pairs become groups. */
typedef enum stemma_grouping {
    STEMMA_GROUP_STARS = 0, /* in keep order, a document not yet taken is kept, and takes all that resemble it
                             * or are contained in it */
    STEMMA_GROUP_COMPONENTS = 1, /* whatever is linked by a chain of such pairs */
    STEMMA_GROUP_FIRST =
        2, /* Broder's greedy clustering: each joins the group whose first member it resembles most */
    STEMMA_GROUP_POPULAR = 3 /* the same, a group being represented by its most popular fingerprints */
} stemma_grouping;

/* How far a scan has come. Totals are 0 while they are not known. */
typedef struct stemma_scan_progress {
    const char *stage; /* "listing", "reading", "matching", "verifying" */
    uint64_t documents, documents_total;
    uint64_t bytes, bytes_total;
} stemma_scan_progress;

/* Start from stemma_scan_options_default(). */
typedef struct stemma_scan_options {
    size_t size;      /* of this struct, as the caller knows it */
    double threshold; /* near-duplicate from this resemblance, .3 to 1 */
    double contained; /* contained from this containment, .5 to 1; 0: it is not looked for */
    stemma_keep keep;
    stemma_grouping group;
    bool pairs;         /* stemma_scan_pairs will be asked */
    bool boilerplate;   /* stemma_scan_boilerplate will be asked */
    bool tree;          /* stemma_scan_get_tree will be asked */
    bool dates;         /* of trees: when files were modified tells which of two documents is older */
    const char *filter; /* where stemma_scan_filter will write: what it would refuse is refused before
                           anything is read; NULL: it will not be asked */
    uint32_t cap; /* what more classes share than this links each only to the first few of them; 0: 256 */
    /* input */
    const char *const *include, *const *exclude; /* globs, as in an ignore file */
    size_t include_count, exclude_count;
    bool hidden, follow_links, no_ignore_files;
    const char *omit; /* a folder that is left out with all below it, wherever it is met; it need not exist.
                         Collections are left out in any case */
    uint64_t least_bytes, most_bytes; /* of a file, or of the text of a record; 0: no limit */
    const char *text_field,
        *id_field;    /* of data sets; NULL: "text"; "id" where there is one, else file and line */
    bool no_archives; /* files that hold documents (archives, mail with attachments, mailboxes, crawls) are
                         not looked into */
    uint64_t most_unpacked; /* bytes that such a file may unpack to; 0: as the limits say */
    unsigned threads;       /* 0: one a processor */
    void (*progress)(void *context,
                     const stemma_scan_progress *progress); /* by any thread, one at a time; may be NULL */
    void *progress_context;
    const char *cache; /* a collection in which scans remember files, what is inside them and what was
                          compared, made when it is not there; NULL: none. Files that it has, with the size
                          and time they have, are not read, unless they have to be compared anew; what is
                          found is the same. While it runs nobody else writes there. Where it is damaged,
                          another process writes there or the disk is full, the scan does without it */
} stemma_scan_options;

STEMMA_API stemma_scan_options stemma_scan_options_default(void);

/* Only the view of the recipe counts. Recipe, options and limits may be NULL: the defaults. What options and
 * limits point to must stay until the scan is freed. Errors: INVALID, NO_MEMORY. */
STEMMA_API stemma_status stemma_scan_new(const stemma_recipe *recipe, const stemma_scan_options *options,
                                         const stemma_limits *limits, stemma_scan **out, stemma_error *error);
STEMMA_API void stemma_scan_free(stemma_scan *scan);

/* A folder, a file, or a data set (by its name: .jsonl .ndjson .csv .tsv, also with .gz .zst .bz2 .xz; "-":
 * JSON lines, or a table, on standard input). It is looked at by _run. Errors, also of the next: INVALID (the
 * scan has begun), NO_MEMORY. */
STEMMA_API stemma_status stemma_scan_add_path(stemma_scan *scan, const char *path, stemma_error *error);
/* A document in memory, which must stay until the scan is freed; the id is copied. */
STEMMA_API stemma_status stemma_scan_add_text(stemma_scan *scan, const char *id, const void *data,
                                              size_t size, stemma_error *error);
/* Once; what is asked below comes after it. What cannot be read is a problem of that document, not of the
 * scan. Errors: INTERRUPTED, NO_MEMORY, NO_SPACE, IO; INVALID when the data sets cannot be filtered as
 * options.filter asks. */
STEMMA_API stemma_status stemma_scan_run(stemma_scan *scan, stemma_error *error);

typedef struct stemma_scan_summary {
    uint64_t documents, bytes; /* read; bytes of the documents as they are stored */
    uint64_t text_bytes;       /* canonical text */
    uint64_t empty;            /* without text: never in a group */
    uint64_t binary;           /* not text: compared by their bytes alone */
    uint64_t containers;       /* archives, mailboxes, crawls: likewise, and looked into */
    uint64_t contained;        /* documents in them, and attachments of mail */
    uint64_t problems;         /* could not be read: documents, records, data sets; and `damaged` */
    uint64_t repeated; /* files that were reached once more, by the same or another name: counted once */
    uint64_t classes;  /* different texts */
    uint64_t groups, redundant, redundant_bytes; /* redundant: members of groups that could go */
    uint64_t candidates, verified; /* pairs of classes; with little memory some are verified twice */
    uint64_t resident_bytes;       /* kept in memory for all documents */
    uint64_t cached_bytes;         /* texts kept besides, within the limits */
    uint64_t spilled_bytes;        /* written to temporary files */
    double seconds, seconds_reading, seconds_matching, seconds_verifying;
    uint64_t passed_over; /* in folders: links that are not followed, pipes, sockets, devices */
    uint64_t namesakes;   /* records that have the name of another in their data set */
    uint64_t crowded; /* classes that share something with more than options.cap: stemma_scan_pairs may lack
                         some of their pairs, of which groups need none */
    uint64_t damaged; /* documents that take part, but may lack text: of a PDF that had to be repaired, say */
} stemma_scan_summary;
STEMMA_API stemma_scan_summary stemma_scan_get_summary(const stemma_scan *scan);
/* Why the scan did without its cache, or without it from some point on; NULL: it did not. */
STEMMA_API const char *stemma_scan_get_cache_trouble(const stemma_scan *scan);

/* Documents are numbered from 0 in the order of input: texts in memory, then paths as they were added
 * (folders in the order of their names' bytes). Pointers belong to the scan. One that is not there has the id
 * "". */
typedef struct stemma_scan_document {
    const char *id;     /* path, id of the record, FILE:LINE or FILE!/MEMBER; may hold any byte but NUL. Of
                         * records unique with source and offset */
    const char *source; /* the data set it is a record of, else NULL */
    const char
        *container;   /* the file it is inside of, else NULL: an archive, a mail, ...; it is no file itself */
    uint64_t offset;  /* of the record in it, unpacked */
    uint64_t bytes;   /* of the file, or of the text of the record */
    int64_t modified; /* the file or data set, in nanoseconds since 1970; 0 for a text in memory */
    bool has_owner;   /* a file or data set that was named by a path */
    uint32_t owner;   /* user id */
    const char *form; /* as what it was read: "text", "html", "markdown", "xml", "rtf", "pdf", "docx", "xlsx",
                       * "pptx", "odt", "ods", "odp", "epub"; of what has no text "text" or "encrypted" */
} stemma_scan_document;
STEMMA_API stemma_scan_document stemma_scan_get_document(const stemma_scan *scan, uint64_t number);

/* Relation and numbers are said of the member towards the kept one; exact. */
typedef struct stemma_scan_member {
    uint64_t document;
    stemma_relation relation; /* identical, same-text, near-duplicate, contained; with other groupings than
                                 stars also related */
    double resemblance;
    double contained; /* share of the member found in the kept one */
    double contains;  /* share of the kept one found in the member */
    uint64_t parent;  /* the document it is compared with: the kept one */
    bool redundant; /* it could go. Not what is inside another file; what holds other documents only if a file
                       of the same bytes stays */
} stemma_scan_member;

/* Largest saving first; index below the summary's groups, else NOT_FOUND. The members belong to the scan. */
typedef struct stemma_scan_group {
    uint64_t kept;
    const stemma_scan_member *members; /* without the kept one; in keep order */
    size_t member_count;
    uint64_t redundant_bytes;
} stemma_scan_group;
STEMMA_API stemma_status stemma_scan_get_group(const stemma_scan *scan, uint64_t index,
                                               stemma_scan_group *group, stemma_error *error);

/* Every pair of classes above a threshold, each class by its first document in keep order, a before b; but
 * for those that options.cap leaves out (see the summary's `crowded`). They are verified as they are given.
 * What `take` returns, if it is not OK, ends it and is returned. Errors: INVALID (the options did not say
 * `pairs`), INTERRUPTED, NO_MEMORY, IO. */
typedef struct stemma_scan_pair {
    uint64_t a, b;
    stemma_relation relation; /* of a towards b: near-duplicate, contained, contains */
    double resemblance, a_in_b, b_in_a;
    uint64_t a_shingles, b_shingles, common;
} stemma_scan_pair;
typedef stemma_status stemma_scan_take_pair(void *context, const stemma_scan_pair *pair, stemma_error *error);
STEMMA_API stemma_status stemma_scan_pairs(stemma_scan *scan, stemma_scan_take_pair *take, void *context,
                                           stemma_error *error);
/* The documents with the same text as this one, itself included, in keep order; NULL when there is no such
 * document, or no memory. Belongs to the scan, and stays until the next call. */
STEMMA_API const uint64_t *stemma_scan_copies(stemma_scan *scan, uint64_t document, size_t *count);
/* Whether two documents are identical, byte for byte, and read alike (.md and .txt are not). */
STEMMA_API bool stemma_scan_same_bytes(const stemma_scan *scan, uint64_t a, uint64_t b);

/* Passages that many documents share. */
typedef struct stemma_scan_passage {
    const char *text; /* as it stands in the example */
    size_t size;
    uint64_t documents; /* of up to 1 MB, that hold all of it */
    uint64_t tokens;
    uint64_t example; /* a document, */
    uint64_t offset;  /* and the byte of its text where the passage begins */
} stemma_scan_passage;
typedef stemma_status stemma_scan_take_passage(void *context, const stemma_scan_passage *passage,
                                               stemma_error *error);
/* Most text saved first; at most `most`; shared by at least `least` classes (0: 1 % of them, and 3). A
 * passage stays until `take` returns. Errors: as of stemma_scan_pairs; INVALID when the options did not say
 * `boilerplate`. */
STEMMA_API stemma_status stemma_scan_boilerplate(stemma_scan *scan, uint64_t least, size_t most,
                                                 stemma_scan_take_passage *take, void *context,
                                                 stemma_error *error);

/* The text of a document as it stands there, what is extracted from it in UTF-8 (as `stemma text --extracted`
 * prints it); its canonical text (*canonical, which may be NULL) where an archive or a compressed data set
 * would have to be gone through again. Read again, and sure to be what was compared. Belongs to the scan, and
 * stays until the next call. Errors: NOT_FOUND, UNSUPPORTED (it has no text, or is too large to be held),
 * UNREADABLE, CORRUPT (it has changed meanwhile), NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_scan_get_text(stemma_scan *scan, uint64_t document, const char **text,
                                              size_t *size, bool *canonical, stemma_error *error);

/* What could not be read, or not all of it, and why; in the order of names and lines. index below the
 * summary's problems, else NOT_FOUND. Pointers belong to the scan. */
typedef struct stemma_scan_problem {
    const char *name;
    uint64_t line;        /* of a data set; 0: all of it */
    stemma_status status; /* OK: the document is used, but may lack text */
    const char *cause;
} stemma_scan_problem;
STEMMA_API stemma_status stemma_scan_get_problem(const stemma_scan *scan, uint64_t index,
                                                 stemma_scan_problem *problem, stemma_error *error);

/* Writes the data sets without their redundant records, order kept, to one file of the same kind (compressed
 * by its name); it appears when it is complete. "-" is standard output. kept (records written) may be NULL.
 * Errors: INVALID when the scan was not of data sets of one kind, or the name is of another kind; UNREADABLE
 * when one has changed meanwhile; UNSUPPORTED (a record that is too long to be held); INTERRUPTED, NO_MEMORY,
 * NO_SPACE, IO. */
STEMMA_API stemma_status stemma_scan_filter(stemma_scan *scan, const char *path, uint64_t *kept,
                                            stemma_error *error);

/* ---- the family tree of a group -------------------------------------------------------------- */

/* What became of the parent, to make this document. */
typedef enum stemma_derivation {
    STEMMA_DERIVATION_ROOT = 0,     /* nothing: the oldest that is there */
    STEMMA_DERIVATION_SAME = 1,     /* the same text once more */
    STEMMA_DERIVATION_ADDED = 2,    /* text was added, next to nothing was taken away */
    STEMMA_DERIVATION_REMOVED = 3,  /* the other way round */
    STEMMA_DERIVATION_REVISED = 4,  /* both */
    STEMMA_DERIVATION_MOVED = 5,    /* passages were moved, little else */
    STEMMA_DERIVATION_EXCERPT = 6,  /* what is left is at most half of the parent */
    STEMMA_DERIVATION_EXTENDED = 7, /* the parent is at most half of it */
    STEMMA_DERIVATION_COMBINED = 8, /* text of a second parent was taken in */
    STEMMA_DERIVATION_REPLACED = 9  /* less than half of the shorter is in the other: hardly a version */
} stemma_derivation;
STEMMA_API const char *stemma_derivation_name(stemma_derivation derivation); /* "added" */

#define STEMMA_NO_PARENT SIZE_MAX

typedef struct stemma_tree_node {
    uint64_t document;
    size_t parent;          /* place in the tree; STEMMA_NO_PARENT: the root */
    stemma_derivation kind; /* the rest is said of the way from the parent: */
    uint64_t added,
        removed;       /* tokens of this document that the parent lacks, and the other way round; exact in the
                        * sense that they lead from the one to the other, the fewest wherever few do */
    uint64_t moved;    /* of both: tokens that stand elsewhere in the other */
    uint64_t changes;  /* places where the two differ */
    double confidence; /* chance that the two are neighbours in the history, */
    double direction;  /* and that the parent is the older of the two, if they are */
    size_t second;     /* where text that the parent lacks was also found; STEMMA_NO_PARENT: nowhere */
    double second_share; /* of this document: what the second parent has and the first has not */
} stemma_tree_node;

/* Nodes are the group's documents: the kept one, then the members in their order. One of them is the root.
 * The nodes belong to the scan. */
typedef struct stemma_tree {
    const stemma_tree_node *nodes;
    size_t count;
    size_t root;
} stemma_tree;

/* Index as of stemma_scan_get_group. Errors: NOT_FOUND; INVALID when the options did not say `tree`. */
STEMMA_API stemma_status stemma_scan_get_tree(const stemma_scan *scan, uint64_t index, stemma_tree *tree,
                                              stemma_error *error);

#ifdef __cplusplus
}
#endif

#endif

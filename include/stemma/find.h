/*
 * find.h - one against much: fragments of a target in large files, one signature against many.
 */
#ifndef STEMMA_FIND_H
#define STEMMA_FIND_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fragments: a target in large files ------------------------------------------------------ */

/* Targets that are looked for in other files, which may be of any size. A *fragment* is a stretch of a file
 * that is a stretch of a target, token by token, under the recipe's view (of which folds, unit and window
 * count): wherever it was cut out, and however it was wrapped, spaced and cased, where the view folds that.
 * Immutable: may be shared by threads. */
typedef struct stemma_finder stemma_finder;

/* A document that is looked for: a file, or bytes when path is NULL. */
typedef struct stemma_target {
    const char *path; /* "-" is standard input; its text is looked for, whatever its format */
    const void *data;
    size_t data_size;
} stemma_target;

/* Start from stemma_find_options_default(); where options may be NULL, that is meant. */
typedef struct stemma_find_options {
    size_t size;    /* of this struct, as the caller knows it */
    uint64_t least; /* tokens of a fragment worth mentioning; 0: 8 words, 32 bytes or characters, a window of
                     * lines. Never less than a window; a target that is shorter is found when all of it is
                     * there */
    uint64_t block; /* bytes of the blocks that are reported: 64 KiB */
    bool thorough;  /* nothing is left to chance also where a finder would sample (`modulus`): slower then */
    size_t most;    /* fragments, and blocks, kept of one file; more are only counted: 100,000 */
    void (*progress)(void *context,
                     uint64_t bytes); /* called by the searching threads after so many more bytes, or NULL */
    void *progress_context;
    uint64_t most_unpacked; /* bytes that a file with documents inside may unpack to; 0: as the limits say */
} stemma_find_options;

STEMMA_API stemma_find_options stemma_find_options_default(void);

/* Errors: INVALID, UNSUPPORTED (a target with less text than a window, or more than the memory allows),
 * NOT_FOUND, UNREADABLE, IO, INTERRUPTED, NO_MEMORY. */
STEMMA_API stemma_status stemma_finder_new(const stemma_target *targets, size_t count,
                                           const stemma_recipe *recipe, const stemma_find_options *options,
                                           const stemma_limits *limits, stemma_finder **out,
                                           stemma_error *error);
STEMMA_API void stemma_finder_free(stemma_finder *finder);

typedef struct stemma_finder_info {
    size_t targets;
    uint64_t tokens, windows; /* of the targets; windows: distinct ones */
    uint64_t least;
    uint64_t modulus; /* 1: every fragment is found. Fragments that may be very short, or of raw words and
                       * lines: 1 of so many windows is looked at in the fast scan */
    uint64_t sure; /* a fragment of so many tokens, with windows that are all different, is missed less than
                    * once in a million times */
} stemma_finder_info;

STEMMA_API stemma_finder_info stemma_finder_get_info(const stemma_finder *finder);

/* In the order of their place; they may overlap by less than a window. */
typedef struct stemma_fragment {
    uint64_t begin, end;               /* bytes of the file */
    uint64_t first_line, last_line;    /* of the file, counted from 1 */
    size_t target;                     /* its place in the list of targets */
    uint64_t target_begin, target_end; /* bytes of the target, or of its text */
    uint64_t tokens;
} stemma_fragment;

/* A block of the file that holds something. */
typedef struct stemma_block {
    uint64_t begin, end; /* bytes of the file */
    uint64_t fragments;  /* that reach into it */
    uint64_t covered;    /* bytes of the block in fragments */
    uint64_t tokens;     /* of the targets, each counted once, that begin in the block */
    double target_share; /* the same, of all tokens of the targets */
} stemma_block;

typedef struct stemma_find_summary {
    uint64_t bytes;        /* of the file */
    uint64_t fragments;    /* all, also those not kept */
    uint64_t blocks;       /* likewise */
    uint64_t covered;      /* bytes of the file in fragments */
    uint64_t longest;      /* tokens of the longest fragment */
    uint64_t tokens_found; /* of the targets, each counted once */
    double share;          /* the same, of all tokens of the targets */
} stemma_find_summary;

/* What was found in one file. Belongs to the caller; the finder must outlive it. */
typedef struct stemma_findings stemma_findings;

/* The bytes of the file as they are. "-" is standard input. Memory does not depend on the size of the file.
 * Errors: INVALID, NOT_FOUND, UNREADABLE, IO, INTERRUPTED, NO_MEMORY. That nothing was found is no error. */
STEMMA_API stemma_status stemma_find_file(const stemma_finder *finder, const char *path,
                                          const stemma_limits *limits, stemma_findings **out,
                                          stemma_error *error);
STEMMA_API stemma_status stemma_find_bytes(const stemma_finder *finder, const void *data, size_t size,
                                           const stemma_limits *limits, stemma_findings **out,
                                           stemma_error *error);

/* A document that was searched. */
typedef struct stemma_found {
    const char *id;                  /* the file, or FILE!/MEMBER */
    const stemma_findings *findings; /* which may be none */
    bool extracted;                  /* places are those of its text, not of its bytes */
    const char *text;                /* what was searched, where that was held in memory; else NULL */
    size_t text_size;
} stemma_found;

/* All of it is valid until the call returns. False: that was enough. */
typedef bool stemma_take_found(void *context, const stemma_found *found);

/* As stemma_find_file, of a file that is read as a scan reads it: its text where it is HTML, PDF or another
 * format, and in another encoding than UTF-8; with `inside` also the documents in an archive, mail, mailbox
 * or crawl that is no pipe, each by itself. FILE!/MEMBER is that document alone. Under a recipe that takes
 * bytes as they are, its bytes. Memory is needed for what is converted. problem, which may be NULL, is told
 * of documents inside that cannot be read, and with the status OK of those that may lack text. Further
 * errors: CORRUPT, UNSUPPORTED. */
STEMMA_API stemma_status stemma_find_documents(const stemma_finder *finder, const char *path, bool inside,
                                               const stemma_limits *limits, stemma_take_found *take,
                                               void (*problem)(void *context, const char *id,
                                                               const stemma_error *cause),
                                               void *context, stemma_error *error);
STEMMA_API stemma_find_summary stemma_findings_summary(const stemma_findings *findings);
STEMMA_API const stemma_fragment *stemma_findings_fragments(const stemma_findings *findings, size_t *count);
STEMMA_API const stemma_block *stemma_findings_blocks(const stemma_findings *findings, size_t *count);
/* How much of one target was found, 0 to 1; 0 for a target that there is not. */
STEMMA_API double stemma_findings_share(const stemma_findings *findings, size_t target);
STEMMA_API void stemma_findings_free(stemma_findings *findings);

/* ---- one signature against many -------------------------------------------------------------- */

/* Signatures of many documents in memory, laid out for searching: 76 bytes and 2 for each symbol, up to twice
 * that where room for more was made. Several threads may search them at a time, while none adds. */
typedef struct stemma_signatures stemma_signatures;

/* For the recipe's part `part` (counted from 0), a signature or signature2011.
 * Errors: INVALID, NOT_FOUND (no such part), UNSUPPORTED (it is no signature), NO_MEMORY. */
STEMMA_API stemma_status stemma_signatures_new(const stemma_recipe *recipe, size_t part,
                                               stemma_signatures **out, stemma_error *error);

/* Add a sketch's signature, which is copied; its index is how many were added before. A finer signature is
 * made as coarse as the others. Errors: INVALID, MISMATCH (other views, no signature that is fine enough),
 * NO_MEMORY. */
STEMMA_API stemma_status stemma_signatures_add(stemma_signatures *signatures, const stemma_sketch *sketch,
                                               stemma_error *error);
STEMMA_API void stemma_signatures_free(stemma_signatures *signatures);
STEMMA_API size_t stemma_signatures_count(const stemma_signatures *signatures);

typedef struct stemma_near {
    size_t index;
    uint64_t distance; /* edits between the signatures, in symbols */
} stemma_near;

/* All signatures at most `at_most` symbols away from the query's, by ascending index: exactly those, none is
 * missed. *out is to be released with stemma_near_free; *count may be 0. limits may be NULL. Errors: those of
 * adding, INTERRUPTED. */
STEMMA_API stemma_status stemma_signatures_search(const stemma_signatures *signatures,
                                                  const stemma_sketch *query, uint64_t at_most,
                                                  const stemma_limits *limits, stemma_near **out,
                                                  size_t *count, stemma_error *error);
STEMMA_API void stemma_near_free(stemma_near *found);

/* How far apart signatures can be when `edits` edits lead from one text to the other (characters of the
 * canonical text): searching for no less loses nothing. It is the worst case, 2n symbols an edit (n + 3 for
 * signature2011), and far above what happens: about n / C an edit. Whoever can bear to lose a few searches
 * for less. */
STEMMA_API uint64_t stemma_signatures_bound(const stemma_signatures *signatures, uint64_t edits);

#ifdef __cplusplus
}
#endif

#endif

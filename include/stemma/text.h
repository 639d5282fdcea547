/*
 * text.h - the text of a document: where two of them agree and differ, and how far apart they are.
 */
#ifndef STEMMA_TEXT_H
#define STEMMA_TEXT_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the canonical text ---------------------------------------------------------------------- */

/* A document's canonical text under a recipe's view, with the way back to the original bytes. */
typedef struct stemma_text stemma_text;

/* All of it is held in memory: a document larger than the limits allow is refused, with UNSUPPORTED. path: a
 * file, or one document of it by the name that a scan gives it: FILE!/MEMBER, or of a record FILE:ID. */
STEMMA_API stemma_status stemma_text_file(const char *path, const stemma_recipe *recipe,
                                          const stemma_limits *limits, stemma_text **out,
                                          stemma_error *error);
STEMMA_API stemma_status stemma_text_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                           const stemma_limits *limits, stemma_text **out,
                                           stemma_error *error);
/* The texts of all documents that a file holds, one after the other: of an archive, a mailbox or a crawl, and
 * of a data set if its first records have texts or limits.text_field says where they are; else of the file
 * itself, as of a mail. "-" is standard input: a pipe, which cannot be looked at first, is one text or an
 * archive. FILE!/MEMBER and FILE:ID are that document, or what it holds. id is NULL where the
 * text is that of `path`; all is valid until `take` returns. What that returns, if it is not OK, ends it.
 * problem, which may be NULL, is told of what cannot be read inside. Errors: as of stemma_text_file. */
typedef stemma_status stemma_take_text(void *context, const char *id, const stemma_text *text,
                                       stemma_error *error);
STEMMA_API stemma_status stemma_text_each(const char *path, const stemma_recipe *recipe,
                                          const stemma_limits *limits, stemma_take_text *take,
                                          void (*problem)(void *context, const char *id,
                                                          const stemma_error *cause),
                                          void *context, stemma_error *error);
STEMMA_API const char *stemma_text_data(const stemma_text *text, size_t *size);
STEMMA_API size_t stemma_text_token_count(const stemma_text *text);
/* A token: its place in the canonical text, and the bytes of the source it came from. */
typedef struct stemma_token {
    size_t begin, end;
    uint64_t source_begin, source_end;
} stemma_token;
STEMMA_API stemma_status stemma_text_token(const stemma_text *text, size_t index, stemma_token *out,
                                           stemma_error *error);
/* What the canonical text was made of, which source offsets and lines are of: the original as it was given or
 * read; or the text extracted from it, in UTF-8, where it has another format or encoding, or a byte order
 * mark. Belongs to the text. */
STEMMA_API const char *stemma_text_source(const stemma_text *text, size_t *size);
/* Whether that is extracted text, and no original. */
STEMMA_API bool stemma_text_is_extracted(const stemma_text *text);
/* Whether the document is a picture, a program or the like, which has no text: the source is its bytes, and
 * there are no tokens; or a book, say, of pages that are pictures. Never under a recipe that takes bytes as
 * they are. */
STEMMA_API bool stemma_text_is_binary(const stemma_text *text);
/* Whether two were made of the same bytes, whatever was extracted from them. */
STEMMA_API bool stemma_text_same_original(const stemma_text *a, const stemma_text *b);
/* The line of the original that a byte stands in, counted from 1; a line ends with LF. */
STEMMA_API uint64_t stemma_text_line(const stemma_text *text, uint64_t source_offset);
/* The document that a text was made of, with all its fingerprints, without reading it again. Errors: as of
 * stemma_document_bytes; MISMATCH when the recipe folds otherwise than the one that the text was made by. */
STEMMA_API stemma_status stemma_document_of_text(const stemma_text *text, const stemma_recipe *recipe,
                                                 const stemma_limits *limits, stemma_document **out,
                                                 stemma_error *error);
STEMMA_API void stemma_text_free(stemma_text *text);

/* ---- the edit distance of two texts ---------------------------------------------------------- */

/* The Levenshtein distance, exactly: the least number of insertions, deletions and substitutions.
 * Time: for d edits in n bytes about n + d * d / 2 steps where that is less than n * d / 64, so that close
 * texts cost what reading them does. Memory: at most 16 bytes for each byte of the longer text, and 40 for
 * each edit. Texts that differ over 2^30 units or more are refused. No more than `at_most` edits are looked
 * for: *out is at_most + 1 when it takes more. UINT64_MAX: no bound. limits may be NULL: the defaults.
 * Errors: INVALID, UNSUPPORTED (the memory allowed, or too long), INTERRUPTED, NO_MEMORY. */
STEMMA_API stemma_status stemma_distance(const void *a, size_t a_size, const void *b, size_t b_size,
                                         stemma_edit_unit unit, uint64_t at_most, const stemma_limits *limits,
                                         uint64_t *out, stemma_error *error);

/* One step of an edit script: these bytes of a become those of b. Those kept are equal, those replaced are as
 * many units; nothing of b is at a deletion, and nothing of a at an insertion. */
typedef enum stemma_step_kind {
    STEMMA_KEEP = 0,
    STEMMA_REPLACE = 1,
    STEMMA_DELETE = 2,
    STEMMA_INSERT = 3
} stemma_step_kind;
typedef struct stemma_step {
    stemma_step_kind kind;
    uint64_t a_begin, a_end, b_begin, b_end; /* bytes, whatever the unit */
} stemma_step;

/* A shortest edit script: its steps follow each other without gaps in both texts, no two of a kind in a row.
 * Takes several times as long as the distance, 16 bytes more for each byte of b, and up to 80 for each step.
 * NOT_FOUND when it takes more than `at_most` edits; other errors as above. */
typedef struct stemma_script stemma_script;

STEMMA_API stemma_status stemma_script_new(const void *a, size_t a_size, const void *b, size_t b_size,
                                           stemma_edit_unit unit, uint64_t at_most,
                                           const stemma_limits *limits, stemma_script **out,
                                           stemma_error *error);
STEMMA_API uint64_t stemma_script_distance(const stemma_script *script);
STEMMA_API const stemma_step *stemma_script_steps(const stemma_script *script, size_t *count);
STEMMA_API void stemma_script_free(stemma_script *script);

/* ---- where two texts agree and differ -------------------------------------------------------- */

/* A stretch of one document. Empty when begin == end: then it is the place before first_token. */
typedef struct stemma_place {
    uint64_t begin, end;            /* bytes of the original */
    uint64_t first_line, last_line; /* counted from 1 */
    size_t first_token, end_token;  /* tokens of the text; the last is not part of it */
} stemma_place;

typedef enum stemma_change {
    STEMMA_CHANGE_INSERT = 0,
    STEMMA_CHANGE_DELETE = 1,
    STEMMA_CHANGE_REPLACE = 2
} stemma_change;

/* "insert", "delete", "replace" */
STEMMA_API const char *stemma_change_name(stemma_change change);

/* What stands in a, and what stands in its place in b. */
typedef struct stemma_difference {
    stemma_change kind;
    stemma_place a, b;
} stemma_difference;

/* The same tokens in both. */
typedef struct stemma_passage {
    stemma_place a, b;
    size_t tokens;
    bool moved; /* not between two differences: it stands elsewhere, or once more */
} stemma_passage;

typedef struct stemma_align_options {
    size_t size;  /* of this struct, as the caller knows it */
    size_t least; /* tokens of a passage worth mentioning: 8 */
} stemma_align_options;

STEMMA_API stemma_align_options stemma_align_options_default(void);

/*
 * Both texts side by side, token by token; they must have the same unit and folds. Immutable.
 *
 * Differences are few and easy to read rather than fewest: changes with a word or two in common between them
 * are one, a passage that was moved is not broken up by words in common by chance, and where a change can
 * stand in several places it begins with a sentence or a line. Stretches that have too little in common to
 * align are one replacement, so that the time is about linear whatever the texts. Putting each difference of
 * b in the place of its a turns the tokens of a into those of b.
 *
 * options and limits may be NULL. Errors: INVALID, MISMATCH, UNSUPPORTED (they need more memory than the
 * limits allow), INTERRUPTED, NO_MEMORY.
 */
typedef struct stemma_alignment stemma_alignment;

STEMMA_API stemma_status stemma_align_texts(const stemma_text *a, const stemma_text *b,
                                            const stemma_align_options *options, const stemma_limits *limits,
                                            stemma_alignment **out, stemma_error *error);

/* In order of place; none overlap, and between two of them both texts have the same tokens, at least one. */
STEMMA_API const stemma_difference *stemma_alignment_differences(const stemma_alignment *alignment,
                                                                 size_t *count);

/* The passages of at least `least` tokens, longest first, then by place in b. They do not overlap in b; the
 * same stretch of a may be the source of several. Those that are not moved are all that stands between two
 * differences; a moved one cannot be made longer without meeting a token that differs, or another passage of
 * b. Of a run that stands in a very often, only the first places are tried. */
STEMMA_API const stemma_passage *stemma_alignment_shared(const stemma_alignment *alignment, size_t *count);

STEMMA_API void stemma_alignment_free(stemma_alignment *alignment);

/* ---- the edit distance of documents ---------------------------------------------------------- */

typedef enum stemma_edit_mode {
    STEMMA_EDIT_AUTO = 0,    /* exactly where that is cheap, else estimated */
    STEMMA_EDIT_EXACT = 1,   /* exactly, up to at_most */
    STEMMA_EDIT_ESTIMATE = 2 /* from signatures made on the way */
} stemma_edit_mode;

/* Start from stemma_edit_options_default(). */
typedef struct stemma_edit_options {
    size_t size; /* of this struct, as the caller knows it */
    stemma_edit_mode mode;
    uint64_t at_most; /* an exact distance above this is not looked for; UINT64_MAX: no bound */
} stemma_edit_options;

STEMMA_API stemma_edit_options stemma_edit_options_default(void);

/* The edit distance of two texts made by the same recipe. alignment, from stemma_align_texts of the same two,
 * tells blocks from scattered edits better than the signatures do, and may be NULL; so may options and
 * limits. Errors: INVALID, MISMATCH, UNSUPPORTED (the memory allowed, or too long for an exact distance that
 * was asked for), INTERRUPTED, NO_MEMORY. */
STEMMA_API stemma_status stemma_edit_texts(const stemma_text *a, const stemma_text *b,
                                           const stemma_alignment *alignment,
                                           const stemma_edit_options *options, const stemma_limits *limits,
                                           stemma_edit *out, stemma_error *error);

/* Where two documents differ, as far as the signatures in their sketches tell: no document is needed. A
 * difference that touched no symbol is not seen, and places are known by the symbols before them, unless
 * positions were kept. */
typedef struct stemma_stretch {
    uint64_t begin, end; /* characters of the canonical text, about (bytes where those are counted) */
    uint64_t margin;     /* they may lie so far to either side (95 %) */
    uint64_t byte_begin, byte_end; /* bytes of the original that hold the difference, where they are known */
} stemma_stretch;

typedef struct stemma_region {
    stemma_change kind;
    stemma_stretch a, b;
} stemma_region;

/* In order of place. *bytes_known: both signatures were made with positions. Errors: INVALID, MISMATCH,
 * UNSUPPORTED (there are no signatures to compare), NO_MEMORY. */
STEMMA_API stemma_status stemma_sketch_regions(const stemma_sketch *a, const stemma_sketch *b,
                                               stemma_region **out, size_t *count, bool *bytes_known,
                                               stemma_error *error);
STEMMA_API void stemma_regions_free(stemma_region *regions);

#ifdef __cplusplus
}
#endif

#endif

/*
 * stemma.h - which of these documents are really the same?
 *
 * A document becomes canonical text, tokens, shingles (windows of w tokens) and 64-bit fingerprints;
 * a *sketch* keeps a small sample of them. Two documents give exact numbers, two sketches give
 * estimates with intervals. How a sketch was made is its *recipe*: only equal recipes compare.
 *
 * The header goes from simple to advanced:
 *   1. versions, statuses, errors
 *   2. recipes
 *   3. comparing two documents                    stemma_compare_files, stemma_document_*
 *   4. sketches: make, compare, keep              stemma_sketch_file, stemma_compare_sketches
 *   5. streaming: a document in pieces            stemma_sketcher_*
 *   6. bundles: many sketches in one file         stemma_writer_*, stemma_reader_*
 *   7. the canonical text and its source offsets  stemma_text_*
 *   8. the edit distance of two texts             stemma_distance, stemma_script_*
 *   9. where two texts agree and differ           stemma_align_texts
 *  10. the edit distance of documents             stemma_edit_texts, stemma_sketch_regions
 *  11. fragments: a target in large files         stemma_finder_*, stemma_find_file
 *  12. one signature against many                 stemma_signatures_*
 *  13. all near-duplicates in a pile              stemma_scan_*
 *  14. the family tree of a group                 stemma_scan_get_tree
 *  15. acting on what a scan found                stemma_plan_*, stemma_undo
 *  16. collections: documents remembered on disk  stemma_collection_*
 *  17. controlled modifications                   stemma_mutate
 *
 * Errors.  Functions that can fail return a stemma_status and take an optional stemma_error, which is
 *   filled with a message that names the file and the cause. On failure every output is untouched.
 *   The library never prints and never exits.
 * Threads. There is no global state. An object may be used by one thread at a time; recipes and
 *   sketches are immutable once made and may be shared.
 * Ownership. What a function gives through a `**out` argument is the caller's, to be released with the
 *   matching _free, which accepts NULL. A recipe may be freed while sketchers and sketches made with it
 *   live on.
 */
#ifndef STEMMA_H
#define STEMMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define STEMMA_API __attribute__((visibility("default")))
#else
#define STEMMA_API
#endif

/* ---- 1. versions, statuses, errors ------------------------------------------------------------ */

#define STEMMA_VERSION_MAJOR 0
#define STEMMA_VERSION_MINOR 1
#define STEMMA_VERSION_PATCH 0
#define STEMMA_VERSION_STRING "0.1.0"

/* The version of the library that is running, for instance "0.1.0". */
STEMMA_API const char *stemma_version(void);

/* The instruction set the kernels use here: "portable", "avx2" or "avx512".
 * STEMMA_CPU in the environment lowers it (for tests); results never depend on it. */
STEMMA_API const char *stemma_cpu(void);

/* X(name, number, text): the numbers are pinned, new ones are added at the end of their kind. */
#define STEMMA_STATUS_LIST(X)                                                      \
    X(STEMMA_OK, 0, "no error")                                                    \
    /* the caller */                                                               \
    X(STEMMA_INVALID, 1, "invalid argument")                                       \
    X(STEMMA_UNSUPPORTED, 2, "the recipe cannot answer this")                      \
    /* the machine */                                                              \
    X(STEMMA_NO_MEMORY, 10, "out of memory")                                       \
    X(STEMMA_IO, 11, "input/output error")                                         \
    X(STEMMA_NO_SPACE, 12, "no space left")                                        \
    X(STEMMA_INTERRUPTED, 13, "interrupted")                                       \
    /* the data */                                                                 \
    X(STEMMA_UNREADABLE, 20, "cannot be read")                                     \
    X(STEMMA_CORRUPT, 21, "damaged data")                                          \
    X(STEMMA_LATER_VERSION, 22, "made by a later version")                         \
    X(STEMMA_NOT_A_SKETCH, 23, "not a sketch file")                                \
    /* two things that do not go together */                                       \
    X(STEMMA_MISMATCH, 30, "the recipes differ")                                   \
    /* nothing there */                                                            \
    X(STEMMA_NOT_FOUND, 40, "not found")

typedef enum stemma_status {
#define STEMMA_STATUS_ENUM(name, number, text) name = number,
    STEMMA_STATUS_LIST(STEMMA_STATUS_ENUM)
#undef STEMMA_STATUS_ENUM
} stemma_status;

/* The general text of a status; "unknown status" for a number that is not in the list. */
STEMMA_API const char *stemma_status_text(stemma_status status);

/* What went wrong, in words: "cannot read 'x': permission denied". Always NUL-terminated. */
typedef struct stemma_error {
    stemma_status status;
    char message[500];
} stemma_error;

/* ---- 2. recipes -------------------------------------------------------------------------------- */

/*
 * A recipe is everything that decides the bytes of a sketch. It has a text form, which every sketch
 * carries: a view of the document, then what is kept of it, separated by semicolons.
 *
 *   preset=text unit=word window=5 hash=mix width=64 seed=0; oph n=2048 bits=1; mod n=32
 *
 * View (how a document becomes fingerprints):
 *   preset   raw (bytes as they are), code (white space folded), text (NFC, case folded, anything but
 *            letters and digits becomes one space). Instead: fold=nfc+case+space+punct, any subset.
 *   unit     byte, char (code point), word (a CJK character is a word), line
 *   window   tokens in a shingle, 1 to 1024
 *   labelled yes: shingles are numbered by occurrence (Broder's option A); no: a set (option B)
 *   hash     rabin: Rabin fingerprints; mix: 64-bit token hashes, combined by a rolling polynomial;
 *            padded: Rabin over words cut and padded to 8 bytes (words only)
 *   width    bits of a fingerprint, 32 to 64
 *   seed     chooses the polynomial and the hash functions
 *   keyid    present when the recipe is keyed; the key itself is never stored
 * Sketch specs (what is kept): a scheme, n, and for some bits:
 *   mod n=N            the fingerprints that are 0 mod N
 *   min n=N            the N smallest
 *   minmod n=N mod=M   the N smallest of those that are 0 mod M
 *   level              those that are 0 mod 2^i, i chosen by the size of the document
 *   minhash n=N bits=B the minima under N hash functions, whole (bits=64) or B = 1, 2, 4, 8, 16 bits of each
 *   oph n=N bits=B     the minima of N bins of one hash function, likewise
 *   bsw n=N            the smallest fingerprint of each content-defined chunk of about N tokens
 *   bsw-chunk n=N      a hash of each such chunk
 *   simhash bits=B     64 or 128 bits
 * and edit-distance signatures, made of the characters of the canonical text (the bytes, where nothing is folded and the
 * unit is not char), whatever words and windows are:
 *   signature n=N c=C alphabet=A positions=no
 *                      of the windows of N characters (1 to 64) one in C (1 to 2^20) leaves a symbol, one of A (2 to
 *                      65536), in the order of the text. A window that equals one of the N before it leaves none. With
 *                      positions=yes it also leaves the byte of the original where it begins.
 *                      Signatures of one N compare at the coarser of two C when one is a power of two times the other and
 *                      both A are powers of two.
 *   signature2011 n=N c=C k=K
 *                      windows of N bytes whose sum is K mod C leave a bit (Coates 2011; for comparison with that paper)
 */
typedef struct stemma_recipe stemma_recipe;

/* Recipe from its text form. Fields left out have their defaults; NULL or "" is the default recipe.
 * Errors: INVALID (the message names the field), NO_MEMORY. */
STEMMA_API stemma_status stemma_recipe_parse(const char *text, stemma_recipe **out, stemma_error *error);

/* The same recipe under a secret key (at least 16 bytes), for input that may be hostile: polynomial and
 * hash functions follow from the key, and the recipe keeps only an id of it. Errors: INVALID, NO_MEMORY. */
STEMMA_API stemma_status stemma_recipe_with_key(const stemma_recipe *recipe, const void *key, size_t key_size,
                                                stemma_recipe **out, stemma_error *error);

/* The complete text form: parsing it gives an equal recipe. Belongs to the recipe. */
STEMMA_API const char *stemma_recipe_text(const stemma_recipe *recipe);

STEMMA_API void stemma_recipe_free(stemma_recipe *recipe);

/* ---- 3. comparing two documents ---------------------------------------------------------------- */

/* How the first document relates to the second. */
typedef enum stemma_relation {
    STEMMA_IDENTICAL = 0,      /* the same bytes */
    STEMMA_SAME_TEXT = 1,      /* the same canonical text */
    STEMMA_NEAR_DUPLICATE = 2, /* resemblance at or above the threshold */
    STEMMA_CONTAINED = 3,      /* the first is contained in the second */
    STEMMA_CONTAINS = 4,       /* the first contains the second */
    STEMMA_RELATED = 5,        /* above chance, below the thresholds */
    STEMMA_UNRELATED = 6,
    STEMMA_UNKNOWN = 7         /* nothing to judge by: no text, less than a window of it, or no sample */
} stemma_relation;

/* "near-duplicate" and so on. */
STEMMA_API const char *stemma_relation_name(stemma_relation relation);

/* A number and how far to trust it. When known is false the others are 0 and `why` says why. */
typedef struct stemma_quantity {
    double value;
    double low, high;  /* 95 % interval; both equal value when exact */
    bool exact;
    bool known;
    const char *why;   /* static text when not known, else NULL */
} stemma_quantity;

/* Where the lines are drawn, each from 0 to 1. Start from stemma_thresholds_default(). */
typedef struct stemma_thresholds {
    size_t size;        /* of this struct, as the caller knows it */
    double resemblance; /* near-duplicate from here: .7 */
    double containment; /* contained from here: .9 */
    double chance;      /* related above this resemblance or containment: .05; an estimate counts only when its
                         * interval excludes 0 */
} stemma_thresholds;

STEMMA_API stemma_thresholds stemma_thresholds_default(void);

/* What is counted. */
typedef enum stemma_edit_unit {
    STEMMA_EDIT_BYTES = 0,
    STEMMA_EDIT_CHARACTERS = 1 /* code points of UTF-8; a byte that is not part of one stands for itself */
} stemma_edit_unit;

/* How the differences of two texts are spread. */
typedef enum stemma_edit_kind {
    STEMMA_EDITS_NONE = 0,      /* the same canonical text */
    STEMMA_EDITS_SCATTERED = 1, /* single characters and words, here and there */
    STEMMA_EDITS_BLOCKS = 2,    /* whole passages added, dropped or replaced */
    STEMMA_EDITS_MIXED = 3,     /* both */
    STEMMA_EDITS_UNRELATED = 4, /* no more in common than any two texts */
    STEMMA_EDITS_UNKNOWN = 5    /* too short to tell, or no difference shows, which does not prove that there is none */
} stemma_edit_kind;

/* "scattered" and so on. */
STEMMA_API const char *stemma_edit_kind_name(stemma_edit_kind kind);

typedef struct stemma_edit {
    stemma_quantity distance;  /* insertions, deletions and substitutions of characters of the canonical text, or of
                                * bytes where nothing is folded and the unit is not char */
    uint64_t more_than;        /* where an exact search was given up: the distance is above this; else 0 */
    stemma_quantity unrelated; /* the distance of unrelated texts of these lengths */
    double p_unrelated;        /* an upper bound of the probability that unrelated texts agree as much as these */
    stemma_edit_kind kind;
    uint64_t blocks;           /* passages added, dropped or replaced */
    uint64_t length_a, length_b;
    stemma_edit_unit unit;
} stemma_edit;

typedef struct stemma_comparison {
    stemma_relation relation;
    stemma_quantity resemblance;
    stemma_quantity a_in_b, b_in_a; /* containment */
    stemma_quantity cosine;         /* known only where a simhash was compared */
    stemma_edit edit;               /* known only where both sketches have a signature; else see stemma_edit_texts */
    uint64_t shingles_a, shingles_b, shingles_common; /* distinct shingles; 0 unless exact */
    bool from_sketches;
    bool certain; /* nothing that the intervals allow would change the relation, nor what is not known */
} stemma_comparison;

/* The encoding of a document. */
typedef enum stemma_encoding {
    STEMMA_ENCODING_AUTO = 0, /* UTF-8, UTF-16 or Latin-1, by the bytes */
    STEMMA_ENCODING_UTF8 = 1,
    STEMMA_ENCODING_UTF16LE = 2,
    STEMMA_ENCODING_UTF16BE = 3,
    STEMMA_ENCODING_LATIN1 = 4, /* read as Windows-1252, which contains its letters */
    STEMMA_ENCODING_UTF16 = 5   /* by its byte order mark, else little-endian */
} stemma_encoding;

/* What an operation may use, and how it reads documents. Start from stemma_limits_default(); where limits may be NULL,
 * that is meant. */
typedef struct stemma_limits {
    size_t size;      /* of this struct, as the caller knows it */
    size_t memory;    /* bytes for the fingerprints of one document: 1 GiB, never less than 256 KiB. Full sets and
                       * labels beyond it are spilled to disk; a sample or a text that outgrows it is refused, with
                       * UNSUPPORTED. Of a scan: for all of it */
    const char *temporary_directory; /* for what is spilled; NULL: TMPDIR, else /tmp */
    const volatile int *stop;        /* when it becomes non-zero, work ends with INTERRUPTED; NULL: never */
    stemma_encoding encoding;        /* of documents; AUTO */
    unsigned converter_seconds;      /* for a program that converts a document (PDF); 0: 30 */
    size_t converter_memory;         /* likewise, its bytes of memory, each time it runs; 0: 1 GiB */
} stemma_limits;

STEMMA_API stemma_limits stemma_limits_default(void);

/*
 * What is compared is the text of a document, under recipes that fold more than white space: of HTML, Markdown, XML, RTF,
 * PDF, DOCX, ODT, PPTX, ODP, XLSX, ODS and EPUB what a reader sees of them, of plain text in UTF-16 or Latin-1 its
 * characters. HTML is known by how it begins, or by its name (.html .htm .xhtml), Markdown by its name (.md .markdown
 * .mdown), the others by their bytes. PDF is converted by poppler's pdftotext, in a child process under limits; where it is
 * not found, that is UNSUPPORTED. A document that is damaged is CORRUPT, one that is encrypted or goes beyond the limits
 * UNSUPPORTED. Pictures, programs and the like have no text: two of them are identical, or nothing is known. Under the
 * presets raw and code everything is taken as it is. Only plain UTF-8 is read in pieces: what has to be converted is
 * refused, with UNSUPPORTED, when it takes more memory than the limits allow.
 */

/* Compare two files, exactly: resemblance and containment from the full shingle sets.
 * "-" is standard input. recipe, thresholds and limits may be NULL: the defaults.
 * Errors: INVALID (also for a keyed recipe without its key), UNREADABLE, NOT_FOUND, UNSUPPORTED, CORRUPT, IO, NO_SPACE,
 * NO_MEMORY, INTERRUPTED. */
STEMMA_API stemma_status stemma_compare_files(const char *a, const char *b, const stemma_recipe *recipe,
                                              const stemma_thresholds *thresholds, const stemma_limits *limits,
                                              stemma_comparison *out, stemma_error *error);

/* The same for documents in memory. */
STEMMA_API stemma_status stemma_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size,
                                              const stemma_recipe *recipe, const stemma_thresholds *thresholds,
                                              const stemma_limits *limits, stemma_comparison *out,
                                              stemma_error *error);

/* A document with all its fingerprints, for exact comparison with many others. Immutable: may be shared.
 * Errors of making one: as above; of comparing: MISMATCH (the message names the field), IO, NO_MEMORY. */
typedef struct stemma_document stemma_document;

STEMMA_API stemma_status stemma_document_file(const char *path, const stemma_recipe *recipe,
                                              const stemma_limits *limits, stemma_document **out,
                                              stemma_error *error);
STEMMA_API stemma_status stemma_document_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                               const stemma_limits *limits, stemma_document **out,
                                               stemma_error *error);
STEMMA_API stemma_status stemma_compare_documents(const stemma_document *a, const stemma_document *b,
                                                  const stemma_thresholds *thresholds, stemma_comparison *out,
                                                  stemma_error *error);
STEMMA_API void stemma_document_free(stemma_document *document);

/* ---- 4. sketches ------------------------------------------------------------------------------- */

typedef struct stemma_sketch stemma_sketch;

STEMMA_API stemma_status stemma_sketch_file(const char *path, const stemma_recipe *recipe,
                                            const stemma_limits *limits, stemma_sketch **out,
                                            stemma_error *error);
STEMMA_API stemma_status stemma_sketch_bytes(const void *data, size_t size, const char *name,
                                             const stemma_recipe *recipe, const stemma_limits *limits,
                                             stemma_sketch **out, stemma_error *error);
STEMMA_API void stemma_sketch_free(stemma_sketch *sketch);

/* The document a sketch is of. Pointers belong to the sketch. */
typedef struct stemma_document_info {
    const char *name;        /* as given, may be any bytes but NUL */
    uint64_t bytes;          /* of the original */
    uint64_t tokens;         /* of the canonical form */
    uint64_t shingles;       /* windows of tokens, with repetitions */
    uint8_t digest[32];      /* BLAKE2b of the original bytes */
    uint8_t text_digest[32]; /* BLAKE2b of the canonical text */
} stemma_document_info;

STEMMA_API stemma_document_info stemma_sketch_info(const stemma_sketch *sketch);
STEMMA_API const stemma_recipe *stemma_sketch_recipe(const stemma_sketch *sketch); /* belongs to the sketch */

/* One of the sketches that the recipe lists, by its place in the recipe. docs/format.md says what each is. */
typedef struct stemma_sketch_part {
    const char *scheme;
    uint32_t n, mod, width;   /* as in the recipe (width: its bits); 0 where the scheme has none */
    const uint64_t *values;   /* samples, minima or chunk values */
    size_t value_count;
    const uint8_t *bits;      /* b-bit schemes, simhash: packed, eight to a byte, first bit lowest */
    size_t bit_count;
    const uint64_t *smallest; /* mod, level: the smallest fingerprints, where the sample is very small */
    size_t smallest_count;
    uint32_t level;           /* level: the exponent */
    bool complete;            /* min, minmod: the values are all there were */
    uint32_t filled;          /* oph: bins with a value of their own */
    uint64_t distinct;        /* oph, minhash: estimated number of distinct shingles */
    uint32_t c, k, alphabet;  /* signature, signature2011: as in the recipe (signature2011: its alphabet is 2) */
    const uint16_t *symbols;  /* signature, signature2011: in the order of the text, each below alphabet */
    size_t symbol_count;
    const uint64_t *positions; /* signature with positions=yes: of each symbol the byte of the original where its window
                                * begins; else NULL */
    uint64_t length;          /* signature: characters of the text; signature2011: bytes of the canonical text */
    double agree;             /* signature, signature2011: chance that two of these, drawn at random, agree */
} stemma_sketch_part;

/* Errors: NOT_FOUND when the recipe has no such part. */
STEMMA_API stemma_status stemma_sketch_get_part(const stemma_sketch *sketch, size_t index,
                                                stemma_sketch_part *out, stemma_error *error);

/* Compare by sketches alone. Quantities are estimates with intervals; what the recipe cannot answer is
 * not known, with a reason. Errors: MISMATCH (the message names the field), NO_MEMORY. */
STEMMA_API stemma_status stemma_compare_sketches(const stemma_sketch *a, const stemma_sketch *b,
                                                 const stemma_thresholds *thresholds, stemma_comparison *out,
                                                 stemma_error *error);

/* The sketch of both documents together, where every scheme of the recipe allows it.
 * Errors: MISMATCH, UNSUPPORTED (the message names the scheme), NO_MEMORY. */
STEMMA_API stemma_status stemma_sketch_union(const stemma_sketch *a, const stemma_sketch *b, stemma_sketch **out,
                                             stemma_error *error);

/* ---- 5. streaming ------------------------------------------------------------------------------ */

/* A text that comes in pieces, which are taken as they are: as UTF-8, without markup. The result does not depend on where
 * it was cut. */
typedef struct stemma_sketcher stemma_sketcher;

STEMMA_API stemma_status stemma_sketcher_new(const stemma_recipe *recipe, const char *name,
                                             const stemma_limits *limits, stemma_sketcher **out,
                                             stemma_error *error);
STEMMA_API stemma_status stemma_sketcher_add(stemma_sketcher *sketcher, const void *data, size_t size,
                                             stemma_error *error);
/* Ends the document; the sketcher can then only be freed. After a failure it gives that failure again. */
STEMMA_API stemma_status stemma_sketcher_finish(stemma_sketcher *sketcher, stemma_sketch **out,
                                                stemma_error *error);
STEMMA_API void stemma_sketcher_free(stemma_sketcher *sketcher);

/* ---- 6. bundles -------------------------------------------------------------------------------- */

/* One or many sketches of one recipe as bytes: documented in docs/format.md, versioned, checksummed,
 * the same on every machine. */
typedef struct stemma_writer stemma_writer;
typedef struct stemma_reader stemma_reader;

/* The file appears under its name only when _close succeeds. Errors: IO, NO_SPACE, UNREADABLE, NO_MEMORY. */
STEMMA_API stemma_status stemma_writer_open(const char *path, stemma_writer **out, stemma_error *error);
/* All sketches of a bundle have one recipe. Errors: MISMATCH (the sketch is left out), IO, NO_SPACE, NO_MEMORY
 * (the bundle is lost: _close will fail too). */
STEMMA_API stemma_status stemma_writer_add(stemma_writer *writer, const stemma_sketch *sketch,
                                           stemma_error *error);
STEMMA_API stemma_status stemma_writer_close(stemma_writer *writer, stemma_error *error); /* frees, also on failure */
STEMMA_API void stemma_writer_abandon(stemma_writer *writer);                             /* nothing appears; frees */

/* Errors: NOT_FOUND, UNREADABLE, IO, NOT_A_SKETCH, CORRUPT, LATER_VERSION, NO_MEMORY. */
STEMMA_API stemma_status stemma_reader_open(const char *path, stemma_reader **out, stemma_error *error);
/* The same over memory, which must stay until _free. */
STEMMA_API stemma_status stemma_reader_open_bytes(const void *data, size_t size, stemma_reader **out,
                                                  stemma_error *error);
/* The next sketch; NOT_FOUND (and no message) at the end. */
STEMMA_API stemma_status stemma_reader_next(stemma_reader *reader, stemma_sketch **out, stemma_error *error);
STEMMA_API const stemma_recipe *stemma_reader_recipe(const stemma_reader *reader);
STEMMA_API void stemma_reader_free(stemma_reader *reader);

/* Whether a file begins like a sketch bundle. Errors: those of reading a file. */
STEMMA_API stemma_status stemma_is_bundle(const char *path, bool *out, stemma_error *error);

/* ---- 7. the canonical text --------------------------------------------------------------------- */

/* A document's canonical text under a recipe's view, with the way back to the original bytes. */
typedef struct stemma_text stemma_text;

/* All of it is held in memory: a document larger than the limits allow is refused, with UNSUPPORTED. */
STEMMA_API stemma_status stemma_text_file(const char *path, const stemma_recipe *recipe,
                                          const stemma_limits *limits, stemma_text **out, stemma_error *error);
STEMMA_API stemma_status stemma_text_bytes(const void *data, size_t size, const stemma_recipe *recipe,
                                           const stemma_limits *limits, stemma_text **out, stemma_error *error);
STEMMA_API const char *stemma_text_data(const stemma_text *text, size_t *size);
STEMMA_API size_t stemma_text_token_count(const stemma_text *text);
/* A token: its place in the canonical text, and the bytes of the source it came from. */
typedef struct stemma_token {
    size_t begin, end;
    uint64_t source_begin, source_end;
} stemma_token;
STEMMA_API stemma_status stemma_text_token(const stemma_text *text, size_t index, stemma_token *out,
                                           stemma_error *error);
/* What the canonical text was made of, which source offsets and lines are of: the original as it was given or read; or
 * the text extracted from it, in UTF-8, where it has another format or encoding, or a byte order mark. Belongs to the text. */
STEMMA_API const char *stemma_text_source(const stemma_text *text, size_t *size);
/* Whether that is extracted text, and no original. */
STEMMA_API bool stemma_text_is_extracted(const stemma_text *text);
/* Whether the document is a picture, a program or the like, which has no text: the source is its bytes, and there are no
 * tokens; or a book, say, of pages that are pictures. Never under a recipe that takes bytes as they are. */
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

/* ---- 8. the edit distance of two texts --------------------------------------------------------- */

/* The Levenshtein distance, exactly: the least number of insertions, deletions and substitutions.
 * Time: for d edits in n bytes about n + d * d / 2 steps where that is less than n * d / 64, so that close texts
 * cost what reading them does. Memory: at most 16 bytes for each byte of the longer text, and 40 for each edit.
 * Texts that differ over 2^30 units or more are refused.
 * No more than `at_most` edits are looked for: *out is at_most + 1 when it takes more. UINT64_MAX: no bound.
 * limits may be NULL: the defaults. Errors: INVALID, UNSUPPORTED (the memory allowed, or too long), INTERRUPTED,
 * NO_MEMORY. */
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
                                           stemma_edit_unit unit, uint64_t at_most, const stemma_limits *limits,
                                           stemma_script **out, stemma_error *error);
STEMMA_API uint64_t stemma_script_distance(const stemma_script *script);
STEMMA_API const stemma_step *stemma_script_steps(const stemma_script *script, size_t *count);
STEMMA_API void stemma_script_free(stemma_script *script);

/* ---- 9. where two texts agree and differ ------------------------------------------------------- */

/* A stretch of one document. Empty when begin == end: then it is the place before first_token. */
typedef struct stemma_place {
    uint64_t begin, end;            /* bytes of the original */
    uint64_t first_line, last_line; /* counted from 1 */
    size_t first_token, end_token;  /* tokens of the text; the last is not part of it */
} stemma_place;

typedef enum stemma_change { STEMMA_CHANGE_INSERT = 0, STEMMA_CHANGE_DELETE = 1, STEMMA_CHANGE_REPLACE = 2 } stemma_change;

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
 * Differences are few and easy to read rather than fewest: changes with a word or two in common between them are
 * one, a passage that was moved is not broken up by words in common by chance, and where a change can stand in
 * several places it begins with a sentence or a line. Stretches that have
 * too little in common to align are one replacement, so that the time is about linear whatever the texts.
 * Putting each difference of b in the place of its a turns the tokens of a into those of b.
 *
 * options and limits may be NULL. Errors: INVALID, MISMATCH, UNSUPPORTED (they need more memory than the limits
 * allow), INTERRUPTED, NO_MEMORY.
 */
typedef struct stemma_alignment stemma_alignment;

STEMMA_API stemma_status stemma_align_texts(const stemma_text *a, const stemma_text *b,
                                            const stemma_align_options *options, const stemma_limits *limits,
                                            stemma_alignment **out, stemma_error *error);

/* In order of place; none overlap, and between two of them both texts have the same tokens, at least one. */
STEMMA_API const stemma_difference *stemma_alignment_differences(const stemma_alignment *alignment, size_t *count);

/* The passages of at least `least` tokens, longest first, then by place in b. They do not overlap in b; the same
 * stretch of a may be the source of several. Those that are not moved are all that stands between two
 * differences; a moved one cannot be made longer without meeting a token that differs, or another passage of b.
 * Of a run that stands in a very often, only the first places are tried. */
STEMMA_API const stemma_passage *stemma_alignment_shared(const stemma_alignment *alignment, size_t *count);

STEMMA_API void stemma_alignment_free(stemma_alignment *alignment);

/* ---- 10. the edit distance of documents -------------------------------------------------------- */

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

/* The edit distance of two texts made by the same recipe. alignment, from stemma_align_texts of the same two, tells
 * blocks from scattered edits better than the signatures do, and may be NULL; so may options and limits.
 * Errors: INVALID, MISMATCH, UNSUPPORTED (the memory allowed, or too long for an exact distance that was asked for),
 * INTERRUPTED, NO_MEMORY. */
STEMMA_API stemma_status stemma_edit_texts(const stemma_text *a, const stemma_text *b,
                                           const stemma_alignment *alignment, const stemma_edit_options *options,
                                           const stemma_limits *limits, stemma_edit *out, stemma_error *error);

/* Where two documents differ, as far as the signatures in their sketches tell: no document is needed. A difference
 * that touched no symbol is not seen, and places are known by the symbols before them, unless positions were kept. */
typedef struct stemma_stretch {
    uint64_t begin, end;           /* characters of the canonical text, about (bytes where those are counted) */
    uint64_t margin;               /* they may lie so far to either side (95 %) */
    uint64_t byte_begin, byte_end; /* bytes of the original that hold the difference, where they are known */
} stemma_stretch;

typedef struct stemma_region {
    stemma_change kind;
    stemma_stretch a, b;
} stemma_region;

/* In order of place. *bytes_known: both signatures were made with positions. Errors: INVALID, MISMATCH, UNSUPPORTED (there
 * are no signatures to compare), NO_MEMORY. */
STEMMA_API stemma_status stemma_sketch_regions(const stemma_sketch *a, const stemma_sketch *b, stemma_region **out,
                                               size_t *count, bool *bytes_known, stemma_error *error);
STEMMA_API void stemma_regions_free(stemma_region *regions);

/* ---- 11. fragments: a target in large files ---------------------------------------------------- */

/* Targets that are looked for in other files, which may be of any size. A *fragment* is a stretch of a file that is a
 * stretch of a target, token by token, under the recipe's view (of which folds, unit and window count): wherever it
 * was cut out, and however it was wrapped, spaced and cased, where the view folds that. Immutable: may be shared by threads. */
typedef struct stemma_finder stemma_finder;

/* A document that is looked for: a file, or bytes when path is NULL. */
typedef struct stemma_target {
    const char *path; /* "-" is standard input; its text is looked for, whatever its format */
    const void *data;
    size_t data_size;
} stemma_target;

/* Start from stemma_find_options_default(); where options may be NULL, that is meant. */
typedef struct stemma_find_options {
    size_t size;     /* of this struct, as the caller knows it */
    uint64_t least;  /* tokens of a fragment worth mentioning; 0: 8 words, 32 bytes or characters, a window of lines. Never
                      * less than a window; a target that is shorter is found when all of it is there */
    uint64_t block;  /* bytes of the blocks that are reported: 64 KiB */
    bool thorough;   /* nothing is left to chance also where a finder would sample (`modulus`): slower then */
    size_t most;     /* fragments, and blocks, kept of one file; more are only counted: 100,000 */
    void (*progress)(void *context, uint64_t bytes); /* called by the searching threads after so many more bytes, or NULL */
    void *progress_context;
    uint64_t most_unpacked; /* bytes that a file with documents inside may unpack to; 0: 1000 times its own, and 64 MiB */
} stemma_find_options;

STEMMA_API stemma_find_options stemma_find_options_default(void);

/* Errors: INVALID, UNSUPPORTED (a target with less text than a window, or more than the memory allows), NOT_FOUND,
 * UNREADABLE, IO, INTERRUPTED, NO_MEMORY. */
STEMMA_API stemma_status stemma_finder_new(const stemma_target *targets, size_t count, const stemma_recipe *recipe,
                                           const stemma_find_options *options, const stemma_limits *limits,
                                           stemma_finder **out, stemma_error *error);
STEMMA_API void stemma_finder_free(stemma_finder *finder);

typedef struct stemma_finder_info {
    size_t targets;
    uint64_t tokens, windows; /* of the targets; windows: distinct ones */
    uint64_t least;
    uint64_t modulus; /* 1: every fragment is found. Fragments that may be very short, or of raw words and lines: 1 of so
                       * many windows is looked at in the fast scan */
    uint64_t sure;    /* a fragment of so many tokens, with windows that are all different, is missed less than once
                       * in a million times */
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

/* The bytes of the file as they are. "-" is standard input. Memory does not depend on the size of the file. Errors:
 * INVALID, NOT_FOUND, UNREADABLE, IO, INTERRUPTED, NO_MEMORY. That nothing was found is no error. */
STEMMA_API stemma_status stemma_find_file(const stemma_finder *finder, const char *path, const stemma_limits *limits,
                                          stemma_findings **out, stemma_error *error);
STEMMA_API stemma_status stemma_find_bytes(const stemma_finder *finder, const void *data, size_t size,
                                           const stemma_limits *limits, stemma_findings **out, stemma_error *error);

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

/* As stemma_find_file, of a file that is read as a scan reads it: its text where it is HTML, PDF or another format, and in
 * another encoding than UTF-8; with `inside` also the documents in an archive, mail, mailbox or crawl that is no pipe,
 * each by itself. FILE!/MEMBER is that document alone. Under a recipe that takes bytes as they are, its bytes. Memory is needed for what is converted.
 * problem, which may be NULL, is told of documents inside that cannot be read. Further errors: CORRUPT, UNSUPPORTED. */
STEMMA_API stemma_status stemma_find_documents(const stemma_finder *finder, const char *path, bool inside,
                                               const stemma_limits *limits, stemma_take_found *take,
                                               void (*problem)(void *context, const char *id, const stemma_error *cause),
                                               void *context, stemma_error *error);
STEMMA_API stemma_find_summary stemma_findings_summary(const stemma_findings *findings);
STEMMA_API const stemma_fragment *stemma_findings_fragments(const stemma_findings *findings, size_t *count);
STEMMA_API const stemma_block *stemma_findings_blocks(const stemma_findings *findings, size_t *count);
/* How much of one target was found, 0 to 1; 0 for a target that there is not. */
STEMMA_API double stemma_findings_share(const stemma_findings *findings, size_t target);
STEMMA_API void stemma_findings_free(stemma_findings *findings);

/* ---- 12. one signature against many ------------------------------------------------------------ */

/* Signatures of many documents in memory, laid out for searching: 76 bytes and 2 for each symbol, up to twice that
 * where room for more was made. Several threads may search them at a time, while none adds. */
typedef struct stemma_signatures stemma_signatures;

/* For the recipe's part `part` (counted from 0), a signature or signature2011.
 * Errors: INVALID, NOT_FOUND (no such part), UNSUPPORTED (it is no signature), NO_MEMORY. */
STEMMA_API stemma_status stemma_signatures_new(const stemma_recipe *recipe, size_t part, stemma_signatures **out,
                                               stemma_error *error);

/* Add a sketch's signature, which is copied; its index is how many were added before. A finer signature is made as
 * coarse as the others. Errors: INVALID, MISMATCH (other views, no signature that is fine enough), NO_MEMORY. */
STEMMA_API stemma_status stemma_signatures_add(stemma_signatures *signatures, const stemma_sketch *sketch,
                                               stemma_error *error);
STEMMA_API void stemma_signatures_free(stemma_signatures *signatures);
STEMMA_API size_t stemma_signatures_count(const stemma_signatures *signatures);

typedef struct stemma_near {
    size_t index;
    uint64_t distance; /* edits between the signatures, in symbols */
} stemma_near;

/* All signatures at most `at_most` symbols away from the query's, by ascending index: exactly those, none is missed.
 * *out is to be released with stemma_near_free; *count may be 0. limits may be NULL.
 * Errors: those of adding, INTERRUPTED. */
STEMMA_API stemma_status stemma_signatures_search(const stemma_signatures *signatures, const stemma_sketch *query,
                                                  uint64_t at_most, const stemma_limits *limits, stemma_near **out,
                                                  size_t *count, stemma_error *error);
STEMMA_API void stemma_near_free(stemma_near *found);

/* How far apart signatures can be when `edits` edits lead from one text to the other (characters of the canonical
 * text): searching for no less loses nothing. It is the worst case, 2n symbols an edit (n + 3 for signature2011), and far
 * above what happens: about n / C an edit. Whoever can bear to lose a few searches for less. */
STEMMA_API uint64_t stemma_signatures_bound(const stemma_signatures *signatures, uint64_t edits);

/* ---- 13. all near-duplicates in a pile --------------------------------------------------------- */

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
    STEMMA_GROUP_STARS = 0,      /* in keep order, a document not yet taken is kept, and takes all that resemble it or are
                                  * contained in it */
    STEMMA_GROUP_COMPONENTS = 1, /* whatever is linked by a chain of such pairs */
    STEMMA_GROUP_FIRST = 2,      /* Broder's greedy clustering: each joins the group whose first member it resembles most */
    STEMMA_GROUP_POPULAR = 3     /* the same, a group being represented by its most popular fingerprints */
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
    bool pairs;       /* stemma_scan_pairs will be asked */
    bool boilerplate; /* stemma_scan_boilerplate will be asked */
    bool tree;        /* stemma_scan_get_tree will be asked */
    bool dates;       /* of trees: when files were modified tells which of two documents is older */
    const char *filter; /* where stemma_scan_filter will write: what it would refuse is refused before anything is
                           read; NULL: it will not be asked */
    uint32_t cap;     /* what more classes share than this links each only to the first few of them; 0: 256 */
    /* input */
    const char *const *include, *const *exclude; /* globs, as in an ignore file */
    size_t include_count, exclude_count;
    bool hidden, follow_links, no_ignore_files;
    const char *omit; /* a folder that is left out with all below it, wherever it is met; it need not exist. Collections
                         are left out in any case */
    uint64_t least_bytes, most_bytes; /* of a file, or of the text of a record; 0: no limit */
    const char *text_field,
        *id_field;    /* of data sets; NULL: "text"; "id" where there is one, else file and line */
    bool no_archives; /* files that hold documents (archives, mail with attachments, mailboxes, crawls) are not
                         looked into */
    uint64_t most_unpacked; /* bytes that such a file may unpack to; 0: 1000 times its own, and 64 MiB */
    unsigned threads; /* 0: one a processor */
    void (*progress)(void *context,
                     const stemma_scan_progress *progress); /* by any thread, one at a time; may be NULL */
    void *progress_context;
    const char *cache; /* a collection in which scans remember files, made when it is not there; NULL: none. Files that it
                          has, with the size and time they have, are not read, unless they have to be compared; what is found is
                          the same. Not for documents in archives and data sets. While it runs nobody else writes there */
} stemma_scan_options;

STEMMA_API stemma_scan_options stemma_scan_options_default(void);

/* Only the view of the recipe counts. Recipe, options and limits may be NULL: the defaults. What options and limits
 * point to must stay until the scan is freed. Errors: INVALID, NO_MEMORY. */
STEMMA_API stemma_status stemma_scan_new(const stemma_recipe *recipe, const stemma_scan_options *options,
                                         const stemma_limits *limits, stemma_scan **out, stemma_error *error);
STEMMA_API void stemma_scan_free(stemma_scan *scan);

/* A folder, a file, or a data set (by its name: .jsonl .ndjson .csv .tsv, also with .gz .zst .bz2 .xz; "-": JSON
 * lines on standard input). It is looked at by _run. Errors, also of the next: INVALID (the scan has begun), NO_MEMORY. */
STEMMA_API stemma_status stemma_scan_add_path(stemma_scan *scan, const char *path, stemma_error *error);
/* A document in memory, which must stay until the scan is freed; the id is copied. */
STEMMA_API stemma_status stemma_scan_add_text(stemma_scan *scan, const char *id, const void *data,
                                              size_t size, stemma_error *error);
/* Once; what is asked below comes after it. What cannot be read is a problem of that document, not of the scan. Errors:
 * INTERRUPTED, NO_MEMORY, NO_SPACE, IO; INVALID when the data sets cannot be filtered as options.filter asks. */
STEMMA_API stemma_status stemma_scan_run(stemma_scan *scan, stemma_error *error);

typedef struct stemma_scan_summary {
    uint64_t documents, bytes; /* read; bytes of the documents as they are stored */
    uint64_t text_bytes;       /* canonical text */
    uint64_t empty;            /* without text: never in a group */
    uint64_t binary;           /* not text: compared by their bytes alone */
    uint64_t containers;       /* archives, mailboxes, crawls: likewise, and looked into */
    uint64_t contained;        /* documents in them, and attachments of mail */
    uint64_t problems;         /* could not be read: documents, records, data sets */
    uint64_t repeated; /* files that were reached once more, by the same or another name: counted once */
    uint64_t classes;  /* different texts */
    uint64_t groups, redundant, redundant_bytes; /* redundant: members of groups that could go */
    uint64_t candidates, verified;               /* pairs of classes; with little memory some are verified twice */
    uint64_t resident_bytes;                     /* kept in memory for all documents */
    uint64_t cached_bytes;                       /* texts kept besides, within the limits */
    uint64_t spilled_bytes;                      /* written to temporary files */
    double seconds, seconds_reading, seconds_matching, seconds_verifying;
} stemma_scan_summary;
STEMMA_API stemma_scan_summary stemma_scan_get_summary(const stemma_scan *scan);

/* Documents are numbered from 0 in the order of input: texts in memory, then paths as they were added (folders in the
 * order of their names' bytes). Pointers belong to the scan. One that is not there has the id "". */
typedef struct stemma_scan_document {
    const char *id;     /* path, id of the record, FILE:LINE or FILE!/MEMBER; may hold any byte but NUL */
    const char *source; /* the data set it is a record of, else NULL */
    const char *container; /* the file it is inside of, else NULL: an archive, a mail, ...; it is no file itself */
    uint64_t offset;    /* of the record in it, unpacked */
    uint64_t bytes;     /* of the file, or of the text of the record */
    int64_t modified;   /* the file or data set, in nanoseconds since 1970; 0 for a text in memory */
    bool has_owner;     /* a file or data set that was named by a path */
    uint32_t owner;     /* user id */
    const char *form;   /* as what it was read: "text", "html", "markdown", "xml", "rtf", "pdf", "docx", "xlsx", "pptx",
                         * "odt", "ods", "odp", "epub"; of what has no text "text" or "encrypted" */
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
    bool redundant;   /* it could go. Not what is inside another file; what holds other documents only if a file of
                         the same bytes stays */
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

/* Every pair of classes above a threshold, each class by its first document in keep order, a before b. They are verified
 * as they are given. What `take` returns, if it is not OK, ends it and is returned. Errors: INVALID (the options did not
 * say `pairs`), INTERRUPTED, NO_MEMORY, IO. */
typedef struct stemma_scan_pair {
    uint64_t a, b;
    stemma_relation relation; /* of a towards b: near-duplicate, contained, contains */
    double resemblance, a_in_b, b_in_a;
    uint64_t a_shingles, b_shingles, common;
} stemma_scan_pair;
typedef stemma_status stemma_scan_take_pair(void *context, const stemma_scan_pair *pair, stemma_error *error);
STEMMA_API stemma_status stemma_scan_pairs(stemma_scan *scan, stemma_scan_take_pair *take, void *context,
                                           stemma_error *error);
/* The documents with the same text as this one, itself included, in keep order; NULL when there is no such document,
 * or no memory. Belongs to the scan, and stays until the next call. */
STEMMA_API const uint64_t *stemma_scan_copies(stemma_scan *scan, uint64_t document, size_t *count);
/* Whether two documents are identical, byte for byte, and read alike (.md and .txt are not). */
STEMMA_API bool stemma_scan_same_bytes(const stemma_scan *scan, uint64_t a, uint64_t b);

/* Passages that many documents share. */
typedef struct stemma_scan_passage {
    const char *text; /* as it stands in the example */
    size_t size;
    uint64_t documents; /* that have it, or at least its most common part */
    uint64_t tokens;
    uint64_t example; /* a document, */
    uint64_t offset;  /* and the byte of its text where the passage begins */
} stemma_scan_passage;
typedef stemma_status stemma_scan_take_passage(void *context, const stemma_scan_passage *passage,
                                               stemma_error *error);
/* Most text saved first; at most `most`; shared by at least `least` classes (0: 1 % of them, and 3). A passage stays
 * until `take` returns. Errors: as of stemma_scan_pairs; INVALID when the options did not say `boilerplate`. */
STEMMA_API stemma_status stemma_scan_boilerplate(stemma_scan *scan, uint64_t least, size_t most,
                                                 stemma_scan_take_passage *take, void *context,
                                                 stemma_error *error);

/* The text of a document as it stands there, what is extracted from it in UTF-8 (as `stemma text --extracted` prints it);
 * its canonical text (*canonical, which may be NULL) where an archive or a compressed data set would have to be gone through again. Read again, and sure to be what was compared. Belongs to the
 * scan, and stays until the next call. Errors: NOT_FOUND, UNSUPPORTED (it has no text, or is too large to be held),
 * UNREADABLE, CORRUPT (it has changed meanwhile), NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_scan_get_text(stemma_scan *scan, uint64_t document, const char **text, size_t *size,
                                              bool *canonical, stemma_error *error);

/* What could not be read, and why; in the order of names and lines. index below the summary's problems, else NOT_FOUND.
 * Pointers belong to the scan. */
typedef struct stemma_scan_problem {
    const char *name;
    uint64_t line; /* of a data set; 0: all of it */
    stemma_status status;
    const char *cause;
} stemma_scan_problem;
STEMMA_API stemma_status stemma_scan_get_problem(const stemma_scan *scan, uint64_t index,
                                                 stemma_scan_problem *problem, stemma_error *error);

/* Writes the data sets without their redundant records, order kept, to one file of the same kind (compressed
 * by its name); it appears when it is complete. "-" is standard output. kept (records written) may be NULL. Errors:
 * INVALID when the scan was not of data sets of one kind, or the name is of another kind; UNREADABLE when one has changed
 * meanwhile; UNSUPPORTED (a record of more than 1 GiB); INTERRUPTED, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_scan_filter(stemma_scan *scan, const char *path, uint64_t *kept,
                                            stemma_error *error);

/* ---- 14. the family tree of a group ------------------------------------------------------------- */

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
    STEMMA_DERIVATION_COMBINED = 8  /* text of a second parent was taken in */
} stemma_derivation;
STEMMA_API const char *stemma_derivation_name(stemma_derivation derivation); /* "added" */

#define STEMMA_NO_PARENT SIZE_MAX

typedef struct stemma_tree_node {
    uint64_t document;
    size_t parent;          /* place in the tree; STEMMA_NO_PARENT: the root */
    stemma_derivation kind; /* the rest is said of the way from the parent: */
    uint64_t added, removed; /* tokens of this document that the parent lacks, and the other way round; exact in the
                              * sense that they lead from the one to the other, the fewest wherever few do */
    uint64_t moved;         /* of both: tokens that stand elsewhere in the other */
    uint64_t changes;       /* places where the two differ */
    double confidence;      /* chance that the two are neighbours in the history, */
    double direction;       /* and that the parent is the older of the two, if they are */
    size_t second;          /* where text that the parent lacks was also found; STEMMA_NO_PARENT: nowhere */
    double second_share;    /* of this document: what the second parent has and the first has not */
} stemma_tree_node;

/* Nodes are the group's documents: the kept one, then the members in their order. One of them is the root. The nodes
 * belong to the scan. */
typedef struct stemma_tree {
    const stemma_tree_node *nodes;
    size_t count;
    size_t root;
} stemma_tree;

/* Index as of stemma_scan_get_group. Errors: NOT_FOUND; INVALID when the options did not say `tree`. */
STEMMA_API stemma_status stemma_scan_get_tree(const stemma_scan *scan, uint64_t index, stemma_tree *tree,
                                              stemma_error *error);

/* ---- 15. acting on what a scan found ----------------------------------------------------------- */

/*
 * A plan says what is to be done with the redundant files of a scan. Each step has a file, and the one that is kept
 * instead: it is never touched, and no file that another step counts on is. Carrying it out opens, reads and compares
 * both again right before the file is touched, and skips it when either is not what the scan saw. A log says every step
 * before it is taken, so that stemma_undo can restore, also after a crash.
 *
 * Identical files are meant. Near-duplicates, and the same text in other bytes, can be deleted or moved when `near` says
 * from which resemblance, contained ones when `near_contained` says from which containment. Links, records of data
 * sets, documents inside archives, and texts in memory are never acted on.
 */
typedef struct stemma_plan stemma_plan;

typedef enum stemma_action {
    STEMMA_ACT_DELETE = 0,
    STEMMA_ACT_HARDLINK = 1, /* the name becomes one more name of the kept file; owner, group, mode and extended
                              * attributes must be the same */
    STEMMA_ACT_REFLINK = 2,  /* the file stays as it is, and shares its blocks with the kept one, where the file system
                              * can do that */
    STEMMA_ACT_MOVE = 3      /* to the same path below a folder; never over another file */
} stemma_action;
/* "delete", "hardlink", "reflink", "move". */
STEMMA_API const char *stemma_action_name(stemma_action action);

/* Start from stemma_act_options_default(). */
typedef struct stemma_act_options {
    size_t size; /* of this struct, as the caller knows it */
    stemma_action action;
    const char *directory; /* where MOVE puts files; made when it is not there. Let the scan omit it */
    double near;           /* from this resemblance, also with other bytes; 0: identical files alone */
    double near_contained; /* likewise from this containment in the kept one */
} stemma_act_options;
STEMMA_API stemma_act_options stemma_act_options_default(void);

/* The scan has run, and stays until the plan is freed; its limits, too. What options point to is copied. Errors:
 * INVALID, NO_MEMORY, NOT_FOUND (the working directory). */
STEMMA_API stemma_status stemma_plan_new(stemma_scan *scan, const stemma_act_options *options, stemma_plan **out,
                                         stemma_error *error);
STEMMA_API void stemma_plan_free(stemma_plan *plan);

typedef enum stemma_outcome {
    STEMMA_STEP_POSSIBLE = 0, /* it would be done */
    STEMMA_STEP_DONE = 1,
    STEMMA_STEP_SKIPPED = 2,  /* not to be done: the cause says why */
    STEMMA_STEP_FAILED = 3,   /* the system refused: status and cause say why */
    STEMMA_STEP_UNNEEDED = 4  /* of undoing: all is as it was */
} stemma_outcome;

typedef struct stemma_act_step {
    stemma_action action;
    const char *path, *kept;  /* as the scan names them; of undoing, from the root on */
    const char *target;       /* of a move, from the root on; else NULL */
    stemma_relation relation; /* of the file to the kept one */
    double resemblance, contained; /* of undoing 0 */
    uint64_t bytes;
    stemma_outcome outcome;
    stemma_status status;
    const char *cause; /* "" when there is none */
} stemma_act_step;

/* Is told each step in its order; pointers are good until it returns. What it returns, if it is not OK, ends the work. */
typedef stemma_status stemma_act_take(void *context, const stemma_act_step *step, stemma_error *error);

typedef struct stemma_act_totals {
    uint64_t steps, bytes;           /* planned, or all in the log */
    uint64_t done, done_bytes;       /* carried out, restored, or possible */
    uint64_t skipped, failed;
    uint64_t not_files; /* redundant, but in a data set, an archive or memory, or the kept one is: not planned */
    uint64_t holding;   /* near enough, but what is compared is not all of it, as of mail with attachments: not planned */
} stemma_act_totals;
/* What is planned; nothing is done yet. */
STEMMA_API stemma_act_totals stemma_plan_totals(const stemma_plan *plan);

/* Each step as it would go now, nothing is touched. totals may be NULL. Errors: INTERRUPTED, NO_MEMORY, and those of
 * `take`, which may be NULL. */
STEMMA_API stemma_status stemma_plan_check(stemma_plan *plan, stemma_act_take *take, void *context,
                                           stemma_act_totals *totals, stemma_error *error);
/* Carries it out, once. The log is a new file, JSON lines. Errors: as of _check; INVALID (the log exists), and what
 * writing it meets: UNREADABLE, NOT_FOUND, NO_SPACE, IO. What was done by then is in the log, and in totals. */
STEMMA_API stemma_status stemma_plan_carry_out(stemma_plan *plan, const char *log, stemma_act_take *take,
                                               void *context, stemma_act_totals *totals, stemma_error *error);

/* Takes back what the log says, last step first: moved files go back, names that became links become files of their own
 * again, deleted files are copied from the identical one that was kept, with their mode, owner and time. What cannot be
 * restored is skipped, and its cause names the kept one. The log notes it; undoing again does no harm. dry: nothing is
 * touched. Errors: as of _carry_out; NOT_FOUND, UNREADABLE; CORRUPT and LATER_VERSION of the log, before anything is touched. */
STEMMA_API stemma_status stemma_undo(const char *log, bool dry, const stemma_limits *limits, stemma_act_take *take,
                                     void *context, stemma_act_totals *totals, stemma_error *error);

/* ---- 16. collections --------------------------------------------------------------------------- */

/*
 * A collection is a folder that remembers documents: their names, where they lie, and what is kept of their texts, so
 * that a document can be held against all of them at any threshold. The view is fixed when it is made. One process
 * writes at a time, any number read meanwhile; each sees the last commit, whatever becomes of the writer.
 *
 * The id of a document in a file is the file's path from the root on; of a record FILE:ID (or FILE:LINE), of one inside
 * an archive FILE!/MEMBER. Texts in memory, and records from standard input, have the ids they are given.
 */
typedef struct stemma_collection stemma_collection;

/* What is kept, besides names, digests and sizes. What is not wanted is not built. */
enum {
    STEMMA_PART_MINIMA = 1,  /* resemblance: minima, found by bands */
    STEMMA_PART_SAMPLES = 2, /* containment: Mod samples */
    STEMMA_PART_BITS = 4,    /* Hamming fingerprint, scanned */
    STEMMA_PART_GROUPS = 8,  /* its groups, found by lookup: algorithms G, H and multi-index hashing */
    STEMMA_PART_TEXT = 16    /* canonical texts, compressed */
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
} stemma_collection_options;
STEMMA_API stemma_collection_options stemma_collection_options_default(void);

/* A new one, empty and open to be written. The folder must not exist, or be empty. recipe, options and limits may be
 * NULL: the defaults. Of the recipe the view counts. Errors: INVALID, UNREADABLE, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_create(const char *path, const stemma_recipe *recipe,
                                                  const stemma_collection_options *options,
                                                  const stemma_limits *limits, stemma_collection **out,
                                                  stemma_error *error);
/* Errors: NOT_FOUND, UNREADABLE, CORRUPT, LATER_VERSION; INVALID where it is no collection, or another process writes;
 * NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_open(const char *path, const stemma_collection_options *options,
                                                const stemma_limits *limits, stemma_collection **out,
                                                stemma_error *error);
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
    bool prune; /* what the collection has below the paths, and is no longer there, is removed, but for more than a hundred
                   documents that are more than half of those below a path: then it is likelier that a disk is missing */
    bool prune_all; /* these, too */
} stemma_add_options;
STEMMA_API stemma_add_options stemma_add_options_default(void);

/* Documents, those inside files and records included. */
typedef struct stemma_add_summary {
    uint64_t added, replaced;
    uint64_t unchanged;     /* skipped: size and time are those they had, or at least the bytes */
    uint64_t removed;       /* by prune, and what files no longer hold */
    uint64_t problems;      /* could not be read, or was spared */
    uint64_t spared;        /* paths below which prune removed nothing, though files are gone */
    uint64_t repeated;      /* files that were reached once more, and records whose id was: counted once; the last record
                               of a data set with an id is the one that is kept */
    uint64_t bytes;         /* of what was added and replaced */
    double seconds;
} stemma_add_summary;

/* Adds files, folders, data sets and archives, as a scan reads them, in commits of what memory holds. What is there
 * unchanged is skipped, what has changed replaced. Files that cannot be read are problems, and what the collection has of
 * them stays. summary may be NULL. Errors: INVALID (it is not open to be written), INTERRUPTED, NO_MEMORY, NO_SPACE, IO,
 * CORRUPT; what was committed by then stays. */
STEMMA_API stemma_status stemma_collection_add(stemma_collection *collection, const char *const *paths, size_t count,
                                               const stemma_add_options *options, stemma_add_summary *summary,
                                               stemma_error *error);
/* What could not be read by the last _add, or was spared, and why; in the order of names and lines. NOT_FOUND: no more. Pointers stay
 * until the next _add. */
STEMMA_API stemma_status stemma_collection_get_problem(const stemma_collection *collection, uint64_t index,
                                                       stemma_scan_problem *problem, stemma_error *error);

/* A document in memory, or in place of the one with its id. It counts from the next commit on. Errors: INVALID,
 * UNREADABLE (what is no text has nothing to be found by, and is kept for its bytes alone), NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_add_text(stemma_collection *collection, const char *id, const void *data,
                                                    size_t size, stemma_error *error);
/* From the next commit on it is gone; with the path of a file go all documents inside it, too. *removed (may be NULL): how
 * many. Errors: NOT_FOUND; else as above. */
STEMMA_API stemma_status stemma_collection_remove(stemma_collection *collection, const char *id, uint64_t *removed,
                                                  stemma_error *error);
/* All whose ids match a glob (in which * stands for / too); *removed of them. */
STEMMA_API stemma_status stemma_collection_remove_matching(stemma_collection *collection, const char *glob,
                                                           uint64_t *removed, stemma_error *error);
/* All or nothing. When it fails the collection is as it was at the last commit. Errors: NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_commit(stemma_collection *collection, stemma_error *error);

/* A stream: is there anything like this document? And from now on it is there. What is like it is looked for among all
 * documents before it, those not committed yet included; a commit is made every second or thousand documents, when
 * the next one comes, and by _commit. Start from stemma_see_options_default(). */
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
    stemma_relation relation; /* of it towards the match; unrelated where it is new, unknown where it has no text either: then
                               * only what has the same bytes is found */
    stemma_quantity resemblance, a_in_b, b_in_a; /* a: the document */
} stemma_sighting;
/* Errors: as of _add_text, and of _query. */
STEMMA_API stemma_status stemma_collection_see(stemma_collection *collection, const char *id, const void *data, size_t size,
                                               const stemma_see_options *options, stemma_sighting *sighting,
                                               stemma_error *error);
/* A file, as one document whatever it holds. Errors: also NOT_FOUND, UNREADABLE, UNSUPPORTED (too large). */
STEMMA_API stemma_status stemma_collection_see_file(stemma_collection *collection, const char *path,
                                                    const stemma_see_options *options, stemma_sighting *sighting,
                                                    stemma_error *error);

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
} stemma_collection_document;
typedef stemma_status stemma_collection_take(void *context, const stemma_collection_document *document,
                                             stemma_error *error);
/* All documents that match the glob (NULL: all), in the order of the bytes of their ids. What `take` returns, if it is not OK, ends
 * it and is returned. Errors: CORRUPT, INTERRUPTED, NO_MEMORY, IO. */
STEMMA_API stemma_status stemma_collection_list(stemma_collection *collection, const char *glob,
                                                stemma_collection_take *take, void *context, stemma_error *error);

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
    uint64_t segments_due; /* some of them, that are to become one at the next commit, or when nothing comes; where it stays so,
                              damage keeps them from it, which verify tells */
    uint64_t commit;       /* how many there were; */
    int64_t committed;     /* when the last one was, in nanoseconds since 1970 */
    unsigned parts, bits, group_bits; /* STEMMA_PART_* that it keeps */
    const stemma_collection_part *part_list; /* belongs to the collection, until it is asked again */
    size_t part_count;
} stemma_collection_info;
STEMMA_API stemma_status stemma_collection_get_info(stemma_collection *collection, stemma_collection_info *info,
                                                    stemma_error *error);

/* ---- 16, asking: is there anything like this? ---- */

/* How candidates are found. What a collection does not keep cannot be asked. */
typedef enum stemma_via {
    STEMMA_VIA_AUTO = 0,    /* the cheapest that keeps the promises of stemma_collection_query */
    STEMMA_VIA_BANDS = 1,   /* resemblance alone, by looking up bands of minima */
    STEMMA_VIA_SAMPLES = 2, /* resemblance and containment, by looking up samples */
    STEMMA_VIA_SCAN = 3,    /* by reading the minima and samples of all documents */
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
    STEMMA_FROM_CHANGED = 2,  /* its sketch alone, since it has changed */
    STEMMA_FROM_GONE = 3      /* its sketch alone, since it is no longer there */
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
    double threshold; /* matches have this resemblance: .7; from .05 to 1, or 0: not asked for */
    double contained; /* or contain, or are contained in, the document to this share: .9; likewise */
    size_t top;       /* matches of a document at most: 10; 0: all */
    stemma_via via;
    bool edits;       /* also how far apart they are, and where they differ */
    bool family;      /* also what is like a match, and what is like that, and so on */
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

/* Pointers stay until `take` returns, which any thread may call, one at a time, while others go on reading. */
typedef struct stemma_match {
    const char *query; /* id of the document asked about; of a family, of the one from which this was reached */
    uint64_t place;    /* of the document asked about, in the order of input */
    uint64_t step;     /* 1: like the document itself; 2: like one of those, ... */
    const char *id;    /* in the collection */
    uint64_t number;
    stemma_relation relation; /* of query towards id */
    stemma_quantity resemblance, a_in_b, b_in_a; /* a: query */
    stemma_evidence source;
    stemma_edit edit;
    const stemma_alignment *alignment; /* where they differ; NULL: not asked for, or not known */
    bool extracted[2];                 /* its places are in extracted text: of query, of id */
} stemma_match;
typedef stemma_status stemma_take_match(void *context, const stemma_match *match, stemma_error *error);

/* What was done, and what it cost. */
typedef struct stemma_query_summary {
    uint64_t documents;         /* that were read, */
    uint64_t without_text;      /* some of them empty; */
    uint64_t problems;          /* and that could not be read */
    uint64_t found;             /* matches given */
    unsigned bands;             /* looked up for a document; 0: none */
    unsigned agree;             /* minima that candidates have in common at least */
    uint64_t scanned;           /* documents whose minima were read because that is cheaper, or bands do not suffice */
    uint64_t lookups, postings; /* keys asked for, numbers that came back */
    uint64_t common;            /* keys that so many documents have that they were left aside */
    uint64_t left_aside;        /* indexes that are damaged: answers came by other ways */
    uint64_t candidates, verified, unverified; /* unverified: more candidates than `top` asks for, worse by their sketches */
    uint64_t families_cut;      /* families that may be larger than family_most */
    uint64_t unasked;           /* members of families by fingerprints that were not asked about: their text is gone */
    double seconds_reading, seconds_finding, seconds_verifying; /* of all threads together */
} stemma_query_summary;

/*
 * What the collection has that is like these documents: files, folders, data sets and archives, as a scan reads them.
 * Matches are given document after document in the order of input, best first, as soon as all before them are known; what is
 * known earlier is held, within bounds.
 *
 * Of the documents with resemblance t + .05 and more at least .999 are found, of those with t at least .99, whatever t is;
 * of those that contain or are contained in the document to a share c, .99 where the contained one has a kilobyte or
 * more. Numbers are exact unless their source says otherwise; those that are not may be of documents below the thresholds.
 *
 * options and summary may be NULL. What `take` returns, if it is not OK, ends it and is returned. Errors: INVALID,
 * UNSUPPORTED (the collection does not keep what is asked), CORRUPT, INTERRUPTED, NO_MEMORY, IO.
 */
STEMMA_API stemma_status stemma_collection_query(stemma_collection *collection, const char *const *paths, size_t count,
                                                 const stemma_query_options *options, stemma_take_match *take,
                                                 void *context, stemma_query_summary *summary, stemma_error *error);
/* The same of a document in memory. */
STEMMA_API stemma_status stemma_collection_query_text(stemma_collection *collection, const char *id, const void *data,
                                                      size_t size, const stemma_query_options *options,
                                                      stemma_take_match *take, void *context,
                                                      stemma_query_summary *summary, stemma_error *error);

/* ---- 16, keeping: checks, backups, collections of several machines ---- */

/* Start from stemma_verify_options_default(). */
typedef struct stemma_verify_options {
    size_t size;      /* of this struct, as the caller knows it */
    bool repair;      /* what is damaged is made again from what is sound, as one commit */
    bool wait;        /* repair: while another process writes; else that is an error which names it */
    const char *user; /* repair: what others are told who holds it */
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

/* Reads every byte of a collection, and says what is damaged: that is no error. Without repair it is a reader. take and
 * summary may be NULL. Errors: NOT_FOUND, LATER_VERSION, INTERRUPTED, NO_MEMORY, NO_SPACE, IO; CORRUPT when so much is
 * damaged that nothing can be read or repaired. */
STEMMA_API stemma_status stemma_collection_verify(const char *path, const stemma_verify_options *options,
                                                  const stemma_limits *limits, stemma_take_finding *take,
                                                  void *context, stemma_verify_summary *summary,
                                                  stemma_error *error);

/* What the collection is now, as a collection in a new folder; a writer goes on meanwhile. link: files get a second name
 * instead of a copy where that can be, which takes no space, and guards against mistakes but not against a failing
 * disk. On failure nothing is left. Errors: UNREADABLE, INTERRUPTED, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_backup(stemma_collection *collection, const char *path, bool link,
                                                  stemma_error *error);
/* All documents as one file, for another machine; path "-" is standard output. documents may be NULL. */
STEMMA_API stemma_status stemma_collection_export(stemma_collection *collection, const char *path,
                                                  uint64_t *documents, stemma_error *error);

typedef struct stemma_merge_summary {
    uint64_t documents, added, replaced, unchanged;
} stemma_merge_summary;

/* The documents of another collection, or of a file that _export wrote, into one that is open to be written, as one commit
 * (what was changed before is committed first). prefix: put before each id, as "server1:", so that equal paths of
 * several machines stay apart; NULL: none. A document whose id is there is replaced. Errors: MISMATCH (they do not keep
 * the same), NOT_FOUND, CORRUPT, LATER_VERSION, INVALID, INTERRUPTED, NO_MEMORY, NO_SPACE, IO. */
STEMMA_API stemma_status stemma_collection_merge(stemma_collection *collection, const char *path,
                                                 const char *prefix, stemma_merge_summary *summary,
                                                 stemma_error *error);
/* A new collection, empty and open to be written, with view and parts of another one, or of a file that _export wrote. */
STEMMA_API stemma_status stemma_collection_create_like(const char *path, const char *model,
                                                       const stemma_collection_options *options,
                                                       const stemma_limits *limits, stemma_collection **out,
                                                       stemma_error *error);

/* ---- 16, Hamming fingerprints: who differs in at most r_h bits? ---- */

/* Start from stemma_hamming_options_default(). */
typedef struct stemma_hamming_options {
    size_t size;        /* of this struct, as the caller knows it */
    double resemblance; /* r = .7: the radius is r_h = floor(k (1 - r) / 2) of k bits */
    stemma_via via;     /* AUTO, SCAN, G, H or MIH: all find the same. Where groups cannot decide a scan answers */
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    void (*problem)(void *context, const stemma_scan_problem *problem); /* of each that could not be read; may be NULL */
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
typedef stemma_status stemma_take_hamming_match(void *context, const stemma_hamming_match *match, stemma_error *error);

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
} stemma_hamming_summary;

/* Fingerprints get another number of bits, a multiple of 8 up to 4096: no other part is written again. For more bits every
 * document is read again, from where it lies or from its stored text. It is a commit of its own, with what was not committed
 * before. Errors: INVALID (it is not open to be written, no such number), UNREADABLE (a document that is needed, with its
 * name), UNSUPPORTED (no fingerprints are kept), INTERRUPTED, NO_MEMORY, NO_SPACE, IO, CORRUPT. */
STEMMA_API stemma_status stemma_collection_resize_bits(stemma_collection *collection, unsigned bits,
                                                       stemma_error *error);

/* The bare range query on fingerprints: nothing is verified, so that there are matches which resemble the document less,
 * and documents which do are missed; how many says the number of bits. Nearest first, document after document. options
 * and summary may be NULL. Errors: INVALID (also when G would take too long, with its cost), UNSUPPORTED (no fingerprints are
 * kept), CORRUPT, INTERRUPTED, NO_MEMORY, IO. */
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

/* ---- 16, known files: which of these are versions of known ones? ---- */

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
    STEMMA_NO_TEXT = 3    /* empty; or binary, where the collection is of texts and has not the same bytes: make it with preset=raw */
} stemma_verdict;
/* "known", "unknown", "too-short", "no-text". */
STEMMA_API const char *stemma_verdict_name(stemma_verdict verdict);

/* Start from stemma_known_options_default(). */
typedef struct stemma_known_options {
    size_t size;      /* of this struct, as the caller knows it */
    double contained; /* known are files of which this share is in the signature of a known one: .5 */
    stemma_versions versions;
    const stemma_scan_options *reading; /* its input, threads and progress count; NULL: the defaults */
    void (*problem)(void *context, const stemma_scan_problem *problem); /* of each that could not be read; may be NULL */
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
    bool identical;              /* and the same bytes: then it is known, whatever else */
} stemma_known_file;
typedef stemma_status stemma_take_known_file(void *context, const stemma_known_file *file, stemma_error *error);

typedef struct stemma_known_summary {
    uint64_t files, known, too_short, without_text, problems;
} stemma_known_summary;

/* Whether files, binaries too, are versions of what the collection has, by samples of both: a file that was put together from two
 * versions is known as well. For this, collections are best made with preset=raw unit=byte window=20. One answer a file, in the order of
 * input. options and summary may be NULL. Errors: INVALID, UNSUPPORTED (no samples are kept), CORRUPT, INTERRUPTED, NO_MEMORY,
 * IO. */
STEMMA_API stemma_status stemma_collection_known(stemma_collection *collection, const char *const *paths, size_t count,
                                                 const stemma_known_options *options, stemma_take_known_file *take,
                                                 void *context, stemma_known_summary *summary, stemma_error *error);
/* ---- 17. controlled modifications --------------------------------------------------------------- */

/*
 * A text changed in a known way, to see what a method makes of it. The same text, mutation and seed give the same result
 * on every machine. No character of UTF-8 is ever cut; a byte that is none is left alone where characters are changed. A
 * word is a run of letters and digits; a character of a script without spaces is a word.
 */
typedef enum stemma_mutation_kind {
    STEMMA_MUTATE_INSERT = 0,        /* "a " before words at random places, which may coincide; amount of words */
    STEMMA_MUTATE_INSERT_EVENLY = 1, /* the same, evenly spread */
    STEMMA_MUTATE_REMOVE_WORDS = 2,  /* with the white space behind them; amount of words */
    STEMMA_MUTATE_SUBSTITUTE = 3,    /* characters by others of the text; amount of characters, line ends aside */
    STEMMA_MUTATE_DELETE_LINES = 4,  /* here and there; amount of lines */
    STEMMA_MUTATE_DELETE_BLOCKS = 5, /* `blocks` blocks of lines; amount of lines in all */
    STEMMA_MUTATE_CUT = 6,           /* `blocks` passages; amount of words in all */
    STEMMA_MUTATE_INSERT_RANDOM = 7, /* `blocks` passages of words that mean nothing; amount of words in all */
    STEMMA_MUTATE_INSERT_FOREIGN = 8, /* the same, passages of `other` */
    STEMMA_MUTATE_EXCERPT = 9,       /* one passage is left; amount of words */
    STEMMA_MUTATE_EMBED = 10,        /* such a passage, somewhere in `other` */
    STEMMA_MUTATE_SHUFFLE = 11,      /* paragraphs change places (lines, where nothing separates paragraphs); amount of them */
    STEMMA_MUTATE_REWRAP = 12,       /* lines of at most `columns` characters; all of them, whatever the amount */
    STEMMA_MUTATE_CASE = 13,         /* words change to upper or lower case; amount of words that have case */
    STEMMA_MUTATE_PUNCTUATION = 14,  /* signs become others; amount of signs */
    STEMMA_MUTATE_OCR = 15           /* misread, lost and torn as by a scanner; amount of letters */
} stemma_mutation_kind;
enum { STEMMA_MUTATION_KINDS = 16 };

/* "insert", "insert-evenly", ..., "ocr"; "" for what is no kind. */
STEMMA_API const char *stemma_mutation_name(stemma_mutation_kind kind);

/* Start from stemma_mutation_default(). */
typedef struct stemma_mutation {
    size_t size; /* of this struct, as the caller knows it */
    stemma_mutation_kind kind;
    uint64_t count; /* the amount, as a number; 0: by share */
    double share;   /* the amount as a share of all there are, 0 to 1; rounded to whole ones: .1 */
    uint32_t blocks;  /* 1 */
    uint32_t columns; /* 72 */
    uint64_t seed;
    const void *other; /* another text */
    size_t other_size;
} stemma_mutation;
STEMMA_API stemma_mutation stemma_mutation_default(void);

/* What was done: these bytes of the text became those of the result. Whatever no operation names is as it was. They are in
 * the order of both texts; but those that moved are in the order of the result alone, and nothing else happens with them. */
typedef enum stemma_operation_kind {
    STEMMA_OPERATION_INSERT = 0,
    STEMMA_OPERATION_DELETE = 1,
    STEMMA_OPERATION_REPLACE = 2, /* by as many characters, or others */
    STEMMA_OPERATION_MOVE = 3
} stemma_operation_kind;
STEMMA_API const char *stemma_operation_name(stemma_operation_kind kind); /* "insert" */

typedef struct stemma_operation {
    stemma_operation_kind kind;
    uint64_t a_begin, a_end, b_begin, b_end; /* bytes of the text, of the result */
} stemma_operation;

typedef struct stemma_mutated_info {
    uint64_t available; /* words, lines, ...: what the amount is of */
    uint64_t changed;   /* how many of them were inserted, deleted or changed; words of `other` around a passage are inserted */
    uint64_t edits;     /* characters inserted, deleted and replaced: the edit distance is at most this, and exactly this
                         * where all are insertions or all deletions; where something moved, see moved */
    uint64_t moved;     /* characters */
} stemma_mutated_info;

typedef struct stemma_mutated stemma_mutated;

/* An amount larger than what there is means all of it (of insertions as many as are asked for). A text that has nothing of
 * what is to be changed stays as it is. `text` and `other` are not kept. Errors: INVALID (`other` is needed; a share
 * beyond 0 to 1), NO_MEMORY. */
STEMMA_API stemma_status stemma_mutate(const void *text, size_t size, const stemma_mutation *mutation,
                                       stemma_mutated **out, stemma_error *error);
/* All belong to it. */
STEMMA_API const char *stemma_mutated_text(const stemma_mutated *mutated, size_t *size);
STEMMA_API const stemma_operation *stemma_mutated_operations(const stemma_mutated *mutated, size_t *count);
STEMMA_API stemma_mutated_info stemma_mutated_get_info(const stemma_mutated *mutated);
STEMMA_API void stemma_mutated_free(stemma_mutated *mutated);

#ifdef __cplusplus
}
#endif

#endif

/*
 * core.h - documents, recipes, sketches: two documents compared, exactly or by what was kept of them.
 */
#ifndef STEMMA_CORE_H
#define STEMMA_CORE_H

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

/* ---- versions, statuses, errors -------------------------------------------------------------- */

#define STEMMA_VERSION_MAJOR  0
#define STEMMA_VERSION_MINOR  1
#define STEMMA_VERSION_PATCH  0
#define STEMMA_VERSION_STRING "0.1.0"

/* The version of the library that is running, for instance "0.1.0". */
STEMMA_API const char *stemma_version(void);

/* The instruction set the kernels use here: "portable", "avx2" or "avx512".
 * STEMMA_CPU in the environment lowers it (for tests); results never depend on it. */
STEMMA_API const char *stemma_cpu(void);

/* X(name, number, text): the numbers are pinned, new ones are added at the end of their kind. */
#define STEMMA_STATUS_LIST(X)                                                                                \
    X(STEMMA_OK, 0, "no error")                                                                              \
    /* the caller */                                                                                         \
    X(STEMMA_INVALID, 1, "invalid argument")                                                                 \
    X(STEMMA_UNSUPPORTED, 2, "the recipe cannot answer this")                                                \
    /* the machine */                                                                                        \
    X(STEMMA_NO_MEMORY, 10, "out of memory")                                                                 \
    X(STEMMA_IO, 11, "input/output error")                                                                   \
    X(STEMMA_NO_SPACE, 12, "no space left")                                                                  \
    X(STEMMA_INTERRUPTED, 13, "interrupted")                                                                 \
    /* the data */                                                                                           \
    X(STEMMA_UNREADABLE, 20, "cannot be read")                                                               \
    X(STEMMA_CORRUPT, 21, "damaged data")                                                                    \
    X(STEMMA_LATER_VERSION, 22, "made by a later version")                                                   \
    X(STEMMA_NOT_A_SKETCH, 23, "not a sketch file")                                                          \
    /* two things that do not go together */                                                                 \
    X(STEMMA_MISMATCH, 30, "the recipes differ")                                                             \
    /* nothing there */                                                                                      \
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

/* ---- recipes --------------------------------------------------------------------------------- */

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
 * and edit-distance signatures, made of the characters of the canonical text (the bytes, where nothing is
 * folded and the unit is not char), whatever words and windows are:
 *   signature n=N c=C alphabet=A positions=no
 *                      of the windows of N characters (1 to 64) one in C (1 to 2^20) leaves a symbol, one of
 *                      A (2 to 65536), in the order of the text. A window that equals one of the N before it
 *                      leaves none. With positions=yes it also leaves the byte of the original where it
 *                      begins. Signatures of one N compare at the coarser of two C when one is a power of
 *                      two times the other and both A are powers of two.
 *   signature2011 n=N c=C k=K
 *                      windows of N bytes whose sum is K mod C leave a bit (Coates 2011; for comparison with
 *                      that paper)
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

/* ---- comparing two documents ----------------------------------------------------------------- */

/* How the first document relates to the second. */
typedef enum stemma_relation {
    STEMMA_IDENTICAL = 0,      /* the same bytes */
    STEMMA_SAME_TEXT = 1,      /* the same canonical text */
    STEMMA_NEAR_DUPLICATE = 2, /* resemblance at or above the threshold */
    STEMMA_CONTAINED = 3,      /* the first is contained in the second */
    STEMMA_CONTAINS = 4,       /* the first contains the second */
    STEMMA_RELATED = 5,        /* above chance, below the thresholds */
    STEMMA_UNRELATED = 6,
    STEMMA_UNKNOWN = 7 /* nothing to judge by: no text, less than a window of it, or no sample */
} stemma_relation;

/* "near-duplicate" and so on. */
STEMMA_API const char *stemma_relation_name(stemma_relation relation);

/* A number and how far to trust it. When known is false the others are 0 and `why` says why. */
typedef struct stemma_quantity {
    double value;
    double low, high; /* 95 % interval; both equal value when exact */
    bool exact;
    bool known;
    const char *why; /* static text when not known, else NULL */
} stemma_quantity;

/* Where the lines are drawn, each from 0 to 1. Start from stemma_thresholds_default(). */
typedef struct stemma_thresholds {
    size_t size;        /* of this struct, as the caller knows it */
    double resemblance; /* near-duplicate from here: .7 */
    double containment; /* contained from here: .9 */
    double chance; /* related above this resemblance or containment: .05; an estimate counts only when its
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
    STEMMA_EDITS_UNKNOWN =
        5 /* too short to tell, or no difference shows, which does not prove that there is none */
} stemma_edit_kind;

/* "scattered" and so on. */
STEMMA_API const char *stemma_edit_kind_name(stemma_edit_kind kind);

typedef struct stemma_edit {
    stemma_quantity distance;  /* insertions, deletions and substitutions of characters of the canonical text,
                                * or of bytes where nothing is folded and the unit is not char */
    uint64_t more_than;        /* where an exact search was given up: the distance is above this; else 0 */
    stemma_quantity unrelated; /* the distance of unrelated texts of these lengths */
    double p_unrelated; /* an upper bound of the probability that unrelated texts agree as much as these */
    stemma_edit_kind kind;
    uint64_t blocks; /* passages added, dropped or replaced */
    uint64_t length_a, length_b;
    stemma_edit_unit unit;
} stemma_edit;

typedef struct stemma_comparison {
    stemma_relation relation;
    stemma_quantity resemblance;
    stemma_quantity a_in_b, b_in_a; /* containment */
    stemma_quantity cosine;         /* known only where a simhash was compared */
    stemma_edit edit; /* known only where both sketches have a signature; else see stemma_edit_texts */
    uint64_t shingles_a, shingles_b, shingles_common; /* distinct shingles; 0 unless exact */
    bool from_sketches;
    bool certain; /* nothing that the intervals allow would change the relation, nor what is not known */
} stemma_comparison;

/* The encoding of a document. */
typedef enum stemma_encoding {
    STEMMA_ENCODING_AUTO = 0, /* by the bytes: UTF-8, UTF-16, Latin-1, frequent ones of Asia and Cyrillic */
    STEMMA_ENCODING_UTF8 = 1,
    STEMMA_ENCODING_UTF16LE = 2,
    STEMMA_ENCODING_UTF16BE = 3,
    STEMMA_ENCODING_LATIN1 = 4, /* read as Windows-1252, which contains its letters */
    STEMMA_ENCODING_UTF16 = 5,  /* by its byte order mark, else little-endian */
    STEMMA_ENCODING_MOST = 255  /* those of single languages are in between: stemma_encoding_named has them */
} stemma_encoding;

/* Any encoding by its name ("gb18030", "Shift_JIS", "cp1251"), whatever the case and the hyphens; NOT_FOUND
 * where there is none. The numbers stay. And the name of a number, NULL where there is none: from 0 to MOST
 * they can be listed. */
STEMMA_API stemma_status stemma_encoding_named(const char *name, stemma_encoding *out, stemma_error *error);
STEMMA_API const char *stemma_encoding_name(stemma_encoding encoding);

/* What an operation may use, and how it reads documents. Start from stemma_limits_default(); where limits may
 * be NULL, that is meant. */
typedef struct stemma_limits {
    size_t size;   /* of this struct, as the caller knows it */
    size_t memory; /* bytes for the fingerprints of one document: 1 GiB, never less than 256 KiB. Full sets
                    * and labels beyond it are spilled to disk; a sample or a text that outgrows it is
                    * refused, with UNSUPPORTED. Of a scan: for all of it */
    const char *temporary_directory; /* for what is spilled; NULL: TMPDIR, else /tmp */
    const volatile int *stop;        /* when it becomes non-zero, work ends with INTERRUPTED; NULL: never */
    stemma_encoding encoding;        /* of documents; AUTO */
    unsigned converter_seconds;      /* for a program that converts a document (PDF); 0: 30 */
    size_t converter_memory;         /* likewise, its bytes of memory, each time it runs; 0: 1 GiB */
    /* Told of each document that is used but may lack text, since something in it could not be read: a PDF
     * that had to be repaired, a part that is missing. NULL: nobody is. Of scans and collections these are
     * problems (stemma_scan_problem), and it is not called. */
    void (*warn)(void *context, const char *name, const char *message);
    void *warn_context;
    const char *text_field, *id_field; /* of documents that are records of a data set, FILE:ID; NULL: "text",
                                        * "id". Of a scan its options say it */
    uint64_t most_unpacked; /* bytes that a compressed document, or a file with the document inside, may
                             * unpack to; 0: 1000 times its own, and 64 MiB. What the options of a scan or
                             * finder say of it comes first */
} stemma_limits;

STEMMA_API stemma_limits stemma_limits_default(void);

/*
 * What is compared is the text of a document, under recipes that fold more than white space: of HTML,
 * Markdown, XML, RTF, PDF, DOCX, ODT, PPTX, ODP, XLSX, ODS and EPUB what a reader sees of them, of plain text
 * in UTF-16 or Latin-1 its characters. HTML is known by how it begins, or by its name (.html .htm .xhtml),
 * Markdown by its name (.md .markdown .mdown), the others by their bytes. PDF is converted by poppler's
 * pdftotext, in a child process under limits; where it is not found, that is UNSUPPORTED. A document that is
 * damaged is CORRUPT, one that is encrypted or goes beyond the limits UNSUPPORTED. Pictures, programs and the
 * like have no text: two of them are identical, or nothing is known. Under the presets raw and code
 * everything is taken as it is. Only plain UTF-8 is read in pieces: what has to be converted is refused, with
 * UNSUPPORTED, when it takes more memory than the limits allow.
 */

/* Compare two files, exactly: resemblance and containment from the full shingle sets.
 * "-" is standard input. recipe, thresholds and limits may be NULL: the defaults.
 * Errors: INVALID (also for a keyed recipe without its key), UNREADABLE, NOT_FOUND, UNSUPPORTED, CORRUPT, IO,
 * NO_SPACE, NO_MEMORY, INTERRUPTED. */
STEMMA_API stemma_status stemma_compare_files(const char *a, const char *b, const stemma_recipe *recipe,
                                              const stemma_thresholds *thresholds,
                                              const stemma_limits *limits, stemma_comparison *out,
                                              stemma_error *error);

/* The same for documents in memory. */
STEMMA_API stemma_status stemma_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size,
                                              const stemma_recipe *recipe,
                                              const stemma_thresholds *thresholds,
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

/* ---- sketches -------------------------------------------------------------------------------- */

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
    uint32_t n, mod, width; /* as in the recipe (width: its bits); 0 where the scheme has none */
    const uint64_t *values; /* samples, minima or chunk values */
    size_t value_count;
    const uint8_t *bits; /* b-bit schemes, simhash: packed, eight to a byte, first bit lowest */
    size_t bit_count;
    const uint64_t *smallest; /* mod, level: the smallest fingerprints, where the sample is very small */
    size_t smallest_count;
    uint32_t level;    /* level: the exponent */
    bool complete;     /* min, minmod: the values are all there were */
    uint32_t filled;   /* oph: bins with a value of their own */
    uint64_t distinct; /* oph, minhash: estimated number of distinct shingles */
    uint32_t c, k,
        alphabet; /* signature, signature2011: as in the recipe (signature2011: its alphabet is 2) */
    const uint16_t *symbols; /* signature, signature2011: in the order of the text, each below alphabet */
    size_t symbol_count;
    const uint64_t *positions; /* signature with positions=yes: of each symbol the byte of the original where
                                * its window begins; else NULL */
    uint64_t length; /* signature: characters of the text; signature2011: bytes of the canonical text */
    double agree;    /* signature, signature2011: chance that two of these, drawn at random, agree */
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
STEMMA_API stemma_status stemma_sketch_union(const stemma_sketch *a, const stemma_sketch *b,
                                             stemma_sketch **out, stemma_error *error);

/* ---- streaming ------------------------------------------------------------------------------- */

/* A text that comes in pieces, which are taken as they are: as UTF-8, without markup. The result does not
 * depend on where it was cut. */
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

/* ---- bundles --------------------------------------------------------------------------------- */

/* One or many sketches of one recipe as bytes: documented in docs/format.md, versioned, checksummed,
 * the same on every machine. */
typedef struct stemma_writer stemma_writer;
typedef struct stemma_reader stemma_reader;

/* The file appears under its name only when _close succeeds. Errors: IO, NO_SPACE, UNREADABLE, NO_MEMORY. */
STEMMA_API stemma_status stemma_writer_open(const char *path, stemma_writer **out, stemma_error *error);
/* All sketches of a bundle have one recipe. Errors: MISMATCH (the sketch is left out), IO, NO_SPACE,
 * NO_MEMORY (the bundle is lost: _close will fail too). */
STEMMA_API stemma_status stemma_writer_add(stemma_writer *writer, const stemma_sketch *sketch,
                                           stemma_error *error);
STEMMA_API stemma_status stemma_writer_close(stemma_writer *writer,
                                             stemma_error *error); /* frees, also on failure */
STEMMA_API void stemma_writer_abandon(stemma_writer *writer);      /* nothing appears; frees */

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

#ifdef __cplusplus
}
#endif

#endif

/*
 * Canonical texts for verification: kept from the reading as long as memory allows, read again otherwise.
 *
 * A text that is read again must be what it was: its identity says so. Of compressed data sets, which cannot
 * be entered in the middle, texts_recall goes through once more and keeps those that will be asked for, in
 * memory or, beyond it, in an unnamed file.
 */
#ifndef SCAN_TEXTS_H
#define SCAN_TEXTS_H

#include "base/buf.h"
#include "base/error.h"
#include "kernels/kernels.h"
#include "read/dataset.h"
#include "read/document.h"

struct stemma_scan;

/* What texts are kept in. */
struct text_chunk {
    uint8_t *bytes; /* NULL: it was given up */
    size_t size;
    uint32_t first, last; /* the classes with a text in it are among these */
    bool open;            /* somebody is writing to it */
};

/* Memory of chunks that were given up, for others of the same size: to clear new pages takes the system
 * longer than it takes to read a text into them. */
struct text_spare {
    struct text_spare *next;
};

/* Down to chunks under the catalogue's lock. */
struct texts {
    size_t budget;                  /* bytes that chunks and what is resident may take together, */
    size_t most;                    /* and chunks alone */
    size_t used;                    /* by chunks */
    size_t given_up;                /* chunks before this one; */
    size_t untrimmed;               /* bytes of these that the system may not have back yet */
    bool large_pages;               /* for chunks */
    struct text_spare *spares;      /* all of spare_size; */
    size_t spare_size, spare_bytes; /* not used, and there */
    struct text_chunk *chunks;
    size_t chunk_count, chunk_cap;
    enum { RECALLED_NONE, RECALLED_NEW, RECALLED_CANDIDATES } recalled;
    bool recalled_grouped;
    int spool;              /* unnamed file, or -1 */
    uint64_t spooled;       /* bytes in it */
    uint64_t *spool_places; /* by class, place + 1; NULL: none */
};

/* A status of reading a document: where the machine failed in that, the document cannot be read, and the scan
 * goes on; where it failed with what the scan itself writes, it does not. */
static inline stemma_status of_document(stemma_status status) {
    return status == STEMMA_IO ? STEMMA_UNREADABLE : status;
}

/* What came of making the text of a document. */
struct extraction {
    bool made;
    stemma_status status;
    stemma_error error;
    struct document_text text;
};

/* One worker's means to read documents. */
struct text_reader {
    struct stemma_scan *scan;
    struct extractor extractor;
    struct extraction ahead; /* of the document whose format was asked for, if that took it */
    struct whole *whole;
    struct record_reader records;
    struct buf bytes;
    bool roomy;       /* a text may be as long as a record */
    uint32_t fetched; /* the class whose text was asked for last: a failure is its fault */
    size_t chunk;     /* it began last, */
    struct buf room;  /* with the texts that it kept there, */
    size_t touched;   /* and so many bytes that are there already */
};

stemma_status text_reader_init(struct text_reader *reader, struct stemma_scan *scan, stemma_error *err);
void text_reader_release(struct text_reader *reader);

/* All bytes of a file, into reader->bytes; *huge when they are more than may be held. */
stemma_status text_reader_read(struct text_reader *reader, const char *path, bool *huge, stemma_error *err);

/* As what bytes are read: by the name, which may be NULL, how they begin, and where that does not tell, all
 * of them. */
stemma_status text_reader_format(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                 size_t size, enum text_format *out, stemma_error *err);

/* The canonical text of a document's bytes, which lasts until the next call; of those whose format was asked
 * for, if it was. */
stemma_status text_reader_canon(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                size_t size, const uint8_t **text, size_t *text_size, bool *binary,
                                stemma_error *err);

/* As what bytes are read, by the name and how they begin alone. */
stemma_status reading_format(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                             size_t size, enum text_format *out, stemma_error *err);

/* How a document is read that is converted alone, the others waiting: it may take more memory. */
struct document_options alone_options(const struct stemma_scan *scan);

/* The text of a document that was entered before, read again; it lasts until the next call. */
struct document;
stemma_status text_reader_source(struct text_reader *reader, const struct document *document,
                                 struct document_text *out, stemma_error *err);

/* The canonical text of a class; *text is the cached one, or a copy in `room`. CORRUPT when it changed
 * meanwhile. */
stemma_status text_fetch(struct text_reader *reader, uint32_t class, struct buf *room, const uint8_t **text,
                         size_t *size, stemma_error *err);

/* So many bytes of documents were listed. */
void texts_expect(struct texts *texts, uint64_t bytes);

/* Keep the text of a class that was just read, if there is room. */
void texts_keep(struct text_reader *reader, uint32_t class, const uint8_t *text, size_t size);

/* After a document was entered: texts give way to what has to be resident. NO_MEMORY when that alone is more
 * than is allowed. */
stemma_status texts_make_room(struct stemma_scan *scan, stemma_error *err);

/* When all is read and matched: what is free now is for texts, too. */
void texts_share_anew(struct stemma_scan *scan);
size_t texts_room(const struct stemma_scan *scan); /* bytes, for texts that are not large */
void texts_give_up_all(struct stemma_scan *scan);
/* Read the text of a class again, and keep it if there is room. Errors: as of text_fetch. */
stemma_status text_read_ahead(struct text_reader *reader, uint32_t class, stemma_error *err);

/* Whether its text cannot be read again by itself. */
bool text_in_order_only(const struct stemma_scan *scan, const struct document *document);

/* Where the document of a class lies; to be sorted into the order of the files. */
struct text_place {
    uint64_t offset;
    uint32_t source, class;
};
struct text_place text_place_of(const struct stemma_scan *scan, uint32_t class);
void text_places_sort(struct text_place *places, size_t count);

/* Whether one of a pair of ranks is new to the cache: what is known of the other is of no use then. */
bool texts_any_new(const struct stemma_scan *scan, uint64_t pair);

/* Make sure of such texts that will be asked for: a bit a class. */
stemma_status texts_recall(struct stemma_scan *scan, const uint8_t *needed, stemma_error *err);
/* The same for all that are in a candidate pair. */
stemma_status texts_recall_candidates(struct stemma_scan *scan, stemma_error *err);
/* The same for these pairs, and others that are likely to be asked for next: few calls read anything. */
stemma_status texts_recall_pairs(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                 stemma_error *err);
/* The same for all that are in a group. */
stemma_status texts_recall_grouped(struct stemma_scan *scan, stemma_error *err);
void texts_init(struct texts *texts);
void texts_release(struct texts *texts, unsigned threads);

#endif

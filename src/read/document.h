/*
 * The text of a document: plain text in any of the usual encodings, HTML, Markdown, XML, RTF, office
 * documents, books.
 *
 * Bytes that are UTF-8 text already are handed through as they are. Decisions follow from the first
 * DOCUMENT_HEAD bytes and the name alone, so a long document can be told from its beginning; only what has to
 * be converted is needed as a whole. A beginning in ASCII leaves the encoding open (late_text.h). The rules and their reasons: docs/design/formats.md.
 */
#ifndef READ_DOCUMENT_H
#define READ_DOCUMENT_H

#include "base/error.h"
#include "read/encoding.h"
#include "read/format.h"
#include "read/reading_limits.h"

#define DOCUMENT_HEAD ENCODING_SAMPLE

enum format_choice {
    FORMAT_AUTO,
    FORMAT_BYTES, /* whatever it is, its bytes as they are */
    FORMAT_PLAIN,
    FORMAT_HTML,
    FORMAT_MARKDOWN
};

/* Grows when the text that is made of some document becomes another, so that what was made of it is made
 * anew. */
#define DOCUMENT_READING 6

struct document_options {
    enum encoding encoding;
    enum format_choice format;
    struct reading_limits limits;
};

/* What is read under a view with these folds: the text, or the bytes where the view
 * takes them as they are. */
struct document_options document_options_for(unsigned folds, const stemma_limits *limits);

struct document_kind {
    enum text_format format;
    enum encoding encoding;
    size_t mark;    /* bytes of a byte order mark, which is not text */
    bool converted; /* the text is other bytes than those behind the mark */
    bool declares;  /* HTML whose own word on its encoding counts */
    bool open;      /* plain text, of which what follows tells UTF-8 from Latin-1: see late_text.h */
};

/* From all bytes, or the first DOCUMENT_HEAD of them; name may be NULL. */
struct document_kind document_look(const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *options);

struct document_text {
    const uint8_t *bytes; /* the text, UTF-8 where it was decoded: of the extractor, or of the input */
    size_t size;
    enum text_format format;
    enum encoding encoding;
    bool extracted; /* other bytes than the input's; if not, it begins with or behind a mark of the input */
    const char *damage; /* what of the document could not be read, of the extractor; NULL: it is sound, for
                           all that is known */
};

/* Scratch of one worker, for any number of documents. A zeroed one is ready. */
struct extractor {
    struct buf decoded, text;
    struct buf unpacked[2]; /* of what is compressed, and compressed again */
    stemma_error damage;    /* see damage.h */
    bool too_long;          /* the last document was refused since its text takes more memory than allowed */
};
void extractor_release(struct extractor *extractor);

/* The text of a document, valid until the next call or the release. Errors, with the name in the message:
 * CORRUPT, UNSUPPORTED (encrypted, or beyond the limits); NO_MEMORY, INTERRUPTED. */
stemma_status document_extract(struct extractor *extractor, const char *name, const uint8_t *bytes,
                               size_t size, const struct document_options *options, struct document_text *out,
                               stemma_error *err);

/* What is told of a document that is used all the same; name may be NULL. The status is OK. */
void document_tell_damage(const char *name, const char *damage, stemma_error *out);

#endif

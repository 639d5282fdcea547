/*
 * Files that hold documents: archives (zip, tar, 7z), mail with attachments, mailboxes, crawls (WARC); each
 * of them compressed, too, and one inside the other.
 *
 * They are gone through in order, piece by piece, and nothing is ever written. A document in one has the id
 * FILE!/MEMBER, or FILE!/MEMBER!/MEMBER and so on. docs/design/containers.md says what is a container and
 * what is a document, and why the limits are as they are.
 */
#ifndef READ_CONTAINER_H
#define READ_CONTAINER_H

#include "read/document.h"
#include "read/stream.h"

enum container_kind {
    CONTAINER_NONE,
    CONTAINER_MAIL, /* a document that also has attachments */
    CONTAINER_ARCHIVE,
    CONTAINER_MBOX,
    CONTAINER_WARC
};

#define CONTAINER_SEPARATOR "!/"
#define CONTAINER_DEPTH     16 /* one inside the other; compression counts */

/* What it is by all of its bytes, or the first DOCUMENT_HEAD of them;
 * also of what is compressed. NO_MEMORY. */
stemma_status container_look(const char *name, const uint8_t *bytes, size_t size,
                             const struct document_options *options, enum container_kind *out,
                             stemma_error *err);

/* Whether what is compressed is a mail, by its beginning. */
stemma_status container_packed_mail(const uint8_t *bytes, size_t size, size_t window_most, bool *out,
                                    stemma_error *err);

struct contained {
    const char *id; /* all of it; valid until the visitor returns, as are the bytes */
    const uint8_t *bytes;
    size_t size;
    uint64_t number;          /* from 0, the same each time */
    enum container_kind kind; /* whether what is in it follows */
};

struct container_visitor {
    void *context;
    stemma_status (*document)(void *context, const struct contained *document, stemma_error *err);
    /* What cannot be read, by its id; the rest goes on. */
    void (*problem)(void *context, const char *id, const stemma_error *cause);
    bool enough; /* set by the visitor: nothing more is wanted */
    bool *more;  /* set where a mail has words that are in none of its documents; NULL: nobody asks */
    /* Set by the walk: with at least so much for held_most it would have gone the same way; or, if it met
     * that limit, with nothing else. */
    size_t held;
    bool tight;
};

struct container_options {
    struct document_options document; /* of its limits unpacked_most counts at least 4096 a member */
    size_t held_most;                 /* bytes of members that are in memory at a time */
    size_t held_freely; /* from here on `wait` is called once, then `go_on` when it is less again; 0: never */
    void (*wait)(void *context);
    void (*go_on)(void *context);
    void *context;
    const volatile int *stop;
};

/* Fails when the visitor does, when interrupted, or when memory is refused; anything else is a problem. The
 * stream is at its beginning, its name is the id of the file. */
stemma_status container_walk(const struct stream *stream, const struct container_options *options,
                             struct container_visitor *visitor, stemma_error *err);

/* The bytes of the document with this id, in a file that is the first part of it.
 * NOT_FOUND: there is none. */
stemma_status container_read(const char *id, const struct container_options *options, struct buf *bytes,
                             stemma_error *err);
/* Whether these bytes, or the first DOCUMENT_HEAD of them, are no text that anybody reads, but hold
 * documents; those of a mailbox are text. NO_MEMORY. */
stemma_status container_is_archive(const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *reading, bool *out, stemma_error *err);
/* Fails, and says what is in it: of a container where a document was asked for. */
stemma_status container_refuse(const struct stream *stream, const struct container_options *options,
                               stemma_error *err);
/* The same of bytes in memory, if they are an archive. */
stemma_status container_refuse_archive(const char *name, const uint8_t *bytes, size_t size,
                                       const struct container_options *options, stemma_error *err);
/* Whether an id names something in a container, if there is no file of that name. */
bool container_is_id(const char *id);

#endif

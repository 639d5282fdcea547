/*
 * The members of zip, tar and 7z archives, through libarchive: in the order in which they stand, each read
 * piece by piece. Nothing is ever written, so names are names and nothing else.
 */
#ifndef READ_ENTRIES_H
#define READ_ENTRIES_H

#include "read/stream.h"

struct entries;

struct entry {
    const char *name; /* as the archive says, in UTF-8 where that is known; valid until the next one */
    bool file;        /* not a folder, a link or a device */
    bool encrypted;
};

/* Of a stream at its beginning, which is copied. 7z has to be seekable, and zip is read better if it is. */
stemma_status entries_new(const struct stream *stream, struct entries **out, stemma_error *err);
/* *more is false at the end. CORRUPT: the archive cannot be read further. */
stemma_status entries_next(struct entries *entries, struct entry *entry, bool *more, stemma_error *err);
/* Of the member: some bytes, *got is 0 at its end. CORRUPT: this member is damaged; id is for the message. */
stemma_status entries_read(struct entries *entries, const char *id, uint8_t *bytes, size_t size, size_t *got,
                           stemma_error *err);
void entries_free(struct entries *entries);

#endif

/*
 * Plain text in pieces that was ASCII so far: the first other byte, with what follows it, tells whether it is
 * UTF-8 or Latin-1. Until that is known the piece with that byte and those behind it are held. However the
 * text is cut, it comes out as document_extract would have made it of the whole.
 */
#ifndef READ_LATE_TEXT_H
#define READ_LATE_TEXT_H

#include "base/error.h"
#include "read/encoding.h"

/* A zeroed one takes ASCII; one whose encoding is UTF-8 hands everything through. */
struct late_text {
    enum encoding encoding; /* ENCODING_AUTO: not known yet */
    struct buf held, decoded;
    size_t ascii; /* bytes held in front of the first that is none */
};
void late_text_release(struct late_text *late);

/* The next piece becomes the text that may go on, which may be none yet; valid until the next call, or as
 * long as the piece is. */
stemma_status late_text_take(struct late_text *late, const uint8_t **bytes, size_t *size, stemma_error *err);

/* No more pieces: the text that was held. */
stemma_status late_text_finish(struct late_text *late, const uint8_t **bytes, size_t *size,
                               stemma_error *err);

#endif

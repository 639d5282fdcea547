/* What a stemma_text is, for those who align two of them. */
#ifndef API_TEXT_H
#define API_TEXT_H

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "text/tokens.h"

struct stemma_text {
    struct buf source; /* the original, or the text that was extracted from it */
    bool extracted;
    bool binary;                   /* the original is no text: there are no tokens */
    uint64_t original_size;        /* of the original, where the source is not it, */
    uint8_t original[DIGEST_SIZE]; /* and its digest */
    struct buf text;               /* its canonical form */
    struct offset_map map;
    enum unit unit;
    unsigned folds;
    struct packed_token *tokens;
    size_t count, cap;
    uint64_t *lines_before; /* line ends before each block of the source */
};

/* Of a document in memory, whose name decides on the format; NULL: its bytes alone do. */
stemma_status text_of_document(const void *bytes, size_t size, const char *name, const stemma_recipe *recipe,
                               const stemma_limits *limits, stemma_text **out, stemma_error *err);

/* Of a text that was taken out of its document before: UTF-8, in which nothing is to be read but itself. */
stemma_status text_of_text(const void *text, size_t size, const stemma_recipe *recipe,
                           const stemma_limits *limits, stemma_text **out, stemma_error *err);

/* As text_of_document of bytes that are taken over, whatever happens. */
stemma_status text_take(struct buf *source, const char *name, const stemma_recipe *recipe,
                        const stemma_limits *limits, stemma_text **out, stemma_error *err);

/* What there is behind the bytes that were read, if the text may be held. */
struct input;
stemma_status text_read_rest(struct input *input, const stemma_limits *limits, struct buf *bytes,
                             stemma_error *err);

/* The bytes of the original that a token came from. */
uint64_t text_source_begin(const struct stemma_text *text, size_t token);
uint64_t text_source_end(const struct stemma_text *text, size_t token);
/* The tokens from `first` to before `end`, none of them where the two are one. */
stemma_place text_place(const struct stemma_text *text, size_t first, size_t end);

#endif

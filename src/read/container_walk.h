/* What those who go through one kind of container share: container.c has the archives,
 * mail and compression. */
#ifndef READ_CONTAINER_WALK_H
#define READ_CONTAINER_WALK_H

#include "base/key_table.h"
#include "kernels/kernels.h"
#include "read/container.h"
#include "read/mail_header.h"

enum {
    MEMBER_LEAST = 4096, /* what a member counts for, so that many empty ones come to an end, too */
    PIECE = 1 << 16
};

struct walk {
    const struct container_options *options;
    struct container_visitor *visitor;
    const char *file;
    struct buf id;          /* of what is being read, without a NUL */
    struct key_table names; /* of members, by the keys of their ids */
    uint64_t unpacked, unpacked_most, number;
    size_t held;
    unsigned depth;
    bool over;   /* a limit was met: nothing more of this file */
    bool failed; /* the visitor did: that is no problem of the file */
};

/* The id of what is being read. */
const char *walk_id(struct walk *walk);

/* A member with this name begins; *before is what walk_pop takes. UNSUPPORTED: the file has unpacked to too
 * much. */
stemma_status walk_push(struct walk *walk, const char *name, size_t *before, stemma_error *err);
void walk_pop(struct walk *walk, size_t before);

/* A failure of what is being read is a problem of that, and does not end the rest: what does is returned. */
stemma_status walk_told(struct walk *walk, stemma_status status, const stemma_error *cause,
                        stemma_error *err);
bool walk_goes_on(const struct walk *walk);

/* UNSUPPORTED when it was too much. */
stemma_status walk_count(struct walk *walk, uint64_t bytes, stemma_error *err);

/* Bytes that the walk holds; a zeroed one is empty. */
struct holding {
    struct buf bytes; /* with room for KERNEL_SLACK bytes more */
    size_t counted;
};
/* Room for a piece more; *room: whether so much may be held. */
stemma_status holding_grow(struct walk *walk, struct holding *holding, bool *room, stemma_error *err);
size_t holding_room(const struct holding *holding);
/* Adds them; *room as above. */
stemma_status holding_add(struct walk *walk, struct holding *holding, const uint8_t *bytes, size_t size,
                          bool *room, stemma_error *err);
void holding_release(struct walk *walk, struct holding *holding);
stemma_status walk_too_large(struct walk *walk, stemma_error *err);

/* A document that is there as a whole, and what is inside it. */
stemma_status walk_give(struct walk *walk, const char *name, const uint8_t *bytes, size_t size,
                        stemma_error *err);

/* The same with the type that its header has: a text in a charset that only this tells becomes UTF-8. */
stemma_status walk_give_typed(struct walk *walk, const char *name, struct text_span type,
                              const uint8_t *bytes, size_t size, stemma_error *err);

/* ---- kinds ---- */

stemma_status walk_mbox(struct walk *walk, struct stream *stream, stemma_error *err);
stemma_status walk_warc(struct walk *walk, struct stream *stream, stemma_error *err);

#endif

/*
 * Whatever a container holds, it is the same each time, whether it lies in memory or comes in pieces of any
 * size; and no more is held or unpacked than was allowed.
 *
 * Input: a byte that chooses the pieces, the container.
 */
#include "fuzz.h"

#include "read/container.h"

enum { HELD = 1 << 20, UNPACKED = 1 << 22 };

struct seen {
    struct buf all; /* ids and bytes */
    uint64_t bytes, count;
};

static stemma_status take(void *context, const struct contained *document, stemma_error *err) {
    struct seen *seen = context;
    (void)err;
    REQUIRE(!strncmp(document->id, "file!/", 6) && document->number == seen->count++);
    REQUIRE(document->size <= HELD);
    REQUIRE(buf_add_string(&seen->all, document->id) && buf_add_u32(&seen->all, (uint32_t)document->size));
    if (document->size) REQUIRE(buf_add(&seen->all, document->bytes, document->size));
    seen->bytes += document->size;
    return STEMMA_OK;
}

static void problem(void *context, const char *id, const stemma_error *cause) {
    (void)context;
    REQUIRE(!strncmp(id, "file", 4) && *cause->message);
}

struct pieces {
    const uint8_t *data;
    size_t size, at, piece;
};

static stemma_status pull(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct pieces *p = context;
    (void)err;
    size_t left = p->size - p->at;
    *got = size < p->piece ? size : p->piece;
    if (*got > left) *got = left;
    if (*got) memcpy(bytes, p->data + p->at, *got);
    p->at += *got;
    return STEMMA_OK;
}

static void walk(const struct stream *stream, struct seen *seen) {
    struct container_options options = {.document.limits.unpacked_most = UNPACKED, .held_most = HELD};
    struct container_visitor visitor = {.context = seen, .document = take, .problem = problem};
    REQUIRE(container_walk(stream, &options, &visitor, NULL) == STEMMA_OK);
    REQUIRE(seen->bytes <= UNPACKED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size || size > HELD / 4) return 0;
    struct pieces pieces = {data + 1, size - 1, 0, (size_t)data[0] * data[0] + 1};
    struct seen whole = {0}, again = {0};
    struct stream memory = stream_of_memory("file", data + 1, size - 1);
    struct stream pulled = stream_of_pull("file", NULL, 0, pull, &pieces);
    walk(&memory, &whole);
    walk(&pulled, &again);
    REQUIRE(whole.all.len == again.all.len);
    REQUIRE(!whole.all.len || !memcmp(whole.all.data, again.all.data, whole.all.len));
    buf_release(&whole.all);
    buf_release(&again.all);
    return 0;
}

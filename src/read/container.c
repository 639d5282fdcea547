#include "read/container.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "read/compressed.h"
#include "read/container_walk.h"
#include "read/entries.h"
#include "read/mail.h"

#include <inttypes.h>
#include <string.h>

/* ---- names ---- */

/* The room for the NUL was made with the name. */
const char *walk_id(struct walk *w) {
    w->id.data[w->id.len] = 0;
    return (const char *)w->id.data;
}

static stemma_status add_name(struct walk *w, const char *name, stemma_error *err) {
    bool inside = w->id.len > 0;
    if (inside && !buf_add_string(&w->id, CONTAINER_SEPARATOR)) return fail_memory(err);
    return buf_add_string(&w->id, name) && buf_reserve(&w->id, 1) ? STEMMA_OK : fail_memory(err);
}

/* How often the id was given. Only its key is kept, a digest that is cut: should two ids ever have one, the
 * later gets a number that it did not need. */
static stemma_status given(struct walk *w, uint64_t **count, stemma_error *err) {
    const uint64_t key = checksum64(w->id.data, w->id.len);
    return key_table_at(&w->names, key ? key : 1, 0, count, err);
}

/* Archives, mail and crawls may have a name twice: "x.txt", "x.txt!2". */
static stemma_status tell_apart(struct walk *w, stemma_error *err) {
    const size_t plain = w->id.len;
    uint64_t *count, number;
    TRY(given(w, &count, err));
    number = *count;
    while (*count > 0) {
        w->id.len = plain;
        if (!buf_add_format(&w->id, "!%" PRIu64, ++number) || !buf_reserve(&w->id, 1))
            return fail_memory(err);
        TRY(given(w, &count, err));
    }
    *count = 1;
    if (number == 0) return STEMMA_OK;
    const size_t whole = w->id.len;
    w->id.len = plain;
    stemma_status status = given(w, &count, err);
    w->id.len = whole;
    if (status == STEMMA_OK) *count = number;
    return status;
}

stemma_status walk_push(struct walk *w, const char *name, size_t *before, stemma_error *err) {
    *before = w->id.len;
    TRY(add_name(w, name, err));
    TRY(tell_apart(w, err));
    return walk_count(w, MEMBER_LEAST, err);
}

void walk_pop(struct walk *w, size_t before) {
    w->id.len = before;
}

/* ---- problems ---- */

static bool is_fatal(const struct walk *w, stemma_status status) {
    return w->failed || status == STEMMA_NO_MEMORY || status == STEMMA_INTERRUPTED;
}

stemma_status walk_told(struct walk *w, stemma_status status, const stemma_error *cause, stemma_error *err) {
    if (status == STEMMA_OK) return STEMMA_OK;
    if (is_fatal(w, status)) return fail(err, status, "%s", cause->message);
    w->visitor->problem(w->visitor->context, walk_id(w), cause);
    return STEMMA_OK;
}

bool walk_goes_on(const struct walk *w) {
    return !w->over && !w->visitor->enough;
}

/* ---- limits ---- */

stemma_status walk_count(struct walk *w, uint64_t bytes, stemma_error *err) {
    w->unpacked += bytes;
    if (w->unpacked <= w->unpacked_most) return STEMMA_OK;
    w->over = true;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' unpacks to more than %llu bytes: left at '%s' (--unpacked)",
                w->file, (unsigned long long)w->unpacked_most, walk_id(w));
}

static void note_held(struct walk *w, size_t bytes) {
    if (w->visitor->held < bytes) w->visitor->held = bytes;
}

static bool hold(struct walk *w, size_t bytes) {
    const struct container_options *o = w->options;
    bool free_before = w->held <= o->held_freely;
    if (bytes > o->held_most || w->held > o->held_most - bytes) return false;
    w->held += bytes;
    note_held(w, w->held);
    if (o->held_freely && free_before && w->held > o->held_freely) o->wait(o->context);
    return true;
}

static void let_go(struct walk *w, size_t bytes) {
    const struct container_options *o = w->options;
    bool free_before = w->held <= o->held_freely;
    w->held -= bytes;
    if (o->held_freely && !free_before && w->held <= o->held_freely) o->go_on(o->context);
}

size_t holding_room(const struct holding *h) {
    return h->counted ? h->counted - h->bytes.len - KERNEL_SLACK : 0;
}

stemma_status holding_grow(struct walk *w, struct holding *h, bool *room, stemma_error *err) {
    size_t more = h->bytes.len < PIECE ? PIECE : h->bytes.len;
    *room = true;
    if (holding_room(h)) return STEMMA_OK;
    if (!hold(w, more) && !hold(w, more = PIECE)) {
        *room = false;
        return STEMMA_OK;
    }
    h->counted += more;
    return buf_reserve(&h->bytes, h->counted - h->bytes.len) ? STEMMA_OK : fail_memory(err);
}

stemma_status holding_add(struct walk *w, struct holding *h, const uint8_t *bytes, size_t size, bool *room,
                          stemma_error *err) {
    for (*room = true; size;) {
        TRY(holding_grow(w, h, room, err));
        if (!*room) break;
        size_t part = size < holding_room(h) ? size : holding_room(h);
        memcpy(h->bytes.data + h->bytes.len, bytes, part);
        h->bytes.len += part;
        bytes += part;
        size -= part;
    }
    return STEMMA_OK;
}

void holding_release(struct walk *w, struct holding *h) {
    let_go(w, h->counted);
    buf_release(&h->bytes);
    *h = (struct holding){0};
}

/* All of a stream behind what is held of it, or as much as may be. */
static stemma_status hold_rest(struct walk *w, struct stream *stream, size_t most, struct holding *h,
                               bool *whole, stemma_error *err) {
    for (size_t got = 1; got; h->bytes.len += got) {
        TRY(holding_grow(w, h, whole, err));
        *whole = *whole && h->bytes.len <= most;
        if (!*whole) return STEMMA_OK;
        TRY(stream_read(stream, h->bytes.data + h->bytes.len, holding_room(h), &got, err));
    }
    return STEMMA_OK;
}

static stemma_status hold_all(struct walk *w, struct stream *stream, struct holding *h, bool *whole,
                              stemma_error *err) {
    return hold_rest(w, stream, SIZE_MAX, h, whole, err);
}

/* Of what holds others half of the room is left to them. */
static stemma_status hold_container(struct walk *w, struct stream *stream, struct holding *h, bool *whole,
                                    stemma_error *err) {
    const size_t before = w->held;
    TRY(hold_rest(w, stream, (w->options->held_most - before) / 2, h, whole, err));
    if (*whole)
        note_held(w, before + 2 * h->bytes.len);
    else
        w->visitor->tight = true;
    return STEMMA_OK;
}

stemma_status walk_too_large(struct walk *w, stemma_error *err) {
    w->visitor->tight = true;
    return fail(err, STEMMA_UNSUPPORTED,
                "'%s' has to be held in memory, and is too large for that: %zu bytes may be (--memory)",
                walk_id(w), w->options->held_most);
}

/* ---- one document ---- */

static stemma_status walk_stream(struct walk *w, struct stream *stream, stemma_error *err);

static stemma_status walk_inside(struct walk *w, struct stream *stream, stemma_error *err) {
    stemma_error cause;
    stemma_status status;
    if (w->depth >= CONTAINER_DEPTH) {
        status =
            fail(&cause, STEMMA_UNSUPPORTED, "'%s' is nested deeper than %d", walk_id(w), CONTAINER_DEPTH);
        return walk_told(w, status, &cause, err);
    }
    char *name = mem_copy_string(walk_id(w)); /* the id moves as it grows */
    if (!name) return fail_memory(err);
    w->depth++;
    stream->name = name;
    stream->stop = w->options->stop;
    status = walk_stream(w, stream, &cause);
    w->depth--;
    mem_free(name);
    return walk_told(w, status, &cause, err);
}

stemma_status walk_give(struct walk *w, const char *name, const uint8_t *bytes, size_t size,
                        stemma_error *err) {
    struct contained document = {.id = walk_id(w), .bytes = bytes, .size = size, .number = w->number++};
    TRY(container_look(name, bytes, size, &w->options->document, &document.kind, err));
    stemma_status status = w->visitor->document(w->visitor->context, &document, err);
    w->failed = status != STEMMA_OK;
    if (w->failed || document.kind == CONTAINER_NONE || !walk_goes_on(w)) return status;
    struct stream inside = stream_of_memory(NULL, bytes, size);
    return walk_inside(w, &inside, err);
}

enum { UTF8_TIMES = 3 }; /* bytes that become of one, at most */

static stemma_status give_decoded(struct walk *w, const char *name, enum encoding charset,
                                  const uint8_t *bytes, size_t size, stemma_error *err) {
    struct buf text = {0};
    const size_t room =
        size <= (SIZE_MAX - KERNEL_SLACK) / UTF8_TIMES ? UTF8_TIMES * size + KERNEL_SLACK : size;
    if (!hold(w, room)) return walk_too_large(w, err);
    bool done = buf_reserve(&text, room) && encoding_decode(charset, bytes, size, &text) &&
                buf_reserve(&text, KERNEL_SLACK);
    stemma_status status = done ? walk_give(w, name, text.data, text.len, err) : fail_memory(err);
    buf_release(&text);
    let_go(w, room);
    return status;
}

stemma_status walk_give_typed(struct walk *w, const char *name, struct text_span type, const uint8_t *bytes,
                              size_t size, stemma_error *err) {
    enum encoding charset;
    TRY(declares_charset(type, bytes, size, &charset, err));
    return charset ? give_decoded(w, name, charset, bytes, size, err) : walk_give(w, name, bytes, size, err);
}

static stemma_status pull_stream(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    return stream_read(context, bytes, size, got, err);
}

/* One that is larger than may be held: what is inside may be smaller. */
static stemma_status give_large(struct walk *w, bool container, const struct buf *begun, struct stream *rest,
                                stemma_error *err) {
    if (!container) return walk_too_large(w, err);
    struct stream stream = stream_of_pull(NULL, begun->data, begun->len, pull_stream, rest);
    return walk_inside(w, &stream, err);
}

static stemma_status give_member(struct walk *w, const char *name, struct stream *stream,
                                 struct holding *bytes, stemma_error *err) {
    enum container_kind kind;
    bool whole;
    TRY(hold_rest(w, stream, PIECE, bytes, &whole, err));
    TRY(container_look(name, bytes->bytes.data, bytes->bytes.len, &w->options->document, &kind, err));
    const bool container = kind > CONTAINER_MAIL;
    if (!whole && container) TRY(hold_container(w, stream, bytes, &whole, err));
    if (!whole && !container) TRY(hold_all(w, stream, bytes, &whole, err));
    return whole ? walk_give(w, name, bytes->bytes.data, bytes->bytes.len, err)
                 : give_large(w, container, &bytes->bytes, stream, err);
}

/* A member whose bytes come from a stream. */
static stemma_status take_member(struct walk *w, const char *name, struct stream *stream, stemma_error *err) {
    struct holding bytes = {0};
    stemma_error cause;
    stemma_status status = walk_told(w, give_member(w, name, stream, &bytes, &cause), &cause, err);
    holding_release(w, &bytes);
    return status;
}

/* ---- archives ---- */

struct member_stream {
    struct walk *walk;
    struct entries *entries;
};

static stemma_status pull_member(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct member_stream *m = context;
    TRY(entries_read(m->entries, walk_id(m->walk), bytes, size < PIECE ? size : PIECE, got, err));
    return walk_count(m->walk, *got, err);
}

static stemma_status take_file(struct walk *w, struct entries *entries, const struct entry *entry,
                               stemma_error *err) {
    struct member_stream member = {w, entries};
    struct stream stream = stream_of_pull(NULL, NULL, 0, pull_member, &member);
    stemma_error cause;
    stream.stop = w->options->stop;
    if (entry->encrypted)
        return walk_told(w, fail(&cause, STEMMA_UNSUPPORTED, "'%s' is encrypted", walk_id(w)), &cause, err);
    return take_member(w, entry->name, &stream, err);
}

static stemma_status take_entry(struct walk *w, struct entries *entries, const struct entry *entry,
                                stemma_error *err) {
    size_t before;
    stemma_error cause;
    stemma_status status = walk_told(w, walk_push(w, entry->name, &before, &cause), &cause, err);
    if (status == STEMMA_OK && entry->file && walk_goes_on(w)) status = take_file(w, entries, entry, err);
    walk_pop(w, before);
    return status;
}

static stemma_status walk_entries(struct walk *w, const struct stream *stream, stemma_error *err) {
    struct entries *entries = NULL;
    struct entry entry;
    bool more = true;
    TRY(entries_new(stream, &entries, err));
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && more && walk_goes_on(w)) {
        status = entries_next(entries, &entry, &more, err);
        if (status == STEMMA_OK && more) status = take_entry(w, entries, &entry, err);
    }
    entries_free(entries);
    return status;
}

/* An archive with its list of members at the end (zip, 7z) is held, if it can be. */
static stemma_status walk_archive(struct walk *w, struct stream *stream, bool listed, stemma_error *err) {
    struct holding bytes = {0};
    bool whole = false;
    if (!listed || stream_seekable(stream)) return walk_entries(w, stream, err);
    stemma_status status = hold_container(w, stream, &bytes, &whole, err);
    struct stream held =
        whole ? stream_of_memory(stream->name, bytes.bytes.data, bytes.bytes.len)
              : stream_of_pull(stream->name, bytes.bytes.data, bytes.bytes.len, pull_stream, stream);
    if (status == STEMMA_OK) status = walk_entries(w, &held, err);
    holding_release(w, &bytes);
    return status;
}

/* ---- mail ---- */

static stemma_status give_attachment(struct walk *w, const char *name, struct text_span type,
                                     const uint8_t *bytes, size_t size, stemma_error *err) {
    TRY(walk_count(w, size, err));
    if (!hold(w, size)) return walk_too_large(w, err);
    stemma_status status = walk_give_typed(w, name, type, bytes, size, err);
    let_go(w, size);
    return status;
}

static stemma_status take_attachment(void *context, const char *name, struct text_span type,
                                     const uint8_t *bytes, size_t size, stemma_error *err) {
    struct walk *w = context;
    size_t before;
    stemma_error cause;
    if (!walk_goes_on(w)) return STEMMA_OK;
    stemma_status status = walk_push(w, name, &before, &cause);
    if (status == STEMMA_OK) status = give_attachment(w, name, type, bytes, size, &cause);
    status = walk_told(w, status, &cause, err);
    walk_pop(w, before);
    return status;
}

static stemma_status walk_parts(struct walk *w, const uint8_t *bytes, size_t size, stemma_error *err) {
    bool more = false;
    if (w->visitor->more) TRY(mail_says_more(bytes, size, &more, err));
    if (more) *w->visitor->more = true;
    return mail_files(bytes, size, take_attachment, w, err);
}

static stemma_status walk_mail(struct walk *w, struct stream *stream, stemma_error *err) {
    struct holding mail = {0};
    bool whole = false;
    if (stream->size && stream->memory_size == stream->size) /* it is in memory already */
        return walk_parts(w, stream->memory, stream->memory_size, err);
    stemma_status status = hold_all(w, stream, &mail, &whole, err);
    if (status == STEMMA_OK && !whole) status = walk_too_large(w, err);
    if (status == STEMMA_OK) status = walk_parts(w, mail.bytes.data, mail.bytes.len, err);
    holding_release(w, &mail);
    return status;
}

/* ---- compression ---- */

struct unpacked_stream {
    struct walk *walk;
    struct unpacker *unpacker;
};

static stemma_status pull_unpacked(void *context, uint8_t *bytes, size_t size, size_t *got,
                                   stemma_error *err) {
    struct unpacked_stream *u = context;
    TRY(unpacker_read(u->unpacker, bytes, size, got, err));
    return walk_count(u->walk, *got, err);
}

/* An archive may end before what it is packed in, where the sum is. */
static stemma_status check_rest(struct walk *w, struct unpacked_stream *inside, stemma_error *err) {
    uint8_t *rest = mem_alloc(PIECE);
    stemma_status status = rest ? STEMMA_OK : fail_memory(err);
    for (size_t got = 1; status == STEMMA_OK && got && walk_goes_on(w);)
        status = pull_unpacked(inside, rest, PIECE, &got, err);
    mem_free(rest);
    return status;
}

static stemma_status walk_packed(struct walk *w, struct stream *stream, enum compression compression,
                                 stemma_error *err) {
    struct unpacked_stream inside = {.walk = w};
    TRY(unpacker_new(stream, compression, w->options->document.limits.window_most, &inside.unpacker, err));
    struct stream unpacked = stream_of_pull(NULL, NULL, 0, pull_unpacked, &inside);
    stemma_status status = walk_inside(w, &unpacked, err);
    if (status == STEMMA_OK && unpacked.failure.status == STEMMA_OK) status = check_rest(w, &inside, err);
    unpacker_free(inside.unpacker);
    return status;
}

/* ---- what it is ---- */

static stemma_status walk_kind(struct walk *w, const uint8_t *head, size_t size, struct stream *stream,
                               stemma_error *err) {
    enum container_kind kind;
    const enum compression compression = compression_of(head, size);
    if (compression) return walk_packed(w, stream, compression, err);
    TRY(container_look(NULL, head, size, &w->options->document, &kind, err));
    switch (kind) {
    case CONTAINER_ARCHIVE:
        return walk_archive(w, stream, head[0] == 'P' || head[0] == '7', err);
    case CONTAINER_MAIL:
        return walk_mail(w, stream, err);
    case CONTAINER_MBOX:
        return walk_mbox(w, stream, err);
    case CONTAINER_WARC:
        return walk_warc(w, stream, err);
    case CONTAINER_NONE:
        break;
    }
    return STEMMA_OK;
}

static stemma_status walk_from(struct walk *w, struct stream *stream, uint8_t *head, stemma_error *err) {
    size_t size;
    stemma_status status = stream_fill(stream, head, PIECE, &size, err);
    const bool begun = size && stream->pull == pull_unpacked; /* which says it again, behind what there is */
    if (status != STEMMA_OK && !begun) return status;
    stream->failure.status = STEMMA_OK;
    if (stream_seekable(stream)) {
        stream->at = 0;
        return walk_kind(w, head, size, stream, err);
    }
    struct stream whole = stream_of_pull(stream->name, head, size, pull_stream, stream);
    whole.stop = stream->stop;
    return walk_kind(w, head, size, &whole, err);
}

static stemma_status walk_stream(struct walk *w, struct stream *stream, stemma_error *err) {
    uint8_t *head = mem_alloc(PIECE);
    stemma_status status = head ? walk_from(w, stream, head, err) : fail_memory(err);
    mem_free(head);
    return status;
}

stemma_status container_walk(const struct stream *stream, const struct container_options *options,
                             struct container_visitor *visitor, stemma_error *err) {
    struct walk w = {.options = options,
                     .visitor = visitor,
                     .file = stream->name,
                     .names.directory = options->document.limits.temporary_directory};
    struct stream file = *stream;
    w.unpacked_most = reading_unpacked_most(options->document.limits.unpacked_most, file.size);
    stemma_status status = add_name(&w, stream->name, err);
    if (status == STEMMA_OK) status = walk_inside(&w, &file, err);
    buf_release(&w.id);
    key_table_release(&w.names);
    return status;
}

#include "scan/recording.h"

#include "index/stored_samples.h"
#include "read/format.h"

#include <string.h>

/* First the piece: begin (8), end (8), line of what follows (8), held (8), tight (8). Of each entry: size
 * (4), what (1), format (1), flags (1), 0 (1), size of the name (4), size of the record (4), offset or line
 * (8), bytes (8), their identity (16); the name and a NUL; then of what failed or is damaged a status (4),
 * the words and a NUL; of a text its identity (16), its size (8), shingles (4), keys, samples. */
enum {
    PIECE = 40,
    HEAD = 48,
    TEXT_HEAD = 28,
    TOLD_HEAD = 4,
    PROBLEM = 255,
    HOLDS = 1,
    FILLED = 2,
    DAMAGED = 4
};

/* ---- writing ---- */

void recording_set_piece(struct buf *recording, const struct recorded_piece *piece) {
    store_u64(recording->data, piece->place.begin);
    store_u64(recording->data + 8, piece->place.end);
    store_u64(recording->data + 16, piece->place.next_line);
    store_u64(recording->data + 24, piece->held);
    store_u64(recording->data + 32, piece->tight);
}

static void write_head(const struct recorded *entry, uint8_t head[HEAD]) {
    const struct document *d = &entry->document;
    memset(head, 0, HEAD);
    head[4] = entry->is_problem ? PROBLEM : d->state;
    head[5] = d->format;
    head[6] = (uint8_t)((d->holds ? HOLDS : 0) | (d->filled ? FILLED : 0) | (d->damaged ? DAMAGED : 0));
    store_u32(head + 8, (uint32_t)entry->name_size);
    store_u32(head + 12, d->record_size);
    store_u64(head + 16, entry->is_problem ? entry->line : d->offset);
    store_u64(head + 24, d->bytes);
    identity_store(d->bytes_identity, head + 32);
}

static stemma_status add_text(struct buf *out, const struct recorded *entry, size_t key_bytes,
                              stemma_error *err) {
    uint8_t head[TEXT_HEAD];
    identity_store(entry->text_identity, head);
    store_u64(head + 16, entry->text_size);
    store_u32(head + 24, entry->shingles);
    if (!buf_add(out, head, sizeof head) || !buf_add(out, entry->keys, key_bytes)) return fail_memory(err);
    return samples_pack(entry->samples, KEY_SAMPLE_BITS, out, err);
}

static stemma_status add_told(struct buf *out, const stemma_error *cause, stemma_error *err) {
    uint8_t status[TOLD_HEAD];
    store_u32(status, (uint32_t)cause->status);
    return buf_add(out, status, sizeof status) && buf_add_string(out, cause->message) && buf_add_byte(out, 0)
               ? STEMMA_OK
               : fail_memory(err);
}

static bool has_cause(const struct recorded *entry) {
    return entry->is_problem || entry->document.damaged || entry->document.state == DOCUMENT_FAILED;
}

static bool has_text(const struct recorded *entry) {
    return !entry->is_problem && entry->document.state == DOCUMENT_TEXT;
}

stemma_status recording_add(struct buf *out, const struct recorded *entry, size_t key_bytes,
                            stemma_error *err) {
    static const uint8_t no_piece[PIECE];
    if (out->len == 0 && !buf_add(out, no_piece, sizeof no_piece)) return fail_memory(err);
    const size_t begin = out->len;
    uint8_t head[HEAD];
    write_head(entry, head);
    if (!buf_add(out, head, sizeof head) || !buf_add(out, entry->name, entry->name_size) ||
        !buf_add_byte(out, 0))
        return fail_memory(err);
    if (has_cause(entry)) TRY(add_told(out, &entry->cause, err));
    if (has_text(entry)) TRY(add_text(out, entry, key_bytes, err));
    store_u32(out->data + begin, (uint32_t)(out->len - begin));
    return STEMMA_OK;
}

/* ---- reading ---- */

static struct identity identity_at(const uint8_t *bytes) {
    return (struct identity){load_u64(bytes), load_u64(bytes + 8)};
}

static void read_head(const uint8_t *head, struct recorded *entry) {
    entry->is_problem = head[4] == PROBLEM;
    entry->line = load_u64(head + 16);
    entry->document = (struct document){.bytes_identity = identity_at(head + 32),
                                        .bytes = load_u64(head + 24),
                                        .offset = entry->line,
                                        .record_size = load_u32(head + 12),
                                        .format = head[5],
                                        .state = entry->is_problem ? 0 : head[4],
                                        .holds = head[6] & HOLDS,
                                        .filled = head[6] & FILLED,
                                        .damaged = head[6] & DAMAGED};
    entry->name = (const char *)head + HEAD;
    entry->name_size = load_u32(head + 8);
}

/* How many bytes it takes; 0: it cannot be one. */
static size_t read_told(const uint8_t *bytes, size_t size, struct recorded *entry) {
    const uint8_t *end = size > TOLD_HEAD ? memchr(bytes + TOLD_HEAD, 0, size - TOLD_HEAD) : NULL;
    if (!end) return 0;
    (void)fail(&entry->cause, (stemma_status)load_u32(bytes), "%s", (const char *)bytes + TOLD_HEAD);
    return (size_t)(end - bytes) + 1;
}

static stemma_status read_text(const uint8_t *bytes, size_t size, size_t key_bytes, struct recorded *entry,
                               bool *sound, stemma_error *err) {
    *sound = size >= TEXT_HEAD + key_bytes;
    if (!*sound) return STEMMA_OK;
    entry->text_identity = identity_at(bytes);
    entry->text_size = load_u64(bytes + 16);
    entry->shingles = load_u32(bytes + 24);
    entry->keys = bytes + TEXT_HEAD;
    if (!entry->samples) return STEMMA_OK;
    entry->samples->len = 0;
    return samples_unpack(bytes + TEXT_HEAD + key_bytes, size - TEXT_HEAD - key_bytes, KEY_SAMPLE_BITS,
                          entry->samples, err);
}

static stemma_status read_rest(const uint8_t *bytes, size_t size, size_t key_bytes, struct recorded *entry,
                               bool *sound, stemma_error *err) {
    const size_t told = has_cause(entry) ? read_told(bytes, size, entry) : 0;
    *sound = told || !has_cause(entry);
    if (!*sound || !has_text(entry)) return STEMMA_OK;
    return read_text(bytes + told, size - told, key_bytes, entry, sound, err);
}

static stemma_status damaged(stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "what is known of documents inside a file is damaged");
}

stemma_status recording_open(struct recording_reader *r, const struct buf *recording, size_t key_bytes,
                             struct recorded_piece *piece, stemma_error *err) {
    const uint8_t *bytes = recording->data;
    if (recording->len < PIECE) return damaged(err);
    *r = (struct recording_reader){bytes, recording->len, PIECE, key_bytes};
    *piece = (struct recorded_piece){{load_u64(bytes), load_u64(bytes + 8), load_u64(bytes + 16), 0},
                                     load_u64(bytes + 24),
                                     load_u64(bytes + 32)};
    return STEMMA_OK;
}

stemma_status recording_next(struct recording_reader *r, struct recorded *entry, bool *more,
                             stemma_error *err) {
    const size_t left = r->size - r->at;
    const uint8_t *head = r->bytes + r->at;
    bool sound;
    *more = left > 0;
    if (!*more) return STEMMA_OK;
    if (left < HEAD || load_u32(head) > left || load_u32(head) < HEAD) return damaged(err);
    const size_t size = load_u32(head) - HEAD, name = load_u32(head + 8);
    if (name >= size || head[HEAD + name] || (head[4] > DOCUMENT_CONTAINER && head[4] != PROBLEM) ||
        head[5] > TEXT_OLD_OFFICE)
        return damaged(err);
    read_head(head, entry);
    TRY(read_rest(head + HEAD + name + 1, size - name - 1, r->key_bytes, entry, &sound, err));
    r->at += HEAD + size;
    return sound ? STEMMA_OK : damaged(err);
}

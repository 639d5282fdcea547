#include "index/segment.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "runs/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENT_MAGIC "\x8bSTG\r\n\x1a\n"

enum {
    SEGMENT_VERSION = 2, /* 1 has both tables at its end */
    ENTRY = 32,          /* kind, spec, form, width; offset, size */
    TRAILER = 72,        /* base, limit, documents, of, commit, serial; entries, version; checksum, magic */
    TRAILER_SUM = TRAILER - 16,
    TABLE_MOST = PARTS_MOST + 4
};

void segment_name(uint64_t serial, char name[32]) {
    snprintf(name, 32, "%08llu.segment", (unsigned long long)serial);
}

char *path_in(const char *folder, const char *name) {
    struct buf path = {0};
    if (buf_add_format(&path, "%s/%s", folder, name) && buf_add_byte(&path, 0)) return (char *)path.data;
    buf_release(&path);
    return NULL;
}

char *segment_path(const char *folder, uint64_t serial) {
    char name[32];
    segment_name(serial, name);
    return path_in(folder, name);
}

static uint64_t seed_of(uint64_t serial, uint64_t offset) {
    return mix64(serial) + offset;
}

struct run_place place_in_file(const struct segment_file *file, uint64_t offset) {
    return (struct run_place){
        .fd = file->fd, .offset = offset, .name = file->path, .seed = seed_of(file->serial, offset)};
}

/* ---- writing ---- */

static size_t table_bytes(size_t entries) {
    return entries * ENTRY + TRAILER;
}

stemma_status segment_begin(struct segment_writer *w, const struct disk *disk, int fd, const char *path,
                            uint64_t serial, size_t parts, stemma_error *err) {
    static const uint8_t none[TABLE_MOST * ENTRY + TRAILER];
    *w = (struct segment_writer){.fd = fd, .path = path, .serial = serial, .first = table_bytes(parts)};
    TRY(sink_init(&w->sink, disk, fd, path, err));
    return sink_add(&w->sink, none, (size_t)w->first, err);
}

struct run_place segment_place(struct segment_writer *w) {
    return (struct run_place){.fd = w->fd,
                              .offset = w->sink.at,
                              .name = w->path,
                              .seed = seed_of(w->serial, w->sink.at),
                              .sink = &w->sink,
                              .directory = w->directory};
}

void segment_part(struct segment_writer *w, struct part part) {
    const struct part_place *last = w->count ? &w->parts[w->count - 1] : NULL;
    uint64_t offset = last ? last->offset + last->size : w->first;
    w->parts[w->count++] = (struct part_place){part, offset, w->sink.at - offset};
}

static void put_entry(uint8_t *at, const struct part_place *place) {
    store_u32(at, place->part.kind);
    store_u32(at + 4, place->part.spec);
    store_u32(at + 8, (uint32_t)place->part.form);
    store_u32(at + 12, place->part.width);
    store_u64(at + 16, place->offset);
    store_u64(at + 24, place->size);
}

stemma_status segment_finish(struct segment_writer *w, stemma_error *err) {
    uint8_t bytes[TABLE_MOST * ENTRY + TRAILER], *at = bytes;
    const uint64_t facts[] = {w->base, w->limit, w->documents, w->of, w->commit, w->serial};
    for (size_t i = 0; i < w->count; i++, at += ENTRY) put_entry(at, &w->parts[i]);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++, at += 8) store_u64(at, facts[i]);
    store_u32(at, (uint32_t)w->count);
    store_u32(at + 4, SEGMENT_VERSION);
    store_u64(at + 8, words_checksum(bytes, (size_t)(at + 8 - bytes), seed_of(w->serial, w->sink.at)));
    memcpy(at + 16, SEGMENT_MAGIC, 8);
    const size_t size = table_bytes(w->count);
    if (size != w->first)
        return fail(err, STEMMA_INVALID, "'%s' has not the parts it was begun for", w->path);
    TRY(sink_add(&w->sink, bytes, size, err));
    TRY(sink_rewrite(&w->sink, bytes, size, 0, err));
    return sink_sync(&w->sink, err);
}

void segment_release(struct segment_writer *w) {
    sink_release(&w->sink);
}

/* ---- opening ---- */

static stemma_status damaged(const struct segment_file *file, const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: %s", file->path, what);
}

static bool take_entry(struct part_place *place, const uint8_t *at) {
    place->part = (struct part){.kind = load_u32(at),
                                .spec = load_u32(at + 4),
                                .form = (enum part_form)load_u32(at + 8),
                                .width = load_u32(at + 12)};
    place->offset = load_u64(at + 16);
    place->size = load_u64(at + 24);
    return part_can_be(&place->part);
}

/* Parts stand one behind the other: where the last one ends. */
static uint64_t parts_end(const uint8_t *table, size_t entries) {
    const uint8_t *last = table + (entries - 1) * ENTRY;
    return entries ? load_u64(last + 16) + load_u64(last + 24) : 0;
}

static unsigned version_of(const uint8_t *table, size_t entries) {
    return load_u32(table + entries * ENTRY + TRAILER - 20);
}

static stemma_status take_table(struct segment_file *file, const uint8_t *table, stemma_error *err) {
    const uint64_t end = parts_end(table, file->count);
    uint64_t expected = version_of(table, file->count) == 1 ? 0 : table_bytes(file->count);
    file->parts = mem_zero(file->count, sizeof *file->parts);
    if (!file->parts) return fail_memory(err);
    for (size_t i = 0; i < file->count; i++) {
        struct part_place *place = &file->parts[i];
        if (!take_entry(place, table + i * ENTRY) || place->offset != expected || expected > end ||
            place->size > end - expected)
            return damaged(file, "wrong place of a part", err);
        expected += place->size;
    }
    return STEMMA_OK;
}

static stemma_status take_trailer(struct segment_file *file, const uint8_t *trailer, stemma_error *err) {
    file->base = load_u64(trailer);
    file->limit = load_u64(trailer + 8);
    file->documents = load_u64(trailer + 16);
    file->of = load_u64(trailer + 24);
    file->commit = load_u64(trailer + 32);
    file->checksum = load_u64(trailer + TRAILER_SUM);
    if (file->limit < file->base || file->limit > NUMBERS_MOST || file->documents > file->limit - file->base)
        return damaged(file, "more documents than numbers", err);
    return STEMMA_OK;
}

/* Whether a table of so many entries stands here. */
static bool is_table(const struct segment_file *file, const uint8_t *table, size_t entries) {
    const uint8_t *trailer = table + entries * ENTRY;
    return load_u32(trailer + 48) == entries && !memcmp(trailer + TRAILER - 8, SEGMENT_MAGIC, 8) &&
           load_u64(trailer + 40) == file->serial &&
           load_u64(trailer + TRAILER_SUM) ==
               words_checksum(table, table_bytes(entries) - 16,
                              seed_of(file->serial, parts_end(table, entries)));
}

/* The ends of a file, with room for what may stand there. */
struct ends {
    uint8_t *head, *tail;
    size_t head_size, tail_size;
};

static const uint8_t *table_at_head(struct segment_file *file, const struct ends *ends) {
    for (size_t entries = 0; entries <= TABLE_MOST && table_bytes(entries) <= ends->head_size; entries++)
        if (is_table(file, ends->head, entries)) {
            file->count = entries;
            return ends->head;
        }
    return NULL;
}

/* The last one, wherever it ends: the file may be cut, or have bytes behind it. */
static const uint8_t *table_at_tail(struct segment_file *file, const struct ends *ends) {
    for (size_t end = ends->tail_size; end >= TRAILER; end--) {
        const uint8_t *trailer = ends->tail + end - TRAILER;
        size_t entries = load_u32(trailer + 48);
        if (memcmp(trailer + TRAILER - 8, SEGMENT_MAGIC, 8) || entries > TABLE_MOST ||
            table_bytes(entries) > end)
            continue;
        if (!is_table(file, ends->tail + end - table_bytes(entries), entries)) continue;
        file->count = entries;
        return ends->tail + end - table_bytes(entries);
    }
    return NULL;
}

/* The table stands twice: either will do. The file is taken for as long as it says that it was. */
static stemma_status take_copy(struct segment_file *file, const struct ends *ends, stemma_error *err) {
    const uint8_t *head = table_at_head(file, ends), *table = head ? head : table_at_tail(file, ends);
    if (!table) return damaged(file, "no table of its parts is whole", err);
    const size_t size = table_bytes(file->count);
    const unsigned version = version_of(table, file->count);
    if (version > SEGMENT_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", file->path);
    if (parts_end(table, file->count) > INT64_MAX) return damaged(file, "wrong place of a part", err);
    const uint64_t length = parts_end(table, file->count) + (version == 1 ? 2 * size : size);
    const uint8_t *end = ends->tail + ends->tail_size;
    const uint8_t *first = version == 1 ? end - 2 * size : ends->head;
    file->one_copy = file->size != length || memcmp(end - size, table, size) || memcmp(first, table, size);
    file->size = length;
    TRY(take_trailer(file, table + file->count * ENTRY, err));
    return take_table(file, table, err);
}

static stemma_status read_table(struct segment_file *file, stemma_error *err) {
    enum { MOST = TABLE_MOST * ENTRY + TRAILER };
    const size_t size = file->size < 2 * MOST ? (size_t)file->size : 2 * MOST,
                 half = size < MOST ? size : MOST;
    uint8_t *bytes = mem_alloc(size + half);
    if (!bytes) return fail_memory(err);
    const struct ends ends = {bytes + size, bytes, half, size};
    int cause = read_at(file->fd, ends.tail, size, file->size - size);
    if (!cause) cause = read_at(file->fd, ends.head, half, 0);
    stemma_status status = cause ? fail_errno(err, "read", file->path, cause) : take_copy(file, &ends, err);
    mem_free(bytes);
    return status;
}

static stemma_status open_file(struct segment_file *file, const char *folder, int folder_fd,
                               stemma_error *err) {
    char name[32];
    struct stat facts;
    segment_name(file->serial, name);
    if (!(file->path = segment_path(folder, file->serial))) return fail_memory(err);
    file->fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->fd < 0) return fail_errno(err, "open", file->path, errno);
    if (fstat(file->fd, &facts)) return fail_errno(err, "read", file->path, errno);
    if (!S_ISREG(facts.st_mode)) return damaged(file, "not a file", err);
    file->size = (uint64_t)facts.st_size;
    return read_table(file, err);
}

stemma_status segment_file_open(const char *folder, int folder_fd, uint64_t serial, struct segment_file **out,
                                stemma_error *err) {
    struct segment_file *file = mem_zero(1, sizeof *file);
    if (!file) return fail_memory(err);
    *file = (struct segment_file){.users = 1, .serial = serial, .fd = -1};
    stemma_status status = open_file(file, folder, folder_fd, err);
    if (status == STEMMA_OK)
        *out = file;
    else
        segment_file_close(file);
    return status;
}

struct segment_file *segment_file_share(struct segment_file *file) {
    __atomic_add_fetch(&file->users, 1, __ATOMIC_RELAXED);
    return file;
}

void segment_file_close(struct segment_file *file) {
    if (!file || __atomic_sub_fetch(&file->users, 1, __ATOMIC_ACQ_REL)) return;
    if (file->fd >= 0) close(file->fd);
    mem_free(file->path);
    mem_free(file->parts);
    mem_free(file);
}

const struct part_place *segment_file_part(const struct segment_file *file, uint32_t kind, uint32_t spec) {
    for (size_t i = 0; i < file->count; i++)
        if (file->parts[i].part.kind == kind && file->parts[i].part.spec == spec) return &file->parts[i];
    return NULL;
}

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
    SEGMENT_VERSION = 1,
    ENTRY = 32,   /* kind, spec, form, width; offset, size */
    TRAILER = 72, /* base, limit, documents, of, commit, serial; entries, version; checksum, magic */
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

stemma_status segment_begin(struct segment_writer *w, const struct disk *disk, int fd, const char *path,
                            uint64_t serial, stemma_error *err) {
    *w = (struct segment_writer){.fd = fd, .path = path, .serial = serial};
    return sink_init(&w->sink, disk, fd, path, err);
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
    uint64_t offset = last ? last->offset + last->size : 0;
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
    for (int copy = 0; copy < 2; copy++) TRY(sink_add(&w->sink, bytes, (size_t)(at + 24 - bytes), err));
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

/* Parts stand one behind the other from the first byte to the table. */
static stemma_status take_table(struct segment_file *file, const uint8_t *table, uint64_t end,
                                stemma_error *err) {
    uint64_t expected = 0;
    file->parts = mem_zero(file->count, sizeof *file->parts);
    if (!file->parts) return fail_memory(err);
    for (size_t i = 0; i < file->count; i++) {
        struct part_place *place = &file->parts[i];
        if (!take_entry(place, table + i * ENTRY) || place->offset != expected ||
            place->size > end - expected)
            return damaged(file, "wrong place of a part", err);
        expected += place->size;
    }
    return expected == end ? STEMMA_OK : damaged(file, "bytes that are no part", err);
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

/* A copy of table and trailer of so many entries that ends at `end`; NULL when there is none. */
static const uint8_t *whole_copy(const struct segment_file *file, const uint8_t *end, size_t entries) {
    size_t size = entries * ENTRY + TRAILER;
    const uint8_t *bytes = end - size, *trailer = end - TRAILER;
    uint64_t parts_end = file->size - 2 * size;
    bool whole =
        load_u32(trailer + 48) == entries && !memcmp(trailer + TRAILER - 8, SEGMENT_MAGIC, 8) &&
        load_u64(trailer + 40) == file->serial &&
        load_u64(trailer + TRAILER_SUM) == words_checksum(bytes, size - 16, seed_of(file->serial, parts_end));
    return whole ? bytes : NULL;
}

/* Table and trailer stand twice: either will do. `tail` is the end of the file, with room for both. */
static const uint8_t *find_copy(struct segment_file *file, const uint8_t *tail, size_t size) {
    for (size_t entries = 0; entries <= TABLE_MOST && 2 * (entries * ENTRY + TRAILER) <= size; entries++) {
        const uint8_t *last = whole_copy(file, tail + size, entries);
        const uint8_t *first = whole_copy(file, tail + size - (entries * ENTRY + TRAILER), entries);
        if (!first && !last) continue;
        file->count = entries;
        file->one_copy = !first || !last;
        return first ? first : last;
    }
    return NULL;
}

/* Of a file that ends within its second copy, or has bytes behind it: the first, wherever it stands. The file
 * is then taken for as long as it was. */
static const uint8_t *find_first(struct segment_file *file, const uint8_t *tail, size_t size) {
    const uint64_t from = file->size - size, found = file->size;
    for (size_t end = size; end >= TRAILER; end--) {
        size_t entries = load_u32(tail + end - TRAILER + 48), bytes = entries * ENTRY + TRAILER;
        if (memcmp(tail + end - 8, SEGMENT_MAGIC, 8) || entries > TABLE_MOST || bytes > end) continue;
        file->size = from + end + bytes;
        const uint8_t *copy = whole_copy(file, tail + end, entries);
        if (!copy) continue;
        file->count = entries;
        return copy;
    }
    file->size = found;
    return NULL;
}

static stemma_status take_copy(struct segment_file *file, const uint8_t *copy, stemma_error *err) {
    const uint8_t *trailer = copy + file->count * ENTRY;
    if (load_u32(trailer + 52) > SEGMENT_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "'%s' was made by a later version", file->path);
    TRY(take_trailer(file, trailer, err));
    return take_table(file, copy, file->size - 2 * (file->count * ENTRY + TRAILER), err);
}

static stemma_status read_table(struct segment_file *file, stemma_error *err) {
    size_t most = 2 * (TABLE_MOST * ENTRY + TRAILER), size = file->size < most ? (size_t)file->size : most;
    uint8_t *tail = mem_alloc(size);
    if (!tail) return fail_memory(err);
    int cause = read_at(file->fd, tail, size, file->size - size);
    const uint8_t *copy = cause ? NULL : find_copy(file, tail, size);
    if (!cause && !copy && (copy = find_first(file, tail, size))) file->one_copy = true;
    stemma_status status = cause  ? fail_errno(err, "read", file->path, cause)
                           : copy ? take_copy(file, copy, err)
                                  : damaged(file, "no table of its parts is whole", err);
    mem_free(tail);
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

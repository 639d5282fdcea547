/* Candidate C: segments (segment.h), a run of the numbers that are gone, and a manifest that names what
 * counts. */
#include "store/segment.h"

#include "base/alloc.h"
#include "base/file.h"
#include "runs/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const store_name = "segments";

#define MANIFEST_MAGIC "\x8bSTM\r\n\x1a\n"

#ifndef FAN
#define FAN 4 /* neighbours of about one size become one: more means fewer merges, and more to ask in */
#endif

enum {
    SEGMENTS_MOST = 256,
    MANIFEST_FIXED = 56, /* magic, version, next number, next serial, gone: serial and size, segments */
    MANIFEST_MOST = MANIFEST_FIXED + SEGMENTS_MOST * 16 + 8,
    SMALL = 512 /* documents: segments below count as of one size */
};

struct store {
    char *directory;
    int directory_fd, lock_fd;
    uint64_t next_number, next_serial;
    uint64_t gone_serial, gone_size; /* 0: nothing is gone */
    struct gone gone;
    struct segment *segments[SEGMENTS_MOST]; /* in the order of their numbers */
    size_t count;
    uint8_t manifest[MANIFEST_MOST]; /* as it was read or written last */
    size_t manifest_size;
};

/* ---- what is gone: a run of numbers on disk, bits in memory ---- */

static char *gone_path(const struct store *s, uint64_t serial) {
    struct buf path = {0};
    if (buf_add_format(&path, "%s/%08llu.gone", s->directory, (unsigned long long)serial) &&
        buf_add_byte(&path, 0))
        return (char *)path.data;
    buf_release(&path);
    return NULL;
}

static stemma_status gone_reserve(struct gone *gone, uint64_t limit, stemma_error *err) {
    if (limit <= gone->limit) return STEMMA_OK;
    uint64_t words = (limit + 63) / 64, *grown = mem_zero(words, 8);
    if (!grown) return fail_memory(err);
    if (gone->limit) memcpy(grown, gone->words, gone->limit / 8);
    mem_free(gone->words);
    *gone = (struct gone){grown, words * 64};
    return STEMMA_OK;
}

static stemma_status read_gone(struct store *s, struct run_reader *reader, stemma_error *err) {
    for (;;) {
        const struct record *records;
        size_t count;
        TRY(run_reader_next(reader, &records, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++)
            if (records[i].key < s->gone.limit)
                s->gone.words[records[i].key / 64] |= UINT64_C(1) << records[i].key % 64;
    }
}

static stemma_status load_gone(struct store *s, stemma_error *err) {
    struct run *run = NULL;
    struct run_reader *reader = NULL;
    mem_free(s->gone.words);
    s->gone = (struct gone){0};
    if (s->gone_size == 0) return STEMMA_OK;
    TRY(gone_reserve(&s->gone, s->next_number, err));
    char *path = gone_path(s, s->gone_serial);
    struct run_place place = {path ? open(path, O_RDONLY | O_CLOEXEC) : -1, 0, path, false};
    stemma_status status = place.fd < 0 ? fail_errno(err, "open", path, errno) : STEMMA_OK;
    if (status == STEMMA_OK) status = run_open(&place, s->gone_size, &run, err);
    if (status == STEMMA_OK) status = run_reader_new(run, &reader, err);
    if (status == STEMMA_OK) status = read_gone(s, reader, err);
    run_reader_free(reader);
    run_close(run);
    if (place.fd >= 0) close(place.fd);
    mem_free(path);
    return status;
}

static stemma_status write_gone(struct store *s, stemma_error *err) {
    struct record *records = mem_zero(s->gone.limit + 1, sizeof *records);
    size_t count = 0;
    char *path = gone_path(s, s->next_serial);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    stemma_status status = records ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK && fd < 0) status = fail_errno(err, "create", path, errno);
    if (status == STEMMA_OK) {
        struct run_place place = {fd, 0, path, false};
        for (uint64_t n = 0; n < s->gone.limit; n++)
            if (is_gone(&s->gone, n)) records[count++].key = n;
        status = postings_write(&place, records, count, &s->gone_size, err);
        if (status == STEMMA_OK && fdatasync(fd)) status = fail_errno(err, "sync", path, errno);
    }
    if (status == STEMMA_OK) s->gone_serial = s->next_serial++;
    if (fd >= 0) close(fd);
    mem_free(records);
    mem_free(path);
    return status;
}

/* ---- the manifest ---- */

static size_t encode_manifest(const struct store *s, uint8_t *to) {
    const uint64_t facts[] = {1, s->next_number, s->next_serial, s->gone_serial, s->gone_size, s->count};
    uint8_t *at = to + 8;
    memcpy(to, MANIFEST_MAGIC, 8);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++, at += 8) store_u64(at, facts[i]);
    for (size_t i = 0; i < s->count; i++, at += 16) {
        store_u64(at, s->segments[i]->serial);
        store_u64(at + 8, s->segments[i]->size);
    }
    store_u64(at, words_checksum(to, (size_t)(at - to), 0));
    return (size_t)(at - to) + 8;
}

static stemma_status write_manifest(struct store *s, stemma_error *err) {
    uint8_t bytes[MANIFEST_MOST];
    size_t size = encode_manifest(s, bytes);
    if (fsync(s->directory_fd)) return fail_errno(err, "sync", s->directory, errno);
    int fd = openat(s->directory_fd, "manifest.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return fail_errno(err, "create a manifest in", s->directory, errno);
    int cause = write_all(fd, bytes, size);
    if (cause == 0 && fdatasync(fd)) cause = errno;
    close(fd);
    if (cause == 0 && renameat(s->directory_fd, "manifest.new", s->directory_fd, "manifest")) cause = errno;
    if (cause == 0 && fsync(s->directory_fd)) cause = errno;
    if (cause) return fail_errno(err, "write a manifest in", s->directory, cause);
    memcpy(s->manifest, bytes, size);
    s->manifest_size = size;
    return STEMMA_OK;
}

static stemma_status check_manifest(const struct store *s, const uint8_t *bytes, size_t size,
                                    stemma_error *err) {
    bool whole = size >= MANIFEST_FIXED + 8 && size % 8 == 0 && !memcmp(bytes, MANIFEST_MAGIC, 8) &&
                 load_u64(bytes + size - 8) == words_checksum(bytes, size - 8, 0) &&
                 load_u64(bytes + 48) <= SEGMENTS_MOST &&
                 MANIFEST_FIXED + 16 * load_u64(bytes + 48) + 8 == size;
    return whole ? STEMMA_OK
                 : fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: checksum differs", s->directory);
}

/* *size is 0 when there is none. */
static stemma_status read_manifest(struct store *s, uint8_t *bytes, size_t *size, stemma_error *err) {
    *size = 0;
    int fd = openat(s->directory_fd, "manifest", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? STEMMA_OK : fail_errno(err, "open a manifest in", s->directory, errno);
    ssize_t got = read(fd, bytes, MANIFEST_MOST);
    close(fd);
    if (got < 0) return fail_errno(err, "read a manifest in", s->directory, errno);
    *size = (size_t)got;
    return check_manifest(s, bytes, *size, err);
}

static struct segment *open_already(struct store *s, uint64_t serial) {
    for (size_t i = 0; i < s->count; i++)
        if (s->segments[i] && s->segments[i]->serial == serial) {
            struct segment *segment = s->segments[i];
            s->segments[i] = NULL;
            return segment;
        }
    return NULL;
}

static void close_segments(struct segment **segments, size_t count) {
    for (size_t i = 0; i < count; i++) segment_close(segments[i]);
}

/* Segments that are open stay so. */
static stemma_status follow_manifest(struct store *s, const uint8_t *bytes, size_t size, stemma_error *err) {
    struct segment *now[SEGMENTS_MOST] = {0};
    size_t count = (size_t)load_u64(bytes + 48);
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < count && status == STEMMA_OK; i++) {
        const uint8_t *at = bytes + MANIFEST_FIXED + 16 * i;
        now[i] = open_already(s, load_u64(at));
        if (!now[i]) status = segment_open(s->directory, load_u64(at), load_u64(at + 8), &now[i], err);
    }
    close_segments(s->segments, s->count);
    memcpy(s->segments, now, sizeof now);
    s->count = count;
    TRY(status);
    uint64_t gone_before = s->gone_serial;
    s->next_number = load_u64(bytes + 16);
    s->next_serial = load_u64(bytes + 24);
    s->gone_serial = load_u64(bytes + 32);
    s->gone_size = load_u64(bytes + 40);
    if (s->gone_serial != gone_before) TRY(load_gone(s, err));
    memcpy(s->manifest, bytes, size);
    s->manifest_size = size;
    return STEMMA_OK;
}

/* A file may be gone because a newer manifest is there: then that one counts. */
static stemma_status follow(struct store *s, stemma_error *err) {
    uint8_t bytes[MANIFEST_MOST], again[MANIFEST_MOST];
    size_t size, size_again;
    TRY(read_manifest(s, bytes, &size, err));
    for (;;) {
        if (size == 0 || (size == s->manifest_size && !memcmp(bytes, s->manifest, size))) return STEMMA_OK;
        stemma_status status = follow_manifest(s, bytes, size, err);
        if (status == STEMMA_OK) return status;
        stemma_error other;
        if (read_manifest(s, again, &size_again, &other) != STEMMA_OK || size_again == 0) return status;
        if (size_again == size && !memcmp(again, bytes, size)) return status;
        memcpy(bytes, again, size = size_again);
    }
}

/* ---- opening ---- */

static stemma_status lock(struct store *s, stemma_error *err) {
    char holder[64] = {0};
    s->lock_fd = openat(s->directory_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock_fd < 0) return fail_errno(err, "lock", s->directory, errno);
    if (flock(s->lock_fd, LOCK_EX | LOCK_NB)) {
        if (pread(s->lock_fd, holder, sizeof holder - 1, 0) < 0) holder[0] = 0;
        return fail(err, STEMMA_IO, "'%s' is being written by process %s", s->directory, holder);
    }
    int size = snprintf(holder, sizeof holder, "%ld", (long)getpid());
    int cause = write_at(s->lock_fd, holder, (size_t)size + 1, 0);
    return cause ? fail_errno(err, "lock", s->directory, cause) : STEMMA_OK;
}

static stemma_status open_all(struct store *s, const char *directory, bool writes, stemma_error *err) {
    if (!(s->directory = mem_copy_string(directory))) return fail_memory(err);
    if (writes) mkdir(directory, 0777);
    s->directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->directory_fd < 0) return fail_errno(err, "open", directory, errno);
    if (writes) TRY(lock(s, err));
    return follow(s, err);
}

stemma_status store_open(const char *directory, bool writes, struct store **out, stemma_error *err) {
    struct store *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    s->directory_fd = s->lock_fd = -1;
    s->next_serial = 1;
    stemma_status status = open_all(s, directory, writes, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

void store_close(struct store *s) {
    if (!s) return;
    close_segments(s->segments, s->count);
    if (s->directory_fd >= 0) close(s->directory_fd);
    if (s->lock_fd >= 0) close(s->lock_fd);
    mem_free(s->gone.words);
    mem_free(s->directory);
    mem_free(s);
}

stemma_status store_refresh(struct store *s, uint64_t *documents, stemma_error *err) {
    TRY(follow(s, err));
    *documents = s->next_number;
    return STEMMA_OK;
}

/* ---- writing ---- */

static unsigned size_class(uint64_t rows) {
    unsigned class = 0;
    for (uint64_t bound = SMALL; rows >= bound; bound *= FAN) class ++;
    return class;
}

/* How many of the last segments are no larger than the last one, by class. */
static size_t due(const struct store *s) {
    size_t same = 0;
    unsigned class = size_class(s->segments[s->count - 1]->rows);
    while (same < s->count && same < LEVELS_FAN &&
           size_class(s->segments[s->count - 1 - same]->rows) <= class)
        same++;
    return same >= FAN ? same : 0;
}

/* Segments [from, from + count) become one; their files go once the manifest no longer names them. */
static stemma_status merge_segments(struct store *s, size_t from, size_t count, stemma_error *err) {
    struct segment *old[LEVELS_FAN], *merged;
    uint64_t serial = s->next_serial++, size;
    memcpy(old, s->segments + from, count * sizeof *old);
    TRY(segment_merge(s->directory, serial, old, count, &s->gone, &size, err));
    TRY(segment_open(s->directory, serial, size, &merged, err));
    s->segments[from] = merged;
    memmove(s->segments + from + 1, s->segments + from + count,
            (s->count - from - count) * sizeof *s->segments);
    s->count -= count - 1;
    TRY(write_manifest(s, err));
    for (size_t i = 0; i < count; i++) {
        unlink(old[i]->path);
        segment_close(old[i]);
    }
    return STEMMA_OK;
}

static stemma_status settle(struct store *s, stemma_error *err) {
    for (size_t count; s->count && (count = due(s));) TRY(merge_segments(s, s->count - count, count, err));
    return STEMMA_OK;
}

stemma_status store_append(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    uint64_t serial, size;
    TRY(settle(s, err)); /* what a writer that was killed left undone */
    serial = s->next_serial++;
    TRY(segment_write(s->directory, serial, documents, count, &size, err));
    TRY(segment_open(s->directory, serial, size, &s->segments[s->count], err));
    s->count++;
    s->next_number = documents[count - 1].number + 1;
    TRY(write_manifest(s, err));
    return settle(s, err);
}

static stemma_status replace_gone(struct store *s, stemma_error *err) {
    char *old = s->gone_size ? gone_path(s, s->gone_serial) : NULL;
    stemma_status status = write_gone(s, err);
    if (status == STEMMA_OK) status = write_manifest(s, err);
    if (status == STEMMA_OK && old) unlink(old);
    mem_free(old);
    return status;
}

stemma_status store_remove(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    TRY(gone_reserve(&s->gone, s->next_number, err));
    for (size_t i = 0; i < count; i++) {
        uint8_t facts[FACTS];
        uint64_t number;
        bool found;
        TRY(store_find(s, documents[i].id, documents[i].id_size, facts, &number, &found, err));
        if (found) s->gone.words[number / 64] |= UINT64_C(1) << number % 64;
    }
    return replace_gone(s, err);
}

/* Every segment is written again without what is gone, which then is nowhere. */
stemma_status store_reclaim(struct store *s, stemma_error *err) {
    for (size_t i = 0; i < s->count; i++) TRY(merge_segments(s, i, 1, err));
    memset(s->gone.words, 0, s->gone.limit / 8);
    return replace_gone(s, err);
}

/* ---- asking ---- */

static stemma_status read_record(struct segment *segment, uint64_t number, const uint8_t **bytes,
                                 size_t *size, bool *found, stemma_error *err) {
    uint64_t row;
    TRY(segment_row(segment, number, &row, found, err));
    return *found ? text_row(&segment->records, row, bytes, size, err) : STEMMA_OK;
}

static stemma_status find_in(struct store *s, struct segment *segment, const char *id, size_t id_size,
                             uint8_t facts[FACTS], uint64_t *number, bool *found, stemma_error *err) {
    uint64_t numbers[8];
    size_t count = 0, size;
    const uint8_t *bytes;
    TRY(postings_list(&segment->ids, hash_bytes(id, id_size, 0), &s->gone, numbers, 8, &count, err));
    for (size_t i = 0; i < count && !*found; i++) {
        TRY(read_record(segment, numbers[i], &bytes, &size, found, err));
        *found = *found && size == FACTS + id_size && !memcmp(bytes + FACTS, id, id_size);
        if (!*found) continue;
        memcpy(facts, bytes, FACTS);
        *number = numbers[i];
    }
    return STEMMA_OK;
}

stemma_status store_find(struct store *s, const char *id, size_t id_size, uint8_t facts[FACTS],
                         uint64_t *number, bool *found, stemma_error *err) {
    *found = false;
    for (size_t i = s->count; i-- > 0 && !*found;)
        TRY(find_in(s, s->segments[i], id, id_size, facts, number, found, err));
    return STEMMA_OK;
}

stemma_status store_minima(struct store *s, uint64_t number, uint8_t minima[MINIMA], bool *found,
                           stemma_error *err) {
    *found = false;
    for (size_t i = 0; i < s->count && !is_gone(&s->gone, number); i++) {
        struct segment *segment = s->segments[i];
        uint64_t row;
        const uint8_t *bytes;
        if (number < segment->base || number >= segment->limit) continue;
        TRY(segment_row(segment, number, &row, found, err));
        if (!*found) return STEMMA_OK;
        TRY(column_row(&segment->minima, row, &bytes, err));
        memcpy(minima, bytes, MINIMA);
        return STEMMA_OK;
    }
    return STEMMA_OK;
}

stemma_status store_list(struct store *s, enum index index, uint64_t key, uint64_t *numbers, size_t room,
                         size_t *count, stemma_error *err) {
    *count = 0;
    for (size_t i = 0; i < s->count && *count < room; i++) {
        struct segment *segment = s->segments[i];
        struct postings *postings = index == INDEX_BANDS ? &segment->bands : &segment->samples;
        TRY(postings_list(postings, key, &s->gone, numbers, room, count, err));
    }
    return STEMMA_OK;
}

static stemma_status near_in(struct store *s, struct segment *segment, const uint8_t bits[BITS],
                             unsigned radius, uint64_t *near, stemma_error *err) {
    uint64_t number;
    for (uint64_t row = 0; row < segment->rows;) {
        const uint8_t *at;
        size_t count;
        TRY(column_rows(&segment->bits, row, &at, &count, err));
        for (size_t i = 0; i < count; i++, row++) {
            if (bits_apart(at + i * BITS, bits) > radius) continue;
            TRY(segment_number(segment, row, &number, err));
            *near += !is_gone(&s->gone, number);
        }
    }
    return STEMMA_OK;
}

stemma_status store_near(struct store *s, const uint8_t bits[BITS], unsigned radius, uint64_t *count,
                         stemma_error *err) {
    *count = 0;
    for (size_t i = 0; i < s->count; i++) TRY(near_in(s, s->segments[i], bits, radius, count, err));
    return STEMMA_OK;
}

static stemma_status digest_row(struct segment *segment, uint64_t row, uint64_t number, uint64_t *digest,
                                stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    TRY(text_row(&segment->records, row, &bytes, &size, err));
    *digest += hash_bytes(bytes, size, number);
    TRY(column_rows(&segment->minima, row, &bytes, &size, err));
    *digest += hash_bytes(bytes, MINIMA, number);
    TRY(column_rows(&segment->bits, row, &bytes, &size, err));
    *digest += hash_bytes(bytes, BITS, number);
    return STEMMA_OK;
}

static stemma_status digest_segment(struct store *s, struct segment *segment, uint64_t *digest,
                                    stemma_error *err) {
    struct numbers numbers = {.segment = segment};
    uint64_t number;
    bool more = true;
    for (uint64_t row = 0; more && row < segment->rows; row++) {
        TRY(numbers_next(&numbers, &number, &more, err));
        if (more && !is_gone(&s->gone, number)) TRY(digest_row(segment, row, number, digest, err));
    }
    TRY(postings_digest(&segment->ids, &s->gone, digest, err));
    TRY(postings_digest(&segment->bands, &s->gone, digest, err));
    return postings_digest(&segment->samples, &s->gone, digest, err);
}

stemma_status store_digest(struct store *s, uint64_t *digest, stemma_error *err) {
    *digest = s->next_number;
    for (size_t i = 0; i < s->count; i++) TRY(digest_segment(s, s->segments[i], digest, err));
    return STEMMA_OK;
}

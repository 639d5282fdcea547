#include "base/spill.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FAN = 16,            /* runs merged at once: more means fewer passes, but smaller reads */
    READ_VALUES = 4096,  /* read buffer of a run: 32 KiB */
    LEAST_VALUES = 16384 /* 256 KiB with the scratch of the sort */
};

struct run {
    int fd;
    int level; /* how often its values have been merged */
    uint64_t count;
};

struct spill {
    bool unique;
    size_t most; /* values in memory */
    char *directory;
    struct vec64 values;
    size_t sorted; /* the first so many of values are sorted (and unique) */
    struct run *runs;
    size_t run_count, run_cap;
    uint64_t bytes;
};

static const char *temporary_directory(const char *asked) {
    if (asked) return asked;
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

stemma_status spill_new(bool unique, size_t memory, const char *directory, struct spill **out, stemma_error *err) {
    struct spill *spill = mem_zero(1, sizeof *spill);
    if (!spill) return fail_memory(err);
    spill->directory = mem_copy_string(temporary_directory(directory));
    if (!spill->directory) {
        mem_free(spill);
        return fail_memory(err);
    }
    spill->unique = unique;
    spill->most = memory / (2 * sizeof(uint64_t)); /* the sort needs as much again */
    if (spill->most < LEAST_VALUES) spill->most = LEAST_VALUES;
    *out = spill;
    return STEMMA_OK;
}

/* ---- unnamed files ---- */

static stemma_status run_open(struct spill *spill, struct run *run, int level, stemma_error *err) {
    int fd = open(spill->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        /* A file system without O_TMPFILE: named for a moment. */
        char name[4096];
        if (snprintf(name, sizeof name, "%s/stemma-XXXXXX", spill->directory) >= (int)sizeof name)
            return fail_errno(err, "make a temporary file in", spill->directory, ENAMETOOLONG);
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0) unlink(name);
    }
    if (fd < 0) {
        int cause = errno == ENOENT || errno == ENOTDIR || errno == EACCES ? EIO : errno;
        stemma_status status = fail_errno(NULL, "", "", cause); /* not the document's fault, so not its status */
        fail_errno(err, "make a temporary file in", spill->directory, errno);
        if (err) err->status = status;
        return status;
    }
    *run = (struct run){fd, level, 0};
    return STEMMA_OK;
}

static stemma_status run_append(struct spill *spill, struct run *run, const uint64_t *values, size_t count,
                                stemma_error *err) {
    int cause = write_all(run->fd, values, count * sizeof *values);
    if (cause) return fail_errno(err, "write a temporary file in", spill->directory, cause);
    run->count += count;
    spill->bytes += count * sizeof *values;
    return STEMMA_OK;
}

/* ---- merging ---- */

struct head {
    int fd;
    uint64_t left; /* values not yet read from the file */
    uint64_t offset;
    uint64_t *buffer;
    size_t at, filled;
};

struct spill_cursor {
    const char *directory;
    bool unique;
    const uint64_t *memory; /* or everything is here */
    size_t memory_left;
    struct head heads[2 * FAN];
    size_t order[2 * FAN]; /* a binary heap of heads by their next value */
    size_t count;
    bool started;
    uint64_t last;
};

static uint64_t head_value(const struct spill_cursor *c, size_t place) {
    const struct head *head = &c->heads[c->order[place]];
    return head->buffer[head->at];
}

static void sift_down(struct spill_cursor *c, size_t place) {
    for (;;) {
        size_t least = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < c->count && head_value(c, child) < head_value(c, least)) least = child;
        if (least == place) return;
        size_t moved = c->order[place];
        c->order[place] = c->order[least];
        c->order[least] = moved;
        place = least;
    }
}

static stemma_status head_fill(struct spill_cursor *c, struct head *head, stemma_error *err) {
    size_t want = head->left < READ_VALUES ? (size_t)head->left : READ_VALUES, bytes = 0;
    while (bytes < want * sizeof(uint64_t)) {
        ssize_t got = pread(head->fd, (uint8_t *)head->buffer + bytes, want * sizeof(uint64_t) - bytes,
                            (off_t)(head->offset + bytes));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_errno(err, "read a temporary file in", c->directory, got < 0 ? errno : EIO);
        bytes += (size_t)got;
    }
    head->offset += bytes;
    head->left -= want;
    head->at = 0;
    head->filled = want;
    return STEMMA_OK;
}

static stemma_status cursor_open(struct spill *spill, const struct run *runs, size_t count,
                                 struct spill_cursor **out, stemma_error *err) {
    struct spill_cursor *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    c->directory = spill->directory;
    c->unique = spill->unique;
    for (size_t i = 0; i < count; i++) {
        struct head *head = &c->heads[i];
        *head = (struct head){.fd = runs[i].fd, .left = runs[i].count};
        head->buffer = mem_alloc(READ_VALUES * sizeof *head->buffer);
        stemma_status status = head->buffer ? head_fill(c, head, err) : fail_memory(err);
        if (status != STEMMA_OK) {
            spill_cursor_free(c);
            return status;
        }
        c->order[c->count++] = i;
    }
    for (size_t i = c->count; i-- > 0;) sift_down(c, i);
    *out = c;
    return STEMMA_OK;
}

/* Take the least value off the heap. */
static stemma_status heap_pop(struct spill_cursor *c, uint64_t *value, stemma_error *err) {
    struct head *head = &c->heads[c->order[0]];
    *value = head->buffer[head->at++];
    if (head->at == head->filled) {
        if (head->left)
            TRY(head_fill(c, head, err));
        else
            c->order[0] = c->order[--c->count];
    }
    if (c->count) sift_down(c, 0);
    return STEMMA_OK;
}

stemma_status spill_cursor_read(struct spill_cursor *c, uint64_t *values, size_t room, size_t *count,
                                stemma_error *err) {
    size_t filled = 0;
    if (c->memory) {
        filled = c->memory_left < room ? c->memory_left : room;
        memcpy(values, c->memory, filled * sizeof *values);
        c->memory += filled;
        c->memory_left -= filled;
        *count = filled;
        return STEMMA_OK;
    }
    while (filled < room && c->count) {
        uint64_t value;
        TRY(heap_pop(c, &value, err));
        if (c->unique && c->started && value == c->last) continue;
        c->started = true;
        c->last = value;
        values[filled++] = value;
    }
    *count = filled;
    return STEMMA_OK;
}

void spill_cursor_free(struct spill_cursor *c) {
    if (!c) return;
    for (size_t i = 0; i < 2 * FAN; i++) mem_free(c->heads[i].buffer);
    mem_free(c);
}

/* ---- spilling ---- */

static stemma_status write_merged(struct spill *spill, struct spill_cursor *cursor, struct run *to,
                                  stemma_error *err) {
    uint64_t block[1024];
    for (;;) {
        size_t count = 0;
        TRY(spill_cursor_read(cursor, block, 1024, &count, err));
        if (count == 0) return STEMMA_OK;
        TRY(run_append(spill, to, block, count, err));
    }
}

/* The last `count` runs become one of the next level. */
static stemma_status merge_last(struct spill *spill, size_t count, stemma_error *err) {
    struct run *from = spill->runs + spill->run_count - count, merged;
    struct spill_cursor *cursor = NULL;
    TRY(run_open(spill, &merged, from[0].level + 1, err));
    stemma_status status = cursor_open(spill, from, count, &cursor, err);
    if (status == STEMMA_OK) {
        status = write_merged(spill, cursor, &merged, err);
        spill_cursor_free(cursor);
    }
    if (status != STEMMA_OK) {
        close(merged.fd);
        return status;
    }
    for (size_t i = 0; i < count; i++) close(from[i].fd);
    spill->run_count -= count - 1;
    spill->runs[spill->run_count - 1] = merged;
    return STEMMA_OK;
}

/* Runs stand in order of falling level; FAN of one level at the end are merged. */
static stemma_status merge_levels(struct spill *spill, stemma_error *err) {
    for (;;) {
        size_t same = 0;
        while (same < spill->run_count && spill->runs[spill->run_count - 1 - same].level ==
                                              spill->runs[spill->run_count - 1].level)
            same++;
        if (same < FAN) return STEMMA_OK;
        TRY(merge_last(spill, same, err));
    }
}

static stemma_status sort_values(struct spill *spill, stemma_error *err) {
    if (spill->sorted == spill->values.len) return STEMMA_OK;
    if (!sort_u64(spill->values.data, spill->values.len)) return fail_memory(err);
    if (spill->unique) spill->values.len = unique_u64(spill->values.data, spill->values.len);
    spill->sorted = spill->values.len;
    return STEMMA_OK;
}

static stemma_status spill_values(struct spill *spill, stemma_error *err) {
    struct run run;
    if (spill->values.len == 0) return STEMMA_OK;
    if (!mem_grow((void **)&spill->runs, &spill->run_cap, spill->run_count + 1, sizeof *spill->runs))
        return fail_memory(err);
    TRY(run_open(spill, &run, 0, err));
    stemma_status status = run_append(spill, &run, spill->values.data, spill->values.len, err);
    if (status != STEMMA_OK) {
        close(run.fd);
        return status;
    }
    spill->runs[spill->run_count++] = run;
    spill->values.len = spill->sorted = 0;
    return merge_levels(spill, err);
}

/* Sort; where repetitions left less than half, there is room again, else the values go to disk. */
static stemma_status make_room(struct spill *spill, stemma_error *err) {
    TRY(sort_values(spill, err));
    return spill->values.len > spill->most / 2 ? spill_values(spill, err) : STEMMA_OK;
}

stemma_status spill_add(struct spill *spill, const uint64_t *values, size_t count, stemma_error *err) {
    while (count) {
        if (spill->values.len >= spill->most) TRY(make_room(spill, err));
        size_t room = spill->most - spill->values.len, part = count < room ? count : room;
        if (!vec64_reserve(&spill->values, part)) return fail_memory(err);
        memcpy(spill->values.data + spill->values.len, values, part * sizeof *values);
        spill->values.len += part;
        values += part;
        count -= part;
    }
    return STEMMA_OK;
}

stemma_status spill_finish(struct spill *spill, stemma_error *err) {
    TRY(sort_values(spill, err));
    if (spill->run_count == 0) return STEMMA_OK;
    TRY(spill_values(spill, err));
    while (spill->run_count > FAN) TRY(merge_last(spill, FAN, err));
    return STEMMA_OK;
}

const uint64_t *spill_in_memory(const struct spill *spill, size_t *count) {
    static const uint64_t nothing;
    if (spill->run_count) return NULL;
    *count = spill->values.len;
    return spill->values.data ? spill->values.data : &nothing;
}

uint64_t spill_bytes(const struct spill *spill) {
    return spill->bytes;
}

stemma_status spill_cursor_new(struct spill *spill, struct spill_cursor **out, stemma_error *err) {
    TRY(cursor_open(spill, spill->runs, spill->run_count, out, err));
    if (!spill->run_count) (*out)->memory = spill_in_memory(spill, &(*out)->memory_left);
    return STEMMA_OK;
}

void spill_free(struct spill *spill) {
    if (!spill) return;
    for (size_t i = 0; i < spill->run_count; i++) close(spill->runs[i].fd);
    mem_free(spill->runs);
    mem_free(spill->directory);
    vec64_release(&spill->values);
    mem_free(spill);
}

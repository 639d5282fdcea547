#include "base/spill.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/levels.h"
#include "base/sort.h"

#include <string.h>

enum {
    READ_VALUES = 4096,  /* read buffer of a run: 32 KiB */
    LEAST_VALUES = 16384 /* 256 KiB with the scratch of the sort */
};

struct spill {
    bool unique;
    size_t most; /* values in memory */
    struct vec64 values;
    size_t sorted;        /* the first so many of values are sorted (and unique) */
    struct levels levels; /* the extent of a run is its number of values */
    uint64_t bytes;
};

static level_fill fill_run;

stemma_status spill_new(bool unique, size_t memory, const char *directory, struct spill **out,
                        stemma_error *err) {
    struct spill *spill = mem_zero(1, sizeof *spill);
    if (!spill) return fail_memory(err);
    stemma_status status = levels_init(&spill->levels, directory, fill_run, spill, err);
    if (status != STEMMA_OK) {
        mem_free(spill);
        return status;
    }
    spill->unique = unique;
    spill->most = memory / (2 * sizeof(uint64_t)); /* the sort needs as much again */
    if (spill->most < LEAST_VALUES) spill->most = LEAST_VALUES;
    *out = spill;
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
    struct head heads[LEVELS_FAN];
    size_t order[LEVELS_FAN]; /* a binary heap of heads by their next value */
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
    size_t want = head->left < READ_VALUES ? (size_t)head->left : READ_VALUES,
           bytes = want * sizeof(uint64_t);
    int cause = read_at(head->fd, head->buffer, bytes, head->offset);
    if (cause) return fail_errno(err, "read a temporary file in", c->directory, cause);
    head->offset += bytes;
    head->left -= want;
    head->at = 0;
    head->filled = want;
    return STEMMA_OK;
}

static stemma_status cursor_open(struct spill *spill, const struct level_run *runs, size_t count,
                                 struct spill_cursor **out, stemma_error *err) {
    struct spill_cursor *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    c->directory = spill->levels.directory;
    c->unique = spill->unique;
    for (size_t i = 0; i < count; i++) {
        struct head *head = &c->heads[i];
        *head = (struct head){.fd = runs[i].fd, .left = runs[i].extent};
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
    for (size_t i = 0; i < LEVELS_FAN; i++) mem_free(c->heads[i].buffer);
    mem_free(c);
}

/* ---- spilling ---- */

static stemma_status run_append(struct spill *spill, struct level_run *run, const uint64_t *values,
                                size_t count, stemma_error *err) {
    int cause = write_all(run->fd, values, count * sizeof *values);
    if (cause) return fail_errno(err, "write a temporary file in", spill->levels.directory, cause);
    run->extent += count;
    spill->bytes += count * sizeof *values;
    return STEMMA_OK;
}

static stemma_status write_merged(struct spill *spill, struct spill_cursor *cursor, struct level_run *to,
                                  stemma_error *err) {
    uint64_t block[1024];
    for (;;) {
        size_t count = 0;
        TRY(spill_cursor_read(cursor, block, 1024, &count, err));
        if (count == 0) return STEMMA_OK;
        TRY(run_append(spill, to, block, count, err));
    }
}

static stemma_status fill_run(void *owner, const struct level_run *from, size_t count, struct level_run *to,
                              stemma_error *err) {
    struct spill *spill = owner;
    if (count == 0) return run_append(spill, to, spill->values.data, spill->values.len, err);
    struct spill_cursor *cursor = NULL;
    TRY(cursor_open(spill, from, count, &cursor, err));
    stemma_status status = write_merged(spill, cursor, to, err);
    spill_cursor_free(cursor);
    return status;
}

static stemma_status sort_values(struct spill *spill, stemma_error *err) {
    if (spill->sorted == spill->values.len) return STEMMA_OK;
    if (!sort_u64(spill->values.data, spill->values.len)) return fail_memory(err);
    if (spill->unique) spill->values.len = unique_u64(spill->values.data, spill->values.len);
    spill->sorted = spill->values.len;
    return STEMMA_OK;
}

static stemma_status spill_values(struct spill *spill, stemma_error *err) {
    if (spill->values.len == 0) return STEMMA_OK;
    TRY(levels_add(&spill->levels, err));
    spill->values.len = spill->sorted = 0;
    return levels_settle(&spill->levels, err);
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
    if (spill->levels.count == 0) return STEMMA_OK;
    TRY(spill_values(spill, err));
    return levels_finish(&spill->levels, err);
}

const uint64_t *spill_in_memory(const struct spill *spill, size_t *count) {
    static const uint64_t nothing;
    if (spill->levels.count) return NULL;
    *count = spill->values.len;
    return spill->values.data ? spill->values.data : &nothing;
}

uint64_t spill_bytes(const struct spill *spill) {
    return spill->bytes;
}

stemma_status spill_cursor_new(struct spill *spill, struct spill_cursor **out, stemma_error *err) {
    TRY(cursor_open(spill, spill->levels.runs, spill->levels.count, out, err));
    if (!spill->levels.count) (*out)->memory = spill_in_memory(spill, &(*out)->memory_left);
    return STEMMA_OK;
}

void spill_free(struct spill *spill) {
    if (!spill) return;
    levels_release(&spill->levels);
    vec64_release(&spill->values);
    mem_free(spill);
}

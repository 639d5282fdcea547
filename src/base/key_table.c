#include "base/key_table.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/temporary.h"

#include <errno.h>
#include <unistd.h>

enum {
    BUCKET_KEYS = 170,
    BUCKET_SOME = 100, /* keys, on average: above it, one that is full is to be expected */
    MEMORY_BITS = 9    /* 2 MB */
};

struct key_entry {
    uint64_t first, second, number; /* first 0: free */
};

struct key_bucket {
    struct key_entry entries[BUCKET_KEYS];
    uint64_t none[2]; /* so that it is a page */
};

static stemma_status failed(const struct key_table *t, const char *what, int cause, stemma_error *err) {
    return fail_errno(err, what, temporary_directory(t->directory), cause);
}

static stemma_status write_back(struct key_table *t, stemma_error *err) {
    const int cause = write_at(t->fd, t->held, sizeof *t->held, t->at * sizeof *t->held);
    return cause ? failed(t, "write a temporary file in", cause, err) : STEMMA_OK;
}

static stemma_status load_bucket(struct key_table *t, uint64_t at, struct key_bucket **bucket,
                                 stemma_error *err) {
    *bucket = t->filed ? t->held : &t->held[at];
    if (!t->filed || t->at == at) return STEMMA_OK;
    TRY(write_back(t, err));
    const int cause = read_at(t->fd, t->held, sizeof *t->held, at * sizeof *t->held);
    t->at = at;
    return cause ? failed(t, "read a temporary file in", cause, err) : STEMMA_OK;
}

/* The place of a key, or a free one in a bucket from its own on. */
static stemma_status find_entry(struct key_table *t, uint64_t first, uint64_t second,
                                struct key_entry **entry, stemma_error *err) {
    const uint64_t hash = mix64(first + mix64(second)), mask = (UINT64_C(1) << t->bits) - 1;
    uint64_t at = t->bits ? hash >> (64 - t->bits) : 0;
    for (;; at = (at + 1) & mask) {
        struct key_bucket *bucket;
        TRY(load_bucket(t, at, &bucket, err));
        for (uint64_t i = 0, slot = hash % BUCKET_KEYS; i < BUCKET_KEYS; i++) {
            *entry = &bucket->entries[slot];
            if ((*entry)->first == 0 || ((*entry)->first == first && (*entry)->second == second))
                return STEMMA_OK;
            slot = slot + 1 == BUCKET_KEYS ? 0 : slot + 1;
        }
    }
}

static stemma_status begin_file(struct key_table *t, stemma_error *err) {
    const off_t size = (off_t)(sizeof *t->held << t->bits);
    TRY(temporary_open(t->directory, &t->fd, err));
    t->filed = true;
    return ftruncate(t->fd, size) ? failed(t, "write a temporary file in", errno, err) : STEMMA_OK;
}

static stemma_status begin(struct key_table *t, unsigned bits, stemma_error *err) {
    const bool filed = bits > MEMORY_BITS;
    *t = (struct key_table){.directory = t->directory, .bits = bits};
    t->held = mem_zero(filed ? 1 : (size_t)1 << bits, sizeof *t->held);
    if (!t->held) return fail_memory(err);
    return filed ? begin_file(t, err) : STEMMA_OK;
}

static stemma_status copy_all(struct key_table *from, struct key_table *to, stemma_error *err) {
    for (uint64_t at = 0; at >> from->bits == 0; at++) {
        struct key_bucket *bucket;
        TRY(load_bucket(from, at, &bucket, err));
        for (size_t i = 0; i < BUCKET_KEYS; i++) {
            const struct key_entry *entry = &bucket->entries[i];
            struct key_entry *place;
            if (!entry->first) continue;
            TRY(find_entry(to, entry->first, entry->second, &place, err));
            *place = *entry;
        }
    }
    return STEMMA_OK;
}

/* Buckets are by the highest bits of hashes, so both tables are gone through in order. */
static stemma_status grow(struct key_table *t, stemma_error *err) {
    struct key_table larger = {.directory = t->directory};
    stemma_status status = begin(&larger, t->bits + 1, err);
    if (status == STEMMA_OK) status = copy_all(t, &larger, err);
    if (status != STEMMA_OK) {
        key_table_release(&larger);
        return status;
    }
    larger.keys = t->keys;
    key_table_release(t);
    *t = larger;
    return STEMMA_OK;
}

stemma_status key_table_at(struct key_table *t, uint64_t first, uint64_t second, uint64_t **number,
                           stemma_error *err) {
    struct key_entry *entry;
    if (!t->held) TRY(begin(t, 0, err));
    if (t->keys >> t->bits >= BUCKET_SOME) TRY(grow(t, err));
    TRY(find_entry(t, first, second, &entry, err));
    t->keys += entry->first == 0;
    entry->first = first;
    entry->second = second;
    *number = &entry->number;
    return STEMMA_OK;
}

void key_table_release(struct key_table *t) {
    if (t->filed) close(t->fd);
    mem_free(t->held);
    *t = (struct key_table){.directory = t->directory};
}

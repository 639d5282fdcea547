#include "runs/narrow.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <string.h>

enum { ROOM = 1 << 22 }; /* words that there is room for at first: memory costs nothing until it is used */

void narrow_init(struct narrow *n, int key_bits) {
    *n = (struct narrow){.part_shift = key_bits - SORTER_PART_BITS,
                         .value_bits = 64 + SORTER_PART_BITS - key_bits};
}

void narrow_release(struct narrow *n) {
    mem_free(n->words);
    mem_free(n->next);
    n->words = NULL;
    n->next = NULL;
    n->words_room = n->next_room = n->touched = 0;
    narrow_clear(n);
}

void narrow_clear(struct narrow *n) {
    n->chunks = 0;
    memset(n->parts, 0, sizeof n->parts);
}

size_t narrow_resident(const struct narrow *n) {
    return n->chunks * (NARROW_CHUNK * sizeof *n->words + sizeof *n->next);
}

/* ---- adding ---- */

/* There is room for one more chunk: its pages come with those of the next. */
static void touch(struct narrow *n) {
    enum { STEP = 128 };
    const size_t left = n->words_room / NARROW_CHUNK - n->touched, step = left < STEP ? left : STEP;
    if (n->chunks < n->touched) return;
    mem_touch(n->words + n->touched * NARROW_CHUNK, step * NARROW_CHUNK * sizeof *n->words);
    n->touched += step;
}

static bool add_chunk(struct narrow *n, struct narrow_part *part) {
    size_t need = (n->chunks + 1) * NARROW_CHUNK;
    if (!mem_grow((void **)&n->words, &n->words_room, need < ROOM ? ROOM : need, sizeof *n->words) ||
        !mem_grow((void **)&n->next, &n->next_room, n->chunks + 1, sizeof *n->next))
        return false;
    touch(n);
    const uint32_t chunk = (uint32_t)n->chunks++;
    if (part->count == 0)
        part->first = chunk;
    else
        n->next[part->last] = chunk;
    part->last = chunk;
    return true;
}

bool narrow_add(struct narrow *n, const struct record *records, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct narrow_part *part = &n->parts[records[i].key >> n->part_shift];
        size_t at = part->count % NARROW_CHUNK;
        if (at == 0 && !add_chunk(n, part)) return false;
        n->words[(size_t)part->last * NARROW_CHUNK + at] = records[i].key << n->value_bits | records[i].value;
        part->count++;
    }
    return true;
}

/* ---- sorting, by several threads ---- */

struct team {
    struct narrow *narrow;
    atomic_size_t next; /* part that nobody has taken yet */
    atomic_bool refused;
};

/* Of one thread: as large as the largest part so far. */
struct scratch {
    uint64_t *words;
    size_t room;
};

static bool scratch_hold(struct scratch *s, size_t count) {
    if (count <= s->room) return true;
    mem_free(s->words);
    s->words = mem_alloc(2 * count * sizeof *s->words);
    s->room = s->words ? count : 0;
    return s->words;
}

static size_t chunk_size(const struct narrow_part *part, size_t at) {
    return part->count - at < NARROW_CHUNK ? part->count - at : NARROW_CHUNK;
}

static bool sort_part(struct narrow *n, const struct narrow_part *part, struct scratch *s) {
    if (!scratch_hold(s, part->count)) return false;
    size_t at = 0;
    for (uint32_t chunk = part->first; at < part->count; chunk = n->next[chunk], at += NARROW_CHUNK)
        memcpy(s->words + at, n->words + (size_t)chunk * NARROW_CHUNK,
               chunk_size(part, at) * sizeof *s->words);
    sort_u64_with(s->words, s->words + part->count, part->count);
    at = 0;
    for (uint32_t chunk = part->first; at < part->count; chunk = n->next[chunk], at += NARROW_CHUNK)
        memcpy(n->words + (size_t)chunk * NARROW_CHUNK, s->words + at,
               chunk_size(part, at) * sizeof *s->words);
    return true;
}

static void work(void *context, unsigned worker) {
    (void)worker;
    struct team *team = context;
    struct scratch scratch = {0};
    for (size_t part; !team->refused && (part = team->next++) < SORTER_PARTS;)
        if (!sort_part(team->narrow, &team->narrow->parts[part], &scratch)) team->refused = true;
    mem_free(scratch.words);
}

bool narrow_sort(struct narrow *n, unsigned threads) {
    enum { ALONE = 2 * SORTER_PARTS }; /* chunks up to which threads cost more than they save */
    struct team team = {.narrow = n};
    if (threads < 2 || n->chunks <= ALONE)
        work(&team, 0);
    else
        threads_run(threads < THREADS_MOST ? threads : THREADS_MOST, work, &team);
    return !team.refused;
}

/* ---- reading ---- */

struct narrow_cursor narrow_read(const struct narrow *n, size_t first_part, size_t end_part) {
    return (struct narrow_cursor){
        .narrow = n, .part = first_part, .end = end_part, .chunk = n->parts[first_part].first};
}

/* To where the next record stands; false at the end. */
static bool settle(struct narrow_cursor *c) {
    const struct narrow *n = c->narrow;
    while (c->part < c->end && c->at == n->parts[c->part].count) {
        c->at = 0;
        if (++c->part < c->end) c->chunk = n->parts[c->part].first;
    }
    return c->part < c->end;
}

size_t narrow_next(struct narrow_cursor *c, struct record *records, size_t room) {
    const struct narrow *n = c->narrow;
    size_t filled = 0;
    while (filled < room && settle(c)) {
        const uint64_t *words = n->words + (size_t)c->chunk * NARROW_CHUNK + c->at % NARROW_CHUNK;
        const uint64_t upper = (uint64_t)c->part << n->part_shift;
        size_t left =
            chunk_size(&n->parts[c->part], c->at / NARROW_CHUNK * NARROW_CHUNK) - c->at % NARROW_CHUNK;
        size_t taken = left < room - filled ? left : room - filled;
        for (size_t i = 0; i < taken; i++)
            records[filled + i] = (struct record){upper | words[i] >> n->value_bits,
                                                  words[i] & ((UINT64_C(1) << n->value_bits) - 1)};
        filled += taken;
        c->at += taken;
        if (taken == left && c->at < n->parts[c->part].count) c->chunk = n->next[c->chunk];
    }
    return filled;
}

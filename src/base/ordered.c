#include "base/ordered.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/levels.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 256 << 10, PIECE = 64 << 10 /* read or written at once */ };

/* In memory as in files: size of the tail, head, tail; all of it whole words. */
struct run_head {
    int fd;
    uint64_t offset, left; /* bytes not read yet */
    struct buf bytes;
    size_t at;    /* of the entry that is next, */
    size_t whole; /* and its size; 0: there is none */
};

struct ordered {
    entries_order *order;
    size_t head_size, most;
    struct buf bytes;    /* of entries in memory, one behind the other */
    struct vec64 places; /* where each begins */
    uint64_t count, spilled;
    struct levels levels; /* the extent of a run is its bytes */
    size_t next;          /* of those in memory that are read */
    struct merge *merge;  /* of runs that are read; NULL: none */
};

struct merge {
    const struct ordered *of;
    struct run_head heads[LEVELS_FAN];
    size_t heap[LEVELS_FAN]; /* of heads, by their next entries */
    size_t count;
    bool given; /* the first one's: it is done with */
};

static level_fill fill_run;

static void merge_free(struct merge *m) {
    if (!m) return;
    for (size_t i = 0; i < LEVELS_FAN; i++) buf_release(&m->heads[i].bytes);
    mem_free(m);
}

stemma_status ordered_new(size_t head_size, entries_order *order, size_t memory, const char *directory,
                          struct ordered **out, stemma_error *err) {
    struct ordered *e = mem_zero(1, sizeof *e);
    if (!e) return fail_memory(err);
    *e = (struct ordered){.order = order, .head_size = head_size, .most = memory < LEAST ? LEAST : memory};
    stemma_status status = levels_init(&e->levels, directory, fill_run, e, err);
    if (status == STEMMA_OK)
        *out = e;
    else
        mem_free(e);
    return status;
}

void ordered_free(struct ordered *e) {
    if (!e) return;
    merge_free(e->merge);
    levels_release(&e->levels);
    buf_release(&e->bytes);
    vec64_release(&e->places);
    mem_free(e);
}

uint64_t ordered_count(const struct ordered *e) {
    return e->count;
}

uint64_t ordered_spilled(const struct ordered *e) {
    return e->spilled;
}

/* ---- as bytes ---- */

static size_t words(size_t size) {
    return (size + 7) / 8 * 8;
}

static size_t whole_size(const struct ordered *e, uint64_t tail_size) {
    return 8 + words(e->head_size) + words((size_t)tail_size);
}

static struct ordered_entry entry_at(const struct ordered *e, const uint8_t *at) {
    uint64_t tail_size;
    memcpy(&tail_size, at, 8);
    return (struct ordered_entry){at + 8, at + 8 + words(e->head_size), (size_t)tail_size};
}

static int by_order(const void *a, const void *b, void *context) {
    const struct ordered *e = context;
    const struct ordered_entry x = entry_at(e, e->bytes.data + *(const uint64_t *)a),
                               y = entry_at(e, e->bytes.data + *(const uint64_t *)b);
    return e->order(&x, &y);
}

static void sort(struct ordered *e) {
    if (e->places.len) qsort_r(e->places.data, e->places.len, sizeof *e->places.data, by_order, e);
}

/* ---- writing runs ---- */

static stemma_status write_piece(struct ordered *e, struct buf *piece, struct level_run *to,
                                 stemma_error *err) {
    int cause = write_all(to->fd, piece->data, piece->len);
    if (cause) return fail_errno(err, "write a temporary file in", e->levels.directory, cause);
    to->extent += piece->len;
    e->spilled += piece->len;
    piece->len = 0;
    return STEMMA_OK;
}

static stemma_status write_entry(struct ordered *e, struct buf *piece, const struct ordered_entry *entry,
                                 struct level_run *to, stemma_error *err) {
    const uint8_t *at = (const uint8_t *)entry->head - 8;
    if (!buf_add(piece, at, whole_size(e, entry->tail_size))) return fail_memory(err);
    return piece->len < PIECE ? STEMMA_OK : write_piece(e, piece, to, err);
}

static stemma_status write_own(struct ordered *e, struct buf *piece, struct level_run *to,
                               stemma_error *err) {
    sort(e);
    for (size_t i = 0; i < e->places.len; i++) {
        const struct ordered_entry entry = entry_at(e, e->bytes.data + e->places.data[i]);
        TRY(write_entry(e, piece, &entry, to, err));
    }
    return write_piece(e, piece, to, err);
}

/* ---- reading them ---- */

/* So many bytes from the next entry on are in memory. */
static stemma_status have(const struct ordered *e, struct run_head *head, size_t size, stemma_error *err) {
    size_t there = head->bytes.len - head->at;
    if (there >= size) return STEMMA_OK;
    if (there) memmove(head->bytes.data, head->bytes.data + head->at, there);
    head->at = 0;
    head->bytes.len = there;
    size_t more = size - there > PIECE ? size - there : PIECE;
    if (more > head->left) more = (size_t)head->left;
    if (!buf_reserve(&head->bytes, more)) return fail_memory(err);
    int cause = read_at(head->fd, head->bytes.data + there, more, head->offset);
    if (cause) return fail_errno(err, "read a temporary file in", e->levels.directory, cause);
    head->bytes.len += more;
    head->offset += more;
    head->left -= more;
    return STEMMA_OK;
}

static stemma_status step(const struct ordered *e, struct run_head *head, stemma_error *err) {
    head->at += head->whole;
    head->whole = 0;
    if (head->at == head->bytes.len && head->left == 0) return STEMMA_OK;
    TRY(have(e, head, 8, err));
    const size_t whole = whole_size(e, entry_at(e, head->bytes.data + head->at).tail_size);
    TRY(have(e, head, whole, err));
    head->whole = whole;
    return STEMMA_OK;
}

static struct ordered_entry entry_of(const struct merge *m, size_t place) {
    const struct run_head *head = &m->heads[m->heap[place]];
    return entry_at(m->of, head->bytes.data + head->at);
}

static bool comes_first(const struct merge *m, size_t a, size_t b) {
    const struct ordered_entry x = entry_of(m, a), y = entry_of(m, b);
    return m->of->order(&x, &y) < 0;
}

static void sift_down(struct merge *m, size_t place) {
    for (;;) {
        size_t first = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < m->count && comes_first(m, child, first)) first = child;
        if (first == place) return;
        const size_t moved = m->heap[place];
        m->heap[place] = m->heap[first];
        m->heap[first] = moved;
        place = first;
    }
}

static stemma_status merge_fill(struct merge *m, const struct level_run *runs, size_t count,
                                stemma_error *err) {
    for (size_t i = 0; i < count; i++) {
        m->heads[i] = (struct run_head){.fd = runs[i].fd, .offset = runs[i].offset, .left = runs[i].extent};
        TRY(step(m->of, &m->heads[i], err));
        if (m->heads[i].whole) m->heap[m->count++] = i;
    }
    for (size_t i = m->count; i-- > 0;) sift_down(m, i);
    return STEMMA_OK;
}

static stemma_status merge_new(const struct ordered *e, const struct level_run *runs, size_t count,
                               struct merge **out, stemma_error *err) {
    struct merge *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory(err);
    m->of = e;
    stemma_status status = merge_fill(m, runs, count, err);
    if (status == STEMMA_OK)
        *out = m;
    else
        merge_free(m);
    return status;
}

static stemma_status merge_next(struct merge *m, struct ordered_entry *entry, bool *more, stemma_error *err) {
    if (m->given) {
        struct run_head *head = &m->heads[m->heap[0]];
        TRY(step(m->of, head, err));
        if (!head->whole) m->heap[0] = m->heap[--m->count];
        sift_down(m, 0);
    }
    m->given = *more = m->count > 0;
    if (*more) *entry = entry_of(m, 0);
    return STEMMA_OK;
}

/* ---- spilling ---- */

static stemma_status write_merged(struct ordered *e, struct merge *m, struct buf *piece, struct level_run *to,
                                  stemma_error *err) {
    for (;;) {
        struct ordered_entry entry;
        bool more;
        TRY(merge_next(m, &entry, &more, err));
        if (!more) return write_piece(e, piece, to, err);
        TRY(write_entry(e, piece, &entry, to, err));
    }
}

static stemma_status fill_run(void *owner, const struct level_run *from, size_t count, struct level_run *to,
                              stemma_error *err) {
    struct ordered *e = owner;
    struct buf piece = {0};
    struct merge *merge = NULL;
    stemma_status status = count ? merge_new(e, from, count, &merge, err) : write_own(e, &piece, to, err);
    if (status == STEMMA_OK && count) status = write_merged(e, merge, &piece, to, err);
    merge_free(merge);
    buf_release(&piece);
    return status;
}

static stemma_status spill(struct ordered *e, stemma_error *err) {
    if (e->places.len == 0) return STEMMA_OK;
    TRY(levels_add(&e->levels, err));
    e->bytes.len = e->places.len = 0;
    return levels_settle(&e->levels, err);
}

stemma_status ordered_add(struct ordered *e, const void *head, const void *tail, size_t tail_size,
                          stemma_error *err) {
    const size_t whole = whole_size(e, tail_size);
    const uint64_t size = tail_size;
    if (e->bytes.len + whole + 8 * (e->places.len + 1) > e->most) TRY(spill(e, err));
    if (!vec64_reserve(&e->places, 1) || !buf_reserve(&e->bytes, whole)) return fail_memory(err);
    uint8_t *at = e->bytes.data + e->bytes.len;
    memset(at, 0, whole);
    memcpy(at, &size, 8);
    memcpy(at + 8, head, e->head_size);
    if (tail_size) memcpy(at + 8 + words(e->head_size), tail, tail_size);
    (void)vec64_add(&e->places, e->bytes.len);
    e->bytes.len += whole;
    e->count++;
    return STEMMA_OK;
}

stemma_status ordered_finish(struct ordered *e, stemma_error *err) {
    if (e->levels.count == 0) {
        sort(e);
        return STEMMA_OK;
    }
    TRY(spill(e, err));
    buf_release(&e->bytes);
    vec64_release(&e->places);
    TRY(levels_finish(&e->levels, err));
    return ordered_again(e, err);
}

stemma_status ordered_again(struct ordered *e, stemma_error *err) {
    e->next = 0;
    merge_free(e->merge);
    e->merge = NULL;
    return e->levels.count ? merge_new(e, e->levels.runs, e->levels.count, &e->merge, err) : STEMMA_OK;
}

stemma_status ordered_next(struct ordered *e, struct ordered_entry *entry, bool *more, stemma_error *err) {
    if (e->merge) return merge_next(e->merge, entry, more, err);
    *more = e->next < e->places.len;
    if (*more) *entry = entry_at(e, e->bytes.data + e->places.data[e->next++]);
    return STEMMA_OK;
}

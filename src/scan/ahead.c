#include "scan/ahead.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "join/join.h"
#include "scan/reading.h"

#include <stdatomic.h>

enum {
    READ = 1024,  /* candidates at a time: what they name fits into a cache */
    SLICE = 2048, /* classes that a thread takes: some megabytes of a file of short documents */
    DENSE = 16    /* where one document in so many is wanted, those between are read with it */
};

/* Less is not worth a round through the files. */
#define ROOM_LEAST ((size_t)1 << 18)

/* ---- what will be asked for ---- */

struct round {
    struct stemma_scan *scan;
    uint64_t *wanted; /* a bit a class */
    size_t room;      /* bytes left for texts */
    size_t count;     /* classes that are wanted */
    size_t span;      /* bytes read at once */
    atomic_uint_fast32_t slice;
    atomic_bool full, failed;
    stemma_error *err; /* of the first that failed, */
    stemma_status status;
    pthread_mutex_t lock; /* under this */
};

static bool is_missing(const struct stemma_scan *scan, uint32_t class) {
    const struct text_class *c = &scan->catalogue.classes[class];
    if (c->cached || c->huge || c->lost) return false;
    return !scan->any_in_order_only || !text_in_order_only(scan, &scan->catalogue.documents[c->document]);
}

/* False: there is no room for it. */
static bool want(struct round *r, uint32_t rank) {
    const uint32_t class = r->scan->ranking.class_of[rank];
    const uint64_t bit = UINT64_C(1) << class % 64;
    if (r->wanted[class / 64] & bit || !is_missing(r->scan, class)) return true;
    const size_t size = r->scan->catalogue.classes[class].text_size + KERNEL_SLACK;
    if (size > r->room) return false;
    r->room -= size;
    r->wanted[class / 64] |= bit;
    r->count++;
    return true;
}

static bool want_pair(struct round *r, uint64_t pair) {
    return want(r, (uint32_t)(pair >> 32)) && want(r, (uint32_t)pair);
}

/* Groups take no document that contains another: pairs found for that alone are not compared for them. What a
 * cache has of two texts is not compared again. */
static bool is_asked_for(const struct stemma_scan *scan, const struct record *record) {
    return (scan->ahead.all || record->value != CANDIDATE_FIRST_IN_SECOND) &&
           texts_any_new(scan, record->key);
}

/* What will be looked at of these candidates lies anywhere in memory: fetched together, it is waited for
 * once.
 */
static void fetch(const struct stemma_scan *scan, const struct record *records, size_t count) {
    const struct text_class *classes = scan->catalogue.classes;
    const uint32_t *class_of = scan->ranking.class_of;
    for (size_t i = 0; i < count; i++) __builtin_prefetch(&class_of[(uint32_t)records[i].key]);
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&classes[class_of[records[i].key >> 32]]);
        __builtin_prefetch(&classes[class_of[(uint32_t)records[i].key]]);
    }
}

/* From the first of the batch on: what comes before it has been decided. */
static stemma_status want_next(struct round *r, struct ahead *a, uint64_t from, stemma_error *err) {
    for (;; a->at++) {
        if (a->at == a->filled) {
            a->at = 0;
            TRY(sorter_next(a->cursor, a->records, READ, &a->filled, err));
            fetch(r->scan, a->records, a->filled);
        }
        if (a->filled == 0) {
            a->next = UINT64_MAX;
            return STEMMA_OK;
        }
        const struct record *record = &a->records[a->at];
        a->next = record->key;
        if (record->key >= from && is_asked_for(r->scan, record) && !want_pair(r, record->key))
            return STEMMA_OK;
    }
}

/* ---- reading it ---- */

static stemma_status read_class(struct round *r, struct text_reader *reader, uint32_t class,
                                stemma_error *err) {
    stemma_error cause;
    stemma_status status = text_read_ahead(reader, class, &cause);
    if (status != STEMMA_OK && !is_problem(status)) return fail(err, status, "%s", cause.message);
    /* A problem is told to whoever asks for it. */
    if (status == STEMMA_OK && !r->scan->catalogue.classes[class].cached) r->full = true;
    return STEMMA_OK;
}

/* What is wanted of a slice, in the order of the files: classes were numbered by several threads, each in a
 * stretch of its own. Returns how many. */
static size_t list_slice(const struct round *r, size_t slice, struct text_place places[SLICE]) {
    const size_t words = r->scan->catalogue.class_count / 64 + 1, begin = slice * (SLICE / 64);
    size_t count = 0;
    for (size_t i = begin; i < words && i < begin + SLICE / 64; i++)
        for (uint64_t left = r->wanted[i]; left; left &= left - 1)
            places[count++] = text_place_of(r->scan, (uint32_t)(i * 64 + (size_t)__builtin_ctzll(left)));
    text_places_sort(places, count);
    return count;
}

static stemma_status read_slice(struct round *r, struct text_reader *reader, size_t slice,
                                stemma_error *err) {
    struct text_place places[SLICE];
    TRY(check_stop(r->scan->settings.limits.stop, err));
    const size_t count = list_slice(r, slice, places);
    for (size_t i = 0; i < count && !r->full; i++) TRY(read_class(r, reader, places[i].class, err));
    return STEMMA_OK;
}

static void fail_round(struct round *r, stemma_status status, const stemma_error *error) {
    pthread_mutex_lock(&r->lock);
    if (r->status == STEMMA_OK) {
        r->status = status;
        if (r->err) *r->err = *error;
    }
    r->failed = true;
    pthread_mutex_unlock(&r->lock);
}

static void work(void *context, unsigned number) {
    struct round *r = context;
    struct text_reader reader;
    stemma_error error;
    (void)number;
    const size_t slices = r->scan->catalogue.class_count / SLICE + 1;
    stemma_status status = text_reader_init(&reader, r->scan, &error);
    reader.records.span = r->span;
    for (size_t slice; status == STEMMA_OK && !r->failed && !r->full && (slice = r->slice++) < slices;)
        status = read_slice(r, &reader, slice, &error);
    text_reader_release(&reader);
    if (status != STEMMA_OK) fail_round(r, status, &error);
}

/* ---- rounds ---- */

static uint64_t bytes_of_texts(const struct stemma_scan *scan) {
    const struct catalogue *c = &scan->catalogue;
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->class_count; i++) bytes += c->classes[i].text_size;
    return bytes;
}

/* Of what the reading left many will be asked for where it is most of all texts, and few where it is not.
 * What cannot be read again by itself stays. */
static void make_room(struct stemma_scan *scan, const struct ahead *a) {
    const bool few = a->rounds > 0 || scan->texts.used < bytes_of_texts(scan) / 2;
    if (few && !scan->any_in_order_only) texts_give_up_all(scan);
}

static stemma_status read_wanted(struct round *r, stemma_error *err) {
    const unsigned threads = r->count > SLICE ? r->scan->settings.threads : 1;
    r->span = r->count > r->scan->catalogue.class_count / DENSE ? RECORD_SPAN : 0;
    r->err = err;
    pthread_mutex_init(&r->lock, NULL);
    threads_run(threads, work, r);
    pthread_mutex_destroy(&r->lock);
    return r->status;
}

static stemma_status next_round(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                stemma_error *err) {
    struct ahead *a = &scan->ahead;
    make_room(scan, a);
    struct round round = {.scan = scan, .room = texts_room(scan), .status = STEMMA_OK};
    if (round.room < ROOM_LEAST) {
        ahead_end(scan);
        return STEMMA_OK;
    }
    round.wanted = mem_zero(scan->catalogue.class_count / 64 + 1, sizeof *round.wanted);
    if (!round.wanted) return fail_memory(err);
    for (size_t i = 0; i < count; i++) want_pair(&round, pairs[i]);
    stemma_status status = want_next(&round, a, pairs[0], err);
    if (status == STEMMA_OK && round.count) status = read_wanted(&round, err);
    mem_free(round.wanted);
    a->rounds++;
    return status;
}

stemma_status ahead_reach(struct stemma_scan *scan, const uint64_t *pairs, size_t count, stemma_error *err) {
    if (!scan->ahead.cursor || count == 0 || pairs[count - 1] < scan->ahead.next) return STEMMA_OK;
    return next_round(scan, pairs, count, err);
}

stemma_status ahead_begin(struct stemma_scan *scan, bool all, stemma_error *err) {
    ahead_end(scan);
    scan->ahead = (struct ahead){.all = all, .records = mem_alloc(READ * sizeof *scan->ahead.records)};
    if (!scan->ahead.records) return fail_memory(err);
    stemma_status status = sorter_read(scan->pairs, &scan->ahead.cursor, err);
    if (status != STEMMA_OK) ahead_end(scan);
    return status;
}

void ahead_end(struct stemma_scan *scan) {
    sorter_cursor_free(scan->ahead.cursor);
    mem_free(scan->ahead.records);
    scan->ahead = (struct ahead){0};
}

#include "stored.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"

enum { BUNDLES_KEPT = 64, NAMES_SHOWN = 4 };

typedef struct bundle {
    char *path;
    pthread_mutex_t loading; /* one thread reads it, the others wait for that */
    bool loaded;
    stemma_sketch **sketches; /* sorted by name */
    size_t count, capacity;
    stemma_status status; /* of reading it */
    stemma_error error;
} bundle;

struct stored_set {
    pthread_mutex_t lock; /* of what is below */
    void *bundles;        /* a tree, by path: see tsearch(3) */
    size_t count;
    void *warned; /* a tree of names */
};

/* ---- one bundle ---- */

static const char *name_of(const stemma_sketch *sketch) {
    return stemma_sketch_info(sketch).name;
}

static int by_name(const void *a, const void *b) {
    return strcmp(name_of(*(stemma_sketch *const *)a), name_of(*(stemma_sketch *const *)b));
}

static void bundle_add(bundle *b, stemma_sketch *sketch) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 1;
        b->sketches = need_more(b->sketches, b->capacity * sizeof(stemma_sketch *));
    }
    b->sketches[b->count++] = sketch;
}

static stemma_status bundle_load(bundle *b) {
    stemma_reader *reader;
    stemma_sketch *sketch;
    stemma_status status = stemma_reader_open(b->path, &reader, &b->error);
    if (status) return status;
    while (!(status = stemma_reader_next(reader, &sketch, &b->error))) bundle_add(b, sketch);
    stemma_reader_free(reader);
    if (b->count) qsort(b->sketches, b->count, sizeof(stemma_sketch *), by_name);
    return status == STEMMA_NOT_FOUND ? STEMMA_OK : status;
}

static void bundle_free(void *argument) {
    bundle *b = argument;
    for (size_t i = 0; i < b->count; i++) stemma_sketch_free(b->sketches[i]);
    free(b->sketches);
    free(b->path);
    pthread_mutex_destroy(&b->loading);
    free(b);
}

/* The first place from `low` on where a name is not before `member`, or where it is after it. */
static size_t bound(const bundle *b, const char *member, size_t low, bool after) {
    size_t high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name_of(b->sketches[middle]), member);
        if (order < 0 || (after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* "; it has 'a', 'b' and 3 more" */
static const char *some_names(const bundle *b, char *buffer, size_t size) {
    size_t used = 0, shown = b->count < NAMES_SHOWN ? b->count : NAMES_SHOWN;
    buffer[0] = '\0';
    for (size_t i = 0; i < shown && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s '%s'", i ? "," : "; it has",
                                 name_of(b->sketches[i]));
    if (shown < b->count && used < size)
        snprintf(buffer + used, size - used, " and %zu more", b->count - shown);
    return buffer;
}

static stemma_status refuse_count(const bundle *b, const char *member, size_t matches, stemma_error *error) {
    const char *path = b->path;
    char names[160];
    if (matches == 0 && member)
        return set_error(error, STEMMA_NOT_FOUND, "cannot use '%s': it holds no sketch of '%s'%s", path,
                         member, some_names(b, names, sizeof names));
    if (matches == 0) return set_error(error, STEMMA_NOT_FOUND, "cannot use '%s': it holds no sketch", path);
    if (member)
        return set_error(error, STEMMA_INVALID, "cannot use '%s': it holds %zu sketches of '%s'", path,
                         matches, member);
    return set_error(
        error, STEMMA_INVALID,
        "cannot use '%s': it holds %zu sketches; name one as '%s#DOCUMENT' ('stemma show' lists them)", path,
        matches, path);
}

/* The sketch of `member`, or the only one there is. */
static stemma_status bundle_find(const bundle *b, const char *member, const stemma_sketch **out,
                                 stemma_error *error) {
    size_t first = member ? bound(b, member, 0, false) : 0;
    size_t end = member ? bound(b, member, first, true) : b->count;
    if (end - first != 1) return refuse_count(b, member, end - first, error);
    *out = b->sketches[first];
    return STEMMA_OK;
}

/* ---- the set ---- */

static int by_path(const void *a, const void *b) {
    return strcmp(((const bundle *)a)->path, ((const bundle *)b)->path);
}

stored_set *stored_new(void) {
    stored_set *set = need_memory(sizeof *set);
    pthread_mutex_init(&set->lock, NULL);
    return set;
}

static void forget_all(stored_set *set) {
    tdestroy(set->bundles, bundle_free);
    set->bundles = NULL;
    set->count = 0;
}

void stored_free(stored_set *set) {
    forget_all(set);
    tdestroy(set->warned, free);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

void stored_trim(stored_set *set) {
    if (set->count > BUNDLES_KEPT) forget_all(set);
}

/* NULL when it is not in the set. */
static bundle *set_get(stored_set *set, const char *path) {
    pthread_mutex_lock(&set->lock);
    bundle **place = tfind(&(bundle){.path = (char *)path}, &set->bundles, by_path);
    bundle *found = place ? *place : NULL;
    pthread_mutex_unlock(&set->lock);
    return found;
}

/* Another thread may have been first: then it is that one's. */
static bundle *set_add(stored_set *set, const char *path) {
    bundle *b = need_memory(sizeof *b);
    b->path = need_copy(path);
    pthread_mutex_init(&b->loading, NULL);
    pthread_mutex_lock(&set->lock);
    bundle **place = need(tsearch(b, &set->bundles, by_path)), *kept = *place;
    if (kept == b) set->count++;
    pthread_mutex_unlock(&set->lock);
    if (kept != b) bundle_free(b);
    return kept;
}

static stemma_status ensure_loaded(bundle *b, stemma_error *error) {
    pthread_mutex_lock(&b->loading);
    if (!b->loaded) b->status = bundle_load(b);
    b->loaded = true;
    pthread_mutex_unlock(&b->loading);
    if (b->status) *error = b->error;
    return b->status;
}

/* ---- names ---- */

/* Pipes and devices are documents: looking into them would eat their beginning. */
static bool is_regular(const char *path) {
    struct stat info;
    return strcmp(path, "-") && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* *out stays NULL when the file is no bundle. */
static stemma_status find_in(stored_set *set, const char *path, const char *member, const stemma_sketch **out,
                             stemma_error *error) {
    bundle *b = set_get(set, path);
    if (!b) {
        bool is_bundle = false;
        if (!is_regular(path)) return STEMMA_OK;
        stemma_status status = stemma_is_bundle(path, &is_bundle, error);
        if (status || !is_bundle) return status;
        b = set_add(set, path);
    }
    stemma_status status = ensure_loaded(b, error);
    return status ? status : bundle_find(b, member, out, error);
}

stemma_status stored_refuse(const char *name, const char *verb, stemma_error *error) {
    bool is_bundle = false;
    if (!is_regular(name)) return STEMMA_OK;
    stemma_status status = stemma_is_bundle(name, &is_bundle, error);
    if (status || !is_bundle) return status;
    return set_error(error, STEMMA_INVALID, "cannot %s '%s': it is a sketch, not a document", verb, name);
}

static bool named_like_sketch(const char *name) {
    static const char ending[] = ".sketch";
    size_t length = strlen(name), tail = sizeof ending - 1;
    return length > tail && !strcmp(name + length - tail, ending);
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Its beginning may be damaged: then the numbers would be those of rubbish. Said once. */
static void warn_of(stored_set *set, const char *name) {
    pthread_mutex_lock(&set->lock);
    if (!tfind(name, &set->warned, by_text)) {
        need(tsearch(need_copy(name), &set->warned, by_text));
        complain("'%s' does not look like a sketch; it is read as text", name);
    }
    pthread_mutex_unlock(&set->lock);
}

stemma_status stored_find(stored_set *set, const char *name, const stemma_sketch **out, stemma_error *error) {
    *out = NULL;
    stemma_status status = find_in(set, name, NULL, out, error);
    bool is_document = !status && !*out && is_regular(name);
    if (is_document && named_like_sketch(name)) warn_of(set, name);
    if (status || *out || is_document) return status;
    /* Not a file as it stands: perhaps FILE#NAME, where either may hold further '#'. */
    char *path = need_copy(name);
    for (char *mark = strchr(path, '#'); mark && !*out && !status; mark = strchr(mark + 1, '#')) {
        *mark = '\0';
        status = find_in(set, path, mark + 1, out, error);
        *mark = '#';
    }
    free(path);
    return status;
}

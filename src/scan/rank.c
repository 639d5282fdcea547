/*
 * Keep order: which document of a class, and which class of all, comes first.
 *
 * By the policy asked for, then longer text, then what is sound before what is damaged, then files before
 * records of data sets, and both before what is in archives, then (of files) fewer folders and the shorter
 * name, then the id as bytes, then the data set's name, then the place in it: a total order that depends on
 * nothing but the documents.
 */
#include "base/alloc.h"
#include "base/thread.h"
#include "runs/record_sort.h"
#include "scan/scan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of input ---- */

/* Numbers of documents by their offsets, then, keeping that order, by their sources. */
static bool sort_input(struct stemma_scan *scan, struct record *records, uint32_t *starts) {
    const struct catalogue *c = &scan->catalogue;
    for (size_t i = 0; i < c->document_count; i++) {
        records[i] = (struct record){c->documents[i].offset, i};
        starts[c->documents[i].source + 1]++;
        if (text_in_order_only(scan, &c->documents[i])) scan->any_in_order_only = true;
    }
    if (!sort_records(records, c->document_count, scan->settings.threads)) return false;
    for (size_t i = 0; i < c->source_count; i++) starts[i + 1] += starts[i];
    for (size_t i = 0; i < c->document_count; i++) {
        const uint32_t document = (uint32_t)records[i].value, place = starts[c->documents[document].source]++;
        scan->order[place] = document;
        scan->place[document] = place;
    }
    return true;
}

static stemma_status order_input(struct stemma_scan *scan, stemma_error *err) {
    const size_t count = scan->catalogue.document_count;
    scan->order = mem_alloc(count * sizeof *scan->order);
    scan->place = mem_alloc(count * sizeof *scan->place);
    struct record *records = mem_alloc(count * sizeof *records);
    uint32_t *starts = mem_zero(scan->catalogue.source_count + (size_t)1, sizeof *starts);
    bool room = scan->order && scan->place && records && starts && sort_input(scan, records, starts);
    mem_free(records);
    mem_free(starts);
    return room ? STEMMA_OK : fail_memory(err);
}

/* ---- keep order of documents ---- */

static uint64_t text_size_of(const struct stemma_scan *scan, uint32_t document) {
    uint32_t class = scan->catalogue.documents[document].class;
    return class < scan->catalogue.class_count ? scan->catalogue.classes[class].text_size : 0;
}

/* Smaller is better. */
static uint64_t policy_key(const struct stemma_scan *scan, uint32_t document) {
    const struct source *source = &scan->catalogue.sources[scan->catalogue.documents[document].source];
    uint64_t modified = (uint64_t)source->modified ^ UINT64_C(1) << 63; /* in the order of signed numbers */
    switch (scan->settings.options.keep) {
    case STEMMA_KEEP_LONGEST:
        return ~text_size_of(scan, document);
    case STEMMA_KEEP_NEWEST:
        return ~modified;
    case STEMMA_KEEP_OLDEST:
        return modified;
    case STEMMA_KEEP_FIRST:
        return scan->place[document];
    case STEMMA_KEEP_SHORTEST_PATH:
        return strlen(catalogue_id(&scan->catalogue, document));
    }
    return 0;
}

static const char *source_name(const struct stemma_scan *scan, uint32_t document) {
    return scan->catalogue.sources[scan->catalogue.documents[document].source].name;
}

static uint64_t folders_of(const char *path) {
    uint64_t folders = 0;
    for (; *path; path++) folders += *path == '/';
    return folders;
}

/* Of the name without its extension, which says nothing of what was first. */
static uint64_t name_length(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot ? (uint64_t)(dot - name) : strlen(name);
}

enum { OF_ITS_OWN, RECORD, INSIDE };

/* Smaller is better: what is sound, and a file of its own; copies are put into folders, and get longer names.
 * Ids of records say nothing of the kind. */
static uint64_t place_key(const struct stemma_scan *scan, uint32_t number) {
    const struct document *document = &scan->catalogue.documents[number];
    const bool file = scan->catalogue.sources[document->source].kind == SOURCE_FILE;
    const bool inside = catalogue_is_contained(&scan->catalogue, document);
    const uint64_t where = inside ? INSIDE : file ? OF_ITS_OWN : RECORD;
    const char *id = catalogue_id(&scan->catalogue, number);
    return (uint64_t)document->damaged << 63 | where << 61 |
           (file ? folders_of(id) << 32 | name_length(id) : 0);
}

/* Where the policy does not decide. */
static int tie_order(const struct stemma_scan *scan, uint32_t a, uint32_t b) {
    uint64_t size_a = text_size_of(scan, a), size_b = text_size_of(scan, b);
    if (size_a != size_b) return size_a > size_b ? -1 : 1;
    uint64_t place_a = place_key(scan, a), place_b = place_key(scan, b);
    if (place_a != place_b) return place_a < place_b ? -1 : 1;
    int ids = strcmp(catalogue_id(&scan->catalogue, a), catalogue_id(&scan->catalogue, b));
    if (ids) return ids;
    int sources = strcmp(source_name(scan, a), source_name(scan, b)); /* data sets may use one id each */
    if (sources) return sources;
    return (scan->place[a] > scan->place[b]) - (scan->place[a] < scan->place[b]);
}

static int keep_order(const void *a, const void *b, void *context) {
    const struct stemma_scan *scan = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    uint64_t key_i = policy_key(scan, i), key_k = policy_key(scan, k);
    if (key_i != key_k) return key_i < key_k ? -1 : 1;
    return tie_order(scan, i, k);
}

/* ---- classes ---- */

/* Documents that are not text have classes too, where others have the same bytes. */
static uint32_t class_by_bytes(struct catalogue *c) {
    uint32_t count = (uint32_t)c->class_count;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->document_count; i++) {
            struct document *document = &c->documents[i];
            if (document->same_as == NO_DOCUMENT || document->state == DOCUMENT_TEXT ||
                document->state == DOCUMENT_EMPTY)
                continue;
            struct document *first = &c->documents[document->same_as];
            if (pass == 0 && first->class == NO_CLASS) first->class = count++;
            document->class = first->class;
        }
    return count;
}

/* Documents class after class: starts[class] is where its own begin. */
static void sort_by_class(const struct catalogue *c, uint32_t count, uint32_t *starts, uint32_t *documents) {
    memset(starts, 0, (count + 1) * sizeof *starts);
    for (size_t i = 0; i < c->document_count; i++)
        if (c->documents[i].class != NO_CLASS) starts[c->documents[i].class + 1]++;
    for (uint32_t i = 0; i < count; i++) starts[i + 1] += starts[i];
    for (size_t i = 0; i < c->document_count; i++)
        if (c->documents[i].class != NO_CLASS) documents[starts[c->documents[i].class]++] = (uint32_t)i;
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
}

/* ---- classes in keep order ---- */

/* A class in the making of the order: a part of its place there as the key; the value names it. */
static struct record class_record(uint64_t key, uint32_t class, uint32_t best) {
    return (struct record){key, (uint64_t) class << 32 | best};
}

static uint32_t class_of(struct record record) {
    return (uint32_t)(record.value >> 32);
}

static uint32_t best_of(struct record record) {
    return (uint32_t)record.value;
}

static int tied_order(const void *a, const void *b, void *context) {
    return tie_order(context, best_of(*(const struct record *)a), best_of(*(const struct record *)b));
}

static size_t run_length(const struct record *records, size_t count) {
    size_t length = 1;
    while (length < count && records[length].key == records[0].key) length++;
    return length;
}

static const char *id_of(const struct stemma_scan *scan, struct record record) {
    return catalogue_id(&scan->catalogue, best_of(record));
}

/* How many bytes the ids of all begin with. */
static size_t common_start(const struct stemma_scan *scan, const struct record *records, size_t count) {
    const char *first = id_of(scan, records[0]);
    size_t common = strlen(first);
    for (size_t i = 1; i < count; i++) {
        const char *id = id_of(scan, records[i]);
        size_t same = 0;
        while (same < common && id[same] == first[same]) same++;
        common = same;
    }
    return common;
}

/* The order of strings, as far as eight bytes tell. */
static uint64_t string_key(const char *string) {
    uint64_t key = 0;
    for (int i = 0; i < 8; i++) {
        key = key << 8 | (uint8_t)*string;
        string += *string != 0;
    }
    return key;
}

/* By a few bytes of the id; documents, which lie anywhere in memory, are compared only where these do not
 * tell. */
static bool sort_by_id(const struct stemma_scan *scan, struct record *records, size_t count) {
    const size_t common = common_start(scan, records, count);
    for (size_t i = 0; i < count; i++) records[i].key = string_key(id_of(scan, records[i]) + common);
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1) qsort_r(records + at, length, sizeof *records, tied_order, (void *)scan);
    }
    return true;
}

/* Of one length. */
static bool sort_by_place(const struct stemma_scan *scan, struct record *records, size_t count) {
    for (size_t i = 0; i < count; i++) records[i].key = place_key(scan, best_of(records[i]));
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1 && !sort_by_id(scan, records + at, length)) return false;
    }
    return true;
}

/* What the policy does not tell apart. */
static bool sort_tied(const struct stemma_scan *scan, struct record *records, size_t count) {
    for (size_t i = 0; i < count; i++) records[i].key = ~text_size_of(scan, best_of(records[i]));
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1 && !sort_by_place(scan, records + at, length)) return false;
    }
    return true;
}

static bool sort_classes(const struct stemma_scan *scan, struct record *records, size_t count) {
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1 && !sort_tied(scan, records + at, length)) return false;
    }
    return true;
}

static void fill_ranking(struct ranking *ranking, const struct record *sorted, const uint32_t *starts,
                         const uint32_t *documents) {
    uint32_t at = 0;
    for (uint32_t rank = 0; rank < ranking->count; rank++) {
        uint32_t class = class_of(sorted[rank]), size = starts[class + 1] - starts[class];
        ranking->class_of[rank] = class;
        ranking->rank_of[class] = rank;
        ranking->first[rank] = at;
        memcpy(ranking->documents + at, documents + starts[class], size * sizeof *documents);
        at += size;
    }
    ranking->first[ranking->count] = at;
}

/* ---- class by class, by several threads ---- */

#define CLASSES_AT_ONCE 65536

struct by_class {
    struct stemma_scan *scan;
    const uint32_t *starts;
    uint32_t *documents;
    struct record *sorted;
    void (*take)(struct by_class *all, uint32_t class);
    uint32_t count;
    atomic_uint_fast32_t next;
};

static void take_classes(void *context, unsigned worker) {
    struct by_class *all = context;
    (void)worker;
    for (uint64_t begin; (begin = (uint64_t)CLASSES_AT_ONCE * all->next++) < all->count;)
        for (uint64_t i = begin; i < all->count && i < begin + CLASSES_AT_ONCE; i++)
            all->take(all, (uint32_t)i);
}

static void for_each_class(struct by_class *all, uint32_t count, void (*take)(struct by_class *, uint32_t)) {
    all->take = take;
    all->count = count;
    all->next = 0;
    threads_run(count > CLASSES_AT_ONCE ? all->scan->settings.threads : 1, take_classes, all);
}

static void order_class(struct by_class *all, uint32_t class) {
    uint32_t *own = all->documents + all->starts[class], size = all->starts[class + 1] - all->starts[class];
    if (size > 1) qsort_r(own, size, sizeof *own, keep_order, all->scan);
    all->sorted[class] = class_record(policy_key(all->scan, own[0]), class, own[0]);
}

/* Which document of a class was read first depends on the threads; from now on it is the first in keep
 * order. */
static void choose_document(struct by_class *all, uint32_t class) {
    const struct stemma_scan *scan = all->scan;
    struct text_class *c = &all->scan->catalogue.classes[class];
    c->document = scan->ranking.documents[scan->ranking.first[scan->ranking.rank_of[class]]];
    const struct document *document = &scan->catalogue.documents[c->document];
    c->huge = scan->catalogue.sources[document->source].kind == SOURCE_FILE && !document->id &&
              (document->bytes > scan->huge_from || c->text_size > scan->huge_from);
}

/* Classes of text come first: their ranks are those that the join knows. False without memory. */
static bool rank_classes(struct stemma_scan *scan, uint32_t *starts, uint32_t *documents,
                         struct record *sorted) {
    struct ranking *ranking = &scan->ranking;
    struct by_class all = {.scan = scan, .starts = starts, .documents = documents, .sorted = sorted};
    const size_t texts = scan->catalogue.class_count;
    sort_by_class(&scan->catalogue, ranking->count, starts, documents);
    for_each_class(&all, ranking->count, order_class);
    if (!sort_classes(scan, sorted, texts) || !sort_classes(scan, sorted + texts, ranking->count - texts))
        return false;
    fill_ranking(ranking, sorted, starts, documents);
    for_each_class(&all, (uint32_t)texts, choose_document);
    return true;
}

stemma_status scan_rank(struct stemma_scan *scan, stemma_error *err) {
    struct ranking *ranking = &scan->ranking;
    size_t documents = scan->catalogue.document_count;
    TRY(order_input(scan, err));
    ranking->count = class_by_bytes(&scan->catalogue);
    ranking->class_of = mem_alloc(ranking->count * sizeof *ranking->class_of);
    ranking->rank_of = mem_alloc(ranking->count * sizeof *ranking->rank_of);
    ranking->first = mem_alloc((ranking->count + (size_t)1) * sizeof *ranking->first);
    ranking->documents = mem_alloc(documents * sizeof *ranking->documents);
    uint32_t *starts = mem_alloc((ranking->count + (size_t)2) * sizeof *starts);
    uint32_t *own = mem_alloc(documents * sizeof *own);
    struct record *sorted = mem_alloc(ranking->count * sizeof *sorted);
    bool room = ranking->class_of && ranking->rank_of && ranking->first && ranking->documents && starts &&
                own && sorted && rank_classes(scan, starts, own, sorted);
    mem_free(starts);
    mem_free(own);
    mem_free(sorted);
    return room ? STEMMA_OK : fail_memory(err);
}

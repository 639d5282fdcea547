/*
 * Keep order: which document of a class, and which class of all, comes first.
 *
 * By the policy asked for, then longer text, then files before what is in archives, then the id as bytes,
 * then the data set's name, then the place in it: a total order that depends on nothing but the documents.
 */
#include "base/alloc.h"
#include "runs/record_sort.h"
#include "scan/scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- the order of input ---- */

static int input_order(const void *a, const void *b, void *context) {
    const struct document *documents = context;
    const struct document *p = &documents[*(const uint32_t *)a], *q = &documents[*(const uint32_t *)b];
    if (p->source != q->source) return p->source < q->source ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static stemma_status order_input(struct stemma_scan *scan, stemma_error *err) {
    size_t count = scan->catalogue.document_count;
    scan->order = mem_alloc(count * sizeof *scan->order);
    scan->place = mem_alloc(count * sizeof *scan->place);
    if (!scan->order || !scan->place) return fail_memory(err);
    for (size_t i = 0; i < count; i++) scan->order[i] = (uint32_t)i;
    qsort_r(scan->order, count, sizeof *scan->order, input_order, scan->catalogue.documents);
    for (size_t i = 0; i < count; i++) scan->place[scan->order[i]] = (uint32_t)i;
    return STEMMA_OK;
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

static bool is_contained(const struct stemma_scan *scan, uint32_t document) {
    return catalogue_is_contained(&scan->catalogue, &scan->catalogue.documents[document]);
}

/* Where the policy does not decide. */
static int tie_order(const struct stemma_scan *scan, uint32_t a, uint32_t b) {
    uint64_t size_a = text_size_of(scan, a), size_b = text_size_of(scan, b);
    if (size_a != size_b) return size_a > size_b ? -1 : 1;
    bool inside_a = is_contained(scan, a), inside_b = is_contained(scan, b);
    if (inside_a != inside_b)
        return inside_a ? 1 : -1; /* a file of its own is kept rather than one in an archive */
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
    return (struct record){key, (uint64_t)class << 32 | best};
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

/* Of one length: by where they are and a few bytes of the id; documents, which lie anywhere in memory, are
 * compared only where that does not tell. */
static bool sort_by_id(const struct stemma_scan *scan, struct record *records, size_t count) {
    const size_t common = common_start(scan, records, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t inside = is_contained(scan, best_of(records[i]));
        records[i].key = inside << 63 | string_key(id_of(scan, records[i]) + common) >> 1;
    }
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1) qsort_r(records + at, length, sizeof *records, tied_order, (void *)scan);
    }
    return true;
}

/* What the policy does not tell apart. */
static bool sort_tied(const struct stemma_scan *scan, struct record *records, size_t count) {
    for (size_t i = 0; i < count; i++) records[i].key = ~text_size_of(scan, best_of(records[i]));
    if (!sort_records(records, count, scan->settings.threads)) return false;
    for (size_t at = 0, length; at < count; at += length) {
        length = run_length(records + at, count - at);
        if (length > 1 && !sort_by_id(scan, records + at, length)) return false;
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

/* Classes of text come first: their ranks are those that the join knows. False without memory. */
static bool rank_classes(struct stemma_scan *scan, uint32_t *starts, uint32_t *documents,
                         struct record *sorted) {
    struct ranking *ranking = &scan->ranking;
    const size_t texts = scan->catalogue.class_count;
    sort_by_class(&scan->catalogue, ranking->count, starts, documents);
    for (uint32_t class = 0; class < ranking->count; class ++) {
        uint32_t *own = documents + starts[class], size = starts[class + 1] - starts[class];
        if (size > 1) qsort_r(own, size, sizeof *own, keep_order, scan);
        sorted[class] = class_record(policy_key(scan, own[0]), class, own[0]);
    }
    if (!sort_classes(scan, sorted, texts) || !sort_classes(scan, sorted + texts, ranking->count - texts))
        return false;
    fill_ranking(ranking, sorted, starts, documents);
    return true;
}

/* Which document of a class was read first depends on the threads; from now on it is the first in keep
 * order. */
static void choose_documents(struct stemma_scan *scan) {
    struct catalogue *c = &scan->catalogue;
    for (uint32_t i = 0; i < c->class_count; i++) {
        struct text_class *class = &c->classes[i];
        class->document = scan->ranking.documents[scan->ranking.first[scan->ranking.rank_of[i]]];
        const struct document *document = &c->documents[class->document];
        class->huge = c->sources[document->source].kind == SOURCE_FILE && !document->id &&
                      (document->bytes > scan->huge_from || class->text_size > scan->huge_from);
    }
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
    if (room) choose_documents(scan);
    mem_free(starts);
    mem_free(own);
    mem_free(sorted);
    return room ? STEMMA_OK : fail_memory(err);
}

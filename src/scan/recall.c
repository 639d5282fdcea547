/*
 * Compressed data sets and containers cannot be entered in the middle: those of their texts that will be
 * asked for are read once more in order, and kept in memory or, beyond that, in an unnamed file.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/temporary.h"
#include "scan/reading.h"

#include <string.h>

enum { BLOCK = 4096 };

/* ---- what is needed ---- */

static bool is_at_hand(const struct stemma_scan *scan, uint32_t class) {
    const struct texts *texts = &scan->texts;
    return scan->catalogue.classes[class].cached || (texts->spool_places && texts->spool_places[class]);
}

static stemma_status list_wanted(struct stemma_scan *scan, const uint8_t *needed, struct text_place **out,
                                 size_t *count, stemma_error *err) {
    const struct catalogue *c = &scan->catalogue;
    size_t cap = 0;
    for (uint32_t i = 0; i < c->class_count; i++) {
        const struct document *document = &c->documents[c->classes[i].document];
        if (!(needed[i / 8] >> i % 8 & 1) || is_at_hand(scan, i)) continue;
        if (!text_in_order_only(scan, document)) continue;
        if (!mem_grow((void **)out, &cap, *count + 1, sizeof **out)) return fail_memory(err);
        (*out)[(*count)++] = text_place_of(scan, i);
    }
    text_places_sort(*out, *count);
    return STEMMA_OK;
}

/* ---- keeping it ---- */

static stemma_status spool(struct stemma_scan *scan, uint32_t class, const uint8_t *text, size_t size,
                           stemma_error *err) {
    struct texts *texts = &scan->texts;
    const char *directory = temporary_directory(scan->settings.limits.temporary_directory);
    if (texts->spool < 0) TRY(temporary_open(directory, &texts->spool, err));
    if (!texts->spool_places)
        texts->spool_places = mem_zero(scan->catalogue.class_count, sizeof *texts->spool_places);
    if (!texts->spool_places) return fail_memory(err);
    int error = write_all(texts->spool, text, size);
    if (error) return fail_errno(err, "write a temporary file in", directory, error);
    texts->spool_places[class] = texts->spooled + 1;
    texts->spooled += size;
    return STEMMA_OK;
}

/* A document that changed meanwhile is not kept. */
static stemma_status keep_text(struct text_reader *reader, uint32_t number, const char *name,
                               const uint8_t *bytes, size_t bytes_size, stemma_error *err) {
    struct stemma_scan *scan = reader->scan;
    const struct text_class *class = &scan->catalogue.classes[number];
    const uint8_t *text;
    size_t size;
    bool binary;
    stemma_error cause;
    stemma_status status = text_reader_canon(reader, name, bytes, bytes_size, &text, &size, &binary, &cause);
    if (is_problem(status)) return STEMMA_OK;
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    if (!identity_equal(identity_of(&scan->key, text, size), class->text_identity)) return STEMMA_OK;
    texts_keep(reader, number, text, size);
    return class->cached ? STEMMA_OK : spool(scan, number, text, size, err);
}

/* ---- going through ---- */

/* A data set on its way: next .. end are the records that are still wanted. */
struct recall {
    struct text_reader reader;
    const struct text_place *next, *end;
};

static stemma_status recall_batch(struct recall *r, const struct dataset *dataset,
                                  const struct dataset_batch *batch, stemma_error *err) {
    struct dataset_record record;
    bool more = true;
    record_reader_begin(&r->reader.records, dataset, batch);
    while (more && r->next < r->end) {
        stemma_status status = record_reader_next(&r->reader.records, &record, &more, err);
        if (status != STEMMA_OK && status != STEMMA_CORRUPT) return status;
        if (status != STEMMA_OK || !more) continue;
        while (r->next < r->end && r->next->offset < record.offset) r->next++;
        if (r->next < r->end && r->next->offset == record.offset)
            TRY(keep_text(&r->reader, r->next++->class, NULL, record.text, record.text_size, err));
    }
    return STEMMA_OK;
}

static stemma_status end_of_reading(stemma_status status, const stemma_error *cause, stemma_error *err) {
    if (status == STEMMA_OK || is_problem(status) || status == STEMMA_INVALID) return STEMMA_OK;
    return fail(err, status, "%s", cause->message);
}

/* Where it cannot be read further it ends: whoever asks for a text that was missed is told. */
static stemma_status recall_dataset(struct recall *r, struct dataset *dataset, stemma_error *err) {
    struct dataset_batch batch = {0};
    bool more = true;
    stemma_error cause;
    stemma_status status = dataset_rewind(dataset, &cause);
    while (status == STEMMA_OK && more && r->next < r->end) {
        status = check_stop(r->reader.scan->settings.limits.stop, &cause);
        if (status == STEMMA_OK) status = dataset_next(dataset, &batch, &more, &cause);
        if (status == STEMMA_OK && more) status = recall_batch(r, dataset, &batch, &cause);
    }
    dataset_batch_release(&batch);
    dataset_end(dataset);
    return end_of_reading(status, &cause, err);
}

static stemma_status recall_source(struct recall *r, uint32_t source, stemma_error *err) {
    struct dataset *dataset;
    stemma_error cause;
    stemma_status status = scan_dataset(r->reader.scan, source, &dataset, &cause);
    return status == STEMMA_OK ? recall_dataset(r, dataset, err) : end_of_reading(status, &cause, err);
}

/* ---- containers ---- */

struct recall_visitor {
    struct container_visitor visitor;
    struct recall *recall;
};

static stemma_status recall_contained(void *context, const struct contained *document, stemma_error *err) {
    struct recall_visitor *v = context;
    struct recall *r = v->recall;
    const uint64_t number = document->number + 1;
    while (r->next < r->end && r->next->offset < number) r->next++;
    if (r->next < r->end && r->next->offset == number)
        TRY(keep_text(&r->reader, r->next++->class, document->id, document->bytes, document->size, err));
    v->visitor.enough = r->next == r->end;
    return STEMMA_OK;
}

/* It was told when they were read first. */
static void pass_over(void *context, const char *id, const stemma_error *cause) {
    (void)context, (void)id, (void)cause;
}

static stemma_status recall_container(struct recall *r, uint32_t source, stemma_error *err) {
    struct recall_visitor v = {.visitor = {.document = recall_contained, .problem = pass_over}, .recall = r};
    v.visitor.context = &v;
    return scan_walk_container(r->reader.scan, source, NULL, &v.visitor, err);
}

/* ---- all of them ---- */

static stemma_status recall_from(struct recall *r, uint32_t number, stemma_error *err) {
    const struct source *source = &r->reader.scan->catalogue.sources[number];
    return source->kind == SOURCE_FILE ? recall_container(r, number, err) : recall_source(r, number, err);
}

static stemma_status recall_sources(struct recall *r, const struct text_place *wanted, size_t count,
                                    stemma_error *err) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && wanted[end].source == wanted[begin].source;) end++;
        r->next = wanted + begin;
        r->end = wanted + end;
        TRY(recall_from(r, wanted[begin].source, err));
    }
    return STEMMA_OK;
}

stemma_status texts_recall(struct stemma_scan *scan, const uint8_t *needed, stemma_error *err) {
    struct recall recall = {0};
    struct text_place *wanted = NULL;
    size_t count = 0;
    stemma_status status = list_wanted(scan, needed, &wanted, &count, err);
    if (status == STEMMA_OK && count) {
        status = text_reader_init(&recall.reader, scan, err);
        recall.reader.roomy = true; /* no others read meanwhile */
        if (status == STEMMA_OK) status = recall_sources(&recall, wanted, count, err);
        text_reader_release(&recall.reader);
    }
    mem_free(wanted);
    return status;
}

/* ---- of candidates ---- */

static void mark(uint8_t *needed, uint32_t class) {
    needed[class / 8] |= (uint8_t)(1u << class % 8);
}

static void mark_pair(const struct stemma_scan *scan, uint64_t pair, uint8_t *needed) {
    mark(needed, scan->ranking.class_of[pair >> 32]);
    mark(needed, scan->ranking.class_of[(uint32_t)pair]);
}

bool texts_any_new(const struct stemma_scan *scan, uint64_t pair) {
    const struct text_class *classes = scan->catalogue.classes;
    return !classes[scan->ranking.class_of[pair >> 32]].known ||
           !classes[scan->ranking.class_of[(uint32_t)pair]].known;
}

static stemma_status mark_candidates(struct stemma_scan *scan, struct sorter_cursor *cursor, bool all,
                                     uint8_t *needed, stemma_error *err) {
    struct record records[BLOCK];
    size_t count = 1;
    while (count) {
        TRY(sorter_next(cursor, records, BLOCK, &count, err));
        for (size_t i = 0; i < count; i++)
            if (all || texts_any_new(scan, records[i].key)) mark_pair(scan, records[i].key, needed);
    }
    return STEMMA_OK;
}

static stemma_status recall_candidates(struct stemma_scan *scan, bool all, uint8_t *needed,
                                       stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    stemma_status status = sorter_read(scan->pairs, &cursor, err);
    if (status == STEMMA_OK) status = mark_candidates(scan, cursor, all, needed, err);
    sorter_cursor_free(cursor);
    return status == STEMMA_OK ? texts_recall(scan, needed, err) : status;
}

static uint8_t *nothing_needed(const struct stemma_scan *scan) {
    return mem_zero(scan->ranking.count / 8 + 1, 1);
}

stemma_status texts_recall_candidates(struct stemma_scan *scan, stemma_error *err) {
    if (scan->texts.recalled == RECALLED_CANDIDATES) return STEMMA_OK;
    scan->texts.recalled = RECALLED_CANDIDATES;
    if (!scan->any_in_order_only) return STEMMA_OK;
    uint8_t *needed = nothing_needed(scan);
    if (!needed) return fail_memory(err);
    stemma_status status = recall_candidates(scan, true, needed, err);
    mem_free(needed);
    return status;
}

/* ---- of pairs that a cache does not know ---- */

static bool is_missed(const struct stemma_scan *scan, uint32_t rank) {
    const uint32_t class = scan->ranking.class_of[rank];
    const struct catalogue *c = &scan->catalogue;
    return !is_at_hand(scan, class) && text_in_order_only(scan, &c->documents[c->classes[class].document]);
}

/* Most pairs that are asked for have a text that is new. If others are, too, all candidates may be. */
stemma_status texts_recall_pairs(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                 stemma_error *err) {
    bool missed = false;
    for (size_t i = 0; i < count && !missed; i++)
        missed = is_missed(scan, (uint32_t)(pairs[i] >> 32)) || is_missed(scan, (uint32_t)pairs[i]);
    if (!missed || scan->texts.recalled == RECALLED_CANDIDATES) return STEMMA_OK;
    if (scan->texts.recalled == RECALLED_NEW) return texts_recall_candidates(scan, err);
    scan->texts.recalled = RECALLED_NEW;
    uint8_t *needed = nothing_needed(scan);
    if (!needed) return fail_memory(err);
    for (size_t i = 0; i < count; i++) mark_pair(scan, pairs[i], needed);
    stemma_status status = recall_candidates(scan, false, needed, err);
    mem_free(needed);
    return status;
}

/* ---- of groups ---- */

static void mark_document(const struct stemma_scan *scan, uint32_t document, uint8_t *needed) {
    const uint32_t class = scan->catalogue.documents[document].class;
    if (class < scan->catalogue.class_count) mark(needed, class);
}

stemma_status texts_recall_grouped(struct stemma_scan *scan, stemma_error *err) {
    const struct scan_results *r = &scan->results;
    if (scan->texts.recalled_grouped) return STEMMA_OK;
    uint8_t *needed = nothing_needed(scan);
    if (!needed) return fail_memory(err);
    for (size_t i = 0; i < r->group_count; i++) mark_document(scan, r->groups[i].kept, needed);
    for (size_t i = 0; i < r->member_count; i++)
        mark_document(scan, scan->order[r->members[i].document], needed);
    stemma_status status = texts_recall(scan, needed, err);
    scan->texts.recalled_grouped = status == STEMMA_OK;
    mem_free(needed);
    return status;
}

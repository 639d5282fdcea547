/*
 * Between matching and verifying: of compressed data sets, which cannot be entered in the middle, the texts
 * that will be asked for are read once more in order, and kept in memory or, beyond that, in an unnamed file.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/temporary.h"
#include "scan/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

/* ---- what is needed ---- */

static bool is_needed(const uint8_t *bits, uint32_t class) {
    return bits[class / 8] >> class % 8 & 1;
}

static stemma_status mark_needed(struct stemma_scan *scan, struct sorter_cursor *cursor, uint8_t *bits,
                                 stemma_error *err) {
    struct record records[BLOCK];
    size_t count = 1;
    while (count) {
        TRY(sorter_next(cursor, records, BLOCK, &count, err));
        for (size_t i = 0; i < count; i++) {
            uint32_t first = scan->ranking.class_of[records[i].key >> 32],
                     second = scan->ranking.class_of[(uint32_t)records[i].key];
            bits[first / 8] |= (uint8_t)(1u << first % 8);
            bits[second / 8] |= (uint8_t)(1u << second % 8);
        }
    }
    return STEMMA_OK;
}

/* ---- texts of data sets that have to be read in order ---- */

/* A record that is wanted, and its class. */
struct wanted {
    uint64_t offset;
    uint32_t class;
};

static int wanted_order(const void *a, const void *b) {
    const struct wanted *p = a, *q = b;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static bool is_kept(const struct stemma_scan *scan, uint32_t class) {
    const uint64_t *places = scan->texts.spool_places;
    return scan->catalogue.classes[class].cached || (places && places[class]);
}

static stemma_status list_wanted(struct stemma_scan *scan, uint32_t source, const uint8_t *bits,
                                 struct wanted **out, size_t *count, stemma_error *err) {
    size_t cap = 0;
    for (uint32_t i = 0; i < scan->catalogue.class_count; i++) {
        const struct text_class *class = &scan->catalogue.classes[i];
        const struct document *document = &scan->catalogue.documents[class->document];
        if (document->source != source || !is_needed(bits, i) || is_kept(scan, i)) continue;
        if (!mem_grow((void **)out, &cap, *count + 1, sizeof **out)) return fail_memory(err);
        (*out)[(*count)++] = (struct wanted){document->offset, i};
    }
    if (*count) qsort(*out, *count, sizeof **out, wanted_order);
    return STEMMA_OK;
}

static stemma_status spool(struct stemma_scan *scan, uint32_t class, const uint8_t *text, size_t size,
                           stemma_error *err) {
    struct texts *texts = &scan->texts;
    const char *directory = scan->settings.limits.temporary_directory;
    if (texts->spool < 0) TRY(temporary_open(directory, &texts->spool, err));
    if (!texts->spool_places)
        texts->spool_places = mem_zero(scan->catalogue.class_count, sizeof *texts->spool_places);
    if (!texts->spool_places) return fail_memory(err);
    int error = write_all(texts->spool, text, size);
    if (error) return fail_errno(err, "write a temporary file in", temporary_directory(directory), error);
    texts->spool_places[class] = texts->spooled + 1;
    texts->spooled += size;
    return STEMMA_OK;
}

static stemma_status keep_text(struct text_reader *reader, uint32_t number,
                               const struct dataset_record *record, stemma_error *err) {
    struct stemma_scan *scan = reader->scan;
    const struct text_class *class = &scan->catalogue.classes[number];
    const uint8_t *text;
    size_t size;
    bool binary;
    TRY(text_reader_canon(reader, NULL, record->text, record->text_size, &text, &size, &binary, err));
    if (!identity_equal(identity_of(&scan->key, text, size), class->text_identity))
        return STEMMA_OK; /* it changed: the verification says so */
    texts_keep(reader, number, text, size);
    return class->cached ? STEMMA_OK : spool(scan, number, text, size, err);
}

static stemma_status recall_batch(struct text_reader *reader, const struct dataset *dataset,
                                  const struct dataset_batch *batch, const struct wanted **next,
                                  const struct wanted *end, stemma_error *err) {
    struct dataset_record record;
    bool more = true;
    record_reader_begin(&reader->records, dataset, batch);
    while (more && *next < end) {
        stemma_status status = record_reader_next(&reader->records, &record, &more, err);
        if (status != STEMMA_OK && status != STEMMA_CORRUPT) return status;
        if (status != STEMMA_OK || !more) continue;
        while (*next < end && (*next)->offset < record.offset) ++*next;
        if (*next < end && (*next)->offset == record.offset)
            TRY(keep_text(reader, (*next)++->class, &record, err));
    }
    return STEMMA_OK;
}

/* From the first record on, or its next batch. A data set that cannot be read any more has come to its end:
 * whoever asks for a text that was missed is told. */
static stemma_status read_on(struct dataset *dataset, struct dataset_batch *batch, bool *more,
                             stemma_error *err) {
    stemma_error cause;
    stemma_status status =
        batch ? dataset_next(dataset, batch, more, &cause) : dataset_rewind(dataset, &cause);
    if (status == STEMMA_OK) return STEMMA_OK;
    *more = false;
    return is_problem(status) || status == STEMMA_INVALID ? STEMMA_OK
                                                          : fail(err, status, "%s", cause.message);
}

static stemma_status recall_source(struct text_reader *reader, struct dataset *dataset,
                                   const struct wanted *wanted, size_t count, stemma_error *err) {
    struct dataset_batch batch = {0};
    const struct wanted *next = wanted, *end = wanted + count;
    bool more = true;
    stemma_status status = read_on(dataset, NULL, &more, err);
    while (status == STEMMA_OK && more && next < end) {
        status = read_on(dataset, &batch, &more, err);
        if (status == STEMMA_OK && more) status = recall_batch(reader, dataset, &batch, &next, end, err);
    }
    dataset_batch_release(&batch);
    return status;
}

stemma_status texts_recall_marked(struct stemma_scan *scan, const uint8_t *bits, stemma_error *err) {
    struct text_reader reader;
    stemma_status status = text_reader_init(&reader, scan, err);
    for (uint32_t i = 0; i < scan->catalogue.source_count && status == STEMMA_OK; i++) {
        const struct source *source = &scan->catalogue.sources[i];
        if (source->kind != SOURCE_DATASET || !source->dataset || dataset_random_access(source->dataset))
            continue;
        struct wanted *wanted = NULL;
        size_t count = 0;
        status = list_wanted(scan, i, bits, &wanted, &count, err);
        if (status == STEMMA_OK && count)
            status = recall_source(&reader, source->dataset, wanted, count, err);
        mem_free(wanted);
    }
    text_reader_release(&reader);
    return status;
}

stemma_status texts_recall(struct stemma_scan *scan, stemma_error *err) {
    struct sorter_cursor *cursor = NULL;
    uint8_t *bits = mem_zero(scan->ranking.count / 8 + 1, 1);
    if (!bits) return fail_memory(err);
    stemma_status status = sorter_read(scan->pairs, &cursor, err);
    if (status == STEMMA_OK) status = mark_needed(scan, cursor, bits, err);
    sorter_cursor_free(cursor);
    if (status == STEMMA_OK) status = texts_recall_marked(scan, bits, err);
    mem_free(bits);
    return status;
}

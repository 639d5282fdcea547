#include "scan/texts.h"

#include "base/alloc.h"
#include "base/file.h"
#include "read/dataset.h"
#include "scan/scan.h"
#include "shingle/whole.h"

#include <string.h>
#include <unistd.h>

stemma_status text_reader_init(struct text_reader *reader, struct stemma_scan *scan, stemma_error *err) {
    *reader = (struct text_reader){.scan = scan};
    return whole_new(&scan->recipe->view, &scan->recipe->tables, &reader->whole, err);
}

void text_reader_release(struct text_reader *reader) {
    extractor_release(&reader->extractor);
    whole_free(reader->whole);
    buf_release(&reader->bytes);
    record_reader_release(&reader->records);
}

/* ---- from a file to canonical text ---- */

/* Until the end, and not further than `most`; a file may have grown since it was listed. */
static stemma_status read_rest(struct input *input, size_t most, struct buf *out, bool *huge,
                               stemma_error *err) {
    for (size_t got = 1; got && out->len <= most;) {
        size_t room = out->cap - out->len;
        if (room < 4096 && !buf_reserve(out, out->len < 65536 ? 65536 : out->len)) return fail_memory(err);
        TRY(input_read(input, out->data + out->len, out->cap - out->len, &got, err));
        out->len += got;
    }
    *huge = out->len > most;
    return STEMMA_OK;
}

stemma_status text_reader_read(struct text_reader *reader, const char *path, bool *huge, stemma_error *err) {
    struct input input;
    TRY(input_open(&input, path, err));
    input.stop = reader->scan->settings.limits.stop;
    reader->bytes.len = 0;
    size_t most = reader->scan->huge_from;
    *huge = input.size > most;
    stemma_status status = STEMMA_OK;
    if (!*huge) {
        status = buf_reserve(&reader->bytes, (size_t)input.size + 4096) ? STEMMA_OK : fail_memory(err);
        if (status == STEMMA_OK) status = read_rest(&input, most, &reader->bytes, huge, err);
    }
    input_close(&input);
    return status;
}

stemma_status text_reader_canon(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                size_t size, const uint8_t **text, size_t *text_size, bool *binary,
                                stemma_error *err) {
    struct document_text extracted = {.bytes = bytes, .size = size};
    TRY(document_extract(&reader->extractor, name, bytes, size, &reader->scan->document_options, &extracted,
                         err));
    *binary = extracted.format == TEXT_BINARY;
    *text = NULL;
    *text_size = 0;
    if (*binary) return STEMMA_OK;
    return whole_canon(reader->whole, extracted.bytes, extracted.size, text, text_size, err);
}

enum text_format reading_format(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                                size_t size) {
    enum text_format guess = format_guess(name, bytes, size);
    if (guess == TEXT_PLAIN) return TEXT_PLAIN;
    enum text_format format = document_look(name, bytes, size, &scan->document_options).format;
    return format == TEXT_BINARY ? TEXT_PLAIN : format;
}

/* ---- reading again ---- */

stemma_status text_reader_source(struct text_reader *reader, const struct document *document,
                                 struct document_text *out, stemma_error *err) {
    const struct source *source = &reader->scan->catalogue.sources[document->source];
    const uint8_t *bytes = source->memory;
    size_t size = source->size;
    bool huge = false;
    if (source->kind == SOURCE_FILE) {
        TRY(text_reader_read(reader, source->name, &huge, err));
        bytes = reader->bytes.data;
        size = reader->bytes.len;
    } else if (source->kind == SOURCE_DATASET) {
        TRY(dataset_text_at(source->dataset, document->offset, document->record_size, &reader->records,
                            &bytes, &size, err));
    }
    if (huge) return fail(err, STEMMA_CORRUPT, "'%s' has grown since it was read", source->name);
    return document_extract(&reader->extractor, source->kind == SOURCE_FILE ? source->name : NULL, bytes,
                            size, &reader->scan->document_options, out, err);
}

static stemma_status read_again(struct text_reader *reader, const struct document *document,
                                const uint8_t **text, size_t *size, stemma_error *err) {
    struct document_text source;
    TRY(text_reader_source(reader, document, &source, err));
    return whole_canon(reader->whole, source.bytes, source.size, text, size, err);
}

static stemma_status keep_copy(struct buf *room, const uint8_t **text, size_t size, stemma_error *err) {
    room->len = 0;
    if (!buf_reserve(room, size + KERNEL_SLACK)) return fail_memory(err);
    memcpy(room->data, *text, size);
    memset(room->data + size, 0, KERNEL_SLACK);
    *text = room->data;
    return STEMMA_OK;
}

static stemma_status read_spooled(const struct texts *texts, uint64_t place, size_t size, struct buf *room,
                                  const uint8_t **text, stemma_error *err) {
    room->len = 0;
    if (!buf_reserve(room, size + KERNEL_SLACK)) return fail_memory(err);
    int error = read_at(texts->spool, room->data, size, place);
    if (error) return fail(err, STEMMA_IO, "cannot read a temporary file: %s", strerror(error));
    memset(room->data + size, 0, KERNEL_SLACK);
    *text = room->data;
    return STEMMA_OK;
}

bool text_in_order_only(const struct source *source) {
    return source->kind == SOURCE_DATASET && source->dataset && !dataset_random_access(source->dataset);
}

static stemma_status changed(const struct stemma_scan *scan, uint32_t document, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' has changed since it was read",
                catalogue_id(&scan->catalogue, document));
}

stemma_status text_fetch(struct text_reader *reader, uint32_t number, struct buf *room, const uint8_t **text,
                         size_t *size, stemma_error *err) {
    const struct stemma_scan *scan = reader->scan;
    const struct text_class *class = &scan->catalogue.classes[number];
    reader->fetched = number;
    *size = class->text_size;
    *text = class->cached;
    if (class->cached) return STEMMA_OK;
    if (scan->texts.spool_places && scan->texts.spool_places[number])
        return read_spooled(&scan->texts, scan->texts.spool_places[number] - 1, *size, room, text, err);
    const struct document *document = &scan->catalogue.documents[class->document];
    if (text_in_order_only(&scan->catalogue.sources[document->source]))
        return changed(scan, class->document, err);
    TRY(read_again(reader, document, text, size, err));
    if (*size != class->text_size ||
        !identity_equal(identity_of(&scan->key, *text, *size), class->text_identity))
        return changed(scan, class->document, err);
    return keep_copy(room, text, *size, err);
}

/* ---- keeping ---- */

/* Texts share chunks, which are large enough for huge pages; large ones, and all where little memory is
 * allowed, have memory of their own. */
#define CHUNK ((size_t)64 << 20)

static uint8_t *new_chunk(struct stemma_scan *scan, size_t size) {
    struct texts *texts = &scan->texts;
    uint8_t *chunk = mem_alloc(size);
    if (!chunk) return NULL;
    pthread_mutex_lock(&scan->catalogue.lock);
    bool room = mem_grow((void **)&texts->chunks, &texts->chunk_cap, texts->chunk_count + 1, sizeof chunk);
    if (room) texts->chunks[texts->chunk_count++] = chunk;
    pthread_mutex_unlock(&scan->catalogue.lock);
    if (room) return chunk;
    mem_free(chunk);
    return NULL;
}

static uint8_t *room_for(struct text_reader *reader, size_t size) {
    if (size > CHUNK / 16 || reader->scan->texts.budget < CHUNK) return new_chunk(reader->scan, size);
    if (size > reader->free_size) {
        reader->free = new_chunk(reader->scan, CHUNK);
        reader->free_size = reader->free ? CHUNK : 0;
        if (!reader->free) return NULL;
    }
    uint8_t *room = reader->free;
    reader->free += size;
    reader->free_size -= size;
    return room;
}

void texts_keep(struct text_reader *reader, uint32_t class, const uint8_t *text, size_t size) {
    struct stemma_scan *scan = reader->scan;
    struct texts *texts = &scan->texts;
    size_t need = size + KERNEL_SLACK;
    if (atomic_fetch_add(&texts->used, need) + need > texts->budget) {
        atomic_fetch_sub(&texts->used, need);
        return;
    }
    uint8_t *copy = room_for(reader, need);
    if (!copy) { /* it can be read again */
        atomic_fetch_sub(&texts->used, need);
        return;
    }
    memcpy(copy, text, size);
    memset(copy + size, 0, KERNEL_SLACK);
    pthread_mutex_lock(&scan->catalogue.lock);
    scan->catalogue.classes[class].cached = copy;
    pthread_mutex_unlock(&scan->catalogue.lock);
}

void texts_init(struct texts *texts) {
    *texts = (struct texts){.spool = -1};
}

void texts_release(struct texts *texts) {
    if (texts->spool >= 0) close(texts->spool);
    mem_free(texts->spool_places);
    for (size_t i = 0; i < texts->chunk_count; i++) mem_free(texts->chunks[i]);
    mem_free(texts->chunks);
}

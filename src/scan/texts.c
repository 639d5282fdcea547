#include "scan/texts.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/thread.h"
#include "read/compressed.h"
#include "read/dataset.h"
#include "read/mail.h"
#include "read/packed.h"
#include "scan/scan.h"
#include "shingle/whole.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

stemma_status text_reader_init(struct text_reader *reader, struct stemma_scan *scan, stemma_error *err) {
    *reader = (struct text_reader){.scan = scan};
    return whole_new(&scan->recipe->view, &scan->recipe->tables, &reader->whole, err);
}

/* ---- from a file to canonical text ---- */

static stemma_status extract(struct text_reader *reader, const char *name, const uint8_t *bytes, size_t size,
                             struct document_text *out, stemma_error *err) {
    struct document_options options = reader->scan->document_options;
    if (reader->roomy) options.limits.memory = reader->scan->record_most * DOCUMENT_TIMES;
    return document_extract(&reader->extractor, name, bytes, size, &options, out, err);
}

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
    TRY(of_document(input_open(&input, path, err)));
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
    return of_document(status);
}

/* What is inside goes by the rest of its name, unless it is a mail. */
static stemma_status packed_format(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                                   size_t size, enum text_format *out, stemma_error *err) {
    char inside[PACKED_NAME_MOST];
    bool mail;
    TRY(container_packed_mail(bytes, size, scan->document_options.limits.window_most, &mail, err));
    packed_name(name, inside);
    *out = mail ? TEXT_MAIL : format_guess(inside, ENCODING_UTF8, bytes, 0, true);
    return STEMMA_OK;
}

static enum text_format plain_format(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                                     size_t size) {
    /* Most begin with a letter: of them few are more than text, which takes no look at the encoding. */
    const bool letter = size > 1 && isalpha(bytes[0]) && bytes[1];
    bool files;
    if (letter && format_guess(name, ENCODING_UTF8, bytes, size, false) == TEXT_PLAIN)
        return mail_look(bytes, size, &files) ? TEXT_MAIL : TEXT_PLAIN;
    const struct document_kind kind = document_look(name, bytes, size, &scan->document_options);
    return kind.format == TEXT_BINARY ? TEXT_PLAIN : kind.format;
}

stemma_status reading_format(const struct stemma_scan *scan, const char *name, const uint8_t *bytes,
                             size_t size, enum text_format *out, stemma_error *err) {
    if (compression_of(bytes, size)) return packed_format(scan, name, bytes, size, out, err);
    *out = plain_format(scan, name, bytes, size);
    return STEMMA_OK;
}

/* XML that does not say so is known by all of it alone. Its text is made with that, and kept for
 * text_reader_canon. */
stemma_status text_reader_format(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                 size_t size, enum text_format *out, stemma_error *err) {
    struct extraction *ahead = &reader->ahead;
    ahead->made = false;
    TRY(reading_format(reader->scan, name, bytes, size, out, err));
    ahead->made = *out == TEXT_XML && size >= DOCUMENT_HEAD && !format_says_xml(bytes, size);
    if (!ahead->made) return STEMMA_OK;
    ahead->status = extract(reader, name, bytes, size, &ahead->text, &ahead->error);
    if (ahead->status == STEMMA_OK) *out = ahead->text.format;
    return STEMMA_OK;
}

/* ---- reading again ---- */

stemma_status text_reader_source(struct text_reader *reader, const struct document *document,
                                 struct document_text *out, stemma_error *err) {
    const struct source *source = &reader->scan->catalogue.sources[document->source];
    const uint8_t *bytes = NULL;
    size_t size = source->size;
    bool huge = false;
    if (catalogue_is_contained(&reader->scan->catalogue, document))
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is not read by itself", document->id);
    if (source->kind == SOURCE_FILE) {
        TRY(text_reader_read(reader, source->name, &huge, err));
        bytes = reader->bytes.data;
        size = reader->bytes.len;
    } else if (source->kind == SOURCE_DATASET) {
        struct dataset *dataset;
        TRY(scan_dataset(reader->scan, document->source, &dataset, err));
        TRY(of_document(dataset_text_at(dataset, document->offset, document->record_size, &reader->records,
                                        &bytes, &size, err)));
    } else {
        bytes = source->memory;
    }
    if (huge) return fail(err, STEMMA_CORRUPT, "'%s' has grown since it was read", source->name);
    const struct document_options options =
        alone_options(reader->scan); /* its text is known to be short enough */
    return document_extract(&reader->extractor, source->kind == SOURCE_FILE ? source->name : NULL, bytes,
                            size, &options, out, err);
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

bool text_in_order_only(const struct stemma_scan *scan, const struct document *document) {
    const struct source *source = &scan->catalogue.sources[document->source];
    return source->kind == SOURCE_FILE ? document->id != NULL : source->in_order;
}

struct text_place text_place_of(const struct stemma_scan *scan, uint32_t class) {
    const struct document *d = &scan->catalogue.documents[scan->catalogue.classes[class].document];
    return (struct text_place){d->offset, d->source, class};
}

static int by_place(const void *a, const void *b) {
    const struct text_place *p = a, *q = b;
    if (p->source != q->source) return p->source < q->source ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

void text_places_sort(struct text_place *places, size_t count) {
    if (count) qsort(places, count, sizeof *places, by_place);
}

static stemma_status changed(const struct stemma_scan *scan, uint32_t document, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' has changed since it was read",
                catalogue_id(&scan->catalogue, document));
}

static bool is_text_of(const struct stemma_scan *scan, const struct text_class *class, const uint8_t *text,
                       size_t size) {
    return size == class->text_size &&
           identity_equal(identity_of(&scan->key, text, size), class->text_identity);
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
    if (text_in_order_only(scan, document)) return changed(scan, class->document, err);
    TRY(read_again(reader, document, text, size, err));
    if (!is_text_of(scan, class, *text, *size)) return changed(scan, class->document, err);
    return keep_copy(room, text, *size, err);
}

/* ---- keeping ---- */

/* Texts share chunks, large enough for huge pages where there is memory; large ones, and all where there is
 * little, have memory of their own. */
enum {
    CHUNK_MOST = 36 << 20,
    CHUNK_LEAST = 1 << 20,
    BUDGET_CHUNKS = 32,
    CHUNK_TEXTS = 16,
    TOUCHED = 1 << 19
};

/* The texts of so many bytes are in large pages: a scan takes a fourteenth less. For more, the system looks
 * longer for such pages than they save. */
#define LARGE_PAGES_MOST ((uint64_t)1 << 28)

/* Of so many times what can be kept, it would all be given up for what is read ahead. */
#define KEPT_IN_VAIN 4

void texts_expect(struct texts *texts, uint64_t bytes) {
    texts->large_pages = bytes <= LARGE_PAGES_MOST;
    if (bytes / KEPT_IN_VAIN > texts->most) texts->most = 0;
}

static size_t chunk_size(const struct stemma_scan *scan) {
    size_t part = scan->texts.budget / BUDGET_CHUNKS;
    return part < CHUNK_MOST ? part : CHUNK_MOST;
}

static uint8_t *take_spare(struct texts *texts) {
    struct text_spare *spare = texts->spares;
    texts->spares = spare->next;
    texts->spare_bytes -= texts->spare_size;
    return (uint8_t *)spare;
}

static void add_spare(struct texts *texts, uint8_t *bytes) {
    struct text_spare *spare = (struct text_spare *)(void *)bytes;
    spare->next = texts->spares;
    texts->spares = spare;
    texts->spare_bytes += texts->spare_size;
}

/* Until no more than so many bytes are spare. */
static void drop_spares(struct texts *texts, size_t most) {
    while (texts->spare_bytes > most) mem_free(take_spare(texts));
}

/* Under the lock: memory is taken before it is there, so that threads do not take the same. */
static bool enter_chunk(struct stemma_scan *scan, size_t size, size_t *number) {
    struct texts *texts = &scan->texts;
    const size_t taken = texts->used + size + scan_resident(scan);
    if (texts->used + size > texts->most || taken > texts->budget ||
        !mem_grow((void **)&texts->chunks, &texts->chunk_cap, texts->chunk_count + 1, sizeof *texts->chunks))
        return false;
    *number = texts->chunk_count++;
    texts->chunks[*number] = (struct text_chunk){.size = size, .first = UINT32_MAX, .open = true};
    if (size == texts->spare_size && texts->spares) texts->chunks[*number].bytes = take_spare(texts);
    drop_spares(texts, texts->budget - taken);
    texts->used += size;
    return true;
}

static uint8_t *new_chunk(struct stemma_scan *scan, size_t size, size_t *number) {
    struct texts *texts = &scan->texts;
    pthread_mutex_lock(&scan->catalogue.lock);
    bool entered = enter_chunk(scan, size, number);
    uint8_t *bytes = entered ? texts->chunks[*number].bytes : NULL;
    pthread_mutex_unlock(&scan->catalogue.lock);
    if (!entered || bytes) return bytes;
    bytes = mem_alloc(size);
    if (bytes && texts->large_pages) mem_large_pages(bytes, size);
    pthread_mutex_lock(&scan->catalogue.lock);
    texts->chunks[*number].bytes = bytes;
    if (!bytes) texts->used -= texts->chunks[*number].size;
    pthread_mutex_unlock(&scan->catalogue.lock);
    return bytes;
}

/* Under the lock. It may have been passed by while it was written to: then it is looked at again. */
static void mark_closed(struct texts *texts, size_t number) {
    texts->chunks[number].open = false;
    if (number < texts->given_up) texts->given_up = number;
}

static void close_chunk(struct stemma_scan *scan, size_t number) {
    pthread_mutex_lock(&scan->catalogue.lock);
    mark_closed(&scan->texts, number);
    pthread_mutex_unlock(&scan->catalogue.lock);
}

void text_reader_release(struct text_reader *reader) {
    if (reader->room.data) close_chunk(reader->scan, reader->chunk);
    extractor_release(&reader->extractor);
    whole_free(reader->whole);
    buf_release(&reader->bytes);
    record_reader_release(&reader->records);
}

static bool is_shared(const struct stemma_scan *scan, size_t size) {
    return chunk_size(scan) >= CHUNK_LEAST && size <= chunk_size(scan) / CHUNK_TEXTS;
}

/* Room for the canonical text of a document in a chunk that others share, where it may stay; NULL: it has to
 * do without. Its buffer never grows. */
static struct buf *room_for(struct text_reader *reader, size_t size) {
    struct buf *room = &reader->room;
    size_t most = canon_most(size), need = most + KERNEL_SLACK;
    if (need < most || !is_shared(reader->scan, need)) return NULL;
    if (need > room->cap - room->len) {
        if (room->data) close_chunk(reader->scan, reader->chunk);
        *room = (struct buf){.data = new_chunk(reader->scan, chunk_size(reader->scan), &reader->chunk)};
        room->cap = room->data ? chunk_size(reader->scan) : 0;
        reader->touched = 0;
    }
    return room->data ? room : NULL;
}

/* Most texts are no longer than their documents. */
static void touch(struct text_reader *reader, size_t size) {
    size_t end = reader->room.len + size;
    if (end <= reader->touched || end > reader->room.cap) return;
    size_t step = end - reader->touched > TOUCHED ? end - reader->touched : TOUCHED;
    if (step > reader->room.cap - reader->touched) step = reader->room.cap - reader->touched;
    mem_touch(reader->room.data + reader->touched, step);
    reader->touched += step;
}

/* To where it will be kept, if there is room; else it lasts until the next call. */
static stemma_status canon(struct text_reader *reader, const struct document_text *extracted,
                           const uint8_t **text, size_t *text_size, stemma_error *err) {
    struct buf *room = room_for(reader, extracted->size);
    if (!room) return whole_canon(reader->whole, extracted->bytes, extracted->size, text, text_size, err);
    size_t begin = room->len;
    touch(reader, extracted->size);
    stemma_status status = whole_canon_to(reader->whole, extracted->bytes, extracted->size, room, err);
    *text = room->data + begin;
    *text_size = room->len - begin;
    room->len = begin; /* until it is kept */
    return status;
}

static stemma_status take_extracted(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                    size_t size, struct document_text *out, stemma_error *err) {
    const struct extraction *ahead = &reader->ahead;
    if (!ahead->made) return extract(reader, name, bytes, size, out, err);
    reader->ahead.made = false; /* who asks again has more room */
    *out = ahead->text;
    return ahead->status == STEMMA_OK ? STEMMA_OK : fail(err, ahead->status, "%s", ahead->error.message);
}

stemma_status text_reader_canon(struct text_reader *reader, const char *name, const uint8_t *bytes,
                                size_t size, const uint8_t **text, size_t *text_size, bool *binary,
                                stemma_error *err) {
    struct document_text extracted;
    TRY(take_extracted(reader, name, bytes, size, &extracted, err));
    *binary = extracted.format == TEXT_BINARY;
    *text = NULL;
    *text_size = 0;
    if (*binary) return STEMMA_OK;
    TRY(canon(reader, &extracted, text, text_size, err));
    *binary = *text_size == 0 && !format_may_be_empty(extracted.format);
    return STEMMA_OK;
}

struct document_options alone_options(const struct stemma_scan *scan) {
    struct document_options options = scan->document_options;
    options.limits.memory = scan->settings.limits.memory / 2;
    return options;
}

static void enter_text(struct stemma_scan *scan, uint32_t class, uint8_t *text, size_t number, bool closed) {
    pthread_mutex_lock(&scan->catalogue.lock);
    struct text_chunk *chunk = &scan->texts.chunks[number];
    scan->catalogue.classes[class].cached = text;
    if (class < chunk->first) chunk->first = class;
    if (class > chunk->last) chunk->last = class;
    if (closed) mark_closed(&scan->texts, number);
    pthread_mutex_unlock(&scan->catalogue.lock);
}

/* Elsewhere: in a chunk of its own. */
static void keep_alone(struct text_reader *reader, uint32_t class, const uint8_t *text, size_t size) {
    size_t chunk;
    uint8_t *copy = new_chunk(reader->scan, size + KERNEL_SLACK, &chunk);
    if (!copy) return; /* it can be read again */
    mem_touch(copy, size + KERNEL_SLACK);
    memcpy(copy, text, size);
    memset(copy + size, 0, KERNEL_SLACK);
    enter_text(reader->scan, class, copy, chunk, true);
}

void texts_keep(struct text_reader *reader, uint32_t class, const uint8_t *text, size_t size) {
    struct buf *room = &reader->room;
    uint8_t *place = room->data ? room->data + room->len : NULL;
    if (!place || text != place) {
        keep_alone(reader, class, text, size);
        return;
    }
    memset(place + size, 0, KERNEL_SLACK);
    room->len += size + KERNEL_SLACK;
    enter_text(reader->scan, class, place, reader->chunk, false);
}

stemma_status text_read_ahead(struct text_reader *reader, uint32_t number, stemma_error *err) {
    const struct stemma_scan *scan = reader->scan;
    const struct text_class *class = &scan->catalogue.classes[number];
    struct document_text source;
    const uint8_t *text;
    size_t size;
    TRY(text_reader_source(reader, &scan->catalogue.documents[class->document], &source, err));
    TRY(canon(reader, &source, &text, &size, err));
    if (!is_text_of(scan, class, text, size)) return changed(scan, class->document, err);
    texts_keep(reader, number, text, size);
    return STEMMA_OK;
}

/* ---- giving way ---- */

/* Trimming goes through all that is free: not for every chunk. */
enum { TRIM_PARTS = 16 };

static void give_up_chunk(struct stemma_scan *scan, struct text_chunk *chunk) {
    struct text_class *classes = scan->catalogue.classes;
    if (!chunk->bytes) return;
    for (uint32_t i = chunk->first; i <= chunk->last && i < scan->catalogue.class_count; i++)
        if (classes[i].cached >= chunk->bytes && classes[i].cached < chunk->bytes + chunk->size)
            classes[i].cached = NULL;
    mem_free(chunk->bytes);
    chunk->bytes = NULL;
    scan->texts.used -= chunk->size;
    scan->texts.untrimmed += chunk->size;
}

/* The oldest first. What somebody writes to stays until it is closed: each worker has one such chunk. */
static void give_up(struct stemma_scan *scan, uint64_t resident) {
    struct texts *texts = &scan->texts;
    while (texts->given_up < texts->chunk_count && texts->used + resident > texts->budget) {
        struct text_chunk *chunk = &texts->chunks[texts->given_up++];
        if (!chunk->open) give_up_chunk(scan, chunk);
    }
}

/* What a scan of few documents takes is not worth a failure. */
#define RESIDENT_ALWAYS ((size_t)8 << 20)

/* How much all documents will need, by the share of the bytes that has been read; 0: it cannot be told. */
static uint64_t need_of_all(const struct stemma_scan *scan, uint64_t resident) {
    double read = (double)scan->progress.bytes, all = (double)scan->progress.told.bytes_total;
    double share = (double)scan->settings.limits.memory / (double)scan->texts.budget;
    return read > 0 && read < all ? (uint64_t)((double)resident * share * all / read) : 0;
}

static stemma_status too_many(const struct stemma_scan *scan, uint64_t resident, stemma_error *err) {
    const uint64_t mega = 1 << 20, need = need_of_all(scan, resident);
    char advice[64] = "allow more";
    if (need) snprintf(advice, sizeof advice, "all need about %zuM", (size_t)(need / mega + 1));
    return fail(
        err, STEMMA_NO_MEMORY,
        "%zu documents were read when what must be known of each filled the memory allowed (%zuM): %s "
        "(--memory)",
        scan->catalogue.document_count, (size_t)(scan->settings.limits.memory / mega), advice);
}

stemma_status texts_make_room(struct stemma_scan *scan, stemma_error *err) {
    struct texts *texts = &scan->texts;
    stemma_status status = STEMMA_OK;
    pthread_mutex_lock(&scan->catalogue.lock);
    uint64_t resident = scan_resident(scan);
    if (texts->used + resident > texts->budget) give_up(scan, resident);
    if (resident > texts->budget && resident > RESIDENT_ALWAYS) status = too_many(scan, resident, err);
    bool trim = texts->untrimmed > texts->budget / TRIM_PARTS;
    if (trim) texts->untrimmed = 0;
    pthread_mutex_unlock(&scan->catalogue.lock);
    if (trim) mem_trim();
    return status;
}

/* ---- when all is read ---- */

/* What the join has taken is free, and the samples are unless they are asked for again; those who compare and
 * the pairs have the rest. */
enum { EIGHTHS = 5, EIGHTHS_BESIDE_SAMPLES = 4 };

void texts_share_anew(struct stemma_scan *scan) {
    const size_t eighths = scan->samples ? EIGHTHS_BESIDE_SAMPLES : EIGHTHS;
    scan->texts.most = scan->texts.budget = scan->settings.limits.memory / 8 * eighths;
}

/* Less what is left over in chunks. */
size_t texts_room(const struct stemma_scan *scan) {
    const size_t taken = scan->texts.used + scan_resident(scan),
                 open = scan->settings.threads * chunk_size(scan);
    if (taken + open > scan->texts.budget) return 0;
    const size_t room = scan->texts.budget - taken - open;
    return room - room / CHUNK_TEXTS;
}

void texts_give_up_all(struct stemma_scan *scan) {
    struct texts *texts = &scan->texts;
    for (size_t i = 0; i < scan->catalogue.class_count; i++) scan->catalogue.classes[i].cached = NULL;
    drop_spares(texts, 0);
    texts->spare_size = chunk_size(scan);
    for (size_t i = 0; i < texts->chunk_count; i++) {
        const struct text_chunk *chunk = &texts->chunks[i];
        if (chunk->bytes && chunk->size == texts->spare_size)
            add_spare(texts, chunk->bytes);
        else
            mem_free(chunk->bytes);
    }
    texts->chunk_count = texts->given_up = texts->used = 0;
}

void texts_init(struct texts *texts) {
    *texts = (struct texts){.spool = -1};
}

/* Giving back memory takes the system as long as a tenth of the reading. */
struct release {
    struct texts *texts;
    _Atomic size_t next;
};

static void release_chunks(void *context, unsigned worker) {
    struct release *r = context;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->texts->chunk_count;)
        mem_free(r->texts->chunks[i].bytes);
}

void texts_release(struct texts *texts, unsigned threads) {
    struct release release = {.texts = texts};
    if (texts->spool >= 0) close(texts->spool);
    mem_free(texts->spool_places);
    threads_run(texts->chunk_count > 1 ? threads : 1, release_chunks, &release);
    drop_spares(texts, 0);
    mem_free(texts->chunks);
}

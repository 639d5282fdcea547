/* Documents into the catalogue of a scan: by identity, and for the first of each class the keys and samples
 * that the join works with. */
#include "base/alloc.h"
#include "scan/scan.h"
#include "scan/taker.h"
#include "sketch/text_keys.h"

enum { SAMPLE_ROOM = 4096 }; /* records handed to the sorter at a time */

enum { DOCUMENT = 256, OFTEN = 1 << 14 }; /* bytes */

struct entering {
    struct stemma_scan *scan;
    struct key_form form;
    struct keyer *keyer;
    uint8_t *keys;
    struct vec64 samples;   /* of one document */
    struct record *records; /* samples for the sorter */
    size_t record_count;
    uint32_t number; /* of the document that was entered last */
    bool seen;       /* its bytes were, */
    bool cacheable;  /* and it is a file whose text the cache may know; */
    struct document document;
    size_t entered; /* bytes that became resident, about, since room was made for them */
};

static void entering_free(void *taker) {
    struct entering *e = taker;
    if (!e) return;
    keyer_free(e->keyer);
    mem_free(e->keys);
    mem_free(e->records);
    vec64_release(&e->samples);
    mem_free(e);
}

static stemma_status entering_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct entering *e = mem_zero(1, sizeof *e);
    if (!e) return fail_memory(err);
    e->scan = scan;
    e->form = join_plan_form(&scan->plan);
    stemma_status status = keyer_new(e->form, &e->keyer, err);
    e->keys = mem_alloc(scan->plan.key_bytes);
    e->records = mem_alloc(SAMPLE_ROOM * sizeof *e->records);
    if (status == STEMMA_OK && !(e->keys && e->records)) status = fail_memory(err);
    if (status == STEMMA_OK)
        *out = e;
    else
        entering_free(e);
    return status;
}

/* ---- samples ---- */

static stemma_status flush(void *taker, stemma_error *err) {
    struct entering *e = taker;
    size_t count = e->record_count;
    e->record_count = 0;
    return count ? sorter_add(e->scan->samples, e->records, count, err) : STEMMA_OK;
}

static stemma_status add_samples(struct entering *e, uint32_t class, stemma_error *err) {
    for (size_t i = 0; i < e->samples.len; i++) {
        if (e->record_count == SAMPLE_ROOM) TRY(flush(e, err));
        e->records[e->record_count++] = (struct record){e->samples.data[i], class};
    }
    return STEMMA_OK;
}

/* ---- documents ---- */

static stemma_status enter_document(void *taker, const struct document *document, const char *id,
                                    size_t id_size, bool *wanted, stemma_error *err) {
    struct entering *e = taker;
    bool seen;
    TRY(catalogue_add_document(&e->scan->catalogue, document, id, id_size, &e->number, &seen, err));
    *wanted = !seen;
    e->seen = seen;
    e->entered += DOCUMENT + id_size;
    return STEMMA_OK;
}

static stemma_status enter_keys(struct entering *e, uint32_t class, stemma_error *err) {
    catalogue_set_keys(&e->scan->catalogue, class, e->keys, keyer_size(e->keyer), (uint32_t)e->samples.len);
    return add_samples(e, class, err);
}

static stemma_status enter_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                                stemma_error *err) {
    struct entering *e = taker;
    struct stemma_scan *scan = e->scan;
    uint32_t class;
    bool made;
    struct identity identity = identity_of(&scan->key, text, size);
    TRY(catalogue_classify(&scan->catalogue, e->number, identity, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(text_keys(e->keyer, &e->form, reader->whole, text, size, e->keys, &e->samples, err));
    TRY(enter_keys(e, class, err));
    texts_keep(reader, class, text, size);
    return STEMMA_OK;
}

static struct shingle_sink begin_pieces(void *taker) {
    struct entering *e = taker;
    keyer_begin(e->keyer);
    return keyer_sink(e->keyer);
}

static stemma_status end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct entering *e = taker;
    uint32_t class;
    bool made;
    TRY(catalogue_classify(&e->scan->catalogue, e->number, text, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(keyer_end(e->keyer, e->keys, &e->samples, err));
    return enter_keys(e, class, err);
}

static stemma_status enter_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                   stemma_error *err) {
    struct entering *e = taker;
    (void)err;
    if (state == DOCUMENT_FAILED)
        catalogue_fail_document(&e->scan->catalogue, e->number, cause);
    else
        catalogue_set_state(&e->scan->catalogue, e->number, state);
    return STEMMA_OK;
}

/* Not after every document: what a few of them take is little, and all workers wait for each other there. */
static stemma_status end(void *taker, stemma_error *err) {
    struct entering *e = taker;
    if (e->entered < OFTEN) return STEMMA_OK;
    e->entered = 0;
    return texts_make_room(e->scan, err);
}

/* ---- with a cache ---- */

static stemma_status keep(struct entering *e, enum document_state state, struct identity text, uint64_t size,
                          stemma_error *err) {
    const struct scan_cache *cache = e->scan->cache;
    const struct cached known = {.bytes_identity = e->document.bytes_identity,
                                 .text_identity = text,
                                 .bytes = e->document.bytes,
                                 .text_size = size,
                                 .state = state,
                                 .format = e->document.format,
                                 .shingles = state == DOCUMENT_TEXT ? keyer_size(e->keyer) : 0,
                                 .keys = e->keys,
                                 .samples = &e->samples};
    return cache->keep(cache->context, &e->scan->catalogue.sources[e->document.source], &known, err);
}

/* Copies, too, are to be known by themselves: another scan may meet them alone. */
static stemma_status note_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct entering *e = taker;
    TRY(enter_document(e, document, id, id_size, wanted, err));
    e->document = *document;
    e->cacheable = !id && !document->holds && !document->filled && document->state != DOCUMENT_CONTAINER &&
                   e->scan->catalogue.sources[document->source].kind == SOURCE_FILE;
    if (e->cacheable) *wanted = true;
    return STEMMA_OK;
}

static stemma_status note_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct entering *e = taker;
    uint32_t class;
    bool made;
    if (!e->cacheable) return enter_text(e, reader, text, size, err);
    const struct identity identity = identity_of(&e->scan->key, text, size);
    TRY(text_keys(e->keyer, &e->form, reader->whole, text, size, e->keys, &e->samples, err));
    TRY(keep(e, DOCUMENT_TEXT, identity, size, err));
    TRY(catalogue_classify(&e->scan->catalogue, e->number, identity, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(enter_keys(e, class, err));
    texts_keep(reader, class, text, size);
    return STEMMA_OK;
}

static stemma_status note_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct entering *e = taker;
    uint32_t class;
    bool made;
    if (!e->cacheable) return end_pieces(e, text, size, err);
    TRY(keyer_end(e->keyer, e->keys, &e->samples, err));
    TRY(keep(e, DOCUMENT_TEXT, text, size, err));
    TRY(catalogue_classify(&e->scan->catalogue, e->number, text, size, &class, &made, err));
    return made ? enter_keys(e, class, err) : STEMMA_OK;
}

static stemma_status note_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct entering *e = taker;
    const bool known = state == DOCUMENT_EMPTY || state == DOCUMENT_BINARY;
    if (e->cacheable && known) TRY(keep(e, state, (struct identity){0}, 0, err));
    /* A copy shares the problem of the first. */
    return e->seen && e->cacheable ? STEMMA_OK : enter_no_text(e, state, cause, err);
}

static stemma_status enter_known(struct entering *e, uint32_t source, const struct cached *known,
                                 stemma_error *err) {
    const struct document document = {.source = source,
                                      .bytes = known->bytes,
                                      .bytes_identity = known->bytes_identity,
                                      .format = known->format,
                                      .state = (uint8_t)known->state};
    bool wanted, made;
    uint32_t class;
    TRY(enter_document(e, &document, NULL, 0, &wanted, err));
    if (known->state == DOCUMENT_TEXT) {
        TRY(catalogue_classify(&e->scan->catalogue, e->number, known->text_identity, known->text_size, &class,
                               &made, err));
        if (made) {
            catalogue_set_keys(&e->scan->catalogue, class, known->keys, known->shingles,
                               (uint32_t)e->samples.len);
            TRY(add_samples(e, class, err));
        }
    }
    return end(e, err);
}

static stemma_status ask_cache(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    struct entering *e = taker;
    const struct scan_cache *cache = e->scan->cache;
    const struct source *file = &e->scan->catalogue.sources[source];
    struct cached known;
    bool found = false;
    if (file->kind == SOURCE_FILE)
        TRY(cache->find(cache->context, file, e->keys, &e->samples, &known, &found, err));
    *wanted = !found;
    return found ? enter_known(e, source, &known, err) : STEMMA_OK;
}

const struct taker_kind catalogue_taker = {.new = entering_new,
                                           .free = entering_free,
                                           .document = enter_document,
                                           .text = enter_text,
                                           .begin_pieces = begin_pieces,
                                           .end_pieces = end_pieces,
                                           .no_text = enter_no_text,
                                           .end = end,
                                           .finish = flush};

const struct taker_kind cached_taker = {.new = entering_new,
                                        .free = entering_free,
                                        .source = ask_cache,
                                        .document = note_document,
                                        .text = note_text,
                                        .begin_pieces = begin_pieces,
                                        .end_pieces = note_pieces,
                                        .no_text = note_no_text,
                                        .end = end,
                                        .finish = flush};

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
    size_t entered;  /* bytes that became resident, about, since room was made for them */
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

const struct taker_kind catalogue_taker = {.new = entering_new,
                                           .free = entering_free,
                                           .document = enter_document,
                                           .text = enter_text,
                                           .begin_pieces = begin_pieces,
                                           .end_pieces = end_pieces,
                                           .no_text = enter_no_text,
                                           .end = end,
                                           .finish = flush};

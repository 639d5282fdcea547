/* Documents into the catalogue of a scan: by identity, and for the first of each class the keys and samples
 * that the join works with. */
#include "scan/entering.h"

#include "base/alloc.h"
#include "scan/scan.h"
#include "sketch/text_keys.h"

enum { SAMPLE_ROOM = 4096 }; /* records handed to the sorter at a time */

enum { DOCUMENT = 256, OFTEN = 1 << 14 }; /* bytes */

void entering_release(struct entering *e) {
    keyer_free(e->keyer);
    mem_free(e->keys);
    mem_free(e->records);
    vec64_release(&e->samples);
}

stemma_status entering_init(struct entering *e, struct stemma_scan *scan, stemma_error *err) {
    *e = (struct entering){.scan = scan, .form = join_plan_form(&scan->plan)};
    TRY(keyer_new(e->form, &e->keyer, err));
    e->keys = mem_alloc(scan->plan.key_bytes);
    e->records = mem_alloc(SAMPLE_ROOM * sizeof *e->records);
    return e->keys && e->records ? STEMMA_OK : fail_memory(err);
}

static void entering_free(void *taker) {
    if (!taker) return;
    entering_release(taker);
    mem_free(taker);
}

static stemma_status entering_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct entering *e = mem_zero(1, sizeof *e);
    if (!e) return fail_memory(err);
    stemma_status status = entering_init(e, scan, err);
    if (status == STEMMA_OK)
        *out = e;
    else
        entering_free(e);
    return status;
}

/* ---- samples ---- */

stemma_status entering_finish(void *taker, stemma_error *err) {
    struct entering *e = taker;
    size_t count = e->record_count;
    e->record_count = 0;
    return count ? sorter_add(e->scan->samples, e->records, count, err) : STEMMA_OK;
}

static stemma_status add_samples(struct entering *e, uint32_t class, stemma_error *err) {
    for (size_t i = 0; i < e->samples.len; i++) {
        if (e->record_count == SAMPLE_ROOM) TRY(entering_finish(e, err));
        e->records[e->record_count++] = (struct record){e->samples.data[i], class};
    }
    return STEMMA_OK;
}

/* ---- documents ---- */

stemma_status entering_document(void *taker, const struct document *document, const char *id, size_t id_size,
                                bool *wanted, stemma_error *err) {
    struct entering *e = taker;
    bool seen;
    TRY(catalogue_add_document(&e->scan->catalogue, document, id, id_size, &e->number, &seen, err));
    *wanted = !seen;
    e->seen = seen;
    e->entered += DOCUMENT + id_size;
    return STEMMA_OK;
}

stemma_status entering_keys(struct entering *e, uint32_t class, const uint8_t *keys, uint32_t shingles,
                            stemma_error *err) {
    catalogue_set_keys(&e->scan->catalogue, class, keys, shingles, (uint32_t)e->samples.len);
    return add_samples(e, class, err);
}

stemma_status entering_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                            stemma_error *err) {
    struct entering *e = taker;
    struct stemma_scan *scan = e->scan;
    uint32_t class;
    bool made;
    struct identity identity = identity_of(&scan->key, text, size);
    TRY(catalogue_classify(&scan->catalogue, e->number, identity, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(text_keys(e->keyer, &e->form, reader->whole, text, size, e->keys, &e->samples, err));
    TRY(entering_keys(e, class, e->keys, keyer_size(e->keyer), err));
    texts_keep(reader, class, text, size);
    return STEMMA_OK;
}

struct shingle_sink entering_begin_pieces(void *taker) {
    struct entering *e = taker;
    keyer_begin(e->keyer);
    return keyer_sink(e->keyer);
}

stemma_status entering_end_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct entering *e = taker;
    uint32_t class;
    bool made;
    TRY(catalogue_classify(&e->scan->catalogue, e->number, text, size, &class, &made, err));
    if (!made) return STEMMA_OK;
    TRY(keyer_end(e->keyer, e->keys, &e->samples, err));
    return entering_keys(e, class, e->keys, keyer_size(e->keyer), err);
}

stemma_status entering_damaged(void *taker, const stemma_error *what, stemma_error *err) {
    struct entering *e = taker;
    (void)err;
    catalogue_damage_document(&e->scan->catalogue, e->number, what);
    return STEMMA_OK;
}

stemma_status entering_no_text(void *taker, enum document_state state, const stemma_error *cause,
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
stemma_status entering_end(void *taker, stemma_error *err) {
    struct entering *e = taker;
    if (e->entered < OFTEN) return STEMMA_OK;
    e->entered = 0;
    return texts_make_room(e->scan, err);
}

const struct taker_kind catalogue_taker = {.new = entering_new,
                                           .free = entering_free,
                                           .document = entering_document,
                                           .damaged = entering_damaged,
                                           .text = entering_text,
                                           .begin_pieces = entering_begin_pieces,
                                           .end_pieces = entering_end_pieces,
                                           .no_text = entering_no_text,
                                           .end = entering_end,
                                           .finish = entering_finish};

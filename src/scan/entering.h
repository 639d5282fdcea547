/* What enters documents into the catalogue of a scan: catalogue_taker, and what cached_taker does besides
 * asking and telling its cache. The functions are those of taker.h. */
#ifndef SCAN_ENTERING_H
#define SCAN_ENTERING_H

#include "join/join.h"
#include "scan/taker.h"
#include "sketch/keyer.h"

struct entering {
    struct stemma_scan *scan;
    struct key_form form;
    struct keyer *keyer;
    uint8_t *keys;
    struct vec64 samples;   /* of one document */
    struct record *records; /* samples for the sorter */
    size_t record_count;
    uint32_t number; /* of the document that was entered last */
    bool seen;       /* its bytes were */
    size_t entered;  /* bytes that became resident, about, since room was made for them */
};

stemma_status entering_init(struct entering *entering, struct stemma_scan *scan, stemma_error *err);
void entering_release(struct entering *entering);

stemma_status entering_document(void *entering, const struct document *document, const char *id,
                                size_t id_size, bool *wanted, stemma_error *err);
stemma_status entering_text(void *entering, struct text_reader *reader, const uint8_t *text, size_t size,
                            stemma_error *err);
struct shingle_sink entering_begin_pieces(void *entering);
stemma_status entering_end_pieces(void *entering, struct identity text, uint64_t size, stemma_error *err);
stemma_status entering_damaged(void *entering, const stemma_error *what, stemma_error *err);
stemma_status entering_no_text(void *entering, enum document_state state, const stemma_error *cause,
                               stemma_error *err);
stemma_status entering_end(void *entering, stemma_error *err);
stemma_status entering_finish(void *entering, stemma_error *err);

/* What is known of a class that was just made; its samples are those of `entering`. */
stemma_status entering_keys(struct entering *entering, uint32_t class, const uint8_t *keys, uint32_t shingles,
                            stemma_error *err);

#endif

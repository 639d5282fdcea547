#include "collect/row_maker.h"

#include "base/alloc.h"
#include "index/hamming/parts.h"
#include "index/keys.h"
#include "index/stored_samples.h"
#include "index/stored_signature.h"
#include "index/stored_text.h"
#include "index/text_column.h"
#include "sketch/text_keys.h"

#include <string.h>

struct row_maker {
    const struct schema *schema;
    struct key_form form;
    struct text_keyer keyer; /* its bits NULL: no fingerprint is kept */
    bool stores;             /* texts */
    struct vec64 samples;
    uint32_t sample_bits; /* kept of each */
    uint8_t minima[MINIMA_BYTES];
    uint8_t bits[BITS_MOST / 8];
    struct text_signer *signer; /* NULL: no signature is kept */
    struct signature_form form_of_signature;
    struct buf packed, text, signature; /* cells: samples, text, signature */
};

/* ---- the parts ---- */

static bool is_known(const struct part *part) {
    struct signature_form form;
    if (part->kind == KIND_SIGNATURE) return signature_form_of(part, &form);
    return part->form == FORM_LOOKUP || part->kind == KIND_MINIMA || is_samples_part(part) ||
           part->kind == KIND_BITS || part->kind == KIND_TEXT;
}

static stemma_status check_parts(const struct schema *schema, stemma_error *err) {
    for (size_t i = 0; i < schema->count; i++)
        if (!is_known(&schema->parts[i]))
            return fail(err, STEMMA_UNSUPPORTED,
                        "the collection keeps what this program cannot make (part %u)",
                        schema->parts[i].kind);
    return STEMMA_OK;
}

static uint32_t bits_of(const struct schema *schema) {
    uint32_t bits = 0;
    for (size_t i = 0; i < schema->count; i++) {
        const struct part *part = &schema->parts[i];
        if (part->kind != KIND_BITS) continue;
        uint32_t end = spec_first(part->spec) + spec_count(part->spec);
        if (end > bits) bits = end;
    }
    return bits;
}

static stemma_status make_makers(struct row_maker *m, const struct view *view, stemma_error *err) {
    const uint32_t bits = bits_of(m->schema);
    m->form = index_form(view);
    m->keyer = (struct text_keyer){.form = &m->form, .keys = m->minima, .samples = &m->samples};
    TRY(keyer_new(m->form, &m->keyer.keyer, err));
    if (signature_find_part(m->schema, &m->form_of_signature) >= 0)
        TRY(signature_maker_for(&m->form_of_signature, view, &m->signer, err));
    return bits ? bit_maker_new(view, bits, &m->keyer.bits, err) : STEMMA_OK;
}

stemma_status row_maker_new(const struct schema *schema, const struct stemma_recipe *recipe,
                            struct row_maker **out, stemma_error *err) {
    TRY(check_parts(schema, err));
    struct row_maker *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory(err);
    m->schema = schema;
    m->stores = schema_find(schema, KIND_TEXT, 0) >= 0;
    (void)samples_find_part(schema, &m->sample_bits);
    stemma_status status = make_makers(m, &recipe->view, err);
    if (status == STEMMA_OK)
        *out = m;
    else
        row_maker_free(m);
    return status;
}

void row_maker_free(struct row_maker *m) {
    if (!m) return;
    keyer_free(m->keyer.keyer);
    bit_maker_free(m->keyer.bits);
    text_signer_free(m->signer);
    vec64_release(&m->samples);
    buf_release(&m->signature);
    buf_release(&m->packed);
    buf_release(&m->text);
    mem_free(m);
}

/* ---- documents ---- */

static stemma_status keep(struct row_maker *m, stemma_error *err) {
    minima_set_size(m->minima, keyer_size(m->keyer.keyer));
    if (m->keyer.bits) bit_maker_take(m->keyer.bits, m->bits);
    m->packed.len = 0;
    samples_cut(&m->samples, m->sample_bits);
    TRY(samples_pack(&m->samples, m->sample_bits, &m->packed, err));
    return m->packed.len <= TEXT_ROW_BYTES
               ? STEMMA_OK
               : fail(err, STEMMA_UNSUPPORTED, "%zu samples are more than can be kept", m->samples.len);
}

/* Of the text that the signer was fed with. */
static stemma_status end_signature(struct row_maker *m, stemma_error *err) {
    const struct kept_windows *windows;
    m->signature.len = 0;
    if (!m->signer) return STEMMA_OK;
    TRY(text_signer_finish(m->signer, &windows, err));
    return stored_signature_pack(&m->form_of_signature, windows, &m->signature, err);
}

static stemma_status sign(struct row_maker *m, const uint8_t *text, size_t size, stemma_error *err) {
    if (!m->signer) return STEMMA_OK;
    text_signer_begin(m->signer);
    TRY(text_signer_feed(m->signer, text, size, err));
    return end_signature(m, err);
}

stemma_status row_maker_text(struct row_maker *m, struct whole *whole, const uint8_t *text, size_t size,
                             stemma_error *err) {
    TRY(text_keyer_text(&m->keyer, whole, text, size, err));
    TRY(sign(m, text, size, err));
    m->text.len = 0;
    if (m->stores) TRY(stored_text_pack(text, size, &m->text, err));
    if (m->text.len > TEXT_ROW_BYTES) m->text.len = 0; /* not stored, as those that are read in pieces */
    return keep(m, err);
}

struct shingle_sink row_maker_begin(struct row_maker *m) {
    if (m->signer) text_signer_begin(m->signer);
    return text_keyer_begin(&m->keyer);
}

stemma_status row_maker_piece(struct row_maker *m, const uint8_t *text, size_t size, stemma_error *err) {
    return m->signer ? text_signer_feed(m->signer, text, size, err) : STEMMA_OK;
}

stemma_status row_maker_end(struct row_maker *m, stemma_error *err) {
    m->text.len = 0;
    TRY(text_keyer_end(&m->keyer, err));
    TRY(end_signature(m, err));
    return keep(m, err);
}

void row_maker_none(struct row_maker *m) {
    memset(m->minima, 0, sizeof m->minima);
    memset(m->bits, 0, sizeof m->bits);
    m->packed.len = m->text.len = m->signature.len = 0;
}

static struct cell cell_of(const struct row_maker *m, const struct part *part) {
    if (part->kind == KIND_MINIMA) return (struct cell){m->minima, sizeof m->minima};
    if (is_samples_part(part)) return (struct cell){m->packed.data, m->packed.len};
    if (part->kind == KIND_BITS) return bits_cell(part, m->bits);
    if (part->kind == KIND_SIGNATURE) return (struct cell){m->signature.data, m->signature.len};
    if (part->kind == KIND_TEXT) return (struct cell){m->text.data, m->text.len};
    return (struct cell){NULL, 0};
}

void row_maker_give(const struct row_maker *m, struct row *row) {
    for (size_t i = 0; i < m->schema->count; i++) row->cells[i] = cell_of(m, &m->schema->parts[i]);
}

uint64_t row_maker_shingles(const struct row_maker *m) {
    return minima_size(m->minima);
}

const uint8_t *row_maker_minima(const struct row_maker *m) {
    return m->minima;
}

const struct vec64 *row_maker_samples(const struct row_maker *m) {
    return &m->samples;
}

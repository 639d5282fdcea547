#include "collect/by_signature.h"

#include "base/alloc.h"

/* Windows kept of the document in question: so many that its rate is below those of all but far longer
 * documents, and its signature can be made at theirs. */
enum { WINDOWS_MOST = 1 << 16 };

struct by_signature {
    struct collection *reader;
    const struct view *view;
    int part; /* -1: signatures are not kept */
    struct signature_form form;
    struct text_signer *signer; /* NULL: not made yet */
    const uint8_t *text;        /* of the document in question; NULL: it is not at hand */
    size_t size;
    struct cell stored;
    const struct kept_windows *windows; /* of it; NULL: not made yet */
    struct signature_data a, b;
};

stemma_status by_signature_new(struct collection *reader, const struct view *view, struct by_signature **out,
                               stemma_error *err) {
    struct by_signature *by = mem_zero(1, sizeof *by);
    if (!by) return fail_memory(err);
    by->reader = reader;
    by->view = view;
    by->part = -1;
    *out = by;
    return STEMMA_OK;
}

void by_signature_free(struct by_signature *by) {
    if (!by) return;
    text_signer_free(by->signer);
    signature_data_release(&by->a);
    signature_data_release(&by->b);
    mem_free(by);
}

/* ---- the document in question ---- */

void by_signature_set(struct by_signature *by, const uint8_t *text, size_t size, struct cell stored) {
    by->part = signature_find_part(collection_schema(by->reader), &by->form);
    by->text = text;
    by->size = size;
    by->stored = stored;
    by->windows = NULL;
}

static stemma_status need_signer(struct by_signature *by, stemma_error *err) {
    const struct text_signer_form form = {
        .n = by->form.n, .rate = by->form.rate, .most = WINDOWS_MOST, .placed = true};
    return by->signer ? STEMMA_OK : text_signer_new(by->view, &form, &by->signer, err);
}

stemma_status by_signature_begin(struct by_signature *by, stemma_error *err) {
    by_signature_set(by, NULL, 0, (struct cell){0});
    if (by->part < 0) return STEMMA_OK;
    TRY(need_signer(by, err));
    text_signer_begin(by->signer);
    return STEMMA_OK;
}

stemma_status by_signature_feed(struct by_signature *by, const uint8_t *text, size_t size,
                                stemma_error *err) {
    return by->part < 0 ? STEMMA_OK : text_signer_feed(by->signer, text, size, err);
}

stemma_status by_signature_end(struct by_signature *by, stemma_error *err) {
    return by->part < 0 ? STEMMA_OK : text_signer_finish(by->signer, &by->windows, err);
}

/* ---- both ---- */

static stemma_status need_windows(struct by_signature *by, stemma_error *err) {
    if (by->windows) return STEMMA_OK;
    TRY(need_signer(by, err));
    return text_signer_text(by->signer, by->text, by->size, &by->windows, err);
}

/* Of the text at the rate of the other signature, or the nearest above it. */
static stemma_status sign(struct by_signature *by, uint32_t rate, struct signature *out, stemma_error *err) {
    TRY(need_windows(by, err));
    const struct spec spec = {.scheme = SCHEME_SIGNATURE,
                              .n = by->form.n,
                              .c = rate < by->windows->rate ? by->windows->rate : rate,
                              .alphabet = by->form.alphabet};
    TRY(kept_windows_at(by->windows, (struct signature_rate){spec.c, spec.alphabet}, &by->a, err));
    *out = signature_of(&by->a, &spec);
    return STEMMA_OK;
}

stemma_status by_signature_find(struct by_signature *by, uint64_t number, struct signature_pair *out,
                                bool *found, stemma_error *err) {
    struct cell cell;
    *found = false;
    if (by->part < 0 || !(by->text || by->windows || by->stored.size)) return STEMMA_OK;
    TRY(collection_cell(by->reader, number, (size_t)by->part, &cell, found, err));
    *found = *found && cell.size;
    if (!*found) return STEMMA_OK;
    TRY(stored_signature_unpack(&by->form, cell, &by->b, &out->b, err));
    return by->text || by->windows ? sign(by, out->b.c, &out->a, err)
                                   : stored_signature_unpack(&by->form, by->stored, &by->a, &out->a, err);
}

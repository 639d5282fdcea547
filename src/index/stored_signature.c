#include "index/stored_signature.h"

#include "sketch/edit_text.h"

/* Twelve bits tell the symbols of such short signatures apart as well as sixteen; with eight, a fifth of all
 * changed characters would drown in chance. Below a rate of 16 windows overlap, and say the same twice. */
static const struct signature_form usual = {.n = 8, .rate = 32, .alphabet = 4096, .most = STORED_SYMBOLS};

/* ---- the part ---- */

/* Spec: n, and the logarithms of rate, alphabet and most, a byte each. */
static uint32_t spec_of(const struct signature_form *form) {
    return form->n | (uint32_t)__builtin_ctz(form->rate) << 8 |
           (uint32_t)__builtin_ctz(form->alphabet) << 16 | (uint32_t)__builtin_ctz(form->most) << 24;
}

bool signature_form_of(const struct part *part, struct signature_form *form) {
    const uint32_t n = part->spec & 255, rate = part->spec >> 8 & 255, alphabet = part->spec >> 16 & 255,
                   most = part->spec >> 24;
    if (part->kind != KIND_SIGNATURE || part->form != FORM_TEXT || n == 0 || n > SIGNATURE_WINDOW_MOST ||
        rate > 20 || alphabet < 8 || alphabet > 16 || most > 16)
        return false;
    *form = (struct signature_form){n, UINT32_C(1) << rate, UINT32_C(1) << alphabet, UINT32_C(1) << most};
    return true;
}

stemma_status signature_add_part(struct schema *schema, uint32_t symbols, stemma_error *err) {
    struct signature_form form = usual;
    if (symbols < STORED_SYMBOLS_LEAST || symbols > STORED_SYMBOLS_MOST || symbols & (symbols - 1))
        return fail(err, STEMMA_INVALID, "signatures of %u symbols: it must be a power of two, %d to %d",
                    symbols, STORED_SYMBOLS_LEAST, STORED_SYMBOLS_MOST);
    form.most = symbols;
    return schema_add(
        schema, (struct part){.kind = KIND_SIGNATURE, .spec = spec_of(&form), .form = FORM_TEXT, .width = 16},
        err);
}

int signature_find_part(const struct schema *schema, struct signature_form *form) {
    for (size_t i = 0; i < schema->count; i++)
        if (signature_form_of(&schema->parts[i], form)) return (int)i;
    return -1;
}

stemma_status signature_maker_for(const struct signature_form *form, const struct view *view,
                                  struct text_signer **out, stemma_error *err) {
    const struct text_signer_form windows = {.n = form->n, .rate = form->rate, .most = form->most};
    return text_signer_new(view, &windows, out, err);
}

/* ---- the cell ---- */

static bool put_length(struct buf *out, uint64_t length) {
    for (; length >= 0x80; length >>= 7)
        if (!buf_add_byte(out, (uint8_t)(length | 0x80))) return false;
    return buf_add_byte(out, (uint8_t)length);
}

/* Symbols side by side, first bit lowest. */
static bool put_symbols(const struct signature_form *form, const struct kept_windows *kept, struct buf *out) {
    const int rate_bits = __builtin_ctz(kept->rate), bits = __builtin_ctz(form->alphabet);
    uint64_t word = 0;
    int filled = 0;
    if (!buf_reserve(out, kept->hashes.len * (size_t)bits / 8 + sizeof word)) return false;
    for (size_t i = 0; i < kept->hashes.len; i++) {
        word |= (kept->hashes.data[i] >> rate_bits & (form->alphabet - 1)) << filled;
        filled += bits;
        if (filled < 32) continue;
        store_u32(out->data + out->len, (uint32_t)word);
        out->len += 4;
        word >>= 32;
        filled -= 32;
    }
    for (; filled > 0; filled -= 8, word >>= 8) out->data[out->len++] = (uint8_t)word;
    return true;
}

stemma_status stored_signature_pack(const struct signature_form *form, const struct kept_windows *kept,
                                    struct buf *out, stemma_error *err) {
    const bool room = buf_add_byte(out, (uint8_t)__builtin_ctz(kept->rate)) &&
                      put_length(out, kept->length) && buf_add_byte(out, (uint8_t)kept->agree) &&
                      buf_add_byte(out, (uint8_t)(kept->agree >> 8)) && put_symbols(form, kept, out);
    return room ? STEMMA_OK : fail_memory(err);
}

static stemma_status corrupt(const char *what, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "a stored signature is damaged: %s", what);
}

/* False: it is cut off, does not fit, or could be shorter. */
static bool get_length(const uint8_t **at, const uint8_t *end, uint64_t *length) {
    *length = 0;
    for (int shift = 0; *at < end && shift < 63; shift += 7) {
        const uint8_t byte = *(*at)++;
        *length |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return byte || shift == 0;
    }
    return false;
}

static stemma_status get_symbols(uint32_t bits, const uint8_t *bytes, size_t size, struct vec16 *out,
                                 stemma_error *err) {
    const size_t count = size * 8 / bits;
    uint64_t word = 0;
    uint32_t filled = 0;
    out->len = 0;
    if ((count * bits + 7) / 8 != size) return corrupt("bytes behind its symbols", err);
    if (!vec16_reserve(out, count)) return fail_memory(err);
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << filled;
        for (filled += 8; filled >= bits && out->len < count; filled -= bits, word >>= bits)
            out->data[out->len++] = (uint16_t)(word & ((UINT64_C(1) << bits) - 1));
    }
    return word ? corrupt("bits behind its symbols", err) : STEMMA_OK;
}

/* Whether a text of the length can have so many symbols, and such characters. */
static stemma_status check(const struct signature_form *form, const struct signature_data *data,
                           uint32_t rate, stemma_error *err) {
    const uint64_t windows = data->length < form->n ? 0 : data->length - form->n + 1;
    if (data->symbols.len > windows) return corrupt("more symbols than windows", err);
    if (data->symbols.len > form->most && rate < KEPT_RATE_MOST) return corrupt("too many symbols", err);
    if ((data->agree == 0) != (data->length == 0)) return corrupt("no such text", err);
    return STEMMA_OK;
}

stemma_status stored_signature_unpack(const struct signature_form *form, struct cell cell,
                                      struct signature_data *data, struct signature *out, stemma_error *err) {
    const uint8_t *at = cell.bytes, *end = cell.bytes + cell.size;
    if (cell.size == 0) return corrupt("it is empty", err);
    const uint32_t rate_bits = *at++;
    if (rate_bits < (uint32_t)__builtin_ctz(form->rate) || rate_bits > 31)
        return corrupt("no such rate", err);
    if (!get_length(&at, end, &data->length)) return corrupt("no such length", err);
    if (end - at < 2) return corrupt("it is cut off", err);
    data->agree = (uint16_t)(at[0] | at[1] << 8);
    data->positions.len = 0;
    TRY(get_symbols((uint32_t)__builtin_ctz(form->alphabet), at + 2, (size_t)(end - at - 2), &data->symbols,
                    err));
    const struct spec spec = {
        .scheme = SCHEME_SIGNATURE, .n = form->n, .c = UINT32_C(1) << rate_bits, .alphabet = form->alphabet};
    TRY(check(form, data, spec.c, err));
    *out = signature_of(data, &spec);
    return STEMMA_OK;
}

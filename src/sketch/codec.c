/*
 * Sketches as bytes: docs/format.md is the specification.
 *
 * Reading believes nothing: every length is held against the bytes that are left before anything is
 * allocated, checksums come before contents, and contents are checked until only what this library could have
 * written is left, so what decodes encodes to the same bytes.
 */
#include "base/alloc.h"
#include "sketch/maker.h"

#include <inttypes.h>
#include <string.h>

/* As PNG's: a first byte that is not ASCII, then what text-mode transfer would change. */
static const uint8_t magic[8] = {0x8b, 'S', 'T', 'M', '\r', '\n', 0x1a, '\n'};
#define FORMAT_VERSION 1u
#define CHECKSUM_SIZE  8
#define VARINT_MOST    10

/* ---- writing ---- */

static bool put_checksum(struct buf *out, size_t from) {
    return buf_add_u64(out, checksum64(out->data + from, out->len - from));
}

/* On failure the output is as it was. */
static stemma_status written(bool good, struct buf *out, size_t before, stemma_error *err) {
    if (good) return STEMMA_OK;
    out->len = before;
    return fail_memory(err);
}

stemma_status codec_put_header(const struct stemma_recipe *recipe, struct buf *out, stemma_error *err) {
    size_t before = out->len;
    bool good = buf_add(out, magic, sizeof magic) && buf_add_u32(out, FORMAT_VERSION) &&
                buf_add_u32(out, (uint32_t)strlen(recipe->text)) && buf_add_string(out, recipe->text) &&
                put_checksum(out, before);
    return written(good, out, before, err);
}

stemma_status codec_put_end(uint64_t count, struct buf *out, stemma_error *err) {
    size_t before = out->len;
    bool good = buf_add_u32(out, 0) && buf_add_u64(out, count) && put_checksum(out, before);
    return written(good, out, before, err);
}

static bool put_plain(struct buf *out, const uint64_t *values, size_t count) {
    if (!buf_reserve(out, count * 8)) return false;
    for (size_t i = 0; i < count; i++)
        if (!buf_add_u64(out, values[i])) return false;
    return true;
}

static bool put_counted(struct buf *out, const struct vec64 *values) {
    return buf_add_u32(out, (uint32_t)values->len) && put_plain(out, values->data, values->len);
}

/* Bits of a symbol. */
static uint32_t symbol_bits(const struct spec *spec) {
    uint32_t bits = 1;
    while (spec->scheme == SCHEME_SIGNATURE && UINT32_C(1) << bits < spec->alphabet) bits++;
    return bits;
}

/* Seven bits a byte, lowest first; all bytes but the last have the highest bit set. */
static bool put_varint(struct buf *out, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        if (!buf_add_byte(out, (uint8_t)(value | 0x80))) return false;
    return buf_add_byte(out, (uint8_t)value);
}

static bool put_signature(struct buf *out, const struct spec *spec, const struct signature_data *data) {
    uint32_t bits = symbol_bits(spec);
    if (!buf_add_u64(out, data->length) || !buf_add_byte(out, (uint8_t)data->agree) ||
        !buf_add_byte(out, (uint8_t)(data->agree >> 8)) || !buf_add_u64(out, data->symbols.len))
        return false;
    struct buf packed = {0};
    bool good = fields_reserve(&packed, data->symbols.len, bits);
    for (size_t i = 0; good && i < data->symbols.len; i++)
        fields_set(&packed, i, bits, data->symbols.data[i]);
    good = good && buf_add(out, packed.data, packed.len);
    buf_release(&packed);
    for (size_t i = 0; good && i < data->positions.len; i++)
        good = put_varint(out, data->positions.data[i] - (i ? data->positions.data[i - 1] : 0));
    return good;
}

static bool put_part(struct buf *out, const struct spec *spec, const struct part *part) {
    switch (spec->scheme) {
    case SCHEME_LEVEL:
        return buf_add_u32(out, part->level) && put_counted(out, &part->values) &&
               put_counted(out, &part->smallest);
    case SCHEME_MOD:
        return put_counted(out, &part->values) && put_counted(out, &part->smallest);
    case SCHEME_MIN:
    case SCHEME_MINMOD:
        return buf_add_byte(out, part->complete) && put_counted(out, &part->values);
    case SCHEME_MINHASH:
    case SCHEME_OPH:
        if (spec->bits == 64) return put_plain(out, part->values.data, part->values.len);
        if (spec->scheme == SCHEME_OPH && !buf_add_u32(out, part->filled)) return false;
        return buf_add_u64(out, part->distinct) && buf_add(out, part->bits.data, part->bits.len);
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        return put_counted(out, &part->values);
    case SCHEME_SIMHASH:
        return buf_add(out, part->bits.data, part->bits.len);
    case SCHEME_SIGNATURE:
    case SCHEME_SIGNATURE2011:
        return put_signature(out, spec, &part->signature);
    }
    return false;
}

static bool put_payload(struct buf *out, const struct stemma_sketch *sketch) {
    const char *name = sketch->name ? sketch->name : "";
    bool good = buf_add_u32(out, (uint32_t)strlen(name)) && buf_add_string(out, name) &&
                buf_add_u64(out, sketch->bytes) && buf_add_u64(out, sketch->tokens) &&
                buf_add_u64(out, sketch->shingles) && buf_add(out, sketch->digest, DIGEST_SIZE) &&
                buf_add(out, sketch->text_digest, DIGEST_SIZE);
    for (size_t i = 0; good && i < sketch->recipe->spec_count; i++)
        good = put_part(out, &sketch->recipe->specs[i], &sketch->parts[i]);
    return good;
}

/* Whether the payload's length fits its field; the few other fields are lost in the margin. */
static bool fits_record(const struct stemma_sketch *sketch) {
    uint64_t size = sketch->name ? strlen(sketch->name) : 0;
    for (size_t i = 0; i < sketch->recipe->spec_count; i++)
        size += 8 * (uint64_t)sketch->parts[i].values.len + sketch->parts[i].bits.len +
                2 * (uint64_t)sketch->parts[i].signature.symbols.len +
                VARINT_MOST * (uint64_t)sketch->parts[i].signature.positions.len;
    return size < UINT32_MAX - 65536;
}

stemma_status codec_put_sketch(const struct stemma_sketch *sketch, struct buf *out, stemma_error *err) {
    size_t before = out->len;
    if (!fits_record(sketch))
        return fail(err, STEMMA_UNSUPPORTED, "a sketch of 4 GiB or more cannot be stored: choose a larger n");
    bool good = buf_add_u32(out, 0) && put_payload(out, sketch);
    if (good) {
        uint32_t length = (uint32_t)(out->len - before - 4);
        for (int i = 0; i < 4; i++) out->data[before + (size_t)i] = (uint8_t)(length >> (8 * i));
        good = put_checksum(out, before);
    }
    return written(good, out, before, err);
}

/* ---- reading: bytes ---- */

struct input {
    const uint8_t *at, *end;
    const char *what; /* where we are, for messages */
    stemma_error *err;
};

static stemma_status corrupt(const struct input *in, const char *why) {
    return fail(in->err, STEMMA_CORRUPT, "damaged sketch: %s: %s", in->what, why);
}

static stemma_status need(const struct input *in, uint64_t size) {
    if (size <= (uint64_t)(in->end - in->at)) return STEMMA_OK;
    return fail(in->err, STEMMA_CORRUPT, "damaged sketch: it ends in the middle of %s", in->what);
}

static stemma_status get_u32(struct input *in, uint32_t *out) {
    TRY(need(in, 4));
    *out = load_u32(in->at);
    in->at += 4;
    return STEMMA_OK;
}

static stemma_status get_u64(struct input *in, uint64_t *out) {
    TRY(need(in, 8));
    *out = load_u64(in->at);
    in->at += 8;
    return STEMMA_OK;
}

static stemma_status get_bytes(struct input *in, uint8_t *out, size_t size) {
    TRY(need(in, size));
    memcpy(out, in->at, size);
    in->at += size;
    return STEMMA_OK;
}

static stemma_status get_plain(struct input *in, struct vec64 *out, size_t count) {
    TRY(need(in, (uint64_t)count * 8));
    if (!vec64_reserve(out, count)) return fail_memory(in->err);
    for (size_t i = 0; i < count; i++) out->data[out->len++] = load_u64(in->at + 8 * i);
    in->at += 8 * count;
    return STEMMA_OK;
}

/* A set: how many, then ascending values. */
static stemma_status get_counted(struct input *in, struct vec64 *out) {
    uint32_t count;
    TRY(get_u32(in, &count));
    TRY(get_plain(in, out, count));
    for (size_t i = 1; i < count; i++)
        if (out->data[i - 1] >= out->data[i]) return corrupt(in, "values are not ascending");
    return STEMMA_OK;
}

static stemma_status get_checksum(struct input *in, const uint8_t *from) {
    uint64_t real = checksum64(from, (size_t)(in->at - from)), stored;
    TRY(get_u64(in, &stored));
    return stored == real ? STEMMA_OK : corrupt(in, "the checksum differs");
}

/* ---- reading: parts ---- */

static stemma_status check_fingerprints(const struct input *in, const struct vec64 *values, int width,
                                        uint64_t modulus) {
    for (size_t i = 0; i < values->len; i++) {
        if (width < 64 && values->data[i] >> width) return corrupt(in, "a value is wider than a fingerprint");
        if (values->data[i] % modulus) return corrupt(in, "a value is not a multiple of the modulus");
    }
    return STEMMA_OK;
}

/* What a document without shingles and one with some must and must not have. */
static stemma_status check_presence(const struct input *in, const struct part *part, bool any) {
    if (part->empty == !any) return STEMMA_OK;
    return corrupt(in, part->empty ? "an empty document has values"
                                   : "a document that is not empty has no values");
}

static stemma_status get_multiples(struct input *in, const struct spec *spec, int width, uint64_t shingles,
                                   struct part *out) {
    bool level = spec->scheme == SCHEME_LEVEL;
    if (level) TRY(get_u32(in, &out->level));
    if (out->level > level_of(shingles)) return corrupt(in, "the level is too high for the size");
    TRY(get_counted(in, &out->values));
    TRY(check_fingerprints(in, &out->values, width, level ? UINT64_C(1) << out->level : spec->n));
    TRY(get_counted(in, &out->smallest));
    TRY(check_fingerprints(in, &out->smallest, width, 1));
    if (out->smallest.len > (out->values.len < SAMPLE_FLOOR ? SAMPLE_FLOOR : 0))
        return corrupt(in, "there are more smallest values than needed");
    if (out->empty) return check_presence(in, out, out->values.len || out->smallest.len);
    return level || out->values.len >= SAMPLE_FLOOR ? STEMMA_OK : check_presence(in, out, out->smallest.len);
}

static stemma_status get_lowest(struct input *in, const struct spec *spec, int width, struct part *out) {
    uint8_t complete;
    TRY(get_bytes(in, &complete, 1));
    if (complete > 1) return corrupt(in, "a flag is neither 0 nor 1");
    TRY(get_counted(in, &out->values));
    TRY(check_fingerprints(in, &out->values, width, spec->scheme == SCHEME_MINMOD ? spec->mod : 1));
    out->complete = complete;
    if (out->values.len > spec->n || (out->values.len < spec->n && !out->complete))
        return corrupt(in, "the number of values is wrong");
    if (out->empty && !out->complete) return corrupt(in, "an empty document is not complete");
    if (spec->scheme == SCHEME_MIN || out->empty) return check_presence(in, out, out->values.len);
    return STEMMA_OK;
}

static stemma_status get_minima(struct input *in, const struct spec *spec, uint64_t shingles,
                                struct part *out) {
    TRY(get_plain(in, &out->values, spec->n));
    size_t found = 0;
    for (size_t i = 0; i < spec->n; i++) found += out->values.data[i] != UINT64_MAX;
    TRY(check_presence(in, out, found));
    if (spec->scheme == SCHEME_OPH)
        oph_count(out, out->values.data, spec->n, shingles);
    else
        minhash_count(out, out->values.data, spec->n, shingles);
    return STEMMA_OK;
}

static stemma_status get_packed(struct input *in, size_t count, uint32_t bits, struct part *out) {
    size_t size = (count * bits + 7) / 8, used = count * bits % 8;
    uint8_t any = 0;
    TRY(need(in, size));
    if (!fields_reserve(&out->bits, count, bits)) return fail_memory(in->err);
    TRY(get_bytes(in, out->bits.data, size));
    if (used && out->bits.data[size - 1] >> used) return corrupt(in, "bits behind the last field are set");
    for (size_t i = 0; i < size; i++) any |= out->bits.data[i];
    return out->empty && any ? corrupt(in, "an empty document has bits") : STEMMA_OK;
}

static stemma_status get_short_minima(struct input *in, const struct spec *spec, uint64_t shingles,
                                      struct part *out) {
    if (spec->scheme == SCHEME_OPH) {
        TRY(get_u32(in, &out->filled));
        if (out->filled > spec->n) return corrupt(in, "more bins are filled than there are");
        TRY(check_presence(in, out, out->filled));
    }
    TRY(get_u64(in, &out->distinct));
    if (out->distinct > shingles) return corrupt(in, "there are more distinct shingles than shingles");
    if (out->distinct < out->filled) return corrupt(in, "there are more bins filled than shingles");
    TRY(check_presence(in, out, out->distinct));
    return get_packed(in, spec->n, spec->bits, out);
}

static stemma_status get_varint(struct input *in, uint64_t *out) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte;
        TRY(get_bytes(in, &byte, 1));
        if (shift == 63 && byte > 1) return corrupt(in, "a position is out of range");
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        if (byte == 0 && shift) return corrupt(in, "a position has bytes it does not need");
        *out = value;
        return STEMMA_OK;
    }
}

/* Differences to positions: none lies behind the document. */
static stemma_status get_positions(struct input *in, size_t count, uint64_t bytes, struct vec64 *out) {
    uint64_t at = 0;
    TRY(need(in, count));
    if (!vec64_reserve(out, count)) return fail_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        uint64_t step;
        TRY(get_varint(in, &step));
        if (step >= bytes - at) return corrupt(in, "a position lies behind the document");
        out->data[out->len++] = at += step;
    }
    return STEMMA_OK;
}

static stemma_status get_symbols(struct input *in, const struct spec *spec, size_t count, struct vec16 *out) {
    const uint32_t bits = symbol_bits(spec), mask = (UINT32_C(1) << bits) - 1;
    const uint64_t size = ((uint64_t)count * bits + 7) / 8;
    uint32_t held = 0, word = 0;
    TRY(need(in, size));
    if (!vec16_reserve(out, count)) return fail_memory(in->err);
    for (const uint8_t *end = in->at + size; in->at < end; in->at++) {
        word |= (uint32_t)*in->at << held;
        for (held += 8; held >= bits && out->len < count; held -= bits, word >>= bits) {
            if (spec->scheme == SCHEME_SIGNATURE && (word & mask) >= spec->alphabet)
                return corrupt(in, "a symbol is not of the alphabet");
            out->data[out->len++] = (uint16_t)(word & mask);
        }
    }
    return word ? corrupt(in, "bits behind the last field are set") : STEMMA_OK;
}

static stemma_status get_signature(struct input *in, const struct spec *spec, uint64_t bytes,
                                   struct signature_data *out) {
    uint8_t agree[2];
    uint64_t count;
    TRY(get_u64(in, &out->length));
    TRY(get_bytes(in, agree, sizeof agree));
    TRY(get_u64(in, &count));
    out->agree = (uint16_t)(agree[0] | agree[1] << 8);
    if ((out->length == 0) != (out->agree == 0)) return corrupt(in, "length and agreement do not fit");
    if (out->length > 0 && bytes == 0) return corrupt(in, "an empty document has text");
    if (count > (out->length < spec->n ? 0 : out->length - spec->n + 1))
        return corrupt(in, "there are more symbols than windows");
    if (count / 8 > (uint64_t)(in->end - in->at)) return need(in, count / 8); /* of at least one bit each */
    TRY(get_symbols(in, spec, (size_t)count, &out->symbols));
    return spec->positions ? get_positions(in, (size_t)count, bytes, &out->positions) : STEMMA_OK;
}

static stemma_status get_part(struct input *in, const struct stemma_sketch *sketch, size_t index,
                              struct part *out) {
    const struct stemma_recipe *recipe = sketch->recipe;
    const struct spec *spec = &recipe->specs[index];
    const uint64_t shingles = sketch->shingles;
    in->what = scheme_name(spec->scheme);
    out->empty = shingles == 0;
    switch (spec->scheme) {
    case SCHEME_MOD:
    case SCHEME_LEVEL:
        return get_multiples(in, spec, recipe->view.width, shingles, out);
    case SCHEME_MIN:
    case SCHEME_MINMOD:
        return get_lowest(in, spec, recipe->view.width, out);
    case SCHEME_MINHASH:
    case SCHEME_OPH:
        if (spec->bits == 64) return get_minima(in, spec, shingles, out);
        return get_short_minima(in, spec, shingles, out);
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        TRY(get_counted(in, &out->values));
        return check_presence(in, out, out->values.len);
    case SCHEME_SIMHASH:
        return get_packed(in, spec->bits, 1, out);
    case SCHEME_SIGNATURE:
    case SCHEME_SIGNATURE2011:
        return get_signature(in, spec, sketch->bytes, &out->signature);
    }
    return STEMMA_OK;
}

/* ---- reading: records ---- */

static stemma_status get_name(struct input *in, char **out) {
    uint32_t length;
    in->what = "the name";
    TRY(get_u32(in, &length));
    TRY(need(in, length));
    if (memchr(in->at, 0, length)) return corrupt(in, "it contains a NUL");
    char *name = mem_alloc((size_t)length + 1);
    if (!name) return fail_memory(in->err);
    memcpy(name, in->at, length);
    name[length] = 0;
    in->at += length;
    *out = name;
    return STEMMA_OK;
}

static stemma_status get_payload(struct input *in, struct stemma_sketch *out) {
    TRY(get_name(in, &out->name));
    in->what = "a record";
    TRY(get_u64(in, &out->bytes));
    TRY(get_u64(in, &out->tokens));
    TRY(get_u64(in, &out->shingles));
    TRY(get_bytes(in, out->digest, DIGEST_SIZE));
    TRY(get_bytes(in, out->text_digest, DIGEST_SIZE));
    for (size_t i = 0; i < out->recipe->spec_count; i++) TRY(get_part(in, out, i, &out->parts[i]));
    in->what = "a record";
    return in->at == in->end ? STEMMA_OK : corrupt(in, "bytes are left over");
}

static stemma_status get_end(struct input *in, const uint8_t *start, uint64_t count) {
    uint64_t stored;
    in->what = "the end";
    TRY(get_u64(in, &stored));
    TRY(get_checksum(in, start));
    if (stored != count)
        return fail(in->err, STEMMA_CORRUPT,
                    "damaged sketch: %" PRIu64 " sketches are there, %" PRIu64 " were written", count,
                    stored);
    return in->at == in->end ? STEMMA_OK : corrupt(in, "bytes follow it");
}

stemma_status codec_get_sketch(const uint8_t *bytes, size_t size, size_t *at,
                               const struct stemma_recipe *recipe, uint64_t count, struct stemma_sketch **out,
                               stemma_error *err) {
    const uint8_t *start = bytes + *at;
    struct input in = {start, bytes + size, "a record", err};
    struct stemma_sketch *sketch = NULL;
    uint32_t length;
    TRY(get_u32(&in, &length));
    if (length) {
        struct input payload = {in.at, in.at, "a record", err};
        TRY(need(&in, (uint64_t)length + CHECKSUM_SIZE));
        payload.end = in.at += length;
        TRY(get_checksum(&in, start));
        sketch = sketch_new(recipe);
        stemma_status status = sketch ? get_payload(&payload, sketch) : fail_memory(err);
        if (status != STEMMA_OK) {
            sketch_free(sketch);
            return status;
        }
    } else {
        TRY(get_end(&in, start, count));
    }
    *at = (size_t)(in.at - bytes);
    *out = sketch;
    return STEMMA_OK;
}

/* ---- reading: the header ---- */

bool codec_is_bundle(const uint8_t *bytes, size_t size) {
    return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

static stemma_status get_magic_and_version(struct input *in) {
    size_t left = (size_t)(in->end - in->at), known = left < sizeof magic ? left : sizeof magic;
    uint32_t version;
    if (left == 0 || memcmp(in->at, magic, known))
        return fail(in->err, STEMMA_NOT_A_SKETCH, "not a sketch file");
    TRY(need(in, sizeof magic));
    in->at += sizeof magic;
    TRY(get_u32(in, &version));
    if (version > FORMAT_VERSION)
        return fail(in->err, STEMMA_LATER_VERSION,
                    "the sketch has format version %" PRIu32 ", this program knows versions up to %u",
                    version, FORMAT_VERSION);
    return version ? STEMMA_OK : corrupt(in, "format version 0 does not exist");
}

static stemma_status get_recipe(struct input *in, const char *text, size_t length,
                                struct stemma_recipe **out) {
    stemma_error why = {0};
    struct stemma_recipe *recipe = NULL;
    in->what = "the recipe";
    stemma_status status = recipe_parse(text, length, &recipe, &why);
    if (status == STEMMA_NO_MEMORY) return fail_memory(in->err);
    if (status != STEMMA_OK) return corrupt(in, why.message);
    if (length != strlen(recipe->text) || memcmp(text, recipe->text, length)) {
        recipe_release(recipe);
        return corrupt(in, "it is not in canonical form");
    }
    *out = recipe;
    return STEMMA_OK;
}

stemma_status codec_get_header(const uint8_t *bytes, size_t size, size_t *at, struct stemma_recipe **out,
                               stemma_error *err) {
    const uint8_t *start = bytes + *at;
    struct input in = {start, bytes + size, "the header", err};
    uint32_t length;
    TRY(get_magic_and_version(&in));
    TRY(get_u32(&in, &length));
    TRY(need(&in, (uint64_t)length + CHECKSUM_SIZE));
    const char *text = (const char *)in.at;
    in.at += length;
    TRY(get_checksum(&in, start));
    TRY(get_recipe(&in, text, length, out));
    *at = (size_t)(in.at - bytes);
    return STEMMA_OK;
}

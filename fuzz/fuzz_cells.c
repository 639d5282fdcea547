/*
 * Cells of a document as they may stand in a collection whose checksums are right: samples, stored texts,
 * facts, the keys that are made of them, and recordings of what is inside files. Any bytes are refused, or
 * read; what is read can be written again.
 *
 * The input: which of them, two bytes of a size that is claimed or of how many bits of a sample are kept (0:
 * all), and the cell.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "index/facts.h"
#include "index/keys.h"
#include "index/stored_samples.h"
#include "index/stored_text.h"
#include "kernels/kernels.h"
#include "scan/recording.h"

/* What is read has no other bytes than these. */
static void read_samples(const uint8_t *data, size_t size, uint32_t bits) {
    struct vec64 samples = {0};
    struct buf packed = {0};
    if (samples_unpack(data, size, bits, &samples, NULL) == STEMMA_OK) {
        for (size_t i = 1; i < samples.len && bits < KEY_SAMPLE_BITS; i++)
            REQUIRE(samples.data[i - 1] < samples.data[i]);
        REQUIRE(samples_pack(&samples, bits, &packed, NULL) == STEMMA_OK);
        REQUIRE(packed.len == size && (size == 0 || !memcmp(packed.data, data, size)));
    }
    vec64_release(&samples);
    buf_release(&packed);
}

static void read_text(const uint8_t *data, size_t size, size_t claimed) {
    struct buf text = {0}, packed = {0}, again = {0};
    if (stored_text_unpack(data, size, claimed, &text, NULL) == STEMMA_OK) {
        REQUIRE(text.len == claimed && text.cap >= claimed + KERNEL_SLACK);
        REQUIRE(stored_text_pack(text.data, text.len, &packed, NULL) == STEMMA_OK);
        REQUIRE(stored_text_unpack(packed.data, packed.len, claimed, &again, NULL) == STEMMA_OK);
        REQUIRE(again.len == text.len && !memcmp(again.data, text.data, text.len));
    }
    buf_release(&text);
    buf_release(&packed);
    buf_release(&again);
}

static void read_facts(const uint8_t *data, size_t size) {
    uint8_t written[FACTS_BYTES];
    struct facts facts, again;
    if (facts_read((struct cell){data, size}, &facts, NULL) != STEMMA_OK) return;
    facts_write(&facts, written);
    REQUIRE(facts_read((struct cell){written, sizeof written}, &again, NULL) == STEMMA_OK);
    REQUIRE(again.state == facts.state && again.bytes == facts.bytes && again.modified == facts.modified);
    (void)facts_text((struct cell){data, size});
}

/* A row of all parts, from which keys are made. */
static void make_keys(const uint8_t *data, size_t size, uint32_t bits) {
    struct schema schema;
    struct vec64 keys = {0};
    struct row row = {.id = {(const uint8_t *)"id", 2},
                      .facts = {data, size < FACTS_BYTES ? size : FACTS_BYTES}};
    REQUIRE(schema_init(&schema, "preset=text", NULL) == STEMMA_OK);
    REQUIRE(minima_add_parts(&schema, NULL) == STEMMA_OK &&
            samples_add_parts(&schema, bits, NULL) == STEMMA_OK);
    for (size_t p = 0; p < schema.count; p++) {
        const bool fits = schema.parts[p].form != FORM_COLUMN || size >= schema.parts[p].width;
        if (fits)
            row.cells[p] =
                (struct cell){data, schema.parts[p].form == FORM_COLUMN ? schema.parts[p].width : size};
    }
    for (size_t p = 0; p < schema.count && size >= MINIMA_BYTES; p++) {
        if (schema.parts[p].kind == KIND_BAND_KEYS)
            (void)band_part_keys(&schema, &schema.parts[p], &row, &keys, NULL);
        if (schema.parts[p].kind == KIND_SAMPLE_KEYS || schema.parts[p].kind == KIND_SHORT_SAMPLE_KEYS)
            (void)sample_part_keys(&schema, &schema.parts[p], &row, &keys, NULL);
    }
    vec64_release(&keys);
    schema_release(&schema);
}

/* Entries are written as they were, but for what is not read of them. */
static void read_recording(const uint8_t *data, size_t size, size_t key_bytes) {
    struct recording_reader reader = {.bytes = data, .size = size, .key_bytes = key_bytes};
    struct vec64 samples = {0};
    struct recorded entry = {.samples = &samples}, same = entry;
    struct buf again = {0};
    struct recording_reader other;
    struct recorded_piece piece;
    bool more = true;
    while (recording_next(&reader, &entry, &more, NULL) == STEMMA_OK && more) {
        again.len = 0;
        REQUIRE(strlen(entry.name) <= entry.name_size);
        REQUIRE(recording_add(&again, &entry, key_bytes, NULL) == STEMMA_OK);
        REQUIRE(recording_open(&other, &again, key_bytes, &piece, NULL) == STEMMA_OK);
        REQUIRE(recording_next(&other, &same, &more, NULL) == STEMMA_OK && more && other.at == again.len);
        REQUIRE(same.name_size == entry.name_size && same.document.bytes == entry.document.bytes);
    }
    vec64_release(&samples);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    const size_t claimed = (size_t)data[1] | (size_t)data[2] << 8;
    const uint32_t bits = data[1] % KEY_SAMPLE_BITS ? data[1] % KEY_SAMPLE_BITS : KEY_SAMPLE_BITS;
    const uint8_t *cell = data + 3;
    size -= 3;
    switch (data[0] % 5) {
    case 0:
        read_samples(cell, size, bits);
        break;
    case 1:
        read_text(cell, size, claimed);
        break;
    case 2:
        read_facts(cell, size);
        break;
    case 3:
        make_keys(cell, size, bits);
        break;
    default:
        read_recording(cell, size, claimed);
    }
    return 0;
}

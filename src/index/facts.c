#include "index/facts.h"

#include "base/digest.h"
#include "index/stored_samples.h"

#include <string.h>

enum { VERSION = 1, LOOKED_INTO = 1, UNSETTLED = 2, OUTDATED = 4, NO_BITS = 8, NUMBERS = 7 };

static uint64_t pair(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

void facts_write(const struct facts *facts, uint8_t out[FACTS_BYTES]) {
    const uint64_t numbers[NUMBERS] = {facts->bytes,
                                       facts->text_bytes,
                                       pair(facts->shingles, facts->way),
                                       facts->offset,
                                       pair(facts->record_bytes, facts->stamp),
                                       facts->file_bytes,
                                       (uint64_t)facts->modified};
    out[0] = VERSION;
    out[1] = (uint8_t)facts->state;
    out[2] = facts->format;
    out[3] = (uint8_t)((facts->looked_into ? LOOKED_INTO : 0) | (facts->unsettled ? UNSETTLED : 0) |
                       (facts->outdated ? OUTDATED : 0) | (facts->no_bits ? NO_BITS : 0));
    store_u32(out + 4, facts->path_bytes);
    for (size_t i = 0; i < NUMBERS; i++) store_u64(out + 8 + 8 * i, numbers[i]);
    memcpy(out + 64, facts->digest, FACTS_DIGEST);
    memcpy(out + 64 + FACTS_DIGEST, facts->text_digest, FACTS_DIGEST);
}

stemma_status facts_read(struct cell cell, struct facts *out, stemma_error *err) {
    const uint8_t *numbers = cell.bytes + 8;
    if (cell.size != FACTS_BYTES || cell.bytes[0] != VERSION || cell.bytes[1] > FACTS_DATASET)
        return fail(err, STEMMA_CORRUPT, "the facts of a document are damaged");
    *out = (struct facts){.state = (enum facts_state)cell.bytes[1],
                          .format = cell.bytes[2],
                          .looked_into = cell.bytes[3] & LOOKED_INTO,
                          .unsettled = cell.bytes[3] & UNSETTLED,
                          .outdated = cell.bytes[3] & OUTDATED,
                          .no_bits = cell.bytes[3] & NO_BITS,
                          .path_bytes = load_u32(cell.bytes + 4),
                          .bytes = load_u64(numbers),
                          .text_bytes = load_u64(numbers + 8),
                          .shingles = load_u32(numbers + 16),
                          .way = load_u32(numbers + 20),
                          .offset = load_u64(numbers + 24),
                          .record_bytes = load_u32(numbers + 32),
                          .stamp = load_u32(numbers + 36),
                          .file_bytes = load_u64(numbers + 40),
                          .modified = (int64_t)load_u64(numbers + 48)};
    memcpy(out->digest, cell.bytes + 64, FACTS_DIGEST);
    memcpy(out->text_digest, cell.bytes + 64 + FACTS_DIGEST, FACTS_DIGEST);
    return STEMMA_OK;
}

bool facts_text(struct cell facts) {
    return facts.size == FACTS_BYTES && facts.bytes[1] == FACTS_TEXT;
}

bool facts_bits(struct cell facts) {
    return facts_text(facts) && !(facts.bytes[3] & NO_BITS);
}

uint64_t path_key(const void *path, size_t size) {
    return checksum64(path, size);
}

uint64_t digest_key(const uint8_t digest[FACTS_DIGEST]) {
    return load_u64(digest);
}

stemma_status member_keys(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err) {
    struct facts facts;
    (void)schema;
    (void)part;
    TRY(facts_read(row->facts, &facts, err));
    bool held = true;
    if (facts.state == FACTS_DATASET)
        held = vec64_add(keys, DATASET_KEY);
    else if (facts_inside(&facts, row->id.size))
        held = vec64_add(keys, path_key(row->id.bytes, facts.path_bytes));
    if (facts.no_bits) held = held && vec64_add(keys, NO_BITS_KEY);
    return held ? STEMMA_OK : fail_memory(err);
}

static bool found_by_digest(const struct schema *schema, const struct row *row, const struct facts *facts) {
    if (facts->state == FACTS_EMPTY || facts->state == FACTS_DATASET) return false;
    uint32_t bits;
    const int samples = samples_find_part(schema, &bits);
    return facts->state != FACTS_TEXT || (samples >= 0 && row->cells[samples].size == 0);
}

stemma_status digest_keys(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err) {
    struct facts facts;
    (void)part;
    TRY(facts_read(row->facts, &facts, err));
    if (!found_by_digest(schema, row, &facts)) return STEMMA_OK;
    return vec64_add(keys, digest_key(facts.digest)) ? STEMMA_OK : fail_memory(err);
}

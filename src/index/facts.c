#include "index/facts.h"

#include "base/digest.h"

#include <string.h>

enum { VERSION = 1, LOOKED_INTO = 1, UNSETTLED = 2 };

/* Places of the numbers behind the first eight bytes. */
static uint64_t *const *numbers_of(struct facts *facts, uint64_t *list[7]) {
    list[0] = &facts->bytes;
    list[1] = &facts->text_bytes;
    list[2] = &facts->shingles;
    list[3] = &facts->offset;
    list[4] = &facts->record_bytes;
    list[5] = &facts->file_bytes;
    list[6] = (uint64_t *)&facts->modified;
    return list;
}

void facts_write(const struct facts *facts, uint8_t out[FACTS_BYTES]) {
    struct facts copy = *facts;
    uint64_t *list[7];
    numbers_of(&copy, list);
    out[0] = VERSION;
    out[1] = (uint8_t)facts->state;
    out[2] = facts->format;
    out[3] = (uint8_t)((facts->looked_into ? LOOKED_INTO : 0) | (facts->unsettled ? UNSETTLED : 0));
    store_u32(out + 4, facts->path_bytes);
    for (size_t i = 0; i < 7; i++) store_u64(out + 8 + 8 * i, *list[i]);
    memcpy(out + 64, facts->digest, FACTS_DIGEST);
    memcpy(out + 64 + FACTS_DIGEST, facts->text_digest, FACTS_DIGEST);
}

stemma_status facts_read(struct cell cell, struct facts *out, stemma_error *err) {
    uint64_t *list[7];
    struct facts facts = {0};
    if (cell.size != FACTS_BYTES || cell.bytes[0] != VERSION || cell.bytes[1] > FACTS_DATASET)
        return fail(err, STEMMA_CORRUPT, "the facts of a document are damaged");
    numbers_of(&facts, list);
    facts.state = (enum facts_state)cell.bytes[1];
    facts.format = cell.bytes[2];
    facts.looked_into = cell.bytes[3] & LOOKED_INTO;
    facts.unsettled = cell.bytes[3] & UNSETTLED;
    facts.path_bytes = load_u32(cell.bytes + 4);
    for (size_t i = 0; i < 7; i++) *list[i] = load_u64(cell.bytes + 8 + 8 * i);
    memcpy(facts.digest, cell.bytes + 64, FACTS_DIGEST);
    memcpy(facts.text_digest, cell.bytes + 64 + FACTS_DIGEST, FACTS_DIGEST);
    *out = facts;
    return STEMMA_OK;
}

bool facts_text(struct cell facts) {
    return facts.size == FACTS_BYTES && facts.bytes[1] == FACTS_TEXT;
}

uint64_t path_key(const void *path, size_t size) {
    return checksum64(path, size);
}

stemma_status member_keys(const struct schema *schema, const struct part *part, const struct row *row,
                          struct vec64 *keys, stemma_error *err) {
    struct facts facts;
    (void)schema, (void)part;
    TRY(facts_read(row->facts, &facts, err));
    if (!facts_inside(&facts, row->id.size) && facts.state != FACTS_DATASET) return STEMMA_OK;
    uint64_t key = facts.state == FACTS_DATASET ? DATASET_KEY : path_key(row->id.bytes, facts.path_bytes);
    return vec64_add(keys, key) ? STEMMA_OK : fail_memory(err);
}

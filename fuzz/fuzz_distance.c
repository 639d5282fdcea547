/*
 * The edit distance and the edit script of two texts: against the quadratic twin, both ways round, in bytes
 * and in characters; the steps must lead from one text to the other.
 *
 * Input: one byte for the unit, the bound and how often each text is repeated, then the texts with "|||"
 * between them.
 */
#include "fuzz.h"

#include "stemma.h"

#define MOST 6000 /* bytes of a text, so that the twin is quick */

struct text {
    uint8_t bytes[MOST];
    size_t size;
};

/* Repeated, a short input reaches the inner loops. */
static void repeat(struct text *text, const uint8_t *bytes, size_t size, size_t times) {
    text->size = 0;
    for (size_t i = 0; i < times && text->size + size <= MOST; i++) {
        if (size) memcpy(text->bytes + text->size, bytes, size);
        text->size += size;
    }
}

static uint64_t twin(const struct text *a, const struct text *b) {
    static uint32_t row[MOST + 1];
    for (size_t j = 0; j <= b->size; j++) row[j] = (uint32_t)j;
    for (size_t i = 0; i < a->size; i++) {
        uint32_t corner = row[0]++;
        for (size_t j = 0; j < b->size; j++) {
            uint32_t best = corner + (a->bytes[i] != b->bytes[j]);
            corner = row[j + 1];
            if (corner + 1 < best) best = corner + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            row[j + 1] = best;
        }
    }
    return row[b->size];
}

static uint64_t distance(const struct text *a, const struct text *b, stemma_edit_unit unit,
                         uint64_t at_most) {
    uint64_t found;
    REQUIRE(!stemma_distance(a->bytes, a->size, b->bytes, b->size, unit, at_most, NULL, &found, NULL));
    return found;
}

/* In bytes the steps cost the distance; a character may be more than one byte. */
static void check_script(const struct text *a, const struct text *b, stemma_edit_unit unit, uint64_t wanted) {
    stemma_script *script;
    uint64_t at = 0, made = 0, cost = 0;
    size_t count;
    REQUIRE(!stemma_script_new(a->bytes, a->size, b->bytes, b->size, unit, wanted, NULL, &script, NULL));
    REQUIRE(stemma_script_distance(script) == wanted);
    const stemma_step *steps = stemma_script_steps(script, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t rows = steps[i].a_end - at, columns = steps[i].b_end - made;
        REQUIRE(steps[i].a_begin == at && steps[i].b_begin == made && rows + columns > 0);
        if (steps[i].kind == STEMMA_KEEP)
            REQUIRE(rows == columns && !memcmp(a->bytes + at, b->bytes + made, (size_t)rows));
        else
            cost += rows > columns ? rows : columns;
        at += rows, made += columns;
    }
    REQUIRE(at == a->size && made == b->size);
    REQUIRE(unit == STEMMA_EDIT_BYTES ? cost == wanted : cost >= wanted);
    stemma_script_free(script);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct text a, b;
    if (size == 0) return 0;
    struct documents d = split_documents(data + 1, size - 1);
    repeat(&a, d.a, d.a_size, (size_t)1 + (data[0] >> 1 & 7) * 9);
    repeat(&b, d.b, d.b_size, (size_t)1 + (data[0] >> 4 & 7) * 7);
    stemma_edit_unit unit = data[0] & 1 ? STEMMA_EDIT_CHARACTERS : STEMMA_EDIT_BYTES;
    uint64_t wanted = distance(&a, &b, unit, UINT64_MAX);
    if (unit == STEMMA_EDIT_BYTES) REQUIRE(wanted == twin(&a, &b));
    REQUIRE(distance(&b, &a, unit, UINT64_MAX) == wanted);
    REQUIRE(distance(&a, &b, unit, wanted) == wanted);
    if (wanted > 0) REQUIRE(distance(&a, &b, unit, wanted - 1) == wanted);
    if (wanted > 1) REQUIRE(distance(&a, &b, unit, wanted / 2) == wanted / 2 + 1);
    check_script(&a, &b, unit, wanted);
    return 0;
}

/*
 * The frozen table, and composition of a character with its marks.
 *
 * Only the latter asks utf8proc, and only about characters assigned in Unicode 15.0, whose normalisation no
 * later version may change; case folding is always the table's.
 */
#include "text/unicode.h"

#include "text/utf8.h"

#include <string.h>
#include <utf8proc.h>

/* Where the mappings of a listed code point begin: one behind the other, each its length, then its code
 * points. */
struct listed {
    uint32_t cp;
    uint16_t at;
};

#include "text/unicode_table.inc"

static const uint32_t *listed_mappings(uint32_t cp) {
    size_t low = 0, high = sizeof unicode_listed / sizeof *unicode_listed;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (unicode_listed[middle].cp <= cp)
            low = middle;
        else
            high = middle;
    }
    return &unicode_sequences[unicode_listed[low].at];
}

size_t unicode_map(uint32_t cp, enum char_mapping mapping, uint32_t out[CHAR_MAP_MOST]) {
    const struct char_record *record = unicode_record(cp);
    if (!(record->flags & CHAR_LISTED)) {
        out[0] = mapping == MAP_NFC ? cp : (uint32_t)((int32_t)cp + record->fold);
        return 1;
    }
    const uint32_t *sequence = listed_mappings(cp);
    for (int i = 0; i < (int)mapping; i++) sequence += 1 + sequence[0];
    memcpy(out, sequence + 1, sequence[0] * sizeof *out);
    return sequence[0];
}

struct run_chars unicode_run_chars(unsigned ends) {
    return (struct run_chars){
        .stage1 = unicode_stage1,
        .stage2 = unicode_stage2,
        .effects = unicode_effects,
        .letters = unicode_letters,
        .rows = unicode_rows,
        .ends = ends,
    };
}

/* Decompose, order, compose; out may be cps. */
static size_t compose(const uint32_t *cps, size_t count, uint32_t *out) {
    uint8_t bytes[UNICODE_COMPOSED_MOST * 4];
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += utf8_encode(cps[i], bytes + size);
    utf8proc_int32_t work[UNICODE_COMPOSED_MOST * CHAR_MAP_MOST];
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    utf8proc_ssize_t used = utf8proc_decompose(bytes, (utf8proc_ssize_t)size, work,
                                               (utf8proc_ssize_t)(sizeof work / sizeof *work), options);
    used = utf8proc_normalize_utf32(work, used, options);
    for (utf8proc_ssize_t i = 0; i < used; i++) out[i] = (uint32_t)work[i];
    return (size_t)used;
}

size_t unicode_compose(const uint32_t *segment, size_t count, enum char_mapping mapping, uint32_t *out) {
    if (count == 1) return unicode_map(segment[0], mapping, out);
    size_t composed = compose(segment, count, out);
    if (mapping == MAP_NFC) return composed;
    uint32_t folded[UNICODE_COMPOSED_MOST * 3];
    size_t used = 0;
    for (size_t i = 0; i < composed; i++) used += unicode_map(out[i], MAP_FOLD, folded + used);
    return compose(folded, used, out);
}

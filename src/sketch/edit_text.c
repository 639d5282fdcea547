/* Bytes to the characters of the edit text: canonical form, then decoding with a short cut for ASCII. */
#include "sketch/edit_text.h"

#include "base/alloc.h"
#include "kernels/kernels.h"
#include "text/offsets.h"
#include "text/utf8.h"

#include <string.h>

bool edit_text_is_bytes(const struct view *view) {
    return view->folds == FOLD_RAW && view->unit != UNIT_CHAR;
}

stemma_status edit_text_init(struct edit_text *text, unsigned folds, bool bytes, bool placed,
                             stemma_error *err) {
    memset(text, 0, sizeof *text);
    text->passes = folds == FOLD_RAW;
    text->bytes = bytes;
    text->placed = placed;
    return canon_new(folds, UNIT_CHAR, placed && !text->passes ? &text->map : NULL, &text->canon, err);
}

void edit_text_release(struct edit_text *text) {
    canon_free(text->canon);
    offset_map_release(&text->map);
    buf_release(&text->text);
    vec64_release(&text->places);
    mem_free(text->chars);
}

/* ---- decoding ---- */

/* ASCII, eight characters at a time; returns the bytes read. */
static size_t widen_ascii(const uint8_t *bytes, size_t size, uint32_t *out) {
    size_t at = 0;
    for (; size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080)) break;
        for (size_t i = 0; i < 8; i++) out[at + i] = bytes[at + i];
    }
    return at;
}

/* One character; returns its bytes, 0 when it may go on. */
static inline size_t decode_one(const uint8_t *bytes, size_t size, bool last, uint32_t *out) {
    size_t length = utf8_decode(bytes, size, out);
    if (length == 0 && !last) return 0;
    if (length && *out != UTF8_INVALID) return length;
    *out = STRAY_BYTE + bytes[0];
    return 1;
}

/* Characters into `out`, which has room for as many as there are bytes; returns the bytes read. */
static size_t decode(const uint8_t *bytes, size_t size, bool last, uint32_t *out, size_t *count) {
    size_t at = 0, made = 0;
    while (at < size) {
        size_t run = widen_ascii(bytes + at, size - at, out + made);
        at += run;
        made += run;
        if (at == size) break;
        size_t length = decode_one(bytes + at, size - at, last, &out[made]);
        if (length == 0) break;
        at += length;
        made++;
    }
    *count = made;
    return at;
}

static size_t copy_bytes(const uint8_t *bytes, size_t size, uint32_t *out, size_t *count) {
    for (size_t i = 0; i < size; i++) out[i] = bytes[i];
    *count = size;
    return size;
}

/* ---- where characters begin ---- */

static size_t char_size(uint32_t c) {
    if (c < 0x80 || c >= STRAY_BYTE) return 1;
    return c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* How far behind canonical offset `at` its source is, in *shift, and up to where that holds. `at` is never
 * less than in the last call. */
static uint64_t shift_at(struct edit_text *text, uint64_t at, uint64_t *shift) {
    const struct offset_map *map = &text->map;
    *shift = 0;
    if (map->len == 0) return UINT64_MAX;
    while (text->pair + 1 < map->len && map->pairs[text->pair + 1].canon <= at) text->pair++;
    *shift = map->pairs[text->pair].source - map->pairs[text->pair].canon;
    return text->pair + 1 < map->len ? map->pairs[text->pair + 1].canon : UINT64_MAX;
}

/* Breakpoints behind us are not needed any more. */
static void forget_pairs(struct edit_text *text) {
    struct offset_map *map = &text->map;
    if (text->pair == 0) return;
    map->len -= text->pair;
    memmove(map->pairs, map->pairs + text->pair, map->len * sizeof *map->pairs);
    text->pair = 0;
}

static void place(struct edit_text *text, const uint32_t *chars, size_t count) {
    uint64_t at = text->done, shift = 0, until = 0, *places = text->places.data + text->places.len;
    const bool bytes = text->bytes;
    for (size_t i = 0; i < count; i++) {
        if (at >= until) until = shift_at(text, at, &shift);
        places[i] = at + shift;
        at += bytes ? 1 : char_size(chars[i]);
    }
    forget_pairs(text);
}

/* ---- counting ---- */

static void count_beyond(struct edit_text *text, uint32_t c) {
    const uint32_t bin = 0x80 + c % (AGREE_BINS - 0x80);
    if (text->bins[bin]++ == 0) text->beyond[text->beyond_count++] = (uint16_t)bin;
}

static void count_one(struct edit_text *text, uint32_t c) {
    if (c < 0x80)
        text->bins[c]++;
    else
        count_beyond(text, c);
}

/* ASCII is counted in four tables by turns: one counter would have to wait for its last sum. */
struct turns {
    uint16_t of[4][0x80];
};

static void count_some(struct edit_text *text, const uint32_t *chars, size_t count) {
    struct turns turns = {{{0}}};
    size_t at = 0;
    for (; at + 4 <= count; at += 4) {
        uint64_t two[2];
        memcpy(two, chars + at, sizeof two);
        if (((two[0] | two[1]) & ~UINT64_C(0x0000007f0000007f)) == 0) {
            turns.of[0][(uint32_t)two[0]]++;
            turns.of[1][two[0] >> 32]++;
            turns.of[2][(uint32_t)two[1]]++;
            turns.of[3][two[1] >> 32]++;
        } else
            for (size_t k = 0; k < 4; k++) count_one(text, chars[at + k]);
    }
    for (; at < count; at++) count_one(text, chars[at]);
    for (size_t i = 0; i < 0x80; i++)
        text->bins[i] += (uint32_t)turns.of[0][i] + turns.of[1][i] + turns.of[2][i] + turns.of[3][i];
}

static void count_chars(struct edit_text *text, const uint32_t *chars, size_t count) {
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < 4 * UINT16_MAX ? count - at : 4 * UINT16_MAX;
        count_some(text, chars + at, some);
    }
}

static void clear_counts(struct edit_text *text) {
    memset(text->bins, 0, 0x80 * sizeof *text->bins);
    for (size_t i = 0; i < text->beyond_count; i++) text->bins[text->beyond[i]] = 0;
    text->beyond_count = 0;
}

uint16_t edit_text_agree(const struct edit_text *text) {
    unsigned __int128 sum = 0, all = (unsigned __int128)text->length * text->length;
    if (all == 0) return 0;
    for (size_t i = 0; i < 0x80; i++) sum += (unsigned __int128)text->bins[i] * text->bins[i];
    for (size_t i = 0; i < text->beyond_count; i++) {
        const uint64_t bin = text->bins[text->beyond[i]];
        sum += (unsigned __int128)bin * bin;
    }
    return (uint16_t)((sum * AGREE_SCALE + all / 2) / all);
}

/* ---- feeding ---- */

bool edit_text_reserve(struct edit_text *text, size_t count) {
    const size_t slack = KERNEL_SLACK / sizeof *text->chars;
    return count <= SIZE_MAX - text->count - slack &&
           mem_grow((void **)&text->chars, &text->cap, text->count + count + slack, sizeof *text->chars) &&
           (!text->placed || vec64_reserve(&text->places, count));
}

void edit_text_take(struct edit_text *text, size_t count) {
    count_chars(text, text->chars + text->count, count);
    text->count += count;
    text->length += count;
    if (text->placed) text->places.len += count;
}

static stemma_status take_text(struct edit_text *text, bool last, stemma_error *err) {
    size_t size = text->text.len, made = 0;
    if (!edit_text_reserve(text, size)) return fail_memory(err);
    uint32_t *out = text->chars + text->count;
    size_t used = text->bytes ? copy_bytes(text->text.data, size, out, &made)
                              : decode(text->text.data, size, last, out, &made);
    if (text->placed) place(text, out, made);
    edit_text_take(text, made);
    text->done += used;
    if (used < size) memmove(text->text.data, text->text.data + used, size - used);
    text->text.len -= used;
    return STEMMA_OK;
}

stemma_status edit_text_feed(struct edit_text *text, const uint8_t *bytes, size_t size, stemma_error *err) {
    TRY(canon_feed(text->canon, bytes, size, &text->text, err));
    return take_text(text, false, err);
}

stemma_status edit_text_finish(struct edit_text *text, stemma_error *err) {
    TRY(canon_finish(text->canon, &text->text, err));
    return take_text(text, true, err);
}

void edit_text_reset(struct edit_text *text) {
    clear_counts(text);
    text->count = text->pair = 0;
    text->length = text->done = 0;
    text->text.len = text->places.len = text->map.len = 0;
    canon_reset(text->canon);
}

void edit_text_drop(struct edit_text *text, size_t count) {
    text->count -= count;
    memmove(text->chars, text->chars + count, text->count * sizeof *text->chars);
    if (!text->placed) return;
    text->places.len -= count;
    memmove(text->places.data, text->places.data + count, text->places.len * sizeof *text->places.data);
}

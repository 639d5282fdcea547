#include "align/fragments/gram_scan.h"

#include "base/alloc.h"
#include "kernels/generic.h"

#include <string.h>

enum {
    PIECE = 32768, /* bytes: they and their canonical text stay in the cache */
    MARGIN = 64    /* bytes behind a fragment, so that the close look knows where its last token ends */
};

struct gram_scan {
    const stemma_finder *finder;
    const struct kernels *kernels;
    struct canon *canon; /* NULL when the file is its own canonical text */
    struct buf canonical;
    struct buf stretch; /* what is looked at, with the slack of kernels */
    struct vec64 tokens, windows;
    uint64_t begin;   /* of the text at hand, from that of the canonical text */
    uint64_t next;    /* where to look next */
    bool skips_equal; /* a run of equal bytes begins no fragment */
    bool hit;
};

/* The text at hand; `next` is inside. */
struct view_of_text {
    const uint8_t *text;
    size_t size, next;
    size_t end; /* what begins from here on is looked at when more is known */
};

stemma_status gram_scan_new(const stemma_finder *finder, struct gram_scan **out, stemma_error *err) {
    struct gram_scan *scan = mem_zero(1, sizeof *scan);
    if (!scan) return fail_memory(err);
    scan->finder = finder;
    scan->kernels = kernels_get();
    scan->skips_equal = finder->view.unit == UNIT_BYTE && finder->view.window > 1;
    if (finder->view.folds != FOLD_RAW) {
        stemma_status status = canon_new(finder->view.folds, finder->view.unit, NULL, &scan->canon, err);
        if (status != STEMMA_OK) {
            gram_scan_free(scan);
            return status;
        }
    }
    *out = scan;
    return STEMMA_OK;
}

void gram_scan_free(struct gram_scan *scan) {
    if (!scan) return;
    canon_free(scan->canon);
    buf_release(&scan->canonical);
    buf_release(&scan->stretch);
    vec64_release(&scan->tokens);
    vec64_release(&scan->windows);
    mem_free(scan);
}

/* ---- a stretch of known grams ---- */

static stemma_status add_token(struct gram_scan *scan, const uint8_t *token, size_t size, stemma_error *err) {
    uint64_t hash = token_hash(&scan->finder->tables.keys, token, size);
    return vec64_add(&scan->tokens, hash) ? STEMMA_OK : fail_memory(err);
}

/* The text may begin and end inside a token: such halves are of no fragment. */
static stemma_status find_words(struct gram_scan *scan, stemma_error *err) {
    const struct buf *text = &scan->stretch;
    size_t used;
    if (!vec64_reserve(&scan->tokens, text->len / 2 + 1 + KERNEL_SLACK)) return fail_memory(err);
    scan->tokens.len = scan->kernels->hash_words(text->data, text->len, &scan->finder->tables.keys,
                                                 scan->tokens.data, &used);
    return used < text->len ? add_token(scan, text->data + used, text->len - used, err) : STEMMA_OK;
}

static stemma_status find_tokens(struct gram_scan *scan, stemma_error *err) {
    const struct buf *text = &scan->stretch;
    struct token token;
    size_t at = 0;
    scan->tokens.len = 0;
    if (scan->finder->view.unit == UNIT_WORD) return find_words(scan, err);
    while (token_next(scan->finder->view.unit, text->data, text->len, true, &at, &token))
        TRY(add_token(scan, text->data + token.begin, token.end - token.begin, err));
    return STEMMA_OK;
}

/* The fingerprints of the stretch's windows, as the finder's table has them. */
static stemma_status find_windows(struct gram_scan *scan, stemma_error *err) {
    const struct shingle_tables *tables = &scan->finder->tables;
    size_t window = scan->finder->view.window, count = scan->stretch.len;
    scan->windows.len = 0;
    if (!tables->rabin) {
        TRY(find_tokens(scan, err));
        count = scan->tokens.len;
    }
    if (count < window) return STEMMA_OK;
    if (!vec64_reserve(&scan->windows, count + KERNEL_SLACK) || !vec64_reserve(&scan->tokens, KERNEL_SLACK))
        return fail_memory(err);
    if (tables->rabin)
        scan->kernels->rabin_all(tables->rabin, scan->stretch.data, count, scan->windows.data);
    else
        scan->kernels->combine(scan->tokens.data, count, window, &tables->keys, scan->windows.data);
    scan->windows.len = count - window + 1;
    return STEMMA_OK;
}

/* Whether as many windows in a row are known as a fragment has at least, one of them not poor. */
static bool has_row(const struct gram_scan *scan) {
    uint64_t needed = scan->finder->grams.tokens - scan->finder->view.window + 1, row = 0;
    bool rich = false;
    for (size_t i = 0; i < scan->windows.len; i++) {
        uint32_t position = finder_lookup(scan->finder, scan->windows.data[i]);
        bool known = position != NO_POSITION;
        row = known ? row + 1 : 0;
        rich = known && (rich || position != POOR_POSITION);
        if (rich && row >= needed) return true;
    }
    return false;
}

static stemma_status check_stretch(struct gram_scan *scan, const uint8_t *text, size_t size,
                                   stemma_error *err) {
    scan->stretch.len = 0;
    if (!buf_add(&scan->stretch, text, size) || !buf_reserve(&scan->stretch, KERNEL_SLACK))
        return fail_memory(err);
    TRY(find_windows(scan, err));
    scan->hit = has_row(scan);
    return STEMMA_OK;
}

/* ---- the scan ---- */

/* On to the first place to look at that is not before `target`. */
static void move_on(struct view_of_text *v, size_t target, size_t stride) {
    if (target > v->next) v->next += (target - v->next + stride - 1) / stride * stride;
}

/* All around the gram the same byte: goes on to where that ends. */
static bool skip_equal(const struct gram_scan *scan, struct view_of_text *v) {
    const struct grams *grams = &scan->finder->grams;
    size_t before = grams->shortest - grams->size, around = before + grams->shortest;
    if (v->next < before || v->text[v->next] != v->text[v->next + 1]) return false;
    const uint8_t *from = v->text + v->next - before;
    size_t left = v->size - (v->next - before);
    size_t equal = 1 + scan->kernels->common_prefix(from, from + 1, left - 1);
    if (equal < around) return false;
    move_on(v, v->next + (equal - around) + 1, grams->stride);
    return true;
}

/* A gram is known: how far are its neighbours? */
static stemma_status look_around(struct gram_scan *scan, struct view_of_text *v, stemma_error *err) {
    const struct grams *grams = &scan->finder->grams;
    size_t first = v->next, low = first > grams->longest ? first - grams->longest : 0, behind = first + 1;
    while (first > low && grams_pass(grams, v->text + first - 1)) first--;
    while (behind + grams->size <= v->size && grams_pass(grams, v->text + behind)) behind++;
    if (behind - first >= grams->stride)
        TRY(check_stretch(scan, v->text + first, behind - first + grams->size - 1, err));
    move_on(v, behind < v->end ? behind : v->end, grams->stride);
    return STEMMA_OK;
}

static stemma_status look_at(struct gram_scan *scan, struct view_of_text *v, stemma_error *err) {
    const struct grams grams = scan->finder->grams;
    while (!scan->hit) {
        size_t at = v->next;
        while (at < v->end && !grams_pass(&grams, v->text + at)) at += grams.stride;
        v->next = at;
        if (at >= v->end) return STEMMA_OK;
        if (scan->skips_equal && skip_equal(scan, v)) continue;
        TRY(look_around(scan, v, err));
    }
    move_on(v, v->end, grams.stride); /* one hit is enough */
    return STEMMA_OK;
}

/* `text` begins at scan->begin. */
static stemma_status look(struct gram_scan *scan, const uint8_t *text, size_t size, bool last,
                          stemma_error *err) {
    const struct grams *grams = &scan->finder->grams;
    size_t reserve = last ? grams->size - 1 : grams->longest + MARGIN;
    struct view_of_text v = {text, size, (size_t)(scan->next - scan->begin),
                             size > reserve ? size - reserve : 0};
    TRY(look_at(scan, &v, err));
    scan->next = scan->begin + v.next;
    return STEMMA_OK;
}

/* What no later look reaches is forgotten. */
static void trim(struct gram_scan *scan) {
    size_t next = (size_t)(scan->next - scan->begin), longest = scan->finder->grams.longest;
    size_t drop = next < longest ? 0 : next - longest;
    if (drop > scan->canonical.len) drop = scan->canonical.len;
    scan->canonical.len -= drop;
    if (scan->canonical.len) memmove(scan->canonical.data, scan->canonical.data + drop, scan->canonical.len);
    scan->begin += drop;
}

static stemma_status feed_folded(struct gram_scan *scan, const uint8_t *bytes, size_t size,
                                 stemma_error *err) {
    bool last = size == 0;
    do {
        size_t piece = size < PIECE ? size : PIECE;
        TRY(last ? canon_finish(scan->canon, &scan->canonical, err)
                 : canon_feed(scan->canon, bytes, piece, &scan->canonical, err));
        TRY(look(scan, scan->canonical.data, scan->canonical.len, last, err));
        trim(scan);
        bytes += piece;
        size -= piece;
    } while (size);
    return STEMMA_OK;
}

stemma_status gram_scan_feed(struct gram_scan *scan, const uint8_t *bytes, size_t size, size_t before,
                             bool *hit, stemma_error *err) {
    scan->hit = false;
    if (scan->canon) {
        TRY(feed_folded(scan, bytes, size, err));
    } else {
        uint64_t offset = scan->begin;
        scan->begin -= before;
        TRY(look(scan, bytes - before, before + size, size == 0, err));
        scan->begin = offset + size;
    }
    *hit = scan->hit;
    return STEMMA_OK;
}

/*
 * The text is made canonical twice: once with offsets, for tokens and their places, and once by a shingler,
 * for the fingerprints. Both give the tokens in the same order; whichever is behind is waited for.
 */
#include "align/fragments/closeup.h"

#include "base/alloc.h"

#include <string.h>

/* A token before the matcher has seen it, and as long as a window may hold it. */
struct spot {
    size_t at, size; /* in the text */
    uint64_t begin, end, line;
};

struct closeup {
    const stemma_finder *finder;
    struct matcher *matcher;
    struct canon *canon;
    struct shingler *shingler;
    struct offset_map map;
    size_t map_cursor;
    struct buf text; /* canonical, from `text_begin` on */
    uint64_t text_begin;
    size_t cut; /* text that is tokens */
    struct spot *spots;
    size_t spot_count, spot_cap;
    size_t next; /* the first spot the matcher has not seen */
    struct vec64
        windows; /* fingerprints: the first is of the window that begins `lead` spots before spots[next] */
    size_t lead; /* window - 1, or how many tokens there were before, if fewer */
    struct place *window;  /* room for one */
    struct vec64 newlines; /* offsets not yet passed */
    size_t newline;
    uint64_t origin, end, line;
    bool skip; /* the first window, which begins with half a token */
};

static stemma_status collect(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                             size_t token_count, stemma_error *err) {
    struct vec64 *windows = &((struct closeup *)context)->windows;
    (void)tokens, (void)token_count;
    if (!vec64_reserve(windows, count)) return fail_memory(err);
    memcpy(windows->data + windows->len, fp, count * sizeof *fp);
    windows->len += count;
    return STEMMA_OK;
}

stemma_status closeup_new(const stemma_finder *finder, struct matcher *matcher, struct closeup **out,
                          stemma_error *err) {
    struct closeup *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    c->finder = finder;
    c->matcher = matcher;
    c->window = mem_zero(finder->view.window, sizeof *c->window);
    if (!c->window) {
        closeup_free(c);
        return fail_memory(err);
    }
    *out = c;
    return STEMMA_OK;
}

static void drop_stages(struct closeup *c) {
    canon_free(c->canon);
    shingler_free(c->shingler);
    c->canon = NULL;
    c->shingler = NULL;
}

void closeup_free(struct closeup *c) {
    if (!c) return;
    drop_stages(c);
    offset_map_release(&c->map);
    buf_release(&c->text);
    mem_free(c->spots);
    vec64_release(&c->windows);
    mem_free(c->window);
    vec64_release(&c->newlines);
    mem_free(c);
}

uint64_t closeup_end(const struct closeup *c) {
    return c->end;
}

stemma_status closeup_begin(struct closeup *c, uint64_t offset, uint64_t line, stemma_error *err) {
    const struct view *view = &c->finder->view;
    drop_stages(c);
    TRY(canon_new(view->folds, view->unit, &c->map, &c->canon, err));
    TRY(shingler_new(view, &c->finder->tables, (struct shingle_sink){.context = c, .take = collect},
                     (struct text_sink){0}, &c->shingler, err));
    c->map_cursor = c->map.len = c->text.len = c->cut = c->windows.len = c->newlines.len = c->newline = 0;
    c->spot_count = c->next = c->lead = 0;
    c->text_begin = 0;
    c->origin = c->end = offset;
    c->line = line;
    c->skip = offset > 0;
    return STEMMA_OK;
}

static void drop_front(struct vec64 *vec, size_t count) {
    if (count) memmove(vec->data, vec->data + count, (vec->len - count) * sizeof *vec->data);
    vec->len -= count;
}

/* ---- tokens ---- */

static stemma_status note_newlines(struct closeup *c, const uint8_t *bytes, size_t size, stemma_error *err) {
    drop_front(&c->newlines, c->newline);
    c->newline = 0;
    for (const uint8_t *at = bytes, *end = bytes + size;
         at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        if (!vec64_add(&c->newlines, c->end + (uint64_t)(at - bytes))) return fail_memory(err);
    return STEMMA_OK;
}

static uint64_t line_of(struct closeup *c, uint64_t offset) {
    for (; c->newline < c->newlines.len && c->newlines.data[c->newline] < offset; c->newline++) c->line++;
    return c->line;
}

static stemma_status add_spot(struct closeup *c, struct token token, stemma_error *err) {
    uint64_t begin = c->origin + offset_map_follow(&c->map, &c->map_cursor, c->text_begin + token.begin);
    if (!mem_grow((void **)&c->spots, &c->spot_cap, c->spot_count + 1, sizeof *c->spots))
        return fail_memory(err);
    c->spots[c->spot_count++] = (struct spot){
        .at = token.begin,
        .size = token.end - token.begin,
        .begin = begin,
        .end = c->origin + offset_map_follow(&c->map, &c->map_cursor, c->text_begin + token.end),
        .line = line_of(c, begin),
    };
    return STEMMA_OK;
}

/* Where a token ends in the original is known when something behind it is. */
static stemma_status find_spots(struct closeup *c, bool last, stemma_error *err) {
    struct token token;
    size_t at = c->cut;
    while (token_next(c->finder->view.unit, c->text.data, c->text.len, last, &at, &token)) {
        if (token.end == c->text.len && !last && c->finder->view.folds != FOLD_RAW) return STEMMA_OK;
        TRY(add_spot(c, token, err));
        c->cut = at;
    }
    return STEMMA_OK;
}

/* ---- windows ---- */

static struct place place_of(const struct closeup *c, const struct spot *spot) {
    return (struct place){c->text.data + spot->at, spot->size, spot->begin, spot->end, spot->line};
}

static stemma_status try_window(struct closeup *c, uint64_t fingerprint, stemma_error *err) {
    uint32_t position = finder_lookup(c->finder, fingerprint);
    if (position == NO_POSITION || position == POOR_POSITION) return STEMMA_OK;
    for (size_t i = 0; i <= c->lead; i++) c->window[i] = place_of(c, &c->spots[c->next - c->lead + i]);
    return matcher_begin(c->matcher, c->window, position, err);
}

/* The tokens whose windows are known, to the matcher. */
static stemma_status give_all(struct closeup *c, stemma_error *err) {
    size_t full = c->finder->view.window - 1, used = 0;
    for (; c->next < c->spot_count; c->next++) {
        if (c->lead < full) { /* no window ends here */
            c->lead++;
            continue;
        }
        if (used == c->windows.len) break;
        struct place token = place_of(c, &c->spots[c->next]);
        bool follows;
        TRY(matcher_follow(c->matcher, &token, &follows, err));
        if (!follows && !c->skip) TRY(try_window(c, c->windows.data[used], err));
        c->skip = false;
        used++;
    }
    drop_front(&c->windows, used);
    return STEMMA_OK;
}

/* Forgets what no later window reaches: spots, their text, breakpoints of the map. */
static void trim(struct closeup *c) {
    size_t spots = c->next - c->lead, text = spots < c->spot_count ? c->spots[spots].at : c->cut;
    if (spots) memmove(c->spots, c->spots + spots, (c->spot_count - spots) * sizeof *c->spots);
    c->spot_count -= spots;
    c->next -= spots;
    for (size_t i = 0; i < c->spot_count; i++) c->spots[i].at -= text;
    if (text) memmove(c->text.data, c->text.data + text, c->text.len - text);
    c->text.len -= text;
    c->text_begin += text;
    c->cut -= text;
    offset_map_forget(&c->map, c->text_begin + c->cut);
    c->map_cursor = 0;
}

stemma_status closeup_feed(struct closeup *c, const uint8_t *bytes, size_t size, bool last,
                           stemma_error *err) {
    TRY(note_newlines(c, bytes, size, err));
    c->end += size;
    TRY(canon_feed(c->canon, bytes, size, &c->text, err));
    TRY(shingler_feed(c->shingler, bytes, size, err));
    if (last) {
        TRY(canon_finish(c->canon, &c->text, err));
        TRY(shingler_finish(c->shingler, err));
    }
    TRY(find_spots(c, last, err));
    TRY(give_all(c, err));
    trim(c);
    return STEMMA_OK;
}

/*
 * a is the base, b the text. Windows of b are accounted for from left to right, each once:
 *
 *  - in a *run*, a passage of whole tokens that both texts have: all its windows are marked at once;
 *  - in a *gap*, between two runs of which the second was guessed (a token or two changed): its text is put
 * aside, and the gaps' fingerprints are made many at a time;
 *  - in a *search*: windows are looked up one after the other, until one begins a run that goes on.
 *
 * When b lacks more than it may, the rest of it is not looked at. Comparing bytes is bounded by an allowance
 * that is linear in b. When it is spent, everything is looked up.
 */
#include "estimate/follow.h"

#include "base/alloc.h"
#include "kernels/kernels.h"
#include "text/tokens.h"

#include <math.h>
#include <string.h>

enum {
    SEARCH_FIRST = 64,  /* bytes searched at a time: few at first, because most differences are short, */
    SEARCH_MOST = 8192, /* growing to what stays in the cache */
    WORD_SIZE = 8,      /* bytes of a word, about */
    GAPS_MOST = 8192,   /* bytes of gaps before they are looked up */
    GUESS = 8,          /* bytes that have to agree before a guess is tried */
    ALLOWANCE = 4       /* bytes that may be compared or searched per byte of b */
};

/* Equal bytes from a_at and b_at on, both of which begin tokens. */
struct run {
    size_t a_at, b_at;
    size_t end;   /* in a, behind its last whole token */
    size_t first; /* token of a; and the window that begins there */
    size_t tokens;
};

struct follower {
    const struct follow_base *a;
    const uint8_t *text; /* b */
    size_t size;
    struct whole *whole;
    struct follow_scratch *scratch;
    struct tally *tally;
    const struct kernels *kernels;
    size_t allowance;
    const struct overlap_aim *aim; /* NULL: all numbers are wanted */
    double limit;                  /* of shingles that b may lack; negative until it is known */
    double patience;               /* so many are put up with before a closer look */
    enum follow_end end;
};

void follow_scratch_release(struct follow_scratch *scratch) {
    buf_release(&scratch->gap_text);
    vec64_release(&scratch->gap_windows);
    vec64_release(&scratch->gap_fp);
    word_map_release(&scratch->words);
    word_map_release(&scratch->counted);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- tokens ---- */

static size_t separator(const struct follower *f) {
    return f->a->words ? 1 : 0;
}

static size_t token_at(const struct follow_base *a, size_t offset) {
    return a->words ? word_map_find(a->words, offset) : offset;
}

/* Of the token behind the last: where it would begin. */
static size_t token_start(const struct follow_base *a, size_t token) {
    return a->words ? a->words->starts[token] : token;
}

static size_t token_count(const struct follow_base *a) {
    return a->words ? a->words->count : a->size;
}

static bool ends_word(const uint8_t *text, size_t size, size_t at) {
    return at == size || text[at] == ' ';
}

/* Behind the token of b that begins at `at`: where the next begins, perhaps behind the end. */
static size_t next_token(const struct follower *f, size_t at) {
    if (!f->a->words) return at + 1;
    const uint8_t *space = memchr(f->text + at, ' ', f->size - at);
    return (space ? (size_t)(space - f->text) : f->size) + 1;
}

/* ---- runs ---- */

/* Whether there is a run of a window at least. */
static bool begin_run(struct follower *f, size_t a_at, size_t b_at, struct run *run) {
    const struct follow_base *a = f->a;
    size_t most = least(least(a->size - a_at, f->size - b_at), f->allowance);
    size_t length = f->kernels->common_prefix(a->text + a_at, f->text + b_at, most);
    size_t end = a_at + length, first = token_at(a, a_at), behind = token_at(a, end);
    f->allowance -= length;
    if (a->words) {
        if (ends_word(a->text, a->size, end) && ends_word(f->text, f->size, b_at + length))
            behind++;
        else
            end = token_start(a, behind) - 1;
    }
    if (behind - first < a->window) return false;
    *run = (struct run){a_at, b_at, end, first, behind - first};
    return true;
}

static size_t run_windows(const struct follower *f, const struct run *run) {
    return run->tokens - f->a->window + 1;
}

/* Where in b the first window begins that is not inside. */
static size_t behind_run(const struct follower *f, const struct run *run) {
    return token_start(f->a, run->first + run_windows(f, run)) - run->a_at + run->b_at;
}

/* ---- gaps ---- */

/* Of all windows of the text, those that are not across two gaps. Returns how many. */
static size_t pick_windows(const struct vec64 *gap_windows, size_t between, const uint64_t *fp,
                           uint64_t *out) {
    size_t picked = 0;
    for (size_t i = 0; i < gap_windows->len; i++) {
        size_t windows = gap_windows->data[i];
        memcpy(out + picked, fp, windows * sizeof *fp);
        picked += windows;
        fp += windows + between;
    }
    return picked;
}

static stemma_status find_gaps(struct follower *f, stemma_error *err) {
    struct follow_scratch *scratch = f->scratch;
    size_t count, between = f->a->window - 1;
    const uint64_t *fp;
    uint64_t tokens, expected = 0;
    if (scratch->gap_windows.len == 0) return STEMMA_OK;
    for (size_t i = 0; i < scratch->gap_windows.len; i++) expected += scratch->gap_windows.data[i] + between;
    TRY(whole_shingles(f->whole, scratch->gap_text.data, scratch->gap_text.len - separator(f), &fp, &count,
                       &tokens, err));
    if (tokens == expected) {
        if (!vec64_reserve(&scratch->gap_fp, count)) return fail_memory(err);
        size_t picked = pick_windows(&scratch->gap_windows, between, fp, scratch->gap_fp.data);
        TRY(tally_find(f->tally, f->a->shingles, scratch->gap_fp.data, picked, err));
    }
    if (tokens != expected) f->end = FOLLOW_IRREGULAR;
    scratch->gap_windows.len = scratch->gap_text.len = 0;
    return STEMMA_OK;
}

static stemma_status add_gap(struct follower *f, size_t begin, size_t end, size_t windows,
                             stemma_error *err) {
    struct buf *out = &f->scratch->gap_text;
    if (windows == 0) return STEMMA_OK;
    if (!buf_reserve(out, end - begin + 1 + KERNEL_SLACK)) return fail_memory(err);
    if (!vec64_add(&f->scratch->gap_windows, windows)) return fail_memory(err);
    memcpy(out->data + out->len, f->text + begin, end - begin);
    out->len += end - begin;
    if (separator(f)) out->data[out->len++] = ' ';
    return out->len < GAPS_MOST ? STEMMA_OK : find_gaps(f, err);
}

/* A run behind tokens of a and b that are passed over. */
static bool guess_run(struct follower *f, size_t a_token, size_t b_at, struct run *run) {
    if (a_token >= token_count(f->a)) return false;
    size_t a_at = token_start(f->a, a_token);
    if (f->a->size - a_at < GUESS || f->size < b_at + GUESS) return false;
    if (memcmp(f->a->text + a_at, f->text + b_at, GUESS) != 0) return false;
    return begin_run(f, a_at, b_at, run);
}

/* Whether a token was replaced, added or left out behind the run, and the texts then go on together: *run is
 * what follows. Otherwise all is as it was. */
static stemma_status bridge(struct follower *f, struct run *run, bool *bridged, stemma_error *err) {
    size_t a_next = run->first + run->tokens, b_next = run->end - run->a_at + run->b_at + separator(f);
    size_t b_over = next_token(f, b_next), added = 1;
    struct run next;
    *bridged = guess_run(f, a_next + 1, b_over, &next) || guess_run(f, a_next, b_over, &next);
    if (!*bridged) {
        added = 0;
        *bridged = guess_run(f, a_next + 1, b_next, &next);
    }
    if (!*bridged) return STEMMA_OK;
    size_t before = f->a->window - 1;
    size_t end = token_start(f->a, next.first + before) - separator(f) - next.a_at + next.b_at;
    TRY(add_gap(f, behind_run(f, run), end, before + added, err));
    *run = next;
    return STEMMA_OK;
}

/* ---- searching ---- */

/* Fingerprints of a piece of b, which begins with a token. */
struct piece {
    size_t begin, end;
    const uint64_t *fp;
    size_t windows; /* may be 0 */
};

static size_t piece_start(const struct follower *f, const struct piece *piece, size_t token) {
    return piece->begin + (f->a->words ? f->scratch->words.starts[token] : token);
}

static size_t whole_token_end(const struct follower *f, size_t at) {
    if (at >= f->size) return f->size;
    return f->a->words ? next_token(f, at) - 1 : at;
}

static stemma_status read_piece(struct follower *f, size_t begin, size_t size, struct piece *piece,
                                stemma_error *err) {
    uint64_t tokens;
    piece->begin = begin;
    piece->end = whole_token_end(f, begin + least(size, f->size - begin));
    f->allowance -= least(f->allowance, piece->end - begin);
    const uint8_t *text = f->text + begin;
    if (f->a->words && !word_map_set(&f->scratch->words, text, piece->end - begin)) return fail_memory(err);
    TRY(whole_shingles(f->whole, text, piece->end - begin, &piece->fp, &piece->windows, &tokens, err));
    if (f->a->words && tokens != f->scratch->words.count) f->end = FOLLOW_IRREGULAR;
    bool whole_text = begin == 0 && piece->end == f->size;
    if (tokens < f->a->window && !whole_text)
        piece->windows = 0; /* only a whole text may be shorter than a window */
    return STEMMA_OK;
}

/* Looks the windows up until one begins a run that goes on behind the piece. */
static stemma_status search_piece(struct follower *f, const struct piece *piece, struct run *run, bool *found,
                                  stemma_error *err) {
    if (!vec64_reserve(&f->tally->rest, piece->windows)) return fail_memory(err);
    const struct places places = f->a->shingles->places; /* which no store can change */
    for (size_t i = 0; i < piece->windows;) {
        size_t place = places_find(&places, piece->fp[i]);
        tally_put(f->tally, piece->fp[i], place);
        if (place == PLACES_NONE || !begin_run(f, token_start(f->a, place), piece_start(f, piece, i), run)) {
            i++;
            continue;
        }
        i += run_windows(f, run);
        *found = i >= piece->windows;
        if (*found) return STEMMA_OK;
        tally_mark(f->tally, run->first, run_windows(f, run));
    }
    return STEMMA_OK;
}

/* ---- giving up ---- */

/* At most: a very long word is cut into several. */
static stemma_status count_tokens(const struct follower *f, size_t *tokens, stemma_error *err) {
    struct word_map *words = &f->scratch->counted;
    *tokens = f->size;
    if (!f->a->words) return STEMMA_OK;
    if (!word_map_set(words, f->text, f->size)) return fail_memory(err);
    *tokens = words->count + f->size / TOKEN_MOST;
    return STEMMA_OK;
}

/* That words are as long as those of a is a guess, which saves counting those of texts that are alike. */
static double guess_tokens(const struct follower *f) {
    return (double)f->size / (double)f->a->size * (double)token_count(f->a);
}

/* Gives up when b lacks more than it may. */
static stemma_status keep_hope(struct follower *f, stemma_error *err) {
    const struct vec64 *rest = &f->tally->rest;
    size_t tokens, lacking = rest->len;
    if (!f->aim || f->end != FOLLOW_DONE || (double)lacking <= f->patience) return STEMMA_OK;
    if (f->limit < 0) {
        TRY(count_tokens(f, &tokens, err));
        f->limit = reach_limit(f->aim, f->a->shingles->places.distinct, tokens);
    }
    if ((double)lacking > f->limit)
        TRY(distinct_count(&f->tally->distinct, rest->data, rest->len, &lacking, err));
    if ((double)lacking > f->limit) f->end = FOLLOW_HOPELESS;
    f->patience = (double)lacking > f->limit / 2 ? fmax(f->limit, 2 * (double)rest->len) : f->limit;
    return STEMMA_OK;
}

/* From `at` on, for a run; none is found when b ends before. A piece that holds hardly more than a window
 * would be read again and again. */
static stemma_status search(struct follower *f, size_t at, struct run *run, bool *found, stemma_error *err) {
    size_t window = f->a->window, size = SEARCH_FIRST + 2 * window * (f->a->words ? WORD_SIZE : 1);
    *found = false;
    while (at < f->size) {
        struct piece piece;
        TRY(read_piece(f, at, size, &piece, err));
        if (f->end != FOLLOW_DONE) return STEMMA_OK;
        TRY(search_piece(f, &piece, run, found, err));
        TRY(keep_hope(f, err));
        if (*found || piece.end == f->size || f->end != FOLLOW_DONE) return STEMMA_OK;
        at = piece_start(f, &piece, piece.windows);
        if (size < SEARCH_MOST || piece.windows < window) size *= 4;
    }
    return STEMMA_OK;
}

/* ---- the whole text ---- */

static stemma_status follow_runs(struct follower *f, stemma_error *err) {
    struct run run;
    bool found = begin_run(f, 0, 0, &run);
    if (!found) TRY(search(f, 0, &run, &found, err));
    while (found && f->end == FOLLOW_DONE) {
        tally_mark(f->tally, run.first, run_windows(f, &run));
        if (run.end - run.a_at + run.b_at == f->size) break;
        TRY(bridge(f, &run, &found, err));
        if (!found) TRY(search(f, behind_run(f, &run), &run, &found, err));
    }
    return f->end == FOLLOW_DONE ? find_gaps(f, err) : STEMMA_OK;
}

stemma_status follow(const struct follow_base *base, const uint8_t *text, size_t size,
                     const struct overlap_aim *aim, struct whole *whole, struct follow_scratch *scratch,
                     struct tally *tally, enum follow_end *end, stemma_error *err) {
    struct follower f = {.a = base,
                         .text = text,
                         .size = size,
                         .whole = whole,
                         .scratch = scratch,
                         .tally = tally,
                         .kernels = kernels_get(),
                         .allowance = ALLOWANCE * size,
                         .aim = aim,
                         .limit = -1,
                         .end = FOLLOW_DONE};
    if (aim) f.patience = reach_limit(aim, base->shingles->places.distinct, (uint64_t)guess_tokens(&f));
    scratch->gap_text.len = scratch->gap_windows.len = 0;
    TRY(follow_runs(&f, err));
    *end = f.end;
    return STEMMA_OK;
}

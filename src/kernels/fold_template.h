/*
 * Template: the canonical form of running text.
 *
 * Expects a *_vector.h, and fold_block (ASCII letters and digits in lower case, anything else a space, and
 * which were letters), vec_tops (which bytes are above 127), vec_leads (above 191), lower_latin (continuation
 * bytes with bit 5 set), mix_block (bytes above 127 put in, spaces where no letter is) and store_kept. Gives
 * fold_text.
 *
 * Where all is ASCII, that is one loop without branches; another has the accents of western Europe as well.
 * Other characters only add to the map of a block's
 * letters: rows of eight letters of two bytes are looked up for all of the block at once, the rest one by
 * one. The few that change (capitals) are changed after they were written. So accents and curly quotes do not
 * stop the loop. Characters that are words of their own, which need room for a space, come in runs and have a
 * loop for themselves.
 */
#include "kernels/generic.h"
#include "kernels/run_chars.h"
#include "kernels/singles.h"

#define SPECIALISED static inline __attribute__((always_inline))

/* How far the text is folded. A space is written at once behind a word, and taken back at the end if no other
 * word followed. */
struct folding {
    struct run_chars chars; /* a copy: what is written cannot change it, and it stays in registers */
    const uint8_t *src;
    uint8_t *dst;
    struct fold_breaks *breaks;
    size_t at, out;  /* bytes read and written */
    vec_map in_word; /* whether the byte before was a letter of a word */
    vec_map before;  /* which of the two bytes before were letters */
};

SPECIALISED vec_map first_bits(vec_map map, size_t count) {
    return (vec_map)_bzhi_u64(map, (unsigned)count);
}

/* Lists the letters of a block behind two bytes that are none; `kept` is what of the block goes out. */
SPECIALISED void list_breaks(struct folding *f, vec_map letters, vec_map kept) {
    vec_map close = letters << 1 | f->before >> 1 | letters << 2 | f->before;
    for (vec_map first = letters & ~close; first; first &= first - 1) {
        size_t i = (size_t)__builtin_ctzll(first);
        size_t folded = f->out + (size_t)__builtin_popcountll(first_bits(kept, i));
        f->breaks->list[f->breaks->count++] = (struct fold_break){(uint32_t)(f->at + i), (uint32_t)folded};
    }
}

/* Whole blocks of ASCII. */
SPECIALISED void fold_ascii(struct folding *f, size_t size) {
    vec_map letters;
    for (; size - f->at >= VEC_BYTES; f->at += VEC_BYTES) {
        vec raw = vec_load(f->src + f->at), folded = fold_block(raw, &letters);
        if (vec_tops(raw)) return;
        vec_map kept = letters | letters << 1 | f->in_word;
        if (f->breaks) list_breaks(f, letters, kept);
        f->out += store_kept(f->dst + f->out, folded, kept);
        f->in_word = letters >> (VEC_BYTES - 1);
        f->before = letters >> (VEC_BYTES - 2);
    }
}

/* Which bytes of a block begin a letter from U+00C0 to U+00FF that becomes, or is, the one with bit 5 set:
 * all of them but the signs of multiplication and division and the sharp s. */
SPECIALISED vec_map find_latin(vec raw, vec second) {
    return vec_zeros(vec_xor(raw, vec_all8(0xC3)), vec_all8(0xFF)) &
           vec_zeros(vec_xor(second, vec_all8(0x80)), vec_all8(0xC0)) &
           ~vec_zeros(vec_xor(second, vec_all8(0x97)), vec_all8(0xDF)) &
           ~vec_zeros(vec_xor(second, vec_all8(0x9F)), vec_all8(0xFF));
}

/* Blocks of ASCII and such letters, as long as these come often enough: which block has one is not to be
 * predicted. One that reaches over the end of its block begins the next. */
SPECIALISED void fold_latin(struct folding *f, size_t size) {
    enum { OFTEN = 16 };
    vec_map letters;
    for (size_t plain = 0; plain < OFTEN && size - f->at > VEC_BYTES; plain++) {
        vec raw = vec_load(f->src + f->at), folded = fold_block(raw, &letters);
        vec_map tops = vec_tops(raw), begins = find_latin(raw, vec_load(f->src + f->at + 1));
        if (tops & ~(begins | begins << 1)) return;
        if (tops) plain = 0;
        size_t done = VEC_BYTES - (size_t)(begins >> (VEC_BYTES - 1));
        letters = first_bits(letters | tops, done);
        vec_map kept = first_bits(letters | letters << 1 | f->in_word, done);
        if (f->breaks) list_breaks(f, letters, kept);
        f->out += store_kept(f->dst + f->out, mix_block(folded, lower_latin(raw), letters), kept);
        f->at += done;
        f->in_word = letters >> (done - 1);
        f->before = letters >> (done - 2);
    }
}

/* Characters of a block that change when they are written. */
struct changes {
    size_t count;
    uint8_t at[VEC_BYTES];
    uint32_t change[VEC_BYTES];
};

SPECIALISED void note_change(struct changes *changes, size_t at, uint32_t change) {
    changes->at[changes->count] = (uint8_t)at;
    changes->change[changes->count++] = change;
}

/* From so many characters in a block it is faster to find letters by their rows: not for accents, but for
 * scripts of their own. */
#define MANY_LEADS 5

/* Which bytes of a block begin a letter of two bytes that is known by its row. */
SPECIALISED vec_map find_pairs(const struct folding *f, vec raw) {
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128};
    vec second = vec_load(f->src + f->at + 1), low = vec_and(raw, vec_all8(15));
    vec row = vec_shuffle(vec_repeat(bit), vec_eighths(second));
    vec_map c = ~vec_zeros(vec_shuffle(vec_repeat(f->chars.rows), low), row) &
                vec_zeros(vec_xor(raw, vec_all8(0xC0)), vec_all8(0xF0));
    vec_map d = ~vec_zeros(vec_shuffle(vec_repeat(f->chars.rows + 16), low), row) &
                vec_zeros(vec_xor(raw, vec_all8(0xD0)), vec_all8(0xF0));
    return (c | d) & vec_zeros(vec_xor(second, vec_all8(0x80)), vec_all8(0xC0));
}

/* The characters of two and more bytes that begin in the first `size` bytes of a block, at its lead bytes,
 * add to its letters; other bytes above 127 are errors, and leave nothing. Returns how many bytes can be
 * done: all before a character that ends it, whose kind goes to *next, or that reaches over the end of the
 * block. */
SPECIALISED size_t add_letters(const struct folding *f, vec_map leads, size_t size, vec_map *letters,
                               struct changes *changes, enum run_kind *next) {
    for (; leads; leads &= leads - 1) {
        size_t i = (size_t)__builtin_ctzll(leads);
        struct run_char c = {(uint32_t)RUN_LETTER << 24, run_letter_at(&f->chars, f->src + f->at + i)};
        if (!c.size) c = run_char_at(&f->chars, f->src + f->at + i);
        if (f->chars.ends >> run_kind_of(c) & 1) {
            *next = run_kind_of(c);
            return i;
        }
        if (i + c.size > size) return i;
        if (run_change(c)) note_change(changes, i, run_change(c));
        if (run_kind_of(c) != RUN_BREAK) *letters |= first_bits((vec_map)-1, c.size) << i;
    }
    return size;
}

SPECIALISED void apply(const struct changes *changes, vec_map kept, uint8_t *written) {
    for (size_t i = 0; i < changes->count; i++) {
        uint8_t *at = written + __builtin_popcountll(first_bits(kept, changes->at[i]));
        store_u32(at, load_u32(at) ^ changes->change[i]);
    }
}

/* A block of `size` bytes with any characters. Returns the kind of the one that ended it, or RUN_BREAK. */
SPECIALISED enum run_kind fold_mixed(struct folding *f, size_t size) {
    vec_map letters;
    struct changes changes;
    changes.count = 0;
    enum run_kind next = RUN_BREAK;
    vec raw = vec_load(f->src + f->at), folded = fold_block(raw, &letters);
    vec_map leads = first_bits(vec_leads(raw), size);
    if (__builtin_popcountll(leads) >= MANY_LEADS) {
        vec_map pairs = first_bits(find_pairs(f, raw), size - 1);
        letters |= pairs | pairs << 1;
        leads &= ~pairs;
    }
    size_t done = add_letters(f, leads, size, &letters, &changes, &next);
    letters = first_bits(letters, done);
    vec_map kept = first_bits(letters | letters << 1 | f->in_word, done);
    if (f->breaks) list_breaks(f, letters, kept);
    size_t written = store_kept(f->dst + f->out, mix_block(folded, raw, letters), kept);
    apply(&changes, kept, f->dst + f->out);
    f->out += written;
    f->at += done;
    if (done) f->in_word = letters >> (done - 1) & 1;
    f->before = done > 1 ? letters >> (done - 2) : done ? f->before >> 1 | letters << 1 : f->before;
    return next;
}

/* Several of the commonest words of one character; returns how many. */
SPECIALISED size_t fold_common_singles(struct folding *f, size_t size) {
    if (size - f->at < 3 * SINGLES || (uint8_t)(f->src[f->at] - 0xE3) > 6) return 0;
    size_t count = space_singles(f->src + f->at, f->chars.singles, f->dst + f->out);
    for (size_t i = 0; f->breaks && i < count; i++) run_list_break(f->breaks, f->at + 3 * i, f->out + 4 * i);
    f->at += 3 * count;
    f->out += 4 * count;
    return count;
}

/* Words of one character, with the marks on them and what is between. Returns the kind of the character that
 * is none of these, or one of them. */
SPECIALISED enum run_kind fold_singles(struct folding *f, size_t size) {
    enum run_kind kind = RUN_BREAK;
    size_t apart = 0; /* bytes since the last of them */
    if (f->in_word) f->dst[f->out++] = ' ';
    while (f->at < size) {
        if (fold_common_singles(f, size)) {
            kind = RUN_SINGLE;
            apart = 0;
            continue;
        }
        struct run_char c = run_char_at(&f->chars, f->src + f->at);
        kind = run_kind_of(c);
        if (kind != RUN_SINGLE && kind != RUN_BREAK) {
            if (kind != RUN_MARK || apart) break;
            kind = RUN_SINGLE; /* part of it: what follows is looked at here, also behind `size` */
            f->out--;
        }
        if (f->breaks && kind == RUN_SINGLE) run_list_break(f->breaks, f->at, f->out);
        store_u32(f->dst + f->out, load_u32(f->src + f->at)); /* punctuation is overwritten: no branch */
        f->dst[f->out + c.size] = ' ';
        f->out += kind == RUN_BREAK ? 0 : c.size + 1;
        f->at += c.size;
        apart = kind == RUN_BREAK ? apart + c.size : 0;
    }
    f->in_word = 0;
    f->before = apart == 1; /* a letter that follows is behind one byte just then */
    return kind;
}

SPECIALISED size_t fold_run(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                            size_t *written, bool *gap, bool *any, struct fold_breaks *breaks) {
    enum run_kind next = run_splits(chars) ? run_kind_of(run_char_at(chars, src)) : RUN_BREAK;
    struct folding f = {*chars, src, dst, breaks, 0, 0, *any && !*gap && next != RUN_SINGLE, 0};
    if (*gap) dst[f.out++] = ' ';
    if (breaks) breaks->count = 0;
    bool whole = false; /* whether `size` ends with a whole character, which is seen to when the end is near:
                         * it is not in the cache yet */
    while (f.at < size && run_takes(chars, next)) {
        if (!whole && size - f.at < 2 * VEC_BYTES) {
            size = run_whole(src, size);
            whole = true;
        } else if (next == RUN_SINGLE) {
            next = fold_singles(&f, whole ? size : size - 4);
        } else {
            fold_ascii(&f, size);
            fold_latin(&f, size);
            size_t left = size - f.at;
            if (left && (whole || left >= 2 * VEC_BYTES))
                next = fold_mixed(&f, left < VEC_BYTES ? left : VEC_BYTES);
        }
    }
    *gap = !f.in_word && f.out > 0;
    f.out -= *gap;
    *any |= f.out > 0;
    *written = f.out;
    return f.at;
}

/* Apart, so that the loop without breaks stays as short as it is, and so does the way to it: runs are often
 * short. */
static __attribute__((noinline)) size_t fold_listing(const struct run_chars *chars, const uint8_t *src,
                                                     size_t size, uint8_t *dst, size_t *written, bool *gap,
                                                     bool *any, struct fold_breaks *breaks) {
    return fold_run(chars, src, size, dst, written, gap, any, breaks);
}

size_t KERNEL(fold_text)(const struct run_chars *chars, const uint8_t *src, size_t size, uint8_t *dst,
                         size_t *written, bool *gap, bool *any, struct fold_breaks *breaks) {
    if (*gap && !*any) /* no text leads here */
        return generic_fold_text(chars, src, size, dst, written, gap, any, breaks);
    if (breaks) return fold_listing(chars, src, size, dst, written, gap, any, breaks);
    return fold_run(chars, src, size, dst, written, gap, any, NULL);
}

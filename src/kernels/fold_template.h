/*
 * Template: the canonical form of running text.
 *
 * Expects a *_vector.h, and fold_block (ASCII letters and digits in lower case, anything else a space, and
 * which were letters), vec_tops (which bytes are above 127), vec_leads (above 191), lower_latin (continuation
 * bytes with bit 5 set), mix_block (bytes above 127 put in, spaces where no letter is), store_kept and
 * store_spaced. Gives fold_text.
 *
 * Where all is ASCII, that is one loop without branches; another has the accents and quotes of western Europe
 * as well. Other characters only add to the map of a block's letters: rows of eight letters of two bytes are
 * looked up for all of the block at once, the rest one by one. The few that change (capitals) are changed
 * after they were written. Characters that are words of their own need room for a space: where they come, a
 * loop finds the commonest of them, and of what stands between, for all of a block at once, too. One at a
 * time they are taken with marks on them, and where breaks are listed.
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

/* Which bytes of a block stand before the rest of a character of three bytes that ends a word, and is common:
 * if they are 0xE2, one of U+2010 to U+2027 (dashes, curly quotes, bullets) or U+2500 to U+25FF (boxes). */
SPECIALISED vec_map find_marks(vec second, vec third) {
    return (vec_same(second, 0x80) & vec_from(third, 0x90) & ~vec_from(third, 0xA8)) |
           (vec_zeros(vec_xor(second, vec_all8(0x94)), vec_all8(0xFC)) & vec_continues(third));
}

/* Which bytes of a block begin a character that is common in western Europe. */
struct latin {
    vec_map letters; /* from U+00C0 to U+00FF, which becomes, or is, the one with bit 5 set: all but three */
    vec_map signs;   /* of two bytes, that end a word: times, divided by, U+00A0 to U+00A7, angle quotes */
    vec_map marks;   /* of three, likewise: see find_marks */
};

SPECIALISED struct latin find_latin(const uint8_t *at, vec raw) {
    vec second = vec_load(at + 1);
    vec_map pairs = vec_same(raw, 0xC3) & vec_continues(second) & ~vec_same(second, 0x9F);
    vec_map cross = pairs & vec_zeros(vec_xor(second, vec_all8(0x97)), vec_all8(0xDF));
    struct latin found = {.letters = pairs & ~cross, .signs = cross};
    vec_map sign = vec_same(raw, 0xC2), mark = vec_same(raw, 0xE2);
    if (sign | mark) {
        found.signs |= sign & (vec_zeros(vec_xor(second, vec_all8(0xAB)), vec_all8(0xEF)) |
                               vec_zeros(vec_xor(second, vec_all8(0xA0)), vec_all8(0xF8)));
        found.marks = mark & find_marks(second, vec_load(at + 2));
    }
    return found;
}

/* The rest, of `rest` bytes, of a character that begins in the block before. */
SPECIALISED void end_character(struct folding *f, size_t rest) {
    if (f->in_word) f->dst[f->out++] = f->src[f->at] | 0x20; /* a letter has two bytes */
    f->before = rest == 1 ? f->before >> 1 | f->in_word << 1 : 0;
    f->at += rest;
}

/* Blocks of ASCII and such characters, as long as these come often enough: which block has one is not to be
 * predicted. What reaches over the end of a block is carried to the next, so that no block waits for the one
 * before to know where it begins. */
SPECIALISED void fold_latin(struct folding *f, size_t size) {
    enum { OFTEN = 16 };
    vec_map letters, carried = 0;
    for (size_t plain = 0; plain < OFTEN && size - f->at > VEC_BYTES + 1; plain++, f->at += VEC_BYTES) {
        vec raw = vec_load(f->src + f->at), folded = fold_block(raw, &letters);
        vec_map tops = vec_tops(raw);
        struct latin l = find_latin(f->src + f->at, raw);
        vec_map pairs = l.letters | l.signs | l.marks;
        if (tops & ~(pairs | pairs << 1 | l.marks << 2 | carried)) break;
        if (tops) plain = 0;
        letters |= l.letters | l.letters << 1 | (carried & f->in_word);
        carried = pairs >> (VEC_BYTES - 1) | l.marks >> (VEC_BYTES - 2) | (l.marks >> (VEC_BYTES - 1)) << 1;
        vec_map kept = letters | letters << 1 | f->in_word;
        if (f->breaks) list_breaks(f, letters, kept);
        f->out += store_kept(f->dst + f->out, mix_block(folded, lower_latin(raw), letters), kept);
        f->in_word = letters >> (VEC_BYTES - 1);
        f->before = letters >> (VEC_BYTES - 2);
    }
    if (carried) end_character(f, carried > 1 ? 2 : 1);
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

/* What was written is what was kept, and spaces behind some of it. */
SPECIALISED void apply(const struct changes *changes, vec_map kept, vec_map spaces, uint8_t *written) {
    for (size_t i = 0; i < changes->count; i++) {
        uint8_t *at = written + __builtin_popcountll(first_bits(kept, changes->at[i])) +
                      __builtin_popcountll(first_bits(spaces, changes->at[i]));
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
    apply(&changes, kept, 0, f->dst + f->out);
    f->out += written;
    f->at += done;
    if (done) f->in_word = letters >> (done - 1) & 1;
    f->before = done > 1 ? letters >> (done - 2) : done ? f->before >> 1 | letters << 1 : f->before;
    return next;
}

/* Which bytes of a block begin what is not before a character of three bytes. If that is the first of its
 * 64, or of its 4096, less has to be looked at. */
SPECIALISED vec_map not_before(vec raw, vec second, vec third, uint32_t character) {
    const int a = (int)(character >> 16), b = (int)(character >> 8 & 255), c = (int)(character & 255);
    if (b == 0x80 && c == 0x80) return vec_from(raw, a);
    vec_map rest = vec_from(second, b);
    if (c != 0x80) rest &= ~vec_same(second, b) | vec_from(third, c);
    return vec_from(raw, a + 1) | (vec_same(raw, a) & rest);
}

SPECIALISED uint32_t next_character(uint32_t character) {
    if ((character & 255) != 0xBF) return character + 1;
    return (character >> 8 & 255) != 0xBF ? (character | 255) + 0x81 : (character | 0xFFFF) + 0x8081;
}

SPECIALISED vec_map in_range(vec raw, vec second, vec third, const uint32_t range[2]) {
    return not_before(raw, second, third, range[0]) &
           ~not_before(raw, second, third, next_character(range[1]));
}

/* Which bytes of a block begin one of the commonest words of one character. */
SPECIALISED vec_map find_singles(const uint8_t *at, vec raw) {
    vec second = vec_load(at + 1), third = vec_load(at + 2);
    vec_map singles = in_range(raw, second, third, run_singles[RUN_HAN]);
    if (vec_same(raw, 0xE3) & ~vec_same(second, 0x80))
        singles |= in_range(raw, second, third, run_singles[RUN_HIRAGANA]) |
                   in_range(raw, second, third, run_singles[RUN_KATAKANA]);
    return singles & vec_continues(second) & vec_continues(third);
}

/* Which bytes of a block begin a character that is common between such words and ends a word: one of
 * find_marks, of U+3000 to U+3003 (comma and full stop) and U+3008 to U+301F (brackets), a wide one of ASCII.
 */
SPECIALISED vec_map find_stops(const uint8_t *at, vec raw) {
    vec second = vec_load(at + 1), third = vec_load(at + 2);
    vec_map ideographic = vec_zeros(vec_xor(third, vec_all8(0x80)), vec_all8(0xFC)) |
                          (vec_from(third, 0x88) & ~vec_from(third, 0xA0));
    vec_map wide =
        (vec_from(third, 0x81) & ~vec_from(third, 0x90)) | (vec_from(third, 0x9A) & ~vec_from(third, 0xA1));
    return (vec_same(raw, 0xE2) & find_marks(second, third)) |
           (vec_same(raw, 0xE3) & vec_same(second, 0x80) & ideographic) |
           (vec_same(raw, 0xEF) & vec_same(second, 0xBC) & wide);
}

/* The bytes of a block that are letters: of words, and of words of one character, with the first and the last
 * bytes of these. */
struct spaced {
    vec_map words, singles, begins, ends;
};

/* As add_letters, for any characters. A mark that is part of a word of one character ends the block, too. */
SPECIALISED size_t add_characters(const struct folding *f, vec_map leads, size_t size, struct spaced *block,
                                  bool behind_single, struct changes *changes, enum run_kind *next) {
    for (; leads; leads &= leads - 1) {
        size_t i = (size_t)__builtin_ctzll(leads);
        struct run_char c = run_char_at(&f->chars, f->src + f->at + i);
        enum run_kind kind = run_kind_of(c);
        vec_map bytes = first_bits((vec_map)-1, c.size) << i;
        bool joins = kind == RUN_MARK && (i ? block->singles >> (i - 1) & 1 : behind_single);
        if (joins || (kind != RUN_SINGLE && f->chars.ends >> kind & 1)) {
            *next = joins ? RUN_SINGLE : kind;
            return i;
        }
        if (i + c.size > size) return i;
        if (kind == RUN_BREAK) continue;
        if (run_change(c)) note_change(changes, i, run_change(c));
        if (kind == RUN_SINGLE) {
            block->singles |= bytes;
            block->begins |= (vec_map)1 << i;
            block->ends |= (vec_map)1 << (i + c.size - 1);
        } else {
            block->words |= bytes;
        }
    }
    return size;
}

SPECIALISED struct spaced first_of(struct spaced block, size_t count) {
    return (struct spaced){first_bits(block.words, count), first_bits(block.singles, count),
                           first_bits(block.begins, count), first_bits(block.ends, count)};
}

/* Between words of one character, and between them and others, a space is put. */
SPECIALISED void put_spaced(struct folding *f, vec bytes, const struct spaced *block, size_t size,
                            const struct changes *changes) {
    vec_map kept = first_bits(block->words | block->singles | block->words << 1 | f->in_word, size);
    vec_map spaces = block->ends | (block->words & block->begins >> 1);
    if (f->in_word & block->begins) f->dst[f->out++] = ' ';
    size_t written = store_spaced(f->dst + f->out, bytes, kept, spaces);
    apply(changes, kept, spaces, f->dst + f->out);
    f->out += written;
    f->at += size;
    f->in_word = block->words >> (size - 1) & 1;
}

/* Blocks with any characters, as long as words of one character come often: of those that reach over the end
 * of a block, all bytes are in the next. Returns RUN_SINGLE where one may go on, or begin, else as
 * fold_mixed. */
SPECIALISED enum run_kind fold_spaced(struct folding *f, size_t size) {
    enum { OFTEN = 16 };
    enum run_kind next = RUN_BREAK;
    bool single = true; /* before or behind */
    for (size_t plain = 0; plain < OFTEN && next == RUN_BREAK && size - f->at >= VEC_BYTES; plain++) {
        struct changes changes;
        changes.count = 0;
        struct spaced block = {0};
        vec raw = vec_load(f->src + f->at), folded = fold_block(raw, &block.words);
        vec_map begins = find_singles(f->src + f->at, raw), leads = vec_leads(raw) & ~begins;
        block.begins = begins;
        block.ends = begins << 2;
        block.singles = begins | begins << 1 | begins << 2;
        if (begins) plain = 0;
        if (leads) leads &= ~find_stops(f->src + f->at, raw);
        size_t over = (size_t)(begins >> (VEC_BYTES - 1) | (begins >> (VEC_BYTES - 2) & 1) << 1);
        size_t done = add_characters(f, leads, VEC_BYTES - over, &block, single, &changes, &next);
        if (done == 0) break;
        block = first_of(block, done);
        put_spaced(f, mix_block(folded, raw, block.words | block.singles), &block, done, &changes);
        single = block.ends >> (done - 1) & 1;
    }
    return next == RUN_BREAK && single ? RUN_SINGLE : next;
}

/* Several of the commonest words of one character; returns how many. */
SPECIALISED size_t fold_common_singles(struct folding *f, size_t size) {
    if (size - f->at < 3 * SINGLES || (uint8_t)(f->src[f->at] - 0xE3) > 6) return 0;
    size_t count = space_singles(f->src + f->at, f->dst + f->out);
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
            const size_t end = whole ? size : size - 4;
            if (!breaks) next = fold_spaced(&f, end);
            if (next == RUN_SINGLE) next = fold_singles(&f, end);
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

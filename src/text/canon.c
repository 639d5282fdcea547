/*
 * The canonical form, one character at a time.
 *
 * Each character is looked up in the frozen table. Under NFC it is held back until the next one shows whether
 * it composes: a *segment* is a character with the marks behind it. Under the whole of FOLD_TEXT runs of
 * characters without peculiarities take short cuts (a kernel, or by lines a tight loop), which give their
 * last character back to be held.
 *
 * A segment has at most UNICODE_SEGMENT_MOST characters; a mark behind that many begins a segment of its
 * own. So a million marks cost linear time and no memory, at the price that they are ordered and composed
 * only within each segment. Real text has less than ten.
 */
#include "text/canon.h"

#include "base/alloc.h"
#include "kernels/run_chars.h"
#include "text/offsets.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>

/* Input is taken in blocks of this size, so that room for the output is asked for once per block. */
#define BLOCK 4096u
/* What a byte of input can become: U+FFFD and a space before it; no character grows more. */
#define GROWTH 4u
/* What was held back before a block: a segment with spaces between, and the beginning of a character. */
#define HELD_MOST (UNICODE_COMPOSED_MOST * 5u + 16u)
/* Text of this length is worth calling the kernel for: at least a whole character. */
#define KERNEL_RUN 16u
/* The end of a text is copied, so that the kernel has its slack: it begins where too little would be left. */
#define END_MOST (KERNEL_SLACK + KERNEL_RUN)

/* Inlined into each of the loops it is for. */
#define SPECIALISED static inline __attribute__((always_inline))

enum gap { GAP_NONE, GAP_SPACE, GAP_LINE };

/* What has to be known of the text so far to go on. */
struct joint {
    enum gap gap;     /* white space owed before the next character */
    bool any;         /* something was written: before it no white space is owed */
    unsigned borders; /* a bit for each char_class before which the last word ends */
};

struct canon {
    unsigned folds;
    enum unit unit;
    enum char_mapping mapping;
    bool decodes;  /* what is not UTF-8 becomes U+FFFD */
    bool splits;   /* letters of scripts without spaces are words */
    bool shortcut; /* the short cuts for FOLD_TEXT may be taken */
    bool visible;  /* the short cut for FOLD_SPACE alone may be taken */
    bool raw;      /* bytes pass as they are */
    const struct kernels *kernels;
    struct run_chars chars; /* for them */
    struct offset_map *map;

    struct joint joint;
    uint64_t source;      /* offset of the next byte of input */
    uint64_t written_end; /* where the source of what was written last ends */
    uint64_t marked;      /* the last source offset given to the map */
    uint64_t canon_base;  /* offset of out->data[0] in the canonical text */

    uint32_t segment[UNICODE_SEGMENT_MOST];
    size_t segment_len;
    uint64_t segment_begin;                     /* in the source */
    uint64_t segment_end[UNICODE_SEGMENT_MOST]; /* of each character */
    uint8_t partial[4];                         /* the beginning of a character, cut by the end of a piece */
    size_t partial_len;
};

/* A character as it goes out, and where it came from. */
struct origin {
    uint64_t begin, end;
};

/* What the kernel for running text leaves to us: what it cannot do; with a map, what several letters come
 * from. */
static unsigned kernel_ends(const struct canon *canon) {
    return 1u << RUN_ENDS | (canon->map ? 1u << RUN_LETTERS : 0) | (canon->splits ? 1u << RUN_SINGLE : 0);
}

stemma_status canon_new(unsigned folds, enum unit unit, struct offset_map *map, struct canon **out,
                        stemma_error *err) {
    struct canon *canon = mem_zero(1, sizeof *canon);
    if (!canon) return fail_memory(err);
    canon->folds = folds;
    canon->unit = unit;
    canon->mapping = !(folds & FOLD_CASE) ? MAP_NFC : folds & FOLD_NFC ? MAP_NFC_FOLD : MAP_FOLD;
    canon->decodes = folds & (FOLD_NFC | FOLD_CASE | FOLD_PUNCT);
    canon->splits = unit == UNIT_WORD && folds & FOLD_PUNCT;
    canon->shortcut = folds == FOLD_TEXT;
    canon->visible = folds == FOLD_SPACE;
    canon->raw = folds == FOLD_RAW;
    canon->map = map;
    canon->kernels = kernels_get();
    canon->chars = unicode_run_chars(kernel_ends(canon));
    *out = canon;
    return STEMMA_OK;
}

void canon_reset(struct canon *canon) {
    canon->joint = (struct joint){0};
    canon->source = canon->written_end = canon->marked = canon->canon_base = 0;
    canon->segment_len = canon->partial_len = 0;
}

void canon_free(struct canon *canon) {
    mem_free(canon);
}

/* What is written to out->data[at] came from `source`. Offsets never step back, even where one segment
 * becomes several words. */
static inline void mark_at(struct canon *canon, size_t at, uint64_t source) {
    if (source > canon->marked) canon->marked = source;
    offset_map_add(canon->map, canon->canon_base + at, canon->marked);
}

static inline void mark_offset(struct canon *canon, const struct buf *out, uint64_t source) {
    if (canon->map) mark_at(canon, out->len, source);
}

static inline void write_gap(struct canon *canon, struct buf *out) {
    if (canon->joint.gap == GAP_NONE) return;
    mark_offset(canon, out, canon->written_end);
    out->data[out->len++] = canon->joint.gap == GAP_LINE ? '\n' : ' ';
    canon->joint.gap = GAP_NONE;
}

static inline void write_char(struct canon *canon, uint32_t cp, struct origin from, struct buf *out) {
    write_gap(canon, out);
    mark_offset(canon, out, from.begin);
    out->len += utf8_encode(cp, out->data + out->len);
    canon->written_end = from.end;
    canon->joint.any = true;
}

static void write_bytes(struct canon *canon, const uint8_t *bytes, size_t size, struct origin from,
                        struct buf *out) {
    write_gap(canon, out);
    mark_offset(canon, out, from.begin);
    memcpy(out->data + out->len, bytes, size);
    out->len += size;
    canon->written_end = from.end;
    canon->joint.any = true;
}

/* White space ends the word and is owed to the next character, unless there was none before. */
static inline void owe_space(struct joint *joint, bool line) {
    joint->borders = 0;
    if (!joint->any) return;
    if (line)
        joint->gap = GAP_LINE;
    else if (joint->gap == GAP_NONE)
        joint->gap = GAP_SPACE;
}

/* White space, or what counts as such. */
static inline void put_space(struct canon *canon, uint32_t cp, const struct char_record *record,
                             struct origin from, struct buf *out) {
    if (canon->folds & FOLD_SPACE) {
        owe_space(&canon->joint, canon->unit == UNIT_LINE && record->flags & CHAR_LINE);
        return;
    }
    canon->joint.borders = 0;
    write_char(canon, record->class == CHAR_SPACE ? cp : ' ', from, out);
}

/* Words end before and behind a letter that is a word; a mark belongs to what it stands on. */
static inline void split_words(struct joint *joint, enum char_class class) {
    const unsigned single = 1u << CHAR_SINGLE, word = 1u << CHAR_WORD;
    if (joint->borders >> class & 1) joint->gap = GAP_SPACE;
    if (class == CHAR_MARK)
        joint->borders |= single;
    else
        joint->borders = class == CHAR_SINGLE ? single | word : single;
}

/* A character after all mapping. */
static inline void put(struct canon *canon, uint32_t cp, const struct char_record *record, struct origin from,
                       struct buf *out) {
    if (record->class == CHAR_SPACE || (record->class == CHAR_OTHER && canon->folds & FOLD_PUNCT)) {
        put_space(canon, cp, record, from, out);
        return;
    }
    if (canon->splits) split_words(&canon->joint, record->class);
    write_char(canon, cp, from, out);
}

/* One character with nothing behind it to compose with. */
static inline void put_mapped(struct canon *canon, uint32_t cp, const struct char_record *record,
                              struct origin from, struct buf *out) {
    if (!(record->flags & CHAR_LISTED)) {
        uint32_t folded = canon->mapping == MAP_NFC ? cp : (uint32_t)((int32_t)cp + record->fold);
        put(canon, folded, record, from, out);
        return;
    }
    if (!(canon->folds & (FOLD_NFC | FOLD_CASE))) {
        put(canon, cp, record, from, out);
        return;
    }
    uint32_t mapped[CHAR_MAP_MOST];
    size_t count = unicode_map(cp, canon->mapping, mapped);
    for (size_t i = 0; i < count; i++) put(canon, mapped[i], unicode_record(mapped[i]), from, out);
}

/* A character with one mark that no character composes with: the commonest segment by far. */
static inline bool stays_apart(const uint32_t *segment, size_t count) {
    return count == 2 && !(unicode_record(segment[0])->flags & (CHAR_BACK | CHAR_LISTED)) &&
           !(unicode_record(segment[1])->flags & (CHAR_COMPOSES | CHAR_LISTED));
}

/* Where the i-th of `count` characters came from that a segment became: from all of it, unless as many came
 * out as went in. */
static inline struct origin origin_in_segment(const struct canon *canon, size_t i, size_t count) {
    bool each = count == canon->segment_len;
    return (struct origin){each && i ? canon->segment_end[i - 1] : canon->segment_begin,
                           canon->segment_end[each ? i : canon->segment_len - 1]};
}

static void flush_composed(struct canon *canon, struct buf *out) {
    uint32_t composed[UNICODE_COMPOSED_MOST];
    size_t count = unicode_compose(canon->segment, canon->segment_len, canon->mapping, composed);
    for (size_t i = 0; i < count; i++)
        put(canon, composed[i], unicode_record(composed[i]), origin_in_segment(canon, i, count), out);
}

static inline void flush_segment(struct canon *canon, struct buf *out) {
    if (canon->segment_len == 1 || stays_apart(canon->segment, canon->segment_len)) {
        for (size_t i = 0; i < canon->segment_len; i++)
            put_mapped(canon, canon->segment[i], unicode_record(canon->segment[i]),
                       origin_in_segment(canon, i, canon->segment_len), out);
    } else if (canon->segment_len) {
        flush_composed(canon, out);
    }
    canon->segment_len = 0;
}

/* Hold the character back: the next one may be a mark. */
static inline void hold(struct canon *canon, uint32_t cp, struct origin from) {
    if (canon->segment_len == 0) canon->segment_begin = from.begin;
    canon->segment_end[canon->segment_len] = from.end;
    canon->segment[canon->segment_len++] = cp;
}

static inline void take_char(struct canon *canon, uint32_t cp, struct origin from, struct buf *out) {
    const struct char_record *record = unicode_record(cp);
    if (record->class == CHAR_IGNORE && canon->folds & FOLD_PUNCT) return;
    if (!(canon->folds & FOLD_NFC)) {
        put_mapped(canon, cp, record, from, out);
        return;
    }
    bool joins = record->flags & CHAR_BACK && canon->segment_len < UNICODE_SEGMENT_MOST;
    if (!joins) flush_segment(canon, out);
    if (record->flags & CHAR_ALONE)
        put(canon, cp, record, from, out);
    else
        hold(canon, cp, from);
}

/* A decoded character, or an error of `size` bytes at `at`. */
static inline void take(struct canon *canon, uint32_t cp, const uint8_t *at, size_t size, struct buf *out) {
    struct origin from = {canon->source, canon->source + size};
    canon->source += size;
    if (cp != UTF8_INVALID)
        take_char(canon, cp, from, out);
    else if (canon->decodes)
        take_char(canon, UTF8_REPLACEMENT, from, out);
    else
        write_bytes(canon, at, size, from, out);
}

/* Complete the character that the last piece ended in; returns how many bytes of this piece that took. */
static size_t take_partial(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    size_t used = 0;
    while (canon->partial_len && used < size) {
        uint32_t cp;
        canon->partial[canon->partial_len] = bytes[used];
        size_t length = utf8_decode(canon->partial, canon->partial_len + 1, &cp);
        if (length > canon->partial_len || length == 0) used++;
        if (length == 0) {
            canon->partial_len++;
        } else {
            take(canon, cp, canon->partial, length, out);
            canon->partial_len = 0;
        }
    }
    return used;
}

/* Offsets of a run that the kernel wrote to the end of out. From a break on they follow from it, up to the
 * end of the last word; the space before the first break belongs to what was written before the run. */
static void mark_breaks(struct canon *canon, const struct buf *out, size_t written,
                        const struct fold_breaks *breaks) {
    if (breaks->count == 0) return;
    if (breaks->list[0].folded) mark_at(canon, out->len, canon->written_end);
    for (size_t i = 0; i < breaks->count; i++)
        mark_at(canon, out->len + breaks->list[i].folded, canon->source + breaks->list[i].source);
    const struct fold_break *last = &breaks->list[breaks->count - 1];
    canon->written_end = canon->source + last->source + (written - last->folded);
}

/* What the kernel does, with offsets; a function of its own, since the list is large. */
static __attribute__((noinline)) size_t fold_mapped(struct canon *canon, const uint8_t *bytes, size_t size,
                                                    struct buf *out, size_t *written, bool *gap) {
    struct fold_break list[FOLD_BREAKS_MOST(BLOCK)];
    struct fold_breaks breaks = {list, 0};
    size_t used = canon->kernels->fold_text(&canon->chars, bytes, size, out->data + out->len, written, gap,
                                            &canon->joint.any, &breaks);
    mark_breaks(canon, out, *written, &breaks);
    return used;
}

/* The last character, or error, of a run that ends with a whole one: its bytes. It begins at the last lead
 * byte, unless what begins there ends before. Four bytes from there are readable. */
static size_t last_char(const uint8_t *bytes, size_t size, uint32_t *cp) {
    size_t back = 1;
    while (back < 4 && back < size && (bytes[size - back] & 0xC0) == 0x80) back++;
    if (utf8_decode(bytes + size - back, 4, cp) == back) return back;
    *cp = UTF8_INVALID;
    return 1;
}

/* The last character that the kernel read is taken back and held. `gap`: a space is owed behind it, which is
 * so of a mark just when it stands on a letter that is a word. */
static void hold_last(struct canon *canon, const uint8_t *bytes, size_t size, bool gap, struct buf *out) {
    uint32_t cp;
    size_t length = last_char(bytes, size, &cp);
    if (cp == UTF8_INVALID) cp = UTF8_REPLACEMENT;
    enum char_class class = (enum char_class)unicode_record(cp)->class;
    bool written = class >= CHAR_WORD;
    if (written) out->len -= length; /* as many bytes as it has in the source */
    canon->joint.gap = gap && !written ? GAP_SPACE : GAP_NONE;
    canon->joint.borders = gap && class == CHAR_MARK ? 1u << CHAR_SINGLE | 1u << CHAR_WORD : 0;
    hold(canon, cp, (struct origin){canon->source - length, canon->source});
}

/* Running text under FOLD_TEXT, at most BLOCK bytes: what take_char does, the last character held. `size`
 * leaves the kernel its slack. Returns the bytes read, 0 when the first character is none for the kernel. */
static size_t take_text(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    struct joint *joint = &canon->joint;
    enum run_kind first = run_kind_of(run_char_at(&canon->chars, bytes));
    if (size < KERNEL_RUN || first == RUN_MARK || !run_takes(&canon->chars, first)) return 0;
    flush_segment(canon, out);
    bool gap =
        joint->gap != GAP_NONE || joint->borders >> (first == RUN_SINGLE ? CHAR_SINGLE : CHAR_WORD) & 1;
    size_t written;
    size_t used = canon->map ? fold_mapped(canon, bytes, size, out, &written, &gap)
                             : canon->kernels->fold_text(&canon->chars, bytes, size, out->data + out->len,
                                                         &written, &gap, &joint->any, NULL);
    out->len += written;
    canon->source += used;
    hold_last(canon, bytes, used, gap, out);
    return used;
}

/* Neither composes, nor vanishes, nor is mapped but by adding a number. */
static inline bool is_plain(const struct char_record *record) {
    return !(record->flags & (CHAR_BACK | CHAR_ALONE | CHAR_LISTED)) && record->class != CHAR_IGNORE;
}

/* A plain character of lines under FOLD_TEXT, of `length` bytes at `at`;
 * returns the end of what was written. */
SPECIALISED uint8_t *put_plain(struct joint *joint, uint32_t cp, const uint8_t *at, size_t length,
                               uint8_t *out) {
    const struct char_record *record = unicode_record(cp);
    if (record->class <= CHAR_SPACE) {
        owe_space(joint, record->flags & CHAR_LINE);
        return out;
    }
    *out = joint->gap == GAP_LINE ? '\n' : ' ';
    out += joint->gap != GAP_NONE;
    joint->gap = GAP_NONE;
    joint->any = true;
    if (record->fold) return out + utf8_encode((uint32_t)((int32_t)cp + record->fold), out);
    memcpy(out, at, 4);
    return out + length;
}

/* Offsets of a plain character: what was written for it, if anything, is out->data[at..end). */
static inline void mark_plain(struct canon *canon, const struct buf *out, size_t at, size_t end,
                              struct origin from) {
    if (at == end) return;
    bool gap = out->data[at] <= ' ';
    if (gap) mark_at(canon, at, canon->written_end);
    mark_at(canon, at + gap, from.begin);
    canon->written_end = from.end;
}

/* A run of plain characters of lines, whose gaps are of two kinds, under FOLD_TEXT: what take_char does, the
 * last one held. Bytes are read up to KERNEL_SLACK behind `size`. Returns the bytes read, 0 when the first
 * character is not plain. */
SPECIALISED size_t take_plain_run(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out,
                                  bool mapped) {
    const size_t readable = size + KERNEL_SLACK;
    uint32_t cp, next;
    size_t length = utf8_decode(bytes, readable, &cp), at = length;
    if (cp == UTF8_INVALID || !is_plain(unicode_record(cp))) return 0;
    flush_segment(canon, out);
    struct joint joint = canon->joint;
    uint8_t *end = out->data + out->len;
    while (at < size) {
        size_t next_length = utf8_decode(bytes + at, readable - at, &next);
        if (next == UTF8_INVALID || !is_plain(unicode_record(next))) break;
        size_t before = (size_t)(end - out->data);
        end = put_plain(&joint, cp, bytes + at - length, length, end);
        if (mapped)
            mark_plain(canon, out, before, (size_t)(end - out->data),
                       (struct origin){canon->source + at - length, canon->source + at});
        cp = next;
        length = next_length;
        at += length;
    }
    canon->joint = joint;
    out->len = (size_t)(end - out->data);
    canon->source += at;
    hold(canon, cp, (struct origin){canon->source - length, canon->source});
    return at;
}

/* Each a loop of its own, so that the one knows of no map. */
static size_t take_plain(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    return take_plain_run(canon, bytes, size, out, false);
}

static size_t take_plain_mapped(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    return take_plain_run(canon, bytes, size, out, true);
}

static inline bool is_visible(uint8_t byte) {
    return byte > ' ' && byte < 0x7F;
}

/* A run of visible ASCII, with single spaces inside, where only white space is folded: it stays as it is. */
static size_t take_visible(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    if (!is_visible(bytes[0])) return 0;
    size_t used = 1;
    while (used < size) {
        if (!is_visible(bytes[used]) && (bytes[used] != ' ' || !is_visible(bytes[used + 1]))) break;
        used++;
    }
    write_bytes(canon, bytes, used, (struct origin){canon->source, canon->source + used}, out);
    canon->source += used;
    return used;
}

/* Whichever short cut there is; returns the bytes read, 0 when there is none. `size` leaves the slack. */
static inline size_t take_run(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    if (canon->visible) return take_visible(canon, bytes, size, out);
    if (!canon->shortcut) return 0;
    if (canon->unit != UNIT_LINE) return take_text(canon, bytes, size, out);
    return canon->map ? take_plain_mapped(canon, bytes, size, out) : take_plain(canon, bytes, size, out);
}

/* The same where there may be nothing behind `size`, at most END_MOST. */
static size_t take_end(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out) {
    if (size < KERNEL_RUN) return 0;
    uint8_t copy[END_MOST + KERNEL_SLACK] = {0};
    memcpy(copy, bytes, size);
    return take_run(canon, copy, size, out);
}

/* The characters that begin before `end`; bytes up to `size` may be looked at. Returns the bytes read. */
static size_t take_block(struct canon *canon, const uint8_t *bytes, size_t end, size_t size,
                         struct buf *out) {
    size_t at = 0, slack_end = size > KERNEL_SLACK ? size - KERNEL_SLACK : 0;
    size_t run_end = end < slack_end ? end : slack_end;
    while (at < end) {
        size_t run = size - at <= END_MOST ? take_end(canon, bytes + at, end - at, out)
                     : at < run_end        ? take_run(canon, bytes + at, run_end - at, out)
                                           : 0;
        at += run;
        if (run) continue;
        uint32_t cp;
        size_t length = utf8_decode(bytes + at, size - at, &cp);
        if (length == 0) {
            canon->partial_len = size - at;
            memcpy(canon->partial, bytes + at, canon->partial_len);
            return size;
        }
        take(canon, cp, bytes + at, length, out);
        at += length;
    }
    return at;
}

/* What a block of that many bytes can become. */
static size_t block_most(size_t size) {
    return GROWTH * (size + 4) + HELD_MOST;
}

size_t canon_most(size_t size) {
    return size > (SIZE_MAX >> 4) ? SIZE_MAX : block_most(size) + block_most(BLOCK) + KERNEL_SLACK;
}

static bool reserve(struct canon *canon, size_t size, struct buf *out) {
    size_t most = block_most(size);
    if (canon->map && !offset_map_reserve(canon->map, most)) return false;
    return buf_reserve(out, most + KERNEL_SLACK);
}

static stemma_status feed_raw(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out,
                              stemma_error *err) {
    if (!buf_add(out, bytes, size)) return fail_memory(err);
    canon->source += size;
    return STEMMA_OK;
}

stemma_status canon_feed(struct canon *canon, const uint8_t *bytes, size_t size, struct buf *out,
                         stemma_error *err) {
    if (canon->raw) return feed_raw(canon, bytes, size, out, err);
    size_t before = out->len;
    canon->canon_base -= before;
    for (size_t at = 0; at < size;) {
        size_t left = size - at, block = left < BLOCK ? left : BLOCK;
        if (!reserve(canon, block, out)) {
            out->len = before;
            return fail_memory(err);
        }
        if (canon->partial_len)
            at += take_partial(canon, bytes + at, left, out);
        else
            at += take_block(canon, bytes + at, block, left, out);
    }
    canon->canon_base += out->len;
    return STEMMA_OK;
}

stemma_status canon_finish(struct canon *canon, struct buf *out, stemma_error *err) {
    if (canon->raw) return STEMMA_OK;
    if (!reserve(canon, 0, out)) return fail_memory(err);
    canon->canon_base -= out->len;
    if (canon->partial_len) take(canon, UTF8_INVALID, canon->partial, canon->partial_len, out);
    flush_segment(canon, out);
    mark_offset(canon, out, canon->written_end);
    canon->canon_base += out->len;
    return STEMMA_OK;
}

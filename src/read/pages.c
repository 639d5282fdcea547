#include "read/pages.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE = 3 }; /* lines at the top and at the bottom of a page among which running ones are looked for */

struct line {
    uint32_t page;
    uint8_t above, below; /* lines of its page, at most EDGE */
    bool dropped;         /* said before, or a page number */
    bool bare;            /* its numbers are left out */
    size_t begin, end;
};

struct pages {
    const uint8_t *bytes;
    struct line *lines;
    size_t count, cap;
    uint32_t page_count;
    struct vec64 words; /* hashes of the words in the text, sorted */
    bool divides;       /* what to do with a divided word that the others tell nothing of */
    struct buf *out;
    size_t most, held; /* bytes that the text, lines, edges and words may take, and take */
};

static bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < 10;
}

/* ---- memory ---- */

/* A text of short lines or words takes many times its size. */
static stemma_status hold(struct pages *p, size_t size, stemma_error *err) {
    p->held += size;
    if (p->held <= p->most) return STEMMA_OK;
    return fail(err, TEXT_TOO_LONG, "its lines and words need more than %zu bytes: allow more memory",
                p->most);
}

/* ---- lines ---- */

static stemma_status add_line(struct pages *p, size_t begin, size_t end, stemma_error *err) {
    while (begin < end && is_space(p->bytes[begin])) begin++;
    while (end > begin && is_space(p->bytes[end - 1])) end--;
    if (begin == end) return STEMMA_OK;
    TRY(hold(p, sizeof *p->lines, err));
    if (!mem_grow((void **)&p->lines, &p->cap, p->count + 1, sizeof *p->lines)) return fail_memory(err);
    p->lines[p->count++] = (struct line){.page = p->page_count, .begin = begin, .end = end};
    return STEMMA_OK;
}

static stemma_status find_lines(struct pages *p, size_t size, stemma_error *err) {
    size_t begin = 0;
    for (size_t at = 0; at <= size; at++) {
        bool feed = at < size && p->bytes[at] == '\f';
        if (at < size && p->bytes[at] != '\n' && !feed) continue;
        TRY(add_line(p, begin, at, err));
        begin = at + 1;
        p->page_count += feed;
    }
    return STEMMA_OK;
}

/* ---- headers, footers, page numbers ---- */

static void measure_edges(struct pages *p) {
    for (size_t i = 0; i < p->count; i++) {
        struct line *line = &p->lines[i];
        while (line->above < EDGE && i > line->above && line[-1 - line->above].page == line->page)
            line->above++;
        while (line->below < EDGE && i + 1 + line->below < p->count &&
               line[1 + line->below].page == line->page)
            line->below++;
    }
}

static bool is_edge(const struct line *line) {
    return line->above < EDGE || line->below < EDGE;
}

static uint64_t mix(uint64_t hash, uint8_t byte) {
    return (hash ^ byte) * 0x100000001B3u;
}

static const uint64_t hash_start = 0xCBF29CE484222325u;

/* Of a line, any number being like any other. */
static uint64_t hash_line(const struct pages *p, const struct line *line) {
    uint64_t hash = hash_start;
    for (size_t i = line->begin; i < line->end; i++)
        if (!is_digit(p->bytes[i]))
            hash = mix(hash, p->bytes[i]);
        else if (i == line->begin || !is_digit(p->bytes[i - 1]))
            hash = mix(hash, '0');
    return hash;
}

static bool has_letter(const struct pages *p, const struct line *line) {
    for (size_t i = line->begin; i < line->end; i++)
        if (p->bytes[i] >= 0x80 || (uint8_t)((p->bytes[i] | 32) - 'a') < 26) return true;
    return false;
}

static bool is_same_line(const struct pages *p, const struct line *a, const struct line *b) {
    size_t size = a->end - a->begin;
    return size == b->end - b->begin && !memcmp(p->bytes + a->begin, p->bytes + b->begin, size);
}

/* Edges with their hashes, alike ones together, in their order. */
struct edge {
    uint64_t hash;
    size_t line;
};

static int by_hash(const void *a, const void *b) {
    const struct edge *e = a, *f = b;
    if (e->hash != f->hash) return e->hash < f->hash ? -1 : 1;
    return (e->line > f->line) - (e->line < f->line);
}

/* Whether enough pages have the line at one place, one after the other or every other: a line of a program,
 * or a heading, that comes again somewhere near an edge is none. Three are enough, or all where there are
 * fewer. */
static bool is_running(const struct pages *p, const struct edge *edges, size_t count, bool top,
                       uint8_t place) {
    uint32_t pages = 0, last = 0, least = p->page_count < 3 ? p->page_count : 3;
    for (size_t i = 0; i < count && (pages < least || pages < 2); i++) {
        const struct line *line = &p->lines[edges[i].line];
        if ((top ? line->above : line->below) != place || (pages && line->page == last)) continue;
        pages = pages && line->page - last <= 2 ? pages + 1 : 1;
        last = line->page;
    }
    return pages >= 2 && pages >= least;
}

static void judge_edges(struct pages *p, const struct edge *edges, size_t count) {
    struct line *first = &p->lines[edges[0].line];
    bool running = false, same = true;
    for (uint8_t place = 0; place < EDGE; place++)
        running |= is_running(p, edges, count, true, place) || is_running(p, edges, count, false, place);
    if (!running) return;
    for (size_t i = 1; i < count; i++) {
        same &= is_same_line(p, first, &p->lines[edges[i].line]);
        p->lines[edges[i].line].dropped = true;
    }
    first->dropped = !has_letter(p, first);
    first->bare = !same;
}

static stemma_status drop_running_lines(struct pages *p, stemma_error *err) {
    size_t count = 0, begin = 0;
    measure_edges(p);
    for (size_t i = 0; i < p->count; i++) count += is_edge(&p->lines[i]);
    TRY(hold(p, count * sizeof(struct edge), err));
    struct edge *edges = mem_alloc((count + 1) * sizeof *edges);
    if (!edges) return fail_memory(err);
    count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (is_edge(&p->lines[i])) edges[count++] = (struct edge){hash_line(p, &p->lines[i]), i};
    if (count) qsort(edges, count, sizeof *edges, by_hash);
    for (size_t i = 1; i <= count; i++) {
        if (i < count && edges[i].hash == edges[begin].hash) continue;
        judge_edges(p, edges + begin, i - begin);
        begin = i;
    }
    p->held -= count * sizeof *edges;
    mem_free(edges);
    return STEMMA_OK;
}

/* ---- words ---- */

struct span {
    size_t begin, end;
};

static bool is_word_byte(uint8_t byte) {
    return byte >= 0x80 || is_digit(byte) || (uint8_t)((byte | 32) - 'a') < 26;
}

/* The next word at or behind *at: letters, digits, and hyphens between them. */
static bool next_word(const struct pages *p, size_t *at, size_t end, struct span *word) {
    while (*at < end && !is_word_byte(p->bytes[*at])) ++*at;
    word->begin = *at;
    while (*at < end && (is_word_byte(p->bytes[*at]) ||
                         (p->bytes[*at] == '-' && *at + 1 < end && is_word_byte(p->bytes[*at + 1]))))
        ++*at;
    word->end = *at;
    return word->begin < word->end;
}

static uint64_t hash_span(const struct pages *p, uint64_t hash, struct span span) {
    for (size_t i = span.begin; i < span.end; i++) {
        uint8_t byte = p->bytes[i];
        hash = mix(hash, (uint8_t)(byte - 'A') < 26 ? byte | 32 : byte);
    }
    return hash;
}

/* Bytes of the hyphen that ends a line behind a letter; 0: it ends otherwise. U+2010, and U+00AD which is
 * nothing else than the place of a division. */
static size_t hyphen_size(const struct pages *p, const struct line *line) {
    static const char *const hyphens[] = {"-", "\xE2\x80\x90", "\xC2\xAD"};
    size_t size = line->end - line->begin;
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(hyphens[i]);
        if (size > length && !memcmp(p->bytes + line->end - length, hyphens[i], length) &&
            is_word_byte(p->bytes[line->end - length - 1]))
            return length;
    }
    return 0;
}

/* The next line that is left, NULL at the end. */
static const struct line *line_after(const struct pages *p, const struct line *line) {
    const struct line *end = p->lines + p->count;
    for (line++; line < end; line++)
        if (!line->dropped) return line;
    return NULL;
}

/* Both halves of a word that a line ends in the middle of. */
struct division {
    struct span left, right;
    size_t hyphen; /* its bytes, behind the left half */
};

static bool find_division(const struct pages *p, const struct line *line, struct division *d) {
    const struct line *next = line_after(p, line);
    size_t at;
    d->hyphen = next ? hyphen_size(p, line) : 0;
    if (!d->hyphen || !is_word_byte(p->bytes[next->begin]) || is_digit(p->bytes[next->begin])) return false;
    d->left.end = d->left.begin = line->end - d->hyphen;
    while (d->left.begin > line->begin &&
           (is_word_byte(p->bytes[d->left.begin - 1]) || p->bytes[d->left.begin - 1] == '-'))
        d->left.begin--;
    at = next->begin;
    return next_word(p, &at, next->end, &d->right);
}

/* ---- divided words ---- */

static stemma_status find_words(struct pages *p, stemma_error *err) {
    for (size_t i = 0; i < p->count; i++) {
        const struct line *line = &p->lines[i];
        size_t at = line->begin, end = line->end - hyphen_size(p, line);
        struct span word;
        while (!line->dropped && next_word(p, &at, end, &word))
            if (at < end || end == line->end) {               /* not the half of one */
                TRY(hold(p, 2 * sizeof *p->words.data, err)); /* and its place while they are sorted */
                if (!vec64_add(&p->words, hash_span(p, hash_start, word))) return fail_memory(err);
            }
    }
    return sort_u64(p->words.data, p->words.len) ? STEMMA_OK : fail_memory(err);
}

static bool is_known(const struct pages *p, uint64_t hash) {
    size_t low = 0, high = p->words.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->words.data[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->words.len && p->words.data[low] == hash;
}

enum { SOFT_HYPHEN = 2 }; /* bytes, which no other has */
enum verdict { DIVIDED, COMPOUND, UNKNOWN };

static enum verdict judge_division(const struct pages *p, const struct division *d) {
    if (d->hyphen == SOFT_HYPHEN) return DIVIDED;
    uint64_t left = hash_span(p, hash_start, d->left);
    if (is_known(p, hash_span(p, left, d->right))) return DIVIDED;
    return is_known(p, hash_span(p, mix(left, '-'), d->right)) ? COMPOUND : UNKNOWN;
}

enum {
    SELDOM = 25
}; /* one line in so many: in texts without division compounds are rarer at the ends of lines */

static void judge_habit(struct pages *p) {
    size_t seen[3] = {0}, lines = 0;
    struct division d;
    for (size_t i = 0; i < p->count; i++) {
        lines += !p->lines[i].dropped;
        if (!p->lines[i].dropped && find_division(p, &p->lines[i], &d)) seen[judge_division(p, &d)]++;
    }
    size_t all = seen[DIVIDED] + seen[COMPOUND] + seen[UNKNOWN];
    p->divides = seen[DIVIDED] != seen[COMPOUND] ? seen[DIVIDED] > seen[COMPOUND] : all * SELDOM > lines;
}

/* ---- writing ---- */

static const char *const ligatures[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"}; /* from U+FB00 on */

/* Bytes of the ligature at `at`; 0: there is none. */
static size_t ligature(const uint8_t *at, size_t left, const char **letters) {
    if (left < 3 || at[0] != 0xEF || at[1] != 0xAC || at[2] < 0x80 || at[2] > 0x86) return 0;
    *letters = ligatures[at[2] - 0x80];
    return 3;
}

static bool write_line(struct pages *p, const struct line *line, size_t end) {
    for (size_t i = line->begin, length; i < end; i += length) {
        const char *letters;
        length = ligature(p->bytes + i, end - i, &letters);
        bool done = length ? buf_add_string(p->out, letters)
                           : (line->bare && is_digit(p->bytes[i])) || buf_add_byte(p->out, p->bytes[i]);
        if (!done) return false;
        if (!length) length = 1;
    }
    return true;
}

static bool write_lines(struct pages *p) {
    for (size_t i = 0; i < p->count; i++) {
        const struct line *line = &p->lines[i];
        struct division d;
        if (line->dropped) continue;
        bool divided = find_division(p, line, &d);
        enum verdict verdict = divided ? judge_division(p, &d) : COMPOUND;
        bool joined = verdict == DIVIDED || (verdict == UNKNOWN && p->divides);
        if (!write_line(p, line, joined ? d.left.end : line->end)) return false;
        if (!divided && !buf_add_byte(p->out, '\n')) return false;
    }
    return true;
}

static stemma_status join(struct pages *p, size_t size, stemma_error *err) {
    TRY(find_lines(p, size, err));
    TRY(drop_running_lines(p, err));
    TRY(find_words(p, err));
    judge_habit(p);
    return write_lines(p) ? STEMMA_OK : fail_memory(err);
}

stemma_status pages_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                         struct buf *out, stemma_error *err) {
    struct pages pages = {.bytes = bytes, .out = out, .most = reading_memory(limits), .held = size};
    stemma_status status = join(&pages, size, err);
    mem_free(pages.lines);
    vec64_release(&pages.words);
    return status;
}

#include "made.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define VOCABULARY    40000
#define DRAWS         ((size_t)1 << 18) /* steps in which Zipf's law is tabulated */
#define WORD_MOST     16
#define BYTES_A_WORD  7.2 /* with what stands between words */
#define LINE_LENGTH   72
#define WINDOW        5 /* shingles whose resemblance the edits are made for */
#define SENTENCE_ENDS 13

struct word {
    char letters[WORD_MOST];
    uint8_t length;
    bool ends_sentence;
};

struct maker {
    struct made_options options;
    struct word vocabulary[VOCABULARY];
    uint16_t draws[DRAWS];
    struct vec64 parent;
};

/* ---- words ---- */

/* Consonants and vowels in turn; frequent words are short. */
static void spell(struct word *word, uint64_t rank) {
    static const char consonants[] = "tnshrdlcmwfgpbvk", vowels[] = "eaoiu";
    uint64_t state = mix64(rank + 1);
    size_t length = 2 + rng_below(&state, 3);
    for (uint64_t rest = rank; rest > 20; rest /= 7) length += 1 + rng_below(&state, 2);
    if (length > WORD_MOST - 2) length = WORD_MOST - 2;
    for (size_t i = 0; i < length; i++)
        word->letters[i] = i % 2 ? vowels[rng_below(&state, sizeof vowels - 1)]
                                 : consonants[rng_below(&state, sizeof consonants - 1)];
    word->length = (uint8_t)length;
    word->ends_sentence = rng_below(&state, SENTENCE_ENDS) == 0;
}

/* By Zipf's law the logarithm of the rank is evenly spread. */
static void tabulate_draws(struct maker *maker) {
    for (size_t i = 0; i < DRAWS; i++)
        maker->draws[i] = (uint16_t)(pow(VOCABULARY, ((double)i + .5) / (double)DRAWS) - 1);
}

static uint64_t draw_word(const struct maker *maker, uint64_t *rng) {
    return maker->draws[rng_next(rng) % DRAWS];
}

struct maker *made_new(const struct made_options *options) {
    struct maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    maker->options = *options;
    for (uint64_t rank = 0; rank < VOCABULARY; rank++) spell(&maker->vocabulary[rank], rank);
    tabulate_draws(maker);
    return maker;
}

void made_free(struct maker *maker) {
    if (!maker) return;
    vec64_release(&maker->parent);
    mem_free(maker);
}

/* ---- what kind of document a number is ---- */

static uint64_t stream_of(const struct maker *maker, uint64_t number) {
    return mix64(maker->options.seed ^ mix64(number + 1));
}

static enum made_kind draw_kind(const struct maker *maker, uint64_t number, uint64_t *rng) {
    double chance = rng_unit(rng);
    if (number == 0) return MADE_ORIGINAL;
    if (maker->options.one_parent || chance < maker->options.near) return MADE_NEAR;
    return chance < maker->options.near + maker->options.contained ? MADE_CONTAINED : MADE_ORIGINAL;
}

/* An original before it: copies of copies would have no known resemblance. The first document is one. */
static uint64_t draw_parent(const struct maker *maker, uint64_t number, uint64_t *rng) {
    for (;;) {
        uint64_t parent = maker->options.one_parent ? 0 : rng_below(rng, number);
        uint64_t stream = stream_of(maker, parent);
        if (draw_kind(maker, parent, &stream) == MADE_ORIGINAL) return parent;
    }
}

/* ---- the words of a document ---- */

/* Twelve evenly spread numbers together are close to normal. */
static double draw_normal(uint64_t *rng) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rng_unit(rng);
    return sum;
}

static bool add_words(const struct maker *maker, uint64_t count, uint64_t *rng, struct vec64 *words) {
    if (!vec64_reserve(words, count)) return false;
    for (uint64_t i = 0; i < count; i++) words->data[words->len++] = draw_word(maker, rng);
    return true;
}

static bool make_original(const struct maker *maker, uint64_t *rng, struct vec64 *words) {
    const struct made_options *options = &maker->options;
    words->len = 0;
    double size = options->size * exp(options->spread * draw_normal(rng));
    uint64_t count = (uint64_t)(size / BYTES_A_WORD) + WINDOW;
    if (rng_unit(rng) < options->template_share) {
        uint64_t of_template = mix64(options->seed);
        if (!add_words(maker, options->template_words, &of_template, words)) return false;
    }
    return add_words(maker, count, rng, words);
}

/* A shingle survives when none of its words changes; with share s of them surviving, J = s / (2 - s). */
static double draw_edits(const struct maker *maker, uint64_t *rng) {
    double resemblance = .5 + .5 * rng_unit(rng);
    if (maker->options.edits >= 0) return maker->options.edits;
    return 1 - pow(2 * resemblance / (1 + resemblance), 1. / WINDOW);
}

/* Substitutions, insertions and deletions, as often each. */
static bool add_edited(const struct maker *maker, const struct vec64 *parent, double edits, uint64_t *rng,
                       struct vec64 *words) {
    if (!vec64_reserve(words, 2 * parent->len)) return false;
    for (size_t i = 0; i < parent->len; i++) {
        uint64_t kind = rng_unit(rng) < edits ? rng_below(rng, 3) : 3;
        if (kind < 2) words->data[words->len++] = draw_word(maker, rng);
        if (kind == 1 || kind == 3) words->data[words->len++] = parent->data[i];
    }
    return true;
}

/* A fifth to three fifths of it. */
static bool add_extract(const struct vec64 *parent, uint64_t *rng, struct vec64 *words) {
    size_t length = (size_t)((double)parent->len * (.2 + .4 * rng_unit(rng)));
    size_t begin = rng_below(rng, parent->len - length + 1);
    if (!vec64_reserve(words, length)) return false;
    memcpy(words->data, parent->data + begin, length * sizeof *words->data);
    words->len = length;
    return true;
}

bool made_document(struct maker *maker, uint64_t number, struct made_document *document) {
    uint64_t rng = stream_of(maker, number);
    document->kind = draw_kind(maker, number, &rng);
    document->words.len = 0;
    if (document->kind == MADE_ORIGINAL) return make_original(maker, &rng, &document->words);
    document->parent = draw_parent(maker, number, &rng);
    uint64_t of_parent = stream_of(maker, document->parent);
    draw_kind(maker, document->parent, &of_parent); /* its words come after that */
    if (!make_original(maker, &of_parent, &maker->parent)) return false;
    if (document->kind == MADE_CONTAINED) return add_extract(&maker->parent, &rng, &document->words);
    return add_edited(maker, &maker->parent, draw_edits(maker, &rng), &rng, &document->words);
}

/* ---- text ---- */

bool made_text(const struct maker *maker, const struct vec64 *words, const char *line_end, struct buf *text) {
    size_t line_end_size = strlen(line_end), column = 0;
    bool capital = true;
    if (!buf_reserve(text, words->len * (WORD_MOST + 1 + line_end_size))) return false;
    for (size_t i = 0; i < words->len; i++) {
        const struct word *word = &maker->vocabulary[words->data[i]];
        uint8_t *at = text->data + text->len;
        memcpy(at, word->letters, word->length);
        if (capital) at[0] = (uint8_t)toupper(at[0]);
        at += word->length;
        capital = word->ends_sentence || i + 1 == words->len;
        if (capital) *at++ = '.';
        column += word->length + 1u;
        bool wrap = column > LINE_LENGTH || i + 1 == words->len;
        memcpy(at, wrap ? line_end : " ", wrap ? line_end_size : 1);
        if (wrap) column = 0;
        text->len = (size_t)(at - text->data) + (wrap ? line_end_size : 1);
    }
    return true;
}

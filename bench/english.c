/*
 * Words by Zipf's law (the frequent half are real ones), sentence case, punctuation, lines of about 72 bytes
 * and paragraphs: what decides the speed of text kernels is how often words end and something is to be
 * removed.
 */
#include "english.h"

#include "base/rng.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define VOCABULARY  30000.
#define LINE_LENGTH 72

static const char *const frequent[] = {
    "the",    "of",      "and",   "to",      "in",    "a",     "is",    "that",   "for",   "it",
    "as",     "was",     "with",  "be",      "by",    "on",    "not",   "he",     "his",   "but",
    "at",     "are",     "this",  "have",    "from",  "or",    "had",   "an",     "they",  "which",
    "one",    "you",     "were",  "all",     "her",   "she",   "there", "would",  "their", "we",
    "him",    "been",    "has",   "when",    "who",   "will",  "no",    "more",   "if",    "out",
    "so",     "up",      "said",  "what",    "its",   "about", "than",  "into",   "them",  "can",
    "only",   "other",   "time",  "new",     "some",  "could", "these", "two",    "may",   "first",
    "then",   "do",      "any",   "like",    "my",    "now",   "over",  "such",   "our",   "man",
    "me",     "even",    "most",  "made",    "after", "also",  "did",   "many",   "off",   "before",
    "must",   "well",    "back",  "through", "years", "where", "much",  "your",   "way",   "down",
    "should", "because", "long",  "each",    "just",  "state", "those", "people", "too",   "how",
    "little", "good",    "world", "make",    "very",  "year",  "still", "see",    "work",  "between",
};
#define FREQUENT (sizeof frequent / sizeof *frequent)

/* A rare word: consonants and vowels in turn, always the same for the same rank. */
static size_t rare_word(uint64_t rank, char *word) {
    static const char consonants[] = "tnshrdlcmwfgpbvktnsrtnsr", vowels[] = "eaoiueaoie";
    uint64_t state = rank;
    size_t length = 4 + rng_below(&state, 4) + rng_below(&state, 4);
    for (size_t i = 0; i < length; i++)
        word[i] = i % 2 ? vowels[rng_below(&state, sizeof vowels - 1)]
                        : consonants[rng_below(&state, sizeof consonants - 1)];
    return length;
}

/* By Zipf's law the logarithm of the rank is evenly spread. */
static size_t next_word(uint64_t *rng, char *word) {
    uint64_t rank = (uint64_t)pow(VOCABULARY, rng_unit(rng)) - 1;
    if (rank >= FREQUENT) return rare_word(rank, word);
    size_t length = strlen(frequent[rank]);
    memcpy(word, frequent[rank], length);
    return length;
}

struct sentence {
    uint64_t words_left, sentences_left; /* in the sentence, in the paragraph */
    size_t column;
    int capital;
};

/* What follows a word: mostly a space, sometimes the end of the sentence, the line or the paragraph. */
static const char *between(struct sentence *s, uint64_t *rng) {
    uint64_t chance = rng_below(rng, 1000);
    s->capital = s->words_left-- == 0;
    if (s->capital) {
        s->words_left = 6 + rng_below(rng, 24);
        if (s->sentences_left-- == 0) {
            s->sentences_left = 2 + rng_below(rng, 6);
            s->column = 0;
            return ".\n\n";
        }
    }
    int wrap = s->column > LINE_LENGTH;
    if (wrap) s->column = 0;
    if (s->capital) return chance < 80 ? (wrap ? "?\n" : "? ") : (wrap ? ".\n" : ". ");
    if (chance < 70) return wrap ? ",\n" : ", ";
    if (chance < 76) return "-";
    if (chance < 84) return wrap ? "'s\n" : "'s ";
    if (chance < 90) return wrap ? ",\n\"" : ", \"";
    return wrap ? "\n" : " ";
}

void english(uint8_t *text, size_t size, uint64_t seed) {
    struct sentence s = {.words_left = 12, .sentences_left = 3, .capital = 1};
    for (size_t at = 0; at < size;) {
        char piece[32];
        size_t length = next_word(&seed, piece);
        if (s.capital) piece[0] = (char)toupper((unsigned char)piece[0]);
        s.column += length + 1;
        const char *end = between(&s, &seed);
        memcpy(piece + length, end, strlen(end));
        length += strlen(end);
        size_t room = length < size - at ? length : size - at;
        memcpy(text + at, piece, room);
        at += room;
    }
}

/*
 * In which script the sample is written, where that script does not set words apart by spaces.
 *
 * Of most of these a letter, or a syllable, counts as a word (docs/design/canonical-form.md). Of some none
 * does, and what counts as a word is a whole sentence: windows of words are of no use there.
 */
#include "tune.h"

typedef struct script {
    const char *name;
    uint32_t first, last; /* one block; all of them are three bytes in UTF-8 */
    bool has_words;
} script;

static const script scripts[] = {
    {"Thai", 0x0e00, 0x0e7f, true},      {"Lao", 0x0e80, 0x0eff, true},
    {"Tibetan", 0x0f00, 0x0fff, true},   {"Burmese", 0x1000, 0x109f, true},
    {"Khmer", 0x1780, 0x17ff, true},     {"Japanese", 0x3040, 0x30ff, true},
    {"Chinese", 0x4e00, 0x9fff, true},   {"Buginese", 0x1a00, 0x1a1f, false},
    {"Batak", 0x1bc0, 0x1bff, false},    {"Balinese", 0x1b00, 0x1b7f, false},
    {"Javanese", 0xa980, 0xa9df, false},
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

enum { LOOKED_AT = 4096 };    /* bytes of a text: it does not change its script */
enum { WORD_OF_SPACES = 45 }; /* bytes: 15 letters; what is longer on average is no word */

typedef struct letters {
    size_t of[SCRIPTS], all;
} letters;

static bool is_letter(unsigned char byte) {
    return (byte | 32) >= 'a' && (byte | 32) <= 'z';
}

/* Of a character in UTF-8 the first byte is counted; where it is of three bytes, by its script. */
static void count_letter(letters *found, const unsigned char *at, size_t left) {
    found->all += is_letter(*at) || *at >= 0xc0;
    if (*at >> 4 != 0xe || left < 3) return;
    uint32_t sign = (*at & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
    for (size_t i = 0; i < SCRIPTS; i++) found->of[i] += sign >= scripts[i].first && sign <= scripts[i].last;
}

static letters count_letters(const tune_sample *sample) {
    letters found = {.all = 0};
    for (size_t i = 0; i < sample->count; i++) {
        const unsigned char *text = (const unsigned char *)sample->texts[i].data;
        size_t size = sample->texts[i].size < LOOKED_AT ? sample->texts[i].size : LOOKED_AT;
        for (size_t at = 0; at < size; at++) count_letter(&found, text + at, size - at);
    }
    return found;
}

static double bytes_of_word(const tuning *t) {
    double words = 0;
    for (size_t i = 0; i < t->own.count; i++) words += (double)t->own.tokens[i];
    return words > 0 ? (double)t->sample.bytes / words : 0;
}

void tune_name_script(tuning *t) {
    letters found = count_letters(&t->sample);
    for (size_t i = 0; i < SCRIPTS; i++) {
        if (!found.all || found.of[i] * 2 < found.all) continue;
        t->script = scripts[i].name;
        t->wordless = !scripts[i].has_words && bytes_of_word(t) > WORD_OF_SPACES;
    }
}

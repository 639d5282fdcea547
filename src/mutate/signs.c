/* Changes of single signs: case, punctuation, and what a scanner misreads. */
#include "mutate/job.h"

#include <string.h>

/* ---- case ---- */

static bool is_capital(uint32_t cp) {
    return unicode_record(cp)->fold != 0;
}

static bool has_capital(const uint8_t *text, struct span word) {
    for (size_t at = word.begin; at < word.end;) {
        struct sign sign = sign_at(text, word.end, at);
        if (sign.cp != UTF8_INVALID && is_capital(sign.cp)) return true;
        at += sign.size;
    }
    return false;
}

/* A word with capitals loses them; one without becomes all capitals. Letter by letter, so that words of any
 * length cost no memory. */
static void change_case(struct job *job, struct span word) {
    struct tape *tape = &job->tape;
    bool lower = has_capital(tape->text, word);
    for (size_t at = word.begin; at < word.end;) {
        struct sign sign = sign_at(tape->text, word.end, at);
        uint8_t letter[4];
        if (sign.cp != UTF8_INVALID && is_capital(sign.cp) == lower && other_case(sign.cp) != sign.cp)
            tape_replace(tape, at, at + sign.size, letter, utf8_encode(other_case(sign.cp), letter));
        at += sign.size;
    }
}

void mutate_case(struct job *job) {
    mutate_some(job, UNITS_CASED, change_case);
}

/* ---- punctuation ---- */

static void change_sign(struct job *job, struct span unit) {
    static const char *const western[] = {".", ",", ";", ":", "!", "?", "-", "\u2013", "\u2026"};
    static const char *const eastern[] = {"\u3002", "\u3001", "\uff1b", "\uff1a", "\uff01", "\uff1f"};
    bool east = sign_at(job->tape.text, unit.end, unit.begin).cp >= 0x3000;
    const char *const *signs = east ? eastern : western;
    size_t count = east ? sizeof eastern / sizeof *eastern : sizeof western / sizeof *western;
    size_t size = unit.end - unit.begin, which = rng_below(&job->chance, count);
    if (strlen(signs[which]) == size && !memcmp(signs[which], job->tape.text + unit.begin, size))
        which = (which + 1) % count;
    tape_replace(&job->tape, unit.begin, unit.end, signs[which], strlen(signs[which]));
}

void mutate_punctuation(struct job *job) {
    mutate_some(job, UNITS_PUNCTUATION, change_sign);
}

/* ---- scanners ---- */

static const char *const misread[][2] = {
    {"rn", "m"}, {"cl", "d"}, {"vv", "w"}, {"li", "h"}, {"ii", "u"}, {"m", "rn"}, {"d", "cl"}, {"w", "vv"},
    {"l", "1"},  {"1", "l"},  {"I", "l"},  {"O", "0"},  {"0", "O"},  {"e", "c"},  {"c", "e"},  {"h", "b"},
    {"b", "h"},  {"S", "5"},  {"5", "S"},  {"B", "8"},  {"8", "B"},  {"Z", "2"},  {"g", "q"},  {"q", "g"},
    {"u", "n"},  {"n", "u"},  {"t", "f"},  {"f", "t"},  {"i", "j"},  {"a", "o"},  {"o", "c"},
};

/* The shapes at a place that are taken for others; pairs come first. NULL: none. */
static const char *const *misreading_at(const uint8_t *text, size_t size, size_t at) {
    for (size_t i = 0; i < sizeof misread / sizeof *misread; i++) {
        size_t length = strlen(misread[i][0]);
        if (length <= size - at && !memcmp(text + at, misread[i][0], length)) return misread[i];
    }
    return NULL;
}

/* A letter without a look-alike in the table becomes another of the text, is lost, or is torn off from the
 * next. */
static void misread_at(struct job *job, struct span unit) {
    struct tape *tape = &job->tape;
    const char *const *shape = misreading_at(tape->text, tape->size, unit.begin);
    uint8_t letter[4];
    uint64_t fate = rng_below(&job->chance, 4);
    if (shape && fate)
        tape_replace(tape, unit.begin, unit.begin + strlen(shape[0]), shape[1], strlen(shape[1]));
    else if (fate == 1)
        tape_delete(tape, unit.begin, unit.end);
    else if (fate == 2)
        tape_insert(tape, unit.end, " ", 1);
    else
        tape_replace(tape, unit.begin, unit.end, letter, other_letter(job, unit, letter));
}

void mutate_ocr(struct job *job) {
    mutate_some(job, UNITS_LETTERS, misread_at);
}

/* Which function makes which mutation, and what they have in common. */
#include "mutate/mutate.h"

#include "mutate/job.h"

#include <string.h>

uint64_t amount_asked(const struct job *job, uint64_t available) {
    const stemma_mutation *asked = job->asked;
    return asked->count ? asked->count : (uint64_t)(asked->share * (double)available + .5);
}

uint64_t amount_of(const struct job *job, uint64_t available) {
    uint64_t amount = amount_asked(job, available);
    return amount < available ? amount : available;
}

struct span words_at(const uint8_t *text, size_t size, uint64_t first, uint64_t count) {
    struct span passage = {0, 0}, word;
    size_t at = 0;
    for (uint64_t i = 0; i < first + count && unit_next(UNITS_WORDS, text, size, &at, &word); i++) {
        if (i <= first) passage.begin = word.begin;
        passage.end = word.end;
    }
    return passage;
}

size_t skip_space(const uint8_t *text, size_t size, size_t at) {
    while (at < size) {
        struct sign sign = sign_at(text, size, at);
        if (sign_class(sign) != CHAR_SPACE) break;
        at += sign.size;
    }
    return at;
}

enum { LETTER_REACH = 256 }; /* bytes in which a letter is looked for: a text of signs costs no more */

/* Any letter of the text, or of the alphabet where none is met. */
static size_t letter_of_text(struct job *job, uint8_t out[4]) {
    const struct tape *tape = &job->tape;
    struct span letter;
    size_t at = tape->size ? rng_below(&job->chance, tape->size) : 0;
    size_t end = tape->size - at < LETTER_REACH ? tape->size : at + LETTER_REACH;
    while (at < end && (tape->text[at] & 0xC0) == 0x80) at++;
    if (!unit_next(UNITS_LETTERS, tape->text, end, &at, &letter)) {
        out[0] = (uint8_t)('a' + rng_below(&job->chance, 26));
        return 1;
    }
    memcpy(out, tape->text + letter.begin, letter.end - letter.begin);
    return letter.end - letter.begin;
}

enum { OTHER_TRIES = 8 }; /* a text of one letter has no other */

size_t other_letter(struct job *job, struct span unit, uint8_t out[4]) {
    const uint8_t *was = job->tape.text + unit.begin;
    for (int i = 0; i < OTHER_TRIES; i++) {
        size_t size = letter_of_text(job, out);
        if (size != unit.end - unit.begin || memcmp(out, was, size)) return size;
    }
    out[0] = was[0] == 'x' ? 'y' : 'x';
    return 1;
}

void mutate_some(struct job *job, enum units units, unit_changer *change) {
    struct tape *tape = &job->tape;
    size_t at = 0;
    struct span unit;
    job->info.available = unit_count(units, tape->text, tape->size);
    struct choice choice = {job->info.available, amount_of(job, job->info.available)};
    while (choice.need && unit_next(units, tape->text, tape->size, &at, &unit)) {
        if (!choose(&choice, &job->chance) || unit.begin < tape->at) continue;
        change(job, unit);
        job->info.changed++;
    }
}

static mutator *mutator_of(stemma_mutation_kind kind) {
    static mutator *const table[STEMMA_MUTATION_KINDS] = {
        [STEMMA_MUTATE_INSERT] = mutate_insert,
        [STEMMA_MUTATE_INSERT_EVENLY] = mutate_insert,
        [STEMMA_MUTATE_REMOVE_WORDS] = mutate_remove_words,
        [STEMMA_MUTATE_SUBSTITUTE] = mutate_substitute,
        [STEMMA_MUTATE_DELETE_LINES] = mutate_delete_lines,
        [STEMMA_MUTATE_DELETE_BLOCKS] = mutate_delete_blocks,
        [STEMMA_MUTATE_CUT] = mutate_cut,
        [STEMMA_MUTATE_INSERT_RANDOM] = mutate_insert_blocks,
        [STEMMA_MUTATE_INSERT_FOREIGN] = mutate_insert_blocks,
        [STEMMA_MUTATE_EXCERPT] = mutate_excerpt,
        [STEMMA_MUTATE_EMBED] = mutate_excerpt,
        [STEMMA_MUTATE_SHUFFLE] = mutate_shuffle,
        [STEMMA_MUTATE_REWRAP] = mutate_rewrap,
        [STEMMA_MUTATE_CASE] = mutate_case,
        [STEMMA_MUTATE_PUNCTUATION] = mutate_punctuation,
        [STEMMA_MUTATE_OCR] = mutate_ocr,
    };
    return table[kind];
}

stemma_status mutate(const uint8_t *text, size_t size, const stemma_mutation *asked, struct tape *tape,
                     stemma_mutated_info *info, stemma_error *err) {
    struct job job = {
        .asked = asked,
        .tape = {.text = text, .size = size, .take = asked->take, .context = asked->context, .err = err},
        .chance = mix64(asked->seed) + (uint64_t)asked->kind};
    mutator_of(asked->kind)(&job);
    stemma_status status = tape_finish(&job.tape, err);
    job.info.edits = job.tape.edits;
    job.info.moved = job.tape.moved;
    *tape = job.tape;
    *info = job.info;
    return status;
}

/* Words, characters and lines here and there. */
#include "base/sort.h"
#include "mutate/job.h"

/* ---- "a " before words ---- */

/* The places, counted in words, in ascending order. */
static bool choose_places(struct job *job, uint64_t words, uint64_t count, struct vec64 *places) {
    bool evenly = job->asked->kind == STEMMA_MUTATE_INSERT_EVENLY;
    if (!vec64_reserve(places, count)) return false;
    for (uint64_t i = 0; i < count; i++)
        vec64_add(places, evenly ? (uint64_t)((unsigned __int128)(2 * i + 1) * words / (2 * count))
                                 : rng_below(&job->chance, words));
    return evenly || sort_u64(places->data, places->len);
}

void mutate_insert(struct job *job) {
    struct tape *tape = &job->tape;
    struct vec64 places = {0};
    struct span word = {tape->size, tape->size}; /* a text without words has one place: its end */
    size_t at = 0, next = 0;
    job->info.available = unit_count(UNITS_WORDS, tape->text, tape->size);
    uint64_t count = amount_asked(job, job->info.available);
    if (!choose_places(job, job->info.available ? job->info.available : 1, count, &places)) {
        tape->refused = true;
        places.len = 0;
    }
    for (uint64_t i = 0; next < places.len; i++) {
        unit_next(UNITS_WORDS, tape->text, tape->size, &at, &word);
        for (; next < places.len && places.data[next] == i; next++) tape_insert(tape, word.begin, "a ", 2);
    }
    job->info.changed = places.len;
    vec64_release(&places);
}

/* ---- the others ---- */

static void remove_word(struct job *job, struct span word) {
    struct tape *tape = &job->tape;
    tape_delete(tape, word.begin, skip_space(tape->text, tape->size, word.end));
}

void mutate_remove_words(struct job *job) {
    mutate_some(job, UNITS_WORDS, remove_word);
}

static void substitute(struct job *job, struct span unit) {
    uint8_t letter[4];
    tape_replace(&job->tape, unit.begin, unit.end, letter, other_letter(job, unit, letter));
}

void mutate_substitute(struct job *job) {
    mutate_some(job, UNITS_CHARACTERS, substitute);
}

static void delete_line(struct job *job, struct span line) {
    tape_delete(&job->tape, line.begin, line.end);
}

void mutate_delete_lines(struct job *job) {
    mutate_some(job, UNITS_LINES, delete_line);
}

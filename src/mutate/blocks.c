/* Passages: cut out, put in, lifted into another text. */
#include "mutate/job.h"

#include <string.h>

static uint64_t at_most(uint64_t value, uint64_t limit) {
    return value < limit ? value : limit;
}

/* `amount` in `blocks` parts, as equal as can be: the size of the which-th. */
static uint64_t part_of(uint64_t amount, uint64_t blocks, uint64_t which) {
    return amount / blocks + (which < amount % blocks);
}

/* ---- cut out ---- */

/* The block that begins with `first` and has so many units. */
static struct span block_from(const struct tape *tape, enum units units, struct span first, uint64_t count,
                              size_t *at) {
    struct span unit = first;
    while (--count && unit_next(units, tape->text, tape->size, at, &unit)) {
    }
    size_t end = units == UNITS_WORDS ? skip_space(tape->text, tape->size, unit.end) : unit.end;
    return (struct span){first.begin, end};
}

/* Every block is one slot among the units that stay: each arrangement is as likely as any other. */
static void delete_blocks(struct job *job, enum units units) {
    struct tape *tape = &job->tape;
    size_t at = 0;
    struct span unit;
    uint64_t available = unit_count(units, tape->text, tape->size), amount = amount_of(job, available);
    uint64_t blocks = at_most(job->asked->blocks, amount);
    struct choice slots = {available - amount + blocks, blocks};
    for (uint64_t which = 0; slots.need && unit_next(units, tape->text, tape->size, &at, &unit);) {
        if (!choose(&slots, &job->chance)) continue;
        struct span block = block_from(tape, units, unit, part_of(amount, blocks, which++), &at);
        tape_delete(tape, block.begin, block.end);
    }
    job->info.available = available;
    job->info.changed = amount;
}

void mutate_delete_blocks(struct job *job) {
    delete_blocks(job, UNITS_LINES);
}

void mutate_cut(struct job *job) {
    delete_blocks(job, UNITS_WORDS);
}

/* ---- put in ---- */

/* A passage of another text: so many words, or all that it has; with a space behind. Returns its words. */
static uint64_t foreign_passage(struct job *job, uint64_t words, struct buf *out) {
    const uint8_t *other = job->asked->other;
    uint64_t all = unit_count(UNITS_WORDS, other, job->asked->other_size);
    words = at_most(words, all);
    if (!words) return 0;
    struct span passage =
        words_at(other, job->asked->other_size, rng_below(&job->chance, all - words + 1), words);
    if (!buf_add(out, other + passage.begin, passage.end - passage.begin) || !buf_add_byte(out, ' '))
        job->tape.refused = true;
    return words;
}

static bool add_random_word(struct job *job, bool ideographs, struct buf *out) {
    uint8_t bytes[16];
    size_t size = 0, letters = 2 + rng_below(&job->chance, 8);
    if (ideographs)
        return buf_add(out, bytes, utf8_encode(0x4E00 + (uint32_t)rng_below(&job->chance, 0x5000), bytes));
    while (size < letters) bytes[size++] = (uint8_t)('a' + rng_below(&job->chance, 26));
    bytes[size++] = ' ';
    return buf_add(out, bytes, size);
}

/* Random words are of the kind that the text has most of. */
static bool mostly_ideographs(const struct tape *tape) {
    size_t at = 0, words = 0, single = 0;
    struct span word;
    while (unit_next(UNITS_WORDS, tape->text, tape->size, &at, &word)) {
        words++;
        single += sign_class(sign_at(tape->text, tape->size, word.begin)) == CHAR_SINGLE;
    }
    return 2 * single > words;
}

static uint64_t random_passage(struct job *job, uint64_t words, bool ideographs, struct buf *out) {
    for (uint64_t i = 0; i < words && !job->tape.refused; i++)
        job->tape.refused = !add_random_word(job, ideographs, out);
    return words;
}

static void insert_passage(struct job *job, size_t at, uint64_t words, bool ideographs) {
    struct buf passage = {0};
    if (job->asked->kind == STEMMA_MUTATE_INSERT_FOREIGN)
        job->info.changed += foreign_passage(job, words, &passage);
    else
        job->info.changed += random_passage(job, words, ideographs, &passage);
    tape_insert(&job->tape, at, passage.data, passage.len);
    buf_release(&passage);
}

void mutate_insert_blocks(struct job *job) {
    struct tape *tape = &job->tape;
    struct span word = {tape->size, tape->size}; /* a text without words has one place: its end */
    size_t at = 0;
    uint64_t available = unit_count(UNITS_WORDS, tape->text, tape->size),
             amount = amount_asked(job, available);
    uint64_t places = available ? available : 1,
             blocks = at_most(job->asked->blocks, at_most(amount, places));
    struct choice choice = {places, blocks};
    bool ideographs = mostly_ideographs(tape);
    for (uint64_t which = 0; choice.need;) {
        unit_next(UNITS_WORDS, tape->text, tape->size, &at, &word);
        if (choose(&choice, &job->chance))
            insert_passage(job, word.begin, part_of(amount, blocks, which++), ideographs);
    }
    job->info.available = available;
}

/* ---- lifted ---- */

/* Where another text is parted: before one of its words, or at its end. */
static size_t parting(struct job *job) {
    const uint8_t *other = job->asked->other;
    size_t size = job->asked->other_size;
    uint64_t words = unit_count(UNITS_WORDS, other, size), place = rng_below(&job->chance, words + 1);
    return place == words ? size : words_at(other, size, place, 1).begin;
}

static void embed(struct job *job, struct span passage) {
    struct tape *tape = &job->tape;
    const uint8_t *other = job->asked->other;
    size_t size = job->asked->other_size, part = parting(job);
    struct buf around = {0};
    job->info.changed += unit_count(UNITS_WORDS, other, size);
    bool ok = buf_add(&around, other, part) && buf_add_byte(&around, '\n') && buf_add_byte(&around, '\n') &&
              buf_add(&around, other + part, size - part);
    if (ok) {
        tape_replace(tape, 0, passage.begin, around.data, part + 1);
        tape_replace(tape, passage.end, tape->size, around.data + part + 1, size - part + 1);
    }
    tape->refused |= !ok;
    buf_release(&around);
}

void mutate_excerpt(struct job *job) {
    struct tape *tape = &job->tape;
    uint64_t available = unit_count(UNITS_WORDS, tape->text, tape->size), amount = amount_of(job, available);
    struct span passage = {0, 0};
    if (amount)
        passage = words_at(tape->text, tape->size, rng_below(&job->chance, available - amount + 1), amount);
    job->info.available = available;
    job->info.changed = available - amount;
    if (job->asked->kind == STEMMA_MUTATE_EMBED) {
        embed(job, passage);
        return;
    }
    if (amount == available) return; /* all of it, with what stands around its words */
    tape_delete(tape, 0, passage.begin);
    tape_delete(tape, passage.end, tape->size);
}

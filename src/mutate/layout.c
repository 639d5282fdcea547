/* The same words in another order or other lines. */
#include "base/alloc.h"
#include "mutate/job.h"

#include <string.h>

/* ---- paragraphs change places ---- */

/* One cycle through all of them, so that none stays (Sattolo). */
static void cycle(size_t *order, size_t count, uint64_t *chance) {
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i-- > 1;) {
        size_t other = rng_below(chance, i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void choose_units(struct job *job, enum units units, struct choice choice, struct span *out) {
    size_t at = 0;
    struct span unit;
    while (choice.need && unit_next(units, job->tape.text, job->tape.size, &at, &unit))
        if (choose(&choice, &job->chance)) *out++ = unit;
}

void mutate_shuffle(struct job *job) {
    struct tape *tape = &job->tape;
    enum units units = UNITS_PARAGRAPHS;
    uint64_t available = unit_count(units, tape->text, tape->size);
    if (available < 2) available = unit_count(units = UNITS_PLAIN_LINES, tape->text, tape->size);
    uint64_t amount = amount_of(job, available);
    job->info.available = available;
    if (amount == 1 && available > 1) amount = 2; /* one that moves takes the place of another */
    if (amount < 2) return;
    struct span *chosen = mem_alloc(amount * sizeof *chosen);
    size_t *order = mem_alloc(amount * sizeof *order);
    if (chosen && order) {
        choose_units(job, units, (struct choice){available, amount}, chosen);
        cycle(order, amount, &job->chance);
        for (size_t i = 0; i < amount; i++)
            tape_move(tape, chosen[i].begin, chosen[i].end, chosen[order[i]].begin, chosen[order[i]].end);
        job->info.changed = amount;
    }
    tape->refused |= !chosen || !order;
    mem_free(chosen);
    mem_free(order);
}

/* ---- other lines ---- */

/* What a line is not broken in: a run without white space; of scripts without spaces a character with the
 * signs behind it. */
struct piece {
    struct span span;
    size_t characters;
    bool single;
};

static bool goes_on(bool single, enum char_class class) {
    return class != CHAR_SPACE && class != CHAR_SINGLE && !(single && class == CHAR_WORD);
}

static bool next_piece(const struct tape *tape, size_t at, struct piece *out) {
    at = skip_space(tape->text, tape->size, at);
    if (at >= tape->size) return false;
    struct sign sign = sign_at(tape->text, tape->size, at);
    *out = (struct piece){{at, at}, 0, sign_class(sign) == CHAR_SINGLE};
    do {
        at += sign.size;
        out->characters++;
        if (at < tape->size) sign = sign_at(tape->text, tape->size, at);
    } while (at < tape->size && goes_on(out->single, sign_class(sign)));
    out->span.end = at;
    return true;
}

static size_t line_ends(const uint8_t *text, struct span gap) {
    size_t count = 0;
    for (size_t i = gap.begin; i < gap.end; i++) count += text[i] == '\n';
    return count;
}

/* What stands between two pieces: a line end where the next one has no room, else a space where one is
 * needed. */
static const char *separator(const struct tape *tape, const struct piece *last, const struct piece *next,
                             bool full) {
    struct span gap = {last->span.end, next->span.begin};
    if (full) return "\n";
    if (gap.begin == gap.end || (last->single && next->single && line_ends(tape->text, gap))) return "";
    return " ";
}

static void rewrap_gap(struct job *job, struct span gap, const char *text) {
    struct tape *tape = &job->tape;
    size_t size = strlen(text);
    if (size == gap.end - gap.begin && !memcmp(tape->text + gap.begin, text, size)) return;
    tape_replace(tape, gap.begin, gap.end, text, size);
    job->info.changed++;
}

void mutate_rewrap(struct job *job) {
    struct tape *tape = &job->tape;
    struct piece last, next;
    if (!next_piece(tape, 0, &last)) return;
    for (size_t column = last.characters; next_piece(tape, last.span.end, &next); last = next) {
        struct span gap = {last.span.end, next.span.begin};
        job->info.available++;
        if (line_ends(tape->text, gap) > 1) { /* paragraphs stay apart */
            column = next.characters;
            continue;
        }
        const char *text = separator(tape, &last, &next, false);
        bool full = column + strlen(text) + next.characters > job->asked->columns;
        rewrap_gap(job, gap, full ? separator(tape, &last, &next, true) : text);
        column = full ? next.characters : column + strlen(text) + next.characters;
    }
}

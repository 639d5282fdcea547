/* Copies: what may have become of a document, for each aim. How much is changed is drawn evenly from a range.
 */
#include "tune.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

/* ---- aims ---- */

#define STEP(name, least, most)                                                                              \
    { STEMMA_MUTATE_##name, least, most, 1 }
#define STEP_IN(blocks, name, least, most)                                                                   \
    { STEMMA_MUTATE_##name, least, most, blocks }

/* The same document once more: laid out anew, misread here and there, with a passage more or less. */
static const tune_change dedup_changes[] = {
    {{STEP(REWRAP, 1, 1)}, 1},
    {{STEP(CASE, .05, 1)}, 1},
    {{STEP(PUNCTUATION, .05, 1)}, 1},
    {{STEP(INSERT, .01, .05)}, 1},
    {{STEP(REMOVE_WORDS, .01, .05)}, 1},
    {{STEP(SUBSTITUTE, .001, .005)}, 1},
    {{STEP(OCR, .001, .005)}, 1},
    {{STEP(DELETE_LINES, .01, .05)}, 1},
    {{STEP(CUT, .02, .1)}, 1},
    {{STEP(INSERT_RANDOM, .02, .1)}, 1},
    {{STEP(INSERT_FOREIGN, .02, .1)}, 1},
    {{STEP(SHUFFLE, .1, .3)}, 1},
};

/* An author went on working: words, passages and their order changed, together. */
static const tune_change version_changes[] = {
    {{STEP(REMOVE_WORDS, .01, .05), STEP(INSERT, .01, .05)}, 2},
    {{STEP_IN(3, CUT, .05, .3)}, 1},
    {{STEP_IN(2, INSERT_FOREIGN, .05, .4)}, 1},
    {{STEP(DELETE_LINES, .05, .2), STEP(INSERT_FOREIGN, .05, .2)}, 2},
    {{STEP(SHUFFLE, .2, .6), STEP(REMOVE_WORDS, .01, .03)}, 2},
    {{STEP(SUBSTITUTE, .002, .01)}, 1},
    {{STEP_IN(2, CUT, .05, .2), STEP_IN(2, INSERT_FOREIGN, .05, .2), STEP(REMOVE_WORDS, .01, .03)}, 3},
    {{STEP(INSERT_RANDOM, .05, .3), STEP(OCR, .001, .005)}, 2},
};

/* All of a document in a larger one, or a part of it alone. */
static const tune_change containment_changes[] = {
    {{STEP(EXCERPT, .2, .9)}, 1},
    {{STEP(EMBED, 1, 1)}, 1},
    {{STEP(EXCERPT, .2, .9), STEP(REMOVE_WORDS, .005, .02)}, 2},
    {{STEP(REMOVE_WORDS, .005, .02), STEP(EMBED, 1, 1)}, 2},
};

/* A passage in another text, with words changed to hide it. */
static const tune_change plagiarism_changes[] = {
    {{STEP(EXCERPT, .4, 1), STEP(REMOVE_WORDS, .02, .08), STEP(EMBED, 1, 1)}, 3},
    {{STEP(EXCERPT, .4, 1), STEP(INSERT, .02, .08), STEP(EMBED, 1, 1)}, 3},
    {{STEP(EXCERPT, .4, 1), STEP(SUBSTITUTE, .001, .005), STEP(EMBED, 1, 1)}, 3},
    {{STEP(SHUFFLE, .2, .6), STEP(EXCERPT, .4, 1), STEP(REMOVE_WORDS, .01, .04), STEP(EMBED, 1, 1)}, 4},
};

#define CHANGES(list) list, sizeof list / sizeof *list

static const tune_aim aims[] = {
    {"dedup", "the same document once more", CHANGES(dedup_changes), false, 0, 10, true},
    {"versions", "other versions of a document", CHANGES(version_changes), false, .9, 3, false},
    {"containment", "documents inside others", CHANGES(containment_changes), true, 0, 3, false},
    {"plagiarism", "passages taken over and reworded", CHANGES(plagiarism_changes), true, 0, 1, false},
};

const tune_aim *tune_aim_of(const options *o) {
    return &aims[o->aim ? o->aim - 1 : 0];
}

/* ---- making them ---- */

/* One step. Where a share is too small to change anything, a word is inserted: a copy that nothing was done
 * to would tell nothing. The result replaces *text. */
static stemma_status take_step(tune_text *text, const tune_step *step, const tune_text *other,
                               tune_chance *chance, stemma_error *error) {
    stemma_mutated *mutated;
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = step->kind;
    mutation.share = chance_between(chance, step->least, step->most);
    mutation.blocks = step->blocks;
    mutation.columns = 40 + (uint32_t)chance_below(chance, 60);
    mutation.seed = chance_below(chance, UINT64_MAX);
    mutation.other = other->data;
    mutation.other_size = other->size;
    stemma_status status = stemma_mutate(text->data, text->size, &mutation, &mutated, error);
    if (!status && !stemma_mutated_get_info(mutated).changed && mutation.share < 1) {
        stemma_mutated_free(mutated);
        mutation.kind = STEMMA_MUTATE_INSERT;
        mutation.count = 1;
        status = stemma_mutate(text->data, text->size, &mutation, &mutated, error);
    }
    if (status) return status;
    size_t size;
    const char *result = stemma_mutated_text(mutated, &size);
    free(text->data);
    *text = (tune_text){need_memory(size), size};
    memcpy(text->data, result, size);
    stemma_mutated_free(mutated);
    return STEMMA_OK;
}

/* Another document than the origin, where there is one. */
static const tune_text *draw_other(const tune_sample *sample, size_t origin, tune_chance *chance) {
    static const tune_text none = {(char *)"", 0};
    if (sample->count < 2) return &none;
    size_t other = (size_t)chance_below(chance, sample->count - 1);
    return &sample->texts[other + (other >= origin)];
}

static stemma_status make_copy(tune_text *copy, const tune_sample *sample, size_t origin,
                               const tune_change *change, tune_chance *chance, stemma_error *error) {
    const tune_text *text = &sample->texts[origin];
    *copy = (tune_text){need_memory(text->size), text->size};
    memcpy(copy->data, text->data, text->size);
    for (size_t i = 0; i < change->count; i++) {
        const tune_text *other = draw_other(sample, origin, chance);
        stemma_status status = take_step(copy, &change->steps[i], other, chance, error);
        if (status) return status;
    }
    return STEMMA_OK;
}

size_t tune_change_of(const tune_aim *aim, size_t round, size_t origin) {
    return (origin + round) % aim->change_count;
}

enum exit_code tune_copies_make(tune_copies *copies, const tune_sample *sample, const tune_aim *aim,
                                uint64_t seed, size_t round) {
    tune_chance chance = {~seed ^ (uint64_t)round << 32};
    stemma_error error;
    copies->texts = need_memory(sample->count * sizeof *copies->texts);
    while (copies->count < sample->count) {
        size_t origin = copies->count++;
        const tune_change *change = &aim->changes[tune_change_of(aim, round, origin)];
        if (make_copy(&copies->texts[origin], sample, origin, change, &chance, &error))
            return complain_of(&error);
        if (stop_requested) return EXIT_INTERRUPTED;
    }
    return EXIT_DONE;
}

void tune_copies_release(tune_copies *copies) {
    for (size_t i = 0; i < copies->count; i++) free(copies->texts[i].data);
    free(copies->texts);
    *copies = (tune_copies){0};
}

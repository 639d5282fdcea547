/* Controlled modifications: requests checked, results kept. */
#include "mutate/mutate.h"

#include "api/limits.h"
#include "base/alloc.h"

struct stemma_mutated {
    struct tape tape; /* its text belongs to the caller, and is not looked at any more */
    stemma_mutated_info info;
};

#define MUTATE_COUNT_MOST 100000000u /* more insertions than that would only fill the memory */

const char *stemma_mutation_name(stemma_mutation_kind kind) {
    static const char *const names[STEMMA_MUTATION_KINDS] = {
        "insert", "insert-evenly", "remove-words",   "substitute", "delete-lines", "delete-blocks",
        "cut",    "insert-random", "insert-foreign", "excerpt",    "embed",        "shuffle",
        "rewrap", "case",          "punctuation",    "ocr",
    };
    return (unsigned)kind < STEMMA_MUTATION_KINDS ? names[kind] : "";
}

const char *stemma_operation_name(stemma_operation_kind kind) {
    static const char *const names[] = {"insert", "delete", "replace", "move"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "";
}

stemma_mutation stemma_mutation_default(void) {
    return (stemma_mutation){.size = sizeof(stemma_mutation), .share = .1, .blocks = 1, .columns = 72};
}

static bool needs_other(stemma_mutation_kind kind) {
    return kind == STEMMA_MUTATE_INSERT_FOREIGN || kind == STEMMA_MUTATE_EMBED;
}

static stemma_status check(const stemma_mutation *asked, stemma_error *err) {
    if ((unsigned)asked->kind >= STEMMA_MUTATION_KINDS)
        return fail(err, STEMMA_INVALID, "there is no mutation %d", (int)asked->kind);
    if (!(asked->share >= 0 && asked->share <= 1))
        return fail(err, STEMMA_INVALID, "a share is from 0 to 1, not %g", asked->share);
    if (asked->count > MUTATE_COUNT_MOST)
        return fail(err, STEMMA_INVALID, "an amount of more than %u is not made", MUTATE_COUNT_MOST);
    if (!asked->blocks || !asked->columns)
        return fail(err, STEMMA_INVALID, "blocks and columns are at least 1");
    if (needs_other(asked->kind) && !asked->other)
        return fail(err, STEMMA_INVALID, "%s needs another text", stemma_mutation_name(asked->kind));
    return STEMMA_OK;
}

stemma_status stemma_mutate(const void *text, size_t size, const stemma_mutation *mutation,
                            stemma_mutated **out, stemma_error *err) {
    stemma_mutation asked = stemma_mutation_default();
    if ((!text && size) || !out)
        return fail(err, STEMMA_INVALID, "a text and a place for the result are needed");
    TRY(options_take(mutation, &asked, sizeof asked, err));
    TRY(check(&asked, err));
    stemma_mutated *mutated = mem_zero(1, sizeof *mutated);
    if (!mutated) return fail_memory(err);
    stemma_status status = mutate(size ? text : "", size, &asked, &mutated->tape, &mutated->info, err);
    if (status != STEMMA_OK) {
        stemma_mutated_free(mutated);
        return status;
    }
    mutated->tape.text = NULL;
    *out = mutated;
    return STEMMA_OK;
}

const char *stemma_mutated_text(const stemma_mutated *mutated, size_t *size) {
    *size = mutated->tape.out.len;
    return mutated->tape.out.data ? (const char *)mutated->tape.out.data : "";
}

const stemma_operation *stemma_mutated_operations(const stemma_mutated *mutated, size_t *count) {
    *count = mutated->tape.count;
    return mutated->tape.operations;
}

stemma_mutated_info stemma_mutated_get_info(const stemma_mutated *mutated) {
    return mutated->info;
}

void stemma_mutated_free(stemma_mutated *mutated) {
    if (!mutated) return;
    tape_release(&mutated->tape);
    mem_free(mutated);
}

/* stemma mutate: a document changed in a known way, and what was done to it. */
#include "command.h"
#include "json.h"
#include "stored.h"

#include <limits.h>

/* Of a large document operations take many times its memory: none is kept. */
static stemma_status pass_over(void *context, const stemma_operation *operation, stemma_error *error) {
    (void)context;
    (void)operation;
    return stop_requested ? set_error(error, STEMMA_INTERRUPTED, "interrupted") : STEMMA_OK;
}

static stemma_mutation mutation_from(const options *o) {
    stemma_mutation mutation = stemma_mutation_default();
    if (o->kind) mutation.kind = (stemma_mutation_kind)(o->kind - 1); /* the choices are in their order */
    if (o->share >= 0) mutation.share = o->share;
    if (o->passage_count) mutation.blocks = o->passage_count;
    if (o->columns) mutation.columns = o->columns;
    mutation.count = o->count;
    mutation.seed = o->chance;
    mutation.take = pass_over;
    return mutation;
}

static stemma_status print_operation(void *context, const stemma_operation *operation, stemma_error *error) {
    json *line = context;
    json_open(line, NULL, '{');
    json_word(line, "kind", stemma_operation_name(operation->kind));
    json_count(line, "a_begin", operation->a_begin);
    json_count(line, "a_end", operation->a_end);
    json_count(line, "b_begin", operation->b_begin);
    json_count(line, "b_end", operation->b_end);
    json_close(line, '}');
    if (output_lost()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    return pass_over(NULL, NULL, error);
}

static void print_head(json *line, const options *o, const stemma_text *text, const stemma_mutation *mutation,
                       stemma_mutated_info info) {
    json_name(line, "id", o->operands[0]);
    json_word(line, "kind", stemma_mutation_name(mutation->kind));
    json_count(line, "seed", mutation->seed);
    json_count(line, "available", info.available);
    json_count(line, "changed", info.changed);
    json_count(line, "edits", info.edits);
    json_count(line, "moved", info.moved);
    json_offsets(line, stemma_text_is_extracted(text));
}

/* The numbers are known: what was done is said while it is done again, which the seed makes the same. */
static enum exit_code print_json(const options *o, const stemma_text *text, stemma_mutation mutation,
                                 stemma_mutated_info info) {
    stemma_mutated *again;
    stemma_error error;
    size_t size;
    const char *source = stemma_text_source(text, &size);
    json line = json_begin(stdout);
    print_head(&line, o, text, &mutation, info);
    json_open(&line, "operations", '[');
    mutation.take = print_operation;
    mutation.context = &line;
    if (stemma_mutate(source, size, &mutation, &again, &error))
        return output_lost() ? EXIT_DONE : complain_of(&error); /* of a lost output main() speaks */
    json_close(&line, ']');
    const char *result = stemma_mutated_text(again, &size);
    json_text(&line, "text", result, size);
    json_end(&line);
    stemma_mutated_free(again);
    return EXIT_DONE;
}

/* In pieces that a pipe takes whole or not at all, so that an interruption is noticed while nobody reads. */
static void print_text(const stemma_mutated *mutated) {
    size_t size;
    const char *text = stemma_mutated_text(mutated, &size);
    for (size_t at = 0; at < size && !stop_requested && !output_lost(); at += PIPE_BUF)
        fwrite(text + at, 1, size - at < PIPE_BUF ? size - at : PIPE_BUF, stdout);
}

/* The usual share of few things is none of them: who names no amount wants to see a change. */
static bool is_too_little(const options *o, const stemma_mutated *mutated) {
    return !o->count && o->share < 0 && !stemma_mutated_get_info(mutated).changed;
}

/* Text that is wrapped as it should be needs no change. */
static void warn_of_nothing(const stemma_mutation *mutation, stemma_mutated_info info) {
    if (info.changed || mutation->kind == STEMMA_MUTATE_REWRAP) return;
    complain("warning: the document stays as it is: it has too little for such a change");
}

static enum exit_code mutate_text(const options *o, const stemma_text *text, const stemma_text *other) {
    stemma_mutation mutation = mutation_from(o);
    stemma_mutated *mutated;
    stemma_error error;
    size_t size;
    const char *source = stemma_text_source(text, &size);
    if (other) mutation.other = stemma_text_source(other, &mutation.other_size);
    if (stemma_mutate(source, size, &mutation, &mutated, &error)) return complain_of(&error);
    if (is_too_little(o, mutated)) {
        stemma_mutated_free(mutated);
        mutation.count = 1;
        if (stemma_mutate(source, size, &mutation, &mutated, &error)) return complain_of(&error);
    }
    stemma_mutated_info info = stemma_mutated_get_info(mutated);
    warn_of_nothing(&mutation, info);
    if (!o->json) print_text(mutated);
    stemma_mutated_free(mutated);
    return o->json ? print_json(o, text, mutation, info) : EXIT_DONE;
}

/* NULL, after a complaint, when it cannot be read. */
static stemma_text *read_document(const options *o, const char *path, enum exit_code *code) {
    stemma_text *text;
    stemma_error error;
    stemma_recipe *recipe;
    stemma_limits limits = limits_from(o);
    if (stemma_recipe_parse(NULL, &recipe, &error)) {
        *code = complain_of(&error);
        return NULL;
    }
    bool failed =
        stored_refuse(path, "change", &error) || stemma_text_file(path, recipe, &limits, &text, &error);
    stemma_recipe_free(recipe);
    if (!failed) return text;
    *code = complain_of(&error);
    return NULL;
}

static enum exit_code check_options(const options *o) {
    bool takes_other =
        o->kind && (o->kind - 1 == STEMMA_MUTATE_EMBED || o->kind - 1 == STEMMA_MUTATE_INSERT_FOREIGN);
    if (o->operand_count != 1)
        return wrong_use("mutate", "one document is needed, %zu given", o->operand_count);
    if (o->count && o->share >= 0) return wrong_use("mutate", "--count and --share do not go together");
    if (o->kind && o->kind - 1 == STEMMA_MUTATE_REWRAP && (o->count || o->share >= 0))
        return wrong_use("mutate", "--kind=rewrap changes all lines: --count and --share have no meaning");
    if (takes_other && !o->with)
        return wrong_use("mutate", "--kind=%s needs another document: --with",
                         stemma_mutation_name((stemma_mutation_kind)(o->kind - 1)));
    if (o->with && !takes_other)
        return wrong_use("mutate", "--with belongs to --kind=embed and --kind=insert-foreign");
    return EXIT_DONE;
}

static enum exit_code run(const options *o) {
    enum exit_code code = check_options(o);
    stemma_text *text = code ? NULL : read_document(o, o->operands[0], &code);
    stemma_text *other = text && o->with ? read_document(o, o->with, &code) : NULL;
    if (!code) code = mutate_text(o, text, other);
    stemma_text_free(other);
    stemma_text_free(text);
    return code;
}

const command command_mutate = {
    .name = "mutate",
    .mask = IN_MUTATE,
    .summary = "a document changed in a known way",
    .usage = "[OPTION]... DOCUMENT",
    .purpose =
        "Prints the document after so many changes of one kind, at places that the seed decides: to see what a "
        "comparison makes of them. With --json also what was done, operation by operation. Of HTML, PDF and other "
        "formats what a reader sees is changed. '-' is standard input, so that changes can follow one another.",
    .examples = "  stemma mutate --kind=remove-words --share=.05 letter.txt >shorter.txt\n"
                "  stemma mutate --kind=embed --share=1 --with=book.txt letter.txt\n"
                "  stemma mutate --kind=ocr --share=.01 --json letter.txt\n",
    .see_also = "stemma-mutate(1), stemma-tune(1)",
    .run = run,
};

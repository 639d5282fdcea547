/* stemma text: the canonical text of a document, and the way from each token back to the original bytes; of a
 * file that holds documents the text of each, under its name. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "recipe_options.h"
#include "standard_input.h"
#include "stored.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Exactly its bytes; on a terminal the line is ended. Written in pieces that a pipe takes whole or
 * not at all, so that an interruption is noticed while nobody reads. */
static void print_text(const char *data, size_t size) {
    for (size_t at = 0; at < size && !stop_requested && !output_lost(); at += PIPE_BUF)
        fwrite(data + at, 1, size - at < PIPE_BUF ? size - at : PIPE_BUF, stdout);
    if (output_on_terminal() && (size == 0 || data[size - 1] != '\n')) putchar('\n');
}

static void print_text_json(const stemma_text *text, const char *name, const char *data, size_t size) {
    json line = json_begin(stdout);
    json_name(&line, "id", name);
    json_count(&line, "tokens", stemma_text_token_count(text));
    json_offsets(&line, stemma_text_is_extracted(text));
    json_text(&line, "text", data, size);
    json_end(&line);
}

static void print_token(const stemma_token *token, const char *data) {
    char *safe = safe_text(data + token->begin, token->end - token->begin);
    printf("%llu-%llu\t%s\n", (unsigned long long)token->source_begin, (unsigned long long)token->source_end,
           safe);
    free(safe);
}

/* id: of a document inside another file; else NULL. */
static void print_token_json(const stemma_token *token, const char *data, const char *id) {
    json line = json_begin(stdout);
    if (id) json_name(&line, "id", id);
    json_text(&line, "token", data + token->begin, token->end - token->begin);
    json_count(&line, "begin", token->begin);
    json_count(&line, "end", token->end);
    json_count(&line, "source_begin", token->source_begin);
    json_count(&line, "source_end", token->source_end);
    json_end(&line);
}

static stemma_status print_tokens(const stemma_text *text, bool as_json, const char *id,
                                  stemma_error *error) {
    stemma_token token;
    size_t size, count = stemma_text_token_count(text);
    const char *data = stemma_text_data(text, &size);
    for (size_t i = 0; i < count && !stop_requested && !output_lost(); i++) {
        stemma_status status = stemma_text_token(text, i, &token, error);
        if (status) return status;
        if (as_json)
            print_token_json(&token, data, id);
        else
            print_token(&token, data);
    }
    return STEMMA_OK;
}

static const char *asked_for(const options *o, const stemma_text *text, size_t *size) {
    const bool source = o->extracted && !stemma_text_is_binary(text);
    return source ? stemma_text_source(text, size) : stemma_text_data(text, size);
}

static stemma_status print_document(const options *o, const char *id, const stemma_text *text,
                                    stemma_error *error) {
    size_t size;
    if (o->tokens) return print_tokens(text, o->json, id, error);
    const char *data = asked_for(o, text, &size);
    if (o->json)
        print_text_json(text, id ? id : o->operands[0], data, size);
    else
        print_text(data, size);
    return STEMMA_OK;
}

/* ---- documents inside another file ---- */

typedef struct showing {
    const options *options;
    uint64_t shown, without_text;
    enum exit_code code;
} showing;

static bool is_line_open(const options *o, const stemma_text *text) {
    size_t size;
    const char *data = asked_for(o, text, &size);
    return !o->tokens && size && data[size - 1] != '\n' && !output_on_terminal();
}

/* Under its name, as head(1) has it. */
static stemma_status print_named(showing *s, const char *id, const stemma_text *text, stemma_error *error) {
    if (s->shown++) putchar('\n');
    fputs("==> ", stdout);
    print_name(stdout, id);
    puts(" <==");
    stemma_status status = print_document(s->options, id, text, error);
    if (is_line_open(s->options, text)) putchar('\n');
    return status;
}

static stemma_status take_text(void *context, const char *id, const stemma_text *text, stemma_error *error) {
    showing *s = context;
    const options *o = s->options;
    if (stop_requested) return set_error(error, STEMMA_INTERRUPTED, "interrupted");
    if (!flush_output()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    if (!id && stemma_text_is_binary(text)) complain_no_text(o->operands[0], "print");
    s->without_text += id && stemma_text_is_binary(text);
    if (id && stemma_text_is_binary(text) && !o->json) return STEMMA_OK;
    stemma_status status =
        id && !o->json ? print_named(s, id, text, error) : print_document(o, id, text, error);
    output_lost(); /* its cause, before more is read and changes errno */
    return status;
}

static void take_problem(void *context, const char *id, const stemma_error *cause) {
    showing *s = context;
    (void)id;
    s->code = graver(s->code, complain_of(cause));
}

static void tell_without_text(const showing *s) {
    char count[32];
    if (s->without_text)
        complain("no text to print in %s of '%s'", count_of_documents(s->without_text, count, sizeof count),
                 s->options->operands[0]);
}

/* ---- the command ---- */

static enum exit_code run(const options *o) {
    showing s = {.options = o};
    stemma_recipe *recipe;
    stemma_error error;
    if (o->operand_count != 1)
        return wrong_use("text", "one document is needed, %zu given", o->operand_count);
    if (o->tokens && o->extracted) return wrong_use("text", "--tokens and --extracted do not go together");
    enum exit_code code = recipe_from_options(o, "text", &recipe);
    if (code) return code;
    stemma_limits limits = limits_from(o);
    if ((!strcmp(o->operands[0], "-") && standard_input_keep(&error)) ||
        stored_refuse(o->operands[0], "show the text of", &error) ||
        stemma_text_each(o->operands[0], recipe, &limits, take_text, take_problem, &s, &error))
        code = complain_unless_lost(&error);
    tell_without_text(&s);
    stemma_recipe_free(recipe);
    return graver(code, s.code);
}

const command command_text = {
    .name = "text",
    .mask = IN_TEXT,
    .summary = "the canonical text of a document",
    .usage = "[OPTION]... DOCUMENT",
    .purpose =
        "Prints the text that comparisons are made of: what remains of the document under the preset. With "
        "--tokens one token a line, after the range of bytes of the original it came from. Of HTML, PDF and other "
        "formats it is what a reader sees, and --extracted prints that before it is folded. Of an archive, a "
        "mailbox, a crawl or a data set the text of each document in it, under its name; FILE!/MEMBER and FILE:ID "
        "are one of them. '-' is standard input.",
    .examples = "  stemma text letter.txt\n"
                "  stemma text --preset=code main.c\n"
                "  stemma text --tokens letter.txt\n"
                "  stemma text --extracted page.html\n"
                "  stemma text old.zip!/letter.docx\n",
    .see_also = "stemma-text(1), stemma-recipe(7)",
    .run = run,
};

/* stemma text: the canonical text of a document, and the way from each token back to the original bytes. */
#include "command.h"
#include "json.h"
#include "recipe_options.h"
#include "stored.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Exactly its bytes; on a terminal the line is ended. Written in pieces that a pipe takes whole or
 * not at all, so that an interruption is noticed while nobody reads. */
static void print_text(const char *data, size_t size) {
    for (size_t at = 0; at < size && !stop_requested && !output_lost(); at += PIPE_BUF)
        fwrite(data + at, 1, size - at < PIPE_BUF ? size - at : PIPE_BUF, stdout);
    if (isatty(STDOUT_FILENO) && (size == 0 || data[size - 1] != '\n')) putchar('\n');
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

static void print_token_json(const stemma_token *token, const char *data) {
    json line = json_begin(stdout);
    json_text(&line, "token", data + token->begin, token->end - token->begin);
    json_count(&line, "begin", token->begin);
    json_count(&line, "end", token->end);
    json_count(&line, "source_begin", token->source_begin);
    json_count(&line, "source_end", token->source_end);
    json_end(&line);
}

static enum exit_code print_tokens(const stemma_text *text, bool as_json) {
    stemma_error error;
    stemma_token token;
    size_t size, count = stemma_text_token_count(text);
    const char *data = stemma_text_data(text, &size);
    for (size_t i = 0; i < count && !stop_requested && !output_lost(); i++) {
        if (stemma_text_token(text, i, &token, &error)) return complain_of(&error);
        if (as_json)
            print_token_json(&token, data);
        else
            print_token(&token, data);
    }
    return EXIT_DONE;
}

static enum exit_code print_document(const options *o, const stemma_text *text) {
    size_t size;
    if (o->tokens) return print_tokens(text, o->json);
    const bool source = o->extracted && !stemma_text_is_binary(text);
    const char *data = source ? stemma_text_source(text, &size) : stemma_text_data(text, &size);
    if (o->json)
        print_text_json(text, o->operands[0], data, size);
    else
        print_text(data, size);
    return EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_recipe *recipe;
    stemma_text *text;
    stemma_error error;
    if (o->operand_count != 1)
        return wrong_use("text", "one document is needed, %zu given", o->operand_count);
    if (o->tokens && o->extracted) return wrong_use("text", "--tokens and --extracted do not go together");
    enum exit_code code = recipe_from_options(o, "text", &recipe);
    if (code) return code;
    stemma_limits limits = limits_from(o);
    if (stored_refuse(o->operands[0], "show the text of", &error) ||
        stemma_text_file(o->operands[0], recipe, &limits, &text, &error)) {
        code = complain_of(&error);
    } else {
        if (stemma_text_is_binary(text)) complain_no_text(o->operands[0], "print");
        code = print_document(o, text);
        stemma_text_free(text);
    }
    stemma_recipe_free(recipe);
    return code;
}

const command command_text = {
    .name = "text",
    .mask = IN_TEXT,
    .summary = "the canonical text of a document",
    .usage = "[OPTION]... DOCUMENT",
    .purpose =
        "Prints the text that comparisons are made of: what remains of the document under the preset. With "
        "--tokens one token a line, after the range of bytes of the original it came from. Of HTML, PDF and other "
        "formats it is what a reader sees, and --extracted prints that before it is folded. '-' is standard input.",
    .examples = "  stemma text letter.txt\n"
                "  stemma text --preset=code main.c\n"
                "  stemma text --tokens letter.txt\n"
                "  stemma text --extracted page.html\n",
    .see_also = "stemma-text(1), stemma-recipe(7)",
    .run = run,
};

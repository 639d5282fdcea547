/* stemma show: what a file of sketches holds, without the documents. */
#include "command.h"
#include "json.h"

enum { DIGEST_SHOWN = 6 }; /* bytes of 32: enough to see which documents are equal */

static void print_head(const char *path, const stemma_reader *reader) {
    print_name(stdout, path);
    printf("\n  recipe  %s\n", stemma_recipe_text(stemma_reader_recipe(reader)));
    printf("%15s %13s %13s  %-12s  %s\n", "bytes", "tokens", "shingles", "digest", "name");
}

/* What the symbols and the steps between positions take in the file (docs/format.md). */
static uint64_t signature_bytes(const stemma_sketch_part *part) {
    uint64_t bits = 1, bytes = 0;
    while ((uint64_t)1 << bits < part->alphabet) bits++;
    for (size_t i = 0; part->positions && i < part->symbol_count; i++) {
        uint64_t step = part->positions[i] - (i ? part->positions[i - 1] : 0);
        do bytes++;
        while (step >>= 7);
    }
    return bytes + (part->symbol_count * bits + 7) / 8;
}

static void print_signatures(const stemma_sketch *sketch) {
    stemma_sketch_part part;
    char symbols[32], length[32], bytes[32];
    for (size_t i = 0; stemma_sketch_get_part(sketch, i, &part, NULL) == STEMMA_OK; i++) {
        if (part.c == 0) continue;
        printf("%15s %s n=%u c=%u: %s symbols of %s characters in %s bytes%s\n", "", part.scheme, part.n,
               part.c, format_count(part.symbol_count, symbols, sizeof symbols),
               format_count(part.length, length, sizeof length),
               format_count(signature_bytes(&part), bytes, sizeof bytes),
               part.positions ? ", with positions" : "");
    }
}

static void print_row(const stemma_sketch *sketch) {
    stemma_document_info info = stemma_sketch_info(sketch);
    char bytes[32], tokens[32], shingles[32];
    printf("%15s %13s %13s  ", format_count(info.bytes, bytes, sizeof bytes),
           format_count(info.tokens, tokens, sizeof tokens),
           format_count(info.shingles, shingles, sizeof shingles));
    for (size_t i = 0; i < DIGEST_SHOWN; i++) printf("%02x", info.digest[i]);
    fputs("  ", stdout);
    print_name(stdout, info.name);
    putchar('\n');
    print_signatures(sketch);
}

static enum exit_code show_sketches(stemma_reader *reader, bool as_json) {
    stemma_sketch *sketch;
    stemma_error error;
    while (!stop_requested && !output_lost()) {
        stemma_status status = stemma_reader_next(reader, &sketch, &error);
        if (status == STEMMA_NOT_FOUND) return EXIT_DONE;
        if (status) return complain_of(&error);
        if (as_json)
            json_sketch(stdout, sketch);
        else
            print_row(sketch);
        stemma_sketch_free(sketch);
    }
    return EXIT_DONE;
}

static enum exit_code show_file(const char *path, bool as_json) {
    stemma_reader *reader;
    stemma_error error;
    if (stemma_reader_open(path, &reader, &error)) return complain_of(&error);
    if (!as_json) print_head(path, reader);
    enum exit_code code = show_sketches(reader, as_json);
    stemma_reader_free(reader);
    return code;
}

static enum exit_code run(const options *o) {
    enum exit_code code = EXIT_DONE;
    if (o->operand_count == 0) return wrong_use("show", "no files of sketches were given");
    for (size_t i = 0; i < o->operand_count && !stop_requested && !output_lost(); i++)
        code = graver(code, show_file(o->operands[i], o->json));
    return code;
}

const command command_show = {
    .name = "show",
    .mask = IN_SHOW,
    .summary = "what a file of sketches holds",
    .usage = "[OPTION]... FILE...",
    .purpose =
        "Shows the recipe of each file made by 'stemma sketch', and a row for each sketch in it: bytes, tokens "
        "and shingles of the document, the beginning of its digest, its name; and a row for each signature in it. 'stemma compare' takes such a "
        "sketch as FILE#NAME.",
    .examples = "  stemma show all.sketch\n"
                "  stemma show --json all.sketch | jq -r .id\n",
    .see_also = "stemma-show(1), stemma-sketch(1), stemma-compare(1)",
    .run = run,
};

/* stemma merge: collections of several machines into one. */
#include "collections.h"
#include "command.h"
#include "json.h"

/* ---- where they do not keep the same ---- */

static const struct {
    unsigned part;
    const char *name;
} part_names[] = {{STEMMA_PART_MINIMA, "minima"},
                  {STEMMA_PART_SAMPLES, "samples"},
                  {STEMMA_PART_BITS, "bits"},
                  {STEMMA_PART_TEXT, "texts"},
                  {STEMMA_PART_SIGNATURE, "signatures"}};
enum { PART_NAMES = sizeof part_names / sizeof *part_names };

static void json_some(json *line, const char *key, uint64_t count) {
    if (count) json_count(line, key, count);
}

static void json_parts(json *line, const stemma_merge_summary *s) {
    json_some(line, "made_again", s->made);
    json_some(line, "without_text", s->without_text);
    json_some(line, "without_signature", s->without_signature);
    json_some(line, "without_bits", s->without_bits);
    if (s->bits != s->bits_before) json_count(line, "bits_before", s->bits_before);
    if (s->bits != s->bits_before) json_count(line, "hamming_bits", s->bits);
    if (!s->dropped) return;
    json_open(line, "left_out", '[');
    for (size_t i = 0; i < PART_NAMES; i++)
        if (s->dropped & part_names[i].part) json_word(line, NULL, part_names[i].name);
    json_close(line, ']');
}

static void tell_bits(const char *collection, const char *from, const stemma_merge_summary *s) {
    const bool ours = s->bits_before > s->bits;
    if (!s->bits || !s->bits_given || s->bits_before == s->bits_given) return;
    print_name(stdout, ours ? collection : from);
    printf(": fingerprints are cut from %u bits to %u, as many as ", ours ? s->bits_before : s->bits_given,
           s->bits);
    print_name(stdout, ours ? from : collection);
    puts(" has");
}

static void tell_count(uint64_t count, const char *what) {
    char text[64];
    if (count) printf("  %s %s\n", count_of_documents(count, text, sizeof text), what);
}

static void tell_parts(const stemma_merge_summary *s) {
    const char *before = "  left out, since they are not kept: ";
    for (size_t i = 0; i < PART_NAMES; i++) {
        if (!(s->dropped & part_names[i].part)) continue;
        printf("%s%s", before, part_names[i].name);
        before = ", ";
    }
    if (s->dropped) putchar('\n');
    tell_count(s->made, "read, to make what is kept here and was not there");
    tell_count(s->without_text, "without a stored text, for want of its text");
    tell_count(s->without_signature, "without a signature, for want of its text");
    tell_count(s->without_bits, "without a fingerprint, for want of its text");
}

static void print_one(const options *o, const char *from, const stemma_merge_summary *s) {
    char text[64];
    if (o->json) {
        json line = json_begin(stdout);
        json_name(&line, "from", from);
        json_count(&line, "documents", s->documents);
        json_count(&line, "added", s->added);
        json_count(&line, "replaced", s->replaced);
        json_count(&line, "unchanged", s->unchanged);
        json_parts(&line, s);
        json_end(&line);
        return;
    }
    if (o->quiet) return;
    tell_bits(o->operands[0], from, s);
    print_name(stdout, from);
    printf(": %s added", format_count(s->added, text, sizeof text));
    printf(", %s replaced", format_count(s->replaced, text, sizeof text));
    printf(", %s unchanged\n", format_count(s->unchanged, text, sizeof text));
    tell_parts(s);
}

static enum exit_code merge_all(const options *o, stemma_collection *c, bool made, size_t *merged) {
    stemma_merge_summary summary;
    stemma_error error;
    for (size_t i = 1; i < o->operand_count; i++, ++*merged) {
        if (stemma_collection_merge(c, o->operands[i], o->prefix, &summary, &error))
            return complain_of(&error);
        if (made && i == 1 && !o->json && !o->quiet) collection_print_made(o->operands[0], c);
        print_one(o, o->operands[i], &summary);
    }
    return EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    size_t merged = 0;
    what_made made;
    if (o->operand_count < 2)
        return wrong_use("merge", "a collection, and what is to be merged into it, are needed");
    enum exit_code code = collection_to_merge(o, "stemma merge", o->operands[1], &c, &made);
    if (code) return code;
    code = merge_all(o, c, made.collection, &merged);
    if (code && !merged) collection_take_back(o->operands[0], c, &made);
    stemma_collection_free(c);
    return code;
}

const command command_merge = {
    .name = "merge",
    .mask = IN_MERGE,
    .summary = "collections of several machines into one",
    .usage = "[OPTION]... COLLECTION FROM...",
    .purpose =
        "Takes the documents of other collections, or of files that 'stemma export' wrote, into a collection, which is "
        "made when it is not there. The view must be the same; the collection goes on to keep what it does, and says what "
        "is left out or made again. A document whose id is there is replaced, "
        "unless it is the same; --prefix keeps equal paths of several machines apart. Each FROM is one commit.",
    .examples = "  stemma merge all.stemma monday.stemma tuesday.stemma\n"
                "  stemma merge --prefix=server1: all.stemma server1.export\n",
    .see_also = "stemma-merge(1), stemma-export(1), stemma-add(1)",
    .run = run,
};

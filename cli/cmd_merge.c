/* stemma merge: collections of several machines into one. */
#include "collections.h"
#include "command.h"
#include "json.h"

#include <unistd.h>

static void print_one(const options *o, const char *from, const stemma_merge_summary *s) {
    char text[64];
    if (o->json) {
        json line = json_begin(stdout);
        json_name(&line, "from", from);
        json_count(&line, "documents", s->documents);
        json_count(&line, "added", s->added);
        json_count(&line, "replaced", s->replaced);
        json_count(&line, "unchanged", s->unchanged);
        json_end(&line);
        return;
    }
    if (o->quiet) return;
    print_name(stdout, from);
    printf(": %s added", format_count(s->added, text, sizeof text));
    printf(", %s replaced", format_count(s->replaced, text, sizeof text));
    printf(", %s unchanged\n", format_count(s->unchanged, text, sizeof text));
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

/* Another process may have filled it before this one had the lock. */
static bool is_empty(stemma_collection *c) {
    stemma_collection_info info;
    return !stemma_collection_get_info(c, &info, NULL) && info.documents == 0;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    size_t merged = 0;
    bool made;
    if (o->operand_count < 2)
        return wrong_use("merge", "a collection, and what is to be merged into it, are needed");
    const bool no_folder = access(o->operands[0], F_OK) != 0;
    enum exit_code code = collection_to_merge(o, "stemma merge", o->operands[1], &c, &made);
    if (code) return code;
    code = merge_all(o, c, made, &merged);
    if (made && !merged && is_empty(c)) collection_unmake(o->operands[0], no_folder);
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
        "made when it is not there. View and parts must be the same. A document whose id is there is replaced, "
        "unless it is the same; --prefix keeps equal paths of several machines apart. Each FROM is one commit.",
    .examples = "  stemma merge all.stemma monday.stemma tuesday.stemma\n"
                "  stemma merge --prefix=server1: all.stemma server1.export\n",
    .see_also = "stemma-merge(1), stemma-export(1), stemma-add(1)",
    .run = run,
};

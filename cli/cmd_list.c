/* stemma list: the documents of a collection. */
#include "collections.h"
#include "command.h"
#include "json.h"

#include <string.h>
#include <time.h>

static void json_time(json *j, const char *key, int64_t nanoseconds) {
    char text[40];
    time_t seconds = (time_t)(nanoseconds / 1000000000);
    struct tm parts;
    if (nanoseconds == 0 || !gmtime_r(&seconds, &parts)) return;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_word(j, key, text);
}

static void print_json(const stemma_collection_document *d) {
    json line = json_begin(stdout);
    json_name(&line, "id", d->id);
    if (d->source) json_name(&line, "source", d->source);
    json_count(&line, "number", d->number);
    json_count(&line, "bytes", d->bytes);
    json_count(&line, "text_bytes", d->text_bytes);
    json_count(&line, "shingles", d->shingles);
    json_time(&line, "modified", d->modified);
    const char *form = d->binary ? "binary" : d->container ? "container" : d->form;
    if (strcmp(form, "text")) json_word(&line, "form", form);
    if (d->unreadable) json_bool(&line, "unreadable", true);
    if (d->outdated) json_bool(&line, "outdated", true);
    json_end(&line);
}

typedef struct listing {
    const options *options;
    uint64_t count, unreadable, outdated;
} listing;

static stemma_status print_document(void *context, const stemma_collection_document *d, stemma_error *error) {
    listing *l = context;
    const options *o = l->options;
    l->count++;
    l->outdated += d->outdated;
    if (output_lost()) return set_error(error, STEMMA_INTERRUPTED, "nobody reads");
    if (o->json) {
        print_json(d);
    } else if (d->unreadable) {
        l->unreadable++;
    } else if (o->print0) {
        fputs(d->id, stdout);
        putchar(0);
    } else {
        print_name(stdout, d->id);
        putchar('\n');
    }
    return STEMMA_OK;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    stemma_error error;
    listing l = {.options = o};
    char text[64];
    if (o->operand_count == 0 || o->operand_count > 2)
        return wrong_use("list", "a collection is needed, and at most one pattern behind it");
    if (o->json && o->print0) return wrong_use("list", "only one of --json and --print0");
    enum exit_code code = collection_to_read(o, &c);
    if (code) return code;
    const char *glob = o->operand_count == 2 ? o->operands[1] : NULL;
    stemma_status status = stemma_collection_list(c, glob, print_document, &l, &error);
    stemma_collection_free(c);
    if (status) return complain_unless_lost(&error);
    if (l.unreadable && !o->quiet)
        complain("left out: %s that could not be read (--json lists all)",
                 count_of_documents(l.unreadable, text, sizeof text));
    if (l.outdated && !o->quiet && !o->json)
        complain("%s changed since, and could not be read then (--json says which)",
                 count_of_documents(l.outdated, text, sizeof text));
    if (l.count || !glob) return EXIT_DONE;
    complain("nothing in the collection matches '%s'", glob);
    return EXIT_NO;
}

const command command_list_documents = {
    .name = "list",
    .mask = IN_LIST,
    .summary = "the documents of a collection",
    .usage = "[OPTION]... COLLECTION [PATTERN]",
    .purpose =
        "Prints the ids of the documents of a collection, or of those that match a pattern, with the rules of an "
        "ignore file: '*.txt', 'drafts/', '/home/me/**/old'. With --json also sizes, times and formats.",
    .examples = "  stemma list contracts.stemma\n"
                "  stemma list --json contracts.stemma '*.pdf' | jq .bytes\n",
    .see_also = "stemma-list(1), stemma-info(1), stemma-remove(1)",
    .no = "nothing matched the pattern",
    .run = run,
};

/* stemma verify: is a collection as it was written? */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "reading_options.h"
#include "recipe_options.h"

#include <string.h>

static void print_finding(void *context, const char *text) {
    const options *o = context;
    if (o->json) {
        json line = json_begin(stdout);
        json_name(&line, "finding", text);
        json_end(&line);
    } else {
        print_name(stdout, text);
        putchar('\n');
    }
}

static void print_json(const stemma_verify_summary *s, const char *path) {
    json line = json_begin(stdout);
    json_name(&line, "collection", path);
    json_bool(&line, "sound", s->damages == 0);
    json_count(&line, "damages", s->damages);
    json_bool(&line, "repaired", s->repaired);
    json_count(&line, "lost", s->lost);
    json_count(&line, "documents", s->documents);
    json_count(&line, "files", s->files);
    json_count(&line, "bytes", s->bytes);
    json_end(&line);
}

static void print_words(const stemma_verify_summary *s, const char *path) {
    char text[64], bytes[32];
    print_name(stdout, path);
    if (s->damages == 0)
        printf(": sound; %s", count_of_documents(s->documents, text, sizeof text));
    else
        printf(": %s damaged", s->damages == 1 ? "1 place" : format_count(s->damages, text, sizeof text));
    if (s->damages > 1) fputs(" places", stdout);
    if (s->repaired) printf(", repaired; %s left", count_of_documents(s->documents, text, sizeof text));
    if (s->repaired && s->lost) printf(", %s lost", format_count(s->lost, text, sizeof text));
    printf(", %s read", format_bytes(s->bytes, bytes, sizeof bytes));
    puts(s->damages && !s->repaired ? "; 'stemma verify --repair' mends what can be mended"
         : s->lost                  ? "; 'stemma add' brings back what is still where it was"
                                    : "");
}

static stemma_status verify(const options *o, const uint8_t *key, size_t key_size,
                            stemma_verify_summary *summary, stemma_error *error) {
    stemma_verify_options how = stemma_verify_options_default();
    stemma_limits limits = limits_from(o);
    how.repair = o->repair;
    how.wait = o->wait;
    how.user = "stemma verify --repair";
    how.key = key_size ? key : NULL;
    how.key_size = key_size;
    return stemma_collection_verify(o->operands[0], &how, &limits, print_finding, (void *)o, summary, error);
}

static enum exit_code run(const options *o) {
    stemma_verify_summary summary;
    stemma_error error;
    uint8_t key[KEY_MAX + 1];
    size_t key_size;
    if (o->operand_count != 1)
        return wrong_use("verify", "one collection is needed, %zu given", o->operand_count);
    enum exit_code code = key_from_options(o, key, &key_size);
    if (code) return code;
    stemma_status status = verify(o, key, key_size, &summary, &error);
    explicit_bzero(key, sizeof key);
    if (status) return complain_of(&error);
    if (o->json)
        print_json(&summary, o->operands[0]);
    else if (!o->quiet)
        print_words(&summary, o->operands[0]);
    return summary.damages ? EXIT_NO : EXIT_DONE;
}

const command command_verify = {
    .name = "verify",
    .mask = IN_VERIFY,
    .summary = "check all of a collection, and repair it",
    .usage = "[OPTION]... COLLECTION",
    .purpose =
        "Reads every byte of a collection, holds its indexes against its documents, and says what is damaged. With "
        "--repair what is sound is written again, as one commit: indexes are made anew, sketches from stored texts or "
        "from documents that have not changed; documents of which something is lost for good are named, so that "
        "'stemma add' can read them again.",
    .examples = "  stemma verify contracts.stemma\n"
                "  stemma verify --repair contracts.stemma\n"
                "  stemma verify --json contracts.stemma | jq 'select(.sound != null)'\n",
    .see_also = "stemma-verify(1), stemma-backup(1), stemma-add(1)",
    .no = "something is damaged (or was, with --repair)",
    .run = run,
};

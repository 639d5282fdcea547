/* stemma info: what a collection is and keeps. */
#include "collections.h"
#include "command.h"
#include "json.h"

#include <stdlib.h>
#include <time.h>

static const char *time_text(int64_t nanoseconds, char *buffer, size_t size) {
    time_t seconds = (time_t)(nanoseconds / 1000000000);
    struct tm parts;
    if (nanoseconds == 0 || !gmtime_r(&seconds, &parts)) return "never";
    strftime(buffer, size, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return buffer;
}

static void print_json(const stemma_collection_info *i, const char *path, const char *recipe) {
    char time[40];
    json line = json_begin(stdout);
    json_name(&line, "collection", path);
    json_count(&line, "documents", i->documents);
    json_count(&line, "datasets", i->datasets);
    json_count(&line, "bytes", i->bytes);
    json_count(&line, "removed", i->gone);
    json_count(&line, "segments", i->segments);
    json_count(&line, "segments_due", i->segments_due);
    json_count(&line, "commits", i->commit);
    json_word(&line, "committed", time_text(i->committed, time, sizeof time));
    json_word(&line, "recipe", recipe);
    if (i->damage) json_name(&line, "damage", i->damage);
    if (i->bits) json_count(&line, "hamming_bits", i->bits);
    if (i->group_bits) json_count(&line, "group_bits", i->group_bits);
    if (i->signature_symbols) json_count(&line, "signature_symbols", i->signature_symbols);
    if (i->without_bits) json_count(&line, "without_bits", i->without_bits);
    json_open(&line, "parts", '[');
    for (size_t k = 0; k < i->part_count; k++) {
        json_open(&line, NULL, '{');
        json_word(&line, "part", i->part_list[k].name);
        json_count(&line, "bytes", i->part_list[k].bytes);
        json_bool(&line, "index", i->part_list[k].index);
        json_close(&line, '}');
    }
    json_close(&line, ']');
    json_end(&line);
}

static void print_part(const stemma_collection_part *part, uint64_t rows) {
    char bytes[32];
    printf("  %-14s %10s", part->name, format_bytes(part->bytes, bytes, sizeof bytes));
    if (rows) printf("  %7.1f bytes a document", (double)part->bytes / (double)rows);
    puts(part->index ? "  (index)" : "");
}

/* What would have to be asked for when a collection is made. */
static void print_left_out(unsigned parts) {
    static const struct {
        unsigned part;
        const char *name;
    } all[] = {
        {STEMMA_PART_MINIMA, "minima"}, {STEMMA_PART_SAMPLES, "samples"},      {STEMMA_PART_BITS, "bits"},
        {STEMMA_PART_GROUPS, "groups"}, {STEMMA_PART_SIGNATURE, "signatures"}, {STEMMA_PART_TEXT, "texts"}};
    const char *before = "not kept   ";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (parts & all[i].part) continue;
        printf("%s%s", before, all[i].name);
        before = ", ";
    }
    if (before[0] == ',') puts(": chosen when a collection is made, see 'stemma add --help'");
}

static void print_words(const stemma_collection_info *i, const char *path, const char *recipe) {
    char text[64], time[40];
    print_name(stdout, path);
    printf(": %s", count_of_documents(i->documents, text, sizeof text));
    printf(", %s on disk\n", format_bytes(i->bytes, text, sizeof text));
    printf("recipe     %s\n", recipe);
    printf("commits    %s", format_count(i->commit, text, sizeof text));
    printf(", the last one %s\n", time_text(i->committed, time, sizeof time));
    printf("segments   %s", format_count(i->segments, text, sizeof text));
    printf(", with %s removed that still take space\n", format_count(i->gone, text, sizeof text));
    if (i->segments_due)
        printf(
            "           %llu of them have yet to be merged; if a commit leaves it so, 'stemma verify' says why\n",
            (unsigned long long)i->segments_due);
    fputs("health     ", stdout);
    print_name(stdout, i->damage ? i->damage : "nothing wrong at a glance");
    puts(i->damage ? "; 'stemma verify --repair'" : "; 'stemma verify' reads all of it");
    puts("parts");
    for (size_t k = 0; k < i->part_count; k++) print_part(&i->part_list[k], i->documents);
    print_left_out(i->parts);
    if (i->without_bits)
        printf("%s without a fingerprint, which could not be made for want of the text\n",
               count_of_documents(i->without_bits, text, sizeof text));
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    stemma_collection_info info;
    stemma_error error;
    if (o->operand_count != 1)
        return wrong_use("info", "one collection is needed, %zu given", o->operand_count);
    enum exit_code code = collection_to_read(o, &c);
    if (code) return code;
    char *recipe = collection_view(c);
    if (stemma_collection_get_info(c, &info, &error))
        code = complain_of(&error);
    else if (o->json)
        print_json(&info, o->operands[0], recipe);
    else
        print_words(&info, o->operands[0], recipe);
    free(recipe);
    stemma_collection_free(c);
    return code;
}

const command command_info = {
    .name = "info",
    .mask = IN_INFO,
    .summary = "what a collection is and keeps",
    .usage = "[OPTION]... COLLECTION",
    .purpose =
        "Says how many documents a collection has, how they are looked at, when it was last changed, whether damage "
        "shows without reading all of it, and how many bytes each part of it takes. Parts marked as an "
        "index can be made again from the others. 'stemma verify' checks all of it.",
    .examples = "  stemma info contracts.stemma\n"
                "  stemma info --json contracts.stemma | jq .documents\n",
    .see_also = "stemma-info(1), stemma-verify(1), stemma-list(1)",
    .run = run,
};

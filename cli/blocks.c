/*
 * stemma compare --blocks: which blocks of a large file hold text of a document, and how much. A file that
 * has to be converted is divided as its text is, or nothing would be found in it.
 */
#include "command.h"
#include "fragments.h"
#include "json.h"
#include "recipe_options.h"
#include "stored.h"

static double share_of(const stemma_block *block) {
    return block->end > block->begin ? (double)block->covered / (double)(block->end - block->begin) : 0;
}

static void print_head(const char *a, const char *big, const stemma_find_summary *summary, bool extracted) {
    char share[32], number[32];
    printf("%s of ", format_fraction(summary->share, share, sizeof share));
    print_name(stdout, a);
    printf(" is in ");
    print_name(stdout, big);
    printf(", in %s block%s%s\n", format_count(summary->blocks, number, sizeof number),
           summary->blocks == 1 ? "" : "s", extracted ? " (of its text)" : "");
}

static void print_blocks(const stemma_findings *findings, const stemma_find_summary *summary) {
    size_t count;
    char share[32], target[32], left[32];
    const stemma_block *blocks = stemma_findings_blocks(findings, &count);
    if (count) printf("%16s %16s  %8s  %8s\n", "begin", "end", "of block", "of A");
    for (size_t i = 0; i < count && !output_lost(); i++)
        printf("%16llu %16llu  %8s  %8s\n", (unsigned long long)blocks[i].begin,
               (unsigned long long)blocks[i].end, format_fraction(share_of(&blocks[i]), share, sizeof share),
               format_fraction(blocks[i].target_share, target, sizeof target));
    if (summary->blocks > count)
        printf("and %s more\n", format_count(summary->blocks - count, left, sizeof left));
}

static void print_json(const char *a, const stemma_found *found, const stemma_find_summary *summary) {
    size_t count;
    const stemma_block *blocks = stemma_findings_blocks(found->findings, &count);
    json line = json_begin(stdout);
    json_name(&line, "a", a);
    json_name(&line, "b", found->id);
    json_count(&line, "bytes", summary->bytes);
    json_number(&line, "share", summary->share);
    json_count(&line, "covered", summary->covered);
    json_count(&line, "block_count", summary->blocks);
    json_offsets(&line, found->extracted);
    json_open(&line, "blocks", '[');
    for (size_t i = 0; i < count && !output_lost(); i++) {
        json_open(&line, NULL, '{');
        json_count(&line, "begin", blocks[i].begin);
        json_count(&line, "end", blocks[i].end);
        json_count(&line, "fragments", blocks[i].fragments);
        json_count(&line, "covered", blocks[i].covered);
        json_number(&line, "block_share", share_of(&blocks[i]));
        json_number(&line, "target_share", blocks[i].target_share);
        json_close(&line, '}');
    }
    json_close(&line, ']');
    json_end(&line);
}

struct shown {
    const options *options;
    const char *a;
};

static bool print_found(void *context, const stemma_found *found) {
    const struct shown *shown = context;
    stemma_find_summary summary = stemma_findings_summary(found->findings);
    if (shown->options->json) {
        print_json(shown->a, found, &summary);
    } else {
        print_head(shown->a, found->id, &summary, found->extracted);
        if (!shown->options->quiet) print_blocks(found->findings, &summary);
    }
    return true;
}

static enum exit_code search(const options *o, const stemma_recipe *recipe, const char *a, const char *big) {
    stemma_limits limits = limits_from(o);
    stemma_find_options how = stemma_find_options_default();
    stemma_finder *finder;
    stemma_error error;
    how.block = o->blocks;
    if (stored_refuse(a, "look for", &error) || stored_refuse(big, "search", &error) ||
        stemma_finder_new(&(stemma_target){.path = a}, 1, recipe, &how, &limits, &finder, &error))
        return complain_of(&error);
    stemma_status status =
        stemma_find_documents(finder, big, false, &limits, print_found, NULL, &(struct shown){o, a}, &error);
    stemma_finder_free(finder);
    return status ? complain_of(&error) : EXIT_DONE;
}

enum exit_code compare_blocks(const options *o, const char *a, const char *big) {
    stemma_recipe *recipe;
    enum exit_code code = recipe_from_options(o, "compare", &recipe);
    if (code) return code;
    code = search(o, recipe, a, big);
    stemma_recipe_free(recipe);
    return code;
}

/* stemma compare: how two documents, or two sketches, are related; one pair or a list of them. */
#include "command.h"
#include "fragments.h"
#include "judge.h"
#include "names.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>

/* ---- one pair ---- */

static enum exit_code compare_one(const judge *j, const char *a, const char *b) {
    document_cache cache = {0};
    stemma_error error;
    verdict v;
    enum exit_code code = EXIT_DONE;
    const stemma_status status = judge_pair(j, &cache, a, b, &v, &error);
    if (status && status != STEMMA_INTERRUPTED && j->options->json) verdict_print_error(a, b, error.message);
    if (status)
        code = complain_of(&error);
    else if (j->options->json)
        verdict_print_json(j, &v);
    else
        verdict_print(j, &v);
    if (!code && v.no_text) complain_no_text(v.no_text, "compare");
    verdict_release(&v);
    cache_release(&cache);
    return code;
}

/* ---- many pairs ---- */

typedef struct pair {
    char *a, *b;
    unsigned long number; /* in the list */
    verdict verdict;
    stemma_status status;
    stemma_error error;
} pair;

typedef struct pair_run {
    const judge *judge;
    name_list names;
    unsigned threads;
    document_cache *caches; /* one for each thread */
    pair *round;
    size_t count;
    size_t skipped;    /* lines that are no pairs */
    bool head_printed; /* the names of the columns */
    enum exit_code code;
} pair_run;

/* A file that is no list at all would fill the screen. */
enum { SKIPS_SAID = 10 };

static void skip(pair_run *run, const char *reason) {
    if (run->skipped++ < SKIPS_SAID)
        complain("cannot use %s %lu of '%s': %s", names_item(&run->names), run->names.number, run->names.path,
                 reason);
    run->code = graver(run->code, EXIT_WRONG);
}

static void say_skipped(const pair_run *run) {
    if (run->skipped > SKIPS_SAID)
        complain("%zu pairs of '%s' could not be used; the first %d were named", run->skipped,
                 run->names.path, SKIPS_SAID);
}

/* Cuts a line at its TAB, or takes the second of two names. False: said why, go on with the next. */
static bool read_second(pair_run *run, pair *p) {
    char *second;
    if (run->names.separator == '\0') {
        if (!names_next(&run->names, &second)) {
            skip(run, "the second name of the pair is missing");
            return false;
        }
        p->b = need_copy(second);
        return true;
    }
    char *tab = strchr(p->a, '\t');
    if (!tab || tab == p->a || !tab[1] || strchr(tab + 1, '\t')) {
        skip(run, "it is not two names separated by a TAB");
        return false;
    }
    *tab = '\0';
    p->b = need_copy(tab + 1);
    return true;
}

static bool is_standard_input(const char *name) {
    return !strcmp(name, "-");
}

static void drop_pair(pair *p) {
    free(p->a);
    free(p->b);
    verdict_release(&p->verdict);
}

static bool read_round(pair_run *run) {
    char *first;
    run->count = 0;
    while (run->count < round_size(run->threads) && !stop_requested && names_next(&run->names, &first)) {
        pair *p = &run->round[run->count];
        *p = (pair){.a = need_copy(first), .number = run->names.number};
        bool usable = read_second(run, p);
        if (usable && (is_standard_input(p->a) || is_standard_input(p->b))) {
            skip(run, "standard input cannot be part of a list");
            usable = false;
        }
        if (usable)
            run->count++;
        else
            drop_pair(p);
    }
    return run->count > 0;
}

static void judge_item(void *context, size_t index, unsigned worker) {
    pair_run *run = context;
    pair *p = &run->round[index];
    p->status = judge_pair(run->judge, &run->caches[worker], p->a, p->b, &p->verdict, &p->error);
}

/* A program that reads JSON gets a line for every pair. */
static void print_failure(pair_run *run, const pair *p) {
    run->code = graver(run->code, exit_code_of(p->status));
    if (p->status == STEMMA_INTERRUPTED) return;
    if (run->judge->options->json) verdict_print_error(p->a, p->b, p->error.message);
    complain("%s %lu of '%s': %s", names_item(&run->names), p->number, run->names.path, p->error.message);
}

static void print_row(pair_run *run, const verdict *v) {
    if (!run->head_printed && !run->judge->options->quiet) verdict_print_head();
    run->head_printed = true;
    verdict_print_row(v);
}

/* Returns false when the output is lost, so that more work would be for nothing. */
static bool print_round(pair_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        pair *p = &run->round[i];
        if (p->status)
            print_failure(run, p);
        else if (run->judge->options->json)
            verdict_print_json(run->judge, &p->verdict);
        else
            print_row(run, &p->verdict);
        drop_pair(p);
    }
    return flush_output();
}

static void judge_rounds(pair_run *run) {
    bool heard = true;
    while (heard && !stop_requested && read_round(run)) {
        parallel_for(run->count, run->threads, judge_item, run);
        heard = print_round(run);
        stored_trim(run->judge->stored);
    }
}

static enum exit_code compare_pairs(const judge *j, const options *o) {
    pair_run run = {.judge = j, .threads = worker_count(o->threads)};
    enum exit_code code = names_open(&run.names, o->pairs_from, o->null_separated);
    if (code) return code;
    run.caches = need_memory(run.threads * sizeof *run.caches);
    run.round = need_memory(round_size(run.threads) * sizeof *run.round);
    judge_rounds(&run);
    say_skipped(&run);
    for (unsigned i = 0; i < run.threads; i++) cache_release(&run.caches[i]);
    free(run.caches);
    free(run.round);
    return graver(run.code, names_close(&run.names));
}

/* ---- the command ---- */

/* Blocks come with no verdict. */
static enum exit_code check_use_of_blocks(const options *o) {
    if (o->pairs_from || o->sketch)
        return wrong_use("compare", "--blocks is for two documents, without --sketch or --pairs-from");
    if (o->edit || o->edit_limit || o->threshold >= 0 || o->contained >= 0)
        return wrong_use(
            "compare",
            "--blocks gives no verdict: --edit, --edit-limit, --threshold and --contained do not go with it");
    if (o->scheme_count || o->signature)
        return wrong_use("compare", "--blocks makes no sketches: --scheme and --signature do not go with it");
    return EXIT_DONE;
}

static enum exit_code check_use(const options *o) {
    if (o->pairs_from && o->operand_count)
        return wrong_use("compare", "with --pairs-from no documents are named");
    if (o->null_separated && !o->pairs_from) return wrong_use("compare", "-0 is for --pairs-from");
    if (!o->pairs_from && o->operand_count != 2)
        return wrong_use("compare", "two documents are needed, %zu given", o->operand_count);
    if (!o->pairs_from && is_standard_input(o->operands[0]) && is_standard_input(o->operands[1]))
        return wrong_use("compare", "standard input can be only one of the two");
    if (o->edit_limit && (o->sketch || o->edit == EDIT_ESTIMATE || o->edit == EDIT_NONE))
        return wrong_use("compare", "--edit-limit is for the exact edit distance");
    return o->blocks ? check_use_of_blocks(o) : EXIT_DONE;
}

static enum exit_code run(const options *o) {
    judge j;
    enum exit_code code = check_use(o);
    if (!code && o->blocks) return compare_blocks(o, o->operands[0], o->operands[1]);
    if (!code) code = judge_init(&j, o, "compare");
    if (code) return code;
    code = o->pairs_from ? compare_pairs(&j, o) : compare_one(&j, o->operands[0], o->operands[1]);
    judge_release(&j);
    return code;
}

const command command_compare = {
    .name = "compare",
    .mask = IN_COMPARE,
    .summary = "how two documents are related",
    .usage = "[OPTION]... A B\n[OPTION]... --blocks=SIZE A BIG\n[OPTION]... --pairs-from=FILE",
    .purpose =
        "Says how A relates to B: identical, same-text, near-duplicate, contained, contains, related, unrelated "
        "or unknown, with resemblance and containment. A document is a text in any format that can be read "
        "(--preset=raw --unit=byte compares bytes themselves). Two documents are compared exactly, by "
        "all their shingles. A or B may also be a file made by 'stemma sketch' (FILE#NAME picks one of several); then, "
        "and with --sketch, the numbers are estimates with intervals. '-' is standard input.",
    .examples = "  stemma compare draft.txt final.txt\n"
                "  stemma compare --preset=raw --unit=byte --window=20 a.bin b.bin\n"
                "  stemma compare --sketch --scheme=oph -n 1024 --bits=2 a.txt b.txt\n"
                "  stemma compare old.sketch new.txt\n"
                "  stemma compare --blocks=64K letter.txt disk.img\n"
                "  printf 'a.txt\\tb.txt\\n' | stemma compare --json --pairs-from=-\n",
    .see_also = "stemma-compare(1), stemma-sketch(1), stemma-recipe(7)",
    .run = run,
};

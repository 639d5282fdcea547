/* stemma diff: where two documents differ, and what they have in common. */
#include "command.h"
#include "diff_gaps.h"
#include "diff_print.h"
#include "json.h"
#include "new_file.h"
#include "recipe_options.h"
#include "stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_CONTEXT = 3, WIDE = 120, NARROW = 80 };

/* Both documents, read and aligned. */
typedef struct pair {
    const char *a_name, *b_name;
    stemma_recipe *recipe;
    stemma_text *a, *b;
    stemma_alignment *alignment;
    bool exact; /* white space counts, also between tokens */
    difference_list changes;
} pair;

/* ---- making it ---- */

static stemma_status read_document(const options *o, const char *name, const stemma_recipe *recipe,
                                   stemma_text **out, stemma_error *error) {
    stemma_limits limits = limits_from(o);
    stemma_status status = stored_refuse(name, "show the differences of", error);
    return status ? status : stemma_text_file(name, recipe, &limits, out, error);
}

static bool folds_space(const stemma_recipe *recipe) {
    size_t preset_length, fold_length;
    const char *preset = recipe_field(stemma_recipe_text(recipe), "preset", &preset_length);
    const char *fold = recipe_field(stemma_recipe_text(recipe), "fold", &fold_length);
    if (preset_length) return preset_length != 3 || memcmp(preset, "raw", 3);
    return memmem(fold, fold_length, "space", 5);
}

/* Of what is no text only its bytes are known. */
static bool is_binary(const pair *p) {
    return stemma_text_is_binary(p->a) || stemma_text_is_binary(p->b);
}

static difference_list differences_of(const pair *p) {
    difference_list list = {0};
    if (is_binary(p)) return list;
    if (p->exact) return differences_with_gaps(p->a, p->b, p->alignment);
    const stemma_difference *all = stemma_alignment_differences(p->alignment, &list.count);
    list.differences = need_memory(list.count * sizeof *all);
    memcpy(list.differences, all, list.count * sizeof *all);
    return list;
}

static stemma_status pair_align(pair *p, const options *o, stemma_error *error) {
    stemma_align_options how = stemma_align_options_default();
    stemma_limits limits = limits_from(o);
    if (o->least) how.least = o->least;
    stemma_status status = read_document(o, p->a_name, p->recipe, &p->a, error);
    if (!status) status = read_document(o, p->b_name, p->recipe, &p->b, error);
    if (!status) status = stemma_align_texts(p->a, p->b, &how, &limits, &p->alignment, error);
    if (status) return status;
    p->exact = !folds_space(p->recipe);
    p->changes = differences_of(p);
    return STEMMA_OK;
}

static void pair_release(pair *p) {
    free(p->changes.differences);
    stemma_alignment_free(p->alignment);
    stemma_text_free(p->a);
    stemma_text_free(p->b);
    stemma_recipe_free(p->recipe);
}

static bool has_same_bytes(const pair *p) {
    return stemma_text_same_original(p->a, p->b);
}

static bool differ(const pair *p) {
    return is_binary(p) ? !has_same_bytes(p) : p->changes.count > 0;
}

/* What the differences are counted in. */
static const char *unit_of(const pair *p) {
    return recipe_unit(stemma_recipe_text(p->recipe), 2);
}

/* ---- showing it ---- */

static size_t terminal_columns(const options *o) {
    struct winsize size;
    if (o->columns) return o->columns;
    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col
                                                                                            : NARROW;
}

static void print_json(const pair *p) {
    const char *recipe = stemma_recipe_text(p->recipe);
    json line = json_begin(stdout);
    json_name(&line, "a", p->a_name);
    json_name(&line, "b", p->b_name);
    json_bool(&line, "same_text", !differ(p));
    json_bool(&line, "same_bytes", has_same_bytes(p));
    json_bool(&line, "binary", is_binary(p));
    json_offsets_of_pair(&line, stemma_text_is_extracted(p->a), stemma_text_is_extracted(p->b));
    json_differences(&line, p->changes.differences, p->changes.count);
    json_shared(&line, p->alignment);
    json_text(&line, "recipe", recipe, strcspn(recipe, ";")); /* the view alone: nothing is sketched */
    json_end(&line);
}

static void print_same(const pair *p) {
    if (has_same_bytes(p))
        puts("The documents are identical.");
    else
        puts("The documents have the same canonical text; their bytes differ (see --preset).");
}

static bool is_file(const char *output) {
    return output && strcmp(output, "-");
}

/* The page on standard output, or in a file that appears only when it is complete. */
static enum exit_code write_html(const options *o, const pair *p, const diff_view *view, size_t context) {
    new_file file;
    if (!is_file(o->output)) {
        write_page(stdout, view, unit_of(p), context);
        return EXIT_DONE;
    }
    bool opened = new_file_open(&file, o->output), done = false;
    if (opened) write_page(file.out, view, unit_of(p), context);
    if (opened && stop_requested) {
        new_file_abandon(&file);
        return EXIT_INTERRUPTED;
    }
    if (opened) done = new_file_keep(&file, o->force);
    if (done) return EXIT_DONE;
    return complain_of_write(o->output, errno);
}

static enum exit_code show(const options *o, const pair *p) {
    size_t context = o->context < 0 ? DEFAULT_CONTEXT : (size_t)o->context, columns = terminal_columns(o);
    bool wide = o->side_by_side || columns >= WIDE;
    enum exit_code code = EXIT_DONE;
    diff_view view;
    diff_pair both = {.a_name = p->a_name, .b_name = p->b_name, .a = p->a, .b = p->b, .exact = p->exact};
    both.differences = p->changes.differences;
    both.difference_count = p->changes.count;
    both.shared = stemma_alignment_shared(p->alignment, &both.shared_count);
    view_init(&view, &both);
    if (o->html) {
        code = write_html(o, p, &view, context);
    } else if (o->passages) {
        print_passages(&view, unit_of(p));
    } else if (view.difference_count == 0) {
        print_same(p);
    } else {
        if (wide)
            print_columns(&view, context, columns);
        else
            print_unified(&view, context);
        write_summary(stdout, &view, unit_of(p));
        putchar('\n');
        if (view_hides_something(&view)) puts("Case, spacing or punctuation differ, too (see --preset).");
    }
    view_release(&view);
    return code;
}

/* There are no words to show, and a page of none would only look like an answer. */
static enum exit_code show_binary(const options *o, const pair *p) {
    const char *name = stemma_text_is_binary(p->a) ? p->a_name : p->b_name;
    if (o->html) {
        complain_no_text(name, "show");
        return EXIT_WRONG;
    }
    if (!differ(p)) {
        print_same(p);
        return EXIT_DONE;
    }
    fputs("Binary files ", stdout);
    print_name(stdout, p->a_name);
    fputs(" and ", stdout);
    print_name(stdout, p->b_name);
    puts(" differ");
    complain_no_text(name, "show");
    return EXIT_DONE;
}

static enum exit_code answer(const options *o, const pair *p) {
    enum exit_code code = EXIT_DONE;
    if (o->json)
        print_json(p);
    else if (!o->quiet)
        code = is_binary(p) ? show_binary(o, p) : show(o, p);
    return graver(code, differ(p) ? EXIT_NO : EXIT_DONE);
}

/* ---- the command ---- */

static enum exit_code check_use(const options *o) {
    if (o->operand_count != 2)
        return wrong_use("diff", "two documents are needed, %zu given", o->operand_count);
    if (!strcmp(o->operands[0], "-") && !strcmp(o->operands[1], "-"))
        return wrong_use("diff", "standard input can be only one of the two");
    if (o->json + o->html + o->passages + o->side_by_side + o->quiet > 1)
        return wrong_use("diff",
                         "only one of --json, --html, --passages, --side-by-side and --quiet is possible");
    if (o->context >= 0 && (o->json || o->passages || o->quiet))
        return wrong_use("diff", "--context does not go with --json, --passages and --quiet");
    if (o->columns && (o->json || o->html || o->passages || o->quiet))
        return wrong_use("diff", "--columns is for the terminal, see --side-by-side");
    if ((o->output || o->force) && !o->html) return wrong_use("diff", "--output and --force are for --html");
    return EXIT_DONE;
}

static enum exit_code run(const options *o) {
    stemma_error error;
    pair p = {0};
    enum exit_code code = check_use(o);
    if (!code && is_file(o->output))
        code = new_file_check(o->output, o->operands, o->operand_count, o->force);
    if (!code) code = recipe_from_options(o, "diff", &p.recipe);
    if (code) return code;
    p.a_name = o->operands[0];
    p.b_name = o->operands[1];
    code = pair_align(&p, o, &error) ? complain_of(&error) : answer(o, &p);
    pair_release(&p);
    return code;
}

const command command_diff = {
    .name = "diff",
    .mask = IN_DIFF,
    .summary = "where two documents differ, and what they share",
    .usage = "[OPTION]... A B",
    .purpose =
        "Shows the words that were deleted, inserted or replaced between A and B, in the original text, with the lines "
        "around them; passages that were moved or copied are shown as such. Case, punctuation and line breaks are no "
        "differences, unless --preset=code (white space folded) or --preset=raw is asked for. --passages lists what "
        "both have in common, wherever it stands; --html makes a page of both. '-' is standard input.",
    .examples = "  stemma diff draft.txt final.txt\n"
                "  stemma diff --side-by-side --columns=160 draft.txt final.txt\n"
                "  stemma diff --html --output=changes.html draft.txt final.txt\n"
                "  stemma diff --passages --least=12 source.txt essay.txt\n"
                "  stemma diff --preset=code --unit=line old.c new.c\n",
    .see_also = "stemma-diff(1), stemma-compare(1), stemma-recipe(7)",
    .no = "the documents differ",
    .run = run,
};

/* stemma scan: all near-duplicates in a pile of documents. */
#include "act.h"
#include "command.h"
#include "names.h"
#include "new_file.h"
#include "progress.h"
#include "reading_options.h"
#include "recipe_options.h"
#include "scan_input.h"
#include "scan_report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- wrong use ---- */

static bool is_standard(const char *name) {
    return name && !strcmp(name, "-");
}

/* `stemma tree` is a scan that prints nothing but trees, in a format of theirs. */
static const char *name_of(const options *o) {
    return o->format ? "tree" : "scan";
}

/* What else would be written to standard output, where the table is to go; NULL: nothing. */
static const char *beside_table(const options *o) {
    if (o->json) return "--json";
    if (o->pairs) return "--pairs";
    if (o->boilerplate) return "--boilerplate";
    if (o->list_redundant) return "--list-redundant";
    if (o->tree) return "--tree";
    if (is_standard(o->filter)) return "--filter=-";
    return act_is_asked(o) ? "what becomes of files" : NULL;
}

static enum exit_code check_outputs(const options *o) {
    int kinds = o->pairs + o->boilerplate + o->list_redundant + (o->filter != NULL);
    if (kinds > 1)
        return wrong_use("scan", "only one of --pairs, --boilerplate, --list-redundant and --filter");
    if (o->json && o->list_redundant) return wrong_use("scan", "only one of --json and --list-redundant");
    if (o->json && is_standard(o->filter))
        return wrong_use("scan", "--json and --filter=- would both write to standard output");
    if (is_standard(o->csv) && beside_table(o))
        return wrong_use("scan", "--csv=- and %s would both write to standard output", beside_table(o));
    if (o->print0 && !o->list_redundant) return wrong_use("scan", "--print0 is for --list-redundant");
    if (o->force && !o->filter && !o->report && !o->csv)
        return wrong_use("scan", "--force is for --filter, --report and --csv");
    if (o->group && (o->pairs || o->boilerplate))
        return wrong_use("scan", "--group makes no groups of --%s", o->pairs ? "pairs" : "boilerplate");
    if (o->tree && kinds)
        return wrong_use(
            "scan", "--tree is of groups: not with --pairs, --boilerplate, --list-redundant or --filter");
    if (o->report_text != REPORT_TEXT && !o->report)
        return wrong_use("scan", "--report-text is for --report");
    if (o->dates && !o->tree && !o->report) return wrong_use("scan", "--dates is for --tree and --report");
    return EXIT_DONE;
}

static enum exit_code check_inputs(const options *o) {
    size_t standard = is_standard(o->files_from);
    if (o->operand_count == 0 && !o->files_from)
        return wrong_use(name_of(o), "at least one file or folder is needed");
    if (o->null_separated && !o->files_from) return wrong_use(name_of(o), "-0 is for --files-from");
    if (o->text_field && !*o->text_field) return wrong_use(name_of(o), "--text-field needs a name");
    if (o->id_field && !*o->id_field) return wrong_use(name_of(o), "--id-field needs a name");
    for (size_t i = 0; i < o->operand_count; i++) standard += is_standard(o->operands[i]);
    if (standard > 1) return wrong_use(name_of(o), "standard input can be read only once");
    if (o->max_size && o->min_size > o->max_size)
        return wrong_use(name_of(o), "--min-size is above --max-size: there are no such documents");
    return EXIT_DONE;
}

/* A name that cannot be written to is found out before the work. */
static enum exit_code check_possible(const char *path) {
    if (new_file_possible(path)) return EXIT_DONE;
    complain("cannot write '%s': %s", path, cause_text(errno));
    return EXIT_WRONG;
}

/* Files that are written besides what is printed. */
enum { MOST_FILES = 4 };

static size_t files_of(const options *o, const char *files[MOST_FILES]) {
    size_t count = 0;
    if (o->filter && !is_standard(o->filter)) files[count++] = o->filter;
    if (o->report) files[count++] = o->report;
    if (o->csv && !is_standard(o->csv)) files[count++] = o->csv;
    if (o->log) files[count++] = o->log;
    return count;
}

static enum exit_code check_different(const char *const *files, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_name(files[i], files[k]))
                return wrong_use("scan", "'%s' would be written twice", files[i]);
    return EXIT_DONE;
}

static enum exit_code check_files(const options *o) {
    const char *files[MOST_FILES];
    size_t count = files_of(o, files);
    enum exit_code code = o->report ? report_page_check() : EXIT_DONE;
    if (!code) code = check_different(files, count);
    for (size_t i = 0; i < count && !code; i++) {
        code = files[i] == o->log ? act_check_log(o->log)
                                  : new_file_check(files[i], o->operands, o->operand_count, o->force);
        if (!code) code = check_possible(files[i]);
    }
    return code;
}

static enum exit_code check_use(const options *o) {
    enum exit_code code = check_outputs(o);
    if (!code) code = check_inputs(o);
    if (!code) code = act_check_use(o);
    return code ? code : check_files(o);
}

/* ---- the scan ---- */

static stemma_scan_options scan_options(const options *o, progress *p) {
    stemma_scan_options s = reading_options(o, p);
    if (o->threshold >= 0) s.threshold = o->threshold;
    if (o->contained >= 0) s.contained = o->contained;
    /* The enumerations have the order of the table. */
    if (o->keep) s.keep = (stemma_keep)(o->keep - 1);
    if (o->group) s.group = (stemma_grouping)(o->group - 1);
    s.pairs = o->pairs;
    s.boilerplate = o->boilerplate;
    s.tree = o->tree || o->report; /* the page draws them */
    s.dates = o->dates;
    s.filter = o->filter;
    s.cap = o->cap;
    s.omit = o->move_to;
    s.cache = o->cache;
    return s;
}

static enum exit_code complain_of_scan(const stemma_error *error) {
    return error->status == STEMMA_INVALID ? wrong_use("scan", "%s", error->message) : complain_of(error);
}

static enum exit_code add_listed(const options *o, stemma_scan *scan) {
    name_list names;
    stemma_error error;
    char *name;
    enum exit_code code = names_open(&names, o->files_from, o->null_separated), listed;
    if (code) return code;
    while (!code && names_next(&names, &name))
        if (stemma_scan_add_path(scan, name, &error)) code = complain_of_scan(&error);
    listed = names_close(&names);
    return graver(code, listed);
}

enum exit_code scan_add_paths(const options *o, stemma_scan *scan) {
    stemma_error error;
    for (size_t i = 0; i < o->operand_count; i++)
        if (stemma_scan_add_path(scan, o->operands[i], &error)) return complain_of_scan(&error);
    return o->files_from ? add_listed(o, scan) : EXIT_DONE;
}

/* ---- the result ---- */

static enum exit_code filter(scan_report *r) {
    stemma_error error;
    if (!stemma_scan_filter(r->scan, r->options->filter, &r->filtered, &error)) return EXIT_DONE;
    const bool enough = error.status == STEMMA_IO && is_standard(r->options->filter) && output_unread();
    return enough ? EXIT_DONE : complain_of_scan(&error);
}

/* Groups come with the scan; pairs and passages are looked for while they are printed. */
static enum exit_code stream(scan_report *r) {
    const options *o = r->options;
    stemma_error error;
    bool failed = o->pairs ? report_pairs(r, &error) : report_passages(r, &error);
    r->summary = stemma_scan_get_summary(r->scan); /* files that changed may have been met */
    return failed ? complain_unless_lost(&error) : EXIT_DONE;
}

static enum exit_code print_json(scan_report *r) {
    enum exit_code code = EXIT_DONE;
    if (r->options->pairs || r->options->boilerplate)
        code = stream(r);
    else if (act_is_asked(r->options))
        r->acted = act_on(r);
    else
        json_groups(r, r->summary.groups);
    if (code || !report_heard()) return code;
    json_problems(r);
    json_summary(r);
    return code;
}

static void print_filtered(const scan_report *r) {
    char count[32];
    printf("%s record%s written to ", format_count(r->filtered, count, sizeof count),
           r->filtered == 1 ? "" : "s");
    print_name(stdout, r->options->filter);
    putchar('\n');
}

static enum exit_code print_words(scan_report *r) {
    const options *o = r->options;
    if (o->pairs) return stream(r);
    if (o->format) {
        report_trees(r);
        return EXIT_DONE;
    }
    if (!o->quiet) report_summary(r);
    if (o->boilerplate) {
        if (!o->quiet) putchar('\n');
        return stream(r);
    }
    if (act_is_asked(o))
        r->acted = act_on(r);
    else if (o->tree)
        report_trees(r);
    else if (!o->filter)
        report_groups(r);
    else if (!o->quiet)
        print_filtered(r);
    return EXIT_DONE;
}

/* Documents found in folders are no more overwritten than those that were named. */
static enum exit_code check_not_scanned(const scan_report *r) {
    const char *files[MOST_FILES], *last = NULL;
    size_t count = r->options->force ? files_of(r->options, files) : 0;
    for (size_t i = 0; i < count; i++) {
        if (access(files[i], F_OK)) continue;
        for (uint64_t k = 0; k < r->summary.documents; k++) {
            stemma_scan_document d = stemma_scan_get_document(r->scan, k);
            const char *read = d.source ? d.source : d.container ? d.container : d.id;
            if (read != last && is_same_file(files[i], read)) return complain_of_document(files[i]);
            last = read; /* records of a data set have one source */
        }
    }
    return EXIT_DONE;
}

static enum exit_code write_files(scan_report *r) {
    enum exit_code page = r->options->report ? report_page(r) : EXIT_DONE;
    enum exit_code table = r->options->csv && page != EXIT_INTERRUPTED ? report_table(r) : EXIT_DONE;
    return graver(page, table);
}

static enum exit_code print_result(scan_report *r) {
    const options *o = r->options;
    bool nothing_read = r->summary.documents == 0 && r->summary.problems > 0;
    enum exit_code code = check_not_scanned(r), files;
    if (!code && o->filter && !nothing_read) code = filter(r);
    if (code) return code;
    files = nothing_read ? EXIT_DONE : write_files(r);
    if (files && act_is_asked(o)) { /* it was to tell what there was */
        if (!stop_requested) complain("nothing was done");
        return files;
    }
    if (o->list_redundant)
        report_redundant(r);
    else if (o->json)
        code = print_json(r);
    else if (!nothing_read && !is_standard(o->filter) && !is_standard(o->csv))
        code = print_words(r);
    if (code == EXIT_INTERRUPTED || stop_requested) return EXIT_INTERRUPTED;
    const enum exit_code named = report_problems(r);
    code = graver(code, named);
    code = graver(code, files);
    code = graver(code, r->acted);
    return graver(code, nothing_read || (o->strict && r->summary.problems) ? EXIT_WRONG : EXIT_DONE);
}

static enum exit_code run_scan(const options *o, const stemma_recipe *recipe, stemma_scan *scan,
                               progress *p) {
    stemma_error error;
    enum exit_code code = scan_add_paths(o, scan);
    if (code || stop_requested) return code;
    stemma_status status = stemma_scan_run(scan, &error);
    progress_erase(p);
    p->wanted = false; /* from now on lines are printed */
    if (status) return complain_of_scan(&error);
    stemma_scan_options in_force = scan_options(o, p);
    scan_report report = {.options = o,
                          .scan = scan,
                          .out = stdout,
                          .summary = stemma_scan_get_summary(scan),
                          .threshold = in_force.threshold,
                          .contained = in_force.contained,
                          .recipe = stemma_recipe_text(recipe)};
    report.several = several_sources(o);
    code = print_result(&report);
    owners_release(&report.owners);
    return code;
}

enum exit_code scan_command(const options *o) {
    stemma_recipe *recipe;
    stemma_scan *scan;
    stemma_error error;
    progress p = {0};
    enum exit_code code = check_use(o);
    if (!code) code = recipe_from_options(o, name_of(o), &recipe);
    if (code) return code;
    progress_begin(&p, o->quiet);
    stemma_scan_options how = scan_options(o, &p);
    stemma_limits limits = reading_limits(o);
    if (stemma_scan_new(recipe, &how, &limits, &scan, &error)) {
        code = complain_of_scan(&error);
    } else {
        code = run_scan(o, recipe, scan, &p);
        stemma_scan_free(scan);
    }
    stemma_recipe_free(recipe);
    return code;
}

const command command_scan = {
    .name = "scan",
    .mask = IN_SCAN,
    .summary = "all near-duplicates in a pile of documents",
    .usage = "[OPTION]... PATH...\n[OPTION]... --files-from=FILE",
    .purpose =
        "Finds the groups of near-duplicates among all files below folders, and among the records of data "
        "sets (JSON lines, CSV and TSV, plain or compressed): which document to keep, and how each of the "
        "others relates to it. Every candidate is verified on the full documents, so every number is exact. "
        "Nothing is removed unless --delete, --hardlink, --reflink or --move say so. '-' is a data set on "
        "standard input.",
    .examples = "  stemma scan ~/documents\n"
                "  stemma scan -t .8 --keep=newest --include='*.md' notes/ wiki/\n"
                "  stemma scan --list-redundant --print0 mails/ | xargs -0 ls -l\n"
                "  stemma scan --text-field=body --filter=clean.jsonl.zst crawl.jsonl.zst\n"
                "  stemma scan --dry-run --delete ~/photos && stemma scan --delete ~/photos\n"
                "  stemma scan --move=/tmp/drafts --near=.9 --keep=newest drafts/\n"
                "  stemma scan --json --pairs reports/ | jq 'select(.a_in_b == 1)'\n",
    .see_also = "stemma-scan(1), stemma-input(7), stemma-recipe(7)",
    .no = "when asked whether to act",
    .run = scan_command,
};

/* stemma tree: which document was made from which. A scan whose groups are printed as trees, or the trees of
 * one that was saved. */
#include "command.h"
#include "scan_report.h"
#include "tree_view.h"

/* The place of "components" among the choices of --group: a history is a chain, of which the ends need not
 * resemble each other. */
enum { COMPONENTS = 2 };

static enum exit_code draw_saved(const options *o, const char *path) {
    static const enum option_id drawing[] = {OPT_FORMAT,     OPT_FROM,    OPT_JSON,
                                             OPT_SCAN_QUIET, OPT_THREADS, OPT_SCAN_MEMORY};
    const option_spec *other = option_besides(o, drawing, sizeof drawing / sizeof *drawing);
    char name[64];
    if (other)
        return wrong_use("tree", "%s is of a scan, and '%s' is the result of one",
                         option_name(other, name, sizeof name), path);
    if (o->format == TREE_JSON || o->json) return wrong_use("tree", "what is saved is JSON already");
    return tree_print_saved(path, o->format ? (enum tree_format)o->format : TREE_TEXT);
}

static enum exit_code run(const options *given) {
    options o = *given;
    if (o.from && (o.operand_count || o.files_from))
        return wrong_use("tree", "--from=FILE has the trees already: no documents are read");
    if (o.from) return draw_saved(&o, o.from);
    if (o.operand_count == 1 && !o.files_from && tree_is_saved(o.operands[0]))
        return draw_saved(&o, o.operands[0]);
    o.tree = true;
    if (!o.format) o.format = o.json ? TREE_JSON : TREE_TEXT;
    o.json = o.format == TREE_JSON;
    if (!o.group) o.group = COMPONENTS;
    return scan_command(&o);
}

const command command_tree = {
    .name = "tree",
    .mask = IN_TREE,
    .summary = "which document was made from which: the family tree of each group",
    .usage = "[OPTION]... PATH...\n[OPTION]... --files-from=FILE\n[--format=FORMAT] --from=FILE",
    .purpose =
        "Finds the groups of documents that hang together, as 'stemma scan' does, and for each of them the "
        "tree of versions: from which document each was made, what was added and removed, how sure that is, "
        "and whether text came from a second one. It follows from the texts; with --dates also from when "
        "the files were modified.",
    .examples = "  stemma tree contracts/\n"
                "  stemma tree --dates --format=dot drafts/ | dot -Tsvg > drafts.svg\n"
                "  stemma scan --tree --json drafts/ > drafts.json; stemma tree --from=drafts.json\n",
    .see_also = "stemma-tree(1), stemma-scan(1), stemma-input(7)",
    .run = run,
};

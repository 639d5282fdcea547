/* The trees of a scan: drawn, or what JSON says of a member. */
#include "scan_report.h"

#include <stdlib.h>

#include "json.h"
#include "tree_view.h"

static void print_tree(scan_report *r, uint64_t index, const stemma_tree *tree, enum tree_format format) {
    const char **ids = need_memory(tree->count * sizeof *ids),
               **sources = need_memory(tree->count * sizeof *sources);
    for (size_t i = 0; i < tree->count; i++) {
        stemma_scan_document d = stemma_scan_get_document(r->scan, tree->nodes[i].document);
        ids[i] = d.id;
        sources[i] = d.source;
    }
    tree_view view = {.number = index + 1,
                      .nodes = tree->nodes,
                      .ids = ids,
                      .sources = sources,
                      .count = tree->count,
                      .root = tree->root};
    tree_print(&view, format);
    free(ids);
    free(sources);
}

void report_trees(scan_report *r) {
    enum tree_format format = r->options->format ? (enum tree_format)r->options->format : TREE_TEXT;
    stemma_tree tree;
    tree_begin(format);
    if (!r->summary.groups && r->options->format && !r->options->quiet) tree_none(format);
    for (uint64_t i = 0; i < r->summary.groups && report_heard(); i++) {
        if (stemma_scan_get_tree(r->scan, i, &tree, NULL)) break;
        if (format == TREE_TEXT && (i > 0 || !(r->options->quiet || r->options->format))) putchar('\n');
        print_tree(r, i, &tree, format);
    }
    tree_finish(format);
}

void json_tree_node(const scan_report *r, json *j, const stemma_tree *tree, size_t place) {
    const stemma_tree_node *n = &tree->nodes[place];
    json_word(j, "derivation", stemma_derivation_name(n->kind));
    if (n->parent == STEMMA_NO_PARENT) {
        json_null(j, "parent");
        return;
    }
    json_name(j, "parent", stemma_scan_get_document(r->scan, tree->nodes[n->parent].document).id);
    json_count(j, "parent_place", n->parent);
    json_count(j, "added", n->added);
    json_count(j, "removed", n->removed);
    json_count(j, "moved", n->moved);
    json_count(j, "changes", n->changes);
    json_number(j, "confidence", n->confidence);
    json_number(j, "direction", n->direction);
    if (n->second == STEMMA_NO_PARENT) return;
    json_name(j, "second_parent", stemma_scan_get_document(r->scan, tree->nodes[n->second].document).id);
    json_count(j, "second_place", n->second);
    json_number(j, "second_share", n->second_share);
}

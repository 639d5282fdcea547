#include "tree_view.h"

#include <stdlib.h>
#include <string.h>

#include "scan_report.h"

/* ---- the order in which it is told ---- */

/* Children of each member: those of branches first, then the one whose descendants are most. The line that
 * leads there is the main line, drawn straight on: so a tree is never deeper than the logarithm of its size.
 * A copy is no step of it: it stands beside what it is a copy of. */
typedef struct layout {
    size_t *kids;  /* of all members */
    size_t *first; /* where those of a member begin; one more at the end */
    size_t *sizes; /* a member and what derives from it */
    size_t *order; /* each behind its parent; while sizes are counted */
} layout;

static bool is_copy(const tree_view *v, size_t member) {
    return v->nodes[member].kind == STEMMA_DERIVATION_SAME;
}

static bool is_main(const tree_view *v, const layout *l, size_t a, size_t b) {
    if (l->sizes[a] != l->sizes[b]) return l->sizes[a] > l->sizes[b];
    if (is_copy(v, a) != is_copy(v, b)) return is_copy(v, b);
    return is_copy(v, a) ? a > b : a < b; /* copies stay in their order */
}

static void list_kids(const tree_view *v, layout *l) {
    for (size_t i = 0; i < v->count; i++)
        if (i != v->root) l->first[v->nodes[i].parent + 1]++;
    for (size_t i = 0; i < v->count; i++) l->first[i + 1] += l->first[i];
    for (size_t i = v->count; i-- > 0;)
        if (i != v->root) l->kids[--l->first[v->nodes[i].parent + 1]] = i;
    memmove(l->first, l->first + 1, v->count * sizeof *l->first);
    l->first[v->count] = v->count - 1;
}

static void count_sizes(const tree_view *v, layout *l) {
    size_t done = 0;
    l->order[done++] = v->root;
    for (size_t i = 0; i < done; i++)
        for (size_t k = l->first[l->order[i]]; k < l->first[l->order[i] + 1]; k++)
            l->order[done++] = l->kids[k];
    for (size_t i = 0; i < v->count; i++) l->sizes[i] = 1;
    for (size_t i = done; i-- > 1;) l->sizes[v->nodes[l->order[i]].parent] += l->sizes[l->order[i]];
}

static void main_line_last(const tree_view *v, layout *l) {
    for (size_t i = 0; i < v->count; i++) {
        size_t *begin = l->kids + l->first[i], *end = l->kids + l->first[i + 1], *best = begin;
        for (size_t *at = begin; at < end; at++)
            if (is_main(v, l, *at, *best)) best = at;
        if (begin == end) continue;
        size_t main = *best;
        memmove(best, best + 1, (size_t)(end - best - 1) * sizeof *best);
        end[-1] = main;
    }
}

static layout layout_of(const tree_view *v) {
    size_t room = (v->count + 2) * sizeof(size_t);
    layout l = {need_memory(room), need_memory(room), need_memory(room), need_memory(room)};
    memset(l.first, 0, room);
    list_kids(v, &l);
    count_sizes(v, &l);
    main_line_last(v, &l);
    return l;
}

static void layout_free(layout *l) {
    free(l->kids);
    free(l->first);
    free(l->sizes);
    free(l->order);
}

static bool is_last_kid(const tree_view *v, const layout *l, size_t member) {
    return l->kids[l->first[v->nodes[member].parent + 1] - 1] == member;
}

/* Drawn beside its parent, and not below it. */
static bool is_branch(const tree_view *v, const layout *l, size_t member) {
    return member != v->root && (!is_last_kid(v, l, member) || (is_copy(v, member) && l->sizes[member] == 1));
}

/* The sibling that is told behind a member. */
static size_t next_kid(const tree_view *v, const layout *l, size_t member) {
    size_t at = l->first[v->nodes[member].parent];
    while (l->kids[at] != member) at++;
    return l->kids[at + 1];
}

/* ---- names ---- */

/* To be freed. Where a tree is of several data sets, records are FILE:ID. */
static char *name_of(const tree_view *v, size_t member) {
    return name_with_source(v->ids[member], v->several ? v->sources[member] : NULL);
}

static void print_member(const tree_view *v, size_t member) {
    char *name = name_of(v, member);
    print_name(stdout, name);
    free(name);
}

/* ---- for a terminal ---- */

typedef struct strokes {
    const char *member, *branch, *end, *line;
} strokes;

static void print_change(const tree_view *v, const stemma_tree_node *n) {
    char added[32], removed[32], share[16];
    if (n->kind == STEMMA_DERIVATION_ROOT) return;
    if (n->kind == STEMMA_DERIVATION_SAME) {
        fputs("  same", stdout);
        return;
    }
    printf("  %s +%s -%s", stemma_derivation_name(n->kind), format_count(n->added, added, sizeof added),
           format_count(n->removed, removed, sizeof removed));
    if (n->second != STEMMA_NO_PARENT) {
        printf(", %s from ", format_percent(n->second_share, share, sizeof share));
        print_member(v, n->second);
    }
    printf(", %s sure", format_percent(n->confidence * n->direction, share, sizeof share));
}

static void print_line(const tree_view *v, const layout *l, size_t member, size_t depth, const strokes *s,
                       const palette *p) {
    bool branch = is_branch(v, l, member);
    fputs(p->faint, stdout);
    for (size_t i = 0; i + branch < depth; i++) fputs(s->line, stdout);
    if (branch) fputs(is_last_kid(v, l, member) ? s->end : s->branch, stdout);
    printf("%s%s ", s->member, p->end);
    print_member(v, member);
    fputs(p->faint, stdout);
    print_change(v, &v->nodes[member]);
    printf("%s\n", p->end);
}

/* Down the branches, then on along the main line. */
static void print_members(const tree_view *v, const layout *l, const strokes *s, const palette *p) {
    size_t at = v->root, depth = 0;
    while (report_heard()) {
        print_line(v, l, at, depth, s, p);
        if (l->first[at] < l->first[at + 1]) {
            at = l->kids[l->first[at]];
        } else { /* a line ends: on with what branches off behind it */
            for (; at != v->root && is_last_kid(v, l, at); at = v->nodes[at].parent)
                depth -= is_branch(v, l, at);
            if (at == v->root) return;
            at = next_kid(v, l, at);
            depth--;
        }
        depth += is_branch(v, l, at);
    }
}

static void print_text(const tree_view *v) {
    static const strokes plain = {"*", "|-", "`-", "| "}, drawn = {"●", "├─", "└─", "│ "};
    palette p = palette_choose();
    layout l = layout_of(v);
    char number[32], count[32];
    printf("%sgroup %s%s: %s documents\n", p.strong, format_count(v->number, number, sizeof number), p.end,
           format_count(v->count, count, sizeof count));
    print_members(v, &l, locale_is_utf8() ? &drawn : &plain, &p);
    layout_free(&l);
}

/* ---- for Graphviz ---- */

static void put_quoted(const tree_view *v, size_t member, char quote, char escape) {
    char *name = name_of(v, member), *safe = safe_text(name, strlen(name));
    putchar(quote);
    for (const char *at = safe; *at; at++) {
        if (*at == quote || (*at == '\\' && escape == '\\')) putchar(escape);
        putchar(*at);
    }
    putchar(quote);
    free(safe);
    free(name);
}

static void print_edge(const tree_view *v, size_t member) {
    const stemma_tree_node *n = &v->nodes[member];
    unsigned long long group = v->number;
    char share[16];
    if (n->parent == STEMMA_NO_PARENT) return;
    printf("    g%llun%zu -> g%llun%zu", group, n->parent, group, member);
    if (n->kind == STEMMA_DERIVATION_SAME)
        puts(" [label=\"same\"];");
    else
        printf(" [label=\"%s +%llu -%llu\", tooltip=\"%s sure\"];\n", stemma_derivation_name(n->kind),
               (unsigned long long)n->added, (unsigned long long)n->removed,
               format_percent(n->confidence * n->direction, share, sizeof share));
    if (n->second != STEMMA_NO_PARENT)
        printf("    g%llun%zu -> g%llun%zu [label=\"%s\", style=dashed];\n", group, n->second, group, member,
               format_percent(n->second_share, share, sizeof share));
}

static void print_dot(const tree_view *v) {
    printf("  subgraph cluster_%llu {\n", (unsigned long long)v->number);
    for (size_t i = 0; i < v->count && report_heard(); i++) {
        printf("    g%llun%zu [label=", (unsigned long long)v->number, i);
        put_quoted(v, i, '"', '\\');
        puts("];");
    }
    for (size_t i = 0; i < v->count && report_heard(); i++) print_edge(v, i);
    puts("  }");
}

/* ---- Newick ---- */

static void put_label(const tree_view *v, size_t member) {
    const stemma_tree_node *n = &v->nodes[member];
    put_quoted(v, member, '\'', '\'');
    if (n->parent != STEMMA_NO_PARENT) printf(":%llu", (unsigned long long)(n->added + n->removed));
}

static void print_newick(const tree_view *v) {
    layout l = layout_of(v);
    size_t at = v->root;
    while (report_heard()) {
        for (; l.first[at] < l.first[at + 1]; at = l.kids[l.first[at]]) putchar('(');
        put_label(v, at);
        while (at != v->root && is_last_kid(v, &l, at)) {
            at = v->nodes[at].parent;
            putchar(')');
            put_label(v, at);
        }
        if (at == v->root) break;
        putchar(',');
        at = next_kid(v, &l, at);
    }
    puts(";");
    layout_free(&l);
}

/* ---- all trees ---- */

void tree_begin(enum tree_format format) {
    if (format == TREE_DOT) puts("digraph stemma {\n  node [shape=box];");
}

void tree_print(const tree_view *view, enum tree_format format) {
    tree_view v = *view;
    for (size_t i = 1; i < v.count && !v.several; i++)
        v.several = !is_same_source(v.sources[i], v.sources[0]);
    if (format == TREE_DOT)
        print_dot(&v);
    else if (format == TREE_NEWICK)
        print_newick(&v);
    else
        print_text(&v);
}

void tree_none(enum tree_format format) {
    if (format == TREE_TEXT) puts("no groups");
}

void tree_finish(enum tree_format format) {
    if (format == TREE_DOT) puts("}");
}

/*
 * Trees from the JSON lines of `stemma scan --json --tree`. Members name their parents by id, so where two of
 * a group have the same id, the first is meant. What is not a tree is refused.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "scan_report.h"
#include "tree_view.h"

typedef struct saved {
    const char *path;
    unsigned long long line;
    stemma_tree_node *nodes;
    const char **names; /* of the JSON object */
    size_t *by_name;
    size_t count, cap, root;
    bool any, summary; /* a group, and the line with which results end */
} saved;

static enum exit_code refuse(const saved *s, const char *why) {
    char *name = safe_text(s->path, strlen(s->path));
    complain("cannot read '%s': line %llu %s", name, s->line, why);
    free(name);
    return EXIT_WRONG;
}

static enum exit_code refuse_file(const saved *s) {
    char *name = safe_text(s->path, strlen(s->path));
    complain("cannot read '%s': it is no result of 'stemma scan --tree --json'", name);
    free(name);
    return EXIT_WRONG;
}

/* ---- one member ---- */

/* NULL where it is missing, null, or there is no object to look into. */
static json_object *value_at(json_object *object, const char *key) {
    return json_object_object_get(object, key);
}

static const char *text_at(json_object *object, const char *key) {
    json_object *value = value_at(object, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static uint64_t count_at(json_object *member, const char *key) {
    int64_t value = json_object_get_int64(value_at(member, key));
    return value > 0 ? (uint64_t)value : 0;
}

static double share_at(json_object *member, const char *key) {
    double value = json_object_get_double(value_at(member, key));
    return value > 0 && value <= 1 ? value : 0;
}

static stemma_derivation kind_of(json_object *member) {
    const char *name = text_at(member, "derivation");
    for (int kind = STEMMA_DERIVATION_ROOT; name && kind <= STEMMA_DERIVATION_COMBINED; kind++)
        if (!strcmp(stemma_derivation_name((stemma_derivation)kind), name)) return (stemma_derivation)kind;
    return STEMMA_DERIVATION_REVISED;
}

static void add_member(saved *s, json_object *member, const char *name) {
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->nodes = need_more(s->nodes, s->cap * sizeof *s->nodes);
        s->names = need_more(s->names, s->cap * sizeof *s->names);
        s->by_name = need_more(s->by_name, s->cap * sizeof *s->by_name);
    }
    s->names[s->count] = name;
    s->nodes[s->count++] = (stemma_tree_node){
        .kind = kind_of(member),
        .parent = STEMMA_NO_PARENT,
        .second = STEMMA_NO_PARENT,
        .added = count_at(member, "added"),
        .removed = count_at(member, "removed"),
        .moved = count_at(member, "moved"),
        .changes = count_at(member, "changes"),
        .confidence = share_at(member, "confidence"),
        .direction = share_at(member, "direction"),
        .second_share = share_at(member, "second_share"),
    };
}

static bool take_member(saved *s, json_object *member) {
    const char *name = text_at(member, "id");
    if (!name || !text_at(member, "derivation")) return false;
    add_member(s, member, name);
    return true;
}

/* ---- who is whose parent ---- */

static int by_name(const void *a, const void *b, void *context) {
    const saved *s = context;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = strcmp(s->names[i], s->names[k]);
    return order ? order : (i > k) - (i < k);
}

/* The first member with a name; STEMMA_NO_PARENT when there is none. */
static size_t find_name(const saved *s, const char *name) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s->names[s->by_name[middle]], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && !strcmp(s->names[s->by_name[low]], name) ? s->by_name[low] : STEMMA_NO_PARENT;
}

static bool link_member(saved *s, size_t place, json_object *member) {
    const char *parent = text_at(member, "parent");
    const char *second = text_at(member, "second_parent");
    stemma_tree_node *node = &s->nodes[place];
    if (second) node->second = find_name(s, second);
    if (parent) node->parent = find_name(s, parent);
    if (!parent) s->root = place;
    return parent ? node->parent != STEMMA_NO_PARENT && node->parent != place
                  : node->kind == STEMMA_DERIVATION_ROOT;
}

/* Going up from any member leads to the one root. What was seen on the way to it is marked, so each is passed
 * once. */
static bool is_tree(const saved *s) {
    size_t *seen = need_memory(s->count * sizeof *seen), roots = 0;
    bool tree = true;
    memset(seen, 0xff, s->count * sizeof *seen);
    for (size_t i = 0; i < s->count; i++) {
        size_t at = i;
        roots += s->nodes[i].parent == STEMMA_NO_PARENT;
        while (at != STEMMA_NO_PARENT && seen[at] == SIZE_MAX) {
            seen[at] = i;
            at = s->nodes[at].parent;
        }
        tree = tree && (at == STEMMA_NO_PARENT || seen[at] != i);
    }
    free(seen);
    return tree && roots == 1;
}

/* ---- one line ---- */

static bool take_members(saved *s, json_object *kept, json_object *members) {
    s->count = 0;
    if (!take_member(s, kept)) return false;
    for (size_t i = 0; i < json_object_array_length(members); i++)
        if (!take_member(s, json_object_array_get_idx(members, i))) return false;
    return true;
}

static bool link_members(saved *s, json_object *kept, json_object *members) {
    for (size_t i = 0; i < s->count; i++) s->by_name[i] = i;
    qsort_r(s->by_name, s->count, sizeof *s->by_name, by_name, s);
    if (!link_member(s, 0, kept)) return false;
    for (size_t i = 0; i < json_object_array_length(members); i++)
        if (!link_member(s, i + 1, json_object_array_get_idx(members, i))) return false;
    return is_tree(s);
}

static enum exit_code print_group(saved *s, json_object *line, enum tree_format format) {
    json_object *kept = value_at(line, "kept"), *members = value_at(line, "members");
    if (!json_object_is_type(members, json_type_array) || !take_members(s, kept, members))
        return refuse(s, "has no tree: it was saved without --tree");
    if (!link_members(s, kept, members)) return refuse(s, "has parents that make no tree");
    tree_view view = {count_at(line, "group"), s->nodes, s->names, s->count, s->root};
    if (s->any && format == TREE_TEXT) putchar('\n');
    s->any = true;
    tree_print(&view, format);
    return EXIT_DONE;
}

/* Lines that are no groups (problems, the summary) are passed over. */
static enum exit_code print_line(saved *s, json_tokener *reader, const char *text, size_t size,
                                 enum tree_format format) {
    if (size > INT32_MAX) return refuse(s, "is longer than 2 GB");
    json_tokener_reset(reader);
    json_object *line = json_tokener_parse_ex(reader, text, (int)size);
    if (!json_object_is_type(line, json_type_object)) {
        json_object_put(line);
        return refuse(s, "is no JSON object");
    }
    enum exit_code code = value_at(line, "group") ? print_group(s, line, format) : EXIT_DONE;
    s->summary = s->summary || value_at(line, "summary");
    json_object_put(line);
    return code;
}

static enum exit_code print_lines(saved *s, FILE *in, enum tree_format format) {
    enum exit_code code = EXIT_DONE;
    char *text = NULL;
    size_t room = 0;
    ssize_t size;
    json_tokener *reader = need(json_tokener_new());
    while (!code && report_heard() && (size = getline(&text, &room, in)) >= 0) {
        s->line++;
        code = print_line(s, reader, text, (size_t)size, format);
    }
    free(text);
    json_tokener_free(reader);
    if (!code && ferror(in)) code = refuse(s, cause_text(errno));
    if (code || s->any || !report_heard()) return code;
    return s->summary ? (tree_none(format), EXIT_DONE) : refuse_file(s);
}

enum exit_code tree_print_saved(const char *path, enum tree_format format) {
    saved s = {.path = path};
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!in) {
        char *name = safe_text(path, strlen(path));
        complain("cannot open '%s': %s", name, cause_text(errno));
        free(name);
        return EXIT_WRONG;
    }
    tree_begin(format);
    enum exit_code code = print_lines(&s, in, format);
    tree_finish(format);
    if (in != stdin) fclose(in);
    free(s.nodes);
    free(s.names);
    free(s.by_name);
    return code;
}

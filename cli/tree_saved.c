/*
 * Trees from the JSON lines of `stemma scan --json --tree`. Members give the places of their parents; results
 * that were saved before they did have their ids alone: where two of a group have the same, the first is
 * meant. What is not a tree is refused.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scan_report.h"
#include "tree_view.h"

typedef struct saved {
    const char *path;
    unsigned long long line;
    stemma_tree_node *nodes;
    char **ids;           /* as bytes */
    const char **sources; /* of the JSON object */
    size_t *by_id;
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

/* With a NUL behind; NULL: it is no base64. To be freed. */
static char *base64_bytes(const char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t length = strcspn(text, "=");
    char *bytes = need_memory(length + 1);
    uint32_t held = 0;
    for (size_t i = 0, used = 0; i < length; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit) {
            free(bytes);
            return NULL;
        }
        held = held << 6 | (uint32_t)(digit - digits);
        if (i % 4) bytes[used++] = (char)(held >> (6 - 2 * (i % 4)));
    }
    return bytes;
}

/* A name as it was before it was made readable: "id_bytes". To be freed; NULL: there is none. */
static char *name_at(json_object *object, const char *key) {
    char bytes_key[32];
    snprintf(bytes_key, sizeof bytes_key, "%s_bytes", key);
    const char *text = text_at(object, key), *packed = text_at(object, bytes_key);
    if (!text) return NULL;
    char *name = packed ? base64_bytes(packed) : NULL;
    return name ? name : need_copy(text);
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
    for (int kind = STEMMA_DERIVATION_ROOT; name && kind <= STEMMA_DERIVATION_REPLACED; kind++)
        if (!strcmp(stemma_derivation_name((stemma_derivation)kind), name)) return (stemma_derivation)kind;
    return STEMMA_DERIVATION_REVISED;
}

static void add_member(saved *s, json_object *member) {
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->nodes = need_more(s->nodes, s->cap * sizeof *s->nodes);
        s->ids = need_more(s->ids, s->cap * sizeof *s->ids);
        s->sources = need_more(s->sources, s->cap * sizeof *s->sources);
        s->by_id = need_more(s->by_id, s->cap * sizeof *s->by_id);
    }
    s->ids[s->count] = name_at(member, "id");
    s->sources[s->count] = text_at(member, "source");
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
    if (!text_at(member, "id") || !text_at(member, "derivation")) return false;
    add_member(s, member);
    return true;
}

static void forget_members(saved *s) {
    while (s->count > 0) free(s->ids[--s->count]);
}

/* ---- who is whose parent ---- */

static int by_id(const void *a, const void *b, void *context) {
    const saved *s = context;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = strcmp(s->ids[i], s->ids[k]);
    return order ? order : (i > k) - (i < k);
}

/* The first member with an id; STEMMA_NO_PARENT when there is none. */
static size_t find_id(const saved *s, const char *id) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s->ids[s->by_id[middle]], id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && !strcmp(s->ids[s->by_id[low]], id) ? s->by_id[low] : STEMMA_NO_PARENT;
}

/* By its place, else by its id; STEMMA_NO_PARENT: there is no such member. */
static size_t find_member(const saved *s, json_object *member, const char *place_key, const char *id_key) {
    json_object *given = value_at(member, place_key);
    const size_t place = (size_t)json_object_get_int64(given);
    if (given) return place < s->count ? place : STEMMA_NO_PARENT;
    char *id = name_at(member, id_key);
    size_t found = find_id(s, id);
    free(id);
    return found;
}

static bool link_member(saved *s, size_t place, json_object *member) {
    stemma_tree_node *node = &s->nodes[place];
    if (text_at(member, "second_parent"))
        node->second = find_member(s, member, "second_place", "second_parent");
    if (!text_at(member, "parent")) {
        s->root = place;
        return node->kind == STEMMA_DERIVATION_ROOT;
    }
    node->parent = find_member(s, member, "parent_place", "parent");
    return node->parent != STEMMA_NO_PARENT && node->parent != place;
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
    forget_members(s);
    if (!take_member(s, kept)) return false;
    for (size_t i = 0; i < json_object_array_length(members); i++)
        if (!take_member(s, json_object_array_get_idx(members, i))) return false;
    return true;
}

static bool link_members(saved *s, json_object *kept, json_object *members) {
    for (size_t i = 0; i < s->count; i++) s->by_id[i] = i;
    qsort_r(s->by_id, s->count, sizeof *s->by_id, by_id, s);
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
    tree_view view = {.number = count_at(line, "group"),
                      .nodes = s->nodes,
                      .ids = (const char *const *)s->ids,
                      .sources = s->sources,
                      .count = s->count,
                      .root = s->root};
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

bool tree_is_saved(const char *path) {
    static const char *const begins[] = {"{\"group\":1,\"kept\":{\"id\":", "{\"summary\":{\"documents\":"};
    struct stat info;
    char begin[64] = "";
    if (stat(path, &info) || !S_ISREG(info.st_mode)) return false;
    FILE *in = fopen(path, "re");
    if (!in) return false;
    begin[fread(begin, 1, sizeof begin - 1, in)] = '\0';
    fclose(in);
    return !strncmp(begin, begins[0], strlen(begins[0])) || !strncmp(begin, begins[1], strlen(begins[1]));
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
    forget_members(&s);
    free(s.nodes);
    free(s.ids);
    free(s.sources);
    free(s.by_id);
    return code;
}

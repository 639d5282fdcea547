/*
 * The trees of all groups. A group is a task, workers take them until none are left. Within a group a class
 * of documents with the same text is one member of the family; its other documents hang below the first of
 * them.
 */
#include "base/alloc.h"
#include "base/thread.h"
#include "family/family.h"
#include "scan/huge.h"
#include "scan/reading.h"
#include "shingle/whole.h"

#include <string.h>

/* What a worker takes for a family, its texts apart. */
#define FAMILY_BYTES ((size_t)48 << 20)

struct forest {
    struct stemma_scan *scan;
    size_t next; /* group; under the lock */
    pthread_mutex_t lock;
    stemma_status status;
    stemma_error error;
};

/* One of the texts of a group. */
struct relative {
    uint32_t class;
    size_t node;      /* the document that stands for it */
    int64_t modified; /* that document */
};

struct grower {
    struct text_reader reader;
    struct buf rooms[2]; /* for texts, used in turn */
    unsigned turn;
    struct relative *relatives;
    size_t relative_count, relative_cap;
    struct family_node *family;
    int64_t *modified;
    struct variants_maker *maker; /* and the member whose shingles go there, while they do */
    size_t member;
};

/* ---- what the family asks ---- */

/* A member that cannot be read any more has no text, and the document is a problem. */
static stemma_status forgive(struct grower *g, stemma_status status, const stemma_error *cause,
                             stemma_error *err) {
    if (status == STEMMA_OK) return STEMMA_OK;
    if (!is_problem(status)) return fail(err, status, "%s", cause->message);
    catalogue_lose(&g->reader.scan->catalogue, g->reader.fetched, cause);
    return STEMMA_OK;
}

static stemma_status member_text(void *context, size_t member, const uint8_t **text, size_t *size,
                                 bool *known, stemma_error *err) {
    struct grower *g = context;
    const struct catalogue *c = &g->reader.scan->catalogue;
    const struct text_class *class = &c->classes[g->relatives[member].class];
    stemma_error cause;
    *known = false;
    if (class->huge || class->lost) return STEMMA_OK;
    g->turn ^= 1;
    stemma_status status =
        text_fetch(&g->reader, g->relatives[member].class, &g->rooms[g->turn], text, size, &cause);
    *known = status == STEMMA_OK;
    return forgive(g, status, &cause, err);
}

static stemma_status to_maker(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    struct grower *g = context;
    (void)tokens, (void)token_count;
    return variants_add(g->maker, g->member, fp, count, err);
}

static stemma_status huge_member(struct grower *g, size_t member, stemma_error *err) {
    struct shingle_sink sink = {.context = g, .take = to_maker};
    stemma_error cause;
    uint32_t class = g->relatives[member].class;
    if (g->reader.scan->catalogue.classes[class].lost) return STEMMA_OK;
    g->reader.fetched = class;
    return forgive(g, huge_shingles(&g->reader, class, sink, &cause), &cause, err);
}

static stemma_status member_shingles(void *context, size_t member, struct variants_maker *maker,
                                     stemma_error *err) {
    struct grower *g = context;
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    bool known;
    g->maker = maker;
    g->member = member;
    if (g->reader.scan->catalogue.classes[g->relatives[member].class].huge)
        return huge_member(g, member, err);
    TRY(member_text(g, member, &text, &size, &known, err));
    if (!known) return STEMMA_OK;
    TRY(whole_shingles(g->reader.whole, text, size, &fp, &count, &tokens, err));
    return variants_add(maker, member, fp, count, err);
}

/* ---- a group ---- */

static uint32_t document_at(const struct stemma_scan *scan, const struct result_group *group, size_t node) {
    return node == 0 ? group->kept : scan->order[scan->results.members[group->first + node - 1].document];
}

static int64_t modified_of(const struct stemma_scan *scan, uint32_t document) {
    return scan->catalogue.sources[scan->catalogue.documents[document].source].modified;
}

static bool add_relative(struct grower *g, uint32_t class, size_t node, int64_t modified) {
    if (!mem_grow((void **)&g->relatives, &g->relative_cap, g->relative_count + 1, sizeof *g->relatives))
        return false;
    g->relatives[g->relative_count++] = (struct relative){class, node, modified};
    return true;
}

/* Documents of one class follow each other. When dates count, the oldest of them stands for it. */
static stemma_status list_relatives(struct grower *g, const struct result_group *group, stemma_error *err) {
    const struct stemma_scan *scan = g->reader.scan;
    g->relative_count = 0;
    for (size_t node = 0; node <= group->count; node++) {
        uint32_t document = document_at(scan, group, node);
        uint32_t class = scan->catalogue.documents[document].class;
        int64_t modified = modified_of(scan, document);
        struct relative *last = g->relative_count ? &g->relatives[g->relative_count - 1] : NULL;
        if (!last || last->class != class) {
            if (!add_relative(g, class, node, modified)) return fail_memory(err);
        } else if (scan->settings.options.dates && modified < last->modified) {
            last->node = node;
            last->modified = modified;
        }
    }
    return STEMMA_OK;
}

static stemma_tree_node node_of(const struct grower *g, uint64_t document, const struct family_node *from) {
    return (stemma_tree_node){
        .document = document,
        .parent = from->parent == NO_PARENT ? STEMMA_NO_PARENT : g->relatives[from->parent].node,
        .kind = from->kind,
        .added = from->change.added,
        .removed = from->change.removed,
        .moved = from->change.moved,
        .changes = from->change.changes,
        .confidence = from->confidence,
        .direction = from->direction,
        .second = from->second == NO_PARENT ? STEMMA_NO_PARENT : g->relatives[from->second].node,
        .second_share = from->second_share,
    };
}

/* Copies of a text, and what a family has no place for, hang below the document that stands for it, or below
 * the kept one. */
static void fill_nodes(struct grower *g, struct result_group *group, size_t members) {
    struct stemma_scan *scan = g->reader.scan;
    stemma_tree_node *nodes = scan->results.nodes + group->node;
    for (size_t node = 0, at = 0; node <= group->count; node++) {
        uint32_t document = document_at(scan, group, node);
        if (scan->catalogue.documents[document].class != g->relatives[at].class) at++;
        bool unplaced = at >= members;
        const struct family_node same = {
            .parent = unplaced ? 0 : at,
            .kind = unplaced ? STEMMA_DERIVATION_REVISED : STEMMA_DERIVATION_SAME,
            .confidence = unplaced ? 0 : 1,
            .direction = unplaced ? 0 : 1,
            .second = NO_PARENT,
        };
        bool stands = !unplaced && g->relatives[at].node == node;
        nodes[node] = node_of(g, scan->place[document], stands ? &g->family[at] : &same);
        if (nodes[node].parent == STEMMA_NO_PARENT) group->root = node;
    }
}

static stemma_status make_room(struct grower *g, size_t members, stemma_error *err) {
    mem_free(g->family);
    mem_free(g->modified);
    g->family = mem_zero(members, sizeof *g->family);
    g->modified = mem_zero(members, sizeof *g->modified);
    if (!g->family || !g->modified) return fail_memory(err);
    for (size_t i = 0; i < members; i++) g->modified[i] = g->relatives[i].modified;
    return STEMMA_OK;
}

static stemma_status grow(struct grower *g, struct result_group *group, stemma_error *err) {
    struct stemma_scan *scan = g->reader.scan;
    TRY(list_relatives(g, group, err));
    size_t members = g->relative_count < FAMILY_MOST ? g->relative_count : FAMILY_MOST;
    TRY(make_room(g, members, err));
    struct family_options options = {.members = members,
                                     .unit = scan->recipe->view.unit,
                                     .modified = scan->settings.options.dates ? g->modified : NULL,
                                     .stop = scan->settings.limits.stop};
    struct family_source source = {g, member_shingles, member_text};
    if (members > 1)
        TRY(family_make(&options, &source, g->family, err));
    else
        g->family[0] =
            (struct family_node){.parent = NO_PARENT, .confidence = 1, .direction = 1, .second = NO_PARENT};
    fill_nodes(g, group, members);
    progress_add(scan, 1, 0);
    return STEMMA_OK;
}

/* ---- all groups ---- */

static struct result_group *take_group(struct forest *f) {
    struct scan_results *r = &f->scan->results;
    pthread_mutex_lock(&f->lock);
    struct result_group *group =
        f->status == STEMMA_OK && f->next < r->group_count ? &r->groups[f->next++] : NULL;
    pthread_mutex_unlock(&f->lock);
    return group;
}

static void grower_release(struct grower *g) {
    text_reader_release(&g->reader);
    buf_release(&g->rooms[0]);
    buf_release(&g->rooms[1]);
    mem_free(g->relatives);
    mem_free(g->family);
    mem_free(g->modified);
}

static void work(void *context, unsigned number) {
    struct forest *f = context;
    struct grower grower = {0};
    struct result_group *group;
    stemma_error error;
    (void)number;
    stemma_status status = text_reader_init(&grower.reader, f->scan, &error);
    while (status == STEMMA_OK && (group = take_group(f))) status = grow(&grower, group, &error);
    grower_release(&grower);
    if (status == STEMMA_OK) return;
    pthread_mutex_lock(&f->lock);
    if (f->status == STEMMA_OK) {
        f->status = status;
        f->error = error;
    }
    pthread_mutex_unlock(&f->lock);
}

static unsigned workers_of(const struct stemma_scan *scan) {
    size_t most = scan->settings.limits.memory / 4 / FAMILY_BYTES;
    unsigned threads = scan->settings.threads;
    return most < 1 ? 1 : most < threads ? (unsigned)most : threads;
}

stemma_status scan_trees(struct stemma_scan *scan, stemma_error *err) {
    struct scan_results *r = &scan->results;
    struct forest forest = {.scan = scan, .status = STEMMA_OK};
    size_t nodes = 0;
    for (size_t i = 0; i < r->group_count; i++) {
        r->groups[i].node = nodes;
        nodes += r->groups[i].count + 1;
    }
    r->nodes = mem_zero(nodes, sizeof *r->nodes);
    if (!r->nodes) return fail_memory(err);
    progress_stage(scan, "deriving", r->group_count, 0);
    pthread_mutex_init(&forest.lock, NULL);
    threads_run(workers_of(scan), work, &forest);
    pthread_mutex_destroy(&forest.lock);
    return forest.status == STEMMA_OK ? STEMMA_OK : fail(err, forest.status, "%s", forest.error.message);
}

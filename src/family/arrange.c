#include "family/arrange.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A change is looked for this often in the whole tree, at most: nearly always a few rounds do. */
enum { ROUNDS_MOST = 32 };

/* Better than what is said of any edge. */
#define BEYOND_DOUBT INT32_MAX

struct search {
    const struct kinship *kinship;
    size_t members;
    uint32_t root;
    uint32_t *parent;
    uint32_t *children;      /* how many */
    uint32_t *enter, *leave; /* place in the order of the tree, and where what derives from it ends */
    uint32_t *first, *next;  /* child, sibling; while the order is made */
    uint32_t *order;         /* members, each behind its parent */
};

/* Searches that begin with different trees; the first of the best counts. */
struct contest {
    int64_t *worth; /* of roots */
    uint32_t *best; /* parents */
    int64_t score;
};

/* ---- scores ---- */

/* Of the edge from a parent to a child; false when they are not kin. */
static bool edge_score(const struct kinship *kinship, size_t parent, size_t child, int64_t *score) {
    if (parent == NO_MEMBER) {
        *score = 0;
        return true;
    }
    const struct kin *kin = kin_find(kinship, parent, child);
    if (kin) *score = (int64_t)kin->bond + kin->direction;
    return kin != NULL;
}

int64_t arrangement_score(const struct kinship *kinship, const uint32_t *parent) {
    int64_t sum = 0, score = 0, roots = 0;
    for (size_t i = 0; i < kinship->members; i++) {
        if (edge_score(kinship, parent[i], i, &score)) sum += score;
        roots += parent[i] == NO_MEMBER;
    }
    int64_t parents = 0; /* all children but the first of each cost */
    for (size_t i = 0; i < kinship->members; i++) {
        bool has_child = false;
        for (size_t k = kinship->first[i]; k < kinship->first[i + 1] && !has_child; k++)
            has_child = parent[kinship->kin[k].member] == i;
        parents += has_child;
    }
    return sum - BRANCH * ((int64_t)kinship->members - roots - parents);
}

static int64_t branch_cost(int64_t children) {
    return children > 1 ? BRANCH * (children - 1) : 0;
}

bool derives_from(const uint32_t *parent, size_t member, size_t ancestor) {
    while (member != NO_MEMBER && member != ancestor) member = parent[member];
    return member == ancestor;
}

/* ---- the tree as it stands ---- */

/* Everything that follows from parents. */
static void take_stock(struct search *s) {
    memset(s->children, 0, s->members * sizeof *s->children);
    memset(s->first, 0xff, s->members * sizeof *s->first);
    for (size_t i = s->members; i-- > 0;) {
        uint32_t parent = s->parent[i];
        if (parent == NO_MEMBER) {
            s->root = (uint32_t)i;
            continue;
        }
        s->children[parent]++;
        s->next[i] = s->first[parent];
        s->first[parent] = (uint32_t)i;
    }
    uint32_t at = s->root, time = 0;
    while (at != NO_MEMBER) {
        s->order[time] = at;
        s->enter[at] = time++;
        if (s->first[at] != NO_MEMBER) {
            at = s->first[at];
            continue;
        }
        s->leave[at] = time;
        while (at != s->root && s->next[at] == NO_MEMBER) {
            at = s->parent[at];
            s->leave[at] = time;
        }
        at = at == s->root ? NO_MEMBER : s->next[at];
    }
}

static bool is_below(const struct search *s, size_t member, size_t ancestor) {
    return s->enter[member] >= s->enter[ancestor] && s->enter[member] < s->leave[ancestor];
}

/* ---- the best root ---- */

/* As a root, compared with the present one: the edges between them point the other way, and a root with two
 * neighbours branches. */
static void weigh_roots(const struct search *s, int64_t *worth) {
    for (size_t i = 0; i < s->members; i++) {
        uint32_t at = s->order[i], parent = s->parent[at];
        worth[at] = parent == NO_MEMBER
                        ? 0
                        : worth[parent] - 2 * (int64_t)kin_find(s->kinship, parent, at)->direction;
    }
    for (size_t i = 0; i < s->members; i++) {
        uint32_t neighbours = s->children[i] + (i != s->root);
        if (neighbours > 1) worth[i] -= BRANCH;
    }
}

static void make_root(struct search *s, uint32_t root) {
    for (uint32_t at = root, parent = NO_MEMBER; at != NO_MEMBER;) {
        uint32_t next = s->parent[at];
        s->parent[at] = parent;
        parent = at;
        at = next;
    }
    take_stock(s);
}

static bool improve_root(struct search *s, int64_t *worth) {
    uint32_t best = s->root;
    weigh_roots(s, worth);
    for (uint32_t i = 0; i < s->members; i++)
        if (worth[i] > worth[best]) best = i;
    if (best == s->root) return false;
    make_root(s, best);
    return true;
}

/* ---- small changes ---- */

/* Some members get other parents at once; none is named twice. */
struct change {
    size_t count;
    struct {
        uint32_t member, parent;
    } set[3];
};

static void change_add(struct change *c, size_t member, size_t parent) {
    c->set[c->count].member = (uint32_t)member;
    c->set[c->count++].parent = (uint32_t)parent;
}

static void count_children(struct search *s, const struct change *c, bool undo) {
    for (size_t i = 0; i < c->count; i++) {
        uint32_t gone = s->parent[c->set[i].member], come = c->set[i].parent;
        if (gone != NO_MEMBER) s->children[gone] += undo ? 1u : (uint32_t)-1;
        if (come != NO_MEMBER) s->children[come] += undo ? (uint32_t)-1 : 1u;
    }
}

/* Of all parents that the change touches, each once. */
static int64_t branches_touched(const struct search *s, const struct change *c) {
    uint32_t touched[6];
    size_t count = 0;
    int64_t cost = 0;
    for (size_t i = 0; i < 2 * c->count; i++) {
        uint32_t parent = i % 2 ? c->set[i / 2].parent : s->parent[c->set[i / 2].member];
        bool seen = parent == NO_MEMBER;
        for (size_t k = 0; k < count; k++) seen |= touched[k] == parent;
        if (seen) continue;
        touched[count++] = parent;
        cost += branch_cost(s->children[parent]);
    }
    return cost;
}

static bool is_gain(struct search *s, const struct change *c) {
    int64_t gain = branches_touched(s, c), score;
    for (size_t i = 0; i < c->count; i++) {
        if (!edge_score(s->kinship, c->set[i].parent, c->set[i].member, &score)) return false;
        gain += score;
        if (edge_score(s->kinship, s->parent[c->set[i].member], c->set[i].member, &score)) gain -= score;
    }
    count_children(s, c, false);
    gain -= branches_touched(s, c);
    count_children(s, c, true);
    return gain > 0;
}

static bool try_change(struct search *s, const struct change *c) {
    if (!is_gain(s, c)) return false;
    for (size_t i = 0; i < c->count; i++) s->parent[c->set[i].member] = c->set[i].parent;
    take_stock(s);
    return true;
}

/* It hangs below another, with all that derives from it. */
static bool try_elsewhere(struct search *s, size_t member, size_t kin) {
    struct change c = {0};
    if (is_below(s, kin, member) || s->parent[member] == kin) return false;
    change_add(&c, member, kin);
    return try_change(s, &c);
}

/* It trades places with its parent; children stay. */
static bool try_before_parent(struct search *s, size_t member) {
    struct change c = {0};
    uint32_t parent = s->parent[member];
    change_add(&c, member, s->parent[parent]);
    change_add(&c, parent, member);
    return try_change(s, &c);
}

static uint32_t only_child(const struct search *s, size_t member) {
    return s->children[member] ? s->order[s->enter[member] + 1] : NO_MEMBER;
}

/* It goes away alone: its child, if it has one, follows its parent; and it stands between another member and
 * one of the children of that, or below it (child NO_MEMBER). */
static bool try_between(struct search *s, size_t member, size_t kin, uint32_t child) {
    struct change c = {0};
    uint32_t own = only_child(s, member);
    if (kin == member || child == member || (own != NO_MEMBER && (child == own || kin == own))) return false;
    if (own != NO_MEMBER) change_add(&c, own, s->parent[member]);
    if (s->parent[member] != kin) change_add(&c, member, kin);
    if (child != NO_MEMBER) change_add(&c, child, member);
    return c.count && try_change(s, &c);
}

/* Places next to its kin: before each of them, behind it, and between it and its child. */
static bool try_alone(struct search *s, size_t member, size_t kin) {
    if (s->children[member] > 1) return false;
    if (try_between(s, member, kin, NO_MEMBER)) return true;
    if (s->children[kin] == 1 && try_between(s, member, kin, only_child(s, kin))) return true;
    return s->parent[kin] != NO_MEMBER && try_between(s, member, s->parent[kin], (uint32_t)kin);
}

static bool improve_member(struct search *s, size_t member) {
    const struct kinship *k = s->kinship;
    if (s->parent[member] == NO_MEMBER) return false;
    bool improved = try_before_parent(s, member);
    for (size_t i = k->first[member]; i < k->first[member + 1]; i++) {
        if (s->parent[member] == NO_MEMBER) break; /* it may have become the root */
        if (try_elsewhere(s, member, k->kin[i].member) || try_alone(s, member, k->kin[i].member))
            improved = true;
    }
    return improved;
}

/* ---- the first tree ---- */

struct bond {
    int32_t bond;
    uint32_t a, b;
};

static int strongest_first(const void *x, const void *y) {
    const struct bond *p = x, *q = y;
    if (p->bond != q->bond) return p->bond > q->bond ? -1 : 1;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static uint32_t head_of(uint32_t *heads, uint32_t member) {
    while (heads[member] != member) member = heads[member] = heads[heads[member]];
    return member;
}

/* Kruskal's: s->first are the heads of what hangs together; `joined` becomes the edges. */
static size_t join_bonds(struct search *s, struct bond *bonds, size_t count) {
    size_t joined = 0;
    for (uint32_t i = 0; i < s->members; i++) s->first[i] = i;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = head_of(s->first, bonds[i].a), b = head_of(s->first, bonds[i].b);
        if (a == b) continue;
        s->first[b] = a;
        bonds[joined++] = bonds[i];
    }
    return joined;
}

/* Edges become parents, beginning with member 0: each edge is met from the end that is nearer to it. */
static stemma_status hang(struct search *s, const struct bond *edges, size_t count, stemma_error *err) {
    size_t *first = mem_zero(s->members + 1, sizeof *first);
    uint32_t *ends = mem_alloc(2 * count * sizeof *ends);
    if (first && ends) {
        for (size_t i = 0; i < count; i++) first[edges[i].a]++, first[edges[i].b]++;
        for (size_t i = 0, sum = 0; i <= s->members; i++) sum += first[i], first[i] = sum;
        for (size_t i = count; i-- > 0;) {
            ends[--first[edges[i].a]] = edges[i].b;
            ends[--first[edges[i].b]] = edges[i].a;
        }
        size_t done = 0;
        s->parent[0] = NO_MEMBER;
        s->order[done++] = 0;
        for (size_t i = 0; i < done; i++)
            for (size_t k = first[s->order[i]]; k < first[s->order[i] + 1]; k++)
                if (ends[k] != s->parent[s->order[i]]) {
                    s->parent[ends[k]] = s->order[i];
                    s->order[done++] = ends[k];
                }
    }
    bool room = first && ends;
    mem_free(first);
    mem_free(ends);
    return room ? STEMMA_OK : fail_memory(err);
}

static stemma_status first_tree(struct search *s, stemma_error *err) {
    const struct kinship *k = s->kinship;
    size_t count = 0;
    struct bond *bonds = mem_alloc(k->first[k->members] * sizeof *bonds);
    if (!bonds) return fail_memory(err);
    for (uint32_t i = 0; i < k->members; i++)
        for (size_t at = k->first[i]; at < k->first[i + 1]; at++)
            if (k->kin[at].member > i) bonds[count++] = (struct bond){k->kin[at].bond, i, k->kin[at].member};
    if (count) qsort(bonds, count, sizeof *bonds, strongest_first);
    stemma_status status = hang(s, bonds, join_bonds(s, bonds, count), err);
    mem_free(bonds);
    if (status == STEMMA_OK) take_stock(s);
    return status;
}

/* ---- other trees to begin with ---- */

/* By age, as far as directions tell it: each member below the best of those that are older. */
struct aged {
    int64_t age;
    uint32_t member;
};

static int oldest_first(const void *x, const void *y) {
    const struct aged *p = x, *q = y;
    if (p->age != q->age) return p->age > q->age ? -1 : 1;
    return (p->member > q->member) - (p->member < q->member);
}

static uint32_t best_older(const struct search *s, uint32_t member) {
    const struct kinship *k = s->kinship;
    uint32_t best = NO_MEMBER;
    int64_t highest = INT64_MIN;
    for (size_t i = k->first[member]; i < k->first[member + 1]; i++) {
        uint32_t kin = k->kin[i].member;
        int64_t score = (int64_t)k->kin[i].bond - k->kin[i].direction - (s->children[kin] ? BRANCH : 0);
        if (s->enter[kin] >= s->enter[member] || score <= highest) continue;
        highest = score;
        best = kin;
    }
    return best;
}

/* In the order of age; the number of members that have no older kin: one, if all goes well. */
static size_t hang_by_age(struct search *s, const struct aged *aged) {
    size_t roots = 0;
    memset(s->children, 0, s->members * sizeof *s->children);
    for (size_t i = 0; i < s->members; i++) {
        uint32_t member = aged[i].member, parent = best_older(s, member);
        s->parent[member] = parent;
        if (parent != NO_MEMBER)
            s->children[parent]++;
        else
            roots++;
    }
    return roots;
}

/* s->enter is the place in the order of age meanwhile. Where there are several roots, member 0 goes before
 * all others, whose kin it is. */
static stemma_status tree_by_age(struct search *s, stemma_error *err) {
    const struct kinship *k = s->kinship;
    struct aged *aged = mem_zero(s->members, sizeof *aged);
    if (!aged) return fail_memory(err);
    for (uint32_t i = 0; i < s->members; i++) {
        aged[i].member = i;
        for (size_t at = k->first[i]; at < k->first[i + 1]; at++) aged[i].age += k->kin[at].direction;
    }
    qsort(aged, s->members, sizeof *aged, oldest_first);
    for (uint32_t i = 0; i < s->members; i++) s->enter[aged[i].member] = i + 1;
    if (hang_by_age(s, aged) > 1) {
        s->enter[0] = 0;
        hang_by_age(s, aged);
    }
    mem_free(aged);
    take_stock(s);
    return STEMMA_OK;
}

/* ---- all of it ---- */

/* Small families begin with every member as the root. */
enum { ROOTS_MOST = 12 };

static stemma_status improve(struct search *s, const volatile int *stop, int64_t *worth, stemma_error *err) {
    bool improved = true;
    for (unsigned round = 0; improved && round < ROUNDS_MOST; round++) {
        improved = false;
        for (size_t i = 0; i < s->members; i++) {
            if (i % 64 == 0) TRY(check_stop(stop, err));
            if (improve_member(s, i)) improved = true;
        }
        if (improve_root(s, worth)) improved = true;
    }
    return STEMMA_OK;
}

/* Improves what stands in s, and keeps it when it is better than the best so far. */
static stemma_status compete(struct search *s, struct contest *c, const volatile int *stop,
                             stemma_error *err) {
    TRY(improve(s, stop, c->worth, err));
    int64_t score = arrangement_score(s->kinship, s->parent);
    if (score <= c->score) return STEMMA_OK;
    c->score = score;
    memcpy(c->best, s->parent, s->members * sizeof *c->best);
    return STEMMA_OK;
}

static stemma_status run_contest(struct search *s, struct contest *c, const volatile int *stop,
                                 stemma_error *err) {
    TRY(first_tree(s, err));
    improve_root(s, c->worth);
    TRY(compete(s, c, stop, err));
    TRY(tree_by_age(s, err));
    TRY(compete(s, c, stop, err));
    for (uint32_t root = 0; root < s->members && s->members <= ROOTS_MOST; root++) {
        TRY(first_tree(s, err));
        make_root(s, root);
        TRY(compete(s, c, stop, err));
    }
    memcpy(s->parent, c->best, s->members * sizeof *c->best);
    take_stock(s);
    return STEMMA_OK;
}

/* How much worse the next best parent would be. */
static int32_t margin_of(struct search *s, size_t member) {
    const struct kinship *k = s->kinship;
    int64_t own = 0, other = 0, best = INT64_MIN;
    uint32_t parent = s->parent[member];
    edge_score(k, parent, member, &own);
    own -= branch_cost(s->children[parent]) - branch_cost((int64_t)s->children[parent] - 1);
    for (size_t i = k->first[member]; i < k->first[member + 1]; i++) {
        uint32_t kin = k->kin[i].member;
        if (kin == parent || is_below(s, kin, member)) continue;
        other = (int64_t)k->kin[i].bond - k->kin[i].direction;
        other -= branch_cost((int64_t)s->children[kin] + 1) - branch_cost(s->children[kin]);
        if (other > best) best = other;
    }
    return best == INT64_MIN || own - best > BEYOND_DOUBT ? BEYOND_DOUBT : (int32_t)(own - best);
}

/* 2^(x / 1024) for x <= 0, 2^32 being 1. */
static uint64_t exp2_fixed(int64_t x) {
    /* 2^-(1/2), 2^-(1/4), ... */
    static const uint32_t roots[10] = {3037000500, 3611622603, 3938502376, 4112874773, 4202935003,
                                       4248701965, 4271771996, 4283353945, 4289156690, 4292061010};
    const uint64_t less = (uint64_t)-x;
    if (less >> 10 > 31) return 0;
    uint64_t power = (uint64_t)1 << 32;
    for (int bit = 0; bit < 10; bit++)
        if (less >> (9 - bit) & 1) power = power * roots[bit] >> 32;
    return power >> (less >> 10);
}

/* The chance of an edge is that of all roots on its parent's side. Whatever is at or below a member is added
 * up from the leaves on. */
static void judge(struct search *s, int64_t *worth, struct arrangement *out) {
    weigh_roots(s, worth);
    int64_t best = worth[s->root];
    for (size_t i = 0; i < s->members; i++) best = worth[i] > best ? worth[i] : best;
    for (size_t i = 0; i < s->members; i++) worth[i] = (int64_t)exp2_fixed((worth[i] - best) * CHANCE);
    for (size_t i = s->members; i-- > 1;) worth[s->parent[s->order[i]]] += worth[s->order[i]];
    for (size_t i = 1; i < s->members; i++) {
        uint32_t at = s->order[i];
        out->facing[at] = 1 - (double)worth[at] / (double)worth[s->root];
        out->margin[at] = margin_of(s, at);
    }
}

static bool search_init(struct search *s, const struct kinship *kinship, struct arrangement *out) {
    size_t n = kinship->members;
    *s = (struct search){.kinship = kinship, .members = n, .parent = out->parent};
    s->children = mem_zero(n, sizeof *s->children);
    s->enter = mem_zero(n, sizeof *s->enter);
    s->leave = mem_zero(n, sizeof *s->leave);
    s->first = mem_zero(n, sizeof *s->first);
    s->next = mem_zero(n, sizeof *s->next);
    s->order = mem_zero(n, sizeof *s->order);
    return s->children && s->enter && s->leave && s->first && s->next && s->order;
}

static void search_release(struct search *s) {
    mem_free(s->children);
    mem_free(s->enter);
    mem_free(s->leave);
    mem_free(s->first);
    mem_free(s->next);
    mem_free(s->order);
}

static stemma_status run(struct search *s, struct arrangement *out, const volatile int *stop,
                         stemma_error *err) {
    struct contest contest = {.worth = mem_zero(s->members, sizeof *contest.worth),
                              .best = mem_zero(s->members, sizeof *contest.best),
                              .score = INT64_MIN};
    bool room = contest.worth && contest.best;
    stemma_status status = room ? run_contest(s, &contest, stop, err) : fail_memory(err);
    if (status == STEMMA_OK) {
        judge(s, contest.worth, out);
        out->root = s->root;
    }
    mem_free(contest.worth);
    mem_free(contest.best);
    return status;
}

stemma_status arrange(struct arrangement *out, const struct kinship *kinship, const volatile int *stop,
                      stemma_error *err) {
    struct search search = {0};
    TRY(arrangement_init(out, kinship->members, err));
    bool room = search_init(&search, kinship, out);
    stemma_status status = room ? run(&search, out, stop, err) : fail_memory(err);
    search_release(&search);
    if (status != STEMMA_OK) arrangement_release(out);
    return status;
}

stemma_status arrangement_init(struct arrangement *arrangement, size_t members, stemma_error *err) {
    *arrangement = (struct arrangement){.members = members,
                                        .parent = mem_zero(members, sizeof *arrangement->parent),
                                        .margin = mem_zero(members, sizeof *arrangement->margin),
                                        .facing = mem_zero(members, sizeof *arrangement->facing)};
    if (arrangement->parent && arrangement->margin && arrangement->facing) return STEMMA_OK;
    arrangement_release(arrangement);
    return fail_memory(err);
}

void arrangement_release(struct arrangement *arrangement) {
    mem_free(arrangement->parent);
    mem_free(arrangement->margin);
    mem_free(arrangement->facing);
    *arrangement = (struct arrangement){0};
}

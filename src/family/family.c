#include "family/family.h"

#include "base/alloc.h"
#include "family/arrange.h"
#include "family/piece.h"

/* A second parent has at least a twentieth of a member's shingles, and some twenty words of it, that the
 * first lacks: less comes together by chance. */
enum { SECOND_SHARE = 20, SECOND_LEAST = 20 };

struct family {
    const struct family_options *options;
    const struct family_source *source;
    struct variants variants;
    struct clues *clues;
    struct kinship kinship;
    struct pieces pieces;
    struct arrangement tree;
    struct family_text parent, child;
};

/* ---- what the members are like ---- */

static stemma_status look_at(struct family *f, size_t member, struct variants_maker *maker,
                             stemma_error *err) {
    const uint8_t *text;
    size_t size;
    bool known;
    TRY(check_stop(f->options->stop, err));
    TRY(f->source->shingles(f->source->context, member, maker, err));
    TRY(f->source->text(f->source->context, member, &text, &size, &known, err));
    return known ? clues_find(&f->clues[member], text, size, err) : STEMMA_OK;
}

static stemma_status look_at_all(struct family *f, stemma_error *err) {
    struct variants_maker maker;
    f->clues = mem_zero(f->options->members, sizeof *f->clues);
    if (!f->clues) return fail_memory(err);
    stemma_status status = STEMMA_OK;
    variants_maker_init(&maker, f->options->members);
    for (size_t i = 0; i < f->options->members && status == STEMMA_OK; i++)
        status = look_at(f, i, &maker, err);
    if (status == STEMMA_OK) status = variants_finish(&maker, &f->variants, err);
    variants_maker_release(&maker);
    return status;
}

/* ---- how sure it is ---- */

/* Share of edges that were right, by their margin, in histories that are known
 * (docs/design/tree.md); between two of them, the line, to three places. */
struct calibration {
    int32_t margin;
    double share;
};

static const struct calibration bond_calibration[] = {{0, .65},    {256, .8},    {512, .88},
                                                      {1024, .94}, {2048, .965}, {4096, .98}};

static double calibrated(const struct calibration *table, size_t count, int32_t margin) {
    size_t at = 0;
    if (margin <= table[0].margin) return table[0].share;
    while (at + 1 < count && table[at + 1].margin <= margin) at++;
    if (at + 1 == count) return table[at].share;
    const struct calibration *low = &table[at], *high = low + 1;
    double part = (double)(margin - low->margin) / (high->margin - low->margin);
    return (double)(long)((low->share + (high->share - low->share) * part) * 1000 + .5) / 1000;
}

#define CALIBRATED(table, margin) calibrated(table, sizeof(table) / sizeof *(table), margin)

/* Texts never make it surer; and an edge is drawn though its other direction is as likely. */
#define DIRECTION_MOST  .99
#define DIRECTION_LEAST .5

static double direction_of(double facing) {
    double kept = facing < DIRECTION_LEAST  ? DIRECTION_LEAST
                  : facing > DIRECTION_MOST ? DIRECTION_MOST
                                            : facing;
    return (double)(long)(kept * 1000 + .5) / 1000;
}

/* ---- edges ---- */

static stemma_status read_text(struct family *f, size_t member, struct family_text *to, bool *known,
                               stemma_error *err) {
    const uint8_t *text;
    size_t size;
    TRY(f->source->text(f->source->context, member, &text, &size, known, err));
    return *known ? family_text_read(to, f->options->unit, text, size, err) : STEMMA_OK;
}

/* Of texts that cannot be held shingles are counted, each of which begins with a token. */
static struct derivation by_shingles(const struct family *f, size_t parent, size_t child) {
    const struct variants *v = &f->variants;
    return (struct derivation){.parent_tokens = v->sizes[parent] * v->inverse,
                               .tokens = v->sizes[child] * v->inverse,
                               .added = variants_lost(v, child, parent),
                               .removed = variants_lost(v, parent, child),
                               .changes = 1};
}

static stemma_status derive(struct family *f, size_t parent, size_t child, struct derivation *out,
                            stemma_error *err) {
    bool parent_known, child_known;
    TRY(check_stop(f->options->stop, err));
    TRY(read_text(f, parent, &f->parent, &parent_known, err));
    TRY(read_text(f, child, &f->child, &child_known, err));
    if (parent_known && child_known)
        return derivation_find(&f->parent, &f->child, f->options->stop, out, err);
    *out = by_shingles(f, parent, child);
    return STEMMA_OK;
}

/* What two members share and a third lacks, when it is enough to have been taken from one to the other; 0
 * otherwise. */
static uint64_t taken_over(const struct family *f, size_t member, size_t from, size_t without) {
    const struct variants *v = &f->variants;
    uint64_t size = v->sizes[member] * v->inverse, shared = variants_trio(v, member, without, from).ac;
    return shared >= SECOND_LEAST && shared >= size / SECOND_SHARE ? shared : 0;
}

/* The one that has most of what the parent lacks; what is younger, or derives from the member, had it from
 * there. */
static size_t find_second(const struct family *f, size_t member, uint64_t *shared) {
    const struct kinship *k = &f->kinship;
    size_t parent = f->tree.parent[member], second = NO_PARENT;
    *shared = 0;
    for (size_t i = k->first[member]; i < k->first[member + 1]; i++) {
        size_t other = k->kin[i].member;
        bool younger = k->kin[i].direction > 0 || (k->kin[i].direction == 0 && other > member);
        if (other == parent || younger || derives_from(f->tree.parent, other, member)) continue;
        uint64_t found = taken_over(f, member, other, parent);
        if (found <= *shared) continue;
        *shared = found;
        second = other;
    }
    return second;
}

/* A member that gave a passage to another, on a branch of its own, seems to derive from that one: both have
 * the passage. But then it would have put back older text, too,
 * without having become the younger of the two. */
static void part_from_taker(struct family *f, size_t member) {
    uint64_t shared;
    uint32_t *parents = f->tree.parent, taker = parents[member];
    if (taker == NO_MEMBER || parents[taker] == NO_MEMBER) return;
    size_t older = find_second(f, member, &shared);
    if (older == NO_PARENT || !derives_from(parents, taker, older)) return;
    if (kin_find(&f->kinship, member, taker)->direction < 0) return;
    if (!taken_over(f, taker, member, parents[taker])) return;
    parents[member] = (uint32_t)older;
    f->tree.margin[member] = 0;
}

/* How much of the shorter of two members is in the other, in thousandths. */
static uint64_t share_of(const struct family *f, size_t a, size_t b) {
    const uint32_t *sizes = f->variants.sizes;
    uint64_t shorter = sizes[a] < sizes[b] ? sizes[a] : sizes[b];
    uint64_t common = sizes[a] - variants_lost(&f->variants, a, b);
    return shorter ? 1000 * common / shorter : 1000;
}

/* Members may hang together by what all of them quote. But of the edges of known histories each has half of
 * the shorter text in common, and below that nothing is known. */
enum { VERSION_LEAST = 500 };

/* Where the best place in the tree is below a text of another kind, the one that has more of it is its
 * parent. */
static void part_from_stranger(struct family *f, size_t member) {
    uint64_t shared;
    uint32_t *parents = f->tree.parent;
    if (parents[member] == NO_MEMBER) return;
    uint64_t share = share_of(f, member, parents[member]);
    if (share >= VERSION_LEAST) return;
    size_t other = find_second(f, member, &shared);
    if (other == NO_PARENT || share_of(f, member, other) <= share) return;
    parents[member] = (uint32_t)other;
    f->tree.margin[member] = 0;
}

/* The clues of an edge speak against it, and by more than growth can say: the tree as a whole has outvoted
 * them. So few edges of the histories are like this that nothing is known of them, but that it is less sure.
 */
static bool is_outvoted(const struct family *f, size_t member) {
    const struct kin *kin = kin_find(&f->kinship, f->tree.parent[member], member);
    return kin && kin->direction < -GROWTH && f->pieces.whole[member] == NO_MEMBER;
}

static stemma_derivation kind_of(const struct family_node *node, uint64_t share) {
    if (node->second != NO_PARENT) return STEMMA_DERIVATION_COMBINED;
    return share < VERSION_LEAST ? STEMMA_DERIVATION_REPLACED : derivation_kind(&node->change);
}

static void set_confidence(const struct family *f, size_t member, uint64_t share, struct family_node *node) {
    double least = share < VERSION_LEAST ? (double)share / 1000 : 1;
    node->confidence = CALIBRATED(bond_calibration, f->tree.margin[member]);
    if (node->confidence > least) node->confidence = least;
    node->direction = is_outvoted(f, member) ? DIRECTION_LEAST : direction_of(f->tree.facing[member]);
}

static stemma_status fill(struct family *f, struct family_node *nodes, stemma_error *err) {
    for (size_t i = 0; i < f->options->members; i++) {
        struct family_node *node = &nodes[i];
        *node =
            (struct family_node){.parent = NO_PARENT, .confidence = 1, .direction = 1, .second = NO_PARENT};
        if (f->tree.parent[i] == NO_MEMBER) continue;
        node->parent = f->tree.parent[i];
        TRY(derive(f, node->parent, i, &node->change, err));
        uint64_t shared, size = f->variants.sizes[i] * f->variants.inverse;
        node->second = find_second(f, i, &shared);
        if (shared) node->second_share = (double)shared / (double)size;
        const uint64_t share = share_of(f, i, node->parent);
        node->kind = kind_of(node, share);
        set_confidence(f, i, share, node);
    }
    return STEMMA_OK;
}

/* ---- the tree ---- */

/* What is missing stands before it and behind it, but for a slip; drafts are added to all over. */
enum { SLIP = 10 };

static bool is_passage(const struct derivation *d) {
    return d->added + d->removed - d->before - d->behind <= d->tokens / SLIP;
}

static stemma_status find_piece(struct family *f, size_t member, stemma_error *err) {
    struct piece piece;
    struct derivation change;
    if (!piece_find(&f->kinship, &f->variants, f->clues, member, &piece)) return STEMMA_OK;
    TRY(derive(f, piece.whole, member, &change, err));
    const bool inside = change.before && change.behind;
    if (!is_passage(&change) || !(inside || piece.versions)) return STEMMA_OK;
    f->pieces.whole[member] = piece.whole;
    f->pieces.margin[member] = piece.margin;
    return STEMMA_OK;
}

static stemma_status arrange_core(struct family *f, stemma_error *err) {
    struct kinship core;
    pieces_list_core(&f->pieces);
    if (f->pieces.core_count == f->pieces.members)
        return arrange(&f->tree, &f->kinship, f->options->stop, err);
    TRY(kinship_among(&core, &f->kinship, f->pieces.core, f->pieces.core_count, err));
    stemma_status status = arrange(&f->tree, &core, f->options->stop, err);
    kinship_release(&core);
    return status == STEMMA_OK ? pieces_hang(&f->tree, &f->pieces, err) : status;
}

/* ---- all of it ---- */

static stemma_status make(struct family *f, struct family_node *nodes, stemma_error *err) {
    TRY(look_at_all(f, err));
    TRY(kinship_find(&f->kinship, &f->variants, f->clues, f->options->modified, f->options->stop, err));
    TRY(pieces_init(&f->pieces, f->options->members, err));
    for (size_t i = 0; i < f->options->members && !f->options->modified; i++) TRY(find_piece(f, i, err));
    TRY(arrange_core(f, err));
    for (size_t i = 0; i < f->options->members; i++) part_from_taker(f, i);
    for (size_t i = 0; i < f->options->members; i++) part_from_stranger(f, i);
    return fill(f, nodes, err);
}

static void release(struct family *f) {
    for (size_t i = 0; f->clues && i < f->options->members; i++) clues_release(&f->clues[i]);
    mem_free(f->clues);
    variants_release(&f->variants);
    kinship_release(&f->kinship);
    pieces_release(&f->pieces);
    arrangement_release(&f->tree);
    family_text_release(&f->parent);
    family_text_release(&f->child);
}

stemma_status family_make(const struct family_options *options, const struct family_source *source,
                          struct family_node *nodes, stemma_error *err) {
    struct family family = {.options = options, .source = source};
    stemma_status status = make(&family, nodes, err);
    release(&family);
    return status;
}

#include "family/piece.h"

/* It is at most one of SHARE of the whole, of its own is one of OWN, and there are at least WHOLES such. */
enum { SHARE = 2, OWN = 10, WHOLES = 2 };

static bool is_inside(const struct variants *v, size_t piece, size_t whole) {
    uint64_t size = v->sizes[piece] * v->inverse;
    return size > 0 && v->sizes[piece] <= v->sizes[whole] / SHARE &&
           variants_lost(v, piece, whole) <= size / OWN;
}

static bool is_piece(const struct kinship *kinship, const struct variants *v, size_t member) {
    size_t wholes = 0;
    for (size_t i = kinship->first[member]; i < kinship->first[member + 1] && wholes < WHOLES; i++)
        wholes += is_inside(v, member, kinship->kin[i].member);
    return wholes == WHOLES;
}

/* The child nearest to the root, of those that it is inside of and that nothing
 * but growth says are younger. */
static const struct kin *find_whole(const struct arrangement *tree, const struct kinship *kinship,
                                    const struct variants *v) {
    const struct kin *best = NULL;
    for (size_t i = kinship->first[tree->root]; i < kinship->first[tree->root + 1]; i++) {
        const struct kin *kin = &kinship->kin[i];
        if (tree->parent[kin->member] == tree->root && kin->direction <= GROWTH &&
            is_inside(v, tree->root, kin->member) && (!best || kin->bond > best->bond))
            best = kin;
    }
    return best;
}

/* Its other children seemed to derive from what it is a piece of. */
void piece_hang(struct arrangement *tree, uint32_t whole) {
    const uint32_t piece = tree->root;
    tree->margin[piece] = tree->margin[whole]; /* neighbours they were, too */
    tree->turned[piece] = 0;
    for (size_t i = 0; i < tree->members; i++) {
        if (tree->parent[i] != piece) continue;
        tree->parent[i] = whole;
        tree->margin[i] = tree->turned[i] = 0;
    }
    tree->parent[piece] = whole;
    tree->parent[whole] = NO_MEMBER;
    tree->root = whole;
}

bool piece_find_whole(const struct arrangement *tree, const struct kinship *kinship,
                      const struct variants *variants, uint32_t *whole) {
    const struct kin *found =
        is_piece(kinship, variants, tree->root) ? find_whole(tree, kinship, variants) : NULL;
    if (found) *whole = found->member;
    return found;
}

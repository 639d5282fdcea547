#include "family/piece.h"

#include "base/alloc.h"

#include <string.h>

/* Shingles that one lacks of another because it ends, or begins, within a word. */
enum { CUT = 2 };

/* Of what a piece has a whole may lack a shingle or two. */
enum { DOUBT = 2 };

/* Little is known of how often: the histories have one. */
#define PIECE_FACING .66

static bool is_better(const struct variants *v, size_t piece, size_t whole, size_t than) {
    uint64_t lost = variants_lost(v, piece, whole), lost_there = variants_lost(v, piece, than);
    if (lost != lost_there) return lost < lost_there;
    return variants_distance(v, piece, whole) < variants_distance(v, piece, than);
}

static uint32_t best_whole(const struct kinship *kinship, const struct variants *v, size_t member) {
    uint32_t best = NO_MEMBER;
    for (size_t i = kinship->first[member]; i < kinship->first[member + 1]; i++) {
        uint32_t kin = kinship->kin[i].member;
        if (variants_inside(v, member, kin) && (best == NO_MEMBER || is_better(v, member, kin, best)))
            best = kin;
    }
    return best;
}

static int32_t preference(const struct variants *v, size_t piece, size_t whole, size_t other) {
    return log2_fixed(variants_lost(v, piece, other) + DOUBT) -
           log2_fixed(variants_lost(v, piece, whole) + DOUBT);
}

/* The wholes have more in common than the piece, which is at most half of them. */
static bool are_related(const struct variants *v, size_t a, size_t b) {
    size_t small = v->sizes[a] <= v->sizes[b] ? a : b;
    return variants_lost(v, small, small == a ? b : a) <= v->sizes[small] * v->inverse / 2;
}

/* Neither was merely added to. */
static bool are_versions(const struct variants *v, size_t a, size_t b) {
    return variants_lost(v, a, b) > CUT && variants_lost(v, b, a) > CUT;
}

/* False when others quote it, too, who have nothing else in common: then it is the source of all. */
static bool weigh_wholes(const struct kinship *kinship, const struct variants *v, size_t member,
                         struct piece *piece) {
    for (size_t i = kinship->first[member]; i < kinship->first[member + 1]; i++) {
        const size_t other = kinship->kin[i].member;
        if (other == piece->whole || !variants_inside(v, member, other)) continue;
        if (!are_related(v, piece->whole, other)) return false;
        const int32_t margin = preference(v, member, piece->whole, other);
        if (margin < piece->margin) piece->margin = margin;
        piece->versions |= are_versions(v, piece->whole, other);
    }
    return true;
}

bool piece_find(const struct kinship *kinship, const struct variants *variants, const struct clues *clues,
                size_t member, struct piece *out) {
    if (member == 0 && kinship->members > ALL_PAIRS) return false; /* others hang together by it */
    struct piece piece = {.whole = best_whole(kinship, variants, member), .margin = INT32_MAX};
    if (piece.whole == NO_MEMBER) return false;
    const struct evidence e = clues_weigh(&clues[member], &clues[piece.whole]);
    if (e.years > 0 || e.numbers > 0 || !weigh_wholes(kinship, variants, member, &piece)) return false;
    *out = piece;
    return true;
}

/* ---- all of them ---- */

stemma_status pieces_init(struct pieces *pieces, size_t members, stemma_error *err) {
    *pieces = (struct pieces){.members = members,
                              .core = mem_alloc(members * sizeof *pieces->core),
                              .whole = mem_alloc(members * sizeof *pieces->whole),
                              .margin = mem_zero(members, sizeof *pieces->margin)};
    if (!pieces->core || !pieces->whole || !pieces->margin) return fail_memory(err);
    memset(pieces->whole, 0xff, members * sizeof *pieces->whole);
    return STEMMA_OK;
}

void pieces_release(struct pieces *pieces) {
    mem_free(pieces->core);
    mem_free(pieces->whole);
    mem_free(pieces->margin);
    *pieces = (struct pieces){0};
}

void pieces_list_core(struct pieces *pieces) {
    pieces->core_count = 0;
    for (size_t i = 0; i < pieces->members; i++)
        if (pieces->whole[i] == NO_MEMBER) pieces->core[pieces->core_count++] = (uint32_t)i;
}

stemma_status pieces_hang(struct arrangement *tree, const struct pieces *pieces, stemma_error *err) {
    struct arrangement all;
    TRY(arrangement_init(&all, pieces->members, err));
    for (size_t i = 0; i < pieces->members; i++) {
        all.parent[i] = pieces->whole[i];
        all.margin[i] = pieces->margin[i];
        all.facing[i] = PIECE_FACING;
    }
    for (size_t i = 0; i < tree->members; i++) {
        const uint32_t member = pieces->core[i], parent = tree->parent[i];
        all.parent[member] = parent == NO_MEMBER ? NO_MEMBER : pieces->core[parent];
        all.margin[member] = tree->margin[i];
        all.facing[member] = tree->facing[i];
    }
    all.root = pieces->core[tree->root];
    arrangement_release(tree);
    *tree = all;
    return STEMMA_OK;
}

/*
 * Where the members of a family differ: a column for each shingle that some of them have and others have not,
 * a row of bits for each member.
 *
 * What all have tells nothing of who derives from whom, and what one alone has is only counted, so columns
 * are few. Where they are too many, those of a sample of all shingles are kept, the same for every member.
 */
#ifndef FAMILY_VARIANTS_H
#define FAMILY_VARIANTS_H

#include "base/buf.h"
#include "base/error.h"

/* More members do not fit into the bits that a record has for them. */
#define FAMILY_MOST ((size_t)1 << 17)

struct variants {
    size_t members, words; /* words of 64 columns in a row */
    uint64_t *rows;
    uint32_t *alone;  /* by member: shingles that no other has, */
    uint32_t *varied; /* that not all have, */
    uint32_t *sizes;  /* and all of its shingles, */
    uint64_t inverse; /* each of which stands for so many */
};

/* Collects the shingles of all members. */
struct variants_maker {
    size_t members, most; /* columns */
    uint64_t mask;        /* of the bits that are 0 in the sample */
    struct vec64 records; /* hashes with the member in the lower bits */
};

void variants_maker_init(struct variants_maker *maker, size_t members);
void variants_maker_release(struct variants_maker *maker);

/* Fingerprints of a member's shingles, in any order, with repetitions, in any number of calls. */
stemma_status variants_add(struct variants_maker *maker, size_t member, const uint64_t *fp, size_t count,
                           stemma_error *err);
stemma_status variants_finish(struct variants_maker *maker, struct variants *out, stemma_error *err);
void variants_release(struct variants *variants);

static inline const uint64_t *variants_row(const struct variants *v, size_t member) {
    return v->rows + member * v->words;
}

/* Shingles, of the sample, that one of the two has and the other lacks. */
uint64_t variants_distance(const struct variants *v, size_t a, size_t b);
/* Shingles of a that b lacks. */
uint64_t variants_lost(const struct variants *v, size_t a, size_t b);

/* Whether one is at most half of another, and next to nothing besides: an excerpt, or a draft. */
bool variants_inside(const struct variants *v, size_t piece, size_t whole);

/* Of three members: what two of them share and the third lacks, and what each has alone among the three. */
struct trio {
    uint64_t ab, bc, ac, a, b, c;
};
struct trio variants_trio(const struct variants *v, size_t a, size_t b, size_t c);

#endif

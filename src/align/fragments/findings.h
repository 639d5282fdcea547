/* What a search found in one file: fragments, blocks, and how much of the targets is there. */
#ifndef ALIGN_FINDINGS_H
#define ALIGN_FINDINGS_H

#include "align/fragments/finder.h"

/* A stretch of the file that is a stretch of a target, token by token. */
struct match {
    uint64_t begin, end, first_line, last_line;
    uint32_t position; /* token of the targets */
    uint64_t tokens;
    struct vec64 cuts; /* how many of the tokens begin before each border between blocks */
};

struct stemma_findings {
    const stemma_finder *finder;
    stemma_find_summary summary;
    stemma_fragment *fragments;
    size_t fragment_count, fragment_cap;
    stemma_block *blocks;
    size_t block_count, block_cap;
    uint64_t *seen;          /* a bit for each token of the targets */
    uint64_t *target_tokens; /* found of each target */

    stemma_block open;    /* the block that fragments were last found in; empty: none */
    struct vec64 in_open; /* ranges of tokens found in it: first << 32 | end */
    uint64_t covered_to;  /* bytes before were counted */
};

stemma_status findings_new(const stemma_finder *finder, stemma_findings **out, stemma_error *err);
/* Matches come in the order of their place. */
stemma_status findings_add(stemma_findings *findings, const struct match *match, stemma_error *err);
stemma_status findings_finish(stemma_findings *findings, uint64_t bytes, stemma_error *err);

#endif

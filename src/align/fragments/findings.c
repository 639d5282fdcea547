/* Matches become fragments; each is counted in the blocks it reaches into, a byte and a token once. */
#include "align/fragments/findings.h"

#include "base/alloc.h"
#include "base/sort.h"

stemma_status findings_new(const stemma_finder *finder, stemma_findings **out, stemma_error *err) {
    stemma_findings *findings = mem_zero(1, sizeof *findings);
    if (!findings) return fail_memory(err);
    findings->finder = finder;
    findings->target_tokens = mem_zero(finder->target_count, sizeof *findings->target_tokens);
    if (!findings->target_tokens) {
        stemma_findings_free(findings);
        return fail_memory(err);
    }
    *out = findings;
    return STEMMA_OK;
}

void stemma_findings_free(stemma_findings *findings) {
    if (!findings) return;
    mem_free(findings->fragments);
    mem_free(findings->blocks);
    mem_free(findings->seen);
    mem_free(findings->target_tokens);
    vec64_release(&findings->in_open);
    mem_free(findings);
}

/* ---- tokens of the targets ---- */

/* Marks a range; returns how many of it were not marked before. */
static uint64_t mark(uint64_t *bits, uint32_t begin, uint32_t end) {
    uint64_t fresh = 0;
    for (uint32_t word = begin / 64; word <= (end - 1) / 64; word++) {
        uint64_t mask = UINT64_MAX;
        if (word == begin / 64) mask &= UINT64_MAX << begin % 64;
        if (word == (end - 1) / 64) mask &= UINT64_MAX >> (63 - (end - 1) % 64);
        fresh += (uint64_t)__builtin_popcountll(mask & ~bits[word]);
        bits[word] |= mask;
    }
    return fresh;
}

static stemma_status mark_tokens(stemma_findings *f, const struct match *match, size_t target,
                                 stemma_error *err) {
    if (!f->seen) f->seen = mem_zero(f->finder->tokens / 64 + 1, sizeof *f->seen);
    if (!f->seen) return fail_memory(err);
    uint64_t fresh = mark(f->seen, match->position, match->position + (uint32_t)match->tokens);
    f->target_tokens[target] += fresh;
    f->summary.tokens_found += fresh;
    return STEMMA_OK;
}

/* ---- blocks ---- */

/* How many tokens the ranges hold together. They are reordered. */
static stemma_status count_union(struct vec64 *ranges, uint64_t *out, stemma_error *err) {
    uint64_t count = 0, reached = 0;
    if (!sort_u64(ranges->data, ranges->len)) return fail_memory(err);
    for (size_t i = 0; i < ranges->len; i++) {
        uint64_t begin = ranges->data[i] >> 32, end = ranges->data[i] & UINT32_MAX;
        if (begin < reached) begin = reached;
        if (end <= begin) continue;
        count += end - begin;
        reached = end;
    }
    *out = count;
    return STEMMA_OK;
}

static stemma_status close_block(stemma_findings *f, stemma_error *err) {
    if (f->open.end == 0) return STEMMA_OK;
    TRY(count_union(&f->in_open, &f->open.tokens, err));
    f->summary.blocks++;
    if (f->block_count < f->finder->most) {
        if (!mem_grow((void **)&f->blocks, &f->block_cap, f->block_count + 1, sizeof *f->blocks))
            return fail_memory(err);
        f->blocks[f->block_count++] = f->open;
    }
    f->open = (stemma_block){0};
    f->in_open.len = 0;
    return STEMMA_OK;
}

static stemma_status open_block(stemma_findings *f, uint64_t begin, stemma_error *err) {
    if (f->open.end && f->open.begin == begin) return STEMMA_OK;
    TRY(close_block(f, err));
    f->open = (stemma_block){.begin = begin, .end = begin + f->finder->block};
    return STEMMA_OK;
}

/* The part of a match in one block: bytes [begin, end), and tokens. */
static stemma_status add_part(stemma_findings *f, uint64_t begin, uint64_t end, uint64_t first, uint64_t last,
                              stemma_error *err) {
    if (f->open.end && begin < f->open.begin)
        return STEMMA_OK; /* inside the fragment before, which went on */
    TRY(open_block(f, begin / f->finder->block * f->finder->block, err));
    uint64_t from = begin > f->covered_to ? begin : f->covered_to;
    if (end > from) f->open.covered += end - from;
    f->open.fragments++;
    return last == first || vec64_add(&f->in_open, first << 32 | last) ? STEMMA_OK : fail_memory(err);
}

static stemma_status add_to_blocks(stemma_findings *f, const struct match *match, stemma_error *err) {
    uint64_t size = f->finder->block, begin = match->begin, position = match->position, first = position;
    for (size_t i = 0; begin < match->end; i++) {
        uint64_t border = (begin / size + 1) * size;
        bool crosses = border < match->end;
        uint64_t last = position + (crosses && i < match->cuts.len ? match->cuts.data[i] : match->tokens);
        TRY(add_part(f, begin, crosses ? border : match->end, first, last, err));
        first = last;
        begin = crosses ? border : match->end;
    }
    return STEMMA_OK;
}

/* ---- fragments ---- */

static stemma_status keep(stemma_findings *f, const struct match *match, const struct target *target,
                          stemma_error *err) {
    uint32_t last = match->position + (uint32_t)match->tokens - 1;
    if (f->fragment_count == f->finder->most) return STEMMA_OK;
    if (!mem_grow((void **)&f->fragments, &f->fragment_cap, f->fragment_count + 1, sizeof *f->fragments))
        return fail_memory(err);
    f->fragments[f->fragment_count++] = (stemma_fragment){
        .begin = match->begin,
        .end = match->end,
        .first_line = match->first_line,
        .last_line = match->last_line,
        .target = (size_t)(target - f->finder->targets),
        .target_begin = offset_map_find(&target->map, target_token(target, match->position).begin),
        .target_end = offset_map_find(&target->map, target_token(target, last).end),
        .tokens = match->tokens,
    };
    return STEMMA_OK;
}

stemma_status findings_add(stemma_findings *f, const struct match *match, stemma_error *err) {
    const struct target *target = finder_target(f->finder, match->position);
    TRY(keep(f, match, target, err));
    TRY(mark_tokens(f, match, (size_t)(target - f->finder->targets), err));
    TRY(add_to_blocks(f, match, err));
    uint64_t from = match->begin > f->covered_to ? match->begin : f->covered_to;
    if (match->end > from) f->summary.covered += match->end - from;
    if (match->end > f->covered_to) f->covered_to = match->end;
    f->summary.fragments++;
    if (match->tokens > f->summary.longest) f->summary.longest = match->tokens;
    return STEMMA_OK;
}

stemma_status findings_finish(stemma_findings *f, uint64_t bytes, stemma_error *err) {
    TRY(close_block(f, err));
    f->summary.bytes = bytes;
    f->summary.share = (double)f->summary.tokens_found / (double)f->finder->tokens;
    if (f->block_count && f->blocks[f->block_count - 1].end > bytes)
        f->blocks[f->block_count - 1].end = bytes;
    for (size_t i = 0; i < f->block_count; i++)
        f->blocks[i].target_share = (double)f->blocks[i].tokens / (double)f->finder->tokens;
    return STEMMA_OK;
}

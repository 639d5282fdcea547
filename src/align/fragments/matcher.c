#include "align/fragments/matcher.h"

#include <string.h>

static bool goes_along(struct matcher *m, struct candidate candidate, uint64_t offset,
                       const struct place *token) {
    uint64_t index = candidate.position - candidate.target->first + offset;
    m->work++;
    if (index >= candidate.target->count) return false;
    struct token wanted = target_token(candidate.target, candidate.position + (uint32_t)offset);
    return wanted.end - wanted.begin == token->size &&
           !memcmp(candidate.target->text.data + wanted.begin, token->text, token->size);
}

/* ---- a fragment in progress ---- */

/* The blocks that begin between the last token and this one. */
static bool note_borders(struct matcher *m, const struct place *token) {
    uint64_t size = m->findings->finder->block;
    uint64_t border = (m->match.begin / size + 1 + m->match.cuts.len) * size;
    for (; border <= token->begin; border += size)
        if (!vec64_add(&m->match.cuts, m->match.tokens)) return false;
    return true;
}

static stemma_status append(struct matcher *m, const struct place *token, stemma_error *err) {
    if (!note_borders(m, token)) return fail_memory(err);
    m->match.end = token->end;
    m->match.last_line = token->line;
    m->match.tokens++;
    return STEMMA_OK;
}

/* Keeps the candidates that go on with the token; when none does, all stay, and false. */
static bool go_on(struct matcher *m, const struct place *token) {
    size_t kept = 0;
    for (size_t i = 0; i < m->live_count; i++)
        if (goes_along(m, m->live[i], m->match.tokens, token)) m->live[kept++] = m->live[i];
    if (kept) m->live_count = kept;
    return kept > 0;
}

/* A target that is shorter than what is worth mentioning is found when all of it is there. */
static uint64_t least_of(const struct matcher *m, const struct target *target) {
    uint64_t least = m->findings->finder->least;
    return target->count < least ? target->count : least;
}

stemma_status matcher_end(struct matcher *m, stemma_error *err) {
    if (m->live_count == 0) return STEMMA_OK;
    struct candidate best = m->live[0];
    m->live_count = 0;
    m->match.position = best.position;
    return m->match.tokens < least_of(m, best.target) ? STEMMA_OK : findings_add(m->findings, &m->match, err);
}

/* ---- its beginning ---- */

static bool is_window(struct matcher *m, struct candidate candidate, const struct place *window) {
    for (uint32_t i = 0; i < m->findings->finder->view.window; i++)
        if (!goes_along(m, candidate, i, &window[i])) return false;
    return true;
}

static void find_candidates(struct matcher *m, const struct place *window, uint32_t position) {
    const stemma_finder *finder = m->findings->finder;
    for (size_t tried = 0; position != NO_POSITION && tried < CANDIDATES; tried++) {
        struct candidate candidate = {finder_target(finder, position), position};
        if (is_window(m, candidate, window)) m->live[m->live_count++] = candidate;
        position = finder->next[position];
    }
}

stemma_status matcher_begin(struct matcher *m, const struct place *window, uint32_t position,
                            stemma_error *err) {
    find_candidates(m, window, position);
    if (m->live_count == 0) return STEMMA_OK;
    m->match.begin = window->begin;
    m->match.first_line = window->line;
    m->match.tokens = 0;
    m->match.cuts.len = 0;
    for (uint32_t i = 0; i < m->findings->finder->view.window; i++) TRY(append(m, &window[i], err));
    return STEMMA_OK;
}

stemma_status matcher_follow(struct matcher *m, const struct place *token, bool *follows, stemma_error *err) {
    *follows = m->live_count && go_on(m, token);
    return *follows ? append(m, token, err) : matcher_end(m, err);
}

void matcher_release(struct matcher *m) {
    vec64_release(&m->match.cuts);
}

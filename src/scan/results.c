/* Groups in documents: members of the kept class, and of the classes it took, each with its relation to the
 * kept document. */
#include "base/alloc.h"
#include "runs/record_sort.h"
#include "scan/scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- relation of a member to the kept document ---- */

bool scan_same_bytes(const struct stemma_scan *scan, uint32_t a, uint32_t b) {
    const struct document *documents = scan->catalogue.documents;
    return documents[a].bytes == documents[b].bytes &&
           identity_equal(documents[a].bytes_identity, documents[b].bytes_identity);
}

static stemma_scan_member copy_of(const struct stemma_scan *scan, uint32_t document, uint32_t kept) {
    return (stemma_scan_member){
        .document = scan->place[document],
        .relation = scan_same_bytes(scan, document, kept) ? STEMMA_IDENTICAL : STEMMA_SAME_TEXT,
        .resemblance = 1,
        .contained = 1,
        .contains = 1,
        .parent = scan->place[kept],
    };
}

static stemma_scan_member relative_of(const struct stemma_scan *scan, uint32_t document, uint32_t kept,
                                      const struct numbers *n) {
    const stemma_scan_options *o = &scan->settings.options;
    stemma_relation relation = numbers_resemble(n, o->threshold)           ? STEMMA_NEAR_DUPLICATE
                               : numbers_second_contained(n, o->contained) ? STEMMA_CONTAINED
                                                                           : STEMMA_RELATED;
    return (stemma_scan_member){
        .document = scan->place[document],
        .relation = relation,
        .resemblance = numbers_resemblance(n),
        .contained = share_of(n->common, n->second),
        .contains = share_of(n->common, n->first),
        .parent = scan->place[kept],
    };
}

/* ---- what may go ---- */

static bool set_bit(uint8_t *bits, uint32_t number) {
    bool was = bits[number / 8] >> number % 8 & 1;
    bits[number / 8] |= (uint8_t)(1u << number % 8);
    return was;
}

/* Nothing goes from inside a file. What holds other documents would take them along, and the numbers say
 * nothing of them: it may go only for another file of the same bytes, the first of which in keep order stays.
 * (docs/design/groups.md) */
static bool may_go(struct stemma_scan *scan, uint32_t document) {
    const struct catalogue *c = &scan->catalogue;
    if (catalogue_is_contained(c, &c->documents[document])) return false;
    if (!c->documents[document].filled) return true;
    return set_bit(scan->results.held_bits, catalogue_first_same(c, document));
}

/* ---- collecting ---- */

static stemma_status add_member(struct stemma_scan *scan, struct result_group *group, uint32_t document,
                                stemma_scan_member member, stemma_error *err) {
    struct scan_results *r = &scan->results;
    if (!mem_grow((void **)&r->members, &r->member_cap, r->member_count + 1, sizeof *r->members))
        return fail_memory(err);
    member.redundant = may_go(scan, document);
    r->members[r->member_count++] = member;
    group->count++;
    if (!member.redundant) return STEMMA_OK;
    set_bit(r->redundant_bits, document);
    r->redundant++;
    group->bytes += scan->catalogue.documents[document].bytes;
    return STEMMA_OK;
}

/* The documents of one kept class and of those it took: taken[0..count). */
static stemma_status add_group(struct stemma_scan *scan, uint32_t rank, const struct group_member *taken,
                               size_t count, stemma_error *err) {
    const struct ranking *ranking = &scan->ranking;
    struct scan_results *r = &scan->results;
    uint32_t kept = ranking->documents[ranking->first[rank]];
    if (count == 0 && ranking->first[rank + 1] - ranking->first[rank] == 1)
        return STEMMA_OK; /* it is alone */
    struct result_group group = {.kept = kept, .first = r->member_count};
    (void)may_go(scan, kept); /* it stays, so that others with its bytes may go */
    for (uint32_t i = ranking->first[rank] + 1; i < ranking->first[rank + 1]; i++)
        TRY(add_member(scan, &group, ranking->documents[i], copy_of(scan, ranking->documents[i], kept), err));
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = ranking->first[taken[k].rank]; i < ranking->first[taken[k].rank + 1]; i++) {
            uint32_t document = ranking->documents[i];
            TRY(add_member(scan, &group, document, relative_of(scan, document, kept, &taken[k].numbers),
                           err));
        }
    if (!mem_grow((void **)&r->groups, &r->group_cap, r->group_count + 1, sizeof *r->groups))
        return fail_memory(err);
    r->groups[r->group_count++] = group;
    r->redundant_bytes += group.bytes;
    return STEMMA_OK;
}

/* members: by kept, then rank. */
static stemma_status collect(struct stemma_scan *scan, const struct group_member *members, size_t count,
                             stemma_error *err) {
    const uint32_t classes = scan->ranking.count;
    uint8_t *taken = mem_zero(classes / 8 + 1, 1);
    scan->results.redundant_bits = mem_zero(scan->catalogue.document_count / 8 + 1, 1);
    scan->results.held_bits = mem_zero(scan->catalogue.document_count / 8 + 1, 1);
    if (!taken || !scan->results.redundant_bits || !scan->results.held_bits) {
        mem_free(taken);
        return fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) taken[members[i].rank / 8] |= (uint8_t)(1u << members[i].rank % 8);
    stemma_status status = STEMMA_OK;
    size_t at = 0;
    for (uint32_t rank = 0; rank < classes && status == STEMMA_OK; rank++) {
        size_t begin = at;
        while (at < count && members[at].kept == rank) at++;
        if (!(taken[rank / 8] >> rank % 8 & 1))
            status = add_group(scan, rank, members + begin, at - begin, err);
    }
    mem_free(taken);
    return status;
}

/* Largest saving first, then in the order of input. */
static stemma_status sort_groups(struct stemma_scan *scan, stemma_error *err) {
    struct scan_results *r = &scan->results;
    struct result_group *sorted = mem_alloc(r->group_count * sizeof *sorted);
    struct record *records = mem_alloc(r->group_count * sizeof *records);
    for (size_t i = 0; sorted && records && i < r->group_count; i++)
        records[i] = (struct record){~r->groups[i].bytes, (uint64_t)scan->place[r->groups[i].kept] << 32 | i};
    const bool room = sorted && records && sort_records(records, r->group_count, scan->settings.threads);
    for (size_t i = 0; room && i < r->group_count; i++) sorted[i] = r->groups[(uint32_t)records[i].value];
    mem_free(records);
    mem_free(room ? r->groups : sorted);
    if (!room) return fail_memory(err);
    r->groups = sorted;
    r->group_cap = r->group_count;
    return STEMMA_OK;
}

static stemma_status verify_and_keep(struct stemma_scan *scan, const uint64_t *pairs, size_t count,
                                     const struct overlap_aim *aim, struct numbers *numbers,
                                     stemma_error *err) {
    TRY(scan_verify(scan, pairs, count, aim, numbers, err));
    if (!scan->compared.most) return STEMMA_OK;
    return compared_add(&scan->compared, pairs, numbers, count, err);
}

/* For rules that tell the numbers of pairs that do not join, too. */
static stemma_status verify_all(void *context, const uint64_t *pairs, size_t count, struct numbers *numbers,
                                stemma_error *err) {
    return verify_and_keep(context, pairs, count, NULL, numbers, err);
}

static stemma_status verify_joining(void *context, const uint64_t *pairs, size_t count,
                                    struct numbers *numbers, stemma_error *err) {
    const stemma_scan_options *o = &((struct stemma_scan *)context)->settings.options;
    const struct overlap_aim aim = {o->threshold, o->contained};
    return verify_and_keep(context, pairs, count, &aim, numbers, err);
}

static stemma_status sample(void *context, uint32_t rank, size_t most, struct vec64 *out, stemma_error *err) {
    return scan_sample(context, rank, most, out, err);
}

stemma_status scan_group(struct stemma_scan *scan, stemma_error *err) {
    const stemma_scan_options *o = &scan->settings.options;
    struct group_rule rule = {
        .kind = (enum group_kind)o->group, .threshold = o->threshold, .contained = o->contained};
    bool joining = rule.kind == GROUP_STARS || rule.kind == GROUP_FIRST;
    struct group_verifier verifier = {scan, joining ? verify_joining : verify_all, sample};
    struct group_members members = {0};
    if (o->pairs) compared_begin(&scan->compared, scan->settings.limits.memory / 16);
    progress_stage(scan, "verifying", sorter_count(scan->pairs), 0);
    TRY(ahead_begin(scan, false, err));
    stemma_status status = group_make(&rule, scan->ranking.count, scan->pairs, &verifier, &members, err);
    if (status == STEMMA_OK) status = collect(scan, members.list, members.count, err);
    group_members_release(&members);
    ahead_end(scan);
    compared_finish(&scan->compared);
    return status == STEMMA_OK && scan->results.group_count ? sort_groups(scan, err) : status;
}

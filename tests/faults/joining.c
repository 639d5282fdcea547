/* Many documents: sorting, candidates, groups, trees. */
#include "base/rng.h"
#include "family/family.h"
#include "group/group.h"
#include "join/join.h"
#include "kernels/kernels.h"
#include "runs/runs.h"
#include "sketch/keyer.h"

#include <stdlib.h>
#include <string.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

static stemma_status read_sorted(struct sorter *sorter, stemma_error *error) {
    struct record some[1000];
    size_t count = 1;
    struct sorter_cursor *cursor = UNTOUCHED;
    stemma_status status = sorter_read(sorter, &cursor, error);
    check_untouched(status, cursor);
    if (status != STEMMA_OK) return status;
    while (status == STEMMA_OK && count) status = sorter_next(cursor, some, 1000, &count, error);
    sorter_cursor_free(cursor);
    return status;
}

/* As many records as the argument says; 150,000 make more runs than are merged at once. */
static stemma_status sort_records_of(const char *argument, stemma_error *error) {
    struct sorter_options options = {.memory = 1, .directory = world.folder, .threads = 1};
    struct sorter *sorter = UNTOUCHED;
    stemma_status status = sorter_new(&options, &sorter, error);
    check_untouched(status, sorter);
    if (status != STEMMA_OK) return status;
    uint64_t rng = 1;
    for (long left = atol(argument); left > 0 && status == STEMMA_OK; left--)
        status = sorter_add(sorter, &(struct record){rng_next(&rng) >> 24, (uint64_t)left}, 1, error);
    if (status == STEMMA_OK) status = sorter_finish(sorter, error);
    if (status == STEMMA_OK) status = read_sorted(sorter, error);
    sorter_free(sorter);
    return status;
}

static stemma_status verify_pairs(void *context, const uint64_t *pairs, size_t count, struct numbers *numbers,
                                  stemma_error *error) {
    (void)context;
    (void)error;
    for (size_t i = 0; i < count; i++) numbers[i] = (struct numbers){10, 10, pairs[i] % 3 ? 9 : 1};
    return STEMMA_OK;
}

static stemma_status give_sample(void *context, uint32_t rank, size_t most, struct vec64 *sample,
                                 stemma_error *error) {
    (void)context;
    for (uint64_t i = 0; i < most; i++)
        if (!vec64_add(sample, i * 100 + (rank + i) % 5)) {
            *error = (stemma_error){STEMMA_NO_MEMORY, "out of memory"};
            return STEMMA_NO_MEMORY;
        }
    return STEMMA_OK;
}

static stemma_status group_sorted(enum group_kind kind, struct sorter *sorter, stemma_error *error) {
    struct group_verifier verifier = {.verify = verify_pairs, .sample = give_sample};
    struct group_members members = {0};
    struct group_rule rule = {.kind = kind, .threshold = .5};
    stemma_status status = group_make(&rule, 300, sorter, &verifier, &members, error);
    assert_int_equal(status == STEMMA_OK, members.count > 0);
    group_members_release(&members);
    return status;
}

/* By the rule whose number the argument is. */
static stemma_status group_classes(const char *argument, stemma_error *error) {
    struct sorter *sorter;
    stemma_status status = sorter_new(&(struct sorter_options){.directory = world.folder}, &sorter, error);
    if (status != STEMMA_OK) return status;
    for (uint64_t i = 0; i < 20000 && status == STEMMA_OK; i++) {
        uint64_t first = i % 290, second = first + 1 + i % 9;
        status = sorter_add(sorter, &(struct record){first << 32 | second, 1 + i / 9 % 7}, 1, error);
    }
    if (status == STEMMA_OK) status = sorter_finish(sorter, error);
    if (status == STEMMA_OK) status = group_sorted((enum group_kind)atoi(argument), sorter, error);
    sorter_free(sorter);
    return status;
}

enum { JOIN_SETS = 400, JOIN_SET = 400 };

struct joining {
    struct join_plan plan;
    struct keyer *keyer;
    struct vec64 samples;
    struct sorter *sampled, *pairs;
    uint8_t keys[JOIN_SETS * 2 * KEY_MINIMA + KERNEL_SLACK];
    uint32_t rank[JOIN_SETS], sample_counts[JOIN_SETS], sizes[JOIN_SETS];
};

/* Near-copies of one set that itself is said over and over, in two pieces. */
static stemma_status join_key(struct joining *j, uint32_t class, stemma_error *error) {
    uint64_t set[JOIN_SET + KERNEL_SLACK], rng = 1;
    for (size_t i = 0; i < JOIN_SET; i++) set[i] = rng_next(&rng);
    for (uint32_t i = 0; i < class % 7; i++) set[(class * 31 + i * 17) % JOIN_SET] = class * 64 + i;
    keyer_begin(j->keyer);
    stemma_status status = keyer_add(j->keyer, set, JOIN_SET / 2, error);
    if (status == STEMMA_OK) status = keyer_add(j->keyer, set + JOIN_SET / 2, JOIN_SET / 2, error);
    if (status == STEMMA_OK)
        status = keyer_end(j->keyer, j->keys + class * j->plan.key_bytes, &j->samples, error);
    if (status != STEMMA_OK) return status;
    j->rank[class] = JOIN_SETS - 1 - class;
    j->sizes[class] = keyer_size(j->keyer);
    j->sample_counts[class] = (uint32_t)j->samples.len;
    for (size_t i = 0; i < j->samples.len && status == STEMMA_OK; i++)
        status = sorter_add(j->sampled, &(struct record){j->samples.data[i], class}, 1, error);
    return status;
}

static stemma_status join_all(struct joining *j, stemma_error *error) {
    stemma_status status = sorter_finish(j->sampled, error);
    if (status != STEMMA_OK) return status;
    struct join_input input = {.count = JOIN_SETS,
                               .keys = j->keys,
                               .rank = j->rank,
                               .sample_counts = j->sample_counts,
                               .sizes = j->sizes,
                               .samples = j->sampled,
                               .threads = 1,
                               .memory = 1,
                               .directory = world.folder};
    struct join_counts counts = {.looked = 77};
    status = join_candidates(&j->plan, &input, j->pairs, &counts, error);
    if (status != STEMMA_OK)
        assert_int_equal(counts.looked, 77);
    else
        assert_true(counts.full_bands > 0 && counts.full_samples > 0 && counts.containing > 0);
    return status;
}

static stemma_status join_classes(const char *unused, stemma_error *error) {
    (void)unused;
    static struct joining j;
    j = (struct joining){.keyer = NULL};
    struct join_options options = {.threshold = .7, .contained = .9, .cap = 100};
    struct sorter_options sorting = {.memory = 1, .directory = world.folder, .threads = 1};
    stemma_status status = join_plan_make(&options, &j.plan, error);
    if (status == STEMMA_OK) status = keyer_new(join_plan_form(&j.plan), &j.keyer, error);
    if (status == STEMMA_OK) status = sorter_new(&sorting, &j.pairs, error);
    sorting.key_bits = KEY_SAMPLE_BITS;
    if (status == STEMMA_OK) status = sorter_new(&sorting, &j.sampled, error);
    for (uint32_t class = 0; class < JOIN_SETS && status == STEMMA_OK; class ++)
        status = join_key(&j, class, error);
    if (status == STEMMA_OK) status = join_all(&j, error);
    sorter_free(j.sampled);
    sorter_free(j.pairs);
    vec64_release(&j.samples);
    keyer_free(j.keyer);
    return status;
}

static stemma_status shingles_for_family(void *context, size_t member, struct variants_maker *to,
                                         stemma_error *error) {
    (void)context;
    uint64_t fp[64];
    for (size_t i = 0; i < 64; i++) fp[i] = i + 7 * member;
    return variants_add(to, member, fp, 64, error);
}

static stemma_status text_for_family(void *context, size_t member, const uint8_t **text, size_t *size,
                                     bool *known, stemma_error *error) {
    static const char *const texts[] = {"it was 1999 then", "it was 2001 by then", "it was 2003 by now"};
    (void)context, (void)error;
    *text = (const uint8_t *)texts[member % 3];
    *size = strlen(texts[member % 3]);
    *known = true;
    return STEMMA_OK;
}

static stemma_status make_family(const char *members, stemma_error *error) {
    struct family_node nodes[100];
    struct family_options options = {.members = strtoul(members, NULL, 10), .unit = UNIT_WORD};
    struct family_source source = {NULL, shingles_for_family, text_for_family};
    return family_make(&options, &source, nodes, error);
}

/* The second is a passage of the first. */
static stemma_status shingles_of_excerpt(void *context, size_t member, struct variants_maker *to,
                                         stemma_error *error) {
    (void)context;
    for (uint64_t fp = member ? 10 : 0; fp < (member ? 20 : 30); fp++)
        TRY(variants_add(to, member, &fp, 1, error));
    return STEMMA_OK;
}

static stemma_status text_of_excerpt(void *context, size_t member, const uint8_t **text, size_t *size,
                                     bool *known, stemma_error *error) {
    static const char whole[] =
        "a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6 b7 b8 b9 b0 c1 c2 c3 c4 c5 c6 c7";
    (void)context, (void)error;
    *text = (const uint8_t *)whole + (member ? 27 : 0);
    *size = member ? 29 : strlen(whole);
    *known = true;
    return STEMMA_OK;
}

static stemma_status hang_piece(const char *unused, stemma_error *error) {
    (void)unused;
    struct family_node nodes[2];
    struct family_options options = {.members = 2, .unit = UNIT_WORD};
    struct family_source source = {NULL, shingles_of_excerpt, text_of_excerpt};
    stemma_status status = family_make(&options, &source, nodes, error);
    if (status == STEMMA_OK) assert_true(nodes[0].parent == NO_PARENT && nodes[1].parent == 0);
    return status;
}

const struct operation joining_operations[] = {
    {"sort records", sort_records_of, "5000"},
    {"sort records, spilling", sort_records_of, "20000"},
    {"sort records, merging", sort_records_of, "150000"},
    {"group by stars", group_classes, "0"},
    {"group by components", group_classes, "1"},
    {"group by first members", group_classes, "2"},
    {"group by popular fingerprints", group_classes, "3"},
    {"make a family tree", make_family, "5"},
    {"make a large family tree", make_family, "70"},
    {"make a family tree with an excerpt", hang_piece, ""},
    {"join classes", join_classes, ""},
    {NULL, NULL, NULL},
};

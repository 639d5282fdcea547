/* Rules of grouping against their definitions, one class after the other, on random and on adversarial
 * graphs. */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "effort.h"
#include "group/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a world of documents: their numbers follow from their ranks ---- */

struct world {
    uint32_t count;
    uint64_t seed;
    uint64_t family;         /* ranks with the same number modulo this are alike; 0: chance decides */
    uint8_t *kinds;          /* [first * count + second]: how a pair was found; 0: it is no candidate */
    uint64_t asked, batches; /* of the verifier */
    uint64_t largest;        /* batch */
    bool fails;
};

static struct numbers numbers_of(const struct world *world, uint32_t first, uint32_t second) {
    uint64_t a = 50 + mix64(first ^ world->seed) % 50, b = 50 + mix64(second ^ world->seed) % 50;
    uint64_t most = a < b ? a : b, chance = mix64(((uint64_t)first << 32 | second) ^ world->seed);
    if (world->family)
        return (struct numbers){a, b, first % world->family == second % world->family ? most : most / 4};
    return (struct numbers){a, b, chance % (most + 1)};
}

static stemma_status verify(void *context, const uint64_t *pairs, size_t count, struct numbers *numbers,
                            stemma_error *err) {
    struct world *world = context;
    if (world->fails) {
        if (err) *err = (stemma_error){STEMMA_INTERRUPTED, "enough"};
        return STEMMA_INTERRUPTED;
    }
    for (size_t i = 0; i < count; i++) {
        if (i) assert_true(pairs[i] > pairs[i - 1]); /* so pairs with the same first stand together */
        uint32_t first = (uint32_t)(pairs[i] >> 32), second = (uint32_t)pairs[i];
        assert_true(first < second && second < world->count);
        numbers[i] = numbers_of(world, first, second);
    }
    world->asked += count;
    world->batches++;
    if (count > world->largest) world->largest = count;
    return STEMMA_OK;
}

static void release(struct world *world) {
    free(world->kinds);
}

static uint8_t *kind_of(const struct world *world, uint32_t first, uint32_t second) {
    return &world->kinds[(size_t)first * world->count + second];
}

enum { SPARSE, DENSE, CHAIN, HUBS, CLIQUES, SHAPES };

static bool is_linked(uint64_t *rng, int shape, uint32_t first, uint32_t second) {
    switch (shape) {
    case SPARSE:
        return rng_below(rng, 20) == 0;
    case DENSE:
        return rng_below(rng, 3) > 0;
    case CHAIN:
        return second == first + 1;
    case HUBS:
        return first < 3;
    default:
        return first / 7 == second / 7;
    }
}

static struct world make_world(uint64_t *rng, int shape, uint32_t count) {
    struct world world = {.count = count, .seed = rng_next(rng), .kinds = calloc(count, count)};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (is_linked(rng, shape, i, j)) *kind_of(&world, i, j) = (uint8_t)(1 + rng_below(rng, 7));
    return world;
}

static void add_candidate(struct sorter *sorter, uint32_t first, uint32_t second, uint64_t kind) {
    struct record record = {(uint64_t)first << 32 | second, kind};
    assert_int_equal(sorter_add(sorter, &record, 1, NULL), STEMMA_OK);
}

/* Sometimes a pair is found twice, once in some of its ways only. */
static struct sorter *sort_candidates(const struct world *world, uint64_t *rng) {
    struct sorter *sorter;
    assert_int_equal(sorter_new(&(struct sorter_options){.memory = 1 << 20}, &sorter, NULL), STEMMA_OK);
    for (uint32_t i = 0; i < world->count; i++)
        for (uint32_t j = i + 1; j < world->count; j++) {
            uint8_t kind = *kind_of(world, i, j), some = kind & (uint8_t)rng_below(rng, 8);
            if (kind) add_candidate(sorter, i, j, kind);
            if (some) add_candidate(sorter, i, j, some);
        }
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    return sorter;
}

/* ---- the definitions ---- */

enum { NONE = UINT32_MAX };

static bool can_join(const struct world *world, uint32_t first, uint32_t second) {
    uint8_t kind = *kind_of(world, first, second);
    return kind != 0 && kind != 4;
}

static bool joins(const struct world *world, const struct group_rule *rule, uint32_t first, uint32_t second) {
    struct numbers n = numbers_of(world, first, second);
    double resemblance = (double)n.common / (double)(n.first + n.second - n.common);
    double contained = (double)n.common / (double)n.second;
    return can_join(world, first, second) && n.common > 0 &&
           (resemblance >= rule->threshold || (rule->contained > 0 && contained >= rule->contained));
}

static void stars_twin(const struct world *world, const struct group_rule *rule, uint32_t *kept) {
    for (uint32_t i = 0; i < world->count; i++) {
        if (kept[i] != NONE) continue;
        for (uint32_t j = i + 1; j < world->count; j++)
            if (kept[j] == NONE && joins(world, rule, i, j)) kept[j] = i;
    }
}

static void first_twin(const struct world *world, const struct group_rule *rule, uint32_t *kept) {
    for (uint32_t j = 0; j < world->count; j++) {
        double best = -1;
        for (uint32_t i = 0; i < j; i++) {
            if (kept[i] != NONE || !joins(world, rule, i, j)) continue;
            struct numbers n = numbers_of(world, i, j);
            double own = (double)n.common / (double)(n.first + n.second - n.common);
            if (own > best) kept[j] = i;
            if (own > best) best = own;
        }
    }
}

static void components_twin(const struct world *world, const struct group_rule *rule, uint32_t *kept) {
    uint32_t *name = malloc(world->count * sizeof *name);
    for (uint32_t i = 0; i < world->count; i++) name[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < world->count; i++)
            for (uint32_t j = i + 1; j < world->count; j++) {
                if (name[i] == name[j] || !joins(world, rule, i, j)) continue;
                name[i] = name[j] = name[i] < name[j] ? name[i] : name[j];
                changed = true;
            }
    }
    for (uint32_t i = 0; i < world->count; i++) kept[i] = name[i] == i ? NONE : name[i];
    free(name);
}

/* ---- against them ---- */

static void check_members(const struct world *world, const struct group_members *members,
                          const uint32_t *kept) {
    size_t expected = 0;
    for (uint32_t i = 0; i < world->count; i++) expected += kept[i] != NONE;
    assert_int_equal(members->count, expected);
    for (size_t i = 0; i < members->count; i++) {
        const struct group_member *m = &members->list[i];
        struct numbers n = numbers_of(world, m->kept, m->rank);
        assert_int_equal(m->kept, kept[m->rank]);
        assert_memory_equal(&m->numbers, &n, sizeof n);
        if (i) assert_true(m[-1].kept < m->kept || (m[-1].kept == m->kept && m[-1].rank < m->rank));
    }
    assert_int_equal(members->verified, world->asked);
    assert_int_equal(members->batches, world->batches);
}

static stemma_status small_sample(void *context, uint32_t rank, size_t most, struct vec64 *out,
                                  stemma_error *err);

typedef void twin(const struct world *world, const struct group_rule *rule, uint32_t *kept);

static struct group_members make_groups(struct world *world, const struct group_rule *rule,
                                        struct sorter *sorter) {
    struct group_members members = {0};
    struct group_verifier verifier = {.context = world, .verify = verify, .sample = small_sample};
    world->asked = world->batches = world->largest = 0;
    assert_int_equal(group_make(rule, world->count, sorter, &verifier, &members, NULL), STEMMA_OK);
    return members;
}

/* Returns the number of members. */
static size_t check_rule(uint64_t *rng, struct world *world, struct group_rule rule, twin *define) {
    struct sorter *sorter = sort_candidates(world, rng);
    struct group_members members = make_groups(world, &rule, sorter);
    uint32_t *kept = malloc(world->count * sizeof *kept);
    memset(kept, 0xff, world->count * sizeof *kept);
    define(world, &rule, kept);
    check_members(world, &members, kept);
    size_t count = members.count;
    group_members_release(&members);
    sorter_free(sorter);
    free(kept);
    return count;
}

static void check_kind(enum group_kind kind, twin *define) {
    uint64_t rng = 1 + kind;
    for (size_t round = 0; round < effort(300); round++) {
        struct world world = make_world(&rng, (int)(round % SHAPES), 2 + (uint32_t)rng_below(&rng, 90));
        if (round % 3 == 0) world.family = 1 + rng_below(&rng, 9);
        struct group_rule rule = {kind, .1 + .9 * rng_unit(&rng), rng_below(&rng, 2) ? rng_unit(&rng) : 0, 0};
        check_rule(&rng, &world, rule, define);
        release(&world);
    }
}

static void test_stars(void **state) {
    (void)state;
    check_kind(GROUP_STARS, stars_twin);
}
static void test_components(void **state) {
    (void)state;
    check_kind(GROUP_COMPONENTS, components_twin);
}
static void test_first(void **state) {
    (void)state;
    check_kind(GROUP_FIRST, first_twin);
}

/* More pairs than the window holds, in every shape. */
static void test_many_pairs(void **state) {
    (void)state;
    uint64_t rng = 9;
    static twin *const twins[] = {stars_twin, components_twin, first_twin};
    static const enum group_kind kinds[] = {GROUP_STARS, GROUP_COMPONENTS, GROUP_FIRST};
    for (int i = 0; i < 3; i++) {
        struct world world = make_world(&rng, DENSE, 600);
        check_rule(&rng, &world, (struct group_rule){kinds[i], .45, .97, 0}, twins[i]);
        release(&world);
    }
}

/* ---- how much is verified ---- */

static struct sorter *empty_sorter(void) {
    struct sorter *sorter;
    assert_int_equal(sorter_new(&(struct sorter_options){.memory = 1 << 24}, &sorter, NULL), STEMMA_OK);
    return sorter;
}

/* A template links many to a few hubs, and they are not alike: full batches, each pair once. */
static void test_template_takes_few_batches(void **state) {
    (void)state;
    enum { COUNT = 100000, HUB_COUNT = 4 };
    struct world world = {.count = COUNT, .seed = 1, .family = COUNT};
    struct sorter *sorter = empty_sorter();
    for (uint32_t hub = 0; hub < HUB_COUNT; hub++)
        for (uint32_t i = hub + 1; i < COUNT; i++) add_candidate(sorter, hub, i, 1);
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    struct group_members members = make_groups(&world, &(struct group_rule){GROUP_STARS, .7, .9, 0}, sorter);
    assert_int_equal(members.count, 0);
    assert_int_equal(world.asked, members.candidates);
    print_message("%llu pairs in %llu batches\n", (unsigned long long)world.asked,
                  (unsigned long long)world.batches);
    assert_true(world.batches < world.asked / 2000);
    group_members_release(&members);
    sorter_free(sorter);
}

/* Of copies, each is verified once, and little more in vain. */
static void test_copies_are_verified_once(void **state) {
    (void)state;
    enum { COUNT = 600 };
    static const enum group_kind kinds[] = {GROUP_STARS, GROUP_COMPONENTS, GROUP_FIRST};
    for (int k = 0; k < 3; k++) {
        struct world world = {.count = COUNT, .family = 1, .seed = 5};
        struct sorter *sorter = empty_sorter();
        for (uint32_t i = 0; i < COUNT; i++)
            for (uint32_t j = i + 1; j < COUNT; j++) add_candidate(sorter, i, j, 1);
        assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
        struct group_members members = make_groups(&world, &(struct group_rule){kinds[k], .3, 0, 0}, sorter);
        assert_int_equal(members.count, COUNT - 1);
        assert_true(world.asked <= COUNT + 200 && world.batches <= 4);
        group_members_release(&members);
        sorter_free(sorter);
    }
}

/* Each decision waits for the one before: batches are filled up with what comes next. */
static void test_chain_looks_ahead(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    struct world world = {.count = COUNT, .seed = 3};
    struct sorter *sorter = empty_sorter();
    for (uint32_t i = 0; i + 1 < COUNT; i++) add_candidate(sorter, i, i + 1, 1);
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    struct group_members members = make_groups(&world, &(struct group_rule){GROUP_STARS, .3, 0, 0}, sorter);
    print_message("%llu pairs in %llu batches\n", (unsigned long long)world.asked,
                  (unsigned long long)world.batches);
    assert_true(world.batches <= COUNT / 30 && world.asked <= COUNT);
    group_members_release(&members);
    sorter_free(sorter);
}

/* Chances are taken for whoever is kept anyway, until too many of them are in vain: here nearly half would
 * be.
 */
static void test_few_chances_are_in_vain(void **state) {
    (void)state;
    enum { BLOCKS = 1000, KEPT = 16 };
    struct world world = {.count = BLOCKS * 2 * KEPT, .seed = 6, .family = KEPT};
    struct sorter *sorter = empty_sorter();
    for (uint32_t kept = 0; kept < world.count; kept++)
        for (uint32_t i = 0; kept / KEPT % 2 == 0 && i < KEPT; i++)
            add_candidate(sorter, kept, (kept / KEPT + 1) * KEPT + i, 1);
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    struct group_members members = make_groups(&world, &(struct group_rule){GROUP_STARS, .3, 0, 0}, sorter);
    uint64_t needed = (uint64_t)BLOCKS * KEPT * (KEPT + 1) / 2;
    print_message("%llu pairs in %llu batches, %llu are needed\n", (unsigned long long)world.asked,
                  (unsigned long long)world.batches, (unsigned long long)needed);
    assert_int_equal(members.count, BLOCKS * KEPT);
    assert_true(world.asked >= needed && world.asked <= needed * 8 / 7 + 8192);
    group_members_release(&members);
    sorter_free(sorter);
}

static void test_failure_leaves_nothing(void **state) {
    (void)state;
    uint64_t rng = 4;
    for (int kind = GROUP_STARS; kind <= GROUP_FIRST; kind++) {
        struct world world = make_world(&rng, DENSE, 50);
        struct sorter *sorter = sort_candidates(&world, &rng);
        struct group_members members = {0};
        struct group_verifier verifier = {.context = &world, .verify = verify};
        struct group_rule rule = {(enum group_kind)kind, .5, 0, 0};
        world.fails = true;
        assert_int_equal(group_make(&rule, world.count, sorter, &verifier, &members, NULL),
                         STEMMA_INTERRUPTED);
        assert_true(members.list == NULL && members.count == 0);
        rule.kind = GROUP_POPULAR; /* which needs samples */
        assert_int_equal(group_make(&rule, world.count, sorter, &verifier, &members, NULL), STEMMA_INVALID);
        sorter_free(sorter);
        release(&world);
    }
}

/* ---- predicates ---- */

static void test_thresholds_are_met_by_what_is_reported(void **state) {
    (void)state;
    for (uint64_t whole = 1; whole < 200; whole++)
        for (uint64_t part = 1; part <= whole; part++) {
            struct numbers n = {part, whole, part}; /* the first is part of the second */
            double share = (double)part / (double)whole;
            assert_true(numbers_resemble(&n, share) && numbers_second_contained(&n, share));
            assert_false(numbers_resemble(&n, share + 1e-9) || numbers_second_contained(&n, share + 1e-9));
            assert_true(numbers_first_contained(&n, 1));
        }
    assert_true(numbers_resemble(&(struct numbers){10, 7, 7}, .7));
    assert_false(numbers_resemble(&(struct numbers){0, 0, 0}, 0));
    assert_false(numbers_second_contained(&(struct numbers){5, 5, 5}, 0));
}

/* ---- popular representatives ---- */

/* Documents of a family share most of their fingerprints; all share some. */
static stemma_status sample(void *context, uint32_t rank, size_t most, struct vec64 *out, stemma_error *err) {
    const struct world *world = context;
    uint64_t rng = rank ^ world->seed;
    (void)err;
    for (uint64_t i = 0; i < 300; i++) {
        bool own = rng_below(&rng, 10) == 0;
        uint64_t owner = i < 30 ? 1 : own ? (uint64_t)rank << 20 : (rank % world->family + 2) << 10;
        assert_true(vec64_add(out, mix64(owner + i)));
    }
    assert_true(sort_u64(out->data, out->len));
    out->len = unique_u64(out->data, out->len);
    if (out->len > most) out->len = most;
    return STEMMA_OK;
}

static void test_popular_finds_families(void **state) {
    (void)state;
    uint64_t rng = 6;
    struct world world = {.count = 400, .seed = 6, .family = 23};
    struct sorter *sorter = empty_sorter();
    for (uint32_t i = 0; i < world.count; i++) /* the last 100 are linked with nothing */
        for (uint32_t j = i + 1; j < 300; j++)
            if (i % 23 == j % 23 || rng_below(&rng, 30) == 0) add_candidate(sorter, i, j, 1);
    assert_int_equal(sorter_finish(sorter, NULL), STEMMA_OK);
    struct group_members members = {0};
    struct group_verifier verifier = {&world, verify, sample};
    struct group_rule rule = {GROUP_POPULAR, .5, .9, 64};
    assert_int_equal(group_make(&rule, world.count, sorter, &verifier, &members, NULL), STEMMA_OK);
    assert_int_equal(members.count, 300 - 23);
    for (size_t i = 0; i < members.count; i++) {
        const struct group_member *m = &members.list[i];
        struct numbers n = numbers_of(&world, m->kept, m->rank);
        assert_int_equal(m->kept, m->rank % 23);
        assert_memory_equal(&m->numbers, &n, sizeof n);
    }
    assert_int_equal(members.verified, members.count);
    group_members_release(&members);
    sorter_free(sorter);
}

/* Few different fingerprints, so that everything shares something: the definition, with all groups compared
 * and all counts in one array. */
enum { UNIVERSE = 300, POPULAR = 8 };

static stemma_status small_sample(void *context, uint32_t rank, size_t most, struct vec64 *out,
                                  stemma_error *err) {
    const struct world *world = context;
    uint64_t rng = rank ^ world->seed, base = rng_below(&rng, world->family) * 40;
    (void)err;
    for (int i = 0; i < 12; i++)
        assert_true(vec64_add(out, base + rng_below(&rng, 12 + rng_below(&rng, 12))));
    assert_true(sort_u64(out->data, out->len));
    out->len = unique_u64(out->data, out->len);
    if (out->len > most) out->len = most;
    return STEMMA_OK;
}

struct twin_cluster {
    uint32_t kept, members;
    uint32_t times[UNIVERSE];
    bool popular[UNIVERSE];
};

static size_t counted(const struct twin_cluster *cluster) {
    size_t count = 0;
    for (int f = 0; f < UNIVERSE; f++) count += cluster->times[f] > 0;
    return count;
}

/* Popularity in this order: each is chosen by looking through all of them. */
static void choose_again(struct twin_cluster *cluster) {
    uint32_t times[UNIVERSE] = {0};
    memset(cluster->popular, 0, sizeof cluster->popular);
    for (int chosen = 0; chosen < 4 * POPULAR; chosen++) {
        int best = -1;
        for (int f = 0; f < UNIVERSE; f++)
            if (cluster->times[f] && !times[f] && (best < 0 || cluster->times[f] > cluster->times[best]))
                best = f;
        if (best < 0) break;
        times[best] = cluster->times[best];
        cluster->popular[best] = chosen < POPULAR;
    }
    memcpy(cluster->times, times, sizeof times);
}

static void count_in(struct twin_cluster *cluster, const bool *sample) {
    for (int f = 0; f < UNIVERSE; f++) cluster->times[f] += sample[f];
    cluster->members++;
    if ((cluster->members & (cluster->members - 1)) == 0 || counted(cluster) > 8 * POPULAR)
        choose_again(cluster);
}

static double estimate(const struct twin_cluster *cluster, const bool *sample) {
    int all = 0, common = 0;
    for (int f = 0; f < UNIVERSE && all < POPULAR; f++) {
        all += cluster->popular[f] || sample[f];
        common += cluster->popular[f] && sample[f];
    }
    return all ? (double)common / all : 0;
}

static void popular_twin(const struct world *world, const struct group_rule *rule, uint32_t *kept) {
    struct twin_cluster *clusters = calloc(world->count, sizeof *clusters);
    size_t count = 0;
    for (uint32_t rank = 0; rank < world->count; rank++) {
        struct vec64 listed = {0};
        bool sample_of[UNIVERSE] = {false};
        size_t best = count;
        small_sample((void *)world, rank, POPULAR, &listed, NULL);
        for (size_t i = 0; i < listed.len; i++) sample_of[listed.data[i]] = true;
        for (size_t i = 0; i < count; i++) {
            double own = estimate(&clusters[i], sample_of);
            if (own > 0 && own >= rule->threshold &&
                (best == count || own > estimate(&clusters[best], sample_of)))
                best = i;
        }
        if (best == count) clusters[count++].kept = rank;
        if (clusters[best].kept != rank) kept[rank] = clusters[best].kept;
        count_in(&clusters[best], sample_of);
        vec64_release(&listed);
    }
    free(clusters);
}

static void test_popular(void **state) {
    (void)state;
    uint64_t rng = 7;
    size_t members = 0;
    for (size_t round = 0; round < effort(200); round++) {
        struct world world = make_world(&rng, SPARSE, 2 + (uint32_t)rng_below(&rng, 60));
        world.family = 1 + rng_below(&rng, 6);
        for (uint32_t i = 1; i < world.count; i++) *kind_of(&world, i - 1, i) = 1; /* all are linked */
        struct group_rule rule = {GROUP_POPULAR, .2 + .6 * rng_unit(&rng), 0, POPULAR};
        members += check_rule(&rng, &world, rule, popular_twin);
        release(&world);
    }
    print_message("%zu members\n", members);
    assert_true(members > effort(200));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_template_takes_few_batches),
        cmocka_unit_test(test_copies_are_verified_once),
        cmocka_unit_test(test_chain_looks_ahead),
        cmocka_unit_test(test_few_chances_are_in_vain),
        cmocka_unit_test(test_failure_leaves_nothing),
        cmocka_unit_test(test_thresholds_are_met_by_what_is_reported),
        cmocka_unit_test(test_popular_finds_families),
        cmocka_unit_test(test_popular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

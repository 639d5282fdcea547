/* The edit distance and the edit script: every method under every instruction set, against the quadratic
 * twin. */
#include "align/distance/band.h"
#include "align/distance/script.h"
#include "base/rng.h"
#include "effort.h"
#include "emulate/emulated.h"
#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define MOST          2600

static const struct distance_limits no_limits = {UINT64_MAX, UINT64_MAX, SIZE_MAX, NULL};

static const struct kernels *tables_here[4];
static size_t table_count;

static int list_tables(void **state) {
    (void)state;
    static const char *const names[] = {"portable", "avx2", "avx512"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (kernels_named(names[i])) tables_here[table_count++] = kernels_named(names[i]);
#if STEMMA_EMULATED
    if (kernels_named("avx2")) tables_here[table_count++] = &kernels_avx512_emulated;
#endif
    for (size_t i = 0; i < table_count; i++) print_message("testing table: %s\n", tables_here[i]->name);
    return 0;
}

/* ---- the twin ---- */

static uint64_t twin(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    static uint64_t row[3 * MOST];
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        uint64_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            uint64_t best = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

/* ---- texts ---- */

struct texts {
    uint32_t a[3 * MOST], b[3 * MOST];
    size_t n, m;
};

static uint32_t random_symbol(uint64_t alphabet, uint64_t *random) {
    return (uint32_t)rng_below(random, alphabet);
}

static void fill(uint32_t *text, size_t size, uint64_t alphabet, uint64_t *random) {
    for (size_t i = 0; i < size; i++) text[i] = random_symbol(alphabet, random);
}

/* b becomes a with `edits` edits. */
static void edit(struct texts *t, size_t edits, uint64_t alphabet, uint64_t *random) {
    memcpy(t->b, t->a, t->n * sizeof *t->a);
    t->m = t->n;
    while (edits-- > 0) {
        size_t at = rng_below(random, t->m + 1), kind = rng_below(random, 3);
        if (kind == 0 && t->m < LENGTH(t->b)) {
            memmove(t->b + at + 1, t->b + at, (t->m++ - at) * sizeof *t->b);
            t->b[at] = random_symbol(alphabet, random);
        } else if (at < t->m && kind == 1) {
            memmove(t->b + at, t->b + at + 1, (--t->m - at) * sizeof *t->b);
        } else if (at < t->m) {
            t->b[at] = random_symbol(alphabet, random);
        }
    }
}

/* The second half of a before the first. */
static void move_block(struct texts *t) {
    size_t half = t->n / 2;
    memcpy(t->b, t->a + half, (t->n - half) * sizeof *t->b);
    memcpy(t->b + t->n - half, t->a, half * sizeof *t->b);
    t->m = t->n;
}

static void periodic(uint32_t *text, size_t size, size_t period) {
    for (size_t i = 0; i < size; i++) text[i] = (uint32_t)(i % period);
}

/* ---- checks ---- */

static struct distance_pair as_chars(const struct texts *t) {
    return (struct distance_pair){(const uint8_t *)t->a, (const uint8_t *)t->b, t->n, t->m, 2};
}

/* Exactly as long as they are, so that the sanitizer sees what is read outside. */
static struct distance_pair as_bytes(const struct texts *t) {
    uint8_t *a = malloc(t->n + 1), *b = malloc(t->m + 1);
    assert_true(a && b);
    a = realloc(a, t->n ? t->n : 1), b = realloc(b, t->m ? t->m : 1);
    for (size_t i = 0; i < t->n; i++) a[i] = (uint8_t)t->a[i];
    for (size_t i = 0; i < t->m; i++) b[i] = (uint8_t)t->b[i];
    return (struct distance_pair){a, b, t->n, t->m, 0};
}

static void check_bound(const struct distance_pair *p, enum distance_method method,
                        const struct kernels *kernels, uint64_t wanted, uint64_t bound) {
    struct distance_limits limits = no_limits;
    struct distance_result got = {0};
    limits.at_most = bound;
    assert_int_equal(distance_by(p, method, kernels, &limits, &got, NULL), STEMMA_OK);
    assert_int_equal(got.exceeded, wanted > bound);
    assert_false(got.given_up);
    assert_true(got.at_least <= wanted);
    if (!got.exceeded) assert_int_equal(got.distance, wanted);
}

static bool same_symbols(const struct distance_pair *p, uint64_t i, uint64_t j, uint64_t count) {
    return !memcmp(p->a + (i << p->log_width), p->b + (j << p->log_width), count << p->log_width);
}

/* The steps lead from a to b without gaps, keep what is equal, and cost what they should. */
static void check_steps(const stemma_step *steps, size_t count, const struct distance_pair *p,
                        uint64_t wanted) {
    uint64_t a = 0, b = 0, cost = 0;
    for (size_t i = 0; i < count; i++) {
        const stemma_step *s = &steps[i];
        uint64_t rows = s->a_end - s->a_begin, columns = s->b_end - s->b_begin;
        assert_true(s->a_begin == a && s->b_begin == b && s->a_end >= a && s->b_end >= b &&
                    rows + columns > 0);
        assert_true(i == 0 || steps[i - 1].kind != s->kind);
        if (s->kind == STEMMA_KEEP) assert_true(rows == columns && same_symbols(p, a, b, rows));
        if (s->kind == STEMMA_REPLACE) assert_int_equal(rows, columns);
        if (s->kind == STEMMA_DELETE) assert_int_equal(columns, 0);
        if (s->kind == STEMMA_INSERT) assert_int_equal(rows, 0);
        if (s->kind != STEMMA_KEEP) cost += rows > columns ? rows : columns;
        a = s->a_end, b = s->b_end;
    }
    assert_true(a == p->n && b == p->m);
    assert_int_equal(cost, wanted);
}

static void check_script(const struct distance_pair *p, enum distance_method method,
                         const struct kernels *kernels, uint64_t wanted) {
    struct script script = {0};
    assert_int_equal(script_by(p, method, kernels, &no_limits, &script, NULL), STEMMA_OK);
    assert_int_equal(script.found.distance, wanted);
    check_steps(script.steps, script.count, p, wanted);
    script_release(&script);
}

static void check_pair(const struct distance_pair *p, uint64_t wanted) {
    static const enum distance_method methods[] = {DISTANCE_ANY, DISTANCE_DIAGONALS, DISTANCE_BAND};
    const uint64_t bounds[] = {UINT64_MAX, 0, wanted / 2, wanted ? wanted - 1 : 0, wanted, wanted + 1};
    for (size_t k = 0; k < table_count; k++)
        for (size_t i = 0; i < LENGTH(methods); i++) {
            for (size_t j = 0; j < LENGTH(bounds); j++)
                check_bound(p, methods[i], tables_here[k], wanted, bounds[j]);
            check_script(p, methods[i], tables_here[k], wanted);
        }
}

static void check(const struct texts *t, bool bytes) {
    uint64_t wanted = twin(t->a, t->n, t->b, t->m);
    struct distance_pair p = as_chars(t);
    check_pair(&p, wanted);
    if (!bytes) return;
    p = as_bytes(t);
    check_pair(&p, wanted);
    free((void *)p.a);
    free((void *)p.b);
}

/* ---- tests ---- */

static struct texts t;

static void test_short(void **state) {
    (void)state;
    uint64_t random = 1;
    for (size_t round = 0; round < effort(3000); round++) {
        uint64_t alphabet = 1 + rng_below(&random, 4);
        t.n = rng_below(&random, 12), t.m = rng_below(&random, 12);
        fill(t.a, t.n, alphabet, &random);
        fill(t.b, t.m, alphabet, &random);
        check(&t, true);
    }
}

static const size_t sizes[] = {1,   2,    62,   63,   64,   65,   127,  128,  129,  191, 192,
                               193, 255,  256,  257,  320,  511,  512,  513,  767,  768, 769,
                               900, 1023, 1024, 1025, 1300, 1536, 1537, 2048, 2049, 2500};

/* Around the ends of words, vectors and strips, in rows and in columns. */
static void test_unrelated_at_every_border(void **state) {
    (void)state;
    uint64_t random = 2;
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t round = 0; round < effort(2); round++) {
            t.n = sizes[i], t.m = sizes[rng_below(&random, i + 1)] + rng_below(&random, 3);
            uint64_t alphabet = 2 + rng_below(&random, 250);
            fill(t.a, t.n, alphabet, &random);
            fill(t.b, t.m, alphabet, &random);
            check(&t, true);
        }
}

static void test_edited_at_every_border(void **state) {
    (void)state;
    uint64_t random = 3;
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (size_t percent = 1; percent <= effort(40); percent *= 3) {
            uint64_t alphabet = 2 + rng_below(&random, 60);
            t.n = sizes[i];
            fill(t.a, t.n, alphabet, &random);
            edit(&t, 1 + t.n * percent / 100, alphabet, &random);
            check(&t, true);
        }
}

static void test_large_alphabets(void **state) {
    (void)state;
    uint64_t random = 4;
    for (size_t round = 0; round < effort(6); round++) {
        t.n = 1 + rng_below(&random, 1500);
        uint64_t alphabet = round % 2 ? BAND_CHARACTERS : 3000;
        fill(t.a, t.n, alphabet, &random);
        edit(&t, t.n / (1 + rng_below(&random, 20)), alphabet, &random);
        check(&t, false);
    }
}

static void test_adversaries(void **state) {
    (void)state;
    uint64_t random = 5;
    for (size_t round = 0; round < effort(12); round++) {
        t.n = 1 + rng_below(&random, 1400), t.m = 1 + rng_below(&random, 1400);
        periodic(t.a, t.n, 1 + round % 7);
        periodic(t.b, t.m, 1 + rng_below(&random, 9));
        check(&t, true);
        for (size_t i = 0; i < t.m; i++) t.b[i] += 100; /* nothing in common */
        check(&t, true);
        t.m = t.n / 3; /* one inside the other */
        fill(t.a, t.n, 20, &random);
        memcpy(t.b, t.a + t.n / 4, t.m * sizeof *t.b);
        check(&t, true);
        move_block(&t);
        check(&t, true);
        edit(&t, 10, 20, &random); /* a few edits, and a block */
        for (size_t i = t.m / 3; i < t.m / 2; i++) t.b[i] = random_symbol(20, &random);
        check(&t, true);
        t.m = round % 3; /* hardly anything */
        check(&t, true);
    }
}

static void test_a_million_equal(void **state) {
    (void)state;
    const size_t size = 1000001;
    uint8_t *text = malloc(size);
    struct distance_result got;
    memset(text, 'x', size);
    assert_int_equal(distance_bytes(text, size - 1, text, size, &no_limits, &got, NULL), STEMMA_OK);
    assert_int_equal(got.distance, 1);
    assert_int_equal(distance_bytes(text, size, NULL, 0, &no_limits, &got, NULL), STEMMA_OK);
    assert_int_equal(got.distance, size);
    free(text);
}

/* Less and less work: an answer, or the truth about having none. */
static void test_work_is_limited(void **state) {
    (void)state;
    uint64_t random = 6;
    struct distance_result got;
    for (size_t round = 0; round < effort(20); round++) {
        t.n = 2000;
        fill(t.a, t.n, 30, &random);
        edit(&t, 20 * round, 30, &random);
        uint64_t wanted = twin(t.a, t.n, t.b, t.m);
        bool before = true;
        for (uint64_t work = UINT64_C(1) << 40; work > 0; work /= 4) {
            struct distance_limits limits = no_limits;
            limits.work = work;
            struct distance_pair p = as_chars(&t);
            assert_int_equal(distance_by(&p, DISTANCE_ANY, kernels_get(), &limits, &got, NULL), STEMMA_OK);
            assert_true(got.at_least <= wanted);
            if (!got.given_up) assert_int_equal(got.distance, wanted);
            assert_true(before || got.given_up);
            before = !got.given_up;
        }
        assert_true(got.given_up || wanted == 0);
    }
}

static void test_limits_of_memory_and_patience(void **state) {
    (void)state;
    static uint8_t a[5000], b[5000];
    uint64_t random = 7;
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = (uint8_t)rng_next(&random), b[i] = (uint8_t)rng_next(&random);
    struct distance_limits limits = no_limits;
    struct distance_result got = {.distance = 77};
    int stop = 1;
    limits.stop = &stop;
    assert_int_equal(distance_bytes(a, sizeof a, b, sizeof b, &limits, &got, NULL), STEMMA_INTERRUPTED);
    limits.stop = NULL;
    limits.memory = 1000;
    assert_int_equal(distance_bytes(a, sizeof a, b, sizeof b, &limits, &got, NULL), STEMMA_UNSUPPORTED);
    assert_int_equal(got.distance, 77);
}

/* ---- the public functions ---- */

/* Random UTF-8 of few or many characters, with bytes that are none. */
static size_t random_utf8(uint8_t *out, size_t characters, bool many, uint64_t *random) {
    static const char *const some[] = {"a", "b", "é", "ß", "日", "本", "𝄞", "\xff", "\xe6\x97", "\x80"};
    size_t size = 0;
    for (size_t i = 0; i < characters; i++) {
        char wide[4] = {(char)0xe4, (char)(0xb8 + rng_below(random, 8)), (char)(0x80 + rng_below(random, 64)),
                        0};
        const char *next = many && rng_below(random, 2) ? wide : some[rng_below(random, LENGTH(some))];
        memcpy(out + size, next, strlen(next));
        size += strlen(next);
    }
    return size;
}

/* Written anew: the obvious decoder. */
static size_t twin_decode(const uint8_t *text, size_t size, uint32_t *out) {
    size_t count = 0;
    for (size_t i = 0; i < size; count++) {
        size_t length = text[i] < 0x80    ? 1
                        : text[i] >= 0xf0 ? 4
                        : text[i] >= 0xe0 ? 3
                        : text[i] >= 0xc0 ? 2
                                          : 1;
        bool whole = text[i] < 0x80 || (text[i] >= 0xc2 && text[i] <= 0xf4 && i + length <= size);
        for (size_t k = 1; whole && k < length; k++) whole = (text[i + k] & 0xc0) == 0x80;
        out[count] = whole ? 0 : UINT32_MAX - text[i];
        if (!whole) length = 1;
        for (size_t k = 0; whole && k < length; k++) out[count] = out[count] << 8 | text[i + k];
        i += length;
    }
    return count;
}

static void check_public(const uint8_t *a, size_t n, const uint8_t *b, size_t m, stemma_edit_unit unit,
                         uint64_t wanted) {
    uint64_t got = 0;
    size_t count;
    stemma_script *script = NULL;
    assert_int_equal(stemma_distance(a, n, b, m, unit, UINT64_MAX, NULL, &got, NULL), STEMMA_OK);
    assert_int_equal(got, wanted);
    assert_int_equal(stemma_script_new(a, n, b, m, unit, wanted, NULL, &script, NULL), STEMMA_OK);
    assert_int_equal(stemma_script_distance(script), wanted);
    const stemma_step *steps = stemma_script_steps(script, &count);
    uint64_t at = 0, made = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(steps[i].a_begin == at && steps[i].b_begin == made);
        at = steps[i].a_end, made = steps[i].b_end;
        if (steps[i].kind == STEMMA_KEEP)
            assert_memory_equal(a + steps[i].a_begin, b + steps[i].b_begin, at - steps[i].a_begin);
    }
    assert_true(at == n && made == m);
    stemma_script_free(script);
    if (wanted == 0) return;
    assert_int_equal(stemma_distance(a, n, b, m, unit, wanted - 1, NULL, &got, NULL), STEMMA_OK);
    assert_int_equal(got, wanted);
    assert_int_equal(stemma_script_new(a, n, b, m, unit, wanted - 1, NULL, &script, NULL), STEMMA_NOT_FOUND);
}

static void test_characters_and_bytes(void **state) {
    (void)state;
    static uint8_t a[MOST], b[MOST];
    uint64_t random = 8;
    for (size_t round = 0; round < effort(200); round++) {
        size_t most = round % 5 ? 40 : 600;
        size_t n = random_utf8(a, rng_below(&random, most), round % 2, &random);
        size_t m = random_utf8(b, rng_below(&random, most), round % 2, &random);
        t.n = twin_decode(a, n, t.a), t.m = twin_decode(b, m, t.b);
        check_public(a, n, b, m, STEMMA_EDIT_CHARACTERS, twin(t.a, t.n, t.b, t.m));
        for (size_t i = 0; i < n; i++) t.a[i] = a[i];
        for (size_t i = 0; i < m; i++) t.b[i] = b[i];
        check_public(a, n, b, m, STEMMA_EDIT_BYTES, twin(t.a, n, t.b, m));
    }
}

static void test_wrong_use(void **state) {
    (void)state;
    uint64_t got = 77;
    stemma_script *script = NULL;
    stemma_limits small = stemma_limits_default();
    static uint8_t a[1 << 19], b[1 << 19];
    small.memory = 1;
    memset(a, 0xe0, sizeof a);
    assert_int_equal(stemma_distance(NULL, 1, "", 0, STEMMA_EDIT_BYTES, 9, NULL, &got, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_distance("", 0, "", 0, (stemma_edit_unit)7, 9, NULL, &got, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_distance("", 0, "", 0, STEMMA_EDIT_BYTES, 9, NULL, NULL, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_script_new("", 0, NULL, 2, STEMMA_EDIT_BYTES, 9, NULL, &script, NULL),
                     STEMMA_INVALID);
    assert_int_equal(stemma_distance(a, sizeof a, b, sizeof b, STEMMA_EDIT_CHARACTERS, 9, &small, &got, NULL),
                     STEMMA_UNSUPPORTED);
    assert_int_equal(
        stemma_distance(a, sizeof a, b, sizeof b, STEMMA_EDIT_BYTES, UINT64_MAX, &small, &got, NULL),
        STEMMA_UNSUPPORTED);
    assert_true(got == 77 && !script);
    assert_int_equal(stemma_distance(NULL, 0, NULL, 0, STEMMA_EDIT_BYTES, 0, NULL, &got, NULL), STEMMA_OK);
    assert_int_equal(got, 0);
    stemma_script_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_unrelated_at_every_border),
        cmocka_unit_test(test_edited_at_every_border),
        cmocka_unit_test(test_large_alphabets),
        cmocka_unit_test(test_adversaries),
        cmocka_unit_test(test_a_million_equal),
        cmocka_unit_test(test_work_is_limited),
        cmocka_unit_test(test_limits_of_memory_and_patience),
        cmocka_unit_test(test_characters_and_bytes),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests_name("distance", tests, list_tables, NULL);
}

/* Known files and the range query on fingerprints through the public header: binaries with patches, files put
 * together from versions, files in pieces; all ways of the range query agree on real files. */
#include "base/rng.h"
#include "collection_support.h"
#include "stemma.h"

#include <math.h>

enum { SIZE = 60000 };

static char *root;

static int make_root(void **state) {
    (void)state;
    root = new_folder();
    return 0;
}

static int remove_root(void **state) {
    (void)state;
    remove_folder(root);
    free(root);
    return 0;
}

static const char *path_of(const char *name) {
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void write_file(const char *name, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Bytes as programs have them: many zeros, some repeated. */
static void fill_binary(uint8_t *bytes, size_t size, uint64_t seed) {
    for (size_t i = 0; i < size; i++) {
        uint64_t kind = rng_next(&seed);
        bytes[i] = kind % 4 == 0 ? 0 : (uint8_t)(kind >> 8);
        if (i >= 64 && kind % 64 == 1) memcpy(bytes + i - 32, bytes + i - 64, 32);
    }
}

static stemma_collection *create(const char *name, const char *recipe_text, unsigned parts,
                                 unsigned group_bits) {
    stemma_recipe *recipe;
    stemma_collection *c;
    stemma_collection_options o = stemma_collection_options_default();
    o.parts = parts;
    o.group_bits = group_bits;
    OK(stemma_recipe_parse(recipe_text, &recipe, err));
    OK(stemma_collection_create(path_of(name), recipe, &o, NULL, &c, err));
    stemma_recipe_free(recipe);
    return c;
}

/* ---- known files ---- */

struct verdicts {
    stemma_verdict verdict[8];
    char name[8][64], best[8][64];
    double containment[8], best_containment[8];
    size_t count;
};

static void copy_last(char *to, const char *name, size_t parts) {
    const char *from = name ? name + strlen(name) : "";
    for (; name && from > name && parts; parts -= *from == '/') from--;
    snprintf(to, 64, "%s", *from == '/' ? from + 1 : from);
}

static stemma_status take_file(void *context, const stemma_known_file *f, stemma_error *err) {
    struct verdicts *v = context;
    (void)err;
    assert_true(v->count < 8);
    assert_int_equal(f->place, v->count);
    v->verdict[v->count] = f->verdict;
    copy_last(v->name[v->count], f->name, 1);
    copy_last(v->best[v->count], f->best, 2);
    v->containment[v->count] = f->containment.value;
    v->best_containment[v->count++] = f->best_containment.value;
    return STEMMA_OK;
}

static struct verdicts ask_known(stemma_collection *c, const char *const *paths, size_t count,
                                 stemma_versions how) {
    struct verdicts v = {.count = 0};
    stemma_known_summary sum;
    stemma_known_options o = stemma_known_options_default();
    o.versions = how;
    OK(stemma_collection_known(c, paths, count, &o, take_file, &v, &sum, err));
    assert_int_equal(sum.files, v.count);
    return v;
}

static uint8_t first[SIZE], second[SIZE], other[SIZE], made[SIZE + 100];

/* Two versions of a program, the second half of which was written anew, and another program. */
static stemma_collection *known_programs(void) {
    fill_binary(first, SIZE, 1);
    memcpy(second, first, SIZE);
    fill_binary(second + SIZE / 2, SIZE / 2, 2);
    fill_binary(other, SIZE, 3);
    static const char *const folders[] = {"v1", "v2"};
    for (int i = 0; i < 2; i++) assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
    write_file("v1/program", first, SIZE);
    write_file("v2/program", second, SIZE);
    write_file("v1/other", other, SIZE);
    stemma_collection *c = create("programs", "preset=raw unit=byte window=20; mod n=128",
                                  STEMMA_PART_MINIMA | STEMMA_PART_SAMPLES, 16);
    const char *const paths[] = {path_of("v1"), path_of("v2")};
    OK(stemma_collection_add(c, paths, 2, NULL, NULL, err));
    return c;
}

static void test_known(void **state) {
    (void)state;
    stemma_collection *c = known_programs();

    memcpy(made, second, SIZE); /* patched: a byte in every 1,000 */
    for (size_t i = 500; i < SIZE; i += 1000) made[i] ^= 0x55;
    write_file("patched", made, SIZE);
    memcpy(made, first + SIZE / 2,
           SIZE / 2); /* put together from the halves that the versions do not share, */
    memcpy(made + SIZE / 2, second + SIZE / 2, SIZE / 2);
    write_file("mixed", made, SIZE);
    fill_binary(made, SIZE, 4);
    write_file("foreign", made, SIZE);
    write_file("cut", other + 1000, SIZE / 4);
    write_file("short", first, 100);
    write_file("empty", first, 0);
    const char *const paths[] = {path_of("patched"), path_of("mixed"), path_of("foreign"),
                                 path_of("cut"),     path_of("short"), path_of("empty")};

    struct verdicts v = ask_known(c, paths, 6, STEMMA_VERSIONS_NAME);
    assert_int_equal(v.count, 6);
    assert_int_equal(v.verdict[0], STEMMA_KNOWN);
    assert_string_equal(v.name[0], "program");
    assert_string_equal(v.best[0], "v2/program");
    assert_true(v.containment[0] > .93); /* 20 of 1,000 windows have a patched byte */
    assert_int_equal(v.verdict[1], STEMMA_KNOWN);
    assert_string_equal(v.name[1], "program");
    assert_true(v.containment[1] > .98 && v.best_containment[1] < .65); /* neither version alone */
    assert_int_equal(v.verdict[2], STEMMA_NOT_KNOWN);
    assert_int_equal(v.verdict[3], STEMMA_KNOWN);
    assert_string_equal(v.name[3], "other");
    assert_int_equal(v.verdict[4], STEMMA_TOO_SHORT);
    assert_int_equal(v.verdict[5], STEMMA_NO_TEXT);

    v = ask_known(c, paths + 1, 1, STEMMA_VERSIONS_EACH);
    assert_true(v.containment[0] == v.best_containment[0]);
    v = ask_known(c, paths + 3, 1, STEMMA_VERSIONS_FOLDER);
    assert_string_equal(v.name[0], "v1");
    stemma_collection_free(c);
}

/* What very many documents have is known, too: a copy of one of them, and a part of all. */
static void test_known_by_many(void **state) {
    (void)state;
    enum { DOCUMENTS = 300, LENGTH = 6000 };
    char id[16];
    stemma_collection *c = create("many", "preset=raw unit=byte window=20; mod n=128",
                                  STEMMA_PART_MINIMA | STEMMA_PART_SAMPLES, 16);
    fill_binary(made, LENGTH, 9);
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        snprintf(id, sizeof id, "%u", i);
        made[LENGTH - 1] = (uint8_t)i;
        OK(stemma_collection_add_text(c, id, made, LENGTH, err));
    }
    OK(stemma_collection_commit(c, err));
    write_file("copy", made, LENGTH);
    write_file("part", made, LENGTH / 2);
    const char *const paths[] = {path_of("copy"), path_of("part")};
    struct verdicts v = ask_known(c, paths, 2, STEMMA_VERSIONS_EACH);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(v.verdict[i], STEMMA_KNOWN);
        assert_true(v.containment[i] > .95);
    }
    stemma_collection_free(c);
}

static void test_known_is_careful(void **state) {
    (void)state;
    stemma_collection *c =
        create("texts", "preset=text unit=word window=5; mod n=32", STEMMA_PART_MINIMA, 16);
    const char *const paths[] = {path_of("nothing"), NULL};
    stemma_known_options o = stemma_known_options_default();
    struct verdicts v = {.count = 0};
    assert_int_equal(stemma_collection_known(c, paths, 1, NULL, take_file, &v, NULL, NULL),
                     STEMMA_UNSUPPORTED);
    assert_int_equal(stemma_collection_known(c, paths, 2, NULL, take_file, &v, NULL, NULL), STEMMA_INVALID);
    assert_int_equal(stemma_collection_known(c, paths, 1, NULL, NULL, &v, NULL, NULL), STEMMA_INVALID);
    o.contained = 0;
    assert_int_equal(stemma_collection_known(c, paths, 1, &o, take_file, &v, NULL, NULL), STEMMA_INVALID);
    stemma_collection_free(c);
}

/* ---- fingerprints ---- */

struct found {
    uint64_t numbers[512];
    unsigned distances[512];
    size_t count;
};

static stemma_status take_match(void *context, const stemma_hamming_match *m, stemma_error *err) {
    struct found *f = context;
    (void)err;
    assert_true(f->count < 512);
    assert_true(fabs(m->resemblance.value - fmax(0, 1 - 2. * m->distance / 400)) < 1e-9);
    f->numbers[f->count] = m->number;
    f->distances[f->count++] = m->distance;
    return STEMMA_OK;
}

static stemma_status count_match(void *context, const stemma_hamming_match *m, stemma_error *err) {
    struct found *f = context;
    (void)m, (void)err;
    f->count++;
    return STEMMA_OK;
}

/* Texts of 300 words, of which the later ones of ten have more and more words of their own. */
static void make_text(char *text, size_t size, unsigned number) {
    uint64_t family = 77 + number / 10, own = 1000 + number;
    size_t at = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t word = rng_below(&family, 5000);
        if (rng_below(&own, 400) < number % 10) word = 5000 + rng_below(&own, 5000);
        at += (size_t)snprintf(text + at, size - at, "w%u ", (unsigned)word);
    }
}

static void test_hamming(void **state) {
    (void)state;
    char text[4096], id[16];
    stemma_collection *c =
        create("bits", "preset=text unit=word window=5; mod n=32", STEMMA_PART_BITS | STEMMA_PART_GROUPS, 8);
    for (unsigned i = 0; i < 100; i++) {
        make_text(text, sizeof text, i);
        snprintf(id, sizeof id, "%u", i);
        OK(stemma_collection_add_text(c, id, text, strlen(text), err));
    }
    OK(stemma_collection_add_text(c, "nothing", "", 0, err));
    OK(stemma_collection_commit(c, err));
    static const stemma_via ways[] = {STEMMA_VIA_SCAN, STEMMA_VIA_H, STEMMA_VIA_MIH, STEMMA_VIA_AUTO};
    for (unsigned i = 0; i < 100; i += 7)
        for (int tenths = 5; tenths <= 10; tenths++) {
            struct found found[4] = {{.count = 0}};
            stemma_hamming_options o = stemma_hamming_options_default();
            o.resemblance = tenths / 10.;
            make_text(text, sizeof text, i);
            for (size_t w = 0; w < 4; w++) {
                stemma_hamming_summary sum;
                o.via = ways[w];
                OK(stemma_collection_hamming_text(c, "q", text, strlen(text), &o, take_match, &found[w], &sum,
                                                  err));
                assert_int_equal(sum.found, found[w].count);
                assert_int_equal(sum.bits, 400);
                assert_true(found[w].count >= 1 && found[w].distances[0] == 0);
                assert_memory_equal(&found[w], &found[0], sizeof found[0]);
            }
        }
    stemma_collection_free(c);
}

static stemma_status count_found(void *context, const stemma_match *m, stemma_error *err) {
    (void)m, (void)err;
    ++*(size_t *)context;
    return STEMMA_OK;
}

/* More bits and fewer, while stored texts are all there is to read. */
static void test_resize(void **state) {
    (void)state;
    char text[4096], id[16];
    struct found before = {.count = 0}, after = {.count = 0};
    stemma_hamming_summary sum;
    stemma_collection *c = create("resized", "preset=text unit=word window=5; mod n=32",
                                  STEMMA_PART_BITS | STEMMA_PART_GROUPS | STEMMA_PART_TEXT, 16);
    for (unsigned i = 0; i < 30; i++) {
        make_text(text, sizeof text, i);
        snprintf(id, sizeof id, "%u", i);
        OK(stemma_collection_add_text(c, id, text, strlen(text), err));
    }
    OK(stemma_collection_add_text(c, "nothing", "", 0, err));
    assert_int_equal(stemma_collection_resize_bits(c, 401, NULL, NULL, NULL), STEMMA_INVALID);
    OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, take_match, &before, &sum, err));
    /* What is kept between questions follows the bits. */
    stemma_query_options by_bits = stemma_query_options_default();
    by_bits.via = STEMMA_VIA_H;
    size_t found = 0, again = 0;
    OK(stemma_collection_query_text(c, "q", text, strlen(text), &by_bits, count_found, &found, NULL, err));
    OK(stemma_collection_resize_bits(c, 1000, NULL, NULL, err));
    OK(stemma_collection_query_text(c, "q", text, strlen(text), &by_bits, count_found, &again, NULL, err));
    assert_true(found >= 1 && again >= 1);
    OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, count_match, &after, &sum, err));
    assert_int_equal(sum.bits, 1000);
    assert_int_equal(sum.groups, 63); /* 15 columns of 4, and 40 bits in 3 */
    assert_true(after.count >= 1);
    OK(stemma_collection_resize_bits(c, 400, NULL, NULL, err));
    after.count = 0;
    OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, take_match, &after, &sum, err));
    assert_int_equal(after.count, before.count);
    assert_memory_equal(after.distances, before.distances, before.count * sizeof *before.distances);
    stemma_collection_free(c);
}

/* Fewer bits are cut from those that are kept: no document is asked for, whichever number they are. */
static void test_fewer_bits_of_what_is_gone(void **state) {
    (void)state;
    static const unsigned fewer[] = {392, 384, 200, 64, 8};
    char text[6000], id[32];
    stemma_collection_info info;
    stemma_hamming_summary sum;
    stemma_collection *c =
        create("gone", "preset=text unit=word window=5; mod n=32", STEMMA_PART_BITS | STEMMA_PART_GROUPS, 40);
    for (unsigned i = 0; i < 10; i++) {
        make_text(text, sizeof text, i);
        snprintf(id, sizeof id, "%u", i);
        OK(stemma_collection_add_text(c, id, text, strlen(text), err));
    }
    stemma_error error;
    assert_int_equal(stemma_collection_resize_bits(c, 408, NULL, NULL, &error), STEMMA_UNREADABLE);
    assert_non_null(strstr(error.message, "10 of the 10 documents of"));
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
        struct found found = {.count = 0};
        OK(stemma_collection_resize_bits(c, fewer[i], NULL, NULL, err));
        OK(stemma_collection_get_info(c, &info, err));
        assert_int_equal(info.bits, fewer[i]);
        assert_int_equal(info.group_bits, fewer[i] < 64 ? fewer[i] : 32); /* two to a column */
        OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, count_match, &found, &sum, err));
        assert_int_equal(sum.bits, fewer[i]);
        assert_true(found.count >= 1); /* the last one itself */
    }
    stemma_collection_free(c);
}

static void count_unread(void *context, const stemma_scan_problem *problem) {
    const char *end = problem->name + strlen(problem->name) - 2;
    assert_true(!strcmp(end, "/7") || !strcmp(end, "/8"));
    ++*(unsigned *)context;
}

static size_t found_by(stemma_collection *c, unsigned number, stemma_via via, uint64_t *without) {
    char text[6000];
    struct found found = {.count = 0};
    stemma_hamming_summary sum;
    stemma_hamming_options o = stemma_hamming_options_default();
    o.via = via;
    o.resemblance = .99;                       /* so that groups decide, and G has few choices */
    make_text(text, sizeof text, 10 * number); /* of families that have nothing in common */
    OK(stemma_collection_hamming_text(c, "q", text, strlen(text), &o, count_match, &found, &sum, err));
    *without = sum.without_bits;
    return found.count;
}

static void check_found(stemma_collection *c, unsigned number, size_t count, uint64_t without) {
    static const stemma_via vias[] = {STEMMA_VIA_AUTO, STEMMA_VIA_SCAN, STEMMA_VIA_G, STEMMA_VIA_H,
                                      STEMMA_VIA_MIH};
    for (size_t i = 0; i < sizeof vias / sizeof *vias; i++) {
        uint64_t left_out;
        assert_int_equal(found_by(c, number, vias[i], &left_out), count);
        assert_int_equal(left_out, without);
    }
}

/* What cannot be read is left out, until it can: when it is added, or when there are more bits again. */
static void test_more_bits_without_what_cannot_be_read(void **state) {
    (void)state;
    char text[6000], id[64], folder[512], aside[2][512];
    const char *paths[] = {folder};
    unsigned told = 0;
    stemma_collection_info info;
    stemma_collection *c = create("unread", "preset=text unit=word window=5; mod n=32",
                                  STEMMA_PART_BITS | STEMMA_PART_GROUPS, 16);
    snprintf(folder, sizeof folder, "%s", path_of("some"));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (unsigned i = 0; i < 20; i++) {
        make_text(text, sizeof text, 10 * i);
        snprintf(id, sizeof id, "some/%u", i);
        write_file(id, (uint8_t *)text, strlen(text));
    }
    OK(stemma_collection_add(c, paths, 1, NULL, NULL, err));
    for (unsigned i = 0; i < 2; i++) {
        snprintf(id, sizeof id, "some/%u", 7 + i);
        snprintf(text, sizeof text, "%s", path_of(id));
        snprintf(id, sizeof id, "aside %u", i);
        snprintf(aside[i], sizeof aside[i], "%s", path_of(id));
        assert_int_equal(rename(text, aside[i]), 0);
    }
    OK(stemma_collection_resize_bits(c, 480, count_unread, &told, err));
    assert_int_equal(told, 2);
    OK(stemma_collection_get_info(c, &info, err));
    assert_int_equal(info.bits, 480);
    assert_int_equal(info.documents, 20);
    assert_int_equal(info.without_bits, 2);
    for (unsigned i = 0; i < 20; i++) check_found(c, i, i != 7 && i != 8, 2);
    assert_int_equal(rename(aside[0], path_of("some/7")), 0);
    OK(stemma_collection_resize_bits(c, 512, count_unread, &told, err));
    assert_int_equal(told, 3);
    for (unsigned i = 0; i < 20; i++) check_found(c, i, i != 8, 1);
    assert_int_equal(rename(aside[1], path_of("some/8")), 0);
    OK(stemma_collection_add(c, paths, 1, NULL, NULL, err));
    for (unsigned i = 0; i < 20; i++) check_found(c, i, 1, 0);
    stemma_collection_free(c);
    stemma_verify_summary sum;
    OK(stemma_collection_verify(path_of("unread"), NULL, NULL, NULL, NULL, &sum, err));
    assert_int_equal(sum.damages, 0);
}

/* Of what is removed or replaced, rows may still be there: they need no bits. */
static void test_more_bits_without_what_was_removed(void **state) {
    (void)state;
    char text[6000], id[64], folder[512];
    const char *paths[] = {folder};
    stemma_collection_info info;
    stemma_collection *c = create("more bits", "preset=text unit=word window=5; mod n=32",
                                  STEMMA_PART_BITS | STEMMA_PART_GROUPS, 16);
    snprintf(folder, sizeof folder, "%s", path_of("more"));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (unsigned i = 0; i < 20; i++) {
        make_text(text, sizeof text, i);
        snprintf(id, sizeof id, "more/%u", i);
        write_file(id, (uint8_t *)text, strlen(text));
    }
    OK(stemma_collection_add(c, paths, 1, NULL, NULL, err));
    assert_int_equal(remove(path_of("more/7")), 0);
    OK(stemma_collection_remove(c, path_of("more/7"), NULL, err));
    write_file("more/8", (uint8_t *)"another text of a few words", 27);
    OK(stemma_collection_add(c, paths, 1, NULL, NULL, err));
    OK(stemma_collection_get_info(c, &info, err));
    assert_int_equal(info.gone, 2);
    OK(stemma_collection_resize_bits(c, 480, NULL, NULL, err));
    OK(stemma_collection_get_info(c, &info, err));
    assert_int_equal(info.bits, 480);
    struct found found = {.count = 0};
    OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, count_match, &found, NULL, err));
    assert_true(found.count >= 1);
    stemma_collection_free(c);
}

static void test_hamming_is_careful(void **state) {
    (void)state;
    struct found found = {.count = 0};
    stemma_hamming_options o = stemma_hamming_options_default();
    stemma_collection *c =
        create("no bits", "preset=text unit=word window=5; mod n=32", STEMMA_PART_MINIMA, 16);
    assert_int_equal(
        stemma_collection_hamming_text(c, "q", "a b c d e f", 11, NULL, take_match, &found, NULL, NULL),
        STEMMA_UNSUPPORTED);
    stemma_collection_free(c);
    c = create("some bits", "preset=text unit=word window=5; mod n=32", STEMMA_PART_BITS, 16);
    o.via = STEMMA_VIA_BANDS;
    assert_int_equal(
        stemma_collection_hamming_text(c, "q", "a b c d e f", 11, &o, take_match, &found, NULL, NULL),
        STEMMA_INVALID);
    o.via = STEMMA_VIA_G; /* no groups: a scan answers */
    OK(stemma_collection_hamming_text(c, "q", "a b c d e f", 11, &o, take_match, &found, NULL, err));
    OK(stemma_collection_hamming(c, NULL, 0, &o, take_match, &found, NULL, err));
    o.resemblance = 1.5;
    assert_int_equal(
        stemma_collection_hamming_text(c, "q", "a b c d e f", 11, &o, take_match, &found, NULL, NULL),
        STEMMA_INVALID);
    assert_int_equal(found.count, 0);
    stemma_collection_free(c);
}

/* What was made for documents that come has the bits there were. */
static void test_documents_after_a_resize(void **state) {
    (void)state;
    static const unsigned bits[] = {400, 1000, 64, 480};
    static char text[20000], seen[20000];
    char id[16];
    stemma_hamming_summary sum;
    stemma_sighting sighting;
    stemma_collection *c =
        create("going on", "preset=text unit=word window=5; mod n=32",
               STEMMA_PART_MINIMA | STEMMA_PART_SAMPLES | STEMMA_PART_BITS | STEMMA_PART_TEXT, 16);
    for (unsigned i = 0; i < 4; i++) {
        OK(stemma_collection_resize_bits(c, bits[i], NULL, NULL, err));
        make_text(text, sizeof text, 20 * i); /* of families of their own */
        make_text(seen, sizeof seen, 20 * i + 10);
        snprintf(id, sizeof id, "%u", i);
        OK(stemma_collection_add_text(c, id, text, strlen(text), err));
        OK(stemma_collection_see(c, NULL, seen, strlen(seen), NULL, &sighting, err));
        OK(stemma_collection_commit(c, err));
        struct found found = {0};
        OK(stemma_collection_hamming_text(c, "q", text, strlen(text), NULL, count_match, &found, &sum, err));
        OK(stemma_collection_hamming_text(c, "q", seen, strlen(seen), NULL, count_match, &found, NULL, err));
        assert_int_equal(sum.bits, bits[i]);
        assert_int_equal(found.count, 2);
    }
    stemma_collection_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_known_by_many),
        cmocka_unit_test(test_known_is_careful),
        cmocka_unit_test(test_hamming),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_documents_after_a_resize),
        cmocka_unit_test(test_fewer_bits_of_what_is_gone),
        cmocka_unit_test(test_more_bits_without_what_cannot_be_read),
        cmocka_unit_test(test_more_bits_without_what_was_removed),
        cmocka_unit_test(test_hamming_is_careful),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}

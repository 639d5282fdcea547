/* Collections as they once were made: they are asked, added to and merged like others. */
#include "index/collection.h"
#include "index/facts.h"
#include "index/stored_samples.h"
#include "query_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- before there were digests in them ---- */

static const uint8_t binary[] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 0xff, 0, 0, 3, 0xfe};

static void put_binary(stemma_collection *collection, const char *id) {
    assert_int_equal(stemma_collection_add_text(collection, id, binary, sizeof binary, NULL), STEMMA_OK);
    put(collection, "text", "one two three four five six seven eight nine ten");
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
}

static void make_older(const char *name) {
    const struct part digests = {.kind = KIND_DIGEST_KEYS, .form = FORM_LOOKUP};
    struct collection *store;
    stemma_collection_free(new_collection(name));
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_change_parts(store, &digests, 1, NULL, 0, NULL, NULL, NULL), STEMMA_OK);
    collection_close(store);
}

static uint64_t count_same(stemma_collection *collection) {
    stemma_query_summary summary;
    found.count = 0;
    assert_int_equal(stemma_collection_query_text(collection, "q", binary, sizeof binary, NULL, take, &found,
                                                  &summary, NULL),
                     STEMMA_OK);
    return summary.found;
}

static void check_sound(const char *name) {
    stemma_verify_summary summary;
    assert_int_equal(stemma_collection_verify(path_of(name), NULL, NULL, NULL, NULL, &summary, NULL),
                     STEMMA_OK);
    assert_int_equal(summary.damages, 0);
}

static void test_older(void **state) {
    stemma_merge_summary merged;
    char newer_path[128];
    (void)state;
    make_older("older");
    stemma_collection *older = open_to_write("older"), *newer = new_collection("newer");
    put_binary(older, "a");
    put_binary(newer, "b");
    assert_int_equal(count_same(older), 0); /* it knows no digests, */
    assert_int_equal(count_same(newer), 1);
    check_sound("older"); /* and is none the worse for it */
    check_sound("newer");
    strcpy(newer_path, path_of("newer"));
    assert_int_equal(stemma_collection_merge(older, newer_path, NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 1 && merged.unchanged == 1);
    assert_int_equal(stemma_collection_merge(newer, path_of("older"), NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 1 && merged.unchanged == 2);
    assert_int_equal(count_same(newer), 2);
    stemma_collection_free(older);
    stemma_collection_free(newer);
    check_sound("older");
    check_sound("newer");
}

static stemma_status no_cell(void *context, uint64_t number, const struct row *row, const struct part *part,
                             struct buf *cell, stemma_error *err) {
    (void)context, (void)number, (void)row, (void)part, (void)cell, (void)err;
    return STEMMA_INVALID; /* there are no rows */
}

/* Whose samples are kept as they were once. */
static void make_with_whole_samples(const char *name) {
    struct schema whole = {0}, now = {0};
    struct collection *store;
    stemma_collection_free(new_collection(name));
    assert_int_equal(samples_add_parts(&whole, KEY_SAMPLE_BITS, NULL), STEMMA_OK);
    assert_int_equal(samples_add_parts(&now, STORED_SAMPLE_BITS, NULL), STEMMA_OK);
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_change_parts(store, now.parts, 2, whole.parts, 2, no_cell, NULL, NULL),
                     STEMMA_OK);
    collection_close(store);
}

static void put_and_find(stemma_collection *c, const char *id) {
    static char text[4000];
    stemma_query_options o = stemma_query_options_default();
    o.threshold = 0;
    o.contained = .9;
    random_text(text, 300);
    put(c, id, text);
    assert_int_equal(stemma_collection_commit(c, NULL), STEMMA_OK);
    text[strlen(text) * 3 / 4] = 0;
    ask(c, "q", text, &o);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].id, id);
}

/* One that is open goes on when its samples become short. */
static void test_older_samples(void **state) {
    stemma_merge_summary merged;
    char newer_path[128];
    (void)state;
    make_with_whole_samples("whole");
    stemma_collection *whole = open_to_write("whole"), *newer = new_collection("short");
    put_and_find(whole, "a");
    put_and_find(newer, "b");
    strcpy(newer_path, path_of("short"));
    assert_int_equal(stemma_collection_merge(whole, newer_path, NULL, &merged, NULL), STEMMA_OK);
    assert_int_equal(merged.added, 1);
    put_and_find(whole, "c");
    assert_int_equal(stemma_collection_merge(newer, path_of("whole"), NULL, &merged, NULL), STEMMA_OK);
    assert_true(merged.added == 2 && merged.unchanged == 1);
    stemma_collection_free(whole);
    stemma_collection_free(newer);
    check_sound("whole");
    check_sound("short");
}

/* ---- what could not be read had a row ---- */

static void make_failed(const char *name, const char *id) {
    struct collection *store;
    struct batch *batch;
    struct facts facts;
    struct row row;
    uint8_t bytes[FACTS_BYTES];
    uint64_t number;
    bool there;
    assert_int_equal(collection_open(path_of(name), &(struct collection_options){0}, &store, NULL),
                     STEMMA_OK);
    assert_int_equal(collection_find(store, id, strlen(id), &number, &there, NULL), STEMMA_OK);
    assert_int_equal(collection_row(store, number, &row, &there, NULL), STEMMA_OK);
    assert_int_equal(facts_read(row.facts, &facts, NULL), STEMMA_OK);
    facts.state = FACTS_FAILED;
    facts_write(&facts, bytes);
    row.facts = (struct cell){bytes, sizeof bytes};
    assert_int_equal(batch_new(store, &batch, NULL), STEMMA_OK);
    assert_int_equal(batch_put(batch, &row, NULL, NULL), STEMMA_OK);
    assert_int_equal(batch_commit(batch, NULL), STEMMA_OK);
    batch_free(batch);
    collection_close(store);
}

/* Half of a book. */
static void break_book(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *from = fopen(FORMATS_DIR "/letter.epub", "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    const size_t size = fread(bytes, 1, sizeof bytes, from);
    assert_int_equal(fwrite(bytes, 1, size / 2, to), size / 2);
    fclose(from);
    fclose(to);
}

static stemma_status is_unreadable(void *context, const stemma_collection_document *document,
                                   stemma_error *error) {
    (void)error;
    *(bool *)context = document->unreadable;
    return STEMMA_OK;
}

static void test_rows_of_what_failed(void **state) {
    char path[128];
    const char *const paths[] = {path};
    bool unreadable = false;
    stemma_add_summary summary;
    stemma_collection_info info;
    (void)state;
    write_file("failed.epub", "some words");
    strcpy(path, path_of("failed.epub"));
    stemma_collection *c = new_collection("failed");
    assert_int_equal(stemma_collection_add(c, paths, 1, NULL, NULL, NULL), STEMMA_OK);
    stemma_collection_free(c);
    make_failed("failed", path);
    break_book(path);
    c = open_to_write("failed");
    assert_int_equal(stemma_collection_list(c, NULL, is_unreadable, &unreadable, NULL), STEMMA_OK);
    assert_true(unreadable);
    assert_int_equal(stemma_collection_add(c, paths, 1, NULL, &summary, NULL), STEMMA_OK);
    assert_true(summary.problems == 1 && summary.added + summary.unchanged + summary.removed == 0);
    assert_int_equal(stemma_collection_get_info(c, &info, NULL), STEMMA_OK);
    assert_int_equal(info.documents, 0);
    stemma_collection_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older),
        cmocka_unit_test(test_older_samples),
        cmocka_unit_test(test_rows_of_what_failed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* Questions to a collection with damaged bytes, and to one that could not be written. */
#include "effort.h"
#include "query_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The path of the segment, where there is one. */
static void segment_of(const char *collection, char *out, size_t size) {
    char whole[160];
    struct dirent *entry;
    snprintf(whole, sizeof whole, "%s", path_of(collection));
    DIR *dir = opendir(whole);
    assert_non_null(dir);
    while ((entry = readdir(dir)) && !strstr(entry->d_name, ".segment")) continue;
    assert_non_null(entry);
    assert_true(snprintf(out, size, "%s/%s", whole, entry->d_name) < (int)size);
    closedir(dir);
}

/* Whatever byte is damaged, the answer is the same, or there is none; where an index is, it is the same. */
static void test_damaged_index(void **state) {
    static struct pile pile;
    static struct matches sound;
    char name[512], whole[160];
    (void)state;
    pile.count = 0;
    fill_pile(&pile, 20);
    stemma_collection *collection = new_collection("damage");
    for (size_t i = 0; i < pile.count; i++) put(collection, pile.ids[i], pile.texts[i]);
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    stemma_collection_free(collection);
    snprintf(whole, sizeof whole, "%s", path_of("damage"));
    segment_of("damage", name, sizeof name);
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    size_t refused = 0;
    stemma_query_options o = stemma_query_options_default();
    o.threshold = .9; /* so that lookups are cheaper than a scan, or the same */
    for (size_t round = 0; round < effort(300); round++) {
        const off_t at = (off_t)rng_below(&chance, (uint64_t)info.st_size);
        uint8_t byte, bit = (uint8_t)(1u << rng_below(&chance, 8));
        const size_t query = rng_below(&chance, pile.count);
        stemma_query_summary summary;
        collection = open_collection("damage");
        ask(collection, "q", pile.texts[query], &o);
        sound = found;
        stemma_collection_free(collection);
        int fd = open(name, O_RDWR);
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= bit;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        stemma_status status = stemma_collection_open(whole, NULL, NULL, &collection, NULL);
        found.count = 0;
        if (status == STEMMA_OK) {
            status =
                stemma_collection_query_text(collection, "q", pile.texts[query], strlen(pile.texts[query]),
                                             &o, take, &found, &summary, NULL);
            stemma_collection_free(collection);
        }
        refused += status == STEMMA_CORRUPT;
        if (status == STEMMA_OK) {
            assert_int_equal(found.count, sound.count);
            for (size_t i = 0; i < found.count; i++) assert_string_equal(found.list[i].id, sound.list[i].id);
        } else {
            assert_int_equal(status, STEMMA_CORRUPT);
        }
        byte ^= bit;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
    }
    if (effort_is_full()) assert_true(refused > 0);
    pile_release(&pile);
}

/* Where an index is damaged, what it is made from answers. */
static void test_index_left_aside(void **state) {
    enum { DOCUMENTS = 500, WINDOW = 2048, EVERY = 128, ASKED = 4 }; /* the bands asked take 6 KB */
    static char texts[DOCUMENTS][1200], copy[1200];
    static struct matches sound[ASKED];
    char name[512];
    uint8_t bytes[WINDOW], damaged[WINDOW];
    uint64_t left_aside = 0;
    stemma_query_options o = stemma_query_options_default();
    (void)state;
    o.threshold = .9; /* few lookups, cheaper than a scan */
    stemma_collection *collection = new_collection("aside");
    for (size_t i = 0; i < DOCUMENTS; i++) {
        char id[16];
        if (i % 2)
            mutate(texts[i - 1], .005, copy);
        else
            random_text(copy, 150);
        strcpy(texts[i], copy);
        snprintf(id, sizeof id, "d%zu", i);
        put(collection, id, texts[i]);
    }
    assert_int_equal(stemma_collection_commit(collection, NULL), STEMMA_OK);
    for (size_t i = 0; i < ASKED; i++) {
        assert_int_equal(ask(collection, "q", texts[i * 100], &o).left_aside, 0);
        sound[i] = found;
        assert_true(found.count >= 1);
    }
    stemma_collection_free(collection);
    segment_of("aside", name, sizeof name);
    int fd = open(name, O_RDWR);
    assert_true(fd >= 0);
    for (off_t at = 0;; at += WINDOW) {
        const ssize_t size = pread(fd, bytes, WINDOW, at);
        if (size <= 0) break;
        memcpy(damaged, bytes, (size_t)size);
        for (ssize_t i = 0; i < size; i += EVERY) damaged[i] ^= 4;
        assert_int_equal(pwrite(fd, damaged, (size_t)size, at), size);
        for (size_t i = 0; i < ASKED; i++) {
            stemma_query_summary summary = {0};
            found.count = 0;
            stemma_status status = stemma_collection_open(path_of("aside"), NULL, NULL, &collection, NULL);
            if (status == STEMMA_OK) {
                status = stemma_collection_query_text(collection, "q", texts[i * 100], strlen(texts[i * 100]),
                                                      &o, take, &found, &summary, NULL);
                stemma_collection_free(collection);
            }
            assert_true(status == STEMMA_OK || status == STEMMA_CORRUPT);
            left_aside += status == STEMMA_OK ? summary.left_aside : 0;
            if (status != STEMMA_OK) continue;
            assert_int_equal(found.count, sound[i].count);
            for (size_t k = 0; k < found.count; k++)
                assert_string_equal(found.list[k].id, sound[i].list[k].id);
        }
        assert_int_equal(pwrite(fd, bytes, (size_t)size, at), size);
    }
    close(fd);
    assert_true(left_aside > 0);
}

/* What could not be committed is in no collection, and no answer. */
static void test_failed_commit(void **state) {
    static char text[TEXT_MOST];
    stemma_sighting sighting;
    struct rlimit limit;
    (void)state;
    stemma_collection *collection = new_collection("failing");
    random_text(text, 200);
    assert_int_equal(stemma_collection_see(collection, "a", text, strlen(text), NULL, &sighting, NULL),
                     STEMMA_OK);
    assert_null(sighting.match);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, limit.rlim_max}), 0);
    const stemma_status status = stemma_collection_commit(collection, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_not_equal(status, STEMMA_OK);
    assert_int_equal(stemma_collection_see(collection, "b", text, strlen(text), NULL, &sighting, NULL),
                     STEMMA_OK);
    assert_null(sighting.match);
    stemma_collection_free(collection);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_index),
        cmocka_unit_test(test_index_left_aside),
        cmocka_unit_test(test_failed_commit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

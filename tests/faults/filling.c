/* Collections that are written. */
#include <errno.h>
#include <unistd.h>
#include <utime.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

/* What could not be read is said after the end: here it is the end. A document that the machine cannot read
 * is as unreadable as any other. */
static stemma_status first_problem(const stemma_collection *c, stemma_error *error) {
    stemma_scan_problem problem;
    if (stemma_collection_get_problem(c, 0, &problem, NULL) != STEMMA_OK) return STEMMA_OK;
    error->status = problem.status == STEMMA_UNREADABLE && fault.error == EIO ? STEMMA_IO : problem.status;
    snprintf(error->message, sizeof error->message, "%s", problem.cause);
    return error->status;
}

static stemma_status add_paths(stemma_collection *c, const char *const *paths, size_t count,
                               stemma_error *error) {
    stemma_scan_options reading = stemma_scan_options_default();
    stemma_add_options options = stemma_add_options_default();
    stemma_add_summary summary = {.added = 77};
    reading.threads = 1;
    options.reading = &reading;
    options.prune = true;
    stemma_status status = stemma_collection_add(c, paths, count, &options, &summary, error);
    if (status != STEMMA_OK) assert_int_equal(summary.added, 77);
    return status == STEMMA_OK ? first_problem(c, error) : status;
}

/* Some of it twice: what is known is compared, too. */
static stemma_status add_files(stemma_collection *c, stemma_error *error) {
    char archive[160];
    place(archive, sizeof archive, "archive");
    assert_int_equal(utime(archive, NULL), 0); /* files as young as that are always read again */
    assert_int_equal(utime(world.text_path, NULL), 0);
    const char *const paths[] = {archive, world.text_path, world.tree_path};
    stemma_status status = add_paths(c, paths, 3, error);
    return status == STEMMA_OK ? add_paths(c, paths, 2, error) : status;
}

static stemma_status add_texts(stemma_collection *c, stemma_error *error) {
    char id[8];
    stemma_status status = STEMMA_OK;
    for (int i = 0; status == STEMMA_OK && i < 3; i++) {
        snprintf(id, sizeof id, "d%d", i);
        status = stemma_collection_add_text(c, id, world.text + i, 3000, error);
    }
    return status == STEMMA_OK ? stemma_collection_commit(c, error) : status;
}

/* How a commit fails is looked at in test_collection_crash.c. */
static stemma_status remove_texts(stemma_collection *c, stemma_error *error) {
    uint64_t removed = 77;
    fault.armed = false;
    assert_int_equal(add_texts(c, NULL), STEMMA_OK);
    fault.armed = true;
    stemma_status status = stemma_collection_remove(c, "d1", NULL, error);
    if (status == STEMMA_OK) status = stemma_collection_remove_matching(c, "d[02]", &removed, error);
    assert_int_equal(removed, status == STEMMA_OK ? 2 : 77);
    return status;
}

static stemma_status see(stemma_collection *c, stemma_error *error) {
    char id[8];
    stemma_status status = STEMMA_OK;
    for (int i = 0; status == STEMMA_OK && i < 4; i++) {
        stemma_sighting sighting = {.id = UNTOUCHED};
        snprintf(id, sizeof id, "d%d", i);
        status = stemma_collection_see(c, id, world.text + 300 * i, 3000, NULL, &sighting, error);
        check_untouched(status, sighting.id);
        if (status == STEMMA_OK && i == 1) status = stemma_collection_commit(c, error);
    }
    if (status == STEMMA_OK)
        status = stemma_collection_see_file(c, world.text_path, NULL, &(stemma_sighting){0}, error);
    return status == STEMMA_OK ? stemma_collection_commit(c, error) : status;
}

/* The collection is made before: a lock works also where it cannot be written who has it. */
static void note_problem(void *told, const stemma_scan_problem *problem) {
    (void)problem;
    *(bool *)told = true;
}

/* More bits, from stored texts. */
static stemma_status grow(stemma_collection *c, stemma_error *error) {
    bool told = false;
    fault.armed = false;
    assert_int_equal(add_texts(c, NULL), STEMMA_OK);
    fault.armed = true;
    stemma_status status = stemma_collection_resize_bits(c, 480, note_problem, &told, error);
    assert_false(told);
    return status;
}

/* Of another that has no signatures, more bits, and texts to make signatures from. */
static stemma_status merge(stemma_collection *c, stemma_error *error) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *other;
    stemma_merge_summary summary = {.made = 77};
    char path[160];
    place(path, sizeof path, "other.stemma");
    fault.armed = false;
    options.parts |= STEMMA_PART_TEXT;
    options.bits = 480;
    assert_int_equal(stemma_collection_create(path, NULL, &options, NULL, &other, NULL), STEMMA_OK);
    assert_int_equal(add_texts(other, NULL), STEMMA_OK);
    stemma_collection_free(other);
    fault.armed = true;
    stemma_status status = stemma_collection_merge(c, path, "there:", &summary, error);
    assert_int_equal(summary.made, status == STEMMA_OK ? 3 : 77);
    fault.armed = false;
    remove_flat(path);
    return status;
}

static stemma_status fill(stemma_status (*with)(stemma_collection *c, stemma_error *error),
                          stemma_error *error) {
    stemma_collection_options options = stemma_collection_options_default();
    stemma_collection *c;
    char path[160];
    place(path, sizeof path, "filled.stemma");
    fault.armed = false;
    if (with == grow) options.parts |= STEMMA_PART_TEXT;
    if (with == merge) options.parts |= STEMMA_PART_SIGNATURE;
    assert_false(stemma_collection_exists(path));
    assert_int_equal(stemma_collection_create(path, NULL, &options, NULL, &c, NULL), STEMMA_OK);
    assert_true(stemma_collection_exists(path));
    fault.armed = fault.tidied = true;
    stemma_status status = with(c, error);
    stemma_collection_free(c);
    fault.armed = false;
    remove_flat(path);
    return status;
}

static stemma_status fill_by_texts(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(add_texts, error);
}

static stemma_status fill_by_files(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(add_files, error);
}

static stemma_status empty(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(remove_texts, error);
}

static stemma_status fill_by_seeing(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(see, error);
}

static stemma_status grow_bits(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(grow, error);
}

static stemma_status merge_others(const char *unused, stemma_error *error) {
    (void)unused;
    return fill(merge, error);
}

const struct operation filling_operations[] = {{"add texts to a collection", fill_by_texts, NULL},
                                               {"add files to a collection", fill_by_files, NULL},
                                               {"remove from a collection", empty, NULL},
                                               {"see a stream", fill_by_seeing, NULL},
                                               {"grow fingerprints", grow_bits, NULL},
                                               {"merge collections", merge_others, NULL},
                                               {NULL, NULL, NULL}};

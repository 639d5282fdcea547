/*
 * Who grows, shrinks, merges, backs up or repairs a collection is killed at every change that is made to a
 * folder: it is as it was or as it should become, and doing it again comes to its end.
 */
#include "collect/merging.h"
#include "collection_support.h"
#include "effort.h"
#include "faulty_disk.h"
#include "index/facts.h"
#include "index/hamming/growing.h"
#include "index/hamming/parts.h"
#include "index/segment.h"
#include "index/verify.h"

#include <sys/wait.h>

enum { IDS = 60, FIRST = 40, K = 128, K_MORE = 256, K_LESS = 64, GROUP = 32, MOST = K_MORE / 8 };

/* ---- documents: their bits follow from their ids ---- */

static void bits_of(unsigned id, uint8_t out[MOST]) {
    uint64_t random = 77 + id;
    for (size_t i = 0; i < MOST; i++) out[i] = (uint8_t)rng_next(&random);
}

static unsigned id_of(const struct row *row) {
    char text[32] = {0};
    memcpy(text, row->id.bytes, row->id.size);
    return (unsigned)atoi(text);
}

static void put(struct batch *batch, const struct schema *schema, unsigned id) {
    char name[32];
    uint8_t facts[FACTS_BYTES], bits[MOST];
    struct row row = {.id = {(uint8_t *)name, (size_t)snprintf(name, sizeof name, "%u", id)},
                      .facts = {facts, sizeof facts}};
    facts_write(&(struct facts){.state = FACTS_TEXT}, facts);
    bits_of(id, bits);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].kind == KIND_BITS) row.cells[i] = bits_cell(&schema->parts[i], bits);
    OK(batch_put(batch, &row, NULL, err));
}

static bool is_kept(unsigned id) {
    return id % 7 != 3;
}

/* Those from one id to another, in two commits, of which the second takes some away. */
static void make(const char *path, unsigned from, unsigned to) {
    struct schema schema;
    struct collection *c;
    struct batch *batch;
    OK(schema_init(&schema, "preset=text unit=word", err));
    OK(bits_add_parts(&schema, K, GROUP, err));
    OK(collection_open(path, &(struct collection_options){.schema = &schema}, &c, err));
    schema_release(&schema);
    for (int second = 0; second < 2; second++) {
        OK(batch_new(c, &batch, err));
        unsigned middle = (from + to) / 2;
        for (unsigned id = second ? middle : from; id < (second ? to : middle); id++)
            put(batch, collection_schema(c), id);
        for (unsigned id = from; second && id < to; id++) {
            char name[32];
            bool there;
            size_t size = (size_t)snprintf(name, sizeof name, "%u", id);
            if (!is_kept(id)) OK(batch_remove(batch, name, size, &there, err));
        }
        OK(batch_commit(batch, err));
        batch_free(batch);
    }
    collection_close(c);
}

static void print_finding(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
}

/* It is sound; how many documents there are, each with its bits, and how many of these. */
static unsigned check_sound(const char *path, uint32_t *bits) {
    struct verify_facts facts;
    struct bits_layout layout;
    struct collection *c;
    unsigned count = 0;
    uint8_t whole[MOST];
    OK(collection_verify(path, &(struct collection_options){0}, false, NULL, print_finding, NULL, &facts,
                         err));
    assert_int_equal(facts.damages, 0);
    OK(collection_open_read(path, &(struct collection_options){0}, &c, err));
    bits_layout_read(collection_schema(c), &layout);
    *bits = layout.bits;
    bool found = true;
    for (uint64_t number = 0;; number++, count++) {
        struct row row;
        OK(collection_next(c, number, &number, &found, err));
        if (!found) break;
        OK(collection_row(c, number, &row, &found, err));
        assert_true(is_kept(id_of(&row)));
        bits_of(id_of(&row), whole);
        for (uint32_t i = 0; i < layout.columns; i++) {
            const struct part *part = &collection_schema(c)->parts[layout.column_part[i]];
            struct cell cell = bits_cell(part, whole);
            assert_true(cells_equal(&row.cells[layout.column_part[i]], &cell));
        }
    }
    collection_close(c);
    return count;
}

static unsigned kept_below(unsigned limit) {
    unsigned count = 0;
    for (unsigned id = 0; id < limit; id++) count += is_kept(id);
    return count;
}

/* ---- deeds: `path` is the collection, `other` another folder ---- */

struct deed {
    void (*prepare)(const char *path, const char *other);
    stemma_status (*act)(const char *path, const char *other, const struct disk *disk, stemma_error *err);
    void (*check)(const char *path, const char *other, bool done);
};

static void prepare_one(const char *path, const char *other) {
    (void)other;
    make(path, 0, FIRST);
}

static stemma_status make_bits(void *context, uint64_t number, const struct row *row, const struct part *part,
                               struct buf *cell, stemma_error *err) {
    (void)number;
    uint8_t bits[MOST];
    (void)context;
    bits_of(id_of(row), bits);
    struct cell made = bits_cell(part, bits);
    return buf_add(cell, made.bytes, made.size) ? STEMMA_OK : fail_memory(err);
}

static stemma_status resize(const char *path, const char *other, const struct disk *disk, stemma_error *err) {
    struct collection *c;
    (void)other;
    TRY(collection_open(path, &(struct collection_options){.disk = disk}, &c, err));
    stemma_status status = bits_resize(c, K_MORE, make_bits, NULL, err);
    if (status == STEMMA_OK) status = bits_resize(c, K_LESS, make_bits, NULL, err);
    collection_close(c);
    return status;
}

static void check_resized(const char *path, const char *other, bool done) {
    uint32_t bits;
    (void)other;
    assert_int_equal(check_sound(path, &bits), kept_below(FIRST));
    assert_true(bits == K_LESS || (!done && (bits == K || bits == K_MORE)));
}

static void prepare_two(const char *path, const char *other) {
    make(path, 0, FIRST);
    make(other, FIRST / 2, IDS);
}

static stemma_status merge(const char *path, const char *other, const struct disk *disk, stemma_error *err) {
    struct collection *c;
    struct origin *origin;
    struct merge_facts facts;
    TRY(origin_open(other, &(struct collection_options){0}, &origin, err));
    stemma_status status = collection_open(path, &(struct collection_options){.disk = disk}, &c, err);
    if (status == STEMMA_OK) {
        status = merge_documents(c, NULL, NULL, origin, NULL, &facts, err);
        collection_close(c);
    }
    origin_close(origin);
    return status;
}

static void check_merged(const char *path, const char *other, bool done) {
    uint32_t bits;
    unsigned count = check_sound(path, &bits);
    assert_true(count == kept_below(IDS) || (!done && count == kept_below(FIRST)));
    assert_int_equal(check_sound(other, &bits), kept_below(IDS) - kept_below(FIRST / 2));
}

/* The other one has fewer bits: these are cut as the documents come, or not at all. */
static void prepare_fewer(const char *path, const char *other) {
    struct collection *c;
    prepare_two(path, other);
    OK(collection_open(other, &(struct collection_options){0}, &c, err));
    OK(bits_resize(c, K_LESS, NULL, NULL, err));
    collection_close(c);
}

static void check_cut(const char *path, const char *other, bool done) {
    uint32_t bits;
    const unsigned count = check_sound(path, &bits);
    (void)other;
    if (bits == K_LESS)
        assert_int_equal(count, kept_below(IDS));
    else
        assert_true(!done && bits == K && count == kept_below(FIRST));
}

/* After a failure, by whoever had it: a document more, unless it has to be opened again. */
static void go_on(struct collection *c, unsigned id) {
    struct batch *batch;
    if (batch_new(c, &batch, NULL) != STEMMA_OK) return;
    put(batch, collection_schema(c), id);
    OK(batch_commit(batch, err));
    batch_free(batch);
}

static stemma_status backup(const char *path, const char *other, const struct disk *disk, stemma_error *err) {
    struct collection *c;
    remove_folder(other);
    TRY(collection_open_read(path, &(struct collection_options){.disk = disk}, &c, err));
    stemma_status status = collection_backup(c, other, false, err);
    collection_close(c);
    return status;
}

static void check_backup(const char *path, const char *other, bool done) {
    struct collection *c;
    uint32_t bits;
    assert_int_equal(check_sound(path, &bits), kept_below(FIRST));
    if (!done && collection_open_read(other, &(struct collection_options){0}, &c, NULL) != STEMMA_OK) return;
    if (!done) collection_close(c);
    assert_int_equal(check_sound(other, &bits), kept_below(FIRST));
}

static void flip(const char *path, const char *name, off_t at) {
    int folder = open(path, O_RDONLY | O_DIRECTORY), fd = openat(folder, name, O_RDWR);
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 8;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
    close(folder);
}

/* One copy of the manifest, bits, and their index. */
static void prepare_damaged(const char *path, const char *other) {
    struct segment_file *file;
    char name[32];
    prepare_one(path, other);
    flip(path, "manifest", 40);
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    OK(segment_file_open(path, folder, 1, &file, err));
    segment_name(1, name);
    for (size_t p = 0; p < file->count; p++)
        if (file->parts[p].part.kind == KIND_BITS || file->parts[p].part.kind == KIND_GROUP_KEYS)
            flip(path, name, (off_t)file->parts[p].offset + 20);
    segment_file_close(file);
    close(folder);
}

static stemma_status mend(void *context, const struct schema *schema, const bool *damaged, struct row *row,
                          enum mending *done, stemma_error *err) {
    static uint8_t bits[MOST];
    (void)context;
    (void)err;
    bits_of(id_of(row), bits);
    for (size_t p = 0; p < schema->count; p++)
        if (damaged[p]) row->cells[p] = bits_cell(&schema->parts[p], bits);
    *done = MEND_DONE;
    return STEMMA_OK;
}

static void forget_finding(void *context, const char *text) {
    (void)context;
    (void)text;
}

static stemma_status repair(const char *path, const char *other, const struct disk *disk, stemma_error *err) {
    const struct mender mender = {mend, NULL};
    struct verify_facts facts;
    (void)other;
    TRY(collection_verify(path, &(struct collection_options){.disk = disk}, true, &mender, forget_finding,
                          NULL, &facts, err));
    assert_int_equal(facts.lost, 0);
    return STEMMA_OK;
}

/* While it is not done the damage is still there, and is told. */
static void check_repaired(const char *path, const char *other, bool done) {
    struct verify_facts facts;
    uint32_t bits;
    (void)other;
    OK(collection_verify(path, &(struct collection_options){0}, false, NULL, forget_finding, NULL, &facts,
                         err));
    assert_true(facts.damages == 0 || !done);
    if (facts.damages == 0) assert_int_equal(check_sound(path, &bits), kept_below(FIRST));
}

/* ---- killed at every call ---- */

static void begin(const struct deed *deed, char **path, char **other) {
    *path = new_folder();
    *other = new_folder();
    deed->prepare(*path, *other);
}

static void end(char *path, char *other) {
    remove_folder(path);
    remove_folder(other);
    free(path);
    free(other);
}

static long count_calls(const struct deed *deed) {
    struct fault fault = {.fate = COUNT};
    struct disk disk = faulty(&fault);
    char *path, *other;
    begin(deed, &path, &other);
    OK(deed->act(path, other, &disk, err));
    deed->check(path, other, true);
    end(path, other);
    return fault.calls;
}

static void kill_at(const struct deed *deed, long at) {
    struct fault fault = {.fate = KILL, .left = at};
    struct disk disk = faulty(&fault);
    char *path, *other;
    int ended;
    begin(deed, &path, &other);
    pid_t child = fork();
    if (child == 0) _exit(deed->act(path, other, &disk, NULL) == STEMMA_OK ? 0 : 1);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 77);
    deed->check(path, other, false);
    OK(deed->act(path, other, NULL, err));
    deed->check(path, other, true);
    end(path, other);
}

static void survives(const struct deed *deed) {
    long calls = count_calls(deed), step = (long)effort_step();
    print_message("%ld calls\n", calls);
    assert_true(calls > 6);
    for (long at = 0; at < calls; at += step) kill_at(deed, at);
}

static void growing_and_shrinking(void **state) {
    (void)state;
    survives(&(struct deed){prepare_one, resize, check_resized});
}

static void merging(void **state) {
    (void)state;
    survives(&(struct deed){prepare_two, merge, check_merged});
}

static void merging_fewer_bits(void **state) {
    (void)state;
    survives(&(struct deed){prepare_fewer, merge, check_cut});
}

/* A merge that fails leaves the collection as it was, also to who goes on with it. */
static void failing_to_merge(void **state) {
    (void)state;
    const struct deed deed = {prepare_fewer, merge, check_cut};
    const long calls = count_calls(&deed), step = (long)effort_step();
    for (long at = 0; at < calls; at += step) {
        struct fault fault = {.fate = REFUSE, .left = at, .error = ENOSPC};
        struct disk disk = faulty(&fault);
        struct collection *c;
        struct origin *origin;
        struct merge_facts facts;
        uint32_t bits;
        char *path, *other;
        begin(&deed, &path, &other);
        OK(origin_open(other, &(struct collection_options){0}, &origin, err));
        if (collection_open(path, &(struct collection_options){.disk = &disk}, &c, NULL) == STEMMA_OK) {
            const stemma_status status = merge_documents(c, NULL, NULL, origin, NULL, &facts, NULL);
            go_on(c, IDS + 1);
            collection_close(c);
            const unsigned count = check_sound(path, &bits);
            const bool more = count > kept_below(FIRST) && count != kept_below(IDS);
            assert_int_equal(count - more, bits == K ? kept_below(FIRST) : kept_below(IDS));
            assert_true(status != STEMMA_OK || bits == K_LESS);
        }
        origin_close(origin);
        end(path, other);
    }
}

static void backing_up(void **state) {
    (void)state;
    survives(&(struct deed){prepare_one, backup, check_backup});
}

static void repairing(void **state) {
    (void)state;
    survives(&(struct deed){prepare_damaged, repair, check_repaired});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_and_shrinking),
        cmocka_unit_test(merging),
        cmocka_unit_test(merging_fewer_bits),
        cmocka_unit_test(failing_to_merge),
        cmocka_unit_test(backing_up),
        cmocka_unit_test(repairing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

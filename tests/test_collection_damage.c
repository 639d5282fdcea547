/* Bits flipped anywhere in a collection: found by verify, never a crash or a wrong answer when it is read,
 * and repaired as far as what is left allows. */
#include "collection_support.h"
#include "effort.h"
#include "index/segment.h"
#include "index/verify.h"

static struct collection_options options = {.kinds = model_kinds};

/* ---- a collection of every kind of file ---- */

static stemma_status make_more(void *context, uint64_t number, const struct row *row, const struct part *part,
                               struct buf *cell, stemma_error *err) {
    (void)number;
    (void)context;
    (void)part;
    return buf_add(cell, row->facts.bytes, 4) ? STEMMA_OK : fail_memory(err);
}

static void make_collection(const char *path, struct model *model) {
    uint64_t random = 5;
    struct collection *c = open_model(path, NULL, 0);
    const struct part more = {KIND_MORE, 3, FORM_COLUMN, 4}, keys = {KIND_MORE_KEYS, 3, FORM_LOOKUP, 0};
    *model = (struct model){.next = 0};
    for (unsigned i = 0; i < 6; i++) OK(random_commit(c, model, &random, err));
    OK(collection_change_parts(c, NULL, 0, &more, 1, make_more, NULL, err));
    OK(collection_change_parts(c, NULL, 0, &keys, 1, NULL, NULL, err));
    struct batch *b;
    OK(batch_new(c, &b, err));
    for (unsigned id = 0, left = 3; id < MODEL_IDS && left; id++)
        if (model->version[id]) {
            left--;
            OK(remove_model(b, model, id, err));
        }
    OK(batch_commit(b, err));
    batch_free(b);
    struct collection_facts facts;
    collection_about(c, &facts);
    assert_true(facts.gone > 0 && facts.segments > 1 && facts.files > facts.segments + 1);
    collection_close(c);
}

static void copy_file(int from_folder, int to_folder, const char *name) {
    static uint8_t bytes[1 << 20];
    int from = openat(from_folder, name, O_RDONLY),
        to = openat(to_folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ssize_t size = read(from, bytes, sizeof bytes);
    assert_true(size >= 0 && size < (ssize_t)sizeof bytes && write(to, bytes, (size_t)size) == size);
    close(from);
    close(to);
}

struct listing {
    char names[32][40];
    off_t sizes[32];
    size_t count;
};

static void list_files(const char *path, struct listing *list) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    list->count = 0;
    while ((entry = readdir(folder))) {
        struct stat facts;
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lock")) continue;
        assert_int_equal(fstatat(dirfd(folder), entry->d_name, &facts, 0), 0);
        snprintf(list->names[list->count], 40, "%.39s", entry->d_name);
        list->sizes[list->count++] = facts.st_size;
        assert_true(list->count < 32);
    }
    closedir(folder);
}

static void copy_folder(const char *from, const char *to) {
    struct listing list;
    list_files(from, &list);
    int a = open(from, O_RDONLY | O_DIRECTORY), b = open(to, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < list.count; i++) copy_file(a, b, list.names[i]);
    close(a);
    close(b);
}

static void empty_folder(const char *path) {
    remove_folder(path);
    assert_int_equal(mkdir(path, 0777), 0);
}

/* ---- reading what is damaged ---- */

/* Whatever is said without an error is true. Returns whether everything was. */
static bool reads_truly(const char *path, const struct model *model) {
    struct collection *c;
    bool all = true;
    if (collection_open_read(path, &options, &c, NULL) != STEMMA_OK) return false;
    for (unsigned id = 0; id < MODEL_IDS; id++) {
        struct model_row r;
        struct row row;
        struct vec64 numbers = {0};
        uint64_t number;
        bool found;
        fill_model_row(&r, id, model->version[id]);
        if (collection_find(c, r.row.id.bytes, r.row.id.size, &number, &found, NULL) != STEMMA_OK) {
            all = false;
            continue;
        }
        assert_int_equal(found, model->version[id] != 0);
        if (!found) continue;
        if (collection_row(c, number, &row, &found, NULL) == STEMMA_OK) {
            assert_true(found && cells_equal(&row.facts, &r.row.facts));
            assert_true(cells_equal(&row.cells[COLUMN_PART], &r.row.cells[COLUMN_PART]));
            assert_true(cells_equal(&row.cells[TEXT_PART], &r.row.cells[TEXT_PART]));
        } else {
            all = false;
        }
        for (unsigned w = 0; w < WORDS; w++) {
            numbers.len = 0;
            if (collection_lookup(c, WORD_PART, word_of(id, model->version[id], w), 0, &numbers, NULL) ==
                STEMMA_OK)
                assert_true(has_number(&numbers, number));
            else
                all = false;
        }
        vec64_release(&numbers);
    }
    collection_close(c);
    return all;
}

static void forget_finding(void *context, const char *text) {
    size_t *count = context;
    assert_true(strlen(text) > 10);
    ++*count;
}

/* What is there after a repair is true, and the count of what is lost is, too. */
static void check_repaired(const char *path, const struct model *model, const struct verify_facts *facts) {
    struct verify_facts again;
    size_t findings = 0;
    uint64_t missing = 0, extra = 0, documents = 0;
    OK(collection_verify(path, &options, false, NULL, forget_finding, &findings, &again, err));
    assert_int_equal(again.damages, 0);
    struct collection *c = read_model(path);
    for (unsigned id = 0; id < MODEL_IDS; id++) {
        struct model_row r;
        struct row row;
        uint64_t number;
        bool found;
        fill_model_row(&r, id, model->version[id]);
        documents += model->version[id] != 0;
        OK(collection_find(c, r.row.id.bytes, r.row.id.size, &number, &found, err));
        missing += !found && model->version[id];
        extra += found && !model->version[id];
        if (!found || !model->version[id]) continue;
        OK(collection_row(c, number, &row, &found, err));
        assert_true(found && cells_equal(&row.facts, &r.row.facts));
        check_lookups(c, &r, number);
    }
    assert_true(missing <= facts->lost);
    struct collection_facts about;
    collection_about(c, &about);
    assert_int_equal(about.documents, documents - missing + extra);
    collection_close(c);
}

struct place {
    size_t file;
    off_t at;
    unsigned bit;
};

static void flip(const char *path, const char *name, off_t at, unsigned bit) {
    int folder = open(path, O_RDONLY | O_DIRECTORY), fd = openat(folder, name, O_RDWR);
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= (uint8_t)(1u << bit);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
    close(folder);
}

/* A bit near the beginning of a part. */
static void flip_part(const char *path, uint32_t segment, uint32_t kind) {
    struct segment_file *file;
    char name[32];
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    OK(segment_file_open(path, folder, segment, &file, err));
    segment_name(segment, name);
    flip(path, name, (off_t)segment_file_part(file, kind, 0)->offset + 10, 3);
    segment_file_close(file);
    close(folder);
}

static void every_flip_is_found(void **state) {
    (void)state;
    struct model model;
    struct listing list;
    char *path = new_folder(), *copy = new_folder();
    uint64_t random = 3, silent = 0, repaired = 0, lost = 0;
    make_collection(path, &model);
    list_files(path, &list);
    assert_true(reads_truly(path, &model));
    for (size_t round = 0; round < effort(3000); round++) {
        size_t file = round % list.count;
        off_t at = (off_t)rng_below(&random, (uint64_t)list.sizes[file]);
        if (rng_below(&random, 3) == 0) /* ends have tables and trailers */
            at = list.sizes[file] - 1 -
                 (off_t)rng_below(&random, (uint64_t)(list.sizes[file] < 200 ? list.sizes[file] : 200));
        unsigned bit = (unsigned)rng_below(&random, 8);
        struct verify_facts facts;
        size_t findings = 0;
        flip(path, list.names[file], at, bit);
        OK(collection_verify(path, &options, false, NULL, forget_finding, &findings, &facts, err));
        if (facts.damages == 0) fail_msg("bit %u of byte %ld of %s", bit, (long)at, list.names[file]);
        silent += reads_truly(path, &model);
        if (round % 8 == 0) {
            empty_folder(copy);
            copy_folder(path, copy);
            OK(collection_verify(copy, &options, true, NULL, forget_finding, &findings, &facts, err));
            assert_true(facts.repaired);
            check_repaired(copy, &model, &facts);
            repaired++;
            lost += facts.lost;
        }
        flip(path, list.names[file], at, bit);
    }
    print_message("%llu repairs, %llu documents lost; %llu flips that no question met\n",
                  (unsigned long long)repaired, (unsigned long long)lost, (unsigned long long)silent);
    assert_true(reads_truly(path, &model));
    remove_folder(path);
    remove_folder(copy);
    free(path);
    free(copy);
}

/* Documents that are named as lost. */
static void note_lost(void *context, const char *text) {
    uint64_t *named = context;
    *named += !strncmp(text, "lost: document ", 15) && strchr(text, '\'');
}

static bool is_further(const char *path, const char *name) {
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    struct segment_file *file;
    bool further = false;
    if (strstr(name, ".segment") &&
        segment_file_open(path, folder, strtoull(name, NULL, 10), &file, NULL) == STEMMA_OK) {
        further = file->of != 0;
        segment_file_close(file);
    }
    close(folder);
    return further;
}

static bool has_file(const char *path, const char *name, off_t size) {
    struct listing list;
    list_files(path, &list);
    for (size_t i = 0; i < list.count; i++)
        if (!strcmp(list.names[i], name) && list.sizes[i] == size) return true;
    return false;
}

/* Files that are gone, cut, or of another collection. Half a manifest would be a whole copy: it is less. */
static void lost_files_are_named(void **state) {
    (void)state;
    struct model model;
    struct listing list;
    char *path = new_folder(), *copy = new_folder();
    make_collection(path, &model);
    list_files(path, &list);
    for (size_t i = 0; i < list.count; i++)
        for (int cut = 0; cut < 3; cut++) {
            struct verify_facts facts;
            uint64_t named = 0;
            empty_folder(copy);
            copy_folder(path, copy);
            int folder = open(copy, O_RDONLY | O_DIRECTORY);
            if (cut == 0) assert_int_equal(unlinkat(folder, list.names[i], 0), 0);
            int fd = openat(folder, list.names[i], O_RDWR);
            if (cut) assert_int_equal(ftruncate(fd, cut == 1 ? list.sizes[i] / 2 - 1 : 0), 0);
            if (fd >= 0) close(fd);
            close(folder);
            const bool further = is_further(path, list.names[i]); /* of which not all is asked for */
            assert_true(!reads_truly(copy, &model) || further);
            OK(collection_verify(copy, &options, true, NULL, note_lost, &named, &facts, err));
            assert_true(facts.damages > 0 && facts.repaired);
            if (further) assert_true(named == facts.lost); /* keys are made again */
            check_repaired(copy, &model, &facts);
            char aside[40];
            snprintf(aside, sizeof aside, "%.8s.damaged", list.names[i]);
            if (cut && strcmp(list.names[i], "manifest") && (cut == 2 || facts.lost))
                assert_true(has_file(copy, aside, cut == 1 ? list.sizes[i] / 2 - 1 : 0));
        }
    remove_folder(path);
    remove_folder(copy);
    free(path);
    free(copy);
}

/* A segment that is merely out of reach may be sound: nothing is repaired, and nothing is unlinked. */
static void what_cannot_be_opened_is_left(void **state) {
    (void)state;
    struct model model;
    struct listing list;
    char *path = new_folder(), *other = new_folder();
    make_collection(path, &model);
    list_files(path, &list);
    int here = open(path, O_RDONLY | O_DIRECTORY), there = open(other, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < list.count; i++) {
        struct verify_facts facts;
        struct listing after;
        size_t findings = 0;
        /* A link is refused, whoever asks. */
        assert_int_equal(renameat(here, list.names[i], there, list.names[i]), 0);
        assert_int_equal(symlinkat("/dev/null", here, list.names[i]), 0);
        assert_int_equal(
            collection_verify(path, &options, true, NULL, forget_finding, &findings, &facts, NULL),
            STEMMA_UNREADABLE);
        list_files(path, &after);
        assert_int_equal(after.count, list.count);
        assert_int_equal(renameat(there, list.names[i], here, list.names[i]), 0);
    }
    assert_true(reads_truly(path, &model));
    close(here);
    close(there);
    remove_folder(path);
    remove_folder(other);
    free(path);
    free(other);
}

/* Parts that were dropped are still in earlier segments: later documents are not lost for want of them. */
static void lost_manifest_after_a_drop(void **state) {
    (void)state;
    struct model model;
    struct verify_facts facts;
    size_t findings = 0;
    char *path = new_folder(), name[128];
    make_collection(path, &model);
    struct collection *c = open_model(path, NULL, 0);
    const struct part drop[] = {{.kind = KIND_MORE_KEYS, .spec = 3}, {.kind = KIND_MORE, .spec = 3}};
    OK(collection_compact(c, err));
    OK(collection_change_parts(c, drop, 2, NULL, 0, NULL, NULL, err));
    commit_models(c, &model, 7, 8);
    assert_true(collection_segments(c) > 1);
    collection_close(c);
    snprintf(name, sizeof name, "%s/manifest", path);
    assert_int_equal(unlink(name), 0);
    OK(collection_verify(path, &options, true, NULL, forget_finding, &findings, &facts, err));
    assert_true(facts.repaired);
    assert_int_equal(facts.lost, 0);
    c = read_model(path);
    check_collection(c, &model);
    end_model(c, path);
}

/* A pipe in the place of a file is damage, not something to wait for. */
static void pipes_are_not_waited_for(void **state) {
    (void)state;
    struct model model;
    struct listing list;
    struct collection *c;
    char *path = new_folder();
    make_collection(path, &model);
    list_files(path, &list);
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    alarm(60);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(renameat(folder, list.names[i], folder, "kept"), 0);
        assert_int_equal(mkfifoat(folder, list.names[i], 0666), 0);
        assert_int_equal(collection_open_read(path, &options, &c, NULL), STEMMA_CORRUPT);
        assert_int_equal(renameat(folder, "kept", folder, list.names[i]), 0);
    }
    alarm(0);
    assert_true(reads_truly(path, &model));
    close(folder);
    remove_folder(path);
    free(path);
}

/* A segment that cannot be merged does not keep others from it. */
static void damage_stops_no_other_merge(void **state) {
    (void)state;
    struct model model = {.next = 0};
    struct collection_facts facts;
    struct batch *b;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    for (unsigned id = 0; id < 40; id += 20) commit_models(c, &model, id, id + 20);
    collection_close(c);
    flip_part(path, 1, KIND_PLAIN);
    c = open_model(path, NULL, 0);
    OK(batch_new(c, &b, err));
    for (unsigned id = 0; id < 40; id++)
        if (id % 20 < 10) OK(remove_model(b, &model, id, err));
    OK(batch_commit(b, err));
    batch_free(b);
    collection_about(c, &facts);
    assert_int_equal(facts.gone, 10); /* those of the first; the second was written again */
    end_model(c, path);
}

/* What is gone is lost, and with it which of two documents counts; the earlier one is in a segment that has
 * to be written again. */
static void repairs_leave_no_namesakes(void **state) {
    (void)state;
    struct model model = {.next = 0};
    struct verify_facts facts;
    struct listing list;
    size_t findings = 0;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    commit_models(c, &model, 0, 20);
    commit_models(c, &model, 3, 4);
    assert_int_equal(collection_segments(c), 2);
    collection_close(c);
    flip_part(path, 1, KIND_WORD_KEYS); /* no row */
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    list_files(path, &list);
    for (size_t i = 0; i < list.count; i++)
        if (strstr(list.names[i], ".gone")) assert_int_equal(unlinkat(folder, list.names[i], 0), 0);
    close(folder);
    OK(collection_verify(path, &options, true, NULL, forget_finding, &findings, &facts, err));
    assert_true(facts.repaired);
    assert_int_equal(facts.lost, 0);
    assert_int_equal(facts.documents, 20);
    check_repaired(path, &model, &facts);
    c = read_model(path);
    check_collection(c, &model);
    end_model(c, path);
}

static int unlink_nothing(const struct disk *disk, int folder, const char *name) {
    (void)disk, (void)folder, (void)name;
    return 0;
}

/* Without a manifest, what was merged is preferred to what it was made from only where it is sound. */
static void damaged_merges_give_way(void **state) {
    (void)state;
    struct model model = {.next = 0};
    struct verify_facts facts;
    struct disk disk = disk_plain;
    size_t findings = 0;
    char *path = new_folder();
    disk.unlink = unlink_nothing;
    struct collection *c = open_model(path, &disk, 0);
    for (unsigned id = 0; id < 40; id += 10) commit_models(c, &model, id, id + 10);
    assert_int_equal(collection_segments(c), 1);
    collection_close(c);
    flip_part(path, 5, KIND_PLAIN);
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(unlinkat(folder, "manifest", 0), 0);
    close(folder);
    OK(collection_verify(path, &options, true, NULL, forget_finding, &findings, &facts, err));
    assert_true(facts.repaired);
    assert_int_equal(facts.lost, 0);
    c = read_model(path);
    check_collection(c, &model);
    end_model(c, path);
}

static int refuse_rename(const struct disk *disk, int folder, const char *from, const char *to) {
    (void)disk, (void)folder, (void)from, (void)to;
    return EIO;
}

/* A repair that fails leaves all files as they were, the damaged ones included. */
static void failed_repairs_change_nothing(void **state) {
    (void)state;
    struct model model;
    struct listing list, after;
    struct verify_facts facts;
    size_t findings = 0;
    struct disk disk = disk_plain;
    struct collection_options refused = {.kinds = model_kinds, .disk = &disk};
    char *path = new_folder();
    disk.rename = refuse_rename;
    make_collection(path, &model);
    list_files(path, &list);
    for (size_t i = 0; i < list.count; i++) {
        flip(path, list.names[i], list.sizes[i] / 2, 1);
        if (list.sizes[i] > 200) flip(path, list.names[i], list.sizes[i] - 100, 1);
        assert_int_equal(
            collection_verify(path, &refused, true, NULL, forget_finding, &findings, &facts, NULL),
            STEMMA_IO);
        list_files(path, &after);
        assert_int_equal(after.count, list.count);
        for (size_t k = 0; k < list.count; k++) assert_true(has_file(path, list.names[k], list.sizes[k]));
        flip(path, list.names[i], list.sizes[i] / 2, 1);
        if (list.sizes[i] > 200) flip(path, list.names[i], list.sizes[i] - 100, 1);
    }
    assert_true(reads_truly(path, &model));
    remove_folder(path);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flip_is_found),           cmocka_unit_test(lost_files_are_named),
        cmocka_unit_test(what_cannot_be_opened_is_left), cmocka_unit_test(lost_manifest_after_a_drop),
        cmocka_unit_test(pipes_are_not_waited_for),      cmocka_unit_test(failed_repairs_change_nothing),
        cmocka_unit_test(damaged_merges_give_way),       cmocka_unit_test(damage_stops_no_other_merge),
        cmocka_unit_test(repairs_leave_no_namesakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

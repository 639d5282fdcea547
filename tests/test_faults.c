/*
 * Every allocation and every system call fails once, in every public operation.
 *
 * The linker puts the __wrap_ functions below before the real ones, so the library has no hooks. An operation
 * is run with its 0th, 1st, 2nd ... call failing until it gets through. Each time it must say why, leave its
 * outputs untouched, and leave nothing behind: no memory, no descriptor, no file.
 *
 * A new operation is one line in `operations`; a new way to fail is one line in `faults`.
 */
#include "align/signature/edit_regions.h"
#include "align/signature/estimated.h"
#include "base/rng.h"
#include "effort.h"
#include "family/family.h"
#include "group/group.h"
#include "join/join.h"
#include "join/keys.h"
#include "kernels/kernels.h"
#include "runs/runs.h"
#include "read/dataset.h"
#include "read/pages.h"
#include "base/error.h"
#include "read/tree.h"
#include "estimate/overlap.h"
#include "shingle/whole.h"
#include "sketch/recipe.h"
#include "stemma.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the faults ------------------------------------------------------------------------------- */

enum call { ALLOCATE, OPEN, OPEN_UNNAMED, OPEN_NAMED, READ, WRITE, SYNC, LINK, RENAME };

enum how {
    ONCE = 0,
    LASTING = 1, /* every later call fails, too */
    NAMED = 2,   /* the file system knows no unnamed files */
    SHORT = 4    /* reads and writes move less than was asked */
};

static struct {
    bool armed, fired;
    enum call call;
    int error;
    unsigned how;
    long left; /* calls that still succeed */
    long live; /* allocations not yet freed */
} fault;

static bool fails(enum call call) {
    if (!fault.armed || call != fault.call || fault.left-- > 0) return false;
    fault.armed = fault.how & LASTING;
    fault.left = 0;
    fault.fired = true;
    errno = fault.error;
    return true;
}

static size_t moved(size_t size) {
    return fault.how & SHORT && size > 30011 ? 30011 : size;
}

#define WRAP(result, name, ...)                                                                              \
    result __real_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_malloc(size);
    fault.live += given != NULL;
    return given;
}
WRAP(void *, calloc, size_t count, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_calloc(count, size);
    fault.live += given != NULL;
    return given;
}
WRAP(void *, realloc, void *old, size_t size) {
    void *given = fails(ALLOCATE) ? NULL : __real_realloc(old, size);
    fault.live += given && !old;
    return given;
}
WRAP(void, free, void *pointer) {
    fault.live -= pointer != NULL;
    __real_free(pointer);
}
WRAP(int, open, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    enum call call = (flags & O_TMPFILE) == O_TMPFILE ? OPEN_UNNAMED : flags & O_CREAT ? OPEN_NAMED : OPEN;
    if (call == OPEN_UNNAMED && fault.how & NAMED) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails(call) ? -1 : __real_open(path, flags, mode);
}
WRAP(int, openat, int at, const char *path, int flags, ...) {
    return fails(OPEN) ? -1 : __real_openat(at, path, flags); /* nothing is made by it */
}
WRAP(int, mkostemp, char *name, int flags) {
    return fails(OPEN_NAMED) ? -1 : __real_mkostemp(name, flags);
}
WRAP(ssize_t, read, int fd, void *bytes, size_t size) {
    return fails(READ) ? -1 : __real_read(fd, bytes, moved(size));
}
WRAP(ssize_t, pread, int fd, void *bytes, size_t size, off_t at) {
    return fails(READ) ? -1 : __real_pread(fd, bytes, moved(size), at);
}
WRAP(ssize_t, write, int fd, const void *bytes, size_t size) {
    return fails(WRITE) ? -1 : __real_write(fd, bytes, moved(size));
}
WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t size, off_t at) {
    return fails(WRITE) ? -1 : __real_pwrite(fd, bytes, moved(size), at);
}
WRAP(int, fsync, int fd) {
    return fails(SYNC) ? -1 : __real_fsync(fd);
}
WRAP(int, linkat, int from_at, const char *from, int to_at, const char *to, int flags) {
    return fails(LINK) ? -1 : __real_linkat(from_at, from, to_at, to, flags);
}
WRAP(int, rename, const char *from, const char *to) {
    return fails(RENAME) ? -1 : __real_rename(from, to);
}

/* ---- the world the operations work in --------------------------------------------------------- */

enum {
    TEXT_SIZE = 20000,
    LARGE_SIZE = 300000
}; /* large: its fingerprints fill more runs than are merged at once */

static struct {
    char folder[64], tree_path[96], text_path[96], other_path[96], large_path[96], bundle_path[96], new_path[96];
    char *text, *other, *large;
    char *bundle;
    size_t bundle_size;
    stemma_recipe *recipe;
    stemma_sketch *sketch, *other_sketch;
    stemma_limits spilling;
} world;

static const char every_scheme[] =
    "window=3; mod n=4; min n=64; minmod n=32 mod=2; level; minhash n=16 bits=64;"
    " oph n=64 bits=2; bsw n=16; signature c=8 positions=yes";
static const char joinable[] = "window=3; mod n=4; min n=64";

/* Words of a small language, so that documents repeat themselves and each other. */
static char *make_text(size_t size, uint64_t seed) {
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        uint64_t number = rng_below(&seed, 30);
        text[i] = number < 26 ? (char)('a' + number) : number < 29 ? ' ' : '\n';
    }
    text[size] = 0;
    return text;
}

static void save(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void load_bundle(void) {
    FILE *file = fopen(world.bundle_path, "rb");
    assert_non_null(file);
    world.bundle = malloc(1 << 20);
    world.bundle_size = fread(world.bundle, 1, 1 << 20, file);
    fclose(file);
}

static void place(char *path, size_t size, const char *name) {
    assert_true(snprintf(path, size, "%s/%s", world.folder, name) < (int)size);
}

/* What is in the tree, and links to it. */
static const struct {
    const char *name, *content;
} tree_files[] = {
    {"tree/.stemmaignore", "*.log\n"},
    {"tree/in/file", "x"},
    {"tree/in/a.log", "x"},
    {"tree/d.jsonl", "{\"id\": 1, \"text\": \"one \\u20ac\"}\n{\"text\": \"two\"}\n"},
    {"tree/d.csv", "id,text\n1,one\n2,\"tw\"\"o\n\"\n"},
};
enum { TREE_FILES = sizeof tree_files / sizeof tree_files[0] };

static void make_tree(void) {
    char path[160];
    place(world.tree_path, sizeof world.tree_path, "tree");
    assert_int_equal(mkdir(world.tree_path, 0700), 0);
    place(path, sizeof path, "tree/in");
    assert_int_equal(mkdir(path, 0700), 0);
    place(path, sizeof path, "tree/link");
    assert_int_equal(symlink("in", path), 0);
    for (int i = 0; i < TREE_FILES; i++) {
        place(path, sizeof path, tree_files[i].name);
        save(path, tree_files[i].content, strlen(tree_files[i].content));
    }
}

static void remove_tree(void) {
    char path[160];
    for (int i = 0; i < TREE_FILES; i++) {
        place(path, sizeof path, tree_files[i].name);
        unlink(path);
    }
    place(path, sizeof path, "tree/d.jsonl.gz");
    unlink(path);
    place(path, sizeof path, "tree/link");
    unlink(path);
    place(path, sizeof path, "tree/in");
    rmdir(path);
    rmdir(world.tree_path);
}

static void make_files(void) {
    strcpy(world.folder, "/tmp/stemma-faults-XXXXXX");
    assert_non_null(mkdtemp(world.folder));
    place(world.text_path, sizeof world.text_path, "text");
    place(world.other_path, sizeof world.other_path, "other");
    place(world.large_path, sizeof world.large_path, "large");
    place(world.bundle_path, sizeof world.bundle_path, "bundle");
    place(world.new_path, sizeof world.new_path, "new");
    save(world.text_path, world.text, TEXT_SIZE);
    save(world.other_path, world.other, TEXT_SIZE);
    save(world.large_path, world.large, LARGE_SIZE);
    make_tree();
}

static stemma_status filter_to(const char *from, const char *to, stemma_error *error);

static void make_packed(void) {
    char from[160], to[160];
    place(from, sizeof from, "tree/d.jsonl");
    place(to, sizeof to, "tree/d.jsonl.gz");
    assert_int_equal(filter_to(from, to, NULL), STEMMA_OK);
}

/* A mail in an archive, with an attachment; and a crawl. */
static void make_archive(void) {
    static const char mail[] = "From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nbody\n"
                               "--b\nContent-Type: application/x; name=\"=?utf-8?b?w6k=?=\"\n"
                               "Content-Transfer-Encoding: base64\n\neHl6\n--b--\n",
                      crawl[] = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\nContent-Length: 3\r\n\r\nxyz";
    struct archive *archive = archive_write_new();
    char path[160];
    place(path, sizeof path, "archive");
    archive_write_set_format_pax_restricted(archive);
    archive_write_add_filter_gzip(archive);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    for (int i = 0; i < 2; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, i ? "crawl" : "mail");
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_size(entry, (la_int64_t)(i ? sizeof crawl : sizeof mail) - 1);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        archive_write_data(archive, i ? crawl : mail, (i ? sizeof crawl : sizeof mail) - 1);
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

static int make_world(void **state) {
    (void)state;
    world.text = make_text(TEXT_SIZE, 1);
    world.other = make_text(TEXT_SIZE, 2);
    memcpy(world.other, world.text, TEXT_SIZE / 2);
    world.large = make_text(LARGE_SIZE, 3);
    make_files();
    world.spilling =
        (stemma_limits){.size = sizeof(stemma_limits), .memory = 1, .temporary_directory = world.folder};
    stemma_writer *writer;
    assert_int_equal(stemma_recipe_parse(joinable, &world.recipe, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_file(world.text_path, world.recipe, NULL, &world.sketch, NULL), STEMMA_OK);
    assert_int_equal(stemma_sketch_file(world.other_path, world.recipe, NULL, &world.other_sketch, NULL),
                     STEMMA_OK);
    assert_int_equal(stemma_writer_open(world.bundle_path, &writer, NULL), STEMMA_OK);
    assert_int_equal(stemma_writer_add(writer, world.sketch, NULL), STEMMA_OK);
    assert_int_equal(stemma_writer_add(writer, world.other_sketch, NULL), STEMMA_OK);
    assert_int_equal(stemma_writer_close(writer, NULL), STEMMA_OK);
    load_bundle();
    make_packed();
    make_archive();
    return 0;
}

static int end_world(void **state) {
    (void)state;
    stemma_sketch_free(world.sketch);
    stemma_sketch_free(world.other_sketch);
    stemma_recipe_free(world.recipe);
    remove_tree();
    char archive[160];
    place(archive, sizeof archive, "archive");
    unlink(archive);
    const char *paths[] = {world.text_path, world.other_path, world.large_path, world.bundle_path};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) unlink(paths[i]);
    free(world.text);
    free(world.other);
    free(world.large);
    free(world.bundle);
    return rmdir(world.folder);
}

static int count_entries(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

/* ---- the operations --------------------------------------------------------------------------- */

/* What stands in an output before the call, and must still stand there when it failed. */
static char untouched_place;
#define UNTOUCHED ((void *)&untouched_place)

static void check_untouched(stemma_status status, const void *output) {
    if (status != STEMMA_OK) assert_ptr_equal(output, UNTOUCHED);
}

typedef stemma_status run_operation(const char *argument, stemma_error *error);

static stemma_status parse(const char *text, stemma_error *error) {
    stemma_recipe *recipe = UNTOUCHED;
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    check_untouched(status, recipe);
    if (status == STEMMA_OK) stemma_recipe_free(recipe);
    return status;
}

static stemma_status with_key(const char *key, stemma_error *error) {
    stemma_recipe *recipe = UNTOUCHED;
    stemma_status status = stemma_recipe_with_key(world.recipe, key, strlen(key), &recipe, error);
    check_untouched(status, recipe);
    if (status == STEMMA_OK) stemma_recipe_free(recipe);
    return status;
}

static stemma_status release_sketch(stemma_status status, stemma_sketch *sketch) {
    check_untouched(status, sketch);
    if (status == STEMMA_OK) stemma_sketch_free(sketch);
    return status;
}

/* The recipe is part of the operation: its failure is one like the others. */
static stemma_status with_recipe(const char *text, stemma_error *error,
                                 stemma_status (*run)(const stemma_recipe *recipe, stemma_error *error)) {
    stemma_recipe *recipe;
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    if (status != STEMMA_OK) return status;
    status = run(recipe, error);
    stemma_recipe_free(recipe);
    return status;
}

static stemma_status run_sketch_bytes(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_bytes(world.text, TEXT_SIZE, "text", recipe, NULL, &sketch, error);
    return release_sketch(status, sketch);
}
static stemma_status run_sketch_spilling(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_file(world.large_path, recipe, &world.spilling, &sketch, error);
    return release_sketch(status, sketch);
}
static stemma_status run_sketcher(const stemma_recipe *recipe, stemma_error *error) {
    stemma_sketcher *sketcher = UNTOUCHED;
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketcher_new(recipe, "pieces", NULL, &sketcher, error);
    check_untouched(status, sketcher);
    if (status != STEMMA_OK) return status;
    for (size_t at = 0; at < TEXT_SIZE && status == STEMMA_OK; at += TEXT_SIZE / 4)
        status = stemma_sketcher_add(sketcher, world.text + at, TEXT_SIZE / 4, error);
    if (status == STEMMA_OK) {
        status = stemma_sketcher_finish(sketcher, &sketch, error);
        release_sketch(status, sketch);
    }
    stemma_sketcher_free(sketcher);
    return status;
}
static stemma_status run_text(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *text = UNTOUCHED;
    stemma_status status = stemma_text_file(world.text_path, recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status == STEMMA_OK) stemma_text_free(text);
    return status;
}

/* Both texts are part of the operation. */
static stemma_status align_two(const stemma_text *a, const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *b;
    stemma_alignment *alignment = UNTOUCHED;
    stemma_status status = stemma_text_bytes(world.other, TEXT_SIZE, recipe, NULL, &b, error);
    if (status != STEMMA_OK) return status;
    status = stemma_align_texts(a, b, NULL, NULL, &alignment, error);
    check_untouched(status, alignment);
    if (status == STEMMA_OK) stemma_alignment_free(alignment);
    stemma_text_free(b);
    return status;
}
static stemma_status run_align(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *a;
    stemma_status status = stemma_text_bytes(world.text, TEXT_SIZE, recipe, NULL, &a, error);
    if (status != STEMMA_OK) return status;
    status = align_two(a, recipe, error);
    stemma_text_free(a);
    return status;
}

/* In characters: the words of the recipe are folded. */
static stemma_status run_edit(const stemma_recipe *recipe, stemma_error *error) {
    stemma_text *a, *b;
    stemma_edit edit = {.blocks = 77};
    stemma_status status = stemma_text_bytes(world.text, TEXT_SIZE, recipe, NULL, &a, error);
    if (status != STEMMA_OK) return status;
    status = stemma_text_bytes(world.text, TEXT_SIZE / 2, recipe, NULL, &b, error);
    if (status == STEMMA_OK) {
        status = stemma_edit_texts(a, b, NULL, NULL, NULL, &edit, error);
        assert_int_equal(status == STEMMA_OK, edit.blocks != 77);
        stemma_text_free(b);
    }
    stemma_text_free(a);
    return status;
}
static stemma_status edit_texts(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_edit);
}

static stemma_status sketch_bytes(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketch_bytes);
}
static stemma_status sketch_spilling(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketch_spilling);
}
static stemma_status sketch_pieces(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_sketcher);
}
static stemma_status text_file(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_text);
}

/* Pieces of the text are in the other one, and in the large one none are. */
static stemma_status run_find(const stemma_recipe *recipe, stemma_error *error) {
    stemma_finder *finder = UNTOUCHED;
    stemma_findings *findings = UNTOUCHED;
    stemma_target targets[] = {{.path = world.text_path}, {NULL, world.large, TEXT_SIZE}};
    stemma_find_options options = stemma_find_options_default();
    options.block = 1000;
    stemma_status status = stemma_finder_new(targets, 2, recipe, &options, NULL, &finder, error);
    check_untouched(status, finder);
    if (status != STEMMA_OK) return status;
    status = stemma_find_file(finder, world.other_path, NULL, &findings, error);
    check_untouched(status, findings);
    if (status == STEMMA_OK) {
        assert_true(stemma_findings_summary(findings).fragments > 0);
        stemma_findings_free(findings);
    }
    stemma_finder_free(finder);
    return status;
}
static stemma_status find(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_find);
}

static stemma_status align_texts(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_align);
}

/* A comparison is a value, not a pointer: all of its bytes must stay. */
struct comparing {
    stemma_comparison found, before;
};

static struct comparing comparing(void) {
    struct comparing both;
    memset(&both, 0xa5, sizeof both);
    return both;
}
static stemma_status compared(stemma_status status, const struct comparing *both) {
    if (status != STEMMA_OK) assert_memory_equal(&both->found, &both->before, sizeof both->found);
    return status;
}

static stemma_status run_compare_bytes(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status = stemma_compare_bytes(world.text, TEXT_SIZE, world.other, TEXT_SIZE, recipe, NULL,
                                                NULL, &both.found, error);
    return compared(status, &both);
}
static stemma_status run_compare_files(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status =
        stemma_compare_files(world.text_path, world.other_path, recipe, NULL, NULL, &both.found, error);
    return compared(status, &both);
}
static stemma_status run_compare_spilling(const stemma_recipe *recipe, stemma_error *error) {
    struct comparing both = comparing();
    stemma_status status = stemma_compare_files(world.large_path, world.text_path, recipe, NULL,
                                                &world.spilling, &both.found, error);
    return compared(status, &both);
}

static stemma_status compare_bytes(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_bytes);
}
static stemma_status compare_files(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_files);
}
static stemma_status compare_spilling(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_compare_spilling);
}
static stemma_status compare_sketches(const char *unused, stemma_error *error) {
    (void)unused;
    struct comparing both = comparing();
    return compared(stemma_compare_sketches(world.sketch, world.other_sketch, NULL, &both.found, error),
                    &both);
}

static stemma_status search_among(stemma_signatures *signatures, const stemma_sketch *query,
                                  stemma_error *error) {
    stemma_near *found = UNTOUCHED;
    size_t count;
    stemma_status status = STEMMA_OK;
    for (int i = 0; i < 3 && status == STEMMA_OK; i++)
        status = stemma_signatures_add(signatures, query, error);
    if (status != STEMMA_OK) return status;
    status = stemma_signatures_search(signatures, query, 5, NULL, &found, &count, error);
    check_untouched(status, found);
    if (status == STEMMA_OK) stemma_near_free(found);
    return status;
}
static stemma_status run_search(const stemma_recipe *recipe, stemma_error *error) {
    stemma_signatures *signatures = UNTOUCHED;
    stemma_sketch *sketch;
    stemma_status status = stemma_sketch_bytes(world.text, TEXT_SIZE, "text", recipe, NULL, &sketch, error);
    if (status != STEMMA_OK) return status;
    stemma_recipe *coarse;
    status = stemma_recipe_parse("signature n=8 c=64 alphabet=16384", &coarse, error);
    if (status == STEMMA_OK) {
        status = stemma_signatures_new(coarse, 0, &signatures, error);
        check_untouched(status, signatures);
        stemma_recipe_free(coarse);
    }
    if (status == STEMMA_OK) {
        status = search_among(signatures, sketch, error);
        stemma_signatures_free(signatures);
    }
    stemma_sketch_free(sketch);
    return status;
}
static stemma_status search_signatures(const char *recipe, stemma_error *error) {
    return with_recipe(recipe, error, run_search);
}
/* Signatures at two rates, so that one is made coarser; "runs": so few symbols that runs of them are chained.
 */
static stemma_status estimate_signatures(const char *how, stemma_error *error) {
    enum { SYMBOLS = 600 };
    static uint16_t fine[SYMBOLS], other[SYMBOLS];
    uint64_t rng = 1;
    bool runs = strcmp(how, "runs") == 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        fine[i] = (uint16_t)(runs ? rng_below(&rng, 4) : 2 * rng_below(&rng, 32768));
        other[i] = (uint16_t)(i / 50 == 3 ? rng_below(&rng, 4) : runs ? fine[i] : fine[i] / 2);
    }
    struct signature a = {.symbols = fine, .count = SYMBOLS, .length = 40000, .agree = .07, .n = 8, .c = 64};
    a.alphabet = runs ? 4 : 65536;
    struct signature b = a;
    b.symbols = other;
    if (!runs) b.c = 128, b.alphabet = 32768;
    struct edit_estimate estimate = {.blocks = 77};
    stemma_status status = estimate_edit(&a, &b, &estimate, error);
    if (status != STEMMA_OK) assert_int_equal(estimate.blocks, 77);
    if (status != STEMMA_OK) return status;
    struct edit_regions regions = {.count = 77};
    status = find_edit_regions(&a, &b, &regions, error);
    if (status == STEMMA_OK)
        edit_regions_release(&regions);
    else
        assert_int_equal(regions.count, 77);
    return status;
}

/* ---- trees and data sets ---- */

static stemma_status take_tree_file(void *context, const struct tree_file *file, stemma_error *error) {
    (void)context, (void)file, (void)error;
    return STEMMA_OK;
}

static void take_tree_problem(void *context, const char *path, const stemma_error *cause) {
    (void)path;
    stemma_error *first = context;
    if (first->status == STEMMA_OK) *first = *cause;
}

/* A problem is an outcome like a failure. */
static stemma_status walk_tree(const char *unused, stemma_error *error) {
    (void)unused;
    static const char *const patterns[] = {"*"};
    stemma_error problem = {STEMMA_OK, ""};
    struct tree_options options = {.include = patterns, .include_count = 1, .hidden = true, .follow = true};
    struct tree_visitor visitor = {&problem, take_tree_file, take_tree_problem, NULL};
    stemma_status status = tree_walk(world.tree_path, &options, &visitor, error);
    if (status == STEMMA_OK && problem.status != STEMMA_OK) *error = problem;
    return status == STEMMA_OK ? problem.status : status;
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

static stemma_status take_records(const struct dataset *dataset, const struct dataset_batch *batch,
                                  struct record_reader *reader, uint64_t sizes[2], stemma_error *error) {
    struct dataset_record record;
    stemma_status status;
    bool more;
    record_reader_begin(reader, dataset, batch);
    while ((status = record_reader_next(reader, &record, &more, error)) == STEMMA_OK && more) {
        sizes[0] = record.offset;
        sizes[1] = record.size;
    }
    return status;
}

/* All records, and the last one again. */
static stemma_status read_open_data(struct dataset *dataset, stemma_error *error) {
    struct dataset_batch batch = {0};
    struct record_reader reader = {0};
    const uint8_t *text = UNTOUCHED;
    size_t size;
    uint64_t last[2] = {0, 0};
    bool more = true;
    stemma_status status;
    while ((status = dataset_next(dataset, &batch, &more, error)) == STEMMA_OK && more)
        if ((status = take_records(dataset, &batch, &reader, last, error)) != STEMMA_OK) break;
    if (status == STEMMA_OK && dataset_random_access(dataset)) {
        status = dataset_text_at(dataset, last[0], last[1], &reader, &text, &size, error);
        check_untouched(status, text);
    }
    record_reader_release(&reader);
    dataset_batch_release(&batch);
    return status;
}

static stemma_status read_data_at(const char *path, stemma_error *error) {
    struct dataset *dataset = UNTOUCHED;
    struct dataset_options options = {.batch_size = 30, .directory = world.folder};
    stemma_status status = dataset_open(path, &options, &dataset, error);
    check_untouched(status, dataset);
    if (status != STEMMA_OK) return status;
    status = read_open_data(dataset, error);
    dataset_close(dataset);
    return status;
}

static stemma_status read_data(const char *name, stemma_error *error) {
    char path[160];
    place(path, sizeof path, name);
    return read_data_at(path, error);
}

static stemma_status read_piped_data(const char *content, stemma_error *error) {
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(__real_write(ends[1], content, strlen(content)), (ssize_t)strlen(content));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    stemma_status status = read_data_at(path, error);
    close(ends[0]);
    return status;
}

static bool keep_record(void *context, uint64_t offset, uint64_t line) {
    (void)context, (void)offset, (void)line;
    return true;
}

static stemma_status filter_open_data(struct dataset *dataset, const char *to, stemma_error *error) {
    struct dataset_filter *filter = UNTOUCHED;
    uint64_t kept = 0;
    stemma_status status = dataset_filter_open(to, &filter, error);
    check_untouched(status, filter);
    if (status != STEMMA_OK) return status;
    status = dataset_filter_copy(filter, dataset, keep_record, NULL, &kept, error);
    if (status == STEMMA_OK) return dataset_filter_commit(filter, error);
    dataset_filter_abandon(filter);
    return status;
}

static stemma_status filter_to(const char *from, const char *to, stemma_error *error) {
    struct dataset *dataset;
    struct dataset_options options = {0};
    stemma_status status = dataset_open(from, &options, &dataset, error);
    if (status != STEMMA_OK) return status;
    status = filter_open_data(dataset, to, error);
    dataset_close(dataset);
    return status;
}

/* argument: the ending of the new file. */
static stemma_status filter_data(const char *ending, stemma_error *error) {
    char from[160], to[160];
    place(from, sizeof from, "tree/d.csv");
    snprintf(to, sizeof to, "%s%s", world.new_path, ending);
    stemma_status status = filter_to(from, to, error);
    if (status == STEMMA_OK) assert_int_equal(unlink(to), 0);
    return status;
}

static stemma_status canonical(struct whole *whole, const char *text, const uint8_t **out, size_t *size,
                               stemma_error *error) {
    return whole_canon(whole, (const uint8_t *)text, TEXT_SIZE, out, size, error);
}
static stemma_status overlap_texts(struct overlap_base *base, struct whole *a, struct whole *b, stemma_error *error) {
    const uint8_t *text, *other;
    size_t size, other_size;
    struct overlap out = {.common = 77}, ignored;
    stemma_status status = canonical(a, world.text, &text, &size, error);
    if (status == STEMMA_OK) status = canonical(b, world.other, &other, &other_size, error);
    const struct overlap_aim aim = {.7, .9};
    bool hopeless;
    if (status != STEMMA_OK) return status;
    overlap_base_set(base, text, size);
    status = overlap_with(base, other, other_size / 2, &aim, &ignored, &hopeless, error);
    if (status == STEMMA_OK) status = overlap_with(base, other, other_size, NULL, &out, NULL, error);
    assert_int_equal(out.common == 77, status != STEMMA_OK);
    return status;
}
static stemma_status run_overlap(const stemma_recipe *recipe, stemma_error *error) {
    struct whole *a = NULL, *b = NULL;
    struct overlap_base *base = NULL;
    stemma_status status = whole_new(&recipe->view, &recipe->tables, &a, error);
    if (status == STEMMA_OK) status = whole_new(&recipe->view, &recipe->tables, &b, error);
    if (status == STEMMA_OK) status = overlap_base_new(&recipe->view, &recipe->tables, &base, error);
    if (status == STEMMA_OK) status = overlap_texts(base, a, b, error);
    overlap_base_free(base);
    whole_free(a);
    whole_free(b);
    return status;
}
static stemma_status overlap(const char *text, stemma_error *error) {
    return with_recipe(text, error, run_overlap);
}

static stemma_status join(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_sketch *sketch = UNTOUCHED;
    stemma_status status = stemma_sketch_union(world.sketch, world.other_sketch, &sketch, error);
    return release_sketch(status, sketch);
}

static stemma_status write_to(const char *path, stemma_error *error) {
    stemma_writer *writer = UNTOUCHED;
    stemma_status status = stemma_writer_open(path, &writer, error);
    check_untouched(status, writer);
    if (status != STEMMA_OK) return status;
    status = stemma_writer_add(writer, world.sketch, error);
    if (status == STEMMA_OK) status = stemma_writer_add(writer, world.other_sketch, error);
    if (status == STEMMA_OK) return stemma_writer_close(writer, error);
    stemma_writer_abandon(writer);
    return status;
}
static stemma_status write_new(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_status status = write_to(world.new_path, error);
    /* When it failed, the check for files left behind finds one that stands there nevertheless. */
    if (status == STEMMA_OK) assert_int_equal(unlink(world.new_path), 0);
    return status;
}
static stemma_status write_over(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_status status = write_to(world.bundle_path, error);
    static char now[1 << 20];
    FILE *file = fopen(world.bundle_path, "rb");
    assert_non_null(file);
    size_t size = fread(now, 1, sizeof now, file);
    fclose(file);
    assert_int_equal(size, world.bundle_size);
    assert_memory_equal(now, world.bundle, size);
    return status;
}

static stemma_status read_all(stemma_status status, stemma_reader *reader, stemma_error *error) {
    check_untouched(status, reader);
    if (status != STEMMA_OK) return status;
    for (int i = 0; i < 2 && status == STEMMA_OK; i++) {
        stemma_sketch *sketch = UNTOUCHED;
        status = stemma_reader_next(reader, &sketch, error);
        release_sketch(status, sketch);
    }
    stemma_reader_free(reader);
    return status;
}
static stemma_status read_file(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_reader *reader = UNTOUCHED;
    stemma_status status = stemma_reader_open(world.bundle_path, &reader, error);
    return read_all(status, reader, error);
}
static stemma_status read_bytes(const char *unused, stemma_error *error) {
    (void)unused;
    stemma_reader *reader = UNTOUCHED;
    stemma_status status = stemma_reader_open_bytes(world.bundle, world.bundle_size, &reader, error);
    return read_all(status, reader, error);
}
static stemma_status is_bundle(const char *unused, stemma_error *error) {
    (void)unused;
    bool found = false;
    stemma_status status = stemma_is_bundle(world.bundle_path, &found, error);
    assert_int_equal(found, status == STEMMA_OK);
    return status;
}

/* As many bytes of both texts as the argument says after its first letter; for characters, with one that is
 * not ASCII. */
struct edited {
    char a[4000], b[4000];
    size_t size;
    stemma_edit_unit unit;
};
static struct edited edited(const char *argument) {
    struct edited e = {.size = strtoul(argument + 1, NULL, 10)};
    memcpy(e.a, world.text, e.size);
    memcpy(e.b, world.other + TEXT_SIZE / 4, e.size);
    if (*argument == 'b') return e;
    e.unit = STEMMA_EDIT_CHARACTERS;
    e.a[0] = (char)0xff;
    return e;
}
static stemma_status edit_distance(const char *argument, stemma_error *error) {
    uint64_t distance = 77;
    struct edited e = edited(argument);
    stemma_status status =
        stemma_distance(e.a, e.size, e.b, e.size, e.unit, UINT64_MAX, NULL, &distance, error);
    assert_int_equal(distance == 77, status != STEMMA_OK);
    return status;
}
static stemma_status edit_script(const char *argument, stemma_error *error) {
    stemma_script *script = UNTOUCHED;
    struct edited e = edited(argument);
    stemma_status status =
        stemma_script_new(e.a, e.size, e.b, e.size, e.unit, UINT64_MAX, NULL, &script, error);
    check_untouched(status, script);
    if (status == STEMMA_OK) stemma_script_free(script);
    return status;
}

/* ---- sorting records ---- */

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

/* ---- grouping ---- */

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

/* ---- joining classes ---- */

enum { JOIN_SETS = 400, JOIN_SET = 400 };

struct joining {
    struct join_plan plan;
    struct keyer *keyer;
    struct vec64 samples;
    struct sorter *sampled, *pairs;
    uint8_t keys[JOIN_SETS * 2 * JOIN_MINIMA + KERNEL_SLACK];
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
    if (status == STEMMA_OK) status = keyer_new(&j.plan, &j.keyer, error);
    if (status == STEMMA_OK) status = sorter_new(&sorting, &j.pairs, error);
    sorting.key_bits = JOIN_SAMPLE_BITS;
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

/* A document that has to be converted, as a sketch, as a text, and as what both have in common. */
static stemma_status convert_as(const char *name, const char *bytes, size_t size, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_text *text = UNTOUCHED;
    stemma_document *document = UNTOUCHED;
    stemma_status status = stemma_sketch_bytes(bytes, size, name, world.recipe, NULL, &sketch, error);
    release_sketch(status, sketch);
    if (status != STEMMA_OK) return status;
    status = stemma_text_bytes(bytes, size, world.recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status != STEMMA_OK) return status;
    status = stemma_document_of_text(text, world.recipe, NULL, &document, error);
    check_untouched(status, document);
    if (status == STEMMA_OK) stemma_document_free(document);
    stemma_text_free(text);
    return status;
}

static stemma_status convert(const char *name, stemma_error *error) {
    static const char page[] = "<html><p>one two three caf\xE9 &amp; <b>four</b> five <img alt='six'> seven",
                      marked[] = "# one\n\ntwo [three](four) <b>five</b> &amp; six\n\n<p>\nseven\n</p>\n",
                      wide[] = "\xFF\xFEo\0n\0e\0 \0t\0w\0o\0 \0t\0h\0r\0e\0e\0 \0f\0o\0u\0r\0";
    if (!strcmp(name, "x.md")) return convert_as(name, marked, sizeof marked - 1, error);
    if (!strcmp(name, "wide")) return convert_as(name, wide, sizeof wide - 1, error);
    return convert_as(name, page, sizeof page - 1, error);
}

/* A document among the conversions; reading it is no part of the operation. */
static stemma_status convert_kept(const char *name, stemma_error *error) {
    static char bytes[1 << 16];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FORMATS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return convert_as(name, bytes, size, error);
}

static stemma_status convert_xml(const char *text, stemma_error *error) {
    return convert_as("x.xml", text, strlen(text), error);
}

static stemma_status run_pages_together(const char *text, stemma_error *error) {
    struct buf out = {0};
    bool done = pages_text((const uint8_t *)text, strlen(text), &out);
    buf_release(&out);
    return done ? STEMMA_OK : fail_memory(error);
}

static stemma_status read_contained(const char *name, stemma_error *error) {
    char path[160];
    stemma_text *text = UNTOUCHED;
    place(path, sizeof path, name);
    stemma_status status = stemma_text_file(path, world.recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status == STEMMA_OK) stemma_text_free(text);
    return status;
}

static const struct {
    const char *name;
    run_operation *run;
    const char *argument;
} operations[] = {
    {"parse the default recipe", parse, ""},
    {"parse a recipe of every scheme", parse, every_scheme},
    {"recipe with a key", with_key, "0123456789abcdef"},
    {"compare bytes, words", compare_bytes, ""},
    {"compare bytes, Rabin", compare_bytes, "preset=raw unit=byte window=20 hash=rabin"},
    {"compare bytes, labelled", compare_bytes, "labelled=yes"},
    {"compare files, words", compare_files, ""},
    {"compare files, lines", compare_files, "preset=code unit=line window=2"},
    {"compare files, spilling", compare_spilling, "preset=raw unit=byte window=20"},
    {"compare files, labelled, spilling", compare_spilling, "preset=raw unit=byte window=20 labelled=yes"},
    {"compare sketches", compare_sketches, ""},
    {"sketch mod", sketch_bytes, "mod n=4"},
    {"sketch min", sketch_bytes, "min n=64"},
    {"sketch minmod", sketch_bytes, "minmod n=32 mod=2"},
    {"sketch level", sketch_bytes, "level"},
    {"sketch minhash", sketch_bytes, "minhash n=16 bits=64"},
    {"sketch minhash of 1 bit", sketch_bytes, "minhash n=64 bits=1"},
    {"sketch oph", sketch_bytes, "oph n=64 bits=64"},
    {"sketch oph of 2 bits", sketch_bytes, "oph n=64 bits=2"},
    {"sketch bsw", sketch_bytes, "bsw n=16"},
    {"sketch bsw-chunk", sketch_bytes, "bsw-chunk n=16"},
    {"sketch simhash", sketch_bytes, "simhash bits=64"},
    {"sketch signature", sketch_bytes, "signature c=4"},
    {"sketch signature with positions", sketch_bytes, "signature c=4 positions=yes"},
    {"sketch signature2011", sketch_bytes, "signature2011 c=4"},
    {"sketch every scheme", sketch_bytes, every_scheme},
    {"sketch labelled, spilling", sketch_spilling, "preset=raw unit=byte window=20 labelled=yes; mod n=64"},
    {"sketch in pieces", sketch_pieces, every_scheme},
    {"search signatures", search_signatures, "signature n=8 c=16"},
    {"estimate from signatures", estimate_signatures, ""},
    {"estimate from signatures, by runs", estimate_signatures, "runs"},
    {"overlap, words", overlap, ""},
    {"overlap, bytes", overlap, "preset=raw unit=byte window=20 hash=rabin"},
    {"overlap, labelled", overlap, "unit=line window=2 labelled=yes"},
    {"union", join, ""},
    {"write a new bundle", write_new, ""},
    {"write over a bundle", write_over, ""},
    {"read a bundle", read_file, ""},
    {"read a bundle in memory", read_bytes, ""},
    {"compare signatures", compare_sketches, "signature c=8"},
    {"ask for a bundle", is_bundle, ""},
    {"text with offsets", text_file, "preset=text"},
    {"read HTML in Latin-1", convert, "x.html"},
    {"read Markdown", convert, "x.md"},
    {"read UTF-16", convert, "wide"},
    {"read XML", convert_xml, "<?xml version='1.0'?><a>one<b>two</b>\n</a>"},
    {"read RTF", convert_kept, "report.rtf"},
    {"read a DOCX", convert_kept, "report.docx"},
    {"read an ODT", convert_kept, "report.odt"},
    {"read an EPUB", convert_kept, "letter.epub"},
    {"read pages", run_pages_together, "a compari-\nson\n1\n\fof comparison\n2\n\f"},
    {"read what is compressed", read_contained, "tree/d.jsonl.gz"},
    {"read a mail in an archive", read_contained, "archive!/mail"},
    {"read an attachment in an archive", read_contained, "archive!/mail!/\xC3\xA9"},
    {"read from a crawl in an archive", read_contained, "archive!/crawl!/u"},
    {"find words", find, ""},
    {"find bytes", find, "preset=raw unit=byte window=20"},
    {"edit distance, close", edit_distance, "b300"},
    {"edit distance, far", edit_distance, "b4000"},
    {"edit distance, characters", edit_distance, "c2000"},
    {"edit script", edit_script, "b2000"},
    {"edit script, characters", edit_script, "c1000"},
    {"edit distance of documents", edit_texts, ""},
    {"sort records", sort_records_of, "5000"},
    {"sort records, spilling", sort_records_of, "20000"},
    {"sort records, merging", sort_records_of, "150000"},
    {"group by stars", group_classes, "0"},
    {"group by components", group_classes, "1"},
    {"group by first members", group_classes, "2"},
    {"group by popular fingerprints", group_classes, "3"},
    {"join classes", join_classes, ""},
    {"align words", align_texts, ""},
    {"walk a tree", walk_tree, ""},
    {"read JSON lines", read_data, "tree/d.jsonl"},
    {"read CSV", read_data, "tree/d.csv"},
    {"read a compressed data set", read_data, "tree/d.jsonl.gz"},
    {"read a data set from a pipe", read_piped_data, "{\"text\": \"one\"}\n{\"text\": \"two\"}\n"},
    {"filter a data set", filter_data, ""},
    {"filter and compress a data set", filter_data, ".gz"},
    {"align bytes", align_texts, "preset=raw unit=byte"},
    {"make a family tree", make_family, "5"},
    {"make a large family tree", make_family, "70"},
};

/* ---- the test --------------------------------------------------------------------------------- */

struct fault_row {
    const char *name;
    enum call call;
    int error;
    stemma_status expected; /* OK: the library gets over it */
    unsigned how;
};

static const struct fault_row faults[] = {
    {"an allocation is refused", ALLOCATE, ENOMEM, STEMMA_NO_MEMORY, ONCE},
    {"allocations are refused from there on", ALLOCATE, ENOMEM, STEMMA_NO_MEMORY, LASTING},
    {"a document cannot be opened", OPEN, EACCES, STEMMA_UNREADABLE, ONCE},
    {"too many files are open", OPEN, EMFILE, STEMMA_NO_MEMORY, ONCE},
    {"an unnamed file is refused", OPEN_UNNAMED, EIO, STEMMA_IO, ONCE},
    {"the file system knows no unnamed files", OPEN_UNNAMED, EOPNOTSUPP, STEMMA_OK, ONCE},
    {"a named file is refused", OPEN_NAMED, EIO, STEMMA_IO, NAMED},
    {"a read fails", READ, EIO, STEMMA_IO, ONCE},
    {"a read is interrupted and short", READ, EINTR, STEMMA_OK, SHORT},
    {"the disk is full", WRITE, ENOSPC, STEMMA_NO_SPACE, LASTING},
    {"the disk is full under a name", WRITE, ENOSPC, STEMMA_NO_SPACE, LASTING | NAMED},
    {"a write fails", WRITE, EIO, STEMMA_IO, ONCE},
    {"a write is interrupted and short", WRITE, EINTR, STEMMA_OK, SHORT},
    {"the disk cannot be reached at the end", SYNC, EIO, STEMMA_IO, ONCE},
    {"an unnamed file cannot be named", LINK, EIO, STEMMA_IO, ONCE},
    {"a file cannot be renamed", RENAME, EIO, STEMMA_IO, ONCE},
    {"a named file cannot be renamed", RENAME, EIO, STEMMA_IO, NAMED},
};

static void check_outcome(const struct fault_row *row, const char *operation, long k, stemma_status status,
                          const stemma_error *error) {
    stemma_status expected = fault.fired ? row->expected : STEMMA_OK;
    if (status != expected)
        fail_msg("%s, at %ld in '%s': status %d, expected %d (%s)", row->name, k, operation, (int)status,
                 (int)expected, error->message);
    if (status != STEMMA_OK && (error->status != status || !error->message[0]))
        fail_msg("%s, at %ld in '%s': failed without a message", row->name, k, operation);
}

/* Runs one operation with its k-th call failing; false when there was no such call. */
static bool run_with_fault(const struct fault_row *row, size_t index, long k) {
    const char *name = operations[index].name;
    stemma_error error = {STEMMA_OK, ""};
    int descriptors = count_entries("/proc/self/fd"), files = count_entries(world.folder);
    long live = fault.live;
    fault.call = row->call;
    fault.error = row->error;
    fault.how = row->how;
    fault.left = k;
    fault.fired = false;
    fault.armed = true;
    stemma_status status = operations[index].run(operations[index].argument, &error);
    fault.armed = false;
    fault.how = ONCE;
    check_outcome(row, name, k, status, &error);
    if (fault.live != live) fail_msg("%s, at %ld in '%s': %ld leaked", row->name, k, name, fault.live - live);
    if (count_entries("/proc/self/fd") != descriptors)
        fail_msg("%s, at %ld in '%s': open file", row->name, k, name);
    if (count_entries(world.folder) != files) fail_msg("%s, at %ld in '%s': file left", row->name, k, name);
    return fault.fired;
}

/* Far more calls than any operation needs: interrupted reads must not be tried without end. */
enum { CALLS_MOST = 20000 };

/* Each allocation once. Of the others the first, then fewer and fewer, since they are made in loops. With
 * little effort, every so many. */
static long next_call(const struct fault_row *row, long k) {
    long step = effort_is_full() ? 1 : 100 / (long)effort(100);
    return row->call == ALLOCATE && row->how == ONCE ? k + step : k + step * (1 + k / 8);
}

static void test_fault(void **state) {
    const struct fault_row *row = *state;
    long total = 0;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        long k = 0;
        for (; run_with_fault(row, i, k); k = next_call(row, k), total++) assert_true(k < CALLS_MOST);
    }
    print_message("%s: %ld times\n", row->name, total);
    assert_true(total > 0); /* a call that the library does not make tests nothing */
}

int main(void) {
    enum { COUNT = sizeof faults / sizeof faults[0] };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){faults[i].name, test_fault, NULL, NULL, (void *)&faults[i]};
    return _cmocka_run_group_tests("faults", tests, COUNT, make_world, end_world);
}

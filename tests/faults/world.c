/* Documents, sketches and folders for the operations, made once. */
#include "base/rng.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

struct world world;
char untouched_place;

const char every_scheme[] = "window=3; mod n=4; min n=64; minmod n=32 mod=2; level; minhash n=16 bits=64;"
                            " oph n=64 bits=2; bsw n=16; signature c=8 positions=yes";
static const char joinable[] = "window=3; mod n=4; min n=64";

void check_untouched(stemma_status status, const void *output) {
    if (status != STEMMA_OK) assert_ptr_equal(output, UNTOUCHED);
}

stemma_status with_recipe(const char *text, stemma_error *error,
                          stemma_status (*run)(const stemma_recipe *recipe, stemma_error *error)) {
    stemma_recipe *recipe;
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    if (status != STEMMA_OK) return status;
    status = run(recipe, error);
    stemma_recipe_free(recipe);
    return status;
}

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

void place(char *path, size_t size, const char *name) {
    assert_true(snprintf(path, size, "%s/%s", world.folder, name) < (int)size);
}

void remove_flat(const char *path) {
    struct dirent *entry;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
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

static void make_packed(void) {
    char from[160], to[160];
    place(from, sizeof from, "tree/d.jsonl");
    place(to, sizeof to, "tree/d.jsonl.gz");
    assert_int_equal(filter_to(from, to, NULL), STEMMA_OK);
}

/* A mail in an archive, with an attachment; and a crawl. */
static void make_archive(void) {
    static const char
        mail[] =
            "From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=\"=?utf-8?q?b?= =?utf-8?q?b?=\"\n\n--bb\n\nbody\n"
            "--bb\nContent-Type: application/x; name=\"=?utf-8?b?w6k=?=\"\n"
            "Content-Transfer-Encoding: base64\n\neHl6\n--bb--\n",
        crawl[] =
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\nContent-Length: 3\r\n\r\nxyz\r\n\r\n"
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: v\r\nContent-Type: application/http\r\n"
            "Content-Length: 91\r\n\r\nHTTP/1.1 200\r\nContent-Encoding: br\r\n"
            "Content-Type: text/plain; charset=koi8-r\r\n\r\n\x60\0\x10\xC1\xC2\xC3 abc\x03";
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

int make_world(void **state) {
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
    make_collection();
    make_asked_collection();
    return 0;
}

int end_world(void **state) {
    (void)state;
    remove_collection();
    stemma_sketch_free(world.sketch);
    stemma_sketch_free(world.other_sketch);
    stemma_recipe_free(world.recipe);
    remove_tree();
    char archive[160];
    place(archive, sizeof archive, "archive");
    unlink(archive);
    const char *paths[] = {world.text_path, world.other_path, world.large_path, world.bundle_path};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) unlink(paths[i]);
    remove_asked_collection();
    free(world.text);
    free(world.other);
    free(world.large);
    free(world.bundle);
    return rmdir(world.folder);
}

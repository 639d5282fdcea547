/*
 * A collection of which any file is any bytes: a clean error, or answers without a crash; and any bytes as an
 * export.
 *
 * The input: which file, what is done to it, where, and the bytes. Checksums of blocks would stop all else,
 * so the manifest, which binds the files, is also given with its checksums made right.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "index/transfer.h"
#include "index/verify.h"
#include "runs/block.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

static char folder[64];

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_folder(void) {
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static stemma_status first_word(const struct schema *schema, const struct part *part, const struct row *row,
                                struct vec64 *keys, stemma_error *err) {
    (void)schema;
    (void)part;
    return vec64_add(keys, load_u64(row->cells[0].bytes)) ? STEMMA_OK
                                                          : fail(err, STEMMA_NO_MEMORY, "no memory");
}

static const struct part_kind kinds[] = {{KIND_OTHERS + 1, first_word}, {0, NULL}};
static struct collection_options options = {.kinds = kinds};

static void put(struct collection *c, unsigned from, unsigned to) {
    struct batch *b;
    REQUIRE(batch_new(c, &b, NULL) == STEMMA_OK);
    for (unsigned i = from; i < to; i++) {
        uint8_t id[2] = {'d', (uint8_t)('a' + i)}, column[8] = {(uint8_t)i, 1, 2}, text[40] = {(uint8_t)i};
        struct row row = {.id = {id, 2}, .facts = {column, 8}, .cells = {{column, 8}, {text, 10 + i}}};
        REQUIRE(batch_put(b, &row, NULL, NULL) == STEMMA_OK);
    }
    REQUIRE(batch_commit(b, NULL) == STEMMA_OK);
    batch_free(b);
}

static void make_collection(void) {
    struct schema schema;
    struct collection *c;
    REQUIRE(schema_init(&schema, "a recipe", NULL) == STEMMA_OK);
    REQUIRE(schema_add(&schema, (struct part){KIND_OTHERS, 0, FORM_COLUMN, 8}, NULL) == STEMMA_OK);
    REQUIRE(schema_add(&schema, (struct part){KIND_OTHERS, 1, FORM_TEXT, 16}, NULL) == STEMMA_OK);
    REQUIRE(schema_add(&schema, (struct part){KIND_OTHERS + 1, 0, FORM_LOOKUP, 0}, NULL) == STEMMA_OK);
    struct collection_options making = {.kinds = kinds, .schema = &schema};
    REQUIRE(collection_open(folder, &making, &c, NULL) == STEMMA_OK);
    put(c, 0, 20);
    put(c, 18, 22); /* two are gone */
    collection_close(c);
    schema_release(&schema);
}

static void forget(void *context, const char *text) {
    (void)context;
    (void)text;
}

static void ask(void) {
    struct collection *c;
    if (collection_open_read(folder, &options, &c, NULL) != STEMMA_OK) return;
    const struct schema *schema = collection_schema(c);
    struct vec64 numbers = {0};
    struct row row;
    uint64_t number = 0;
    bool found;
    (void)collection_find(c, "db", 2, &number, &found, NULL);
    for (unsigned steps = 0; steps < 64; steps++, number++) {
        if (collection_next(c, number, &number, &found, NULL) != STEMMA_OK || !found) break;
        (void)collection_row(c, number, &row, &found, NULL);
    }
    for (size_t p = 0; p < schema->count; p++)
        if (schema->parts[p].form == FORM_LOOKUP)
            (void)collection_lookup(c, p, 0x020105, 100, &numbers, NULL);
    vec64_release(&numbers);
    collection_close(c);
}

/* Both checksums of a manifest that is otherwise any bytes. */
static void seal(struct buf *file) {
    size_t half = file->len / 2 / 8 * 8;
    if (half < 16) return;
    file->len = 2 * half;
    memcpy(file->data + half, file->data, half);
    store_u64(file->data + half - 8, words_checksum(file->data, half - 8, 0));
    store_u64(file->data + file->len - 8, words_checksum(file->data + half, half - 8, half));
}

static void read_file(const char *path, struct buf *file) {
    int fd = open(path, O_RDONLY);
    REQUIRE(fd >= 0 && buf_reserve(file, 1 << 16));
    ssize_t size = read(fd, file->data, 1 << 16);
    REQUIRE(size >= 0);
    file->len = (size_t)size;
    close(fd);
}

static void change(const uint8_t *data, size_t size) {
    static const char *const names[] = {"manifest", "00000001.segment", "00000002.segment", "00000003.gone"};
    char path[128];
    struct buf file = {0};
    snprintf(path, sizeof path, "%s/%s", folder, names[data[0] % 4]);
    if (access(path, F_OK)) return;
    read_file(path, &file);
    size_t at = file.len ? (size_t)((data[1] | data[2] << 8) % file.len) : 0, more = size - 4;
    if (data[3] & 1) file.len = at; /* the rest is gone */
    if (at + more > file.len) REQUIRE(buf_reserve(&file, at + more - file.len + 8));
    if (more) memcpy(file.data + at, data + 4, more);
    if (at + more > file.len) file.len = at + more;
    if (data[3] & 2 && data[0] % 4 == 0) seal(&file);
    int fd = open(path, O_WRONLY | O_TRUNC);
    REQUIRE(fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len);
    close(fd);
    buf_release(&file);
}

static stemma_status take_row(void *context, const struct row *row, stemma_error *err) {
    (void)err;
    size_t *bytes = context;
    *bytes += row->id.size + row->facts.size;
    return STEMMA_OK;
}

static void read_export(const uint8_t *data, size_t size) {
    char path[128];
    struct origin *origin;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/export", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    if (origin_open(path, &options, &origin, NULL) == STEMMA_OK) {
        (void)origin_read(origin, take_row, &bytes, NULL);
        REQUIRE(bytes <= size);
        origin_close(origin);
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct verify_facts facts;
    stemma_error error;
    if (size < 4) return 0;
    snprintf(folder, sizeof folder, "/dev/shm/stemma-fuzz-%ld", (long)getpid());
    if (access("/dev/shm", W_OK)) snprintf(folder, sizeof folder, "/tmp/stemma-fuzz-%ld", (long)getpid());
    remove_folder();
    make_collection();
    if (data[0] == 0x8b) {
        read_export(data, size);
    } else {
        change(data, size);
        ask();
        (void)collection_verify(folder, &options, false, NULL, forget, NULL, &facts, &error);
        if (collection_verify(folder, &options, true, NULL, forget, NULL, &facts, &error) == STEMMA_OK &&
            facts.repaired) {
            REQUIRE(collection_verify(folder, &options, false, NULL, forget, NULL, &facts, &error) ==
                    STEMMA_OK);
            REQUIRE(facts.damages == 0);
        }
        ask();
    }
    remove_folder();
    return 0;
}

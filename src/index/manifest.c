#include "index/manifest.h"

#include "base/alloc.h"
#include "base/collection_folder.h"
#include "base/file.h"
#include "runs/block.h"
#include "runs/column.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIXED = 64, /* magic, format, oldest, id, commit, next number, next serial, documents, recipe, parts */
    FILE_ENTRY = 24,
    COPY_LEAST = FIXED + FILE_ENTRY + 8 + 8
};

stemma_status manifest_new(struct manifest *m, const struct schema *schema, stemma_error *err) {
    struct schema *copy = mem_zero(1, sizeof *copy);
    if (!copy || schema_copy(copy, schema, err) != STEMMA_OK) {
        mem_free(copy);
        return fail_memory(err);
    }
    *m = (struct manifest){.format = MANIFEST_FORMAT, .next_serial = 1, .schema = copy};
    return STEMMA_OK;
}

stemma_status manifest_copy(struct manifest *to, const struct manifest *from, stemma_error *err) {
    struct manifest copy;
    TRY(manifest_new(&copy, from->schema, err));
    struct schema *schema = copy.schema;
    copy = *from;
    copy.schema = schema;
    copy.files = NULL;
    copy.cap = 0;
    if (!mem_grow((void **)&copy.files, &copy.cap, from->count + 1, sizeof *copy.files)) {
        manifest_release(&copy);
        return fail_memory(err);
    }
    if (from->count) memcpy(copy.files, from->files, from->count * sizeof *copy.files);
    *to = copy;
    return STEMMA_OK;
}

void manifest_release(struct manifest *m) {
    if (m->schema) schema_release(m->schema);
    mem_free(m->schema);
    mem_free(m->files);
    *m = (struct manifest){0};
}

bool manifest_add_file(struct manifest *m, size_t at, struct file_name file) {
    if (!mem_grow((void **)&m->files, &m->cap, m->count + 1, sizeof *m->files)) return false;
    memmove(m->files + at + 1, m->files + at, (m->count - at) * sizeof *m->files);
    m->files[at] = file;
    m->count++;
    return true;
}

/* ---- as bytes ---- */

static bool add_file(struct buf *out, const struct file_name *file) {
    return buf_add_u64(out, file->serial) && buf_add_u64(out, file->size) && buf_add_u64(out, file->checksum);
}

static bool add_copy(struct buf *out, const struct manifest *m, size_t start) {
    const uint64_t facts[] = {m->id, m->commit, m->next_number, m->next_serial, m->documents};
    bool kept = buf_add(out, MANIFEST_MAGIC, 8) && buf_add_u32(out, MANIFEST_FORMAT) &&
                buf_add_u32(out, MANIFEST_OLDEST);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) kept = kept && buf_add_u64(out, facts[i]);
    kept = kept && buf_add_u32(out, (uint32_t)strlen(m->schema->recipe)) &&
           buf_add_u32(out, (uint32_t)m->schema->count) && schema_write(m->schema, out) &&
           add_file(out, &m->gone) && buf_add_u64(out, m->count);
    for (size_t i = 0; i < m->count; i++) kept = kept && add_file(out, &m->files[i]);
    kept = kept && buf_add_u64(out, (uint64_t)m->committed);
    return kept && buf_add_u64(out, words_checksum(out->data + start, out->len - start, start));
}

/* What is left of a copy that is being read. */
struct reading {
    const uint8_t *at;
    size_t left;
};

static const uint8_t *take(struct reading *r, size_t size) {
    const uint8_t *at = r->at;
    if (size > r->left) return NULL;
    r->at += size;
    r->left -= size;
    return at;
}

static struct file_name file_at(const uint8_t *at) {
    return (struct file_name){load_u64(at), load_u64(at + 8), load_u64(at + 16)};
}

static stemma_status take_schema(struct manifest *m, struct reading *r, size_t recipe, size_t parts,
                                 bool *fits, stemma_error *err) {
    const bool can = recipe <= SCHEMA_RECIPE_MOST && parts <= PARTS_MOST;
    const uint8_t *bytes = can ? take(r, schema_bytes(recipe, parts)) : NULL;
    *fits = bytes != NULL;
    if (!*fits) return STEMMA_OK;
    m->schema = mem_zero(1, sizeof *m->schema);
    if (!m->schema) return fail_memory(err);
    stemma_status status = schema_read(m->schema, bytes, recipe, parts, err);
    *fits = status != STEMMA_CORRUPT;
    return *fits ? status : STEMMA_OK;
}

static stemma_status take_files(struct manifest *m, struct reading *r, bool *fits, stemma_error *err) {
    const uint8_t *at = take(r, FILE_ENTRY + 8);
    *fits = at && load_u64(at + FILE_ENTRY) <= r->left / FILE_ENTRY;
    if (!*fits) return STEMMA_OK;
    size_t count = (size_t)load_u64(at + FILE_ENTRY);
    m->gone = file_at(at);
    if (!mem_grow((void **)&m->files, &m->cap, count + 1, sizeof *m->files)) return fail_memory(err);
    for (; m->count < count; m->count++) m->files[m->count] = file_at(take(r, FILE_ENTRY));
    return STEMMA_OK;
}

static void take_time(struct manifest *m, struct reading *r, bool *fits) {
    const uint8_t *at = m->format > 1 ? take(r, 8) : NULL;
    if (at) m->committed = (int64_t)load_u64(at);
    *fits = r->left == 0 && (at || m->format == 1);
}

static stemma_status later_version(const char *path, unsigned format, stemma_error *err) {
    return fail(err, STEMMA_LATER_VERSION,
                "'%s' was made by a later version (format %u; this program reads up to %d)", path, format,
                MANIFEST_FORMAT);
}

stemma_status manifest_check_writable(const struct manifest *m, const char *path, stemma_error *err) {
    if (m->format <= MANIFEST_FORMAT) return STEMMA_OK;
    return fail(err, STEMMA_LATER_VERSION,
                "'%s' was made by a later version (format %u; this program writes format %d): it can only be "
                "read here",
                path, m->format, MANIFEST_FORMAT);
}

/* A copy whose checksum is right. */
static stemma_status decode_copy(struct manifest *m, const uint8_t *bytes, size_t size, const char *path,
                                 bool *fits, stemma_error *err) {
    uint64_t *const facts[] = {&m->id, &m->commit, &m->next_number, &m->next_serial, &m->documents};
    struct reading rest = {bytes + FIXED, size - FIXED - 8};
    m->format = load_u32(bytes + 8);
    if (load_u32(bytes + 12) > MANIFEST_FORMAT) return later_version(path, m->format, err);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) *facts[i] = load_u64(bytes + 16 + 8 * i);
    *fits = m->next_number <= NUMBERS_MOST;
    if (!*fits) return STEMMA_OK;
    TRY(take_schema(m, &rest, load_u32(bytes + 56), load_u32(bytes + 60), fits, err));
    if (*fits) TRY(take_files(m, &rest, fits, err));
    if (*fits) take_time(m, &rest, fits);
    return STEMMA_OK;
}

static bool copy_is_whole(const uint8_t *bytes, size_t start, size_t size) {
    const uint8_t *copy = bytes + start;
    return size >= COPY_LEAST && size % 8 == 0 && !memcmp(copy, MANIFEST_MAGIC, 8) &&
           load_u64(copy + size - 8) == words_checksum(copy, size - 8, start);
}

/* Bytes of the first copy by what it says itself; 0 when there are fewer. */
static size_t first_size(const uint8_t *bytes, size_t size) {
    if (size < COPY_LEAST) return 0;
    size_t recipe = load_u32(bytes + 56), parts = load_u32(bytes + 60);
    if (recipe > SCHEMA_RECIPE_MOST || parts > PARTS_MOST) return 0;
    size_t files = FIXED + schema_bytes(recipe, parts) + FILE_ENTRY + 8;
    size_t rest = load_u32(bytes + 8) > 1 ? 16 : 8; /* time and checksum */
    if (size < files + rest || load_u64(bytes + files - 8) > (size - files - rest) / FILE_ENTRY) return 0;
    return files + (size_t)load_u64(bytes + files - 8) * FILE_ENTRY + rest;
}

static stemma_status manifest_decode(struct manifest *m, const uint8_t *bytes, size_t size, const char *path,
                                     stemma_error *err) {
    struct manifest read = {0};
    size_t half = size / 2;
    bool halves = size % 16 == 0, fits;
    bool first = halves && copy_is_whole(bytes, 0, half), second = halves && copy_is_whole(bytes, half, half);
    bool both = first && second && !memcmp(bytes, bytes + half, half - 8);
    if (!first && !second) { /* the end is cut off, or there is more behind it */
        half = first_size(bytes, size);
        first = copy_is_whole(bytes, 0, half);
    }
    /* What a later format has behind its first words is its own. A flipped bit does not make it one. */
    if (!first && !second && size >= 16 && !memcmp(bytes, MANIFEST_MAGIC, 8) &&
        load_u32(bytes + 12) > MANIFEST_FORMAT && load_u32(bytes + 8) >= load_u32(bytes + 12))
        return later_version(path, load_u32(bytes + 8), err);
    if (!first && !second)
        return fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: neither copy is whole", path);
    stemma_status status = decode_copy(&read, bytes + (first ? 0 : half), half, path, &fits, err);
    if (status == STEMMA_OK && !fits)
        status = fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: what it says cannot be", path);
    read.one_copy = !both;
    if (status == STEMMA_OK)
        *m = read;
    else
        manifest_release(&read);
    return status;
}

/* ---- on disk ---- */

static stemma_status read_bytes(int fd, const char *path, struct buf *bytes, stemma_error *err) {
    struct stat facts;
    if (fstat(fd, &facts)) return fail_errno(err, "read the manifest of", path, errno);
    if (!S_ISREG(facts.st_mode) || facts.st_size > MANIFEST_BYTES_MOST)
        return fail(err, STEMMA_CORRUPT, "'%s/manifest' is damaged: not a manifest", path);
    size_t size = (size_t)facts.st_size;
    if (!buf_reserve(bytes, size + 1)) return fail_memory(err);
    int cause = read_at(fd, bytes->data, size, 0);
    bytes->len = size;
    return cause ? fail_errno(err, "read the manifest of", path, cause) : STEMMA_OK;
}

stemma_status manifest_read(struct manifest *m, int folder, const char *path, stemma_error *err) {
    struct buf bytes = {0};
    int fd = openat(folder, "manifest", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return fail_errno(err, "open the manifest of", path, errno);
    stemma_status status = read_bytes(fd, path, &bytes, err);
    close(fd);
    if (status == STEMMA_OK) status = manifest_decode(m, bytes.data, bytes.len, path, err);
    buf_release(&bytes);
    return status;
}

bool manifest_unchanged(const struct manifest *m, int folder) {
    uint8_t bytes[FIXED];
    int fd = openat(folder, "manifest", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    bool same = read_at(fd, bytes, sizeof bytes, 0) == 0 && !memcmp(bytes, MANIFEST_MAGIC, 8) &&
                load_u64(bytes + 16) == m->id && load_u64(bytes + 24) == m->commit;
    close(fd);
    return same;
}

static int write_new(const struct disk *disk, int folder, const struct buf *bytes) {
    int fd, cause = disk->create(disk, folder, "manifest.new", &fd);
    if (cause) return cause;
    cause = disk->write(disk, fd, bytes->data, bytes->len, 0);
    if (cause == 0) cause = disk->sync(disk, fd);
    close(fd);
    return cause;
}

stemma_status manifest_replace(const struct manifest *m, const struct disk *disk, int folder,
                               const char *path, bool *named, stemma_error *err) {
    struct buf bytes = {0};
    if (named) *named = false;
    bool kept = add_copy(&bytes, m, 0) && add_copy(&bytes, m, bytes.len);
    int cause = kept ? disk->sync_folder(disk, folder) : ENOMEM;
    if (cause == 0) cause = write_new(disk, folder, &bytes);
    buf_release(&bytes);
    if (cause == 0) cause = disk->rename(disk, folder, "manifest.new", "manifest");
    if (cause) return fail_errno(err, "write the manifest of", path, cause);
    if (named) *named = true;
    cause = disk->sync_folder(disk, folder);
    return cause ? fail_errno(err, "make sure of the last commit of", path, cause) : STEMMA_OK;
}

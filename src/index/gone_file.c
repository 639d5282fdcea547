/* Numbers that are gone, as a file: the same run twice, since nothing else knows of them. */
#include "index/state.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void gone_name(uint64_t serial, char name[32]) {
    snprintf(name, 32, "%08llu.gone", (unsigned long long)serial);
}

char *gone_path(const char *folder, uint64_t serial) {
    char name[32];
    gone_name(serial, name);
    return path_in(folder, name);
}

/* ---- writing ---- */

static stemma_status write_copies(struct collection *c, const struct gone *gone, uint64_t serial, int fd,
                                  const char *path, struct file_name *name, stemma_error *err) {
    struct sink sink;
    uint8_t sum[8];
    TRY(sink_init(&sink, c->disk, fd, path, err));
    stemma_status status = STEMMA_OK;
    for (int copy = 0; copy < 2 && status == STEMMA_OK; copy++) {
        const struct run_place place = {.fd = fd,
                                        .offset = sink.at,
                                        .name = path,
                                        .seed = mix64(serial) + sink.at,
                                        .sink = &sink,
                                        .directory = c->path};
        uint64_t size;
        status = gone_write(gone, &place, &size, err);
    }
    if (status == STEMMA_OK) status = sink_sync(&sink, err);
    *name = (struct file_name){.serial = serial, .size = sink.at};
    sink_release(&sink);
    if (status != STEMMA_OK) return status;
    int cause = read_at(fd, sum, 8, name->size - 16);
    if (cause) return fail_errno(err, "read", path, cause);
    name->checksum = load_u64(sum);
    return STEMMA_OK;
}

stemma_status write_gone(struct collection *c, const struct gone *gone, uint64_t serial,
                         struct file_name *name, stemma_error *err) {
    char plain[32], *path;
    int fd;
    *name = (struct file_name){0};
    if (gone->total == 0) return STEMMA_OK;
    gone_name(serial, plain);
    if (!(path = gone_path(c->path, serial))) return fail_memory(err);
    int cause = c->disk->create(c->disk, c->folder, plain, &fd);
    stemma_status status = cause ? fail_errno(err, "create", path, cause) : STEMMA_OK;
    if (status == STEMMA_OK) {
        status = write_copies(c, gone, serial, fd, path, name, err);
        close(fd);
        if (status != STEMMA_OK) c->disk->unlink(c->disk, c->folder, plain);
    }
    mem_free(path);
    return status;
}

/* ---- reading ---- */

struct gone_file {
    const struct file_name *name;
    int fd;
    char *path;
    uint64_t size;
    bool named; /* the copies end as the manifest says */
};

static stemma_status not_the_file(const struct gone_file *file, stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: not the file that the manifest names", file->path);
}

static stemma_status open_file(const struct collection *c, struct gone_file *file, stemma_error *err) {
    char name[32];
    uint8_t sum[8];
    struct stat facts;
    gone_name(file->name->serial, name);
    if (!(file->path = gone_path(c->path, file->name->serial))) return fail_memory(err);
    file->fd = openat(c->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->fd < 0 || fstat(file->fd, &facts)) return fail_errno(err, "open", file->path, errno);
    if (file->name->size < 16) return not_the_file(file, err);
    file->size = (uint64_t)facts.st_size;
    file->named =
        read_at(file->fd, sum, 8, file->name->size - 16) == 0 && load_u64(sum) == file->name->checksum;
    return STEMMA_OK;
}

static void close_file(struct gone_file *file) {
    if (file->fd >= 0) close(file->fd);
    mem_free(file->path);
}

static stemma_status read_copy(const struct gone_file *file, uint64_t at, uint64_t size, uint64_t limit,
                               struct gone *gone, stemma_error *err) {
    const struct run_place place = {
        .fd = file->fd, .offset = at, .name = file->path, .seed = mix64(file->name->serial) + at};
    stemma_status status = gone_read(gone, &place, size, limit, err);
    return status == STEMMA_IO ? STEMMA_CORRUPT : status; /* a bad sector */
}

/* Either copy; before format 4 there is one alone. Of the second the manifest knows how it ends: if it is
 * sound and ends otherwise, both are another file's. */
static stemma_status read_any(const struct gone_file *file, uint64_t limit, struct gone *gone,
                              stemma_error *err) {
    const uint64_t half = file->name->size / 2;
    stemma_status status = read_copy(file, half, half, limit, gone, err);
    if (status == STEMMA_OK && !file->named) {
        gone_release(gone);
        return not_the_file(file, err);
    }
    if (status == STEMMA_CORRUPT) status = read_copy(file, 0, half, limit, gone, err);
    if (status != STEMMA_CORRUPT) return status;
    return file->named ? read_copy(file, 0, file->name->size, limit, gone, err) : not_the_file(file, err);
}

stemma_status gone_load(const struct collection *c, const struct file_name *name, uint64_t limit,
                        struct gone *gone, stemma_error *err) {
    struct gone_file file = {.name = name, .fd = -1};
    stemma_status status = open_file(c, &file, err);
    if (status == STEMMA_OK) status = read_any(&file, limit, gone, err);
    close_file(&file);
    return status;
}

static stemma_status check_all(const struct gone_file *file, uint64_t limit, const char *directory,
                               stemma_error *err) {
    const uint64_t half = file->name->size / 2;
    stemma_error cause;
    unsigned sound = 0;
    for (unsigned copy = 0; copy < 2; copy++) {
        struct gone gone = {.directory = directory};
        stemma_status status = read_copy(file, copy * half, half, limit, &gone, &cause);
        gone_release(&gone);
        if (status != STEMMA_OK && status != STEMMA_CORRUPT) return fail(err, status, "%s", cause.message);
        sound += status == STEMMA_OK;
    }
    if (sound == 0 || (sound == 2 && file->size == file->name->size)) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' is damaged: one of its two copies", file->path);
}

stemma_status gone_check_copies(const struct collection *c, const struct file_name *name, uint64_t limit,
                                stemma_error *err) {
    struct gone_file file = {.name = name, .fd = -1};
    stemma_status status = open_file(c, &file, err);
    if (status == STEMMA_OK) status = check_all(&file, limit, c->directory, err);
    close_file(&file);
    return status;
}

#include "act/log.h"

#include "act/place.h"
#include "base/alloc.h"
#include "base/file.h"
#include "text/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

void intent_release(struct intent *intent) {
    mem_free(intent->path);
    mem_free(intent->kept);
    mem_free(intent->target);
    buf_release(&intent->attributes);
    *intent = (struct intent){0};
}

void draft_name(const char *id, uint64_t number, char out[DRAFT_SIZE]) {
    snprintf(out, DRAFT_SIZE, ".stemma-%s-%" PRIu64, id, number);
}

/* ---- JSON ---- */

static bool put_character(struct buf *out, const uint8_t *at, size_t size, uint32_t cp) {
    if (cp == UTF8_INVALID) return buf_add_string(out, "\xEF\xBF\xBD");
    if (cp < 0x20 || cp == 0x7F) return buf_add_format(out, "\\u%04x", cp);
    if (cp == '"' || cp == '\\') return buf_add_byte(out, '\\') && buf_add_byte(out, (uint8_t)cp);
    return buf_add(out, at, size);
}

/* *valid: no byte had to be replaced. */
static bool put_escaped(struct buf *out, const char *text, bool *valid) {
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    *valid = true;
    while (at < end) {
        uint32_t cp = UTF8_INVALID;
        size_t size = utf8_decode(at, (size_t)(end - at), &cp);
        if (size == 0) size = (size_t)(end - at), cp = UTF8_INVALID; /* cut off */
        if (cp == UTF8_INVALID) *valid = false;
        if (!put_character(out, at, size, cp)) return false;
        at += size;
    }
    return true;
}

static bool put_base64(struct buf *out, const char *key, const void *bytes, size_t size) {
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    if (!buf_add_format(out, ",\"%s\":\"", key) || !buf_reserve(out, room)) return false;
    sodium_bin2base64((char *)out->data + out->len, room, bytes, size, sodium_base64_VARIANT_ORIGINAL);
    out->len += room - 1;
    return buf_add_byte(out, '"');
}

static bool put_text(struct buf *out, const char *key, const char *text, bool *valid) {
    return buf_add_format(out, ",\"%s\":\"", key) && put_escaped(out, text, valid) && buf_add_byte(out, '"');
}

static bool put_name(struct buf *out, const char *key, const char *name) {
    char bytes_key[32];
    bool valid;
    snprintf(bytes_key, sizeof bytes_key, "%s_bytes", key);
    return put_text(out, key, name, &valid) && (valid || put_base64(out, bytes_key, name, strlen(name)));
}

/* A line is whole or not there. */
static stemma_status end_line(struct act_log *log, size_t begin, bool whole, stemma_error *err) {
    if (whole && buf_add_string(&log->lines, "}\n")) return STEMMA_OK;
    log->lines.len = begin;
    return fail_memory(err);
}

static bool put_facts(struct buf *out, const struct intent *i) {
    const struct stat *f = &i->file;
    return buf_add_format(out,
                          ",\"bytes\":%" PRIu64 ",\"mode\":%u,\"uid\":%u,\"gid\":%u,\"device\":%" PRIu64
                          ",\"inode\":%" PRIu64 ",\"modified\":%" PRId64 ",\"accessed\":%" PRId64
                          ",\"kept_inode\":%" PRIu64 ",\"kept_modified\":%" PRId64,
                          (uint64_t)f->st_size, (unsigned)f->st_mode, (unsigned)f->st_uid,
                          (unsigned)f->st_gid, (uint64_t)f->st_dev, (uint64_t)f->st_ino,
                          nanoseconds(f->st_mtim), nanoseconds(f->st_atim), i->kept_inode, i->kept_modified);
}

stemma_status log_intend(struct act_log *log, const struct intent *i, stemma_error *err) {
    struct buf *out = &log->lines;
    size_t begin = out->len;
    bool whole = buf_add_format(out, "{\"step\":%" PRIu64 ",\"action\":\"%s\",\"relation\":\"%s\"", i->number,
                                stemma_action_name(i->action), stemma_relation_name(i->relation)) &&
                 put_name(out, "path", i->path) && put_name(out, "kept", i->kept) &&
                 (!i->target || put_name(out, "to", i->target)) && put_facts(out, i) &&
                 (!i->attributes.len || put_base64(out, "attributes", i->attributes.data, i->attributes.len));
    return end_line(log, begin, whole, err);
}

stemma_status log_folder(struct act_log *log, const char *path, bool made, stemma_error *err) {
    size_t begin = log->lines.len;
    bool whole = buf_add_format(&log->lines, "{\"made\":%s", made ? "true" : "false") &&
                 put_name(&log->lines, "folder", path);
    return end_line(log, begin, whole, err);
}

stemma_status log_note(struct act_log *log, const char *what, uint64_t number, const char *cause,
                       stemma_error *err) {
    size_t begin = log->lines.len;
    bool valid, whole = buf_add_format(&log->lines, "{\"%s\":%" PRIu64, what, number) &&
                        (!cause || put_text(&log->lines, "cause", cause, &valid));
    return end_line(log, begin, whole, err);
}

/* ---- the file ---- */

static stemma_status write_head(struct act_log *log, stemma_error *err) {
    uint8_t random[LOG_ID_SIZE / 2];
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(log->id, sizeof log->id, random, sizeof random);
    bool whole =
        buf_add_format(&log->lines, "{\"stemma_log\":%d,\"id\":\"%s\",\"version\":\"%s\",\"started\":%lld",
                       LOG_VERSION, log->id, STEMMA_VERSION_STRING, (long long)time(NULL));
    TRY(end_line(log, 0, whole, err));
    return log_sync(log, err);
}

static stemma_status lock(const struct act_log *log, stemma_error *err) {
    if (flock(log->fd, LOCK_EX | LOCK_NB) == 0) return STEMMA_OK;
    if (errno == EWOULDBLOCK) return fail(err, STEMMA_INVALID, "the log '%s' is in use", log->path);
    return fail_errno(err, "lock", log->path, errno);
}

/* The name is to be found after a crash, too. */
static stemma_status sync_folder(const struct act_log *log, stemma_error *err) {
    struct place place;
    TRY(place_open(&place, log->path, err));
    stemma_status status = place_sync(&place, err);
    place_close(&place);
    return status;
}

static stemma_status log_open(struct act_log *log, const char *path, int flags, stemma_error *err) {
    *log = (struct act_log){.fd = -1, .path = mem_copy_string(path)};
    if (!log->path) return fail_memory(err);
    log->fd = open(path, flags | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600); /* names may be secrets */
    if (log->fd < 0 && errno == EEXIST) return fail(err, STEMMA_INVALID, "the log '%s' exists", path);
    if (log->fd < 0) return fail_errno(err, flags & O_CREAT ? "write" : "open", path, errno);
    return lock(log, err);
}

stemma_status log_create(struct act_log *log, const char *path, stemma_error *err) {
    stemma_status status = log_open(log, path, O_WRONLY | O_CREAT | O_EXCL, err);
    bool made = log->fd >= 0;
    if (status == STEMMA_OK) status = write_head(log, err);
    if (status == STEMMA_OK) status = sync_folder(log, err);
    if (status == STEMMA_OK) return STEMMA_OK;
    if (made) unlink(path);
    log_close(log);
    return status;
}

/* A line that a crash cut off speaks of a step that was not taken. It goes when the first line is written, by
 * which time the file is known to be a log: until then not one byte of it is changed. */
static void pass_over_torn_line(struct act_log *log, struct buf *text) {
    const uint8_t *end = text->len ? memrchr(text->data, '\n', text->len) : NULL;
    log->whole = end ? (size_t)(end + 1 - text->data) : 0;
    log->torn = log->whole < text->len;
    text->len = log->whole;
}

static stemma_status read_lines(struct act_log *log, struct buf *text, stemma_error *err) {
    struct stat info;
    struct input input = {.fd = log->fd, .name = log->path};
    if (fstat(log->fd, &info) != 0 || !S_ISREG(info.st_mode))
        return fail(err, STEMMA_UNREADABLE, "cannot read '%s': is not a regular file", log->path);
    TRY(input_read_all(&input, SIZE_MAX, text, err));
    pass_over_torn_line(log, text);
    return STEMMA_OK;
}

stemma_status log_reopen(struct act_log *log, const char *path, bool dry, struct buf *text,
                         stemma_error *err) {
    stemma_status status = log_open(log, path, (dry ? O_RDONLY : O_RDWR) | O_NONBLOCK, err);
    if (status == STEMMA_OK) status = read_lines(log, text, err);
    if (status != STEMMA_OK) log_close(log);
    return status;
}

void log_close(struct act_log *log) {
    if (log->fd >= 0) close(log->fd);
    mem_free(log->path);
    buf_release(&log->lines);
    *log = (struct act_log){.fd = -1};
}

stemma_status log_write(struct act_log *log, stemma_error *err) {
    /* Half a line is harmless at the end, but not before others. */
    if (log->torn && ftruncate(log->fd, (off_t)log->whole) != 0)
        return fail_errno(err, "write", log->path, errno);
    int cause = write_all(log->fd, log->lines.data, log->lines.len);
    log->torn = cause != 0;
    log->whole += cause ? 0 : log->lines.len;
    log->lines.len = 0;
    return cause ? fail_errno(err, "write", log->path, cause) : STEMMA_OK;
}

stemma_status log_sync(struct act_log *log, stemma_error *err) {
    TRY(log_write(log, err));
    return fsync(log->fd) ? fail_errno(err, "write", log->path, errno) : STEMMA_OK;
}

#include "read/entries.h"

#include "base/alloc.h"
#include "read/archive_failure.h"

#include <archive_entry.h>
#include <errno.h>
#include <locale.h>

enum { PIECE = 1 << 16 };

struct entries {
    struct archive *archive;
    struct stream stream;
    locale_t utf8; /* libarchive converts names to the locale's encoding, and gives up where it has no such
                      letters */
    uint64_t count;
    bool broken; /* in the middle of a member, which was told */
    bool ended;  /* there was nothing left to read */
    char unnamed[32];
    uint8_t piece[PIECE];
};

/* ---- what libarchive asks for ---- */

static la_ssize_t read_piece(struct archive *archive, void *context, const void **bytes) {
    struct entries *entries = context;
    size_t got;
    if (stream_read(&entries->stream, entries->piece, PIECE, &got, NULL) != STEMMA_OK) {
        archive_set_error(archive, EIO, "cannot be read");
        return -1;
    }
    *bytes = entries->piece;
    entries->ended = got == 0;
    return (la_ssize_t)got;
}

static la_int64_t seek_to(struct archive *archive, void *context, la_int64_t offset, int whence) {
    struct stream *stream = &((struct entries *)context)->stream;
    (void)archive;
    int64_t from = whence == SEEK_SET ? 0 : (int64_t)(whence == SEEK_CUR ? stream->at : stream->size);
    int64_t to;
    if (__builtin_add_overflow(from, offset, &to) || to < 0) return ARCHIVE_FATAL;
    if ((uint64_t)to > stream->size) to = (int64_t)stream->size;
    stream->at = (uint64_t)to;
    return to;
}

static la_int64_t skip_ahead(struct archive *archive, void *context, la_int64_t request) {
    struct stream *stream = &((struct entries *)context)->stream;
    (void)archive;
    if (!stream_seekable(stream) || request <= 0 || (uint64_t)request > stream->size - stream->at) return 0;
    stream->at += (uint64_t)request;
    return request;
}

/* ---- opening ---- */

static stemma_status failed(const struct entries *entries, const char *id, stemma_error *err) {
    const stemma_error *failure = &entries->stream.failure;
    if (failure->status != STEMMA_OK) return fail(err, failure->status, "%s", failure->message);
    if (archive_errno(entries->archive) == ENOMEM) return fail_memory(err);
    char said[ARCHIVE_SAID];
    return fail(err, STEMMA_CORRUPT, "cannot unpack '%s': %s", id, archive_said(entries->archive, said));
}

static bool set_up(struct entries *entries) {
    struct archive *archive = entries->archive;
    bool done = archive_read_support_format_tar(archive) == ARCHIVE_OK &&
                archive_read_support_format_zip_streamable(archive) == ARCHIVE_OK;
    if (done && stream_seekable(&entries->stream))
        done = archive_read_support_format_zip_seekable(archive) == ARCHIVE_OK &&
               archive_read_support_format_7zip(archive) == ARCHIVE_OK &&
               archive_read_set_seek_callback(archive, seek_to) == ARCHIVE_OK;
    return done && archive_read_set_read_callback(archive, read_piece) == ARCHIVE_OK &&
           archive_read_set_skip_callback(archive, skip_ahead) == ARCHIVE_OK &&
           archive_read_set_callback_data(archive, entries) == ARCHIVE_OK;
}

static stemma_status begin(struct entries *entries, stemma_error *err) {
    entries->archive = archive_read_new();
    if (!entries->archive || !set_up(entries)) return fail_memory(err);
    if (archive_read_open1(entries->archive) != ARCHIVE_OK) return failed(entries, entries->stream.name, err);
    return STEMMA_OK;
}

stemma_status entries_new(const struct stream *stream, struct entries **out, stemma_error *err) {
    struct entries *entries = mem_alloc(sizeof *entries);
    if (!entries) return fail_memory(err);
    memset(entries, 0, offsetof(struct entries, piece));
    entries->stream = *stream;
    entries->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    stemma_status status = begin(entries, err);
    if (status == STEMMA_OK)
        *out = entries;
    else
        entries_free(entries);
    return status;
}

void entries_free(struct entries *entries) {
    if (!entries) return;
    archive_read_free(entries->archive);
    if (entries->utf8) freelocale(entries->utf8);
    mem_free(entries);
}

/* ---- members ---- */

static const char *name_of(struct entries *entries, struct archive_entry *found) {
    const char *name = archive_entry_pathname(found);
    if (!name) name = archive_entry_pathname_utf8(found);
    if (name && *name) return name;
    snprintf(entries->unnamed, sizeof entries->unnamed, "%llu", (unsigned long long)entries->count);
    return entries->unnamed;
}

static int next_header(struct entries *entries, struct archive_entry **found, struct entry *entry) {
    locale_t before = entries->utf8 ? uselocale(entries->utf8) : (locale_t)0;
    int result = archive_read_next_header(entries->archive, found);
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) {
        entries->count++;
        entry->name = name_of(entries, *found);
        entry->file = archive_entry_filetype(*found) == AE_IFREG && !archive_entry_hardlink(*found);
        entry->encrypted =
            archive_entry_is_data_encrypted(*found) || archive_entry_is_metadata_encrypted(*found);
    }
    if (before) uselocale(before);
    return result;
}

/* A read that fails between two members looks like the end to libarchive. */
stemma_status entries_next(struct entries *entries, struct entry *entry, bool *more, stemma_error *err) {
    struct archive_entry *found;
    *more = false;
    if (entries->broken) return STEMMA_OK;
    int result = next_header(entries, &found, entry);
    *more = result == ARCHIVE_OK || result == ARCHIVE_WARN;
    bool ended = result == ARCHIVE_EOF && entries->stream.failure.status == STEMMA_OK;
    return *more || ended ? STEMMA_OK : failed(entries, entries->stream.name, err);
}

stemma_status entries_read(struct entries *entries, const char *id, uint8_t *bytes, size_t size, size_t *got,
                           stemma_error *err) {
    la_ssize_t count = archive_read_data(entries->archive, bytes, size);
    *got = count > 0 ? (size_t)count : 0;
    entries->broken = count == ARCHIVE_FATAL;
    if (count < 0 && entries->ended)
        return fail(err, STEMMA_CORRUPT, "cannot unpack '%s': truncated archive", id);
    return count < 0 ? failed(entries, id, err) : STEMMA_OK;
}

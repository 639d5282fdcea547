/* Data sets in order: where their bytes come from, and batches that end where a record does. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/long_path.h"
#include "base/temporary.h"
#include "kernels/kernels.h"
#include "read/dataset_state.h"
#include "read/find_byte.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BATCH_SIZE = 1 << 20, /* larger ones leave the second cache, smaller ones cost more hand-overs */
    RECORD_MOST = 1 << 30
};

/* ---- bytes ---- */

static stemma_status read_plain(struct dataset *dataset, uint8_t *bytes, size_t size, size_t *got,
                                stemma_error *err) {
    uint64_t left = dataset->size - dataset->read_at; /* what is added meanwhile was not there when we came */
    if (size > left) size = (size_t)left;
    ssize_t count;
    do count = pread(dataset->fd, bytes, size, (off_t)dataset->read_at);
    while (count < 0 && errno == EINTR);
    if (count < 0) return fail_errno(err, "read", dataset->name, errno);
    if (count == 0 && size > 0)
        return fail(err, STEMMA_UNREADABLE, "cannot read '%s': it became shorter meanwhile", dataset->name);
    dataset->read_at += (uint64_t)count;
    *got = (size_t)count;
    return STEMMA_OK;
}

/* As they stand in the file, unpacked; context: a dataset. */
static stemma_status read_unpacked(void *context, uint8_t *bytes, size_t size, size_t *got,
                                   stemma_error *err) {
    struct dataset *dataset = context;
    TRY(check_stop(dataset->stop, err));
    if (!dataset->compression) return read_plain(dataset, bytes, size, got, err);
    if (!dataset->unpacker) {
        struct stream stream = stream_of_file(dataset->name, dataset->fd, dataset->size);
        TRY(unpacker_new(&stream, dataset->compression, dataset->window_most, &dataset->unpacker, err));
    }
    return unpacker_read(dataset->unpacker, bytes, size, got, err);
}

static void drop_front(struct buf *bytes, size_t size) {
    memmove(bytes->data, bytes->data + size, bytes->len - size);
    bytes->len -= size;
}

static size_t read_unread(struct buf *unread, uint8_t *bytes, size_t size) {
    if (size > unread->len) size = unread->len;
    memcpy(bytes, unread->data, size);
    drop_front(unread, size);
    return size;
}

static stemma_status read_some(struct dataset *dataset, uint8_t *bytes, size_t size, size_t *got,
                               stemma_error *err) {
    if (dataset->unread.len) return *got = read_unread(&dataset->unread, bytes, size), STEMMA_OK;
    if (dataset->failure.status != STEMMA_OK) return STEMMA_OK; /* there is no more */
    return dataset->wide.encoding ? wide_read(&dataset->wide, read_unpacked, dataset, bytes, size, got, err)
                                  : read_unpacked(dataset, bytes, size, got, err);
}

/* What is left out ends what is read as the end of the file does. */
static size_t before_next_piece(const struct dataset *dataset, size_t size) {
    if (dataset->next_piece == dataset->piece_count) return size;
    const uint64_t left = dataset->pieces[dataset->next_piece].begin - dataset->behind;
    return left < size ? (size_t)left : size;
}

static bool is_of_data(stemma_status status) {
    return status == STEMMA_CORRUPT || status == STEMMA_UNREADABLE || status == STEMMA_UNSUPPORTED;
}

/* Adds bytes until there are `size`, or no more. A failure of the data is an end of what can be read, to be
 * said later; any other is one at once. */
static stemma_status fill(struct dataset *dataset, struct buf *bytes, size_t size, stemma_error *err) {
    if (!buf_reserve(bytes, (bytes->len < size ? size - bytes->len : 0) + KERNEL_SLACK))
        return fail_memory(err);
    while (!dataset->ended && bytes->len < size) {
        size_t got = 0, asked = before_next_piece(dataset, size - bytes->len);
        stemma_error failure;
        stemma_status status =
            asked ? read_some(dataset, bytes->data + bytes->len, asked, &got, &failure) : STEMMA_OK;
        if (status != STEMMA_OK && !is_of_data(status)) {
            if (err) *err = failure;
            return status;
        }
        if (status != STEMMA_OK) dataset->failure = failure;
        dataset->ended = got == 0;
        dataset->behind += got;
        bytes->len += got;
    }
    return STEMMA_OK;
}

/* ---- batches ---- */

bool dataset_record_end(const struct dataset *dataset, enum csv_place *place, const uint8_t *bytes,
                        size_t size, size_t *end) {
    if (dataset->kind != DATASET_JSON_LINES)
        return csv_record_end(place, bytes, size, dataset->delimiter, end);
    const uint8_t *newline = size ? memchr(bytes, '\n', size) : NULL;
    if (newline) *end = (size_t)(newline - bytes) + 1;
    return newline != NULL;
}

/* How far the bytes have been searched for ends of records. */
struct cut {
    size_t whole; /* behind the last record that is whole */
    size_t searched;
    enum csv_place place; /* there */
};

static void search_on(const struct dataset *dataset, const struct buf *bytes, struct cut *cut) {
    if (dataset->kind == DATASET_JSON_LINES) {
        const uint8_t *newline = memrchr(bytes->data + cut->searched, '\n', bytes->len - cut->searched);
        if (newline) cut->whole = (size_t)(newline - bytes->data) + 1;
    } else {
        size_t end;
        while (csv_record_end(&cut->place, bytes->data + cut->searched, bytes->len - cut->searched,
                              dataset->delimiter, &end))
            cut->whole = cut->searched += end;
    }
    cut->searched = bytes->len;
}

/* A record too long to be held goes by, and what comes behind it is kept. */
static stemma_status pass_long_record(struct dataset *dataset, struct buf *bytes, struct cut cut,
                                      uint64_t *passed, uint64_t *lines, stemma_error *err) {
    size_t end = 0;
    bool found = false;
    *passed = bytes->len;
    *lines = count_lines(bytes->data, bytes->len);
    buf_release(bytes);
    while (!found) {
        bytes->len = 0;
        TRY(fill(dataset, bytes, dataset->batch_size, err));
        if (bytes->len == 0) break;
        found = dataset_record_end(dataset, &cut.place, bytes->data, bytes->len, &end);
        size_t part = found ? end : bytes->len;
        *passed += part;
        *lines += count_lines(bytes->data, part);
    }
    if (!found) end = bytes->len;
    dataset->rest.len = 0;
    return buf_add(&dataset->rest, bytes->data + end, bytes->len - end) ? STEMMA_OK : fail_memory(err);
}

static stemma_status give_long_record(struct dataset *dataset, struct dataset_batch *batch, struct cut cut,
                                      stemma_error *err) {
    uint64_t lines;
    TRY(pass_long_record(dataset, &batch->bytes, cut, &batch->too_long, &lines, err));
    batch->bytes.len = 0;
    dataset->offset += batch->too_long;
    dataset->line += lines;
    return STEMMA_OK;
}

/* Keeps what is behind the last whole record for the next batch. */
static stemma_status give_records(struct dataset *dataset, struct dataset_batch *batch, size_t whole,
                                  stemma_error *err) {
    struct buf *bytes = &batch->bytes;
    dataset->rest.len = 0;
    if (!buf_add(&dataset->rest, bytes->data + whole, bytes->len - whole)) return fail_memory(err);
    bytes->len = whole;
    dataset->offset += whole;
    dataset->line += count_lines(bytes->data, whole);
    return STEMMA_OK;
}

/* Reads on until there is a record that is whole, or the end, or more than a record may have. */
static stemma_status next_records(struct dataset *dataset, struct dataset_batch *batch, stemma_error *err) {
    struct buf *bytes = &batch->bytes;
    struct cut cut = {0, 0, CSV_FIELD};
    for (size_t size = dataset->batch_size;; size = bytes->len + dataset->batch_size) {
        TRY(fill(dataset, bytes, size, err));
        if (bytes->len) search_on(dataset, bytes, &cut);
        if (cut.whole > 0) return give_records(dataset, batch, cut.whole, err);
        if (bytes->len > dataset->record_most) return give_long_record(dataset, batch, cut, err);
        if (dataset->ended) break;
    }
    if (dataset->failure.status == STEMMA_OK) return give_records(dataset, batch, bytes->len, err);
    if (err) *err = dataset->failure;
    return dataset->failure.status;
}

/* ---- pieces that are left out ---- */

static void forget_pieces(struct dataset *dataset) {
    mem_free(dataset->pieces);
    dataset->pieces = NULL;
    dataset->piece_count = dataset->next_piece = 0;
}

/* What was read of the first piece is read again. */
static stemma_status unread_from(struct dataset *dataset, uint64_t begin, stemma_error *err) {
    struct buf *rest = &dataset->rest;
    if (begin >= dataset->behind) return STEMMA_OK;
    const size_t kept = (size_t)(begin - dataset->offset);
    if (!buf_add(&dataset->unread, rest->data + kept, rest->len - kept)) return fail_memory(err);
    rest->len = kept;
    dataset->behind = begin;
    return STEMMA_OK;
}

stemma_status dataset_leave_out(struct dataset *dataset, const struct dataset_piece *pieces, size_t count,
                                stemma_error *err) {
    if (!count) return STEMMA_OK;
    if (pieces->begin < dataset->offset)
        return fail(err, STEMMA_UNREADABLE, "cannot read '%s': it has changed meanwhile", dataset->name);
    dataset->pieces = mem_alloc(count * sizeof *pieces);
    if (!dataset->pieces) return fail_memory(err);
    memcpy(dataset->pieces, pieces, count * sizeof *pieces);
    dataset->piece_count = count;
    return unread_from(dataset, pieces->begin, err);
}

static bool is_at_piece(const struct dataset *dataset) {
    return dataset->next_piece < dataset->piece_count &&
           dataset->offset == dataset->pieces[dataset->next_piece].begin;
}

/* What cannot be entered in the middle is read, and dropped. */
static stemma_status pass_bytes(struct dataset *dataset, uint64_t end, struct buf *scratch,
                                stemma_error *err) {
    while (dataset->behind < end && !dataset->ended) {
        const uint64_t left = end - dataset->behind;
        scratch->len = 0;
        TRY(fill(dataset, scratch, left < dataset->batch_size ? (size_t)left : dataset->batch_size, err));
    }
    scratch->len = 0;
    return STEMMA_OK;
}

static stemma_status give_piece(struct dataset *dataset, struct dataset_batch *batch, stemma_error *err) {
    const struct dataset_piece *piece = &dataset->pieces[dataset->next_piece++];
    dataset->ended = false;
    if (dataset_random_access(dataset)) {
        dataset->unread.len = 0;
        dataset->read_at = dataset->behind = piece->end;
    } else
        TRY(pass_bytes(dataset, piece->end, &batch->bytes, err));
    dataset->offset = piece->end;
    dataset->line = piece->next_line;
    batch->left_out = true;
    batch->key = piece->key;
    return STEMMA_OK;
}

/* ---- one after the other ---- */

/* There may be thousands of data sets that have been read: none of them keeps what only reading needs. */
void dataset_end(struct dataset *dataset) {
    dataset->read_at = dataset_position(dataset);
    dataset->ended = true;
    unpacker_free(dataset->unpacker);
    dataset->unpacker = NULL;
    forget_pieces(dataset);
    buf_release(&dataset->rest);
    buf_release(&dataset->unread);
    buf_release(&dataset->wide.units);
    buf_release(&dataset->wide.text);
    if (dataset->reopens && dataset->fd >= 0) close(dataset->fd);
    if (dataset->reopens) dataset->fd = -1;
}

stemma_status dataset_next(struct dataset *dataset, struct dataset_batch *batch, bool *more,
                           stemma_error *err) {
    TRY(check_stop(dataset->stop, err));
    if (batch->bytes.cap / 8 > dataset->batch_size)
        buf_release(&batch->bytes); /* it held a long record once */
    batch->bytes.len = 0;
    batch->too_long = 0;
    batch->left_out = false;
    batch->offset = dataset->offset;
    batch->first_line = dataset->line;
    if (!buf_add(&batch->bytes, dataset->rest.data, dataset->rest.len)) return fail_memory(err);
    dataset->rest.len = 0;
    stemma_status status =
        is_at_piece(dataset) ? give_piece(dataset, batch, err) : next_records(dataset, batch, err);
    if (status != STEMMA_OK) batch->bytes.len = 0;
    bool any = batch->bytes.len > 0 || batch->too_long > 0 || batch->left_out;
    batch->end = dataset->offset;
    batch->next_line = dataset->line;
    if (!any) dataset_end(dataset);
    if (status == STEMMA_OK) *more = any;
    return status;
}

void dataset_batch_release(struct dataset_batch *batch) {
    buf_release(&batch->bytes);
    *batch = (struct dataset_batch){0};
}

/* ---- the beginning ---- */

static void pass_front(struct dataset *dataset, size_t size) {
    dataset->offset += size;
    dataset->line += count_lines(dataset->rest.data, size);
    drop_front(&dataset->rest, size);
}

/* The first record, which names the columns. */
static stemma_status take_header(struct dataset *dataset, stemma_error *err) {
    enum csv_place place = CSV_FIELD;
    size_t end = 0, searched = 0;
    struct buf *rest = &dataset->rest;
    while (!csv_record_end(&place, rest->data + searched, rest->len - searched, dataset->delimiter, &end)) {
        searched = rest->len;
        if (dataset->ended || rest->len > dataset->record_most) break;
        TRY(fill(dataset, rest, 2 * rest->len, err));
    }
    end = end ? searched + end : rest->len;
    if (end > dataset->record_most)
        return fail(err, STEMMA_INVALID, "the first record of '%s', which names its columns, is too long",
                    dataset->name);
    if (place == CSV_QUOTED)
        return fail(err, STEMMA_INVALID,
                    "the first record of '%s', which names its columns, begins a quote that does not end",
                    dataset->name);
    dataset->header.len = 0;
    if (!buf_add(&dataset->header, rest->data, end)) return fail_memory(err);
    pass_front(dataset, end);
    return STEMMA_OK;
}

static void set_kind(struct dataset *dataset, enum dataset_kind kind) {
    dataset->kind = kind;
    dataset->delimiter = kind == DATASET_TSV ? '\t' : ',';
}

/* JSON lines begin with an object; a table with its columns, which tabs separate if there is one. */
static enum dataset_kind kind_of_bytes(const uint8_t *bytes, size_t size) {
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", bytes[at]) && bytes[at]) at++;
    if (at == size || bytes[at] == '{') return DATASET_JSON_LINES;
    const uint8_t *end = memchr(bytes + at, '\n', size - at);
    const size_t line = (end ? (size_t)(end - bytes) : size) - at;
    return memchr(bytes + at, '\t', line) ? DATASET_TSV : DATASET_CSV;
}

/* Where the comma is the decimal one, spreadsheets write semicolons. */
static uint8_t separator_of(const struct buf *first) {
    const uint8_t *end = memchr(first->data, '\n', first->len);
    const size_t line = end ? (size_t)(end - first->data) : first->len;
    return memchr(first->data, ';', line) && !memchr(first->data, ',', line) ? ';' : ',';
}

static stemma_status guess_kind(struct dataset *dataset, stemma_error *err) {
    if (dataset->failure.status != STEMMA_OK) {
        if (err) *err = dataset->failure;
        return dataset->failure.status;
    }
    set_kind(dataset, kind_of_bytes(dataset->rest.data, dataset->rest.len));
    dataset->guessed = true;
    return STEMMA_OK;
}

/* What was read first, and all that follows, is UTF-16. */
static stemma_status begin_wide(struct dataset *dataset, enum encoding encoding, size_t mark, size_t size,
                                stemma_error *err) {
    struct buf *rest = &dataset->rest;
    dataset->wide = (struct wide){.encoding = encoding, .ended = dataset->ended};
    if (!buf_add(&dataset->wide.units, rest->data + mark, rest->len - mark)) return fail_memory(err);
    rest->len = 0;
    dataset->behind = 0;
    dataset->ended = false;
    return fill(dataset, rest, size, err);
}

/* Reads the first bytes: a mark of the encoding, and the header. */
static stemma_status begin(struct dataset *dataset, stemma_error *err) {
    struct buf *rest = &dataset->rest;
    /* as much as tells the encoding, whatever the batches */
    const size_t size = dataset->batch_size < ENCODING_SAMPLE ? ENCODING_SAMPLE : dataset->batch_size;
    dataset->line = 1;
    wide_release(&dataset->wide);
    TRY(fill(dataset, rest, size, err));
    const struct encoding_guess guess = encoding_guess(rest->data, rest->len & ~(size_t)1); /* whole units */
    if (guess.encoding == ENCODING_UTF16LE || guess.encoding == ENCODING_UTF16BE)
        TRY(begin_wide(dataset, guess.encoding, guess.mark, size, err));
    dataset->marked = rest->len >= 3 && !memcmp(rest->data, "\xef\xbb\xbf", 3);
    if (dataset->marked) pass_front(dataset, 3);
    if (dataset->kind == DATASET_BY_NAME) TRY(guess_kind(dataset, err));
    if (dataset->kind == DATASET_CSV && rest->len) dataset->delimiter = separator_of(rest);
    return dataset->kind != DATASET_JSON_LINES && rest->len ? take_header(dataset, err) : STEMMA_OK;
}

static stemma_status begin_again(struct dataset *dataset, stemma_error *err) {
    if (dataset->reopens) {
        TRY(dataset_reopen(dataset, &dataset->fd, err));
        TRY(dataset_check_unchanged(dataset, dataset->fd, err));
    }
    dataset->read_at = dataset->offset = dataset->behind = 0;
    dataset->ended = false;
    dataset->failure.status = STEMMA_OK;
    return begin(dataset, err);
}

stemma_status dataset_rewind(struct dataset *dataset, stemma_error *err) {
    dataset_end(dataset);
    stemma_status status = begin_again(dataset, err);
    if (status != STEMMA_OK) dataset_end(dataset);
    return status;
}

/* ---- opening ---- */

/* Copies what can be read only once. */
static stemma_status spool(struct input *input, int fd, const char *directory, stemma_error *err) {
    static const size_t piece = 1 << 18;
    size_t got;
    uint8_t *bytes = mem_alloc(piece);
    stemma_status status = bytes ? STEMMA_OK : fail_memory(err);
    while (status == STEMMA_OK && (status = input_read(input, bytes, piece, &got, err)) == STEMMA_OK &&
           got > 0) {
        int cause = write_all(fd, bytes, got);
        if (cause)
            status = fail_errno(err, "write a temporary file in", temporary_directory(directory), cause);
    }
    mem_free(bytes);
    return status;
}

static stemma_status open_spooled(struct dataset *dataset, struct input *input, const char *directory,
                                  stemma_error *err) {
    TRY(temporary_open(directory, &dataset->fd, err));
    dataset->owned = true;
    return spool(input, dataset->fd, directory, err);
}

/* A regular file at its beginning is read in place, anything else is copied first. */
static stemma_status open_bytes(struct dataset *dataset, struct input *input, const char *directory,
                                bool many, stemma_error *err) {
    struct stat info;
    if (fstat(input->fd, &info) != 0) return fail_errno(err, "read", input->name, errno);
    if (S_ISREG(info.st_mode) && lseek(input->fd, 0, SEEK_CUR) == 0) {
        dataset->fd = input->fd;
        dataset->owned = input->owned;
        dataset->reopens = many && input->owned;
        input->owned = false;
    } else
        TRY(open_spooled(dataset, input, directory, err));
    if (fstat(dataset->fd, &info) != 0) return fail_errno(err, "read", input->name, errno);
    dataset->size = (uint64_t)info.st_size;
    dataset->modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    return STEMMA_OK;
}

stemma_status dataset_reopen(const struct dataset *dataset, int *fd, stemma_error *err) {
    *fd = open_path(dataset->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? fail_errno(err, "read", dataset->name, errno) : STEMMA_OK;
}

static stemma_status look_for_magic(struct dataset *dataset, stemma_error *err) {
    uint8_t magic[COMPRESSED_MAGIC];
    ssize_t got;
    do got = pread(dataset->fd, magic, sizeof magic, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail_errno(err, "read", dataset->name, errno);
    dataset->compression = compression_of(magic, (size_t)got);
    return STEMMA_OK;
}

static stemma_status set_options(struct dataset *dataset, const char *path,
                                 const struct dataset_options *options, stemma_error *err) {
    dataset->name = mem_copy_string(path);
    dataset->text_field = mem_copy_string(options->text_field ? options->text_field : "text");
    dataset->id_field = mem_copy_string(options->id_field ? options->id_field : "id");
    dataset->id_asked = options->id_field != NULL;
    dataset->whole = options->whole;
    if (!dataset->name || !dataset->text_field || !dataset->id_field) return fail_memory(err);
    set_kind(dataset, options->kind != DATASET_BY_NAME ? options->kind : dataset_kind_of(path));
    dataset->record_most = options->record_most ? options->record_most : RECORD_MOST;
    dataset->batch_size = options->batch_size ? options->batch_size : BATCH_SIZE;
    dataset->window_most = options->window_most;
    dataset->stop = options->stop;
    return STEMMA_OK;
}

static stemma_status open_all(struct dataset *dataset, const char *path,
                              const struct dataset_options *options, stemma_error *err) {
    struct input input;
    TRY(set_options(dataset, path, options, err));
    TRY(input_open(&input, dataset->name, err));
    input.stop = options->stop;
    stemma_status status = open_bytes(dataset, &input, options->directory, options->many, err);
    input_close(&input);
    if (status != STEMMA_OK) return status;
    TRY(look_for_magic(dataset, err));
    TRY(begin(dataset, err));
    if (dataset->kind == DATASET_JSON_LINES || dataset->whole) return STEMMA_OK;
    status = dataset_find_columns(dataset, err);
    return status == STEMMA_INVALID && dataset->text_column == NO_COLUMN && dataset->guessed
               ? fail(
                     err, status,
                     "cannot read '%s': it is neither JSON lines, which begin with '{', nor a table with the "
                     "column '%s'",
                     dataset->name, dataset->text_field)
               : status;
}

enum dataset_kind dataset_kind(const struct dataset *dataset) {
    return dataset->kind;
}

stemma_status dataset_open(const char *path, const struct dataset_options *options, struct dataset **out,
                           stemma_error *err) {
    struct dataset *dataset = mem_zero(1, sizeof *dataset);
    if (!dataset) return fail_memory(err);
    dataset->fd = -1;
    stemma_status status = open_all(dataset, path, options, err);
    if (status == STEMMA_OK)
        *out = dataset;
    else
        dataset_close(dataset);
    return status;
}

void dataset_close(struct dataset *dataset) {
    if (!dataset) return;
    unpacker_free(dataset->unpacker);
    if (dataset->owned && dataset->fd >= 0) close(dataset->fd);
    mem_free(dataset->name);
    mem_free(dataset->text_field);
    mem_free(dataset->id_field);
    buf_release(&dataset->header);
    buf_release(&dataset->rest);
    buf_release(&dataset->unread);
    forget_pieces(dataset);
    wide_release(&dataset->wide);
    mem_free(dataset);
}

bool dataset_random_access(const struct dataset *dataset) {
    return !dataset->compression && !dataset->wide.encoding;
}

uint64_t dataset_position(const struct dataset *dataset) {
    return dataset->unpacker ? unpacker_position(dataset->unpacker) : dataset->read_at;
}

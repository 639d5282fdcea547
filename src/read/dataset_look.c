/* Whether what is named as a data set has texts: a log, or a list of prices, is a document like others. */
#include "read/dataset_state.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKED_AT = 16, LOOK_BYTES = 1 << 16, LOOK_MOST = 1 << 20 };

static stemma_status look_at_batch(const struct dataset *dataset, const struct dataset_batch *batch,
                                   bool *found, stemma_error *err) {
    struct record_reader reader = {0};
    struct dataset_record record;
    bool more = true;
    stemma_status status = STEMMA_OK;
    unsigned looked = 0;
    *found = false;
    record_reader_begin(&reader, dataset, batch);
    while (more && !*found && looked < LOOKED_AT && (status == STEMMA_OK || status == STEMMA_CORRUPT)) {
        status = record_reader_next(&reader, &record, &more, err);
        looked += more;
        *found = more && status == STEMMA_OK;
    }
    record_reader_release(&reader);
    *found |= looked == 0;
    return status == STEMMA_CORRUPT ? STEMMA_OK : status;
}

static struct dataset_options to_look(const struct dataset_options *options) {
    struct dataset_options looking = *options;
    looking.record_most = LOOK_MOST;
    looking.batch_size = LOOK_BYTES;
    return looking;
}

stemma_status dataset_find_texts(const char *path, const struct dataset_options *options, bool *found,
                                 stemma_error *err) {
    const struct dataset_options looking = to_look(options);
    struct dataset *dataset;
    struct dataset_batch batch = {0};
    bool more = false;
    TRY(dataset_open(path, &looking, &dataset, err));
    stemma_status status = dataset_next(dataset, &batch, &more, err);
    *found = true;
    if (status == STEMMA_OK && more && !batch.too_long) status = look_at_batch(dataset, &batch, found, err);
    dataset_batch_release(&batch);
    dataset_close(dataset);
    return status;
}

/* ---- standard input ---- */

static bool can_be_looked_at(void) {
    struct stat info;
    return !fstat(STDIN_FILENO, &info) && S_ISREG(info.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

/* A text may well begin with a line that is one word. */
static stemma_status has_form(const struct dataset_options *options, bool *has, stemma_error *err) {
    const struct dataset_options looking = to_look(options);
    struct dataset *dataset;
    TRY(dataset_open("-", &looking, &dataset, err));
    const bool json = dataset->kind == DATASET_JSON_LINES;
    const struct buf *begin = json ? &dataset->rest : &dataset->header;
    *has = begin->len && memchr(begin->data, json ? '{' : dataset->delimiter, begin->len);
    dataset_close(dataset);
    return STEMMA_OK;
}

stemma_status dataset_look_at_standard(const struct dataset_options *options, bool *found,
                                       stemma_error *err) {
    struct dataset_options looking = *options;
    bool form = false, texts = false;
    if (!can_be_looked_at()) return STEMMA_OK;
    looking.id_field = NULL; /* that there is no such column is for its reader to say */
    stemma_status status = has_form(&looking, &form, err);
    if (status == STEMMA_OK && form) status = dataset_find_texts("-", &looking, &texts, err);
    *found = status == STEMMA_OK && texts;
    const bool of_data = status == STEMMA_INVALID || status == STEMMA_CORRUPT ||
                         status == STEMMA_UNSUPPORTED || status == STEMMA_UNREADABLE;
    return of_data ? STEMMA_OK : status;
}

/* The texts of all documents that a file holds: what `stemma text` shows of an archive or a data set. */
#include "api/limits.h"
#include "api/text.h"
#include "base/file.h"
#include "read/inside.h"
#include "sketch/recipe.h"

#include <string.h>

struct showing {
    const stemma_recipe *recipe;
    stemma_limits limits;
    struct document_options reading;
    stemma_take_text *take;
    void (*problem)(void *context, const char *id, const stemma_error *cause);
    void *context;
    uint64_t met; /* documents and problems */
};

static size_t held_most(const struct showing *s) {
    return s->limits.memory / DOCUMENT_TIMES;
}

static void tell_problem(void *context, const char *id, const stemma_error *cause) {
    struct showing *s = context;
    s->met++;
    s->problem(s->context, id, cause);
}

static bool is_of_document(stemma_status status) {
    return status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED;
}

/* name: by which its format is told, or NULL. What cannot be read is a problem of that document. */
static stemma_status show(struct showing *s, const char *id, const char *name, const uint8_t *bytes,
                          size_t size, stemma_error *err) {
    stemma_text *text;
    stemma_error cause;
    s->met++;
    stemma_status status = text_of_document(bytes, size, name, s->recipe, &s->limits, &text, &cause);
    if (is_of_document(status)) {
        s->problem(s->context, id, &cause);
        return STEMMA_OK;
    }
    if (status != STEMMA_OK) return fail(err, status, "%s", cause.message);
    status = s->take(s->context, id, text, err);
    stemma_text_free(text);
    return status;
}

/* ---- archives, mailboxes, crawls ---- */

static stemma_status show_contained(void *context, const struct contained *found, stemma_error *err) {
    if (found->kind > CONTAINER_MAIL) return STEMMA_OK; /* what is in it follows */
    return show(context, found->id, found->id, found->bytes, found->size, err);
}

static stemma_status show_container(struct showing *s, const struct stream *stream, stemma_error *err) {
    const struct container_options options = {
        .document = s->reading, .held_most = held_most(s), .stop = s->limits.stop};
    struct container_visitor visitor = {.context = s, .document = show_contained, .problem = tell_problem};
    TRY(container_walk(stream, &options, &visitor, err));
    return s->met ? STEMMA_OK
                  : fail(err, STEMMA_UNSUPPORTED, "'%s' is an archive, and holds no documents", stream->name);
}

static stemma_status is_container(const struct showing *s, const char *name, const struct buf *head, bool *is,
                                  stemma_error *err) {
    enum container_kind kind = CONTAINER_NONE;
    if (s->reading.format != FORMAT_BYTES)
        TRY(container_look(name, head->data, head->len, &s->reading, &kind, err));
    *is = kind > CONTAINER_MAIL;
    return STEMMA_OK;
}

/* All of it is in memory, and taken over. */
static stemma_status show_held(struct showing *s, const char *id, const char *name, struct buf *bytes,
                               stemma_error *err) {
    const struct stream stream = stream_of_memory(id, bytes->data, bytes->len);
    stemma_text *text;
    bool container = false;
    stemma_status status = name ? is_container(s, name, bytes, &container, err) : STEMMA_OK;
    if (status == STEMMA_OK && container) status = show_container(s, &stream, err);
    if (status != STEMMA_OK || container) {
        buf_release(bytes);
        return status;
    }
    TRY(text_take(bytes, name, s->recipe, &s->limits, &text, err));
    status = s->take(s->context, NULL, text, err);
    stemma_text_free(text);
    return status;
}

/* ---- data sets ---- */

static stemma_status show_record(struct showing *s, const struct dataset_record *record, const char *path,
                                 struct buf *id, stemma_error *err) {
    const size_t length = strlen(path);
    const bool named = record->id_size > length && !memcmp(record->id, path, length) &&
                       record->id[length] == ':'; /* FILE:LINE */
    id->len = 0;
    if ((!named && (!buf_add(id, path, length) || !buf_add_byte(id, ':'))) ||
        !buf_add(id, record->id, record->id_size) || !buf_add_byte(id, 0))
        return fail_memory(err);
    return show(s, (const char *)id->data, NULL, record->text, record->text_size, err);
}

static stemma_status show_batch(struct showing *s, const struct dataset *dataset,
                                const struct dataset_batch *batch, const char *path, stemma_error *err) {
    struct record_reader reader = {0};
    struct dataset_record record;
    struct buf id = {0};
    bool more = true;
    stemma_status status = STEMMA_OK;
    record_reader_begin(&reader, dataset, batch);
    while (more && status == STEMMA_OK) {
        stemma_error cause;
        status = record_reader_next(&reader, &record, &more, &cause);
        if (status == STEMMA_CORRUPT) {
            tell_problem(s, path, &cause);
            status = STEMMA_OK;
        } else if (status != STEMMA_OK) {
            status = fail(err, status, "%s", cause.message);
        } else if (more) {
            status = show_record(s, &record, path, &id, err);
        }
    }
    record_reader_release(&reader);
    buf_release(&id);
    return status;
}

static stemma_status show_dataset(struct showing *s, const char *path, const struct dataset_options *options,
                                  stemma_error *err) {
    struct dataset *dataset;
    struct dataset_batch batch = {0};
    bool more = true;
    TRY(dataset_open(path, options, &dataset, err));
    stemma_status status = STEMMA_OK;
    while (more && status == STEMMA_OK) {
        status = dataset_next(dataset, &batch, &more, err);
        if (more && status == STEMMA_OK) status = show_batch(s, dataset, &batch, path, err);
    }
    dataset_batch_release(&batch);
    dataset_close(dataset);
    return status;
}

/* ---- any file ---- */

static stemma_status show_input(struct showing *s, struct input *input, stemma_error *err) {
    struct buf bytes = {0};
    bool container = false;
    input->stop = s->limits.stop; /* also while it is looked at */
    stemma_status status = input_read_head(input, DOCUMENT_HEAD, &bytes, err);
    if (status == STEMMA_OK) status = is_container(s, input->name, &bytes, &container, err);
    if (status == STEMMA_OK && container && input->size) {
        const struct stream stream = stream_of_file(input->name, input->fd, input->size);
        buf_release(&bytes);
        return show_container(s, &stream, err);
    }
    if (status == STEMMA_OK) status = text_read_rest(input, &s->limits, &bytes, err);
    if (status == STEMMA_OK) return show_held(s, input->name, input->name, &bytes, err);
    buf_release(&bytes);
    return status;
}

static stemma_status show_inside(struct showing *s, const char *id, const struct dataset_options *datasets,
                                 stemma_error *err) {
    const struct container_options options = {
        .document = s->reading, .held_most = held_most(s), .stop = s->limits.stop};
    struct buf bytes = {0};
    const char *name;
    stemma_status status = inside_read(id, &options, datasets, &bytes, &name, err);
    if (status == STEMMA_OK) return show_held(s, id, name, &bytes, err);
    buf_release(&bytes);
    return status;
}

/* A data set without texts, a log or a price list, is a document. */
static stemma_status has_records(const char *path, const struct dataset_options *options, bool *has,
                                 stemma_error *err) {
    if (!strcmp(path, "-")) return dataset_look_at_standard(options, has, err);
    *has = dataset_name(path);
    if (!*has || options->text_field) return STEMMA_OK;
    stemma_status status = dataset_find_texts(path, options, has, err);
    const bool none = status == STEMMA_INVALID || is_of_document(status); /* no such column, or no table */
    *has = *has && !none;
    return none ? STEMMA_OK : status;
}

static stemma_status show_path(struct showing *s, const char *path, stemma_error *err) {
    const struct dataset_options datasets = limits_dataset(&s->limits, held_most(s));
    struct input input;
    bool records = false;
    stemma_status status = input_open(&input, path, err);
    if (status == STEMMA_NOT_FOUND && inside_is_id(path)) return show_inside(s, path, &datasets, err);
    TRY(status);
    if (input.size) status = has_records(path, &datasets, &records, err);
    if (status == STEMMA_OK)
        status = records ? show_dataset(s, path, &datasets, err) : show_input(s, &input, err);
    input_close(&input);
    return status;
}

static void ignore_problem(void *context, const char *id, const stemma_error *cause) {
    (void)context, (void)id, (void)cause;
}

stemma_status stemma_text_each(const char *path, const stemma_recipe *recipe, const stemma_limits *limits,
                               stemma_take_text *take,
                               void (*problem)(void *context, const char *id, const stemma_error *cause),
                               void *context, stemma_error *err) {
    stemma_recipe *own = NULL;
    struct showing s = {
        .take = take, .problem = problem ? problem : ignore_problem, .context = context, .recipe = recipe};
    if (!path || !take) return fail(err, STEMMA_INVALID, "a file and someone to take its texts are needed");
    TRY(limits_check(limits, &s.limits, err));
    if (!recipe) TRY(stemma_recipe_parse(NULL, &own, err));
    if (!recipe) s.recipe = own;
    s.reading = document_options_for(s.recipe->view.folds, &s.limits);
    stemma_status status = show_path(&s, path, err);
    stemma_recipe_free(own);
    return status;
}

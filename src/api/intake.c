#include "api/intake.h"

#include "api/limits.h"
#include "read/inside.h"
#include "read/late_text.h"

enum { STEP = 1 << 20 }; /* bytes between two looks at whether to stop */

static void take_text(void *context, const uint8_t *text, size_t size) {
    digest_add(&((struct intake *)context)->text, text, size);
}

stemma_status intake_init(struct intake *in, const struct stemma_recipe *recipe, struct shingle_sink sink,
                          const stemma_limits *limits, stemma_error *err) {
    const struct view *view = &recipe->view;
    *in = (struct intake){.reading = document_options_for(view->folds, limits), .limits = *limits};
    digest_init(&in->raw);
    digest_init(&in->text);
    if (view->labelled) {
        TRY(labeller_new(view->width, sink, limits->memory, limits->temporary_directory, &in->labeller, err));
        sink = labeller_sink(in->labeller);
    }
    struct text_sink text = {in, take_text};
    stemma_status status = shingler_new(view, &recipe->tables, sink, text, &in->shingler, err);
    if (status != STEMMA_OK) intake_release(in);
    return status;
}

/* The document's own bytes count for its digest and size, its text for everything else; mostly they are the
 * same, and of a picture or a program there is none. */
enum { ORIGINAL = 1, TEXT = 2 };

static unsigned what_is(enum text_format format) {
    return format == TEXT_BINARY ? ORIGINAL : ORIGINAL | TEXT;
}

static stemma_status add_steps(struct intake *in, unsigned what, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    for (size_t step; size; bytes += step, size -= step) {
        step = size < STEP ? size : STEP;
        TRY(check_stop(in->limits.stop, err));
        if (what & ORIGINAL) {
            digest_add(&in->raw, bytes, step);
            in->bytes += step;
        }
        if (!(what & TEXT)) continue;
        if (in->byte_sink.take) TRY(in->byte_sink.take(in->byte_sink.context, bytes, step, err));
        TRY(shingler_feed(in->shingler, bytes, step, err));
    }
    return STEMMA_OK;
}

static stemma_status fail_again(const struct intake *in, stemma_error *err) {
    return fail(err, in->failed, "the document failed before: %s", stemma_status_text(in->failed));
}

stemma_status intake_add(struct intake *in, const void *bytes, size_t size, stemma_error *err) {
    if (in->failed) return fail_again(in, err);
    in->failed = add_steps(in, ORIGINAL | TEXT, bytes, size, err);
    return in->failed;
}

stemma_status intake_add_extracted(struct intake *in, const void *text, size_t size, stemma_error *err) {
    if (in->failed) return fail_again(in, err);
    in->failed = add_steps(in, TEXT, text, size, err);
    return in->failed;
}

stemma_status intake_add_binary(struct intake *in, const void *bytes, size_t size, stemma_error *err) {
    if (in->failed) return fail_again(in, err);
    in->failed = add_steps(in, ORIGINAL, bytes, size, err);
    return in->failed;
}

/* ---- documents ---- */

/* The bytes behind the mark are the text, if there is any. */
static stemma_status add_plain(struct intake *in, const struct document_kind *kind, const uint8_t *bytes,
                               size_t size, stemma_error *err) {
    size_t mark = kind->mark;
    TRY(add_steps(in, ORIGINAL, bytes, mark, err));
    return add_steps(in, what_is(kind->format), mark ? bytes + mark : bytes, size - mark, err);
}

static stemma_status add_converted(struct intake *in, const char *name, const uint8_t *bytes, size_t size,
                                   stemma_error *err) {
    struct extractor extractor = {0};
    struct document_text text;
    stemma_status status = document_extract(&extractor, name, bytes, size, &in->reading, &text, err);
    if (status == STEMMA_OK) limits_warn(&in->limits, name, text.damage);
    if (status == STEMMA_OK) status = add_steps(in, ORIGINAL, bytes, size, err);
    if (status == STEMMA_OK && text.format != TEXT_BINARY)
        status = add_steps(in, TEXT, text.bytes, text.size, err);
    extractor_release(&extractor);
    return status;
}

static stemma_status add_document(struct intake *in, const char *name, const uint8_t *bytes, size_t size,
                                  stemma_error *err) {
    struct document_kind kind = document_look(name, bytes, size, &in->reading);
    if (!kind.converted) return add_plain(in, &kind, bytes, size, err);
    if (size > in->limits.memory / DOCUMENT_TIMES) /* as of a file */
        return fail(err, STEMMA_UNSUPPORTED,
                    "the document is converted as a whole, which takes more memory than allowed");
    return add_converted(in, name, bytes, size, err);
}

stemma_status intake_add_document(struct intake *in, const char *name, const void *bytes, size_t size,
                                  stemma_error *err) {
    if (in->failed) return fail_again(in, err);
    in->failed = add_document(in, name, bytes, size, err);
    return in->failed;
}

/* ---- files ---- */

static stemma_status add_rest(struct intake *in, unsigned what, struct input *input, struct buf *piece,
                              stemma_error *err) {
    for (;;) {
        size_t got = 0;
        TRY(input_read(input, piece->data, piece->cap, &got, err));
        if (got == 0) return STEMMA_OK;
        TRY(add_steps(in, what, piece->data, got, err));
    }
}

/* The beginning, which was read already, is ASCII: what follows tells the encoding. */
static stemma_status add_open(struct intake *in, struct late_text *late, struct input *input,
                              struct buf *piece, stemma_error *err) {
    const uint8_t *text;
    size_t size;
    for (size_t got = piece->len; got;) {
        text = piece->data;
        size = got;
        TRY(add_steps(in, ORIGINAL, text, size, err));
        TRY(late_text_take(late, &text, &size, err));
        TRY(add_steps(in, TEXT, text, size, err));
        TRY(input_read(input, piece->data, piece->cap, &got, err));
    }
    TRY(late_text_finish(late, &text, &size, err));
    return add_steps(in, TEXT, text, size, err);
}

static struct container_options inside_options(const struct intake *in) {
    return (struct container_options){
        .document = in->reading, .held_most = in->limits.memory / DOCUMENT_TIMES, .stop = in->limits.stop};
}

/* An archive is no document; what comes through a pipe has to be held to be looked into. */
static stemma_status refuse_archive(struct intake *in, struct input *input, struct buf *head,
                                    stemma_error *err) {
    const struct container_options options = inside_options(in);
    bool archive;
    TRY(container_is_archive(input->name, head->data, head->len, &in->reading, &archive, err));
    if (!archive) return STEMMA_OK;
    if (!input->size) TRY(input_read_all(input, options.held_most, head, err));
    struct stream stream = input->size ? stream_of_file(input->name, input->fd, input->size)
                                       : stream_of_memory(input->name, head->data, head->len);
    return container_refuse(&stream, &options, err);
}

static stemma_status add_input(struct intake *in, struct input *input, struct buf *bytes, stemma_error *err) {
    TRY(input_read_head(input, DOCUMENT_HEAD, bytes, err)); /* which decides how it is read */
    TRY(refuse_archive(in, input, bytes, err));
    struct document_kind kind = document_look(input->name, bytes->data, bytes->len, &in->reading);
    if (kind.converted) {
        TRY(input_read_all(input, in->limits.memory / DOCUMENT_TIMES, bytes, err));
        return add_converted(in, input->name, bytes->data, bytes->len, err);
    }
    if (kind.open) {
        struct late_text late = {0};
        stemma_status status = add_open(in, &late, input, bytes, err);
        late_text_release(&late);
        return status;
    }
    TRY(add_plain(in, &kind, bytes->data, bytes->len, err));
    return bytes->len < DOCUMENT_HEAD ? STEMMA_OK : add_rest(in, what_is(kind.format), input, bytes, err);
}

/* What is inside another file has no name of its own there. */
static stemma_status add_contained(struct intake *in, const char *id, stemma_error *err) {
    const struct container_options options = inside_options(in);
    const struct dataset_options datasets = limits_dataset(&in->limits, options.held_most);
    const char *name;
    struct buf bytes = {0};
    stemma_status status = inside_read(id, &options, &datasets, &bytes, &name, err);
    if (status == STEMMA_OK && name)
        status = container_refuse_archive(name, bytes.data, bytes.len, &options, err);
    if (status == STEMMA_OK) status = add_document(in, name, bytes.data, bytes.len, err);
    buf_release(&bytes);
    return in->failed = status;
}

stemma_status intake_add_file(struct intake *in, const char *path, stemma_error *err) {
    struct input input;
    struct buf bytes = {0};
    stemma_status status = input_open(&input, path, err);
    if (status == STEMMA_NOT_FOUND && inside_is_id(path)) return add_contained(in, path, err);
    TRY(status);
    input.stop = in->limits.stop;
    in->failed = add_input(in, &input, &bytes, err);
    buf_release(&bytes);
    input_close(&input);
    return in->failed;
}

stemma_status intake_finish(struct intake *in, struct facts *out, stemma_error *err) {
    if (in->failed) return fail_again(in, err);
    TRY(shingler_finish(in->shingler, err));
    TRY(check_stop(in->limits.stop, err));
    if (in->labeller) TRY(labeller_finish(in->labeller, err));
    out->bytes = in->bytes;
    out->tokens = shingler_tokens(in->shingler);
    out->shingles = shingler_windows(in->shingler);
    digest_finish(&in->raw, out->digest);
    digest_finish(&in->text, out->text_digest);
    return STEMMA_OK;
}

void intake_release(struct intake *in) {
    shingler_free(in->shingler);
    labeller_free(in->labeller);
    in->shingler = NULL;
    in->labeller = NULL;
}

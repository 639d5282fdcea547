#include "api/intake.h"

#include "api/limits.h"
#include "base/alloc.h"

enum {
    READ_MOST = 1 << 18, /* bytes read at a time */
    STEP = 1 << 20       /* bytes between two looks at whether to stop */
};

static void take_text(void *context, const uint8_t *text, size_t size) {
    digest_add(&((struct intake *)context)->text, text, size);
}

stemma_status intake_init(struct intake *in, const struct stemma_recipe *recipe, struct shingle_sink sink,
                          const stemma_limits *limits, stemma_error *err) {
    const struct view *view = &recipe->view;
    *in = (struct intake){.stop = limits->stop};
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

static stemma_status add_steps(struct intake *in, const uint8_t *bytes, size_t size, stemma_error *err) {
    for (size_t step; size; bytes += step, size -= step) {
        step = size < STEP ? size : STEP;
        TRY(check_stop(in->stop, err));
        digest_add(&in->raw, bytes, step);
        in->bytes += step;
        if (in->byte_sink.take) TRY(in->byte_sink.take(in->byte_sink.context, bytes, step, err));
        TRY(shingler_feed(in->shingler, bytes, step, err));
    }
    return STEMMA_OK;
}

stemma_status intake_add(struct intake *in, const void *bytes, size_t size, stemma_error *err) {
    if (in->failed) return fail(err, in->failed, "the document failed before: %s", stemma_status_text(in->failed));
    in->failed = add_steps(in, bytes, size, err);
    return in->failed;
}

static stemma_status add_all(struct intake *in, struct input *input, uint8_t *buffer, size_t size, stemma_error *err) {
    for (;;) {
        size_t got = 0;
        TRY(input_read(input, buffer, size, &got, err));
        if (got == 0) return STEMMA_OK;
        TRY(intake_add(in, buffer, got, err));
    }
}

stemma_status intake_add_file(struct intake *in, const char *path, stemma_error *err) {
    struct input input;
    TRY(input_open(&input, path, err));
    input.stop = in->stop;
    size_t size = input.size && input.size < READ_MOST ? (size_t)input.size : READ_MOST; /* 0: not known */
    uint8_t *buffer = mem_alloc(size);
    stemma_status status = buffer ? add_all(in, &input, buffer, size, err) : fail_memory(err);
    mem_free(buffer);
    input_close(&input);
    in->failed = status;
    return status;
}

stemma_status intake_finish(struct intake *in, struct facts *out, stemma_error *err) {
    if (in->failed) return fail(err, in->failed, "the document failed before: %s", stemma_status_text(in->failed));
    TRY(shingler_finish(in->shingler, err));
    TRY(check_stop(in->stop, err));
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

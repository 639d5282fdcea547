#include "api/document.h"

#include "base/alloc.h"
#include "estimate/estimate.h"

#include <string.h>

enum { READ_MOST = 1 << 18 };

size_t limits_memory(const stemma_limits *limits) {
    return limits && limits->memory ? limits->memory : DEFAULT_MEMORY;
}

const char *limits_directory(const stemma_limits *limits) {
    return limits ? limits->temporary_directory : NULL;
}

static void take_text(void *context, const uint8_t *text, size_t size) {
    digest_add(&((struct document *)context)->text, text, size);
}

stemma_status document_init(struct document *d, const struct stemma_recipe *recipe, struct shingle_sink sink,
                            const stemma_limits *limits, stemma_error *err) {
    const struct view *view = &recipe->view;
    *d = (struct document){.stop = limits ? limits->stop : NULL};
    digest_init(&d->raw);
    digest_init(&d->text);
    if (view->labelled) {
        TRY(labeller_new(view->width, sink, limits_memory(limits), limits_directory(limits), &d->labeller, err));
        sink = labeller_sink(d->labeller);
    }
    struct text_sink text = {d, take_text};
    stemma_status status = shingler_new(view, &recipe->tables, sink, text, &d->shingler, err);
    if (status != STEMMA_OK) document_release(d);
    return status;
}

stemma_status document_add(struct document *d, const void *bytes, size_t size, stemma_error *err) {
    if (d->stop && *d->stop) return fail(err, STEMMA_INTERRUPTED, "interrupted");
    digest_add(&d->raw, bytes, size);
    d->bytes += size;
    return shingler_feed(d->shingler, bytes, size, err);
}

static stemma_status add_all(struct document *d, struct input *input, uint8_t *buffer, size_t size,
                             stemma_error *err) {
    for (;;) {
        size_t got = 0;
        TRY(input_read(input, buffer, size, &got, err));
        if (got == 0) return STEMMA_OK;
        TRY(document_add(d, buffer, got, err));
    }
}

stemma_status document_add_file(struct document *d, const char *path, stemma_error *err) {
    struct input input;
    TRY(input_open(&input, path, err));
    input.stop = d->stop;
    size_t size = input.size && input.size < READ_MOST ? (size_t)input.size : READ_MOST; /* 0: not known */
    uint8_t *buffer = mem_alloc(size);
    stemma_status status = buffer ? add_all(d, &input, buffer, size, err) : fail_memory(err);
    mem_free(buffer);
    input_close(&input);
    return status;
}

stemma_status document_finish(struct document *d, stemma_error *err) {
    TRY(shingler_finish(d->shingler, err));
    if (d->labeller) TRY(labeller_finish(d->labeller, err));
    d->tokens = shingler_tokens(d->shingler);
    d->shingles = shingler_windows(d->shingler);
    digest_finish(&d->raw, d->digest);
    digest_finish(&d->text, d->text_digest);
    return STEMMA_OK;
}

void document_release(struct document *d) {
    shingler_free(d->shingler);
    labeller_free(d->labeller);
    d->shingler = NULL;
    d->labeller = NULL;
}

/* ---- the verdict ---- */

static bool same_digest(const uint8_t *a, const uint8_t *b) {
    return memcmp(a, b, DIGEST_SIZE) == 0;
}

void conclude(const struct facts *a, const struct facts *b, uint32_t window, const struct estimates *e,
              const stemma_thresholds *thresholds, stemma_comparison *out) {
    stemma_thresholds lines = thresholds ? *thresholds : stemma_thresholds_default();
    bool certain = true;
    stemma_relation relation;
    if (a->bytes == b->bytes && same_digest(a->digest, b->digest))
        relation = STEMMA_IDENTICAL;
    else if (a->tokens && a->tokens == b->tokens && same_digest(a->text_digest, b->text_digest))
        relation = STEMMA_SAME_TEXT;
    else if (a->tokens < window || b->tokens < window)
        relation = STEMMA_UNKNOWN; /* less than one window: shingles cannot tell */
    else
        relation = judge(e, &lines, &certain);
    *out = (stemma_comparison){
        .relation = relation,
        .resemblance = e->resemblance,
        .a_in_b = e->a_in_b,
        .b_in_a = e->b_in_a,
        .cosine = e->cosine,
        .certain = certain && relation != STEMMA_UNKNOWN,
    };
    if (a->tokens == 0 || b->tokens == 0) /* no number then, whether from sets or from sketches */
        out->resemblance = out->a_in_b = out->b_in_a = out->cosine = (stemma_quantity){.why = "there is no text"};
}

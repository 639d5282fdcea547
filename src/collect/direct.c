#include "collect/direct.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "index/stored_samples.h"
#include "scan/reading.h"
#include "sketch/text_keys.h"

struct direct {
    const struct collection *store;
    const struct stemma_recipe *recipe;
    struct asker_settings settings;
    struct document_options reading;
    struct identity_key key;
    struct asker *asker;
    struct key_form form;
    struct keyer *keyer;
    struct whole *whole;
    struct extractor extractor;
    struct asked_document asked;
};

void direct_free(struct direct *d) {
    if (!d) return;
    asker_free(d->asker);
    keyer_free(d->keyer);
    whole_free(d->whole);
    extractor_release(&d->extractor);
    asked_document_release(&d->asked);
    mem_free(d);
}

static stemma_status prepare(struct direct *d, struct collection *store, stemma_error *err) {
    const struct view *view = &d->recipe->view;
    identity_key_lasting(&d->key);
    d->form = index_form(view);
    d->reading = document_options_for(view->folds, &d->settings.limits);
    TRY(asker_new(store, d->recipe, &d->settings, &d->asker, err));
    TRY(keyer_new(d->form, &d->keyer, err));
    return whole_new(view, &d->recipe->tables, &d->whole, err);
}

stemma_status direct_new(struct collection *store, const struct stemma_recipe *recipe,
                         const struct asker_settings *settings, struct direct **out, stemma_error *err) {
    struct direct *d = mem_zero(1, sizeof *d);
    if (!d) return fail_memory(err);
    d->store = store;
    d->recipe = recipe;
    d->settings = *settings;
    stemma_status status = prepare(d, store, err);
    if (status == STEMMA_OK)
        *out = d;
    else
        direct_free(d);
    return status;
}

const struct asker_settings *direct_settings(const struct direct *d) {
    return &d->settings;
}

/* The canonical text; none of what is no text. */
static stemma_status read_text(struct direct *d, const void *data, size_t size, const uint8_t **text,
                               size_t *text_size, bool *binary, stemma_error *err) {
    struct document_text extracted;
    *text_size = 0;
    TRY(document_extract(&d->extractor, NULL, data, size, &d->reading, &extracted, err));
    *binary = extracted.format == TEXT_BINARY;
    if (*binary) return STEMMA_OK;
    return whole_canon(d->whole, extracted.bytes, extracted.size, text, text_size, err);
}

static void set_bytes(struct direct *d, const void *data, size_t size) {
    d->asked.bytes = data;
    d->asked.size = size;
    identity_store(identity_of(&d->key, data, size), d->asked.digest);
}

static stemma_status set_text(struct direct *d, const uint8_t *text, size_t text_size, stemma_error *err) {
    struct asked_document *a = &d->asked;
    a->by_bytes = false;
    a->text = text;
    a->text_size = text_size;
    identity_store(identity_of(&d->key, text, text_size), a->text_digest);
    TRY(text_keys(d->keyer, &d->form, d->whole, text, text_size, a->minima, &a->samples, err));
    samples_cut_for(collection_schema(d->store), &a->samples);
    minima_set_size(a->minima, keyer_size(d->keyer));
    return STEMMA_OK;
}

stemma_status direct_ask(struct direct *d, const void *data, size_t size, struct direct_answer *answer,
                         stemma_error *err) {
    const uint8_t *text;
    size_t text_size;
    bool binary = false;
    const double begun = clock_seconds();
    *answer = (struct direct_answer){0};
    stemma_status status = read_text(d, data, size, &text, &text_size, &binary, &answer->cause);
    answer->failed = is_problem(status);
    if (answer->failed) return STEMMA_OK;
    if (status != STEMMA_OK) return fail(err, status, "%s", answer->cause.message);
    answer->asked = text_size > 0 || binary;
    if (!answer->asked) return STEMMA_OK;
    set_bytes(d, data, size);
    if (binary)
        asked_set_bytes(&d->asked);
    else
        TRY(set_text(d, text, text_size, err));
    answer->seconds_reading = clock_seconds() - begun;
    return asker_ask(d->asker, &d->asked, 1, &answer->answers, &answer->work, err);
}

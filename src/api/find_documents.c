/*
 * Documents of any format, searched as a scan reads them: plain text as it is and in pieces, however large;
 * of what has to be converted the text, held as a whole; of what holds documents each of them.
 */
#include "api/find.h"
#include "api/limits.h"
#include "read/inside.h"

struct finding {
    const stemma_finder *finder;
    struct document_options reading;
    stemma_limits limits;
    stemma_take_found *take;
    void (*problem)(void *context, const char *id, const stemma_error *cause);
    void *context;
    bool inside; /* what holds documents is gone through */
    struct extractor extractor;
    struct container_visitor visitor;
};

static size_t held_most(const struct finding *f) {
    return f->limits.memory / DOCUMENT_TIMES;
}

static struct document_options reading_options(const stemma_finder *finder, const stemma_limits *limits) {
    struct document_options reading = document_options_for(finder->view.folds, limits);
    if (finder->most_unpacked) reading.limits.unpacked_most = finder->most_unpacked;
    return reading;
}

static struct container_options inside_options(const struct document_options *reading,
                                               const stemma_limits *limits) {
    return (struct container_options){
        .document = *reading, .held_most = limits->memory / DOCUMENT_TIMES, .stop = limits->stop};
}

/* The findings are given away; nothing more is wanted when the taker says so. */
static void hand_on(struct finding *f, const stemma_found *found, stemma_findings *findings) {
    if (!f->take(f->context, found)) f->visitor.enough = true;
    stemma_findings_free(findings);
}

/* ---- one document ---- */

static void tell_damage(const struct finding *f, const char *id, const char *damage) {
    stemma_error what;
    document_tell_damage(id, damage, &what);
    f->problem(f->context, id, &what);
}

static stemma_status search_held(struct finding *f, const char *id, const uint8_t *bytes, size_t size,
                                 stemma_error *err) {
    struct document_text text;
    stemma_findings *findings;
    TRY(document_extract(&f->extractor, id, bytes, size, &f->reading, &text, err));
    if (text.damage) tell_damage(f, id, text.damage);
    TRY(find_in_bytes(f->finder, text.bytes, text.size, f->limits.stop, &findings, err));
    const stemma_found found = {.id = id,
                                .findings = findings,
                                .extracted = text.extracted || text.size != size, /* behind a mark */
                                .text = (const char *)text.bytes,
                                .text_size = text.size};
    hand_on(f, &found, findings);
    return STEMMA_OK;
}

/* Pages and the like that are too long to be converted are still bytes that can be searched, but for those
 * of UTF-16 and of single languages, in which no text of a target is ever found; and so is a mail whose
 * attachments are not gone through, since its body is not all of it. */
static bool is_searched_as_it_is(const struct finding *f, const struct input *input,
                                 const struct document_kind *kind, enum container_kind container) {
    bool other = kind->encoding == ENCODING_UTF16LE || kind->encoding == ENCODING_UTF16BE ||
                 kind->encoding >= ENCODING_LEGACY;
    bool too_long = input->size > held_most(f) && format_is_characters(kind->format) && !other;
    bool attached = kind->format == TEXT_MAIL && container == CONTAINER_MAIL && !f->inside;
    return (!kind->converted && !kind->mark) || too_long || attached;
}

static stemma_status search_input(struct finding *f, struct input *input, struct buf *head,
                                  enum container_kind container, stemma_error *err) {
    struct document_kind kind = document_look(input->name, head->data, head->len, &f->reading);
    stemma_findings *findings;
    if (is_searched_as_it_is(f, input, &kind, container)) {
        TRY(find_in_input(f->finder, input, head, f->limits.stop, &findings, err));
        hand_on(f, &(stemma_found){.id = input->name, .findings = findings}, findings);
        return STEMMA_OK;
    }
    TRY(input_read_all(input, held_most(f), head, err));
    return search_held(f, input->name, head->data, head->len, err);
}

/* ---- what holds documents ---- */

static stemma_status take_contained(void *context, const struct contained *document, stemma_error *err) {
    struct finding *f = context;
    stemma_error cause;
    if (document->kind > CONTAINER_MAIL) return STEMMA_OK;
    stemma_status status = search_held(f, document->id, document->bytes, document->size, &cause);
    if (status == STEMMA_OK) return STEMMA_OK;
    if (status != STEMMA_CORRUPT && status != STEMMA_UNSUPPORTED)
        return fail(err, status, "%s", cause.message);
    f->problem(f->context, document->id, &cause);
    return STEMMA_OK;
}

static void take_problem(void *context, const char *id, const stemma_error *cause) {
    struct finding *f = context;
    f->problem(f->context, id, cause);
}

static stemma_status search_inside(struct finding *f, const struct input *input, stemma_error *err) {
    struct container_options options = inside_options(&f->reading, &f->limits);
    struct stream stream = stream_of_file(input->name, input->fd, input->size);
    return container_walk(&stream, &options, &f->visitor, err);
}

/* What comes through a pipe can be gone through only once: its bytes are searched as they are. */
static stemma_status search_opened(struct finding *f, struct input *input, struct buf *head,
                                   stemma_error *err) {
    enum container_kind kind = CONTAINER_NONE;
    TRY(input_read_head(input, DOCUMENT_HEAD, head, err));
    if (!input->size) f->inside = false;
    if (f->reading.format != FORMAT_BYTES)
        TRY(container_look(input->name, head->data, head->len, &f->reading, &kind, err));
    if (kind <= CONTAINER_MAIL || !f->inside) TRY(search_input(f, input, head, kind, err));
    return kind == CONTAINER_NONE || !f->inside || f->visitor.enough ? STEMMA_OK
                                                                     : search_inside(f, input, err);
}

static stemma_status search_member(struct finding *f, const char *id, stemma_error *err) {
    struct container_options options = inside_options(&f->reading, &f->limits);
    struct buf bytes = {0};
    stemma_status status = container_read(id, &options, &bytes, err);
    if (status == STEMMA_OK) status = search_held(f, id, bytes.data, bytes.len, err);
    buf_release(&bytes);
    return status;
}

static stemma_status search_path(struct finding *f, const char *path, stemma_error *err) {
    struct input input;
    struct buf head = {0};
    stemma_status status = input_open(&input, path, err);
    if (status == STEMMA_NOT_FOUND && container_is_id(path)) return search_member(f, path, err);
    TRY(status);
    input.stop = f->limits.stop;
    status = search_opened(f, &input, &head, err);
    buf_release(&head);
    input_close(&input);
    return status;
}

static void ignore_problem(void *context, const char *id, const stemma_error *cause) {
    (void)context, (void)id, (void)cause;
}

stemma_status stemma_find_documents(const stemma_finder *finder, const char *path, bool inside,
                                    const stemma_limits *given, stemma_take_found *take,
                                    void (*problem)(void *context, const char *id, const stemma_error *cause),
                                    void *context, stemma_error *err) {
    if (!finder || !path || !take)
        return fail(err, STEMMA_INVALID, "a finder, a file and someone to take what is found are needed");
    struct finding f = {.finder = finder,
                        .take = take,
                        .problem = problem ? problem : ignore_problem,
                        .context = context,
                        .inside = inside};
    TRY(limits_check(given, &f.limits, err));
    f.reading = reading_options(finder, &f.limits);
    f.visitor =
        (struct container_visitor){.context = &f, .document = take_contained, .problem = take_problem};
    stemma_status status = search_path(&f, path, err);
    extractor_release(&f.extractor);
    return status;
}

/* ---- what is looked for ---- */

static stemma_status add_text(stemma_finder *finder, const char *path, const struct buf *bytes,
                              const stemma_limits *limits, stemma_error *err) {
    struct document_options reading = reading_options(finder, limits);
    struct container_options options = inside_options(&reading, limits);
    struct extractor extractor = {0};
    struct document_text text;
    TRY(container_refuse_archive(path, bytes->data, bytes->len, &options, err));
    stemma_status status = document_extract(&extractor, path, bytes->data, bytes->len, &reading, &text, err);
    if (status == STEMMA_OK) limits_warn(limits, path, text.damage);
    if (status == STEMMA_OK) status = finder_add(finder, text.bytes, text.size, path, err);
    extractor_release(&extractor);
    return status;
}

static stemma_status read_target(const stemma_finder *finder, const char *path, const stemma_limits *limits,
                                 struct buf *bytes, stemma_error *err) {
    struct document_options reading = reading_options(finder, limits);
    struct container_options options = inside_options(&reading, limits);
    const struct dataset_options datasets = limits_dataset(limits, options.held_most);
    const char *name;
    struct input input;
    stemma_status status = input_open(&input, path, err);
    if (status == STEMMA_NOT_FOUND && inside_is_id(path))
        return inside_read(path, &options, &datasets, bytes, &name, err);
    TRY(status);
    input.stop = limits->stop;
    status = input_read_all(&input, limits->memory, bytes, err);
    input_close(&input);
    return status;
}

stemma_status find_add_target(stemma_finder *finder, const char *path, const stemma_limits *limits,
                              stemma_error *err) {
    struct buf bytes = {0};
    stemma_status status = read_target(finder, path, limits, &bytes, err);
    if (status == STEMMA_OK) status = add_text(finder, path, &bytes, limits, err);
    buf_release(&bytes);
    return status;
}

/* Containers for those who want one document of them, or to know what there is. */
#include "base/file.h"
#include "read/container.h"

#include <string.h>

/* ---- one of them ---- */

bool container_is_id(const char *id) {
    return strstr(id, CONTAINER_SEPARATOR) != NULL;
}

struct wanted {
    const char *id;
    struct buf *bytes;
    bool found;
    stemma_error failure; /* of what was on the way to it */
    struct container_visitor *visitor;
};

static stemma_status take_wanted(void *context, const struct contained *document, stemma_error *err) {
    struct wanted *wanted = context;
    if (strcmp(document->id, wanted->id)) return STEMMA_OK;
    wanted->found = wanted->visitor->enough = true;
    return buf_add(wanted->bytes, document->bytes, document->size) ? STEMMA_OK : fail_memory(err);
}

static void take_failure(void *context, const char *id, const stemma_error *cause) {
    struct wanted *wanted = context;
    bool machine = cause->status == STEMMA_IO; /* nothing behind it can be read, either */
    if (machine || !strncmp(id, wanted->id, strlen(id))) wanted->failure = *cause;
}

static stemma_status read_wanted(struct input *input, const struct container_options *options,
                                 struct wanted *wanted, stemma_error *err) {
    struct container_visitor visitor = {.context = wanted, .document = take_wanted, .problem = take_failure};
    struct stream stream = stream_of_file(input->name, input->fd, input->size);
    wanted->visitor = &visitor;
    TRY(container_walk(&stream, options, &visitor, err));
    if (wanted->found) return STEMMA_OK;
    if (wanted->failure.status != STEMMA_OK)
        return fail(err, wanted->failure.status, "%s", wanted->failure.message);
    return fail(err, STEMMA_NOT_FOUND, "there is no '%s' in '%s'",
                wanted->id + strlen(input->name) + strlen(CONTAINER_SEPARATOR), input->name);
}

/* The file is as much of the id as names one; a name may hold a separator itself. */
stemma_status container_read(const char *id, const struct container_options *options, struct buf *bytes,
                             stemma_error *err) {
    struct wanted wanted = {.id = id, .bytes = bytes};
    struct buf path = {0};
    struct input input;
    stemma_status status = STEMMA_NOT_FOUND;
    for (const char *end = strstr(id, CONTAINER_SEPARATOR); end && status == STEMMA_NOT_FOUND;
         end = strstr(end + 1, CONTAINER_SEPARATOR)) {
        path.len = 0;
        if (!buf_add(&path, id, (size_t)(end - id)) || !buf_add_byte(&path, 0))
            status = fail_memory(err);
        else
            status = input_open(&input, (const char *)path.data, err);
    }
    if (status == STEMMA_OK) {
        status = read_wanted(&input, options, &wanted, err);
        input_close(&input);
    }
    buf_release(&path);
    return status;
}

/* ---- what there is ---- */

struct listed {
    uint64_t count;
    struct buf first;     /* the id of the first document */
    stemma_error failure; /* the first */
};

static stemma_status count_document(void *context, const struct contained *document, stemma_error *err) {
    struct listed *listed = context;
    bool first = listed->count++ == 0;
    if (first && !buf_add(&listed->first, document->id, strlen(document->id) + 1)) return fail_memory(err);
    return STEMMA_OK;
}

static void count_failure(void *context, const char *id, const stemma_error *cause) {
    struct listed *listed = context;
    (void)id;
    if (listed->failure.status == STEMMA_OK) listed->failure = *cause;
}

stemma_status container_is_archive(const char *name, const uint8_t *bytes, size_t size,
                                   const struct document_options *reading, bool *out, stemma_error *err) {
    enum container_kind kind = CONTAINER_NONE;
    if (reading->format != FORMAT_BYTES) TRY(container_look(name, bytes, size, reading, &kind, err));
    *out = kind == CONTAINER_ARCHIVE || kind == CONTAINER_WARC;
    return STEMMA_OK;
}

stemma_status container_refuse_archive(const char *name, const uint8_t *bytes, size_t size,
                                       const struct container_options *options, stemma_error *err) {
    struct stream stream = stream_of_memory(name, bytes, size);
    bool archive;
    TRY(container_is_archive(name, bytes, size, &options->document, &archive, err));
    return archive ? container_refuse(&stream, options, err) : STEMMA_OK;
}

stemma_status container_refuse(const struct stream *stream, const struct container_options *options,
                               stemma_error *err) {
    const char *name = stream->name;
    struct listed listed = {0};
    struct container_visitor visitor = {
        .context = &listed, .document = count_document, .problem = count_failure};
    stemma_status status = container_walk(stream, options, &visitor, err);
    if (status == STEMMA_OK && listed.count)
        status = fail(err, STEMMA_UNSUPPORTED, "'%s' holds %llu document%s: name one, such as '%s'", name,
                      (unsigned long long)listed.count, listed.count == 1 ? "" : "s",
                      (const char *)listed.first.data);
    else if (status == STEMMA_OK && listed.failure.status != STEMMA_OK)
        status = fail(err, listed.failure.status, "%s", listed.failure.message);
    else if (status == STEMMA_OK)
        status = fail(err, STEMMA_UNSUPPORTED, "'%s' is an archive, and holds no documents", name);
    buf_release(&listed.first);
    return status;
}

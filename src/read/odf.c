#include "read/odf.h"

#include "read/markup.h"
#include "read/xml.h"
#include "read/zip_parts.h"

#include <string.h>

struct package {
    struct zip_parts zip;
    size_t text_most;
    struct buf headers, body, notes;
    bool with_headers; /* of sheets and slides they are forms that nobody filled in */
    bool found, encrypted;
    stemma_error *damage;
};

static bool is_wanted(void *context, const char *name) {
    struct package *p = context;
    if (!strcmp(name, "content.xml")) return !p->found;
    return p->with_headers && !strcmp(name, "styles.xml");
}

/* Parts that are encrypted look like damaged ones: only the list of parts tells. */
static bool look_for_encryption(void *context, const char *name, const char **attributes) {
    struct package *p = context;
    (void)attributes;
    if (!strcmp(name, "encryption-data")) p->encrypted = true;
    return !p->encrypted;
}

static stemma_status take_manifest(struct package *p, const uint8_t *bytes, size_t size, stemma_error *err) {
    static const struct xml_events events = {.begin = look_for_encryption};
    TRY(xml_parse(bytes, size, NULL, &events, p, p->zip.stop, err));
    return p->encrypted ? fail(err, STEMMA_UNSUPPORTED, "it is encrypted") : STEMMA_OK;
}

static stemma_status take_text(struct package *p, const uint8_t *bytes, size_t size, struct buf *text,
                               stemma_error *err) {
    size_t used = p->headers.len + p->body.len + p->notes.len;
    size_t left = used < p->text_most ? p->text_most - used : 0;
    struct text_writer writer = {.out = text, .most = text->len + left},
                       notes = {.out = &p->notes, .most = p->notes.len + left};
    TRY(markup_text(&markup_opendocument, bytes, size, &writer, &notes, p->zip.stop, p->damage, err));
    write_break(&writer);
    TRY(writer_finish(&writer, err));
    return writer_finish(&notes, err);
}

static stemma_status take_part(void *context, const char *name, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    struct package *p = context;
    if (!strcmp(name, "META-INF/manifest.xml")) return take_manifest(p, bytes, size, err);
    if (!strcmp(name, "styles.xml")) return take_text(p, bytes, size, &p->headers, err);
    p->found = true;
    return take_text(p, bytes, size, &p->body, err);
}

/* The list of parts may come last, and tells why the others cannot be read. */
static bool is_manifest(void *context, const char *name) {
    (void)context;
    return !strcmp(name, "META-INF/manifest.xml");
}

static stemma_status read_package(struct package *p, struct buf *out, stemma_error *err) {
    static const struct zip_taker manifest = {is_manifest, take_part}, taker = {is_wanted, take_part};
    TRY(zip_parts_each(&p->zip, &manifest, p, err));
    TRY(zip_parts_each(&p->zip, &taker, p, err));
    if (!p->found) return fail(err, STEMMA_CORRUPT, "it has no content.xml");
    markup_drop_repeated_lines(&p->headers);
    bool done = buf_add(out, p->headers.data, p->headers.len) && buf_add(out, p->body.data, p->body.len) &&
                buf_add(out, p->notes.data, p->notes.len);
    return done ? STEMMA_OK : fail_memory(err);
}

stemma_status odf_text(enum text_format format, const uint8_t *bytes, size_t size,
                       const struct reading_limits *limits, struct buf *out, stemma_error *damage,
                       stemma_error *err) {
    struct package package = {
        .with_headers = format == TEXT_ODT, .text_most = reading_text_most(limits) / 2, .damage = damage};
    zip_parts_init(&package.zip, bytes, size, limits);
    stemma_status status = read_package(&package, out, err);
    zip_parts_release(&package.zip);
    buf_release(&package.headers);
    buf_release(&package.body);
    buf_release(&package.notes);
    return status;
}

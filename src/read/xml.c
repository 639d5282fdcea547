#include "read/xml.h"

#include "read/damage.h"
#include "read/entity.h"
#include "read/text_writer.h"
#include "text/utf8.h"

#define XML_DTD 1 /* the header shows the limits of entities only to those who ask */
#include <expat.h>
#include <stdio.h>
#include <string.h>

/* Entities may make a document ten times as long, from this size on;
 * books use them for names and the like. */
#define AMPLIFICATION      10.0f
#define AMPLIFICATION_FROM ((size_t)1 << 18)

/* Bytes, and elements, between two looks at whether to stop. A token that goes on beyond its piece is looked
 * at again with each: small pieces would make long tokens expensive. */
enum { PIECE = 16 << 20, LOOK_ELEMENTS = 1024 };

struct walk {
    XML_Parser parser;
    const struct xml_events *events;
    void *context;
    const volatile int *stop;
    unsigned depth, elements;
    bool too_deep;
};

static const char *local_name(const char *name) {
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

const char *xml_attribute(const char **attributes, const char *name) {
    bool whole = strchr(name, ':');
    for (; *attributes; attributes += 2)
        if (!strcmp(whole ? *attributes : local_name(*attributes), name)) return attributes[1];
    return NULL;
}

static void go_on(struct walk *w, bool wanted) {
    if (!wanted) XML_StopParser(w->parser, XML_FALSE);
}

static void XMLCALL begin_element(void *context, const XML_Char *name, const XML_Char **attributes) {
    struct walk *w = context;
    w->too_deep = ++w->depth > XML_DEPTH_MOST;
    bool stopped = ++w->elements % LOOK_ELEMENTS == 0 && check_stop(w->stop, NULL) != STEMMA_OK;
    go_on(w, !w->too_deep && !stopped && w->events->begin(w->context, local_name(name), attributes));
}

static void XMLCALL end_element(void *context, const XML_Char *name) {
    struct walk *w = context;
    w->depth--;
    if (w->events->end) go_on(w, w->events->end(w->context, local_name(name)));
}

static void XMLCALL take_text(void *context, const XML_Char *text, int size) {
    struct walk *w = context;
    if (w->events->text) go_on(w, w->events->text(w->context, text, (size_t)size));
}

/* ---- what is not in the document ---- */

static void XMLCALL miss_entity(void *context, const XML_Char *name, int of_parameters) {
    struct walk *w = context;
    char reference[64];
    uint8_t character[4];
    uint32_t cp;
    int size = snprintf(reference, sizeof reference, "&%s;", name);
    bool known = size < (int)sizeof reference &&
                 entity_decode((const uint8_t *)reference, (size_t)size, &cp) == (size_t)size;
    if (of_parameters) return;
    if (known)
        take_text(w, (const char *)character, (int)utf8_encode(cp, character));
    else if (w->events->missing)
        go_on(w, w->events->missing(w->context, name));
}

static int XMLCALL pass_external(XML_Parser walk, const XML_Char *context, const XML_Char *base,
                                 const XML_Char *name, const XML_Char *public_name) {
    struct walk *w = (struct walk *)walk; /* as it was asked for */
    (void)context, (void)base, (void)public_name;
    if (w->events->missing) go_on(w, w->events->missing(w->context, name ? name : ""));
    return XML_STATUS_OK;
}

static stemma_status walk_failed(const struct walk *w, stemma_error *err) {
    enum XML_Error cause = XML_GetErrorCode(w->parser);
    if (cause == XML_ERROR_NO_MEMORY) return fail_memory(err);
    if (w->too_deep)
        return fail(err, STEMMA_UNSUPPORTED, "its XML is nested more than %d deep", XML_DEPTH_MOST);
    if (cause == XML_ERROR_ABORTED) return check_stop(w->stop, err);
    if (cause == XML_ERROR_AMPLIFICATION_LIMIT_BREACH)
        return fail(err, STEMMA_UNSUPPORTED, "entities of its XML expand to more than ten times its size");
    return fail(err, STEMMA_CORRUPT, "broken XML in line %lu: %s",
                (unsigned long)XML_GetCurrentLineNumber(w->parser), XML_ErrorString(cause));
}

static stemma_status feed(struct walk *w, const uint8_t *bytes, size_t size, bool whole, stemma_error *err) {
    for (size_t step;; bytes += step, size -= step) {
        step = size < PIECE ? size : PIECE;
        bool last = step == size;
        TRY(check_stop(w->stop, err));
        enum XML_Status status =
            XML_Parse(w->parser, step ? (const char *)bytes : "", (int)step, last && whole);
        if (status != XML_STATUS_OK) return walk_failed(w, err);
        if (last) return STEMMA_OK;
    }
}

static stemma_status parse(const uint8_t *bytes, size_t size, bool whole, const char *encoding,
                           const struct xml_events *events, void *context, const volatile int *stop,
                           stemma_error *err) {
    struct walk walk = {
        .events = events, .context = context, .stop = stop, .parser = XML_ParserCreate(encoding)};
    if (!walk.parser) return fail_memory(err);
    XML_SetUserData(walk.parser, &walk);
    XML_SetElementHandler(walk.parser, begin_element, end_element);
    XML_SetCharacterDataHandler(walk.parser, take_text);
    XML_SetSkippedEntityHandler(walk.parser, miss_entity);
    XML_SetExternalEntityRefHandler(walk.parser, pass_external);
    XML_SetExternalEntityRefHandlerArg(walk.parser, &walk);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(walk.parser, AMPLIFICATION);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(walk.parser, AMPLIFICATION_FROM);
    stemma_status status = feed(&walk, bytes, size, whole, err);
    XML_ParserFree(walk.parser);
    return status;
}

stemma_status xml_parse(const uint8_t *bytes, size_t size, const char *encoding,
                        const struct xml_events *events, void *context, const volatile int *stop,
                        stemma_error *err) {
    return parse(bytes, size, true, encoding, events, context, stop, err);
}

static bool pass_element(void *context, const char *name, const char **attributes) {
    (void)context, (void)name, (void)attributes;
    return true;
}

/* Windows-1252 is Latin-1 here: both have the same marks, and the same letters in nearly all names. */
static const char *name_of(enum encoding encoding) {
    if (encoding == ENCODING_UTF16LE) return "UTF-16LE";
    if (encoding == ENCODING_UTF16BE) return "UTF-16BE";
    return encoding == ENCODING_LATIN1 ? "ISO-8859-1" : "UTF-8";
}

bool xml_begins(enum encoding encoding, const uint8_t *bytes, size_t size, bool whole) {
    static const struct xml_events events = {.begin = pass_element};
    return parse(bytes, size, whole, name_of(encoding), &events, NULL, NULL, NULL) == STEMMA_OK;
}

/* ---- any document ---- */

struct any {
    struct text_writer writer;
    stemma_error *damage;
};

static bool separate(void *context, const char *name, const char **attributes) {
    (void)name, (void)attributes;
    write_space(&((struct any *)context)->writer);
    return true;
}

static bool separate_end(void *context, const char *name) {
    return separate(context, name, NULL);
}

static bool take_words(void *context, const char *text, size_t size) {
    struct text_writer *writer = &((struct any *)context)->writer;
    bool line = size == 1 &&
                *text == '\n'; /* expat gives it alone: lines stay, so that differences are shown by them */
    if (line)
        write_break(writer);
    else
        write_words(writer, text, size);
    return writer_is_good(writer);
}

void xml_note_missing(stemma_error *damage, const char *entity) {
    NOTE_DAMAGE(damage, "its XML refers to '%s', which is not in it", entity);
}

static bool note_missing(void *context, const char *entity) {
    xml_note_missing(((struct any *)context)->damage, entity);
    return true;
}

stemma_status xml_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err) {
    static const struct xml_events events = {separate, separate_end, take_words, note_missing};
    struct any any = {.writer = {.out = out, .most = reading_text_most(limits)}, .damage = damage};
    TRY(xml_parse(bytes, size, "UTF-8", &events, &any, limits->stop, err));
    return writer_finish(&any.writer, err);
}

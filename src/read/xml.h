/*
 * XML as a stream of events, from whoever wrote it: nothing outside the document is ever loaded, entities
 * expand to no more than a small multiple of the document, elements nest no deeper than XML_DEPTH_MOST.
 */
#ifndef READ_XML_H
#define READ_XML_H

#include "base/error.h"
#include "read/encoding.h"
#include "read/reading_limits.h"

#include <stdbool.h>
#include <stdint.h>

#define XML_DEPTH_MOST 1000

/* Names come without their prefix. Each returns whether to go on. */
struct xml_events {
    bool (*begin)(void *context, const char *name, const char **attributes); /* name, value, ..., NULL */
    bool (*end)(void *context, const char *name);                            /* may be NULL */
    bool (*text)(void *context, const char *text, size_t size);              /* may be NULL */
    bool (*missing)(void *context, const char *entity); /* that is not in the document; may be NULL */
};

/* encoding: what it is in whatever it says; NULL: as it says. CORRUPT when it is not well-formed, UNSUPPORTED
 * beyond the limits above, NO_MEMORY, INTERRUPTED. That a callback gave up is no failure: it knows why. */
stemma_status xml_parse(const uint8_t *bytes, size_t size, const char *encoding,
                        const struct xml_events *events, void *context, const volatile int *stop,
                        stemma_error *err);

/* Whether bytes, all of a document or its beginning, are well-formed, and within the limits. */
bool xml_begins(enum encoding encoding, const uint8_t *bytes, size_t size, bool whole);

/* The value of an attribute, by its name without prefix, or with it where name has one; NULL: it is not
 * there. */
const char *xml_attribute(const char **attributes, const char *name);

/* What is told of an entity that is not in the document. */
void xml_note_missing(stemma_error *damage, const char *entity);

/* The text of any XML document, in UTF-8: elements separate words. Entities that are not in it are damage. */
struct buf;
stemma_status xml_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err);

#endif

/* Which format a document has: by how it begins, and by its name. */
#ifndef READ_FORMAT_H
#define READ_FORMAT_H

#include "read/encoding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names are those that results have: they never change. */
#define TEXT_FORMAT_LIST(X)                                                                                  \
    X(TEXT_PLAIN, "text")                                                                                    \
    X(TEXT_HTML, "html")                                                                                     \
    X(TEXT_MARKDOWN, "markdown")                                                                             \
    X(TEXT_BINARY, "binary") /* no text that can be had */                                                   \
    X(TEXT_XML, "xml")                                                                                       \
    X(TEXT_RTF, "rtf")                                                                                       \
    X(TEXT_PDF, "pdf")                                                                                       \
    X(TEXT_DOCX, "docx")                                                                                     \
    X(TEXT_XLSX, "xlsx")                                                                                     \
    X(TEXT_PPTX, "pptx")                                                                                     \
    X(TEXT_ODT, "odt")                                                                                       \
    X(TEXT_ODS, "ods")                                                                                       \
    X(TEXT_ODP, "odp")                                                                                       \
    X(TEXT_EPUB, "epub")                                                                                     \
    X(TEXT_MAIL, "mail")                                                                                     \
    X(TEXT_PACKED, "compressed")                                                                             \
    X(TEXT_LOCKED, "encrypted") /* an office document behind a password */                                   \
    X(TEXT_OLD_OFFICE, "old-office")

enum text_format {
#define TEXT_FORMAT_ENTRY(format, name) format,
    TEXT_FORMAT_LIST(TEXT_FORMAT_ENTRY)
#undef TEXT_FORMAT_ENTRY
};

const char *format_name(enum text_format format);

/* Whether its bytes are characters, of which an encoding makes text. */
bool format_is_characters(enum text_format format);

/* Whether one without a word is an empty text. Of the others it is what has no text: pages that are pictures,
 * say, which only their bytes tell apart. */
bool format_may_be_empty(enum text_format format);

#define FORMAT_SAMPLE 1024 /* bytes in which a page shows itself */

/* Of a document that begins like this, behind a mark; whole: that is all of it. The name may be NULL. Binary
 * formats are known by their bytes alone; what is none of them is text, in this encoding. */
enum text_format format_guess(const char *name, enum encoding encoding, const uint8_t *text, size_t size,
                              bool whole);

/* Whether it says that it is XML; else what begins with a tag is taken for it if it is well-formed. */
bool format_says_xml(const uint8_t *text, size_t size);

#endif

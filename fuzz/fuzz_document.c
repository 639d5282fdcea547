/*
 * Whatever a document pretends to be, it has a text, the same each time, not much longer than itself; where it was
 * decoded and nothing else, it is UTF-8.
 *
 * Input: a byte that chooses name and encoding, the document.
 */
#include "read/document.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) abort();                                                                           \
    } while (0)

static void check_utf8(const struct document_text *text) {
    for (size_t at = 0; at < text->size;) {
        uint32_t cp;
        size_t length = utf8_decode(text->bytes + at, text->size - at, &cp);
        REQUIRE(length > 0 && cp != UTF8_INVALID);
        at += length;
    }
}

static void check_same(const struct document_text *a, const struct document_text *b) {
    REQUIRE(a->format == b->format && a->encoding == b->encoding && a->extracted == b->extracted);
    REQUIRE(a->size == b->size && (a->size == 0 || !memcmp(a->bytes, b->bytes, a->size)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {NULL, "page.html", "page.md", "text.txt"};
    if (size == 0) return 0;
    const char *name = names[data[0] & 3];
    struct document_options options = {.encoding = (enum encoding)((data[0] >> 2) % 6), .format = FORMAT_AUTO};
    data++, size--;
    struct extractor x = {0}, again = {0};
    struct document_text text, other;
    REQUIRE(document_extract(&x, name, data, size, &options, &text, NULL) == STEMMA_OK);
    REQUIRE(document_extract(&again, name, data, size, &options, &other, NULL) == STEMMA_OK);
    check_same(&text, &other);
    REQUIRE(text.extracted || text.bytes == data || text.bytes == data + 3);
    REQUIRE(text.size <= 3 * size + 3 || text.format == TEXT_MARKDOWN); /* where a tab may become four spaces */
    REQUIRE(text.size <= 12 * size + 3);
    if (text.extracted && text.format == TEXT_PLAIN) check_utf8(&text);
    extractor_release(&x);
    extractor_release(&again);
    return 0;
}

/*
 * Whatever a document pretends to be, it has a text or is refused, the same each time; of characters the text
 * is not much longer than the document; where it was decoded and nothing else, it is UTF-8.
 *
 * Input: a byte that chooses name and encoding, the document.
 */
#include "fuzz.h"

#include "read/document.h"

static void check_same(const struct document_text *a, const struct document_text *b) {
    REQUIRE(a->format == b->format && a->encoding == b->encoding && a->extracted == b->extracted);
    REQUIRE(!a->damage == !b->damage && (!a->damage || *a->damage));
    REQUIRE(a->size == b->size && (a->size == 0 || !memcmp(a->bytes, b->bytes, a->size)));
}

static void check_text(const struct document_text *text, const struct document_text *again,
                       const uint8_t *data, size_t size) {
    check_same(text, again);
    REQUIRE(text->extracted || text->bytes == data || text->bytes == data + 3);
    if (text->extracted && text->format == TEXT_PLAIN) require_utf8(text->bytes, text->size);
    if (!format_is_characters(text->format)) return;
    REQUIRE(text->size <= 3 * size + 3 ||
            text->format == TEXT_MARKDOWN || /* where a tab may become four spaces */
            text->format == TEXT_XML);       /* where entities expand */
    REQUIRE(text->size <= 12 * size + 3 || text->format == TEXT_XML);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {NULL, "page.html", "page.md", "text.txt"};
    if (size == 0 || setenv("PATH", "", 1)) return 0; /* converters are programs of others: none is found */
    const char *name = names[data[0] & 3];
    struct document_options options = {.encoding = (enum encoding)((data[0] >> 2) % 6),
                                       .format = FORMAT_AUTO};
    data++, size--;
    struct extractor x = {0}, again = {0};
    struct document_text text, other;
    stemma_status status = document_extract(&x, name, data, size, &options, &text, NULL);
    REQUIRE(document_extract(&again, name, data, size, &options, &other, NULL) == status);
    REQUIRE(status == STEMMA_OK || status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED);
    bool packed = document_look(name, data, size, &options).format ==
                  TEXT_PACKED; /* whose text is as long as it likes */
    if (status == STEMMA_OK && packed) check_same(&text, &other);
    if (status == STEMMA_OK && !packed) check_text(&text, &other, data, size);
    extractor_release(&x);
    extractor_release(&again);
    return 0;
}

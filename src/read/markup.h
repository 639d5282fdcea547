/*
 * The text of office markup: DrawingML, WordprocessingML and OpenDocument differ in the names of their
 * elements, and in little else that matters here.
 */
#ifndef READ_MARKUP_H
#define READ_MARKUP_H

#include "read/text_writer.h"

struct markup_rule;

struct markup_dialect {
    const struct markup_rule *rules;
    size_t count;
};
extern const struct markup_dialect markup_word, markup_slides, markup_opendocument;

/* Append the text of a part; notes go to the second writer, which may be the same. Damage and errors: those
 * of XML. Whether the text was too long, the writers know. */
stemma_status markup_text(const struct markup_dialect *dialect, const uint8_t *bytes, size_t size,
                          struct text_writer *text, struct text_writer *notes, const volatile int *stop,
                          stemma_error *damage, stemma_error *err);

/* Lines that came before are left out: headers and footers are the same for many pages. */
void markup_drop_repeated_lines(struct buf *text);

#endif

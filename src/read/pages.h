/* Text that was set in lines and pages, as running text again. */
#ifndef READ_PAGES_H
#define READ_PAGES_H

#include "base/buf.h"
#include "base/error.h"
#include "read/reading_limits.h"

/*
 * Append the text of pages that end with form feeds:
 * - lines that pages in a row, or every other one, have at the same place at their top or bottom, but for
 * numbers (headers, footers), stay once, without the numbers where they differ; page numbers go;
 * - a word that was divided at the end of a line is one word again, a compound stays one: the words elsewhere
 * in the text tell, and, where they do not, how often lines end so;
 * - ligatures become letters.
 * TEXT_TOO_LONG when what has to be known of its lines and words is more than the memory of the limits.
 */
stemma_status pages_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                         struct buf *out, stemma_error *err);

#endif

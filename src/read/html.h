/* The text of a page: what a reader sees of it, as lines. */
#ifndef READ_HTML_H
#define READ_HTML_H

#include "base/buf.h"

/* Append the text of a page in UTF-8, which is never longer than the page; false when memory is refused.
 * Scripts, styles, templates and comments are left out; block elements begin a line. */
bool html_text(const uint8_t *bytes, size_t size, struct buf *out);

/* The same of XHTML, in which elements may end where they begin, whether or not its first line says so. */
bool xhtml_text(const uint8_t *bytes, size_t size, struct buf *out);

/* The encoding that a page says it is in, as far as its first bytes tell: lower case, "" for none. */
#define HTML_CHARSET_MOST 24
void html_charset(const uint8_t *bytes, size_t size, char charset[HTML_CHARSET_MOST]);

#endif

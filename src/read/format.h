/* Which format a document has: by how it begins, and by its name. */
#ifndef READ_FORMAT_H
#define READ_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_format { TEXT_PLAIN, TEXT_HTML, TEXT_MARKDOWN, TEXT_BINARY };

#define FORMAT_SAMPLE 1024 /* bytes in which a page shows itself */

/* Of a text that begins like this; name may be NULL. */
enum text_format format_guess(const char *name, const uint8_t *text, size_t size);

#endif

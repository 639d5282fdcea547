/* Character references of HTML and Markdown: &eacute; &#233; &#xE9; */
#ifndef READ_ENTITY_H
#define READ_ENTITY_H

#include <stddef.h>
#include <stdint.h>

/* The character that the '&' at `at` begins: how many bytes name it, never less than it has in UTF-8. 0: it
 * stands for itself. */
size_t entity_decode(const uint8_t *at, size_t size, uint32_t *cp);

#endif

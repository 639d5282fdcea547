/* Characters as bytes, where two texts have no more than 256 different ones: most do, and bytes are compared
 * faster. */
#ifndef ALIGN_ALPHABET_H
#define ALIGN_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Equal characters become equal bytes, in place: the first n bytes of a, the first m of b. False, and nothing
 * has changed, when there are too many. */
bool alphabet_squeeze(uint32_t *a, size_t n, uint32_t *b, size_t m);

#endif

/* A number in the fewest digits, 15 to 17, that read back as the same number. */
#ifndef STEMMA_CLI_DIGITS_H
#define STEMMA_CLI_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum { DIGITS_ROOM = 40, COUNT_ROOM = 24 };

/* As %.15g, or as %.16g or %.17g where that is another number. Both return the length. */
size_t number_digits(double value, char out[DIGITS_ROOM]);
size_t count_digits(uint64_t value, char out[COUNT_ROOM]);

#endif

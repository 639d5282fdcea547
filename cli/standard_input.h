/* standard_input.h - standard input as a file at its beginning, so that others can look at it and read it. */
#ifndef STEMMA_CLI_STANDARD_INPUT_H
#define STEMMA_CLI_STANDARD_INPUT_H

#include "output.h"

/* A pipe, or a file that was begun, is copied to a temporary file without a name first, which takes the place
 * of standard input. UNREADABLE: it cannot be read; IO: not be kept. */
stemma_status standard_input_keep(stemma_error *error);

#endif

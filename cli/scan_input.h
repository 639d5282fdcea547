/* scan_input.h - what a scan is asked to read, for other commands that begin with one. */
#ifndef STEMMA_CLI_SCAN_INPUT_H
#define STEMMA_CLI_SCAN_INPUT_H

#include "options.h"
#include "output.h"

/* The operands and those of --files-from. Complains where that fails. */
enum exit_code scan_add_paths(const options *o, stemma_scan *scan);

#endif

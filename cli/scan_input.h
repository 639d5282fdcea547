/* scan_input.h - what a scan is asked for by its options, for other commands that read as it does. */
#ifndef STEMMA_CLI_SCAN_INPUT_H
#define STEMMA_CLI_SCAN_INPUT_H

#include "options.h"
#include "output.h"
#include "progress.h"

stemma_scan_options scan_options(const options *o, progress *p);
stemma_limits scan_limits(const options *o);
/* The operands and those of --files-from. Complains where that fails. */
enum exit_code add_paths(const options *o, stemma_scan *scan);

#endif

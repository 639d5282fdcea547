/* All experiments, in the order of the report: paper by paper. */
#include "hp.h"
#include "lab.h"

const struct experiment *const experiments[] = {&hp_window, &hp_false};
const size_t experiment_count = sizeof experiments / sizeof *experiments;

/*
 * reading_options.h - how a pile of documents is read: what scan, add and their like have in common.
 */
#ifndef STEMMA_CLI_READING_OPTIONS_H
#define STEMMA_CLI_READING_OPTIONS_H

#include "options.h"
#include "progress.h"

/* Input, threads and progress; p may be NULL. What it points to belongs to the options. */
stemma_scan_options reading_options(const options *o, progress *p);

/* Memory: as asked, or half of what is free. */
stemma_limits reading_limits(const options *o);

#endif

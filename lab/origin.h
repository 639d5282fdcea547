/*
 * When, where and by which program the tables of a folder were made: origin.tsv, a row for each experiment.
 *
 * Data tables do not say it themselves: they are the same on every machine and every day.
 */
#ifndef LAB_ORIGIN_H
#define LAB_ORIGIN_H

#include "lab.h"

/* "2026-11-17", and "AMD EPYC (avx2), 2 processors, 23 GB of memory". */
void today(char *text, size_t size);
void this_machine(char *text, size_t size);

/* Rows of those that were run now; those of others stay. made: by the places of experiments. */
stemma_status origins_note(const char *folder, const bool *made, stemma_error *err);
/* Empty when there is none. */
stemma_status origins_read(const char *folder, struct table *out, stemma_error *err);

#endif

/*
 * Data sets: files of many documents, one a record. JSON lines, CSV and TSV, plain or compressed.
 */
#ifndef READ_DATASET_H
#define READ_DATASET_H

#include <stdbool.h>

enum dataset_kind { DATASET_BY_NAME, DATASET_JSON_LINES, DATASET_CSV, DATASET_TSV };

/* What a file is by its name: .jsonl .ndjson .json-lines .csv .tsv, each also with .gz .zst .bz2 .xz;
 * BY_NAME: none. */
enum dataset_kind dataset_kind_of(const char *path);
bool dataset_name(const char *path);

#endif

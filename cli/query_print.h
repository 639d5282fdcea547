/*
 * query_print.h - how matches look: aligned lines for one document after the other, a family step by step,
 * JSON.
 */
#ifndef STEMMA_CLI_QUERY_PRINT_H
#define STEMMA_CLI_QUERY_PRINT_H

#include "options.h"
#include "output.h"

typedef struct query_printer {
    const options *options;
    uint64_t shown; /* documents with a head line; */
    uint64_t place; /* the last of them */
} query_printer;

void query_print_match(query_printer *p, const stemma_match *m);
/* Of a document without a match. */
void query_print_none(query_printer *p, const stemma_question *q);
void query_print_none_json(const stemma_question *q);
void query_print_match_json(const options *o, const stemma_match *m);

/* For --explain. */
void query_print_summary(const stemma_query_summary *s);
void query_print_summary_json(const options *o, const stemma_query_summary *s);

#endif

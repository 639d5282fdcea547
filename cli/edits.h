/*
 * edits.h - the edit distance of a pair of documents, and where they differ.
 */
#ifndef STEMMA_CLI_EDITS_H
#define STEMMA_CLI_EDITS_H

#include "json.h"
#include "options.h"
#include "output.h"

typedef struct edits {
    bool known; /* it was looked for, or came with the sketches */
    stemma_edit edit;
    bool extracted[2];           /* places in the alignment are of extracted text, */
    bool canonical[2];           /* or of the canonical text, where nothing else is at hand */
    stemma_alignment *alignment; /* where they differ; NULL: not known, or by the signatures alone: */
    stemma_region *regions;
    size_t region_count;
    bool bytes_known; /* of the regions */
} edits;

void edits_release(edits *e);

/* Neither standard input nor a pipe by another name. */
bool can_be_read_again(const char *name);

/* Whether --edit wants the documents' texts, or what is meant when it is not given: yes, but not of a list,
 * nor of a pipe, which may be endless and cannot be read again. */
bool edits_wanted(const options *o);

/* The text of a document, or NULL where it is too large to be held unasked. */
stemma_status edits_read(const options *o, const char *name, const stemma_recipe *recipe, stemma_text **out,
                         stemma_error *error);

/* From two texts, or where one is missing from signatures of the files. */
stemma_status edits_measure(const options *o, const stemma_recipe *recipe, const char *const names[2],
                            stemma_text *const texts[2], edits *out, stemma_error *error);

/* Where two documents differ that are known by their signatures only. */
stemma_status edits_locate(const stemma_sketch *a, const stemma_sketch *b, edits *out, stemma_error *error);

/* ---- showing them (edits_print.c) ---- */

/* Lines of a verdict: how far apart, by what kind of edits, where. `label` prints the head of a line. */
void edits_print(const edits *e, void (*label)(const palette *p, const char *text), const palette *p);
void edits_print_json(const edits *e, json *line);

#endif

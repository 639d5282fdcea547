/*
 * judge.h - two names become a comparison: exact from two documents, estimated as soon as a sketch is
 * involved.
 */
#ifndef STEMMA_CLI_JUDGE_H
#define STEMMA_CLI_JUDGE_H

#include "edits.h"
#include "options.h"
#include "output.h"
#include "stored.h"

/* What a run of comparisons has in common. Shared by threads. */
typedef struct judge {
    const options *options;
    stemma_recipe *recipe; /* what the options ask for */
    stored_set *stored;
    stemma_thresholds thresholds;
    stemma_limits limits;
} judge;

/* The documents used last, as far as they were read: pairs come in runs with the same document. One for each
 * thread, holding no more than --memory allows one document. */
enum { CACHE_SLOTS = 8 };
typedef struct document_cache {
    struct cache_slot {
        char *name;            /* of what is known to be a document, not a stored sketch; NULL: a free slot */
        stemma_sketch *sketch; /* by any recipe, or NULL */
        stemma_document *document; /* by the judge's, or NULL */
        uint64_t shingles;         /* distinct, of the document */
        uint64_t used;             /* when it was used last */
    } slots[CACHE_SLOTS];
    uint64_t clock;
} document_cache;

typedef struct verdict {
    const char *a, *b; /* as the user named them */
    stemma_comparison comparison;
    edits edits;
    char *recipe;        /* text form of the recipe used; owned */
    char *hint;          /* why the relation is unknown, or NULL; owned */
    const char *no_text; /* the document that it is for, if it has none */
} verdict;

void verdict_release(verdict *v);

/* Complains and returns the exit code when the options do not make a recipe. */
enum exit_code judge_init(judge *j, const options *o, const char *command);
void judge_release(judge *j);

stemma_status judge_pair(const judge *j, document_cache *cache, const char *a, const char *b, verdict *out,
                         stemma_error *error);
void cache_release(document_cache *cache);

/* The three ways to show a verdict. */
void verdict_print(const judge *j, const verdict *v);
void verdict_print_json(const judge *j, const verdict *v);
void verdict_print_error(const char *a, const char *b, const char *cause); /* JSON: a pair that failed */
void verdict_print_head(void); /* the names of the columns of a row */
void verdict_print_row(const verdict *v);

#endif

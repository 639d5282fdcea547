/*
 * tune.h - which view and threshold to use for these documents: by trying, on a sample of them.
 *
 * A sample of the documents, each with changed copies (tune_copies.c), is scanned under several views
 * (tune_measure.c). Whether a copy is found with its original is recall. Whether two documents of the sample
 * are found that have nothing in common but what many share (tune_own.c) is what goes wrong; pairs that share
 * text of their own are there by nature, and shown beside the copies that were made.
 * docs/design/tune.md says why it is so.
 */
#ifndef STEMMA_CLI_TUNE_H
#define STEMMA_CLI_TUNE_H

#include "options.h"
#include "output.h"
#include "progress.h"

enum { PREFER_SPEED = 2 }; /* place among the choices of --prefer */

/* ---- chance: the same on every machine ---- */

typedef struct tune_chance {
    uint64_t state;
} tune_chance;
uint64_t chance_below(tune_chance *chance, uint64_t bound);
double chance_between(tune_chance *chance, double least, double most);

/* ---- the sample ---- */

typedef struct tune_text {
    char *data;
    size_t size;
} tune_text;

typedef struct tune_sample {
    stemma_scan_summary summary; /* of all that was read */
    uint64_t all;                /* different texts, those without text left aside as far as they were met */
    uint64_t too_large;          /* to be part of a sample */
    bool full;                   /* of text, before there were enough documents */
    bool alike;                  /* so that all pairs of more documents would be too much to compare */
    tune_text *texts;
    size_t count;
    uint64_t bytes, name_bytes; /* of texts, of names */
    bool inside;                /* some are no files: records, members of archives, ... */
} tune_sample;

/* Reads all, and takes some texts that differ. Complains where that fails. */
enum exit_code tune_sample_take(tune_sample *sample, const options *o, progress *p);
void tune_sample_release(tune_sample *sample);

/* ---- what copies are, for an aim ---- */

enum { TUNE_STEPS = 4 };

typedef struct tune_step {
    stemma_mutation_kind kind;
    double least, most; /* share that is changed, drawn evenly */
    unsigned blocks;
} tune_step;

typedef struct tune_change {
    tune_step steps[TUNE_STEPS]; /* one after the other */
    size_t count;
} tune_change;

typedef struct tune_aim {
    const char *name;
    const char *found; /* what is looked for, in words */
    const tune_change *changes;
    size_t change_count;
    bool by_containment; /* the threshold is of containment, else of resemblance */
    double contained;    /* of resemblance: also what is contained from here on; 0: not */
    double weight;       /* one document matched wrongly is as bad as so many copies that are missed */
    bool removes;        /* what is found goes: texts that have less in common are not wanted */
} tune_aim;
const tune_aim *tune_aim_of(const options *o);

/* One copy of each document: a round. */
typedef struct tune_copies {
    tune_text *texts;
    size_t count;
} tune_copies;
enum exit_code tune_copies_make(tune_copies *copies, const tune_sample *sample, const tune_aim *aim,
                                uint64_t seed, size_t round);
void tune_copies_release(tune_copies *copies);
/* Which of the aim's changes makes the copy: they take turns, so that each is tried as often in every round.
 */
size_t tune_change_of(const tune_aim *aim, size_t round, size_t origin);

/* ---- what is a document's own ---- */

/* From how many documents on a text is nobody's own is a matter of judgement, and how many of those that have
 * it are in a sample a matter of chance: fewer and more are tried, too. */
enum { TUNE_CUTS = 3, TUNE_CUT = 1 }; /* the second is what is stated, the others bound its interval */

typedef struct tune_own_value {
    uint64_t value;
    uint32_t documents; /* that have it */
} tune_own_value;

typedef struct tune_own {
    tune_own_value **values;   /* of each document: fingerprints that few others have, ascending */
    size_t *kept;              /* of each document: how many of them */
    size_t *counts[TUNE_CUTS]; /* of each document: how many are its own */
    size_t *all;               /* of each document: fingerprints */
    uint64_t *tokens;          /* of each document */
    size_t cuts[TUNE_CUTS];    /* documents: what so many have is nobody's own; ascending */
    double shared;             /* the mean share of a document that is not its own */
    size_t count;
    size_t judged[TUNE_CUTS]; /* documents that have anything of their own, and so can be matched wrongly */
    uint64_t *natural;        /* pairs that share text of their own: first << 32 | second, ascending */
    size_t natural_count;
    uint64_t related; /* documents in such pairs */
} tune_own;
enum exit_code tune_own_find(tune_own *own, const tune_sample *sample);
void tune_own_release(tune_own *own);
/* Whether two documents have nothing in common but what many have, and each something of its own to lose: one
 * bit for every cut. */
unsigned tune_own_differ(const tune_own *own, size_t a, size_t b);
bool tune_own_natural(const tune_own *own, uint64_t a, uint64_t b); /* a < b */

/* ---- measuring ---- */

typedef struct tune_share {
    double value, low, high; /* 95 % */
} tune_share;

enum { TUNE_ROWS = 15, TUNE_VIEWS = 4 };

typedef struct tune_row {
    double threshold;
    tune_share recall, precision, wrong;
    double recall_cases;                                /* independent ones that it is worth */
    double wrong_at[TUNE_CUTS], wrong_cases[TUNE_CUTS]; /* likewise, for every cut */
    size_t wrong_documents;                             /* of the sample */
    size_t natural;                                     /* pairs that are found */
} tune_row;

/* Of each document: the highest threshold at which it is found with one that it has nothing to do with. */
typedef struct tune_mistakes {
    double *score;
    size_t *with;   /* which one that is */
    double *second; /* likewise, with any other than that */
} tune_mistakes;

typedef struct tune_view {
    const char *unit;
    unsigned window;
    double *found; /* of each copy, round by round: the highest threshold at which it is found with its
                      original */
    tune_mistakes mistakes[TUNE_CUTS];
    double *natural; /* of each pair by nature that is found at all: likewise */
    size_t natural_count;
    tune_row rows[TUNE_ROWS];
    size_t row_count, best_row;
    double speed, seconds;     /* bytes for a second of CPU time, at best; of all its scans of everything */
    double reading, comparing; /* work of that of the documents alone */
} tune_view;

enum { TUNE_SKETCHES = 3 };

typedef struct tune_sketch {
    char recipe[96];
    double bytes;      /* of a document in a file of sketches, on average: also its name and digests */
    tune_share recall; /* of copies, by estimates at the best threshold */
    tune_share wrong;  /* any two documents that are found */
} tune_sketch;

typedef struct tuning {
    const options *options;
    const tune_aim *aim;
    tune_sample sample;
    tune_copies copies; /* of the round that is tried */
    tune_own own;
    const char *script; /* without spaces, that most is written in, or NULL */
    bool wordless;      /* what counts as a word there is a whole sentence */
    double prevalence;  /* share of documents that are copies, which precision is stated for */
    tune_view views[TUNE_VIEWS];
    size_t rounds; /* copies of each document that were tried */
    size_t best_view, best_row;
    const tune_row *passed_over; /* better by its values, whose precision is in doubt; NULL: none */
    tune_sketch sketches[TUNE_SKETCHES];
    size_t best_sketch; /* of so many bytes as were asked for; TUNE_SKETCHES: none */
} tuning;

/* Says in which script the sample is. */
void tune_name_script(tuning *t);

/* Where so many resemble each other that comparing all would take minutes, the sample becomes smaller. */
enum exit_code tune_bound_sample(tuning *t, progress *p);
enum exit_code tune_measure(tuning *t, progress *p);
void tune_views_release(tuning *t);

/* Fills the rows of every view from the rounds so far, and names the best. */
void tune_choose(tuning *t);
/* Instead of the best view the fastest of those that are nearly as good. */
void tune_choose_fastest(tuning *t);
/* Whether further copies of the same documents would bring recall to the width that is wanted. */
bool tune_wants_copies(const tuning *t);
/* Whether false removal, and with it precision, is known: most documents have something to lose. */
bool tune_is_precise(const tuning *t);
/* Whether the sample is all there is: then what goes wrong among these documents is known, not estimated. */
bool tune_saw_all(const tuning *t);
/* Precision among the documents of the sample themselves, of which only recall is uncertain. */
tune_share tune_precision_here(const tuning *t, const tune_row *row);
/* Whether an interval is as narrow as what is stated has to be: .02 to either side. */
bool tune_is_known(tune_share share);
/* How many documents would make a figure of the row, or all of the best row, known so; 0: these do. */
uint64_t tune_recall_needs(const tuning *t, const tune_row *row);
uint64_t tune_precision_needs(const tuning *t, const tune_row *row);
uint64_t tune_documents_needed(const tuning *t);
const tune_row *tune_best(const tuning *t);
/* The row of the default view that a scan has without options. */
const tune_row *tune_default(const tuning *t);
/* What is found of the copies made by one change, at the best row. */
tune_share tune_recall_of(const tuning *t, size_t change, size_t *copies);
/* Half of an interval. */
double tune_half_width(tune_share share);
/* The share of documents matched wrongly among `documents` such documents instead of the sample: at most
 * this. */
double tune_wrong_among(const tuning *t, const tune_row *row, uint64_t documents);

/* A 95 % interval for a share of n cases. */
tune_share tune_interval(double share, double n);

/* With the best view and threshold. */
enum exit_code tune_try_sketches(tuning *t);

/* ---- saying it ---- */

/* What the recommended scan does, in a sentence for everybody. */
const char *tune_summary(const tuning *t, char *buffer, size_t size);
/* What is to be expected of further documents, and what of it is not known. */
const char *tune_expected(const tuning *t, char *buffer, size_t size);

enum { TUNE_WARNINGS = 12, TUNE_WARNING = 400, TUNE_SENTENCE = 280 };
size_t tune_warnings(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING]);
/* The scan to run, quoted for a shell; the caller frees it. */
char *tune_command(const tuning *t);
/* How such sketches are made of all documents: likewise. */
char *tune_sketch_command(const tuning *t, const tune_sketch *sketch);
/* "words, 5 in a window" */
const char *tune_view_words(const tune_view *view, char *buffer, size_t size);
/* "cut .02-.1, insert" */
const char *tune_change_words(const tune_change *change, char *buffer, size_t size);
void tune_print(const tuning *t);
void tune_print_json(const tuning *t);
enum exit_code tune_write_page(const tuning *t);

#endif

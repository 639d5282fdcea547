/*
 * act.h - deleting, linking and moving the files that a scan found redundant, and taking it back.
 */
#ifndef STEMMA_ACT_H
#define STEMMA_ACT_H

#include "scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A plan says what is to be done with the redundant files of a scan. Each step has a file, and the one that
 * is kept instead: it is never touched, and no file that another step counts on is. Carrying it out opens,
 * reads and compares both again right before the file is touched, and skips it when either is not what the
 * scan saw. A log says every step before it is taken, so that stemma_undo can restore, also after a crash.
 *
 * Identical files are meant. Near-duplicates, and the same text in other bytes, can be deleted or moved when
 * `near` says from which resemblance, contained ones when `near_contained` says from which containment.
 * Links, records of data sets, documents inside archives, and texts in memory are never acted on.
 */
typedef struct stemma_plan stemma_plan;

typedef enum stemma_action {
    STEMMA_ACT_DELETE = 0,
    STEMMA_ACT_HARDLINK = 1, /* the name becomes one more name of the kept file; owner, group, mode and
                              * extended attributes must be the same */
    STEMMA_ACT_REFLINK = 2,  /* the file stays as it is, and shares its blocks with the kept one, where the
                              * file system  can do that */
    STEMMA_ACT_MOVE = 3      /* to the same path below a folder; never over another file */
} stemma_action;
/* "delete", "hardlink", "reflink", "move". */
STEMMA_API const char *stemma_action_name(stemma_action action);

/* Start from stemma_act_options_default(). */
typedef struct stemma_act_options {
    size_t size; /* of this struct, as the caller knows it */
    stemma_action action;
    const char *directory; /* where MOVE puts files; made when it is not there. Let the scan omit it */
    double near;           /* from this resemblance, also with other bytes; 0: identical files alone */
    double near_contained; /* likewise from this containment in the kept one */
} stemma_act_options;
STEMMA_API stemma_act_options stemma_act_options_default(void);

/* The scan has run, and stays until the plan is freed; its limits, too. What options point to is copied.
 * Errors: INVALID, NO_MEMORY, NOT_FOUND (the working directory). */
STEMMA_API stemma_status stemma_plan_new(stemma_scan *scan, const stemma_act_options *options,
                                         stemma_plan **out, stemma_error *error);
STEMMA_API void stemma_plan_free(stemma_plan *plan);

typedef enum stemma_outcome {
    STEMMA_STEP_POSSIBLE = 0, /* it would be done */
    STEMMA_STEP_DONE = 1,
    STEMMA_STEP_SKIPPED = 2, /* not to be done: the cause says why */
    STEMMA_STEP_FAILED = 3,  /* the system refused: status and cause say why */
    STEMMA_STEP_UNNEEDED = 4 /* of undoing: all is as it was */
} stemma_outcome;

typedef struct stemma_act_step {
    stemma_action action;
    const char *path, *kept;       /* as the scan names them; of undoing, from the root on */
    const char *target;            /* of a move, from the root on; else NULL */
    stemma_relation relation;      /* of the file to the kept one */
    double resemblance, contained; /* of undoing 0 */
    uint64_t bytes;
    stemma_outcome outcome;
    stemma_status status;
    const char *cause; /* "" when there is none */
    bool another_form; /* it has another format than the kept one; of undoing false */
} stemma_act_step;

/* Is told each step in its order; pointers are good until it returns. What it returns, if it is not OK, ends
 * the work. */
typedef stemma_status stemma_act_take(void *context, const stemma_act_step *step, stemma_error *error);

typedef struct stemma_act_totals {
    uint64_t steps, bytes;     /* planned, or all in the log */
    uint64_t done, done_bytes; /* carried out, restored, or possible */
    uint64_t skipped, failed;
    uint64_t
        not_files; /* redundant, but in a data set, an archive or memory, or the kept one is: not planned */
    uint64_t holding; /* near enough, but what is compared is not all of it, as of mail with attachments: not
                         planned */
} stemma_act_totals;
/* What is planned; nothing is done yet. */
STEMMA_API stemma_act_totals stemma_plan_totals(const stemma_plan *plan);

/* Each step as it would go now, nothing is touched. totals may be NULL. Errors: INTERRUPTED, NO_MEMORY, and
 * those of `take`, which may be NULL. */
STEMMA_API stemma_status stemma_plan_check(stemma_plan *plan, stemma_act_take *take, void *context,
                                           stemma_act_totals *totals, stemma_error *error);
/* Carries it out, once. The log is a new file, JSON lines. Errors: as of _check; INVALID (the log exists),
 * and what writing it meets: UNREADABLE, NOT_FOUND, NO_SPACE, IO. What was done by then is in the log, and in
 * totals. */
STEMMA_API stemma_status stemma_plan_carry_out(stemma_plan *plan, const char *log, stemma_act_take *take,
                                               void *context, stemma_act_totals *totals, stemma_error *error);

/* Takes back what the log says, last step first: moved files go back, names that became links become files of
 * their own again, deleted files are copied from the identical one that was kept, with their mode, owner and
 * time. What cannot be restored is skipped, and its cause names the kept one. The log notes it; undoing again
 * does no harm. dry: nothing is touched. Errors: as of _carry_out; NOT_FOUND, UNREADABLE; CORRUPT and
 * LATER_VERSION of the log, before anything is touched. */
STEMMA_API stemma_status stemma_undo(const char *log, bool dry, const stemma_limits *limits,
                                     stemma_act_take *take, void *context, stemma_act_totals *totals,
                                     stemma_error *error);

#ifdef __cplusplus
}
#endif

#endif

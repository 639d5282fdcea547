/*
 * Which files of a scan are acted on, and which file is kept instead of each.
 *
 * In every group, first what resembles the kept document as much as was asked for; of the rest, files with
 * the same bytes as another one that stays: the first of them in keep order is kept. So no step touches what
 * another counts on. Only plain files take part, on either side.
 */
#ifndef ACT_PLAN_H
#define ACT_PLAN_H

#include "act/log.h"
#include "act/place.h"
#include "scan/scan.h"

struct step {
    uint32_t document, kept; /* of the catalogue */
    stemma_relation relation;
    double resemblance, contained;
};

struct stemma_plan {
    struct stemma_scan *scan;
    stemma_action action;
    double near, near_contained;
    char *directory; /* of a move: from the root on, without a slash at its end */
    struct step *steps;
    size_t count, capacity;
    stemma_act_totals totals;
    char *here; /* the working directory, from the root on */
    bool carried_out;
};

stemma_status plan_new(struct stemma_scan *scan, const stemma_act_options *options, struct stemma_plan **out,
                       stemma_error *err);
void plan_free(struct stemma_plan *plan);

/* From the root on. NULL without memory. */
char *plan_absolute(const struct stemma_plan *plan, const char *path);

/* log NULL: nothing is touched. */
stemma_status plan_run(struct stemma_plan *plan, const char *log, stemma_act_take *take, void *context,
                       stemma_act_totals *totals, stemma_error *err);

#endif

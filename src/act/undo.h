/* Taking back what a log says, last step first; see stemma_undo. */
#ifndef ACT_UNDO_H
#define ACT_UNDO_H

#include "base/error.h"

stemma_status undo_log(const char *path, bool dry, const volatile int *stop, stemma_act_take *take,
                       void *context, stemma_act_totals *totals, stemma_error *err);

#endif

/*
 * What is done to files, once both were read again. The name of a file is looked at once more right before it
 * changes, and changes in one step of the file system: a crash leaves the old or the new, and at most a draft
 * beside it.
 */
#ifndef ACT_TOUCH_H
#define ACT_TOUCH_H

#include "act/place.h"
#include "base/buf.h"

stemma_status touch_delete(const struct held *file, stemma_error *err);

/* UNSUPPORTED where links cannot be made. draft: a name in the folder that nobody else uses. */
stemma_status touch_hardlink(const struct held *file, const struct held *kept, const char *draft,
                             stemma_error *err);

/* Lets the file system compare and share, so that nothing can come between; the file keeps all that is its
 * own. UNSUPPORTED where it cannot. */
stemma_status touch_reflink(const struct held *file, const struct held *kept, const volatile int *stop,
                            stemma_error *err);
/* Whether it could: nothing is touched. */
stemma_status reflink_possible(const struct held *file, const struct held *kept, stemma_error *err);

/* To a name that must be free; to another file system as a copy with the owner, mode and times of info, that
 * is compared before the file goes. */
stemma_status touch_move(const struct held *file, const struct stat *info, const struct place *to,
                         const char *draft, const volatile int *stop, stemma_error *err);

/* A file of its own with the bytes of another, the extended attributes that are noted (NULL: those of the
 * other), and the owner, mode and times of info. replace: the name may be taken. */
stemma_status touch_copy(const struct held *from, const struct buf *noted, const struct stat *info,
                         const struct place *to, const char *draft, bool replace, const volatile int *stop,
                         stemma_error *err);

/* After a crash. No draft is no failure. */
stemma_status draft_drop(const struct place *beside, const char *draft, stemma_error *err);

#endif

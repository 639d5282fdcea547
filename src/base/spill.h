/*
 * Sorted numbers that may not fit into memory: values are added in any order, sorted in memory, spilled as
 * sorted runs to unnamed temporary files, and read back in ascending order.
 *
 * Runs are merged by level (levels.h). Nothing is left behind when the process is killed: the files have no
 * names.
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include "base/buf.h"
#include "base/error.h"

struct spill;
struct spill_cursor;

/* unique: repetitions are dropped. memory: bytes to use before spilling (never less than
 * 256 KiB are used). */
stemma_status spill_new(bool unique, size_t memory, const char *directory, struct spill **out,
                        stemma_error *err);
stemma_status spill_add(struct spill *spill, const uint64_t *values, size_t count, stemma_error *err);
/* No more will be added. */
stemma_status spill_finish(struct spill *spill, stemma_error *err);
/* All values, sorted, when nothing was spilled (after finish); NULL otherwise. */
const uint64_t *spill_in_memory(const struct spill *spill, size_t *count);
uint64_t spill_bytes(const struct spill *spill); /* written to disk so far */
void spill_free(struct spill *spill);

/* Read the values in ascending order (after finish). One cursor at a time. */
stemma_status spill_cursor_new(struct spill *spill, struct spill_cursor **out, stemma_error *err);
/* Up to `room` values; *count is 0 at the end. */
stemma_status spill_cursor_read(struct spill_cursor *cursor, uint64_t *values, size_t room, size_t *count,
                                stemma_error *err);
void spill_cursor_free(struct spill_cursor *cursor);

#endif

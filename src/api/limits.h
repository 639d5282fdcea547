/* What a caller allows: checked once at the door, with the defaults filled in. */
#ifndef API_LIMITS_H
#define API_LIMITS_H

#include "base/error.h"
#include "read/dataset.h"

/* Puts options that a caller gives over the defaults in `options`, as far as its version of the struct goes:
 * each begins with its size. given may be NULL. INVALID when the size was not set. */
stemma_status options_take(const void *given, void *options, size_t size, stemma_error *err);

/* *out is what is meant: the defaults where given is NULL or a field is zero. INVALID when the size was not
 * set. */
stemma_status limits_check(const stemma_limits *given, stemma_limits *out, stemma_error *err);

/* Tells of what could not be read of a document that is used; damage NULL: there is nothing to tell. */
void limits_warn(const stemma_limits *limits, const char *name, const char *damage);

/* How data sets are read whose records are asked for by name: records of up to so many bytes. */
struct dataset_options limits_dataset(const stemma_limits *limits, size_t record_most);

/* INVALID for what is not a share. */
stemma_status thresholds_check(const stemma_thresholds *given, stemma_thresholds *out, stemma_error *err);

#endif

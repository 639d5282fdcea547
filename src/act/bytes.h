/* What is in open files: whether it is the same, which identity it has, and a copy of it. */
#ifndef ACT_BYTES_H
#define ACT_BYTES_H

#include "act/place.h"
#include "scan/identity.h"

/* stop ends them with INTERRUPTED; may be NULL. Files are read from their beginning on. */

/* UNSUPPORTED when a byte differs, or one is longer. */
stemma_status bytes_compare(const struct held *a, const struct held *b, const volatile int *stop,
                            stemma_error *err);
stemma_status bytes_identity(const struct held *held, const struct identity_key *key,
                             const volatile int *stop, struct identity *out, stemma_error *err);
/* Everything is written out, and nothing shared with the original. name: of the copy. */
stemma_status bytes_copy(const struct held *from, int to, const char *name, const volatile int *stop,
                         stemma_error *err);

#endif

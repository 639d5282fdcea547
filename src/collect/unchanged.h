/* Whether a file is what it was, as far as that can be told without reading it. */
#ifndef COLLECT_UNCHANGED_H
#define COLLECT_UNCHANGED_H

#include "index/facts.h"
#include "scan/catalogue.h"

/* Files that were modified after this may change again without another time. */
int64_t settled_until(void);

/* What tells a file from another with its name, size and time. */
uint32_t source_stamp(const struct source *source);
bool is_unchanged(const struct source *source, const struct facts *facts);

#endif

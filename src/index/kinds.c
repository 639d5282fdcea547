#include "index/schema.h"

/* One line a kind of lookup part. */
const struct part_kind part_kinds[] = {
    {0, NULL},
};

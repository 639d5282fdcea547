#include "index/facts.h"
#include "index/schema.h"

/* One line a kind of lookup part. */
const struct part_kind part_kinds[] = {
    {KIND_MEMBER_KEYS, member_keys},
    {0, NULL},
};

#include "index/facts.h"
#include "index/hamming/parts.h"
#include "index/keys.h"
#include "index/stored_samples.h"

/* Every kind of lookup part. */
const struct part_kind part_kinds[] = {
    {KIND_BAND_KEYS, band_part_keys},
    {KIND_SAMPLE_KEYS, sample_part_keys},
    {KIND_GROUP_KEYS, group_part_keys},
    {KIND_MEMBER_KEYS, member_keys},
    {KIND_DIGEST_KEYS, digest_keys},
    {KIND_SHORT_SAMPLE_KEYS, sample_part_keys},
    {0, NULL},
};

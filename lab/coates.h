/* The experiments of Coates 2011 and 2015. */
#ifndef LAB_COATES_H
#define LAB_COATES_H

#include "lab.h"

extern const struct experiment coates2011_speed, coates2011_scattered, coates2011_blocks, coates2015_tables,
    coates_unrelated, coates_embedded;

#endif

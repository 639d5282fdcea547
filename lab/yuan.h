/* The experiments of Yuan et al. 2012. */
#ifndef LAB_YUAN_H
#define LAB_YUAN_H

#include "lab.h"

extern const struct experiment yuan_variance, yuan_cost, yuan_precision, yuan_groups, yuan_queries;

#endif

/* The experiments of the HP paper. */
#ifndef LAB_HP_H
#define LAB_HP_H

#include "lab.h"

extern const struct experiment hp_window, hp_false, hp_sampling, hp_algorithms, hp_collections, hp_time;

#endif

/* Other programs on the same changes. */
#ifndef LAB_PEERS_H
#define LAB_PEERS_H

#include "lab.h"

extern const struct experiment beyond_peers;

#endif

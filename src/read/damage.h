/* What a reader passes over in a document that it reads all the same: the first of it, in words. */
#ifndef READ_DAMAGE_H
#define READ_DAMAGE_H

#include "base/error.h"

/* damage: a stemma_error with an empty message, until something is noted; NULL: nobody wants to know. */
#define NOTE_DAMAGE(damage, ...)                                                                             \
    do {                                                                                                     \
        if ((damage) && !(damage)->message[0]) (void)fail((damage), STEMMA_OK, __VA_ARGS__);                 \
    } while (0)

#endif

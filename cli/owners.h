/* owners.h - the names of users, each asked for once: a directory service may be slow. */
#ifndef STEMMA_CLI_OWNERS_H
#define STEMMA_CLI_OWNERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct owner {
    uint32_t uid;
    char *name; /* NULL when nobody knows it */
} owner;

typedef struct owners {
    owner *list;
    size_t count, room;
    size_t last; /* found last: neighbours often have one owner */
} owners;

/* Belongs to the list; NULL when the user has no name. */
const char *owner_name(owners *o, uint32_t uid);
void owners_release(owners *o);

#endif

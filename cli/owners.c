#include "owners.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/types.h>

#include "output.h"

static const char *look_up(owners *o, uint32_t uid) {
    const struct passwd *user = getpwuid((uid_t)uid);
    if (o->count == o->room) {
        o->room = o->room ? 2 * o->room : 8;
        o->list = need_more(o->list, o->room * sizeof *o->list);
    }
    o->last = o->count++;
    o->list[o->last] = (owner){uid, user ? need_copy(user->pw_name) : NULL};
    return o->list[o->last].name;
}

const char *owner_name(owners *o, uint32_t uid) {
    if (o->count && o->list[o->last].uid == uid) return o->list[o->last].name;
    for (size_t i = 0; i < o->count; i++)
        if (o->list[i].uid == uid) return o->list[o->last = i].name;
    return look_up(o, uid);
}

void owners_release(owners *o) {
    for (size_t i = 0; i < o->count; i++) free(o->list[i].name);
    free(o->list);
}

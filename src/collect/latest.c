#include "collect/latest.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { ROOM_LEAST = 256 };

static struct latest_record *slot_of(struct latest_record *records, size_t room, uint64_t key) {
    size_t at = mix64(key) & (room - 1);
    while (records[at].place && records[at].key != key) at = (at + 1) & (room - 1);
    return &records[at];
}

static bool grow(struct latest *l) {
    const size_t room = l->room ? 2 * l->room : ROOM_LEAST;
    struct latest_record *records = mem_zero(room, sizeof *records);
    if (!records) return false;
    for (size_t i = 0; i < l->room; i++)
        if (l->records[i].place) *slot_of(records, room, l->records[i].key) = l->records[i];
    mem_free(l->records);
    l->records = records;
    l->room = room;
    return true;
}

struct latest_record *latest_find(struct latest *l, uint64_t key) {
    if (l->count >= l->room / 4 * 3 && !grow(l)) return NULL;
    struct latest_record *record = slot_of(l->records, l->room, key);
    l->count += record->place == 0;
    record->key = key;
    return record;
}

void latest_clear(struct latest *l) {
    mem_free(l->records);
    *l = (struct latest){0};
}

/* Numbers of documents that are gone but still stand in segments: pages of bits in memory, a run on disk. */
#ifndef INDEX_GONE_H
#define INDEX_GONE_H

#include "runs/run.h"

enum { GONE_PAGE = 1 << 16 }; /* numbers: 8 KiB */

struct gone {
    uint64_t **pages; /* [number / GONE_PAGE]; NULL: none of these */
    size_t count, cap;
    uint64_t total;
};

static inline bool is_gone(const struct gone *gone, uint64_t number) {
    uint64_t page = number / GONE_PAGE, bit = number % GONE_PAGE;
    return page < gone->count && gone->pages[page] && gone->pages[page][bit / 64] >> bit % 64 & 1;
}

/* False when memory is refused. */
bool gone_add(struct gone *gone, uint64_t number);
bool gone_copy(struct gone *to, const struct gone *from);
void gone_drop(struct gone *gone, uint64_t number);
/* The first one from `from` on; false: there is none. */
bool gone_next(const struct gone *gone, uint64_t from, uint64_t *number);
void gone_release(struct gone *gone);

stemma_status gone_write(const struct gone *gone, const struct run_place *place, uint64_t *size,
                         stemma_error *err);
/* Numbers below `limit`; others are damage. */
stemma_status gone_read(struct gone *gone, const struct run_place *place, uint64_t size, uint64_t limit,
                        stemma_error *err);

#endif

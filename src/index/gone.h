/* Sets of numbers of documents, such as those that are gone but still stand in segments: pages of bits in
 * memory, a run on disk. Copies share pages until one of them changes. Beyond some pages they are in files
 * without names, so that memory does not grow with the numbers. */
#ifndef INDEX_GONE_H
#define INDEX_GONE_H

#include "runs/run.h"

enum { GONE_PAGE = 1 << 19 }; /* numbers: 64 KiB */

struct gone_page {
    size_t sharers;
    bool filed;
    uint64_t words[GONE_PAGE / 64];
};

struct gone {
    struct gone_page **pages; /* [number / GONE_PAGE]; NULL: none of these */
    size_t count, cap;
    size_t held;           /* pages that are in memory */
    const char *directory; /* of the others; NULL: TMPDIR, else /tmp */
    uint64_t total;
};

static inline bool is_gone(const struct gone *gone, uint64_t number) {
    uint64_t page = number / GONE_PAGE, bit = number % GONE_PAGE;
    return page < gone->count && gone->pages[page] && gone->pages[page]->words[bit / 64] >> bit % 64 & 1;
}

/* False when memory is refused. */
bool gone_add(struct gone *gone, uint64_t number);
bool gone_drop(struct gone *gone, uint64_t first, uint64_t limit); /* numbers below the limit */
bool gone_copy(struct gone *to, const struct gone *from);
bool gone_equal(const struct gone *a, const struct gone *b);
/* The first one from `from` on; false: there is none. */
bool gone_next(const struct gone *gone, uint64_t from, uint64_t *number);
void gone_release(struct gone *gone);

stemma_status gone_write(const struct gone *gone, const struct run_place *place, uint64_t *size,
                         stemma_error *err);
/* Numbers below `limit`; others are damage. */
stemma_status gone_read(struct gone *gone, const struct run_place *place, uint64_t size, uint64_t limit,
                        stemma_error *err);

#endif

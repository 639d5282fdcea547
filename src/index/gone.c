#include "index/gone.h"

#include "base/alloc.h"
#include "base/temporary.h"
#include "runs/block.h"
#include "runs/column.h"

#include <string.h>

enum {
    PAGE_WORDS = GONE_PAGE / 64,
    HELD_MOST = 64 /* pages of a set in memory, 4 MB: numbers of 33 million documents */
};

/* ---- pages ---- */

static struct gone_page *page_new(struct gone *gone) {
    struct gone_page *page = NULL;
    if (gone->held >= HELD_MOST && (page = temporary_map(gone->directory, sizeof *page))) page->filed = true;
    if (!page && (page = mem_zero(1, sizeof *page))) gone->held++; /* also where no file can be made */
    if (page) page->sharers = 1;
    return page;
}

static struct gone_page *page_share(struct gone_page *page) {
    if (page) __atomic_add_fetch(&page->sharers, 1, __ATOMIC_RELAXED);
    return page;
}

static void page_release(struct gone *gone, struct gone_page *page) {
    if (!page) return;
    gone->held -= !page->filed;
    if (__atomic_sub_fetch(&page->sharers, 1, __ATOMIC_ACQ_REL)) return;
    if (page->filed)
        temporary_unmap(page, sizeof *page);
    else
        mem_free(page);
}

/* A page that is the set's own. */
static struct gone_page *page_of(struct gone *gone, uint64_t at) {
    const size_t before = gone->count;
    if (at >= before) {
        if (!mem_grow((void **)&gone->pages, &gone->cap, (size_t)at + 1, sizeof *gone->pages)) return NULL;
        gone->count = (size_t)at + 1;
        memset(gone->pages + before, 0, (gone->count - before) * sizeof *gone->pages);
    }
    struct gone_page *page = gone->pages[at];
    if (page && __atomic_load_n(&page->sharers, __ATOMIC_ACQUIRE) == 1) return page;
    struct gone_page *own = page_new(gone);
    if (!own) return NULL;
    if (page) memcpy(own->words, page->words, sizeof own->words);
    page_release(gone, page);
    return gone->pages[at] = own;
}

/* ---- sets ---- */

bool gone_add(struct gone *gone, uint64_t number) {
    const uint64_t bit = number % GONE_PAGE;
    if (is_gone(gone, number)) return true;
    struct gone_page *page = page_of(gone, number / GONE_PAGE);
    if (!page) return false;
    page->words[bit / 64] |= UINT64_C(1) << bit % 64;
    gone->total++;
    return true;
}

bool gone_copy(struct gone *to, const struct gone *from) {
    *to = (struct gone){.directory = from->directory};
    if (!mem_grow((void **)&to->pages, &to->cap, from->count, sizeof *to->pages)) return false;
    for (size_t i = 0; i < from->count; i++) to->pages[i] = page_share(from->pages[i]);
    to->count = from->count;
    to->held = from->held;
    to->total = from->total;
    return true;
}

static bool same_page(const struct gone_page *a, const struct gone_page *b) {
    if (a == b) return true;
    for (size_t i = 0; i < PAGE_WORDS; i++)
        if ((a ? a->words[i] : 0) != (b ? b->words[i] : 0)) return false;
    return true;
}

bool gone_equal(const struct gone *a, const struct gone *b) {
    const size_t count = a->count > b->count ? a->count : b->count;
    bool same = a->total == b->total;
    for (size_t i = 0; i < count && same; i++)
        same = same_page(i < a->count ? a->pages[i] : NULL, i < b->count ? b->pages[i] : NULL);
    return same;
}

static bool next_in_page(const uint64_t *words, uint64_t from, uint64_t *bit) {
    for (uint64_t w = from / 64; w < PAGE_WORDS; w++) {
        uint64_t word = words[w] & (w == from / 64 ? UINT64_MAX << from % 64 : UINT64_MAX);
        if (!word) continue;
        *bit = w * 64 + (uint64_t)__builtin_ctzll(word);
        return true;
    }
    return false;
}

bool gone_next(const struct gone *gone, uint64_t from, uint64_t *number) {
    uint64_t start = from % GONE_PAGE;
    for (uint64_t page = from / GONE_PAGE; page < gone->count; page++, start = 0) {
        uint64_t bit;
        if (!gone->pages[page] || !next_in_page(gone->pages[page]->words, start, &bit)) continue;
        *number = page * GONE_PAGE + bit;
        return true;
    }
    return false;
}

bool gone_drop(struct gone *gone, uint64_t first, uint64_t limit) {
    uint64_t number;
    for (uint64_t from = first; gone_next(gone, from, &number) && number < limit; from = number + 1) {
        struct gone_page *page = page_of(gone, number / GONE_PAGE);
        if (!page) return false;
        page->words[number % GONE_PAGE / 64] &= ~(UINT64_C(1) << number % 64);
        gone->total--;
    }
    return true;
}

void gone_release(struct gone *gone) {
    for (size_t i = 0; i < gone->count; i++) page_release(gone, gone->pages[i]);
    mem_free(gone->pages);
    *gone = (struct gone){.directory = gone->directory};
}

stemma_status gone_write(const struct gone *gone, const struct run_place *place, uint64_t *size,
                         stemma_error *err) {
    struct run_writer *writer;
    TRY(run_writer_new(place, BLOCK_RECORDS, &writer, err));
    stemma_status status = STEMMA_OK;
    struct record record = {0, 0};
    for (uint64_t from = 0; status == STEMMA_OK && gone_next(gone, from, &record.key); from = record.key + 1)
        status = run_writer_add(writer, &record, 1, err);
    if (status == STEMMA_OK) status = run_writer_finish(writer, size, err);
    run_writer_free(writer);
    return status;
}

struct reading {
    struct gone gone;
    const struct run_place *place;
    uint64_t limit;
};

static stemma_status take_numbers(void *context, const struct record *records, size_t count,
                                  stemma_error *err) {
    struct reading *r = context;
    for (size_t i = 0; i < count; i++) {
        if (records[i].key >= r->limit)
            return place_damaged(r->place, 0, "a number that was never given", err);
        if (!gone_add(&r->gone, records[i].key)) return fail_memory(err);
    }
    return STEMMA_OK;
}

stemma_status gone_read(struct gone *gone, const struct run_place *place, uint64_t size, uint64_t limit,
                        stemma_error *err) {
    struct run *run;
    struct reading reading = {.gone.directory = gone->directory, .place = place, .limit = limit};
    TRY(run_open(place, size, &run, err));
    stemma_status status = run_each(run, take_numbers, &reading, err);
    run_close(run);
    if (status == STEMMA_OK)
        *gone = reading.gone;
    else
        gone_release(&reading.gone);
    return status;
}

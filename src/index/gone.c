#include "index/gone.h"

#include "base/alloc.h"
#include "runs/block.h"
#include "runs/column.h"

#include <string.h>

enum { PAGE_WORDS = GONE_PAGE / 64 };

static uint64_t *page_of(struct gone *gone, uint64_t page) {
    size_t before = gone->count;
    if (page >= before) {
        if (!mem_grow((void **)&gone->pages, &gone->cap, (size_t)page + 1, sizeof *gone->pages)) return NULL;
        gone->count = (size_t)page + 1;
        memset(gone->pages + before, 0, (gone->count - before) * sizeof *gone->pages);
    }
    if (!gone->pages[page]) gone->pages[page] = mem_zero(PAGE_WORDS, 8);
    return gone->pages[page];
}

bool gone_add(struct gone *gone, uint64_t number) {
    uint64_t *words = page_of(gone, number / GONE_PAGE), bit = number % GONE_PAGE;
    if (!words) return false;
    gone->total += !is_gone(gone, number);
    words[bit / 64] |= UINT64_C(1) << bit % 64;
    return true;
}

void gone_drop(struct gone *gone, uint64_t number) {
    uint64_t bit = number % GONE_PAGE;
    if (!is_gone(gone, number)) return;
    gone->pages[number / GONE_PAGE][bit / 64] &= ~(UINT64_C(1) << bit % 64);
    gone->total--;
}

bool gone_copy(struct gone *to, const struct gone *from) {
    *to = (struct gone){.total = from->total};
    for (size_t i = 0; i < from->count; i++) {
        if (!from->pages[i]) continue;
        uint64_t *words = page_of(to, i);
        if (!words) {
            gone_release(to);
            return false;
        }
        memcpy(words, from->pages[i], PAGE_WORDS * sizeof *words);
    }
    return true;
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
        if (!gone->pages[page] || !next_in_page(gone->pages[page], start, &bit)) continue;
        *number = page * GONE_PAGE + bit;
        return true;
    }
    return false;
}

void gone_release(struct gone *gone) {
    for (size_t i = 0; i < gone->count; i++) mem_free(gone->pages[i]);
    mem_free(gone->pages);
    *gone = (struct gone){0};
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

static stemma_status read_all(struct gone *gone, struct run_reader *reader, const struct run_place *place,
                              uint64_t limit, stemma_error *err) {
    for (;;) {
        const struct record *records;
        size_t count;
        TRY(run_reader_next(reader, &records, &count, err));
        if (count == 0) return STEMMA_OK;
        for (size_t i = 0; i < count; i++) {
            if (records[i].key >= limit) return place_damaged(place, 0, "a number that was never given", err);
            if (!gone_add(gone, records[i].key)) return fail_memory(err);
        }
    }
}

stemma_status gone_read(struct gone *gone, const struct run_place *place, uint64_t size, uint64_t limit,
                        stemma_error *err) {
    struct run *run = NULL;
    struct run_reader *reader = NULL;
    struct gone read = {0};
    stemma_status status = run_open(place, size, &run, err);
    if (status == STEMMA_OK) status = run_reader_new(run, &reader, err);
    if (status == STEMMA_OK) status = read_all(&read, reader, place, limit, err);
    run_reader_free(reader);
    run_close(run);
    if (status == STEMMA_OK)
        *gone = read;
    else
        gone_release(&read);
    return status;
}

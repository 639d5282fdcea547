#include "index/id_filter.h"

#include "base/alloc.h"

enum {
    KEYS_OF_WORD = 4, /* 16 bits a key: one key in a hundred that is not there seems to be, */
    KEYS_MOST = 16,   /* or, with 4, one in five */
    BITS_OF_KEY = 4,
    READ_GAIN = 32 /* so many records are read in turn in the time of a lookup, or more */
};
#define NEVER UINT64_MAX

static uint64_t *word_of(const struct id_filter *f, uint64_t key) {
    return &f->words[(uint64_t)((unsigned __int128)key * f->count >> 64)];
}

/* The lowest bits of a key: the highest have chosen the word. */
static uint64_t bits_of(uint64_t key) {
    uint64_t bits = 0;
    for (int i = 0; i < BITS_OF_KEY; i++, key >>= 6) bits |= UINT64_C(1) << (key & 63);
    return bits;
}

static stemma_status read_keys(struct id_filter *f, struct run *run, struct run_reader *reader,
                               stemma_error *err) {
    size_t count = 1;
    run_reader_turn(reader, run);
    TRY(run_reader_seek(reader, 0, err));
    while (count) {
        const struct record *records;
        TRY(run_reader_next(reader, &records, &count, err));
        for (size_t i = 0; i < count; i++) *word_of(f, records[i].key) |= bits_of(records[i].key);
    }
    return STEMMA_OK;
}

bool id_filter_due(struct id_filter *f, struct run *run) {
    return !f->words && f->asked != NEVER && ++f->asked > run_count(run) / READ_GAIN;
}

stemma_status id_filter_make(struct id_filter *f, struct run *run, struct run_reader *reader, size_t most,
                             stemma_error *err) {
    f->asked = NEVER;
    f->count = run_count(run) / KEYS_OF_WORD + 1;
    if (f->count > most / sizeof *f->words) f->count = most / sizeof *f->words;
    if (f->count < run_count(run) / KEYS_MOST + 1) return STEMMA_OK;
    f->words = mem_zero((size_t)f->count, sizeof *f->words);
    if (!f->words) return fail_memory(err);
    stemma_status status = read_keys(f, run, reader, err);
    if (status != STEMMA_OK) id_filter_release(f);
    return status == STEMMA_CORRUPT ? STEMMA_OK : status;
}

bool id_filter_may_have(const struct id_filter *f, uint64_t key) {
    const uint64_t bits = bits_of(key);
    return !f->words || (*word_of(f, key) & bits) == bits;
}

size_t id_filter_bytes(const struct id_filter *f) {
    return f->words ? (size_t)f->count * sizeof *f->words : 0;
}

void id_filter_release(struct id_filter *f) {
    mem_free(f->words);
    f->words = NULL;
}

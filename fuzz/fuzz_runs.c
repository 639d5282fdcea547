/* Any bytes as a run, and as the block of a run whose checksums are right: a clean error, or records in
 * order; so with a stored one. */
#include "fuzz.h"

#include "base/buf.h"
#include "runs/record_sort.h"
#include "runs/run.h"
#include "runs/run_layout.h"

static void read_in_order(struct run_reader *reader, uint64_t least_key, uint64_t most) {
    struct record last = {least_key, 0};
    const struct record *records;
    size_t count = 0;
    for (;;) {
        if (run_reader_next(reader, &records, &count, NULL) != STEMMA_OK || count == 0) return;
        REQUIRE(count <= most);
        most -= count;
        for (size_t i = 0; i < count; i++) {
            REQUIRE(record_number(last) <= record_number(records[i]));
            last = records[i];
        }
    }
}

static void read_run(const uint8_t *bytes, size_t size) {
    struct run_place place = {.fd = fuzz_file(bytes, size), .name = "run"};
    struct run *run;
    struct run_reader *reader;
    if (run_open(&place, size, &run, NULL) == STEMMA_OK) {
        REQUIRE(run_reader_new(run, &reader, NULL) == STEMMA_OK);
        read_in_order(reader, 0, run_count(run));
        uint64_t key = size >= 8 ? load_u64(bytes + size / 2 / 8 * 8) : 0;
        if (run_reader_seek(reader, key, NULL) == STEMMA_OK) read_in_order(reader, key, run_count(run));
        run_reader_free(reader);
        run_close(run);
    }
    close(place.fd);
}

/* The input is a block behind its checksum, which a fuzzer would never find. */
static void read_block(const uint8_t *data, size_t size) {
    static struct record records[BLOCK_RECORDS];
    uint8_t *block = calloc(1, 8 + size + BLOCK_SLACK);
    REQUIRE(block != NULL);
    size -= size % 8;
    if (size) memcpy(block + 8, data, size);
    uint64_t sum = words_checksum(block + 8, size, 16);
    for (int i = 0; i < 8; i++) block[i] = (uint8_t)(sum >> (8 * i));
    uint32_t count = size >= 8 ? load_u32(block + 8) : 1;
    if (count >= 1 && count <= BLOCK_RECORDS && !block_decode(block, size + 8, 16, count, records))
        for (size_t i = 1; i < count; i++)
            REQUIRE(record_number(records[i - 1]) <= record_number(records[i]));
    free(block);
}

/* A stored block behind its checksum, after how many records it has and a key that is looked for. */
static void read_stored_block(const uint8_t *data, size_t size) {
    static struct record records[BLOCK_RECORDS];
    struct stored_block block;
    if (size < 10) return;
    const size_t count = 1 + ((size_t)data[0] | (size_t)data[1] << 8) % BLOCK_RECORDS;
    const uint64_t key = load_u64(data + 2);
    data += 10;
    size = (size - 10) / 8 * 8;
    uint8_t *bytes = calloc(1, 8 + size + BLOCK_SLACK);
    REQUIRE(bytes != NULL);
    if (size) memcpy(bytes + 8, data, size);
    store_u64(bytes, words_checksum(bytes + 8, size, 16));
    if (!stored_block_open(&block, bytes, 8 + size, 16, 1, count)) {
        stored_block_seek(&block, key);
        REQUIRE(block.next <= count);
        const size_t left = count - block.next;
        if (left && !stored_block_read(&block, left, records)) {
            REQUIRE(records[0].key >= key && records[0].key >= 1);
            for (size_t i = 1; i < left; i++)
                REQUIRE(record_number(records[i - 1]) <= record_number(records[i]));
        }
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    if (data[0] == (uint8_t)RUN_MAGIC[0])
        read_run(data, size);
    else if (data[0] == 's')
        read_stored_block(data + 1, size - 1);
    else
        read_block(data + 1, size - 1);
    return 0;
}

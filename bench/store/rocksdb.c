/*
 * Candidate B: RocksDB for everything, by its C interface.
 *
 * A posting is a key of its own (key, then number), since nearly all lists are short. Readers in other
 * processes are secondaries: they follow the log and the files of the one that writes.
 */
#include "store/workload.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const store_name = "rocksdb";

enum table {
    TABLE_STATE,
    TABLE_IDS,
    TABLE_RECORDS,
    TABLE_MINIMA,
    TABLE_BITS,
    TABLE_BANDS,
    TABLE_SAMPLES,
    TABLES
};

static const char *const table_names[TABLES] = {"default", "ids",   "records", "minima",
                                                "bits",    "bands", "samples"};

enum { POSTING = 16, VALUE_ROOM = FACTS + ID_ROOM };

struct store {
    char *directory;
    bool writes;
    rocksdb_t *db;
    rocksdb_options_t *options;
    rocksdb_cache_t *cache;
    rocksdb_readoptions_t *reading;
    rocksdb_writeoptions_t *writing;
    rocksdb_column_family_handle_t *tables[TABLES];
    uint64_t next_number;
};

static stemma_status wrong(const struct store *s, char *message, stemma_error *err) {
    stemma_status status = fail(err, strstr(message, "Corruption") ? STEMMA_CORRUPT : STEMMA_IO,
                                "cannot use '%s': %s", s->directory, message);
    rocksdb_free(message);
    return status;
}

#define ROCKS(call)                                                                                          \
    do {                                                                                                     \
        char *cause = NULL;                                                                                  \
        call;                                                                                                \
        if (cause) return wrong(s, cause, err);                                                              \
    } while (0)

/* Big-endian, so that the order of bytes is that of numbers. */
static void put_number(uint8_t *at, uint64_t number) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(number >> (56 - 8 * i));
}

static uint64_t get_number(const uint8_t *at) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number = number << 8 | at[i];
    return number;
}

/* ---- opening ---- */

static rocksdb_options_t *make_options(struct store *s) {
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    s->cache = rocksdb_cache_create_lru((size_t)64 << 20);
    rocksdb_block_based_options_set_block_cache(table, s->cache);
    rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10));
    rocksdb_block_based_options_set_format_version(table, 5);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_create_missing_column_families(options, 1);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
    rocksdb_options_set_write_buffer_size(options, (size_t)32 << 20);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
    rocksdb_options_set_info_log_level(options, 3);
    rocksdb_options_set_max_open_files(options, -1);
    return options;
}

static stemma_status open_database(struct store *s, stemma_error *err) {
    const rocksdb_options_t *options[TABLES];
    char beside[4096];
    for (int t = 0; t < TABLES; t++) options[t] = s->options;
    snprintf(beside, sizeof beside, "%s.reader%ld", s->directory, (long)getpid());
    if (s->writes)
        ROCKS(s->db = rocksdb_open_column_families(s->options, s->directory, TABLES, table_names, options,
                                                   s->tables, &cause));
    else
        ROCKS(s->db = rocksdb_open_as_secondary_column_families(s->options, s->directory, beside, TABLES,
                                                                table_names, options, s->tables, &cause));
    return STEMMA_OK;
}

static stemma_status read_state(struct store *s, stemma_error *err) {
    size_t size;
    char *value;
    ROCKS(value = rocksdb_get_cf(s->db, s->reading, s->tables[TABLE_STATE], "next", 4, &size, &cause));
    if (value) s->next_number = load_u64((uint8_t *)value);
    rocksdb_free(value);
    return STEMMA_OK;
}

stemma_status store_open(const char *directory, bool writes, struct store **out, stemma_error *err) {
    struct store *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    s->directory = mem_copy_string(directory);
    s->writes = writes;
    s->options = make_options(s);
    s->reading = rocksdb_readoptions_create();
    s->writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(s->writing, 1);
    stemma_status status = open_database(s, err);
    if (status == STEMMA_OK) status = read_state(s, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

/* What is in memory goes to files, so that their sizes can be compared. */
static void flush(struct store *s) {
    rocksdb_flushoptions_t *flushing = rocksdb_flushoptions_create();
    char *cause = NULL;
    for (int t = 0; t < TABLES; t++) rocksdb_flush_cf(s->db, flushing, s->tables[t], &cause);
    rocksdb_free(cause);
    rocksdb_flushoptions_destroy(flushing);
}

void store_close(struct store *s) {
    if (s->db && s->writes) flush(s);
    for (int t = 0; t < TABLES && s->db; t++) rocksdb_column_family_handle_destroy(s->tables[t]);
    if (s->db) rocksdb_close(s->db);
    rocksdb_readoptions_destroy(s->reading);
    rocksdb_writeoptions_destroy(s->writing);
    rocksdb_options_destroy(s->options);
    rocksdb_cache_destroy(s->cache);
    mem_free(s->directory);
    mem_free(s);
}

stemma_status store_refresh(struct store *s, uint64_t *documents, stemma_error *err) {
    ROCKS(rocksdb_try_catch_up_with_primary(s->db, &cause));
    TRY(read_state(s, err));
    *documents = s->next_number;
    return STEMMA_OK;
}

/* ---- writing ---- */

static void put_value(struct store *s, rocksdb_writebatch_t *batch, enum table table, const void *key,
                      size_t key_size, const void *value, size_t size) {
    rocksdb_writebatch_put_cf(batch, s->tables[table], key, key_size, value, size);
}

static void put_posting(struct store *s, rocksdb_writebatch_t *batch, enum table table, uint64_t key,
                        uint64_t number, bool stays) {
    uint8_t posting[POSTING];
    put_number(posting, key);
    put_number(posting + 8, number);
    if (stays)
        put_value(s, batch, table, posting, POSTING, "", 0);
    else
        rocksdb_writebatch_delete_cf(batch, s->tables[table], (char *)posting, POSTING);
}

static void put_postings(struct store *s, rocksdb_writebatch_t *batch, const struct document *d, bool stays) {
    for (int b = 0; b < BANDS; b++) put_posting(s, batch, TABLE_BANDS, d->bands[b], d->number, stays);
    for (int i = 0; i < SAMPLES; i++) put_posting(s, batch, TABLE_SAMPLES, d->samples[i], d->number, stays);
}

static void put_document(struct store *s, rocksdb_writebatch_t *batch, const struct document *d) {
    uint8_t number[8], record[VALUE_ROOM];
    put_number(number, d->number);
    memcpy(record, d->facts, FACTS);
    memcpy(record + FACTS, d->id, d->id_size);
    put_value(s, batch, TABLE_IDS, d->id, d->id_size, number, 8);
    put_value(s, batch, TABLE_RECORDS, number, 8, record, FACTS + d->id_size);
    put_value(s, batch, TABLE_MINIMA, number, 8, d->minima, MINIMA);
    put_value(s, batch, TABLE_BITS, number, 8, d->bits, BITS);
    put_postings(s, batch, d, true);
}

static void remove_document(struct store *s, rocksdb_writebatch_t *batch, const struct document *d) {
    uint8_t number[8];
    put_number(number, d->number);
    rocksdb_writebatch_delete_cf(batch, s->tables[TABLE_IDS], d->id, d->id_size);
    for (int t = TABLE_RECORDS; t <= TABLE_BITS; t++)
        rocksdb_writebatch_delete_cf(batch, s->tables[t], (char *)number, 8);
    put_postings(s, batch, d, false);
}

static stemma_status commit(struct store *s, rocksdb_writebatch_t *batch, stemma_error *err) {
    uint8_t next[8];
    store_u64(next, s->next_number);
    put_value(s, batch, TABLE_STATE, "next", 4, next, 8);
    ROCKS(rocksdb_write(s->db, s->writing, batch, &cause));
    return STEMMA_OK;
}

stemma_status store_append(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (size_t i = 0; i < count; i++) put_document(s, batch, &documents[i]);
    s->next_number = documents[count - 1].number + 1;
    stemma_status status = commit(s, batch, err);
    rocksdb_writebatch_destroy(batch);
    return status;
}

/* The keys of postings have to be known to be removed: here they follow from the document, elsewhere from its
 * sketch. */
stemma_status store_remove(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (size_t i = 0; i < count; i++) remove_document(s, batch, &documents[i]);
    stemma_status status = commit(s, batch, err);
    rocksdb_writebatch_destroy(batch);
    return status;
}

stemma_status store_reclaim(struct store *s, stemma_error *err) {
    (void)err;
    flush(s);
    for (int t = 0; t < TABLES; t++) rocksdb_compact_range_cf(s->db, s->tables[t], NULL, 0, NULL, 0);
    return STEMMA_OK;
}

/* ---- asking ---- */

static stemma_status get_value(struct store *s, enum table table, const void *key, size_t key_size, void *to,
                               size_t room, size_t *size, bool *found, stemma_error *err) {
    char *value;
    ROCKS(value = rocksdb_get_cf(s->db, s->reading, s->tables[table], key, key_size, size, &cause));
    *found = value != NULL;
    if (value) memcpy(to, value, *size < room ? *size : room);
    rocksdb_free(value);
    return STEMMA_OK;
}

stemma_status store_find(struct store *s, const char *id, size_t id_size, uint8_t facts[FACTS],
                         uint64_t *number, bool *found, stemma_error *err) {
    uint8_t key[8];
    size_t size;
    TRY(get_value(s, TABLE_IDS, id, id_size, key, 8, &size, found, err));
    if (!*found) return STEMMA_OK;
    *number = get_number(key);
    return get_value(s, TABLE_RECORDS, key, 8, facts, FACTS, &size, found, err);
}

stemma_status store_minima(struct store *s, uint64_t number, uint8_t minima[MINIMA], bool *found,
                           stemma_error *err) {
    uint8_t key[8];
    size_t size;
    put_number(key, number);
    return get_value(s, TABLE_MINIMA, key, 8, minima, MINIMA, &size, found, err);
}

static stemma_status end_of(struct store *s, rocksdb_iterator_t *iterator, stemma_error *err) {
    char *cause = NULL;
    rocksdb_iter_get_error(iterator, &cause);
    rocksdb_iter_destroy(iterator);
    return cause ? wrong(s, cause, err) : STEMMA_OK;
}

stemma_status store_list(struct store *s, enum index index, uint64_t key, uint64_t *numbers, size_t room,
                         size_t *count, stemma_error *err) {
    uint8_t start[8];
    size_t size;
    rocksdb_iterator_t *i = rocksdb_create_iterator_cf(
        s->db, s->reading, s->tables[index == INDEX_BANDS ? TABLE_BANDS : TABLE_SAMPLES]);
    put_number(start, key);
    *count = 0;
    for (rocksdb_iter_seek(i, (char *)start, 8); rocksdb_iter_valid(i) && *count < room;
         rocksdb_iter_next(i)) {
        const uint8_t *posting = (const uint8_t *)rocksdb_iter_key(i, &size);
        if (get_number(posting) != key) break;
        numbers[(*count)++] = get_number(posting + 8);
    }
    return end_of(s, i, err);
}

stemma_status store_near(struct store *s, const uint8_t bits[BITS], unsigned radius, uint64_t *count,
                         stemma_error *err) {
    size_t size;
    rocksdb_iterator_t *i = rocksdb_create_iterator_cf(s->db, s->reading, s->tables[TABLE_BITS]);
    *count = 0;
    for (rocksdb_iter_seek_to_first(i); rocksdb_iter_valid(i); rocksdb_iter_next(i))
        *count += bits_apart((const uint8_t *)rocksdb_iter_value(i, &size), bits) <= radius;
    return end_of(s, i, err);
}

stemma_status store_digest(struct store *s, uint64_t *digest, stemma_error *err) {
    size_t key_size, size;
    *digest = s->next_number;
    for (int t = 0; t < TABLES; t++) {
        rocksdb_iterator_t *i = rocksdb_create_iterator_cf(s->db, s->reading, s->tables[t]);
        for (rocksdb_iter_seek_to_first(i); rocksdb_iter_valid(i); rocksdb_iter_next(i)) {
            const char *key = rocksdb_iter_key(i, &key_size), *value = rocksdb_iter_value(i, &size);
            *digest += hash_bytes(value, size, hash_bytes(key, key_size, (uint64_t)t));
        }
        TRY(end_of(s, i, err));
    }
    return STEMMA_OK;
}

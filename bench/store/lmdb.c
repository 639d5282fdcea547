/*
 * Candidate A: LMDB for the catalogue, sorted runs for the postings.
 *
 * The names of the runs that count are in LMDB, too, so that its commit is the only one. LMDB has no
 * checksums: each value carries one of its key and its bytes, which is what can be done from outside.
 */
#include "store/postings.h"
#include "store/workload.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const store_name = "lmdb+runs";

#ifndef FAN
#define FAN 4
#endif

enum table { TABLE_IDS, TABLE_RECORDS, TABLE_MINIMA, TABLE_BITS, TABLE_GONE, TABLE_STATE, TABLES };

static const char *const table_names[TABLES] = {"ids", "records", "minima", "bits", "gone", "state"};

enum {
    RUNS_MOST = 128,
    VALUE_ROOM = FACTS + ID_ROOM + 8,
    SUM = 8,
    STATE_FIXED = 24, /* next number, next serial, runs of each kind */
    STATE_MOST = STATE_FIXED + 2 * RUNS_MOST * 24
};

struct run_file {
    uint64_t serial, size, records;
    int fd;
    char path[4096];
    struct postings postings;
};

struct store {
    char *directory;
    MDB_env *env;
    MDB_dbi tables[TABLES];
    MDB_txn *txn; /* of a reader: what it sees */
    size_t seen;  /* the transaction whose state was read */
    bool writes;
    uint64_t next_number, next_serial;
    struct run_file *runs[INDEXES][RUNS_MOST];
    size_t counts[INDEXES];
    struct gone gone;
};

static stemma_status wrong(int rc, const struct store *s, stemma_error *err) {
    return fail(err, STEMMA_IO, "cannot use '%s': %s", s->directory, mdb_strerror(rc));
}

#define LMDB(call)                                                                                           \
    do {                                                                                                     \
        int lmdb_rc = (call);                                                                                \
        if (lmdb_rc) return wrong(lmdb_rc, s, err);                                                          \
    } while (0)

/* ---- values with a checksum ---- */

static stemma_status put_value(struct store *s, MDB_txn *txn, enum table table, const void *key,
                               size_t key_size, const void *bytes, size_t size, unsigned flags,
                               stemma_error *err) {
    uint8_t value[STATE_MOST + SUM];
    MDB_val k = {key_size, (void *)(uintptr_t)key}, v = {size + SUM, value};
    memcpy(value, bytes, size);
    store_u64(value + size, hash_bytes(bytes, size, hash_bytes(key, key_size, table)));
    LMDB(mdb_put(txn, s->tables[table], &k, &v, flags));
    return STEMMA_OK;
}

static stemma_status check_value(const struct store *s, enum table table, const MDB_val *k, const MDB_val *v,
                                 stemma_error *err) {
    const uint8_t *bytes = v->mv_data;
    size_t size = v->mv_size - SUM;
    if (v->mv_size < SUM ||
        load_u64(bytes + size) != hash_bytes(bytes, size, hash_bytes(k->mv_data, k->mv_size, table)))
        return fail(err, STEMMA_CORRUPT, "'%s' is damaged: checksum differs", s->directory);
    return STEMMA_OK;
}

static stemma_status get_value(struct store *s, MDB_txn *txn, enum table table, const void *key,
                               size_t key_size, const uint8_t **bytes, size_t *size, bool *found,
                               stemma_error *err) {
    MDB_val k = {key_size, (void *)(uintptr_t)key}, v;
    int rc = mdb_get(txn, s->tables[table], &k, &v);
    *found = rc != MDB_NOTFOUND;
    if (!*found) return STEMMA_OK;
    LMDB(rc);
    TRY(check_value(s, table, &k, &v, err));
    *bytes = v.mv_data;
    *size = v.mv_size - SUM;
    return STEMMA_OK;
}

/* ---- runs ---- */

static void close_run(struct run_file *file) {
    if (!file) return;
    postings_close(&file->postings);
    if (file->fd >= 0) close(file->fd);
    mem_free(file);
}

static void name_run(const struct store *s, struct run_file *file) {
    snprintf(file->path, sizeof file->path, "%s/%08llu.run", s->directory, (unsigned long long)file->serial);
}

static stemma_status open_run(struct store *s, uint64_t serial, uint64_t size, uint64_t records,
                              struct run_file **out, stemma_error *err) {
    struct run_file *file = mem_zero(1, sizeof *file);
    if (!file) return fail_memory(err);
    *file = (struct run_file){.serial = serial, .size = size, .records = records};
    name_run(s, file);
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC);
    struct run_place place = {.fd = file->fd, .name = file->path};
    stemma_status status = file->fd < 0 ? fail_errno(err, "open", file->path, errno)
                                        : postings_open(&file->postings, &place, size, err);
    if (status == STEMMA_OK)
        *out = file;
    else
        close_run(file);
    return status;
}

static struct run_file *open_already(struct store *s, int index, uint64_t serial) {
    for (size_t i = 0; i < s->counts[index]; i++)
        if (s->runs[index][i] && s->runs[index][i]->serial == serial) {
            struct run_file *file = s->runs[index][i];
            s->runs[index][i] = NULL;
            return file;
        }
    return NULL;
}

static stemma_status follow_runs(struct store *s, int index, const uint8_t *at, size_t count,
                                 stemma_error *err) {
    struct run_file *now[RUNS_MOST] = {0};
    stemma_status status = count > RUNS_MOST ? fail(err, STEMMA_CORRUPT, "too many runs") : STEMMA_OK;
    for (size_t i = 0; i < count && status == STEMMA_OK; i++, at += 24) {
        now[i] = open_already(s, index, load_u64(at));
        if (!now[i]) status = open_run(s, load_u64(at), load_u64(at + 8), load_u64(at + 16), &now[i], err);
    }
    for (size_t i = 0; i < s->counts[index]; i++) close_run(s->runs[index][i]);
    memcpy(s->runs[index], now, sizeof now);
    s->counts[index] = status == STEMMA_OK ? count : 0;
    return status;
}

/* ---- the state: what else a commit says ---- */

static stemma_status put_state(struct store *s, MDB_txn *txn, stemma_error *err) {
    uint8_t bytes[STATE_MOST], *at = bytes + STATE_FIXED;
    store_u64(bytes, s->next_number);
    store_u64(bytes + 8, s->next_serial);
    for (int index = 0; index < INDEXES; index++) {
        store_u32(bytes + 16 + 4 * index, (uint32_t)s->counts[index]);
        for (size_t i = 0; i < s->counts[index]; i++, at += 24) {
            store_u64(at, s->runs[index][i]->serial);
            store_u64(at + 8, s->runs[index][i]->size);
            store_u64(at + 16, s->runs[index][i]->records);
        }
    }
    return put_value(s, txn, TABLE_STATE, "state", 5, bytes, (size_t)(at - bytes), 0, err);
}

static stemma_status load_gone(struct store *s, MDB_txn *txn, stemma_error *err) {
    MDB_cursor *cursor;
    MDB_val k, v;
    uint64_t words = s->next_number / 64 + 1;
    mem_free(s->gone.words);
    s->gone = (struct gone){mem_zero(words, 8), 0};
    if (!s->gone.words) return fail_memory(err);
    s->gone.limit = words * 64;
    LMDB(mdb_cursor_open(txn, s->tables[TABLE_GONE], &cursor));
    for (int rc = mdb_cursor_get(cursor, &k, &v, MDB_FIRST); rc == 0;
         rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)) {
        uint64_t number;
        memcpy(&number, k.mv_data, 8);
        if (number < s->gone.limit) s->gone.words[number / 64] |= UINT64_C(1) << number % 64;
    }
    mdb_cursor_close(cursor);
    return STEMMA_OK;
}

static stemma_status get_state(struct store *s, MDB_txn *txn, stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    bool found;
    TRY(get_value(s, txn, TABLE_STATE, "state", 5, &bytes, &size, &found, err));
    if (!found) return STEMMA_OK;
    s->next_number = load_u64(bytes);
    s->next_serial = load_u64(bytes + 8);
    const uint8_t *at = bytes + STATE_FIXED;
    for (int index = 0; index < INDEXES; index++) {
        size_t count = load_u32(bytes + 16 + 4 * index);
        TRY(follow_runs(s, index, at, count, err));
        at += 24 * count;
    }
    return load_gone(s, txn, err);
}

/* ---- opening ---- */

static stemma_status open_tables(struct store *s, stemma_error *err) {
    MDB_txn *txn;
    LMDB(mdb_txn_begin(s->env, NULL, s->writes ? 0 : MDB_RDONLY, &txn));
    for (int t = 0; t < TABLES; t++) {
        unsigned by_number = t == TABLE_IDS || t == TABLE_STATE ? 0 : MDB_INTEGERKEY;
        LMDB(mdb_dbi_open(txn, table_names[t], by_number | (s->writes ? MDB_CREATE : 0), &s->tables[t]));
    }
    if (s->writes) TRY(get_state(s, txn, err));
    LMDB(mdb_txn_commit(txn));
    return STEMMA_OK;
}

static stemma_status open_all(struct store *s, stemma_error *err) {
    LMDB(mdb_env_create(&s->env));
    LMDB(mdb_env_set_mapsize(s->env, (size_t)16 << 30));
    LMDB(mdb_env_set_maxdbs(s->env, TABLES));
    LMDB(mdb_env_open(s->env, s->directory, s->writes ? 0 : MDB_RDONLY, 0666));
    TRY(open_tables(s, err));
    uint64_t documents;
    return s->writes ? STEMMA_OK : store_refresh(s, &documents, err);
}

stemma_status store_open(const char *directory, bool writes, struct store **out, stemma_error *err) {
    struct store *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    s->directory = mem_copy_string(directory);
    s->writes = writes;
    s->next_serial = 1;
    if (writes) mkdir(directory, 0777);
    stemma_status status = open_all(s, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

void store_close(struct store *s) {
    for (int index = 0; index < INDEXES; index++)
        for (size_t i = 0; i < s->counts[index]; i++) close_run(s->runs[index][i]);
    if (s->txn) mdb_txn_abort(s->txn);
    if (s->env) mdb_env_close(s->env);
    mem_free(s->gone.words);
    mem_free(s->directory);
    mem_free(s);
}

static stemma_status renew(struct store *s, stemma_error *err) {
    if (!s->txn) {
        LMDB(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->txn));
        return STEMMA_OK;
    }
    mdb_txn_reset(s->txn);
    LMDB(mdb_txn_renew(s->txn));
    return STEMMA_OK;
}

/* Runs may go between the transaction and their opening: then a newer one names others. */
stemma_status store_refresh(struct store *s, uint64_t *documents, stemma_error *err) {
    stemma_status status = STEMMA_IO;
    for (int attempt = 0; attempt < 10 && status != STEMMA_OK && status != STEMMA_CORRUPT; attempt++) {
        TRY(renew(s, err));
        status = mdb_txn_id(s->txn) == s->seen ? STEMMA_OK : get_state(s, s->txn, err);
    }
    if (status == STEMMA_OK) s->seen = mdb_txn_id(s->txn);
    *documents = s->next_number;
    return status;
}

/* ---- writing ---- */

static unsigned size_class(uint64_t records) {
    unsigned class = 0;
    for (uint64_t bound = 512 * 20; records >= bound; bound *= FAN) class ++;
    return class;
}

static stemma_status create_run(struct store *s, struct run_file *file, stemma_error *err) {
    file->serial = s->next_serial++;
    name_run(s, file);
    file->fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return file->fd < 0 ? fail_errno(err, "create", file->path, errno) : STEMMA_OK;
}

static stemma_status finish_run(struct store *s, int index, struct run_file *file, uint64_t records,
                                stemma_error *err) {
    if (fdatasync(file->fd)) return fail_errno(err, "sync", file->path, errno);
    close(file->fd);
    TRY(open_run(s, file->serial, file->size, records, &s->runs[index][s->counts[index]], err));
    s->counts[index]++;
    return STEMMA_OK;
}

static stemma_status add_postings(struct store *s, int index, const struct document *d, size_t count,
                                  stemma_error *err) {
    size_t keys = index == INDEX_BANDS ? BANDS : SAMPLES, filled = 0;
    struct record *records = mem_zero(count * keys, sizeof *records);
    struct run_file file;
    if (!records) return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < keys; k++)
            records[filled++] =
                (struct record){index == INDEX_BANDS ? d[i].bands[k] : d[i].samples[k], d[i].number};
    stemma_status status = create_run(s, &file, err);
    struct run_place place = {.fd = file.fd, .name = file.path};
    if (status == STEMMA_OK) status = postings_write(&place, records, filled, &file.size, err);
    mem_free(records);
    TRY(status);
    return finish_run(s, index, &file, filled, err);
}

/* The last `count` runs become one; their files go with the next commit. */
static stemma_status merge_runs(struct store *s, int index, size_t count, struct run_file **old,
                                stemma_error *err) {
    struct level_run from[LEVELS_FAN];
    struct run_file file, **last = s->runs[index] + s->counts[index] - count;
    memcpy(old, last, count * sizeof *old);
    for (size_t i = 0; i < count; i++) from[i] = (struct level_run){.fd = old[i]->fd, .extent = old[i]->size};
    TRY(create_run(s, &file, err));
    struct run_place place = {.fd = file.fd, .name = file.path};
    TRY(postings_merge(&place, from, count, &s->gone, &file.size, err));
    s->counts[index] -= count;
    uint64_t records = 0;
    for (size_t i = 0; i < count; i++) records += old[i]->records;
    return finish_run(s, index, &file, records, err);
}

static stemma_status commit_runs(struct store *s, struct run_file **old, size_t count, stemma_error *err) {
    MDB_txn *txn;
    LMDB(mdb_txn_begin(s->env, NULL, 0, &txn));
    TRY(put_state(s, txn, err));
    LMDB(mdb_txn_commit(txn));
    for (size_t i = 0; i < count; i++) {
        unlink(old[i]->path);
        close_run(old[i]);
    }
    return STEMMA_OK;
}

static stemma_status settle(struct store *s, int index, stemma_error *err) {
    for (;;) {
        struct run_file *old[LEVELS_FAN];
        size_t same = 0, count = s->counts[index];
        unsigned class = size_class(s->runs[index][count - 1]->records);
        while (same < count && same < LEVELS_FAN &&
               size_class(s->runs[index][count - 1 - same]->records) <= class)
            same++;
        if (same < FAN) return STEMMA_OK;
        TRY(merge_runs(s, index, same, old, err));
        TRY(commit_runs(s, old, same, err));
    }
}

static stemma_status put_document(struct store *s, MDB_txn *txn, const struct document *d,
                                  stemma_error *err) {
    uint8_t record[VALUE_ROOM];
    uint64_t key = d->number; /* MDB_INTEGERKEY: as the machine has it */
    memcpy(record, d->facts, FACTS);
    memcpy(record + FACTS, d->id, d->id_size);
    TRY(put_value(s, txn, TABLE_IDS, d->id, d->id_size, &key, 8, 0, err));
    TRY(put_value(s, txn, TABLE_RECORDS, &key, 8, record, FACTS + d->id_size, MDB_APPEND, err));
    TRY(put_value(s, txn, TABLE_MINIMA, &key, 8, d->minima, MINIMA, MDB_APPEND, err));
    return put_value(s, txn, TABLE_BITS, &key, 8, d->bits, BITS, MDB_APPEND, err);
}

stemma_status store_append(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    MDB_txn *txn;
    for (int index = 0; index < INDEXES; index++) TRY(add_postings(s, index, documents, count, err));
    LMDB(mdb_txn_begin(s->env, NULL, 0, &txn));
    for (size_t i = 0; i < count; i++) TRY(put_document(s, txn, &documents[i], err));
    s->next_number = documents[count - 1].number + 1;
    TRY(put_state(s, txn, err));
    LMDB(mdb_txn_commit(txn));
    for (int index = 0; index < INDEXES; index++) TRY(settle(s, index, err));
    return STEMMA_OK;
}

static stemma_status remove_one(struct store *s, MDB_txn *txn, const struct document *d, stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    bool found;
    TRY(get_value(s, txn, TABLE_IDS, d->id, d->id_size, &bytes, &size, &found, err));
    if (!found) return STEMMA_OK;
    uint64_t number = load_u64(bytes);
    MDB_val id = {d->id_size, (void *)(uintptr_t)d->id}, key = {8, &number};
    LMDB(mdb_del(txn, s->tables[TABLE_IDS], &id, NULL));
    for (int t = TABLE_RECORDS; t <= TABLE_BITS; t++) LMDB(mdb_del(txn, s->tables[t], &key, NULL));
    return put_value(s, txn, TABLE_GONE, &number, 8, "", 0, 0, err);
}

stemma_status store_remove(struct store *s, const struct document *documents, size_t count,
                           stemma_error *err) {
    MDB_txn *txn;
    LMDB(mdb_txn_begin(s->env, NULL, 0, &txn));
    for (size_t i = 0; i < count; i++) TRY(remove_one(s, txn, &documents[i], err));
    LMDB(mdb_txn_commit(txn));
    return STEMMA_OK;
}

/* Runs are written again without what is gone. The file of LMDB never shrinks: a compact copy takes its
 * place, which needs that nobody has it open. */
static stemma_status compact(struct store *s, stemma_error *err) {
    char copy[4096], from[4200], to[4200];
    snprintf(copy, sizeof copy, "%s/copy", s->directory);
    mkdir(copy, 0777);
    LMDB(mdb_env_copy2(s->env, copy, MDB_CP_COMPACT));
    mdb_env_close(s->env);
    s->env = NULL;
    snprintf(from, sizeof from, "%s/data.mdb", copy);
    snprintf(to, sizeof to, "%s/data.mdb", s->directory);
    if (rename(from, to) || rmdir(copy)) return fail_errno(err, "replace", to, errno);
    return open_all(s, err);
}

stemma_status store_reclaim(struct store *s, stemma_error *err) {
    MDB_txn *txn;
    LMDB(mdb_txn_begin(s->env, NULL, 0, &txn));
    TRY(load_gone(s, txn, err));
    LMDB(mdb_drop(txn, s->tables[TABLE_GONE], 0));
    struct run_file *old[INDEXES][LEVELS_FAN];
    size_t counts[INDEXES];
    for (int index = 0; index < INDEXES; index++) {
        counts[index] = s->counts[index] < LEVELS_FAN ? s->counts[index] : LEVELS_FAN;
        TRY(merge_runs(s, index, counts[index], old[index], err));
    }
    TRY(put_state(s, txn, err));
    LMDB(mdb_txn_commit(txn));
    for (int index = 0; index < INDEXES; index++) TRY(commit_runs(s, old[index], counts[index], err));
    return compact(s, err);
}

/* ---- asking ---- */

stemma_status store_find(struct store *s, const char *id, size_t id_size, uint8_t facts[FACTS],
                         uint64_t *number, bool *found, stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    TRY(get_value(s, s->txn, TABLE_IDS, id, id_size, &bytes, &size, found, err));
    if (!*found) return STEMMA_OK;
    *number = load_u64(bytes);
    TRY(get_value(s, s->txn, TABLE_RECORDS, number, 8, &bytes, &size, found, err));
    if (*found) memcpy(facts, bytes, FACTS);
    return STEMMA_OK;
}

stemma_status store_minima(struct store *s, uint64_t number, uint8_t minima[MINIMA], bool *found,
                           stemma_error *err) {
    const uint8_t *bytes;
    size_t size;
    TRY(get_value(s, s->txn, TABLE_MINIMA, &number, 8, &bytes, &size, found, err));
    if (*found) memcpy(minima, bytes, MINIMA);
    return STEMMA_OK;
}

stemma_status store_list(struct store *s, enum index index, uint64_t key, uint64_t *numbers, size_t room,
                         size_t *count, stemma_error *err) {
    *count = 0;
    for (size_t i = 0; i < s->counts[index] && *count < room; i++)
        TRY(postings_list(&s->runs[index][i]->postings, key, &s->gone, numbers, room, count, err));
    return STEMMA_OK;
}

typedef void use_value(const MDB_val *key, const MDB_val *value, const void *with, uint64_t *result);

static stemma_status walk(struct store *s, enum table table, use_value *use, const void *with,
                          uint64_t *result, stemma_error *err) {
    MDB_cursor *cursor;
    MDB_val k, v;
    int rc;
    LMDB(mdb_cursor_open(s->txn, s->tables[table], &cursor));
    for (rc = mdb_cursor_get(cursor, &k, &v, MDB_FIRST); rc == 0;
         rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)) {
        TRY(check_value(s, table, &k, &v, err));
        use(&k, &v, with, result);
    }
    mdb_cursor_close(cursor);
    return rc == MDB_NOTFOUND ? STEMMA_OK : wrong(rc, s, err);
}

struct ball {
    const uint8_t *bits;
    unsigned radius;
};

static void count_near(const MDB_val *key, const MDB_val *value, const void *with, uint64_t *result) {
    const struct ball *ball = with;
    (void)key;
    *result += bits_apart(value->mv_data, ball->bits) <= ball->radius;
}

stemma_status store_near(struct store *s, const uint8_t bits[BITS], unsigned radius, uint64_t *count,
                         stemma_error *err) {
    struct ball ball = {bits, radius};
    *count = 0;
    return walk(s, TABLE_BITS, count_near, &ball, count, err);
}

static void add_hash(const MDB_val *key, const MDB_val *value, const void *with, uint64_t *result) {
    (void)with;
    *result += hash_bytes(value->mv_data, value->mv_size, hash_bytes(key->mv_data, key->mv_size, 0));
}

stemma_status store_digest(struct store *s, uint64_t *digest, stemma_error *err) {
    *digest = s->next_number;
    for (int t = 0; t < TABLES; t++) TRY(walk(s, (enum table)t, add_hash, NULL, digest, err));
    for (int index = 0; index < INDEXES; index++)
        for (size_t i = 0; i < s->counts[index]; i++)
            TRY(postings_digest(&s->runs[index][i]->postings, &s->gone, digest, err));
    return STEMMA_OK;
}

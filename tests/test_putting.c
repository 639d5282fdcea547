/* Rows that were made while another thread has the store: they wait, and nothing comes of it but time. */
#include "collect/collector.h"
#include "collection_support.h"

enum { PATH = 6 }; /* bytes of an id that are its file */

struct made {
    struct model_row of;
    struct facts facts;
    uint8_t bytes[FACTS_BYTES];
};

/* A record, of the data set "folder", at an offset. */
static void make_record(struct made *made, unsigned id, uint32_t version, uint64_t offset) {
    fill_model_row(&made->of, id, version);
    made->facts = (struct facts){.path_bytes = PATH, .bytes = 10, .offset = offset, .record_bytes = 1};
    store_u32(made->facts.digest, version);
    facts_write(&made->facts, made->bytes);
    made->of.row.facts = (struct cell){made->bytes, sizeof made->bytes};
}

struct putting {
    struct pending pending;
    struct collecting all;
    char *path;
};

static void begin(struct putting *p, size_t memory) {
    p->path = new_folder();
    pending_init(&p->pending, open_model(p->path, NULL, memory));
    p->all = (struct collecting){.pending = &p->pending};
    waiting_init(&p->all.waiting, p->pending.store);
    OK(collection_twin(p->pending.store, &p->all.before, err));
}

static void end(struct putting *p) {
    struct collection *store = p->pending.store;
    collection_close(p->all.before);
    waiting_release(&p->all.waiting);
    pending_release(&p->pending);
    end_model(store, p->path);
}

static void check_version(struct putting *p, unsigned id, uint32_t version) {
    struct made made;
    struct id_place place;
    struct facts facts;
    make_record(&made, id, version, 0);
    OK(collecting_find(&p->all, made.of.row.id.bytes, made.of.row.id.size, &place, &facts, err));
    assert_true(place.found);
    assert_int_equal(load_u32(facts.digest), version);
}

/* ---- one thread puts, while another has the lock ---- */

struct records {
    struct putting *to;
    unsigned first, count;
    uint32_t version;
    uint64_t offset;
};

static void *put_records(void *context) {
    const struct records *r = context;
    for (unsigned i = 0; i < r->count; i++) {
        struct made made;
        make_record(&made, r->first + i, r->version, r->offset);
        OK(collecting_put(&r->to->all, &made.of.row, &made.facts, true, err));
    }
    return NULL;
}

static void put_beside(struct records records) {
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, put_records, &records), 0);
    pthread_join(other, NULL);
}

static void rows_wait_for_who_has_the_lock(void **state) {
    struct putting p;
    (void)state;
    begin(&p, 0);
    pthread_mutex_lock(&p.pending.lock);
    put_beside((struct records){&p, 0, 50, 1, 0});
    assert_null(p.pending.batch);
    assert_int_equal(p.all.counts.added, 0);
    pthread_mutex_unlock(&p.pending.lock);
    put_beside((struct records){&p, 50, 1, 1, 0}); /* who has it next puts them all */
    assert_int_equal(batch_size(p.pending.batch), 51);
    assert_int_equal(p.all.counts.added, 51);
    assert_int_equal(p.all.counts.bytes, 510);
    for (unsigned id = 0; id < 51; id++) check_version(&p, id, 1);
    end(&p);
}

/* Whichever is put first, and whichever waited. */
static void the_last_record_counts(void **state) {
    struct putting p;
    (void)state;
    begin(&p, 0);
    put_beside((struct records){&p, 0, 1, 1, 20});
    pthread_mutex_lock(&p.pending.lock);
    put_beside((struct records){&p, 0, 1, 2, 30}); /* later */
    put_beside((struct records){&p, 0, 1, 3, 10}); /* earlier */
    OK(collecting_put_waiting(&p.all, err));
    pthread_mutex_unlock(&p.pending.lock);
    check_version(&p, 0, 2);
    assert_int_equal(p.all.counts.added, 1);
    assert_int_equal(p.all.superseded, 2);
    end(&p);
}

/* The line is not endless: then threads wait, as many as there are, and all is put. */
static void a_full_line_waits(void **state) {
    enum { THREADS = 4, EACH = 30 };
    pthread_t others[THREADS];
    struct records records[THREADS];
    struct putting p;
    (void)state;
    begin(&p, 4096); /* some rows in a batch, and some in the line */
    pthread_mutex_lock(&p.pending.lock);
    for (unsigned i = 0; i < THREADS; i++) {
        records[i] = (struct records){&p, i * EACH, EACH, i + 1, 0};
        assert_int_equal(pthread_create(&others[i], NULL, put_records, &records[i]), 0);
    }
    pthread_mutex_unlock(&p.pending.lock);
    for (unsigned i = 0; i < THREADS; i++) pthread_join(others[i], NULL);
    OK(collecting_put_waiting(&p.all, err));
    assert_true(p.all.waiting.coming.rows.bytes.len == 0);
    assert_int_equal(p.all.counts.added, THREADS * EACH);
    for (unsigned i = 0; i < THREADS * EACH; i++) check_version(&p, i, i / EACH + 1);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_wait_for_who_has_the_lock),
        cmocka_unit_test(the_last_record_counts),
        cmocka_unit_test(a_full_line_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

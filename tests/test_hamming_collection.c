/* Hamming fingerprints in collections: every way finds what brute force finds, after additions, replacements,
 * removals, merging, growing and shrinking, and as a reader that opens it anew. */
#include "collection_support.h"
#include "effort.h"
#include "estimate/hamming.h"
#include "index/facts.h"
#include "index/hamming/collected.h"
#include "index/hamming/growing.h"
#include "index/verify.h"

#include <limits.h>

enum { IDS = 120, BITS_MOST = 1024, BYTES = BITS_MOST / 8 };

static const enum hamming_via ways[] = {HAMMING_SCAN, HAMMING_G, HAMMING_H, HAMMING_MIH, HAMMING_AUTO};
enum { WAYS = sizeof ways / sizeof *ways };

struct documents {
    uint32_t version[IDS]; /* 0: not there */
    uint32_t next;
};

/* ---- documents ---- */

/* Bits follow from id and version: families of eight, whose members are near each other. */
static void bits_of(unsigned id, uint32_t version, uint8_t out[BYTES]) {
    uint64_t family = 1000 + id / 8, own = (uint64_t)id << 32 | version;
    for (size_t i = 0; i < BYTES; i++) out[i] = (uint8_t)rng_next(&family);
    for (size_t i = id % 8 * 12; i; i--) out[rng_below(&own, BYTES)] ^= (uint8_t)(1 << rng_below(&own, 8));
    if (id % 20 == 19) memset(out, 0, BYTES); /* no text */
}

struct document {
    struct row row;
    char id[32];
    uint8_t facts[FACTS_BYTES], bits[BYTES];
};

static void fill_document(struct document *d, const struct schema *schema, unsigned id, uint32_t version) {
    struct facts facts = {.state = id % 20 == 19 ? FACTS_EMPTY : FACTS_TEXT};
    d->row = (struct row){.id = {(uint8_t *)d->id, (size_t)snprintf(d->id, sizeof d->id, "%u", id)}};
    facts_write(&facts, d->facts);
    d->row.facts = (struct cell){d->facts, sizeof d->facts};
    bits_of(id, version, d->bits);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->parts[i].kind == KIND_BITS) d->row.cells[i] = bits_cell(&schema->parts[i], d->bits);
}

/* Which document a stored one is: its version is the lowest that has its bits. */
static stemma_status make_bits(void *context, uint64_t number, const struct row *row, const struct part *part,
                               struct buf *cell, stemma_error *err) {
    (void)number;
    const struct documents *documents = context;
    char text[32] = {0};
    uint8_t bits[BYTES];
    memcpy(text, row->id.bytes, row->id.size);
    unsigned id = (unsigned)atoi(text);
    bits_of(id, documents->version[id], bits);
    struct cell made = bits_cell(part, bits);
    return buf_add(cell, made.bytes, made.size) ? STEMMA_OK : fail_memory(err);
}

/* Documents become others also where the commit fails. */
static stemma_status try_change(struct collection *c, struct documents *documents, uint64_t *random,
                                stemma_error *error) {
    struct batch *batch;
    OK(batch_new(c, &batch, err));
    for (uint64_t i = 0, count = 5 + rng_below(random, 40); i < count; i++) {
        unsigned id = (unsigned)rng_below(random, IDS);
        struct document d;
        bool was_there;
        documents->version[id] = rng_below(random, 4) ? ++documents->next : 0;
        fill_document(&d, collection_schema(c), id, documents->version[id]);
        if (documents->version[id])
            OK(batch_put(batch, &d.row, NULL, err));
        else
            OK(batch_remove(batch, d.row.id.bytes, d.row.id.size, &was_there, err));
    }
    stemma_status status = batch_commit(batch, error);
    batch_free(batch);
    return status;
}

static void change(struct collection *c, struct documents *documents, uint64_t *random) {
    OK(try_change(c, documents, random, err));
}

/* ---- answers ---- */

/* Documents within the radius, by brute force; distances by id, UINT32_MAX for others. */
static size_t find_all(const struct documents *documents, const uint8_t *query, uint32_t bits,
                       uint32_t radius, uint32_t distances[IDS]) {
    size_t count = 0;
    for (unsigned id = 0; id < IDS; id++) {
        uint8_t own[BYTES];
        uint32_t distance = 0;
        bits_of(id, documents->version[id], own);
        for (uint32_t i = 0; i < bits; i++) distance += (own[i / 8] ^ query[i / 8]) >> i % 8 & 1;
        bool found = documents->version[id] && id % 20 != 19 && distance <= radius;
        distances[id] = found ? distance : UINT32_MAX;
        count += found;
    }
    return count;
}

static void check_matches(struct collection *c, const struct hamming_matches *matches,
                          const uint32_t *distances, size_t count) {
    assert_int_equal(matches->count, count);
    for (size_t i = 0; i < matches->count; i++) {
        struct row row;
        bool found;
        char text[32] = {0};
        if (i) assert_true(matches->list[i - 1].number < matches->list[i].number);
        OK(collection_record(c, matches->list[i].number, &row, &found, err));
        assert_true(found);
        memcpy(text, row.id.bytes, row.id.size);
        assert_int_equal(matches->list[i].distance, distances[atoi(text)]);
    }
}

/* G may take seconds before it refuses: not here. */
static bool few_choices(uint32_t groups, uint32_t radius) {
    double choices = 1;
    for (uint32_t i = 0; i < radius && radius < groups; i++) choices *= (double)(groups - i) / (i + 1);
    return choices < 5000;
}

static void check_question(struct collection *c, const struct documents *documents, const uint8_t *query,
                           double resemblance) {
    struct collected *collected;
    OK(collected_new(c, &collected, err));
    const struct hamming_source *source = collected_source(collected);
    uint32_t radius = hamming_radius(source->bits, resemblance), distances[IDS];
    size_t count = find_all(documents, query, source->bits, radius, distances);
    uint64_t words[BITS_MOST / 64] = {0};
    for (uint32_t i = 0; i < source->bits / 8; i++) words[i / 8] |= (uint64_t)query[i] << i % 8 * 8;
    struct hamming_matches matches = {0};
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w] == HAMMING_G && !few_choices(source->group_count, radius)) continue;
        OK(hamming_query(source, words, radius, ways[w], &matches, NULL, err));
        check_matches(c, &matches, distances, count);
    }
    hamming_matches_release(&matches);
    collected_free(collected);
}

static void check_all(struct collection *c, const struct documents *documents, uint64_t *random) {
    static const double resemblances[] = {.5, .7, .8, .9, .95, 1};
    for (size_t i = 0; i < 4; i++) {
        uint8_t query[BYTES];
        bits_of((unsigned)rng_below(random, IDS), (uint32_t)rng_below(random, documents->next + 1), query);
        check_question(c, documents, query, resemblances[rng_below(random, 6)]);
    }
}

/* ---- growing and shrinking ---- */

static uint32_t bits_kept(struct collection *c) {
    struct bits_layout layout;
    bits_layout_read(collection_schema(c), &layout);
    return layout.bits;
}

static stemma_status refuse_bits(void *context, uint64_t number, const struct row *row,
                                 const struct part *part, struct buf *cell, stemma_error *err) {
    (void)number;
    (void)context, (void)row, (void)part, (void)cell, (void)err;
    return STEMMA_UNREADABLE;
}

static void resize(struct collection *c, struct documents *documents, uint32_t bits) {
    uint32_t before = bits_kept(c);
    if (bits > before && collection_segments(c)) { /* what fails leaves all as it was */
        assert_int_equal(bits_resize(c, bits, refuse_bits, NULL, NULL), STEMMA_UNREADABLE);
        assert_int_equal(bits_kept(c), before);
    }
    OK(bits_resize(c, bits, bits > before ? make_bits : NULL, documents, err));
    assert_int_equal(bits_kept(c), bits);
}

/* Nothing is to survive a power cut here. */
static int no_sync(const struct disk *disk, int fd) {
    (void)disk, (void)fd;
    return 0;
}

static stemma_status open_on(const char *path, uint32_t bits, uint32_t group_bits, const struct disk *disk,
                             struct collection **out, stemma_error *error) {
    struct schema schema;
    OK(schema_init(&schema, "recipe", err));
    OK(bits_add_parts(&schema, bits, group_bits, err));
    const struct collection_options options = {.schema = &schema, .disk = disk};
    stemma_status status = collection_open(path, &options, out, error);
    schema_release(&schema);
    return status;
}

static struct collection *create(const char *path, uint32_t bits, uint32_t group_bits) {
    struct collection *c;
    static struct disk disk;
    disk = disk_plain;
    disk.sync = disk.sync_folder = no_sync;
    OK(open_on(path, bits, group_bits, &disk, &c, err));
    return c;
}

static void test_ways_agree(void **state) {
    (void)state;
    static const uint32_t widths[] = {64, 104, 128, 400, 576, 1000};
    uint64_t random = 1;
    for (size_t round = 0; round < effort(12); round++) {
        struct documents documents = {.next = 0};
        uint32_t group_bits = rng_below(&random, 4) ? 4 + (uint32_t)rng_below(&random, 20) : 0;
        char *path = new_folder();
        struct collection *c = create(path, widths[round % 6], group_bits), *reader;
        for (int i = 0; i < 8; i++) {
            change(c, &documents, &random);
            check_all(c, &documents, &random);
            uint32_t kept = bits_kept(c);
            if (kept > 64 && rng_below(&random, 3) == 0)
                resize(c, &documents, kept - 8 * (1 + (uint32_t)rng_below(&random, 8)));
            kept = bits_kept(c);
            if (kept < 900 && rng_below(&random, 3) == 0) resize(c, &documents, kept + (kept % 64 ? 64 : 24));
            if (i == 5) OK(collection_compact(c, err));
            check_all(c, &documents, &random);
            OK(collection_open_read(path, &(struct collection_options){0}, &reader, err));
            check_all(reader, &documents, &random);
            collection_close(reader);
        }
        end_model(c, path);
    }
}

/* ---- crashes ---- */

/* A disk that makes so many changes, and no more: as a writer that is killed, for the next one that opens. */
struct dying {
    long left, calls;
};

static bool is_dead(const struct disk *disk) {
    struct dying *dying = disk->context;
    dying->calls++;
    return dying->left-- <= 0;
}
static int dying_create(const struct disk *disk, int folder, const char *name, int *fd) {
    return is_dead(disk) ? EIO : disk_plain.create(disk, folder, name, fd);
}
static int dying_write(const struct disk *disk, int fd, const void *bytes, size_t size, uint64_t at) {
    return is_dead(disk) ? EIO : disk_plain.write(disk, fd, bytes, size, at);
}
static int dying_rename(const struct disk *disk, int folder, const char *from, const char *to) {
    return is_dead(disk) ? EIO : disk_plain.rename(disk, folder, from, to);
}
static int dying_unlink(const struct disk *disk, int folder, const char *name) {
    return is_dead(disk) ? EIO : disk_plain.unlink(disk, folder, name);
}

static struct disk dying_disk(struct dying *dying) {
    return (struct disk){.context = dying,
                         .create = dying_create,
                         .write = dying_write,
                         .sync = no_sync,
                         .rename = dying_rename,
                         .unlink = dying_unlink,
                         .sync_folder = no_sync};
}

/* Documents after each commit; merges are commits, too. */
struct history {
    struct documents after[100];
    uint64_t commits;
};

static void note(struct history *history, struct collection *c, const struct documents *documents) {
    struct collection_facts facts;
    collection_about(c, &facts);
    assert_true(facts.commit < sizeof history->after / sizeof *history->after);
    while (history->commits < facts.commit) history->after[++history->commits] = *documents;
}

/* Always the same, as far as it comes: additions, removals, more bits and fewer. */
static void make_history(struct collection *c, struct history *history) {
    static const uint32_t widths[] = {400, 1000, 392, 64, 136};
    struct documents documents = {.next = 0};
    uint64_t random = 3;
    if (history) note(history, c, &documents); /* to make it is one */
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (try_change(c, &documents, &random, NULL) != STEMMA_OK) return;
        if (history) note(history, c, &documents);
        if (bits_resize(c, widths[i], make_bits, &documents, NULL) != STEMMA_OK) return;
        if (history) note(history, c, &documents);
    }
}

static void check_after_crash(const char *path, const struct history *history, uint64_t *random) {
    struct collection_facts facts;
    struct collection *c = create(path, 104, 8);
    collection_about(c, &facts);
    assert_true(facts.commit <= history->commits);
    struct documents documents = history->after[facts.commit];
    check_all(c, &documents, random);
    documents.next = 1000; /* versions that were in no commit */
    change(c, &documents, random);
    check_all(c, &documents, random);
    collection_close(c);
}

/* However far a writer came, all ways find what the last commit has, and what the next writer adds. */
static void test_ways_agree_after_crashes(void **state) {
    (void)state;
    struct history *history = calloc(1, sizeof *history);
    struct dying dying = {LONG_MAX, 0};
    struct disk disk = dying_disk(&dying);
    uint64_t random = 4;
    char *path = new_folder();
    struct collection *c;
    OK(open_on(path, 104, 8, &disk, &c, err));
    make_history(c, history);
    end_model(c, path);
    const long calls = dying.calls;
    for (long changes = 0; changes < calls; changes += (long)effort_step()) {
        dying = (struct dying){changes, 0};
        path = new_folder();
        if (open_on(path, 104, 8, &disk, &c, NULL) == STEMMA_OK) {
            make_history(c, NULL);
            collection_close(c);
        }
        check_after_crash(path, history, &random);
        remove_folder(path);
        free(path);
    }
    free(history);
}

static void take_no_finding(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
}

/* Keys whose column becomes another are made anew, also where they are called the same. */
static void test_keys_follow_their_column(void **state) {
    (void)state;
    uint64_t random = 2;
    struct documents documents = {.next = 0};
    struct verify_facts facts;
    char *path = new_folder();
    struct collection *c = create(path, 88, 64);
    change(c, &documents, &random);
    resize(c, &documents, 128);
    collection_close(c);
    OK(collection_verify(path, &(struct collection_options){0}, false, NULL, take_no_finding, NULL, &facts,
                         err));
    assert_int_equal(facts.damages, 0);
    remove_folder(path);
    free(path);
}

/* Groups are as wide after growing and shrinking as before, whatever the last column was. */
static void test_groups_stay_as_wide(void **state) {
    (void)state;
    for (uint32_t group_bits = 4; group_bits <= 64; group_bits++) {
        struct bits_layout before, after;
        char *path = new_folder();
        struct collection *c = create(path, 72, group_bits);
        bits_layout_read(collection_schema(c), &before);
        OK(bits_resize(c, 256, NULL, NULL, err));
        bits_layout_read(collection_schema(c), &after);
        assert_int_equal(after.groups, 4 * (before.groups - (group_bits < 6 ? 2 : 1)));
        assert_int_equal(after.group_bits, before.group_bits);
        OK(bits_resize(c, 72, NULL, NULL, err));
        bits_layout_read(collection_schema(c), &after);
        assert_int_equal(after.groups, before.groups);
        assert_int_equal(after.group_bits, before.group_bits);
        end_model(c, path);
    }
}

static void test_stopped(void **state) {
    (void)state;
    struct documents documents = {.next = 0};
    uint64_t random = 1, words[BITS_MOST / 64] = {0};
    volatile int stop = 0;
    char *path = new_folder();
    struct collection *c = create(path, 64, 8), *reader;
    struct collected *collected;
    struct hamming_matches matches = {0};
    change(c, &documents, &random);
    OK(collection_open_read(path, &(struct collection_options){.stop = &stop}, &reader, err));
    OK(collected_new(reader, &collected, err));
    stop = 1;
    for (size_t w = 0; w < WAYS; w++)
        if (ways[w] != HAMMING_H) /* which asks for one list a group, and is done */
            assert_int_equal(
                hamming_query(collected_source(collected), words, 3, ways[w], &matches, NULL, NULL),
                STEMMA_INTERRUPTED);
    hamming_matches_release(&matches);
    collected_free(collected);
    collection_close(reader);
    end_model(c, path);
}

/* ---- parts ---- */

static void test_parts(void **state) {
    (void)state;
    struct schema schema;
    struct bits_layout layout;
    OK(schema_init(&schema, "recipe", err));
    bits_layout_read(&schema, &layout);
    assert_int_equal(layout.bits, 0);
    assert_int_equal(bits_add_parts(&schema, 401, 16, NULL), STEMMA_INVALID);
    assert_int_equal(bits_add_parts(&schema, 400, 3, NULL), STEMMA_INVALID);
    assert_int_equal(bits_add_parts(&schema, 8192, 16, NULL), STEMMA_INVALID);
    OK(bits_add_parts(&schema, 400, 16, err));
    bits_layout_read(&schema, &layout);
    assert_int_equal(layout.bits, 400);
    assert_int_equal(layout.columns, 7);
    assert_int_equal(layout.groups, 25);
    for (size_t i = 0; i < 25; i++) {
        assert_int_equal(layout.group_list[i].first, 16 * i);
        assert_int_equal(layout.group_list[i].width, 16);
    }
    schema_release(&schema);
}

static void test_no_fingerprints(void **state) {
    (void)state;
    char *path = new_folder();
    struct schema schema;
    struct collection *c;
    struct collected *collected;
    OK(schema_init(&schema, "recipe", err));
    OK(collection_open(path, &(struct collection_options){.schema = &schema}, &c, err));
    schema_release(&schema);
    assert_int_equal(collected_new(c, &collected, NULL), STEMMA_UNSUPPORTED);
    end_model(c, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_no_fingerprints),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_ways_agree),
        cmocka_unit_test(test_ways_agree_after_crashes),
        cmocka_unit_test(test_keys_follow_their_column),
        cmocka_unit_test(test_groups_stay_as_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Data sets of which pieces are left out: the rest is read as if they had been, and each is given out once in
 * its place. */
#include "base/buf.h"
#include "base/rng.h"
#include "dataset_support.h"
#include "effort.h"

enum { PIECES_MOST = 4000 };

static uint64_t chance = 1;

/* ---- what is read ---- */

static void write_record(FILE *out, const struct dataset_record *record, stemma_status status) {
    fprintf(out, "%llu+%llu line %llu ", (unsigned long long)record->offset, (unsigned long long)record->size,
            (unsigned long long)record->line);
    if (status == STEMMA_OK)
        fprintf(out, "%.*s=%.*s\n", (int)record->id_size, (const char *)record->id, (int)record->text_size,
                (const char *)record->text);
    else
        fputs("broken\n", out);
}

static void write_batch(FILE *out, const struct dataset *dataset, const struct dataset_batch *batch) {
    struct record_reader reader = {0};
    struct dataset_record record;
    bool more = true;
    record_reader_begin(&reader, dataset, batch);
    for (;;) {
        stemma_status status = record_reader_next(&reader, &record, &more, NULL);
        if (!more) break;
        write_record(out, &record, status);
    }
    record_reader_release(&reader);
}

static struct dataset_piece piece_of(const struct dataset_batch *batch, size_t number) {
    return (struct dataset_piece){batch->offset, batch->end, batch->next_line, number};
}

/* All of it in order, in text; its batches, of which some are marked as left out instead. */
static char *read_some(struct dataset *dataset, struct dataset_piece *batches, size_t *count,
                       bool *left_out) {
    struct dataset_batch batch = {0};
    bool more = true;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (*count = 0; dataset_next(dataset, &batch, &more, NULL) == STEMMA_OK && more; ++*count) {
        assert_true(*count < PIECES_MOST);
        batches[*count] = piece_of(&batch, *count);
        left_out[*count] = rng_below(&chance, 3) > 0;
        if (left_out[*count])
            fprintf(out, "piece %zu\n", *count);
        else
            write_batch(out, dataset, &batch);
    }
    dataset_batch_release(&batch);
    fclose(out);
    return text;
}

/* The same, by a data set that leaves them out. */
static char *read_without(struct dataset *dataset) {
    struct dataset_batch batch = {0};
    bool more = true;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    while (dataset_next(dataset, &batch, &more, NULL) == STEMMA_OK && more) {
        if (batch.left_out)
            fprintf(out, "piece %llu\n", (unsigned long long)batch.key);
        else
            write_batch(out, dataset, &batch);
    }
    dataset_batch_release(&batch);
    fclose(out);
    return text;
}

/* ---- data sets ---- */

static void add_words(struct buf *out, const char *gap) {
    for (uint64_t i = rng_below(&chance, 40); i > 0; i--)
        assert_true(buf_add_format(out, "w%u%s", (unsigned)rng_below(&chance, 100), i > 1 ? gap : ""));
}

static void add_line(struct buf *out, bool json, size_t number) {
    const uint64_t kind = rng_below(&chance, 12);
    if (kind == 0) assert_true(buf_add_string(out, json ? "broken\n" : "a,b,c,d\n"));
    if (kind == 1) assert_true(buf_add_string(out, "\r\n"));
    if (kind < 2) return;
    assert_true(buf_add_format(out, json ? "{\"id\": %zu, \"text\": \"" : "%zu,\"", number));
    add_words(out, json ? " " : "\n\"\" ");
    assert_true(buf_add_string(out, json ? "\"}\n" : "\"\n"));
}

static void fill(struct buf *out, bool json) {
    if (rng_below(&chance, 2)) assert_true(buf_add_string(out, "\xef\xbb\xbf"));
    if (!json) assert_true(buf_add_string(out, "id,text\n"));
    for (size_t i = rng_below(&chance, 200); i > 0; i--) add_line(out, json, i);
    if (out->len && rng_below(&chance, 3) == 0) out->len--; /* no line end, or a quote that does not end */
}

/* As Windows programs write it. */
static void widen(struct buf *bytes) {
    struct buf wide = {0};
    assert_true(buf_add(&wide, "\xff\xfe", 2));
    for (size_t i = 0; i < bytes->len; i++)
        if (bytes->data[i] < 128) assert_true(buf_add_byte(&wide, bytes->data[i]) && buf_add_byte(&wide, 0));
    buf_release(bytes);
    *bytes = wide;
}

static void pack(const char *path, const char *packed) {
    struct dataset_options whole = {.whole = true};
    struct dataset *dataset = open_set(path, &whole);
    uint64_t kept;
    unlink(packed);
    filter_to(dataset, packed, keep_all, NULL, &kept);
    dataset_close(dataset);
}

/* ---- tests ---- */

static void compare(const char *path) {
    static struct dataset_piece batches[PIECES_MOST];
    static bool left_out[PIECES_MOST];
    const struct dataset_options small = {.batch_size = 1 + rng_below(&chance, 300), .record_most = 150};
    const struct dataset_options other = {.batch_size = 1 + rng_below(&chance, 3000), .record_most = 150};
    size_t count, kept = 0;
    struct dataset *dataset = open_set(path, &small);
    char *expected = read_some(dataset, batches, &count, left_out);
    dataset_close(dataset);
    for (size_t i = 0; i < count; i++)
        if (left_out[i]) batches[kept++] = batches[i];
    dataset = open_set(path, &other);
    assert_int_equal(dataset_leave_out(dataset, batches, kept, NULL), STEMMA_OK);
    char *got = read_without(dataset);
    assert_string_equal(got, expected);
    free(got);
    free(expected);
    dataset_close(dataset);
}

static void test_any(void **state) {
    (void)state;
    static const char *const packings[] = {"", ".gz", ".zst"};
    for (size_t i = 0; i < effort(600); i++) {
        struct buf bytes = {0};
        char path[200], packed[220];
        const bool json = i % 2;
        fill(&bytes, json);
        if (i % 3 == 0) widen(&bytes);
        strcpy(path, save(json ? "a.jsonl" : "a.csv", bytes.data, bytes.len));
        snprintf(packed, sizeof packed, "%s%s", path, packings[i % 5 % 3]);
        if (i % 5 % 3) pack(path, packed);
        compare(packed);
        buf_release(&bytes);
    }
}

/* A rewind reads all of it, and pieces in front of the first record are of another file. */
static void test_once(void **state) {
    (void)state;
    const struct dataset_piece piece = {8, 12, 3, 7}, early = {3, 8, 2, 7};
    char all[100], again[100];
    struct dataset *dataset = open_set(save_text("a.csv", "id,text\n1,a\n2,b\n"), &plain);
    list_records(dataset, all, sizeof all);
    assert_string_equal(all, "1=a|2=b|");
    dataset_rewind(dataset, NULL);
    assert_int_equal(dataset_leave_out(dataset, &early, 1, NULL), STEMMA_UNREADABLE);
    assert_int_equal(dataset_leave_out(dataset, &piece, 1, NULL), STEMMA_OK);
    char *rest = read_without(dataset);
    assert_string_equal(rest, "piece 7\n12+4 line 3 2=b\n");
    free(rest);
    dataset_rewind(dataset, NULL);
    list_records(dataset, again, sizeof again);
    assert_string_equal(again, all);
    dataset_close(dataset);
}

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(test_any), IN_FOLDER(test_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Data sets are read back as they were written: by a small writer of random records that knows what is in
 * them, in batches of any size, one by one, and compressed. Then files that change, pipes, damage, and
 * filters.
 */
#include "dataset_support.h"

#include "base/rng.h"
#include "effort.h"
#include "read/encoding.h"
#include "read/find_byte.h"

#include <sys/stat.h>

/* ---- random records ---- */

enum { RECORDS_MOST = 60 };

struct sample {
    enum dataset_kind kind;
    size_t count;
    struct buf texts[RECORDS_MOST], ids[RECORDS_MOST]; /* ids: empty where there is none */
    uint64_t lines[RECORDS_MOST];
    struct buf file;
    uint64_t line;
};

static void add(struct buf *buf, const char *text) {
    assert_true(buf_add_string(buf, text));
}

/* Text with whatever could be taken for something else. */
static void random_text(uint64_t *seed, struct buf *text) {
    static const char *const pieces[] = {"\"",
                                         "\\",
                                         "\n",
                                         "\r\n",
                                         ",",
                                         "\t",
                                         "a",
                                         "word ",
                                         "\\n",
                                         "}",
                                         "{",
                                         "\xc3\xa4",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x8c\xb1",
                                         "/",
                                         ":",
                                         "[",
                                         "\x01",
                                         "a longer run of plain words without anything special in it "};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    size_t count = rng_below(seed, rng_below(seed, 20) == 0 ? 200 : 8);
    bool dull = rng_below(seed, 3) == 0;
    for (size_t i = 0; i < count; i++) add(text, pieces[dull ? PIECES - 1 : rng_below(seed, PIECES)]);
}

static void put_json_string(uint64_t *seed, const struct buf *text, struct buf *out) {
    static const char names[] = "\"\\\n\r\t\b\f/", letters[] = "\"\\nrtbf/";
    add(out, "\"");
    for (size_t i = 0; i < text->len; i++) {
        uint8_t byte = text->data[i];
        const char *name = strchr(names, byte);
        bool must = byte < 0x20 || byte == '"' || byte == '\\';
        if (name && byte && (must || rng_below(seed, 2)) && rng_below(seed, 8))
            assert_true(buf_add_format(out, "\\%c", letters[name - names]));
        else if (must || (byte < 0x80 && rng_below(seed, 10) == 0))
            assert_true(buf_add_format(out, rng_below(seed, 2) ? "\\u%04x" : "\\u%04X", byte));
        else if (byte == 0xf0 && rng_below(seed, 2)) /* the seedling above */
            add(out, "\\ud83c\\uDF31"), i += 3;
        else
            assert_true(buf_add_byte(out, byte));
    }
    add(out, "\"");
}

static void put_json(uint64_t *seed, struct sample *sample, size_t i) {
    static const char *const fillers[] = {
        "\"x\": [1, {\"text\": \"no\"}, \"]\"], ",
        "\"n\": -1.5e3,",
        "\"b\":true , ",
        "\"meta\": {\"a\": {\"b\": null}, \"text\": \"no\", \"q\": \"\\\"}\"},",
        "\"text\": \"an earlier one\", ",
        "\"\\u0069d2\": \"\", "};
    struct buf *out = &sample->file;
    add(out, rng_below(seed, 4) ? "{" : " { ");
    for (size_t n = rng_below(seed, 3); n > 0; n--) add(out, fillers[rng_below(seed, 6)]);
    if (sample->ids[i].len) {
        add(out, rng_below(seed, 2) ? "\"id\":" : "\"\\u0069d\" : ");
        if (sample->ids[i].data[0] >= '0' && sample->ids[i].data[0] <= '9')
            assert_true(buf_add(out, sample->ids[i].data, sample->ids[i].len));
        else
            put_json_string(seed, &sample->ids[i], out);
        add(out, ",");
    }
    add(out, "\"text\":");
    put_json_string(seed, &sample->texts[i], out);
    if (rng_below(seed, 2)) add(out, ",\"tail\": [[[]]]");
    add(out, rng_below(seed, 4) ? "}" : " } ");
}

static void put_csv_field(uint64_t *seed, const struct buf *text, char delimiter, struct buf *out) {
    bool quoted = rng_below(seed, 2) || (text->len && text->data[0] == '"');
    for (size_t i = 0; i < text->len; i++) quoted |= text->data[i] == delimiter || text->data[i] == '\n';
    quoted |= text->len && text->data[text->len - 1] == '\r';
    if (!quoted) {
        assert_true(buf_add(out, text->data, text->len));
        return;
    }
    add(out, "\"");
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] == '"') add(out, "\"");
        assert_true(buf_add_byte(out, text->data[i]));
    }
    add(out, "\"");
}

static void put_csv(uint64_t *seed, struct sample *sample, size_t i) {
    char delimiter[] = {sample->kind == DATASET_TSV ? '\t' : ',', 0};
    struct buf *out = &sample->file;
    put_csv_field(seed, &sample->ids[i], delimiter[0], out);
    add(out, delimiter);
    add(out, "some\"thing");
    add(out, delimiter);
    put_csv_field(seed, &sample->texts[i], delimiter[0], out);
}

static void end_line(uint64_t *seed, struct sample *sample) {
    static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", "\n  \r\n"};
    add(&sample->file, ends[rng_below(seed, 5)]);
}

static void make_sample(uint64_t *seed, struct sample *sample) {
    memset(sample, 0, sizeof *sample);
    sample->kind = (enum dataset_kind)(DATASET_JSON_LINES + rng_below(seed, 3));
    sample->count = rng_below(seed, RECORDS_MOST);
    if (rng_below(seed, 3) == 0) add(&sample->file, "\xef\xbb\xbf");
    if (sample->kind == DATASET_CSV) add(&sample->file, "\"id\",other,\"text\"\r\n");
    if (sample->kind == DATASET_TSV) add(&sample->file, "id\tother\ttext\n");
    for (size_t i = 0; i < sample->count; i++) {
        random_text(seed, &sample->texts[i]);
        if (rng_below(seed, 2))
            assert_true(buf_add_format(&sample->ids[i], rng_below(seed, 2) ? "%zu" : "d-%zu\"", i));
        sample->lines[i] = 1 + count_lines(sample->file.data, sample->file.len);
        (sample->kind == DATASET_JSON_LINES ? put_json : put_csv)(seed, sample, i);
        struct buf *text = &sample->texts[i];
        if (encoding_is_binary(text->data, text->len)) encoding_blank_controls(text->data, text->len);
        if (i + 1 < sample->count || rng_below(seed, 2)) end_line(seed, sample);
    }
}

static void release_sample(struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++) {
        buf_release(&sample->texts[i]);
        buf_release(&sample->ids[i]);
    }
    buf_release(&sample->file);
}

static const char *name_of(enum dataset_kind kind) {
    return kind == DATASET_CSV ? "s.csv" : kind == DATASET_TSV ? "s.tsv" : "s.jsonl";
}

/* ---- reading them back ---- */

struct place {
    uint64_t offset, size;
};

static void check_record(const struct sample *sample, size_t i, const struct dataset_record *record,
                         const char *path) {
    char place[300];
    assert_true(i < sample->count);
    assert_int_equal(record->text_size, sample->texts[i].len);
    assert_memory_equal(record->text, sample->texts[i].data, record->text_size);
    assert_int_equal(record->line, sample->lines[i]);
    if (sample->ids[i].len) {
        assert_int_equal(record->id_size, sample->ids[i].len);
        assert_memory_equal(record->id, sample->ids[i].data, record->id_size);
    } else {
        snprintf(place, sizeof place, "%s:%llu", path, (unsigned long long)record->line);
        assert_int_equal(record->id_size, strlen(place));
        assert_memory_equal(record->id, place, record->id_size);
    }
}

static void read_back(struct dataset *dataset, const struct sample *sample, const char *path,
                      struct place *places) {
    struct dataset_batch batch = {0};
    struct record_reader reader = {0};
    struct dataset_record record;
    stemma_error err = {0};
    bool more, another;
    size_t i = 0;
    for (;;) {
        assert_int_equal(dataset_next(dataset, &batch, &more, &err), STEMMA_OK);
        if (!more) break;
        record_reader_begin(&reader, dataset, &batch);
        for (;;) {
            if (record_reader_next(&reader, &record, &another, &err) != STEMMA_OK)
                fail_msg("%s", err.message);
            if (!another) break;
            check_record(sample, i, &record, path);
            places[i++] = (struct place){record.offset, record.size};
        }
    }
    assert_int_equal(i, sample->count);
    record_reader_release(&reader);
    dataset_batch_release(&batch);
}

static void read_at_random(struct dataset *dataset, const struct sample *sample, const struct place *places) {
    struct record_reader reader = {0};
    for (size_t i = sample->count; i-- > 0;) {
        const uint8_t *text;
        size_t size;
        assert_int_equal(
            dataset_text_at(dataset, places[i].offset, places[i].size, &reader, &text, &size, NULL),
            STEMMA_OK);
        assert_int_equal(size, sample->texts[i].len);
        assert_memory_equal(text, sample->texts[i].data, size);
    }
    record_reader_release(&reader);
}

/* Through a filter that keeps all, into each compression and back. Blank lines get lost, so lines are not
 * compared. */
static void read_compressed(struct dataset *dataset, struct sample *sample, const char *ending) {
    char path[200];
    uint64_t kept;
    struct place places[RECORDS_MOST];
    snprintf(path, sizeof path, "%s/c-%s%s", folder, name_of(sample->kind), ending);
    unlink(path);
    filter_to(dataset, path, keep_all, NULL, &kept);
    assert_int_equal(kept, sample->count);
    struct dataset_options options = {.batch_size = 100, .many = sample->count % 2};
    struct dataset *packed = open_set(path, &options);
    /* An empty file compresses to something, but nothing says that it was compressed once nothing was
     * written. */
    if (kept > 0) assert_int_equal(dataset_random_access(packed), ending[0] == 0);
    uint64_t lines[RECORDS_MOST], line = 1 + (sample->kind != DATASET_JSON_LINES);
    memcpy(lines, sample->lines, sizeof lines);
    for (size_t i = 0; i < sample->count; i++) {
        sample->lines[i] = line;
        line +=
            1 + (sample->kind != DATASET_JSON_LINES ? count_lines(sample->texts[i].data, sample->texts[i].len)
                                                    : 0);
    }
    for (int pass = 0; pass < 2; pass++) {
        read_back(packed, sample, path, places);
        assert_int_equal(dataset_rewind(packed, NULL), STEMMA_OK);
    }
    memcpy(sample->lines, lines, sizeof lines);
    dataset_close(packed);
}

static void test_random_records(void **state) {
    (void)state;
    static const char *const endings[] = {".gz", ".zst", ".bz2", ".xz", ""};
    uint64_t seed = 11;
    size_t rounds = effort(200);
    for (size_t round = 0; round < rounds; round++) {
        struct sample sample;
        struct place places[RECORDS_MOST];
        make_sample(&seed, &sample);
        char path[200];
        snprintf(path, sizeof path, "%s", save(name_of(sample.kind), sample.file.data, sample.file.len));
        struct dataset_options options = {.batch_size = 1 + rng_below(&seed, 1 + rng_below(&seed, 3000)),
                                          .many = rng_below(&seed, 2)};
        struct dataset *dataset = open_set(path, &options);
        read_back(dataset, &sample, path, places);
        read_at_random(dataset, &sample, places);
        read_compressed(dataset, &sample, endings[round % 5]);
        dataset_close(dataset);
        release_sample(&sample);
    }
    print_message("%zu data sets\n", rounds);
}

/* ---- files that change, pipes, compression ---- */

static void test_changed_file(void **state) {
    (void)state;
    struct record_reader reader = {0};
    const uint8_t *text;
    size_t size;
    stemma_error err;
    const char *path = save_text("x.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    struct dataset *dataset = open_set(path, &plain);
    assert_int_equal(dataset_text_at(dataset, 13, 13, &reader, &text, &size, &err), STEMMA_OK);
    assert_int_equal(text[0], 'b');
    assert_int_equal(dataset_text_at(dataset, 13, 14, &reader, &text, &size, &err), STEMMA_UNREADABLE);
    assert_int_equal(dataset_text_at(dataset, 1, 12, &reader, &text, &size, &err), STEMMA_CORRUPT);
    save_text("x.jsonl", "{\"text\":\"a\"}\n{\"text\":\"c\"}\n more");
    assert_int_equal(dataset_text_at(dataset, 13, 13, &reader, &text, &size, &err), STEMMA_UNREADABLE);
    assert_non_null(strstr(err.message, "x.jsonl' again: it has changed meanwhile"));
    record_reader_release(&reader);
    dataset_close(dataset);
}

/* The lowest that is free. */
static int next_descriptor(void) {
    int fd = dup(0);
    close(fd);
    return fd;
}

/* Of very many, none that has been read takes a descriptor; and the file is still the one it was. */
static void test_many(void **state) {
    (void)state;
    char found[500];
    uint64_t kept;
    stemma_error err;
    struct dataset_filter *filter;
    struct dataset_options options = {.many = true};
    int before = next_descriptor();
    struct dataset *dataset = open_set(save_text("x.jsonl", "{\"id\":1,\"text\":\"a\"}\n"), &options);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|");
    assert_int_equal(next_descriptor(), before);
    save_text("x.jsonl", "{\"id\":1,\"text\":\"a\"}\n more");
    assert_int_equal(dataset_rewind(dataset, &err), STEMMA_UNREADABLE);
    assert_int_equal(next_descriptor(), before);
    unlink(path_of("x.jsonl"));
    assert_int_equal(dataset_rewind(dataset, &err), STEMMA_NOT_FOUND);
    dataset_close(dataset);

    dataset = open_set(save_text("x.jsonl", "{\"id\":1,\"text\":\"a\"}\n"), &plain);
    save_text("x.jsonl", "{\"id\":2,\"text\":\"other\"}\n");
    assert_int_equal(dataset_filter_open(path_of("out.jsonl"), &filter, &err), STEMMA_OK);
    assert_int_equal(dataset_filter_copy(filter, dataset, keep_all, NULL, &kept, &err), STEMMA_UNREADABLE);
    dataset_filter_abandon(filter);
    dataset_close(dataset);
}

/* A name that is as long as a text would stay in memory for every record. */
static void test_long_id(void **state) {
    (void)state;
    char line[6000], found[6000], expected[300];
    for (int size = 4096; size <= 4097; size++) {
        snprintf(line, sizeof line, "{\"id\":\"%0*d\",\"text\":\"a\"}\n", size, 0);
        struct dataset *dataset = open_set(save_text("x.jsonl", line), &plain);
        list_records(dataset, found, sizeof found);
        snprintf(expected, sizeof expected, "%s:1=a|", path_of("x.jsonl"));
        assert_int_equal(strcmp(found, expected) == 0, size > 4096);
        dataset_close(dataset);
    }
}

/* What was there when it was opened is read; what is gone is missed. Between the records are more empty lines
 * than are looked at to tell the encoding. */
static void test_growing_and_shrinking(void **state) {
    (void)state;
    char found[500];
    static char content[ENCODING_SAMPLE + 100];
    struct dataset_options options = {.batch_size = 16};
    memset(content, '\n', sizeof content - 1);
    memcpy(content, "{\"id\":1,\"text\":\"a\"}", 19);
    memcpy(content + sizeof content - 21, "{\"id\":2,\"text\":\"b\"}", 19);
    struct dataset *dataset = open_set(save_text("x.jsonl", content), &options);
    FILE *file = fopen(path_of("x.jsonl"), "ab");
    fputs("{\"id\":3,\"text\":\"c\"}\n", file);
    fclose(file);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|2=b|");
    assert_int_equal(dataset_rewind(dataset, NULL), STEMMA_OK);
    assert_int_equal(truncate(path_of("x.jsonl"), 25), 0);
    list_records(dataset, found, sizeof found);
    assert_non_null(strstr(found, "1=a|!!cannot read '"));
    assert_non_null(strstr(found, "it became shorter meanwhile"));
    dataset_close(dataset);
}

static struct dataset *open_piped(const void *bytes, size_t size, const struct dataset_options *options) {
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct dataset *dataset = open_set(path, options);
    close(ends[0]);
    return dataset;
}

static const char two[] = "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"b\"}\n";

static void test_pipes(void **state) {
    (void)state;
    char found[500], packed[1000], path[200];
    struct dataset_options options = {.directory = folder};
    struct dataset *dataset = open_piped(two, strlen(two), &options);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|2=b|");
    assert_true(dataset_random_access(dataset));
    struct record_reader reader = {0};
    const uint8_t *text;
    size_t size;
    assert_int_equal(dataset_text_at(dataset, 20, 20, &reader, &text, &size, NULL), STEMMA_OK);
    assert_int_equal(text[0], 'b');
    record_reader_release(&reader);

    uint64_t kept;
    snprintf(path, sizeof path, "%s", path_of("p.jsonl.gz"));
    filter_to(dataset, path, keep_all, NULL, &kept);
    dataset_close(dataset);
    dataset = open_piped(packed, load(path, packed, sizeof packed), &options);
    assert_false(dataset_random_access(dataset));
    for (int pass = 0; pass < 2; pass++) {
        list_records(dataset, found, sizeof found);
        assert_string_equal(found, "1=a|2=b|");
        assert_int_equal(dataset_rewind(dataset, NULL), STEMMA_OK);
    }
    assert_int_equal(dataset_text_at(dataset, 0, 20, &reader, &text, &size, NULL), STEMMA_UNSUPPORTED);
    dataset_close(dataset);
}

/* Files of several members, as `cat a.gz b.gz` makes them; and damaged ones. */
static void test_members_and_damage(void **state) {
    (void)state;
    static const char *const endings[] = {"gz", "zst", "bz2", "xz"};
    for (size_t i = 0; i < 4; i++) {
        char path[200], name[40], packed[2000], found[500];
        uint64_t kept;
        snprintf(name, sizeof name, "m.jsonl.%s", endings[i]);
        struct dataset *dataset = open_set(save_text("x.jsonl", two), &plain);
        snprintf(path, sizeof path, "%s", path_of(name));
        filter_to(dataset, path, keep_all, NULL, &kept);
        dataset_close(dataset);
        size_t size = load(path, packed, sizeof packed / 2);
        memcpy(packed + size, packed, size);
        dataset = open_set(save(name, packed, 2 * size), &plain);
        list_records(dataset, found, sizeof found);
        assert_string_equal(found, "1=a|2=b|1=a|2=b|");
        dataset_close(dataset);
        dataset = open_set(save(name, packed, size - 3), &plain);
        list_records(dataset, found, sizeof found);
        assert_non_null(strstr(found, "!!cannot unpack '"));
        dataset_close(dataset);
    }
}

/* The sum and the length behind the data of gzip, which is whole: its records are given out, the damage is
 * told. */
static void test_gzip_trailer(void **state) {
    (void)state;
    static const struct {
        size_t size, flipped; /* from the end: what is cut off, what is changed */
        const char *said;
    } cases[] = {{4, 0, "it ends too early"},
                 {8, 0, "it ends too early"},
                 {0, 6, "incorrect data check"},
                 {0, 2, "incorrect length check"}};
    char path[200], packed[1000], found[500], expected[300];
    uint64_t kept;
    struct dataset *dataset = open_set(save_text("x.jsonl", two), &plain);
    snprintf(path, sizeof path, "%s", path_of("t.jsonl.gz"));
    filter_to(dataset, path, keep_all, NULL, &kept);
    dataset_close(dataset);
    const size_t size = load(path, packed, sizeof packed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t damage = cases[i].flipped ? 1 : 0;
        packed[size - cases[i].flipped - !damage] ^= damage;
        dataset = open_set(save("t.jsonl.gz", packed, size - cases[i].size), &plain);
        packed[size - cases[i].flipped - !damage] ^= damage;
        list_records(dataset, found, sizeof found);
        snprintf(expected, sizeof expected, "1=a|2=b|!!cannot unpack '%s': %s", path, cases[i].said);
        assert_non_null(strstr(found, expected));
        dataset_close(dataset);
    }
}

/* Zeros behind a member are padding; anything else, but another member, is none of ours. */
static void test_behind_gzip(void **state) {
    (void)state;
    char path[200], packed[1000] = {0}, found[500];
    uint64_t kept;
    struct dataset *dataset = open_set(save_text("x.jsonl", two), &plain);
    snprintf(path, sizeof path, "%s", path_of("t.jsonl.gz"));
    filter_to(dataset, path, keep_all, NULL, &kept);
    dataset_close(dataset);
    const size_t size = load(path, packed, sizeof packed / 2);
    dataset = open_set(save("t.jsonl.gz", packed, size + 100), &plain);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|2=b|");
    dataset_close(dataset);
    packed[size + 50] = 'x';
    dataset = open_set(save("t.jsonl.gz", packed, size + 100), &plain);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|2=b|");
    dataset_close(dataset);
}

/* A frame that asks for a window of 256 MiB, as `zstd --long=28` writes it. */
static void test_large_window(void **state) {
    (void)state;
    const size_t size = strlen(two);
    char packed[500] = "\x28\xb5\x2f\xfd\0\x90", found[500];
    const uint32_t block = (uint32_t)size << 3 | 1; /* the last one, as it is */
    for (int i = 0; i < 3; i++) packed[6 + i] = (char)(block >> 8 * i);
    memcpy(packed + 9, two, size);
    const char *path = save("w.jsonl.zst", packed, 9 + size);
    struct dataset_options options = {.window_most = (size_t)1 << 28};
    struct dataset *dataset = open_set(path, &options);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, "1=a|2=b|");
    dataset_close(dataset);
    dataset = open_set(path, &plain);
    list_records(dataset, found, sizeof found);
    assert_non_null(strstr(found, ": its window is too large: allow more memory"));
    dataset_close(dataset);
}

/* With a mark and without, in both orders; in batches that cut characters. */
static void test_utf16(void **state) {
    (void)state;
    static const char table[] = "id\ttext\n1\tcaf\xC3\xA9 \xF0\x9F\x98\x81\n2\t\xE4\xB8\x81\n";
    static const uint16_t units[] = {0xFEFF, 'i',    'd',  '\t', 't',  'e',    'x',  't',
                                     '\n',   '1',    '\t', 'c',  'a',  'f',    0xE9, ' ',
                                     0xD83D, 0xDE01, '\n', '2',  '\t', 0x4E01, '\n'};
    for (size_t way = 0; way < 4; way++)
        for (size_t batch = 1; batch < 40; batch++) {
            uint8_t wide[sizeof units];
            char found[200];
            for (size_t i = 0; i < sizeof units; i++)
                wide[i] = (uint8_t)(units[i / 2] >> 8 * (i % 2 ^ way % 2));
            const size_t mark = way / 2 * 2;
            struct dataset_options options = {.batch_size = batch};
            struct dataset *dataset = open_set(save("u.tsv", wide + mark, sizeof wide - mark), &options);
            assert_false(dataset_random_access(dataset));
            struct record_reader reader = {0};
            const uint8_t *text;
            size_t size;
            stemma_error error;
            assert_int_equal(dataset_text_at(dataset, 0, 1, &reader, &text, &size, &error),
                             STEMMA_UNSUPPORTED);
            assert_non_null(strstr(error.message, "is in UTF-16: "));
            for (int again = 0; again < 2; again++) {
                list_records(dataset, found, sizeof found);
                assert_string_equal(found, "1=caf\xC3\xA9 \xF0\x9F\x98\x81|2=\xE4\xB8\x81|");
                assert_int_equal(dataset_rewind(dataset, NULL), STEMMA_OK);
            }
            uint64_t kept;
            char path[200], copy[200];
            snprintf(path, sizeof path, "%s", path_of("copy.tsv"));
            filter_to(dataset, path, keep_all, NULL, &kept);
            copy[load(path, copy, sizeof copy - 1)] = 0;
            assert_string_equal(copy, table);
            assert_int_equal(remove(path), 0);
            dataset_close(dataset);
        }
}

/* A record that is far larger than the file it comes from: gone by, not held. */
static void test_bomb(void **state) {
    (void)state;
    enum { SIZE = 1 << 22 };
    char *line = malloc(SIZE), found[500], path[200];
    uint64_t kept;
    memset(line, 'a', SIZE);
    memcpy(line, "{\"text\":\"", 9);
    memcpy(line + SIZE - 3, "\"}\n", 3);
    struct dataset *dataset = open_set(save("x.jsonl", line, SIZE), &plain);
    snprintf(path, sizeof path, "%s", path_of("bomb.jsonl.zst"));
    filter_to(dataset, path, keep_all, NULL, &kept);
    dataset_close(dataset);
    assert_int_equal(kept, 1);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size < SIZE / 100);
    struct dataset_options options = {.record_most = 1 << 16, .batch_size = 1 << 12};
    dataset = open_set(path, &options);
    list_records(dataset, found, sizeof found);
    assert_non_null(
        strstr(found, "a record of 4194304 bytes is too long, 65536 may be held: allow more memory|"));
    dataset_close(dataset);
    free(line);
}

/* ---- filters ---- */

static bool keep_second(void *context, uint64_t offset, uint64_t line) {
    *(uint64_t *)context = offset;
    return line == 3;
}

static void check_content(const char *path, const char *content) {
    char bytes[500];
    size_t size = load(path, bytes, sizeof bytes);
    assert_int_equal(size, strlen(content));
    assert_memory_equal(bytes, content, size);
}

static void test_filter(void **state) {
    (void)state;
    char out[200], first[200];
    uint64_t last, kept;
    struct dataset_filter *filter;
    stemma_error err;
    snprintf(out, sizeof out, "%s", path_of("out.csv"));
    snprintf(first, sizeof first, "%s", save_text("a.csv", "id,text\r\n1,a\r\n2,\"b\r\nb\"\r\n\r\n3,c"));
    struct dataset *a = open_set(first, &plain);
    filter_to(a, out, keep_second, &last, &kept);
    assert_int_equal(last, 26);
    assert_int_equal(kept, 1);
    check_content(out, "id,text\r\n2,\"b\r\nb\"\r\n");
    filter_to(a, strcat(out, "2"), keep_all, NULL, &kept);
    check_content(out, "id,text\r\n1,a\r\n2,\"b\r\nb\"\r\n3,c\n");

    struct dataset *b = open_set(save_text("b.csv", "id,text\n4,d\n"), &plain);
    struct dataset *c = open_set(save_text("c.csv", "text,id\n4,d\n"), &plain);
    struct dataset *d = open_set(save_text("d.jsonl", two), &plain);
    assert_int_equal(dataset_filter_open(strcat(out, "3"), &filter, &err), STEMMA_OK);
    assert_int_equal(dataset_filter_copy(filter, a, keep_all, NULL, &kept, &err), STEMMA_OK);
    assert_int_equal(dataset_filter_copy(filter, b, keep_all, NULL, &kept, &err), STEMMA_OK);
    assert_int_equal(dataset_filter_copy(filter, c, keep_all, NULL, &kept, &err), STEMMA_INVALID);
    assert_non_null(strstr(err.message, "has other columns"));
    assert_int_equal(dataset_filter_copy(filter, d, keep_all, NULL, &kept, &err), STEMMA_INVALID);
    assert_int_equal(dataset_filter_commit(filter, &err), STEMMA_OK);
    check_content(out, "id,text\r\n1,a\r\n2,\"b\r\nb\"\r\n3,c\n4,d\n");
    assert_int_equal(dataset_filter_open(strcat(out, ".gz"), &filter, &err), STEMMA_OK);
    dataset_filter_abandon(filter);
    assert_int_equal(access(out, F_OK), -1);
    dataset_close(a);
    dataset_close(b);
    dataset_close(c);
    dataset_close(d);
}

static void test_stop(void **state) {
    (void)state;
    volatile int stop = 0;
    struct dataset_options options = {.stop = &stop, .batch_size = 16};
    struct dataset *dataset = open_set(save_text("x.jsonl", two), &options);
    struct dataset_batch batch = {0};
    bool more;
    stop = 1;
    assert_int_equal(dataset_next(dataset, &batch, &more, NULL), STEMMA_INTERRUPTED);
    dataset_batch_release(&batch);
    dataset_close(dataset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_random_records),
        IN_FOLDER(test_changed_file),
        IN_FOLDER(test_many),
        IN_FOLDER(test_long_id),
        IN_FOLDER(test_growing_and_shrinking),
        IN_FOLDER(test_pipes),
        IN_FOLDER(test_members_and_damage),
        IN_FOLDER(test_gzip_trailer),
        IN_FOLDER(test_utf16),
        IN_FOLDER(test_behind_gzip),
        IN_FOLDER(test_large_window),
        IN_FOLDER(test_bomb),
        IN_FOLDER(test_filter),
        IN_FOLDER(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

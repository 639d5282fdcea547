/* Records of data sets, case by case: what is in them, what is wrong with them, and how that is said. */
#include "dataset_support.h"

/* In the folder, so that messages have short names. */
static void expect(const char *name, const char *content, const struct dataset_options *options,
                   const char *records) {
    char found[4000], path[200];
    save_text(name, content);
    snprintf(path, sizeof path, "%s", path_of(""));
    assert_int_equal(chdir(path), 0);
    struct dataset *dataset = open_set(name, options);
    list_records(dataset, found, sizeof found);
    assert_string_equal(found, records);
    dataset_close(dataset);
    assert_int_equal(chdir("/"), 0);
}

struct json_row {
    const char *line, *records;
};

static const struct json_row json_rows[] = {
    {"{\"text\":\"a\",\"id\":7}", "7=a|"},
    {"{\"text\":\"a\",\"id\":1.50e+3}", "1.50e+3=a|"},
    {"{\"text\":\"a\",\"id\":-1}", "-1=a|"},
    {"{\"text\":\"a\",\"id\":null}", "x.jsonl:1=a|"},
    {"{\"text\":\"a\",\"id\":true}", "x.jsonl:1=a|"},
    {"{\"text\":\"a\",\"id\":\"\"}", "x.jsonl:1=a|"},
    {"{\"text\":\"a\",\"id\":\"n\\u0000n\"}", "x.jsonl:1=a|"},
    {"{\"text\":\"a\",\"id\":{\"x\":1}}", "x.jsonl:1=a|"},
    {"{\"id\":\"i\",\"text\":\"\"}", "i=|"},
    {"{\"id\":1,\"text\":\"first\",\"text\":\"last\"}", "1=last|"},
    {"{\"id\":1,\"te\\u0078t\":\"name\"}", "1=name|"},
    {"{\"id\":1,\"text\":\"\\ud83d\\ude00\"}", "1=\xf0\x9f\x98\x80|"},
    {"{\"id\":1,\"text\":\"\\ud83d\"}", "1=\xef\xbf\xbd|"},
    {"{\"id\":1,\"text\":\"\\ud83dx\\ude00\"}", "1=\xef\xbf\xbdx\xef\xbf\xbd|"},
    {"{\"id\":1,\"text\":\"\\ud83d\\ud83d\\ude00\"}", "1=\xef\xbf\xbd\xf0\x9f\x98\x80|"},
    {"{\"id\":1,\"text\":\"\\u20ac\\u00E9\\u0041\"}", "1=\xe2\x82\xac\xc3\xa9"
                                                      "A|"},
    {"{\"id\":1,\"text\":\"\\x \\u12 \\\\\"}", "1=\\x \\u12 \\|"},
    {"{\"id\":1,\"text\":\"end\\\\\"}", "1=end\\|"},
    {"{\"id\":1,\"text\":\"\\\\\\\"\"}", "1=\\\"|"},
    {"{\"id\":1,\"x\":{\"text\":\"no\"},\"text\":\"yes\"}", "1=yes|"},
    {"\t{\"id\":1 , \"text\" : \"spaces\" } \r", "1=spaces|"},
    {"{}", "!line 1 of 'x.jsonl': no field 'text'|"},
    {"{\"text\":null}", "!line 1 of 'x.jsonl': no field 'text'|"},
    {"{\"x\":{\"text\":\"no\"}}", "!line 1 of 'x.jsonl': no field 'text'|"},
    {"{\"text\":5}", "!line 1 of 'x.jsonl': field 'text' is not a string|"},
    {"{\"text\":[\"a\"]}", "!line 1 of 'x.jsonl': field 'text' is not a string|"},
    {"[1]", "!line 1 of 'x.jsonl' is not a JSON object|"},
    {"text", "!line 1 of 'x.jsonl' is not a JSON object|"},
    {"{\"text\":\"a\"", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\\\"}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\"}}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\"} x", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\" \"a\"}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\",}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\" \"b\":1}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\",\"b\":nul}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\",\"b\":[[}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{\"text\":\"a\",\"b\":}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{text:\"a\"}", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"{", "!line 1 of 'x.jsonl' is broken JSON|"},
    {"", ""},
    {"\n\n{\"text\":\"a\"}\n  \n{\"text\":\"b\"}", "x.jsonl:3=a|x.jsonl:5=b|"},
    {"{\"text\":1}\n{\"text\":\"b\",\"id\":2}\n{\n",
     "!line 1 of 'x.jsonl': field 'text' is not a string|2=b|!line 3 of 'x.jsonl' is broken JSON|"},
};

static void test_json_lines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof json_rows / sizeof json_rows[0]; i++)
        expect("x.jsonl", json_rows[i].line, &plain, json_rows[i].records);
}

static void test_json_paths(void **state) {
    (void)state;
    struct dataset_options options = {.text_field = "meta.inner.text", .id_field = "meta.name"};
    expect("x.ndjson", "{\"meta\":{\"name\":\"n\",\"inner\":{\"x\":[],\"text\":\"deep\"}}}\n", &options,
           "n=deep|");
    expect("x.ndjson", "{\"meta.inner.text\":\"named so\",\"meta\":{\"inner\":{\"text\":\"deep\"}}}\n",
           &options, "x.ndjson:1=named so|");
    expect("x.ndjson", "{\"meta\":{\"inner.text\":\"half\"}}\n", &options, "x.ndjson:1=half|");
    expect(
        "x.ndjson", "{\"meta\":\"{}\"}\n{\"meta\":[]}\n", &options,
        "!line 1 of 'x.ndjson': no field 'meta.inner.text'|!line 2 of 'x.ndjson': no field 'meta.inner.text'|");
}

static void test_csv(void **state) {
    (void)state;
    expect("x.csv", "id,text\n1,a\n2,\"b,\n\"\"c\"\"\"\n\n3,d\"e\n", &plain, "1=a|2=b,\n\"c\"|3=d\"e|");
    expect("x.csv", "\xef\xbb\xbf\"text\",id\r\nx,1\r\n\"y\r\n\",2\r\n", &plain, "1=x|2=y\r\n|");
    expect("x.csv", "text\na\nb", &plain, "x.csv:2=a|x.csv:3=b|");
    expect("x.csv", "a,text\n1\n2,x\n", &plain, "!line 2 of 'x.csv': no field 'text'|x.csv:3=x|");
    expect("x.csv", "a,text\n1,\"x\"y\"z\n2,\"\"\n", &plain, "x.csv:2=xy\"z|x.csv:3=|");
    expect("x.csv", "a,text\n1,x\n2,\"open\n3,y\n", &plain,
           "x.csv:2=x|!line 3 of 'x.csv' begins a quote that does not end|");
    expect("x.tsv", "id\ttext\n1\ta, b\n\t\n2\t\"q\tq\"\n", &plain, "1=a, b|x.tsv:3=|2=q\tq|");
    expect("x.csv", "id,text\n", &plain, "");
    expect("x.csv", "", &plain, "");
    struct dataset_options numbered = {.text_field = "2", .id_field = "1"};
    expect("x.csv", "a,b\nk,v\n", &numbered, "k=v|");
    expect("x.csv", "2,b,1\nk,v,w\n", &numbered, "w=k|");
}

static void test_no_column(void **state) {
    (void)state;
    struct dataset *dataset;
    stemma_error err;
    const char *path = save_text("x.csv", "a,b\n1,2\n");
    assert_int_equal(dataset_open(path, &plain, &dataset, &err), STEMMA_INVALID);
    assert_non_null(strstr(err.message, "has no column 'text', but a, b"));
    struct dataset_options other = {.text_field = "b", .id_field = "key"};
    assert_int_equal(dataset_open(path, &other, &dataset, &err), STEMMA_INVALID);
    assert_non_null(strstr(err.message, "has no column 'key', but a, b"));
    assert_int_equal(dataset_open(save_text("blank.csv", "\n"), &plain, &dataset, &err), STEMMA_INVALID);
    assert_non_null(strstr(err.message, "has no column 'text'"));
    assert_int_equal(dataset_open(save_text("open.csv", "a,text,\"open\n1,x,y\n"), &plain, &dataset, &err),
                     STEMMA_INVALID);
    assert_non_null(strstr(err.message, "begins a quote that does not end"));
    struct dataset_options third = {.text_field = "3"};
    assert_int_equal(dataset_open(path, &third, &dataset, &err), STEMMA_INVALID);
    assert_int_equal(dataset_open(path_of("missing.csv"), &plain, &dataset, &err), STEMMA_NOT_FOUND);
}

static void test_names(void **state) {
    (void)state;
    assert_int_equal(dataset_kind_of("a.jsonl"), DATASET_JSON_LINES);
    assert_int_equal(dataset_kind_of("a.json-lines.xz"), DATASET_JSON_LINES);
    assert_int_equal(dataset_kind_of("x/A.NDJSON.ZST"), DATASET_JSON_LINES);
    assert_int_equal(dataset_kind_of("a.b.csv.gz"), DATASET_CSV);
    assert_int_equal(dataset_kind_of("a.tsv.bz2"), DATASET_TSV);
    const char *others[] = {"a.json", ".csv", "csv", "a.csv.gz.gz", "a.gz", "", "a.csvx"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) assert_false(dataset_name(others[i]));
}

/* A name that says nothing, and bytes that say something. */
static void test_kinds_by_content(void **state) {
    (void)state;
    expect("plain", "{\"text\":\"a\",\"id\":1}\n", &plain, "1=a|");
    expect("plain", "\n \r\n{\"text\":\"a\",\"id\":1}\n", &plain, "1=a|");
    expect("plain", "", &plain, "");
    expect("plain", "text,id\na,1\n\"b\n\",2", &plain, "1=a|2=b\n|");
    expect("plain", "text\tid\na,b\t1\n", &plain, "1=a,b|");
    struct dataset_options csv = {.kind = DATASET_CSV};
    expect("plain", "text,id\na,1\n", &csv, "1=a|");
    expect("y.csv", "BZhello,text\n1,a\n", &plain, "y.csv:2=a|");
    struct dataset *dataset;
    stemma_error err;
    assert_int_equal(dataset_open(save_text("plain", "words"), &plain, &dataset, &err), STEMMA_INVALID);
    assert_non_null(
        strstr(err.message, "neither JSON lines, which begin with '{', nor a table with the column"));
}

static void test_long_records(void **state) {
    (void)state;
    for (size_t batch = 1; batch < 60; batch += 3) {
        struct dataset_options options = {.batch_size = batch, .record_most = 30};
        expect(
            "x.jsonl",
            "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"more than thirty\"}\n{\"id\":3,\"text\":\"c\"}\n",
            &options,
            "1=a|!line 2 of 'x.jsonl': a record of 35 bytes is too long, 30 may be held: allow more memory|3=c|");
        expect(
            "x.csv", "id,text\n1,a\n2,\"many\nlines\n, one\nrecord, too\nlong\"\n3,c\n", &options,
            "1=a|!line 3 of 'x.csv': a record of 38 bytes is too long, 30 may be held: allow more memory|3=c|");
        expect("x.jsonl", "{\"id\":2,\"text\":\"more than thirty, and the last", &options,
               "!line 1 of 'x.jsonl': a record of 46 bytes is too long, 30 may be held: allow more memory|");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_json_lines),   IN_FOLDER(test_json_paths),       IN_FOLDER(test_csv),
        IN_FOLDER(test_no_column),    IN_FOLDER(test_kinds_by_content), IN_FOLDER(test_long_records),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

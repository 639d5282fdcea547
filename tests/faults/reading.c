/* Trees, data sets, and documents that are converted. */
#include "base/error.h"
#include "read/dataset.h"
#include "read/document.h"
#include "read/pages.h"
#include "read/tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/faults.h" /* behind the others: cmocka has a macro named fail */

static stemma_status take_tree_file(void *context, const struct tree_file *file, stemma_error *error) {
    (void)context, (void)file, (void)error;
    return STEMMA_OK;
}

static void take_tree_problem(void *context, const char *path, const stemma_error *cause) {
    (void)path;
    stemma_error *first = context;
    if (first->status == STEMMA_OK) *first = *cause;
}

/* A problem is an outcome like a failure. */
static stemma_status walk_tree(const char *unused, stemma_error *error) {
    (void)unused;
    static const char *const patterns[] = {"*"};
    stemma_error problem = {STEMMA_OK, ""};
    struct tree_options options = {.include = patterns, .include_count = 1, .hidden = true, .follow = true};
    struct tree_visitor visitor = {&problem, take_tree_file, take_tree_problem, NULL};
    stemma_status status = tree_walk(world.tree_path, &options, &visitor, error);
    if (status == STEMMA_OK && problem.status != STEMMA_OK) *error = problem;
    return status == STEMMA_OK ? problem.status : status;
}

static stemma_status take_records(const struct dataset *dataset, const struct dataset_batch *batch,
                                  struct record_reader *reader, uint64_t sizes[2], stemma_error *error) {
    struct dataset_record record;
    stemma_status status;
    bool more;
    record_reader_begin(reader, dataset, batch);
    while ((status = record_reader_next(reader, &record, &more, error)) == STEMMA_OK && more) {
        sizes[0] = record.offset;
        sizes[1] = record.size;
    }
    return status;
}

/* All records, and the last one again. */
static stemma_status read_open_data(struct dataset *dataset, stemma_error *error) {
    struct dataset_batch batch = {0};
    struct record_reader reader = {0};
    const uint8_t *text = UNTOUCHED;
    size_t size;
    uint64_t last[2] = {0, 0};
    bool more = true;
    stemma_status status;
    while ((status = dataset_next(dataset, &batch, &more, error)) == STEMMA_OK && more)
        if ((status = take_records(dataset, &batch, &reader, last, error)) != STEMMA_OK) break;
    if (status == STEMMA_OK && dataset_random_access(dataset)) {
        status = dataset_text_at(dataset, last[0], last[1], &reader, &text, &size, error);
        check_untouched(status, text);
    }
    record_reader_release(&reader);
    dataset_batch_release(&batch);
    return status;
}

static stemma_status read_data_at(const char *path, stemma_error *error) {
    struct dataset *dataset = UNTOUCHED;
    struct dataset_options options = {.batch_size = 30, .directory = world.folder};
    stemma_status status = dataset_open(path, &options, &dataset, error);
    check_untouched(status, dataset);
    if (status != STEMMA_OK) return status;
    status = read_open_data(dataset, error);
    dataset_close(dataset);
    return status;
}

static stemma_status read_data(const char *name, stemma_error *error) {
    char path[160];
    place(path, sizeof path, name);
    return read_data_at(path, error);
}

static stemma_status read_piped_data(const char *content, stemma_error *error) {
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(__real_write(ends[1], content, strlen(content)), (ssize_t)strlen(content));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    stemma_status status = read_data_at(path, error);
    close(ends[0]);
    return status;
}

static bool keep_record(void *context, uint64_t offset, uint64_t line) {
    (void)context, (void)offset, (void)line;
    return true;
}

static stemma_status filter_open_data(struct dataset *dataset, const char *to, stemma_error *error) {
    struct dataset_filter *filter = UNTOUCHED;
    uint64_t kept = 0;
    stemma_status status = dataset_filter_open(to, &filter, error);
    check_untouched(status, filter);
    if (status != STEMMA_OK) return status;
    status = dataset_filter_copy(filter, dataset, keep_record, NULL, &kept, error);
    if (status == STEMMA_OK) return dataset_filter_commit(filter, error);
    dataset_filter_abandon(filter);
    return status;
}

stemma_status filter_to(const char *from, const char *to, stemma_error *error) {
    struct dataset *dataset;
    struct dataset_options options = {0};
    stemma_status status = dataset_open(from, &options, &dataset, error);
    if (status != STEMMA_OK) return status;
    status = filter_open_data(dataset, to, error);
    dataset_close(dataset);
    return status;
}

/* argument: the ending of the new file. */
static stemma_status filter_data(const char *ending, stemma_error *error) {
    char from[160], to[160];
    place(from, sizeof from, "tree/d.csv");
    snprintf(to, sizeof to, "%s%s", world.new_path, ending);
    stemma_status status = filter_to(from, to, error);
    if (status == STEMMA_OK) assert_int_equal(unlink(to), 0);
    return status;
}

/* A document that has to be converted, as a sketch, as a text, and as what both have in common. */
static stemma_status convert_as(const char *name, const char *bytes, size_t size, stemma_error *error) {
    stemma_sketch *sketch = UNTOUCHED;
    stemma_text *text = UNTOUCHED;
    stemma_document *document = UNTOUCHED;
    stemma_status status = stemma_sketch_bytes(bytes, size, name, world.recipe, NULL, &sketch, error);
    release_sketch(status, sketch);
    if (status != STEMMA_OK) return status;
    status = stemma_text_bytes(bytes, size, world.recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status != STEMMA_OK) return status;
    status = stemma_document_of_text(text, world.recipe, NULL, &document, error);
    check_untouched(status, document);
    if (status == STEMMA_OK) stemma_document_free(document);
    stemma_text_free(text);
    return status;
}

static stemma_status convert(const char *name, stemma_error *error) {
    static const char page[] = "<html><p>one two three caf\xE9 &amp; <b>four</b> five <img alt='six'> seven",
                      marked[] = "# one\n\ntwo [three](four) <b>five</b> &amp; six\n\n<p>\nseven\n</p>\n",
                      wide[] = "\xFF\xFEo\0n\0e\0 \0t\0w\0o\0 \0t\0h\0r\0e\0e\0 \0f\0o\0u\0r\0";
    if (!strcmp(name, "x.md")) return convert_as(name, marked, sizeof marked - 1, error);
    if (!strcmp(name, "wide")) return convert_as(name, wide, sizeof wide - 1, error);
    return convert_as(name, page, sizeof page - 1, error);
}

/* A document among the conversions; reading it is no part of the operation. */
static stemma_status convert_kept(const char *name, stemma_error *error) {
    static char bytes[1 << 16];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FORMATS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return convert_as(name, bytes, size, error);
}

static stemma_status convert_xml(const char *text, stemma_error *error) {
    return convert_as("x.xml", text, strlen(text), error);
}

static stemma_status run_pages_together(const char *text, stemma_error *error) {
    struct buf out = {0};
    const struct reading_limits limits = {0};
    stemma_status status = pages_text((const uint8_t *)text, strlen(text), &limits, &out, error);
    buf_release(&out);
    return status;
}

static stemma_status read_contained(const char *name, stemma_error *error) {
    char path[160];
    stemma_text *text = UNTOUCHED;
    place(path, sizeof path, name);
    stemma_status status = stemma_text_file(path, world.recipe, NULL, &text, error);
    check_untouched(status, text);
    if (status == STEMMA_OK) stemma_text_free(text);
    return status;
}

struct each_read {
    size_t count;
    stemma_error problem; /* of a document, or of the machine that reads it */
};

static stemma_status count_text(void *read, const char *id, const stemma_text *text, stemma_error *error) {
    size_t size;
    (void)id, (void)error;
    ((struct each_read *)read)->count++;
    return stemma_text_source(text, &size) ? STEMMA_OK : STEMMA_INVALID;
}

static void keep_problem(void *read, const char *id, const stemma_error *cause) {
    (void)id;
    ((struct each_read *)read)->problem = *cause;
}

static stemma_status read_each(const char *name, stemma_error *error) {
    char path[160];
    struct each_read read = {0};
    place(path, sizeof path, name);
    stemma_status status = stemma_text_each(path, world.recipe, NULL, count_text, keep_problem, &read, error);
    if (status != STEMMA_OK) return status;
    assert_true(read.count > 0 || read.problem.status != STEMMA_OK);
    *error = read.problem;
    return read.problem.status;
}

/* What it holds is told: that is its success here. */
static stemma_status refuse_archive(const char *name, stemma_error *error) {
    stemma_status status = read_contained(name, error);
    assert_int_not_equal(status, STEMMA_OK);
    return status == STEMMA_UNSUPPORTED ? STEMMA_OK : status;
}

const struct operation reading_operations[] = {
    {"read HTML in Latin-1", convert, "x.html"},
    {"read Markdown", convert, "x.md"},
    {"read UTF-16", convert, "wide"},
    {"read XML", convert_xml, "<?xml version='1.0'?><a>one<b>two</b>\n</a>"},
    {"read RTF", convert_kept, "report.rtf"},
    {"read a DOCX", convert_kept, "report.docx"},
    {"read an ODT", convert_kept, "report.odt"},
    {"read an EPUB", convert_kept, "letter.epub"},
    {"read pages", run_pages_together, "a compari-\nson\n1\n\fof comparison\n2\n\f"},
    {"read what is compressed", read_contained, "tree/d.jsonl.gz"},
    {"read a mail in an archive", read_contained, "archive!/mail"},
    {"read an attachment in an archive", read_contained, "archive!/mail!/\xC3\xA9"},
    {"read from a crawl in an archive", read_contained, "archive!/crawl!/u"},
    {"read what is coded in a crawl", read_contained, "archive!/crawl!/v"},
    {"read an archive, which is refused", refuse_archive, "archive"},
    {"read a record by its id", read_contained, "tree/d.jsonl:1"},
    {"read a record of a table by its line", read_contained, "tree/d.csv:2"},
    {"read all documents of an archive", read_each, "archive"},
    {"read all documents of a mail in an archive", read_each, "archive!/mail"},
    {"read all records of a data set", read_each, "tree/d.jsonl"},
    {"read one document as all there are", read_each, "tree/d.jsonl:1"},
    {"walk a tree", walk_tree, ""},
    {"read JSON lines", read_data, "tree/d.jsonl"},
    {"read CSV", read_data, "tree/d.csv"},
    {"read a compressed data set", read_data, "tree/d.jsonl.gz"},
    {"read a data set from a pipe", read_piped_data, "{\"text\": \"one\"}\n{\"text\": \"two\"}\n"},
    {"filter a data set", filter_data, ""},
    {"filter and compress a data set", filter_data, ".gz"},
    {NULL, NULL, NULL},
};

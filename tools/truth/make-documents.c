/*
 * Writes a collection of any size for tests and benchmarks of `stemma scan`: word-like text in which known
 * shares are near-copies or extracts of earlier documents, or begin with a template. The same on every
 * machine for the same options.
 *
 *     make-documents [options] OUT
 *
 * OUT is a folder (--form tree), or a file of JSON lines, "-" for standard output (--form jsonl).
 */
#include "made.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_FILES 1000

struct writer {
    struct made_options options;
    bool tree;
    const char *out, *truth_path;
    FILE *file, *truth;
};

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "make-documents: %s: %s\n", what, strerror(errno));
    exit(2);
}

static FILE *open_to_write(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) give_up(path);
    return file;
}

static void close_written(FILE *file, const char *path) {
    if (fclose(file) != 0) give_up(path);
}

/* ---- the forms ---- */

static void write_file(const struct writer *writer, uint64_t number, const struct buf *text) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%05u", writer->out, (unsigned)(number / FOLDER_FILES));
    if (number % FOLDER_FILES == 0 && mkdir(path, 0777) != 0 && errno != EEXIST) give_up(path);
    snprintf(path + length, sizeof path - (size_t)length, "/d%08u.txt", (unsigned)number);
    FILE *file = open_to_write(path);
    fwrite(text->data, 1, text->len, file);
    close_written(file, path);
}

/* Letters, points and spaces only, and line ends that are escaped already. */
static void write_record(const struct writer *writer, uint64_t number, const struct buf *text) {
    fprintf(writer->file, "{\"id\":\"d%08u\",\"text\":\"", (unsigned)number);
    fwrite(text->data, 1, text->len, writer->file);
    fputs("\"}\n", writer->file);
}

static void write_truth(const struct writer *writer, uint64_t number, const struct made_document *document) {
    static const char *const kinds[] = {"original", "near", "contained"};
    fprintf(writer->truth, "d%08u\t", (unsigned)number);
    if (document->kind == MADE_ORIGINAL)
        fputs("-", writer->truth);
    else
        fprintf(writer->truth, "d%08u", (unsigned)document->parent);
    fprintf(writer->truth, "\t%s\n", kinds[document->kind]);
}

static void write_documents(const struct writer *writer) {
    struct maker *maker = made_new(&writer->options);
    struct made_document document = {0};
    struct buf text = {0};
    if (!maker) give_up("memory");
    for (uint64_t number = 0; number < writer->options.count; number++) {
        text.len = 0;
        if (!made_document(maker, number, &document) ||
            !made_text(maker, &document.words, writer->tree ? "\n" : "\\n", &text))
            give_up("memory");
        (writer->tree ? write_file : write_record)(writer, number, &text);
        if (writer->truth) write_truth(writer, number, &document);
    }
    buf_release(&text);
    vec64_release(&document.words);
    made_free(maker);
}

/* ---- options ---- */

static const char usage[] =
    "usage: make-documents [options] OUT\n"
    "  --form tree|jsonl     files in folders of 1,000, or JSON lines (the default)\n"
    "  --count N             documents; 10000\n"
    "  --near SHARE          near-copies of earlier documents; .2\n"
    "  --contained SHARE     extracts of earlier documents; .02\n"
    "  --template SHARE      begin with the same paragraph; .3\n"
    "  --template-words N    of that paragraph; 60\n"
    "  --size BYTES          median of a document; 1400\n"
    "  --spread S            standard deviation of the logarithm of the size; .4\n"
    "  --edits SHARE         of the words of a near-copy; such that J is spread over .5 to 1\n"
    "  --copies N            N near-copies of one document, and nothing else\n"
    "  --seed N              1\n"
    "  --truth FILE          id, parent and kind of each\n";

static const struct option known[] = {{"form", required_argument, NULL, 'f'},
                                      {"count", required_argument, NULL, 'n'},
                                      {"near", required_argument, NULL, 'd'},
                                      {"contained", required_argument, NULL, 'c'},
                                      {"template", required_argument, NULL, 't'},
                                      {"template-words", required_argument, NULL, 'w'},
                                      {"size", required_argument, NULL, 's'},
                                      {"spread", required_argument, NULL, 'p'},
                                      {"edits", required_argument, NULL, 'e'},
                                      {"copies", required_argument, NULL, 'o'},
                                      {"seed", required_argument, NULL, 'r'},
                                      {"truth", required_argument, NULL, 'u'},
                                      {NULL, 0, NULL, 0}};

static bool set_option(struct writer *writer, int option, const char *value) {
    struct made_options *options = &writer->options;
    switch (option) {
    case 'f':
        writer->tree = strcmp(value, "tree") == 0;
        return writer->tree || strcmp(value, "jsonl") == 0;
    case 'n':
        options->count = strtoull(value, NULL, 10);
        return true;
    case 'd':
        options->near = strtod(value, NULL);
        return true;
    case 'c':
        options->contained = strtod(value, NULL);
        return true;
    case 't':
        options->template_share = strtod(value, NULL);
        return true;
    case 'w':
        options->template_words = strtoull(value, NULL, 10);
        return true;
    case 's':
        options->size = strtod(value, NULL);
        return true;
    case 'p':
        options->spread = strtod(value, NULL);
        return true;
    case 'e':
        options->edits = strtod(value, NULL);
        return true;
    case 'o':
        options->count = strtoull(value, NULL, 10) + 1;
        options->one_parent = true;
        return true;
    case 'r':
        options->seed = strtoull(value, NULL, 10);
        return true;
    case 'u':
        writer->truth_path = value;
        return true;
    default:
        return false;
    }
}

static bool read_options(int argc, char **argv, struct writer *writer) {
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!set_option(writer, option, optarg)) return false;
    if (argc != optind + 1) return false;
    writer->out = argv[optind];
    return true;
}

int main(int argc, char **argv) {
    struct writer writer = {.options = {.seed = 1,
                                        .count = 10000,
                                        .near = .2,
                                        .contained = .02,
                                        .template_share = .3,
                                        .template_words = 60,
                                        .size = 1400,
                                        .spread = .4,
                                        .edits = -1}};
    if (!read_options(argc, argv, &writer)) {
        fputs(usage, stderr);
        return 2;
    }
    bool to_stdout = !writer.tree && strcmp(writer.out, "-") == 0;
    if (writer.tree && mkdir(writer.out, 0777) != 0 && errno != EEXIST) give_up(writer.out);
    if (!writer.tree) writer.file = to_stdout ? stdout : open_to_write(writer.out);
    if (writer.truth_path) writer.truth = open_to_write(writer.truth_path);
    write_documents(&writer);
    if (writer.file) close_written(writer.file, writer.out);
    if (writer.truth) close_written(writer.truth, writer.truth_path);
    return 0;
}

/* stemma sketch: documents become small samples that can be compared later without them. */
#include "command.h"
#include "json.h"
#include "names.h"
#include "new_file.h"
#include "parallel.h"
#include "problems.h"
#include "recipe_options.h"
#include "stored.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct item {
    char *name;
    stemma_sketch *sketch;
    stemma_status status;
    stemma_error error;
} item;

typedef struct sketch_run {
    const options *options;
    stemma_recipe *recipe;
    stemma_limits limits;
    name_list names; /* of --files-from */
    void *seen;      /* the names so far, see tsearch(3) */
    size_t next_operand;
    unsigned threads;
    stemma_writer *bundle; /* with -o */
    size_t written;        /* sketches in the bundle */
    bool lost;             /* the bundle, by a failure to write it */
    void *taken;           /* with -d: the files written and their documents, see tsearch(3) */
    item *round;
    size_t count, named; /* documents of this round, of all */
    enum exit_code code;
} sketch_run;

/* ---- reading names, sketching ---- */

static bool next_name(sketch_run *run, char **name) {
    const options *o = run->options;
    if (run->next_operand < o->operand_count) {
        *name = o->operands[run->next_operand++];
        return true;
    }
    return o->files_from && names_next(&run->names, name);
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

/* A document that is named twice is sketched once: two sketches of one name could not be told apart. */
static bool is_new(sketch_run *run, const char *name) {
    if (tfind(name, &run->seen, by_text)) return false;
    need(tsearch(need_copy(name), &run->seen, by_text));
    return true;
}

/* The bundle would take the place of a document. */
static bool is_output(sketch_run *run, const char *name) {
    const char *path = run->options->output;
    if (!path || !is_same_file(path, name)) return false;
    complain("cannot write '%s': it is one of the documents", path);
    run->lost = true;
    run->code = graver(run->code, EXIT_WRONG);
    return true;
}

static bool read_round(sketch_run *run) {
    char *name;
    run->count = 0;
    while (run->count < round_size(run->threads) && !stop_requested && !run->lost && next_name(run, &name))
        if (is_new(run, name) && !is_output(run, name))
            run->round[run->count++] = (item){.name = need_copy(name)};
    run->named += run->count;
    return run->count > 0;
}

static void sketch_item(void *context, size_t index, unsigned worker) {
    sketch_run *run = context;
    item *it = &run->round[index];
    (void)worker;
    if (run->lost) return;
    /* A sketch of a sketch is never meant: it comes from a second run over the same directory. */
    it->status = stored_refuse(it->name, "sketch", &it->error);
    if (!it->status)
        it->status = stemma_sketch_file(it->name, run->recipe, &run->limits, &it->sketch, &it->error);
}

/* ---- writing ---- */

/* DOC.sketch beside the document, or in the directory of -d. Free the result. */
static char *sketch_path(const options *o, const char *name) {
    const char *slash = strrchr(name, '/');
    const char *base = o->directory && slash ? slash + 1 : name;
    size_t size = strlen(name) + (o->directory ? strlen(o->directory) : 0) + sizeof "/.sketch";
    char *path = need_memory(size);
    snprintf(path, size, "%s%s%s.sketch", o->directory ? o->directory : "", o->directory ? "/" : "", base);
    return path;
}

static bool may_write(const options *o, const char *path) {
    struct stat info;
    if (new_file_check_place(path)) return false;
    if (o->force || lstat(path, &info)) return true;
    complain_of_existing(path);
    return false;
}

static stemma_status write_alone(const char *path, const stemma_sketch *sketch, stemma_error *error) {
    stemma_writer *writer;
    stemma_status status = stemma_writer_open(path, &writer, error);
    if (status) return status;
    status = stemma_writer_add(writer, sketch, error);
    if (status)
        stemma_writer_abandon(writer);
    else
        status = stemma_writer_close(writer, error);
    return status;
}

/* The files written are the answer: one a line, or as they are with --print0. */
static void report_written(const options *o, const char *path) {
    if (o->quiet) return;
    if (o->print0) {
        fputs(path, stdout);
        putchar('\0');
    } else {
        print_name(stdout, path);
        putchar('\n');
    }
}

/* Documents of one name in different directories have one place in the directory of -d: the second would
 * overwrite the first, also under --force. */
typedef struct taken_path {
    char *path, *document;
} taken_path;

static int by_path(const void *a, const void *b) {
    return strcmp(((const taken_path *)a)->path, ((const taken_path *)b)->path);
}

static void taken_free(void *argument) {
    taken_path *taken = argument;
    free(taken->path);
    free(taken->document);
    free(taken);
}

static void take_path(sketch_run *run, const char *path, const char *document) {
    taken_path *taken = need_memory(sizeof *taken);
    *taken = (taken_path){need_copy(path), need_copy(document)};
    need(tsearch(taken, &run->taken, by_path));
}

static bool is_free(sketch_run *run, const char *path, const char *document) {
    taken_path **found = tfind(&(taken_path){.path = (char *)path}, &run->taken, by_path);
    if (!found) return true;
    complain("cannot write the sketch of '%s': '%s' is that of '%s', just written", document, path,
             (*found)->document);
    return false;
}

static enum exit_code write_beside(sketch_run *run, const item *it) {
    const options *o = run->options;
    stemma_error error;
    enum exit_code code = EXIT_DONE;
    char *path = sketch_path(o, it->name);
    if (!is_free(run, path, it->name) || !may_write(o, path)) {
        code = EXIT_WRONG;
    } else if (write_alone(path, it->sketch, &error)) {
        code = complain_of(&error);
    } else {
        if (o->directory) take_path(run, path, it->name);
        report_written(o, path);
    }
    free(path);
    return code;
}

static enum exit_code write_into_bundle(sketch_run *run, const item *it) {
    stemma_error error;
    if (!stemma_writer_add(run->bundle, it->sketch, &error)) {
        run->written++;
        return EXIT_DONE;
    }
    run->lost = true;
    return complain_of(&error);
}

/* Such a sketch tells identical bytes, and nothing else. */
static void warn_of_no_text(const item *it) {
    stemma_document_info info = stemma_sketch_info(it->sketch);
    if (info.bytes && !info.tokens) complain_no_text(it->name, "sketch");
}

static enum exit_code complain_of_item(const sketch_run *run, const item *it) {
    if (run->options->json && it->status != STEMMA_INTERRUPTED)
        problem_json(stdout, &(stemma_scan_problem){
                                 .name = it->name, .status = it->status, .cause = it->error.message});
    return complain_of(&it->error);
}

static enum exit_code write_item(sketch_run *run, const item *it) {
    if (it->status) return complain_of_item(run, it);
    warn_of_no_text(it);
    if (run->bundle) return write_into_bundle(run, it);
    if (!run->options->json) return write_beside(run, it);
    json_sketch(stdout, it->sketch);
    return EXIT_DONE;
}

/* Returns false when the output is lost, so that more work would be for nothing. */
static bool write_round(sketch_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        item *it = &run->round[i];
        if (!stop_requested && !run->lost) run->code = graver(run->code, write_item(run, it));
        stemma_sketch_free(it->sketch);
        free(it->name);
    }
    return flush_output() && !run->lost;
}

/* A bundle that lacks documents which cannot be read is still wanted; one that lost its writing is not. */
static enum exit_code close_bundle(sketch_run *run) {
    const char *path = run->options->output;
    stemma_error error;
    enum exit_code code = EXIT_DONE;
    if (stop_requested || run->lost || run->written == 0) {
        stemma_writer_abandon(run->bundle);
    } else if (stemma_writer_close(run->bundle, &error)) {
        run->lost = true;
        code = complain_of(&error);
    } else {
        report_written(run->options, path);
        return EXIT_DONE;
    }
    if (stop_requested) return EXIT_INTERRUPTED;
    if (run->lost)
        complain("nothing was written to '%s'", path);
    else if (run->named)
        complain("nothing was written to '%s': there is no sketch to put into it", path);
    return code;
}

/* ---- the command ---- */

static enum exit_code check_standard_input(const options *o) {
    bool used = o->files_from && !strcmp(o->files_from, "-");
    for (size_t i = 0; i < o->operand_count; i++) {
        if (strcmp(o->operands[i], "-")) continue;
        if (used) return wrong_use("sketch", "standard input can be read only once");
        if (!o->output && !o->json)
            return wrong_use("sketch", "a sketch of standard input needs -o FILE or --json");
        used = true;
    }
    return EXIT_DONE;
}

static enum exit_code check_use(const options *o) {
    if (o->operand_count == 0 && !o->files_from) return wrong_use("sketch", "no documents were given");
    if (o->null_separated && !o->files_from) return wrong_use("sketch", "-0 is for --files-from");
    if ((o->output != NULL) + (o->directory != NULL) + o->json > 1)
        return wrong_use("sketch", "only one of -o, -d and --json");
    if (o->output && !strcmp(o->output, "-"))
        return wrong_use("sketch", "--output takes a file, not '-'; for standard output there is --json");
    return check_standard_input(o);
}

/* Said once, before the work. */
static enum exit_code check_directory(const char *directory) {
    struct stat info;
    if (stat(directory, &info)) {
        complain("cannot write into the directory '%s': %s", directory, cause_text(errno));
        return EXIT_WRONG;
    }
    if (S_ISDIR(info.st_mode)) return EXIT_DONE;
    complain("cannot write into '%s': it is not a directory", directory);
    return EXIT_WRONG;
}

static enum exit_code open_outputs(sketch_run *run) {
    const options *o = run->options;
    stemma_error error;
    if (o->directory) return check_directory(o->directory);
    if (!o->output) return EXIT_DONE;
    if (!may_write(o, o->output)) return EXIT_WRONG;
    return stemma_writer_open(o->output, &run->bundle, &error) ? complain_of(&error) : EXIT_DONE;
}

static void sketch_rounds(sketch_run *run) {
    run->round = need_memory(round_size(run->threads) * sizeof *run->round);
    bool heard = true;
    while (heard && !stop_requested && read_round(run)) {
        parallel_for(run->count, run->threads, sketch_item, run);
        heard = write_round(run);
    }
    free(run->round);
}

static enum exit_code run_with_recipe(sketch_run *run) {
    const options *o = run->options;
    enum exit_code code =
        o->files_from ? names_open(&run->names, o->files_from, o->null_separated) : EXIT_DONE;
    if (code) return code;
    code = open_outputs(run);
    if (!code) sketch_rounds(run);
    if (run->bundle) code = graver(code, close_bundle(run));
    if (o->files_from) code = graver(code, names_close(&run->names));
    tdestroy(run->taken, taken_free);
    tdestroy(run->seen, free);
    code = graver(code, run->code);
    if (!code && !run->named && !stop_requested) return wrong_use("sketch", "no documents were given");
    return code;
}

/* A pipe is read by the main thread, where an interruption ends the waiting. */
static unsigned threads_for(const options *o) {
    struct stat info;
    for (size_t i = 0; i < o->operand_count; i++)
        if (stat(o->operands[i], &info) || !S_ISREG(info.st_mode)) return 1;
    return worker_count(o->threads);
}

static enum exit_code run(const options *o) {
    sketch_run run = {.options = o, .threads = threads_for(o)};
    enum exit_code code = check_use(o);
    if (!code) code = recipe_from_options(o, "sketch", &run.recipe);
    if (code) return code;
    run.limits = limits_from(o);
    code = run_with_recipe(&run);
    stemma_recipe_free(run.recipe);
    return code;
}

const command command_sketch = {
    .name = "sketch",
    .mask = IN_SKETCH,
    .summary = "keep small samples of documents, to compare later",
    .usage = "[OPTION]... DOCUMENT...\n[OPTION]... --files-from=FILE",
    .purpose =
        "Writes a sketch of each document: DOCUMENT.sketch beside it, or in the directory of -d, or all in one "
        "bundle with -o, or as JSON lines with --json. The names of the files written are printed. Sketches are "
        "compared by 'stemma compare', without the documents. A document that cannot be read is reported, and "
        "the others are still done. '-' is standard input.",
    .examples = "  stemma sketch report.txt\n"
                "  stemma sketch -o all.sketch *.txt\n"
                "  stemma sketch --scheme=mod -n 64 --scheme=simhash --bits=64 a.txt\n"
                "  find . -name '*.txt' -print0 | stemma sketch -0 --files-from=- -o all.sketch\n"
                "  stemma sketch --json a.txt\n",
    .see_also = "stemma-sketch(1), stemma-compare(1), stemma-recipe(7)",
    .run = run,
};

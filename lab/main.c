/*
 * stemma-lab - the experiments of the papers, with our numbers beside theirs.
 *
 *   stemma-lab list
 *   stemma-lab run [--full] [--seed S] [--corpus FOLDER] [--out FOLDER] [--threads N] [NAME...]
 *   stemma-lab report [--html FILE] [--markdown FOLDER] [FOLDER]
 */
#include "lab.h"
#include "origin.h"
#include "report.h"
#include "results.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { EXIT_DONE = 0, EXIT_NO = 1, EXIT_WRONG = 2, EXIT_MACHINE = 3 };

static const char usage[] =
    "Usage: stemma-lab list\n"
    "       stemma-lab run [OPTION]... [EXPERIMENT]...\n"
    "       stemma-lab report [OPTION]... [FOLDER]\n\n"
    "The experiments of five papers on near-duplicate documents, with our numbers beside theirs.\n\n"
    "run (all experiments, or those named or whose names begin so):\n"
    "  --full            sizes as in the papers or larger, 5 GB on disk; default: within minutes\n"
    "  --seed S          another draw of everything that is random; 1\n"
    "  --corpus FOLDER   real documents, as lab/corpora fetches them, or any text files; default: generated\n"
    "  --out FOLDER      where the tables go; lab-results\n"
    "  --threads N       experiments at the same time; as many as there are processors\n"
    "report (of the tables in FOLDER; lab-results):\n"
    "  --html FILE       one page that needs nothing else; FOLDER/report.html\n"
    "  --markdown FOLDER README.md, with pictures beside it\n"
    "-h, --help shows this, also after run or report; --version the version.\n\n"
    "Exit: 0 done, 1 something that must hold does not, 2 wrong use, 3 the machine failed.\n";

struct arguments {
    struct lab lab;
    const char *folder, *html, *markdown;
    unsigned threads;
    char **names;
    int name_count;
};

/* One line, and where to read on. */
__attribute__((format(printf, 1, 2))) static int wrong_use(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("stemma-lab: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nTry 'stemma-lab --help'.\n", stderr);
    va_end(arguments);
    return EXIT_WRONG;
}

static int complain(const stemma_error *error) {
    fprintf(stderr, "stemma-lab: %s\n", error->message);
    return error->status < STEMMA_NO_MEMORY || error->status >= STEMMA_UNREADABLE ? EXIT_WRONG : EXIT_MACHINE;
}

/* ---- list ---- */

static int list(void) {
    const char *paper = "";
    int width = 0;
    for (size_t i = 0; i < experiment_count; i++)
        if ((int)strlen(experiments[i]->place) > width) width = (int)strlen(experiments[i]->place);
    for (size_t i = 0; i < experiment_count; i++) {
        const struct experiment *e = experiments[i];
        if (strcmp(paper, e->paper)) printf("%s%s\n", i ? "\n" : "", paper_title(e->paper));
        paper = e->paper;
        printf("  %-20s %-*s  %s\n", e->name, width, e->place, e->title);
    }
    return EXIT_DONE;
}

/* ---- run ---- */

struct run {
    const struct arguments *arguments;
    bool timed; /* this time those whose times count */
    atomic_size_t next;
    atomic_int code; /* the gravest exit code */
    bool *made;      /* by the places of experiments: whose tables are there */
};

static void raise_code(struct run *run, int code) {
    int now = atomic_load(&run->code);
    while (code > now && !atomic_compare_exchange_weak(&run->code, &now, code)) {
    }
}

static bool wanted(const struct arguments *arguments, const struct experiment *experiment) {
    for (int i = 0; i < arguments->name_count; i++)
        if (!strncmp(experiment->name, arguments->names[i], strlen(arguments->names[i]))) return true;
    return !arguments->name_count;
}

static void remark_run(struct table *table, const struct experiment *experiment, const struct lab *lab) {
    table_remark(table, "experiment %s", experiment->name);
    table_remark(table, "stemma %s", stemma_version());
    table_remark(table, "size %s", lab->full ? "full" : "quick");
    table_remark(table, "seed %llu", (unsigned long long)lab->seed);
}

/* Of times alone: data tables stay the same on every machine and every day. */
static void remark_machine(struct table *times) {
    char date[40], machine[400];
    today(date, sizeof date);
    this_machine(machine, sizeof machine);
    table_remark(times, "date %s", date);
    table_remark(times, "machine %s", machine);
}

static stemma_status keep_tables(struct results *results, const char *folder, stemma_error *err) {
    char path[4200];
    TRY(table_finish(&results->data, err));
    table_path(folder, results->experiment->name, false, path, sizeof path);
    TRY(table_write(&results->data, path, err));
    if (!results->times.text.len) return STEMMA_OK;
    TRY(table_finish(&results->times, err));
    table_path(folder, results->experiment->name, true, path, sizeof path);
    return table_write(&results->times, path, err);
}

static stemma_status run_one(const struct arguments *arguments, struct results *results, stemma_error *err) {
    const struct experiment *e = results->experiment;
    remark_run(&results->data, e, &arguments->lab);
    remark_run(&results->times, e, &arguments->lab);
    remark_machine(&results->times);
    TRY(e->run(&arguments->lab, &results->data, &results->times, err));
    TRY(keep_tables(results, arguments->folder, err));
    TRY(paper_values(e->name, &results->paper, err));
    results_judge(results);
    return STEMMA_OK;
}

static void print_results(const struct results *results, double seconds) {
    static const char *const signs[] = {"note", "ok", "differs", "FAILS"};
    flockfile(stdout);
    printf("%s (%.1f s)\n", results->experiment->name, seconds);
    for (unsigned i = 0; i < results->verdict.count; i++)
        printf("  %-8s%s\n", signs[results->verdict.points[i].finding], results->verdict.points[i].text);
    fflush(stdout);
    funlockfile(stdout);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_experiment(struct run *run, size_t place) {
    const struct experiment *experiment = experiments[place];
    struct results results = {.experiment = experiment};
    stemma_error error = {0};
    double begin = seconds_now();
    if (run_one(run->arguments, &results, &error) == STEMMA_OK) {
        run->made[place] = true;
        print_results(&results, seconds_now() - begin);
        if (verdict_of(&results.verdict) == FINDING_FAILS) raise_code(run, EXIT_NO);
    } else {
        fprintf(stderr, "stemma-lab: %s: %s\n", experiment->name, error.message);
        raise_code(run, error.status < STEMMA_NO_MEMORY || error.status >= STEMMA_UNREADABLE ? EXIT_WRONG
                                                                                             : EXIT_MACHINE);
    }
    results_release(&results);
}

static void work(void *context, unsigned worker) {
    struct run *run = context;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&run->next, 1)) < experiment_count;)
        if (experiments[i]->timed == run->timed && wanted(run->arguments, experiments[i]))
            run_experiment(run, i);
}

static bool is_begin(const char *name) {
    for (size_t i = 0; i < experiment_count; i++)
        if (*name && !strncmp(experiments[i]->name, name, strlen(name))) return true;
    return false;
}

/* With those that have the word elsewhere: "crawl" may mean "broder-crawl". */
static void complain_of_name(const char *name) {
    const char *lead = "; perhaps";
    fprintf(stderr, "stemma-lab: no experiment has a name that begins with '%s'", name);
    for (size_t i = 0; i < experiment_count; i++) {
        if (!*name || !strstr(experiments[i]->name, name)) continue;
        fprintf(stderr, "%s %s", lead, experiments[i]->name);
        lead = " or";
    }
    fputs("\nTry 'stemma lab list'.\n", stderr);
}

static bool names_known(const struct arguments *arguments) {
    for (int i = 0; i < arguments->name_count; i++)
        if (!is_begin(arguments->names[i])) return complain_of_name(arguments->names[i]), false;
    return true;
}

/* Said once, before every experiment says it. */
static bool corpus_there(const char *corpus) {
    struct stat info;
    stemma_error error;
    if (!corpus) return true;
    bool there = !stat(corpus, &info);
    if (there && S_ISDIR(info.st_mode)) return true;
    fail_errno(&error, "read the folder", corpus, there ? ENOTDIR : errno);
    complain(&error);
    return false;
}

static int run_wanted(struct run *run) {
    stemma_error error;
    threads_run(thread_count(run->arguments->threads), work, run);
    run->timed = true;
    atomic_store(&run->next, 0);
    work(run, 0);
    if (origins_note(run->arguments->folder, run->made, &error) != STEMMA_OK)
        raise_code(run, complain(&error));
    return atomic_load(&run->code);
}

static int run(const struct arguments *arguments) {
    stemma_error error;
    if (!names_known(arguments) || !corpus_there(arguments->lab.corpus)) return EXIT_WRONG;
    if (mkdir(arguments->folder, 0777) && errno != EEXIST) {
        fail_errno(&error, "make", arguments->folder, errno);
        return complain(&error);
    }
    struct run run = {.arguments = arguments, .made = mem_zero(experiment_count, sizeof *run.made)};
    if (!run.made) return fail_memory(&error), complain(&error);
    int code = run_wanted(&run);
    mem_free(run.made);
    return code;
}

/* ---- report ---- */

static int report(const struct arguments *arguments) {
    stemma_error error = {0};
    char beside[4200];
    snprintf(beside, sizeof beside, "%s/report.html", arguments->folder);
    const char *html = arguments->html ? arguments->html : arguments->markdown ? NULL : beside;
    if (html && report_html(arguments->folder, html, &error) != STEMMA_OK) return complain(&error);
    if (html) printf("%s\n", html);
    if (arguments->markdown && report_markdown(arguments->folder, arguments->markdown, &error) != STEMMA_OK)
        return complain(&error);
    if (arguments->markdown) printf("%s/README.md\n", arguments->markdown);
    return EXIT_DONE;
}

/* ---- arguments ---- */

static bool number_of(const char *option, const char *text, uint64_t most, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value > most) {
        wrong_use("%s takes a number up to %llu, not '%s'", option, (unsigned long long)most, text);
        return false;
    }
    *out = value;
    return true;
}

static bool parse(int argc, char **argv, struct arguments *out) {
    static const struct option known[] = {
        {"full", no_argument, NULL, 'f'},           {"seed", required_argument, NULL, 's'},
        {"corpus", required_argument, NULL, 'c'},   {"out", required_argument, NULL, 'o'},
        {"threads", required_argument, NULL, 't'},  {"html", required_argument, NULL, 'h'},
        {"markdown", required_argument, NULL, 'm'}, {NULL, 0, NULL, 0}};
    uint64_t value;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        switch (option) {
        case 'f':
            out->lab.full = true;
            break;
        case 's':
            if (!number_of("--seed", optarg, UINT64_MAX, &out->lab.seed)) return false;
            break;
        case 'c':
            out->lab.corpus = optarg;
            break;
        case 'o':
            out->folder = optarg;
            break;
        case 't':
            if (!number_of("--threads", optarg, THREADS_MOST, &value)) return false;
            out->threads = (unsigned)value;
            break;
        case 'h':
            out->html = optarg;
            break;
        case 'm':
            out->markdown = optarg;
            break;
        case ':':
            wrong_use("%s needs a value", argv[optind - 1]);
            return false;
        default:
            wrong_use("unknown option '%s'", argv[optind - 1]);
            return false;
        }
    }
    out->names = argv + optind;
    out->name_count = argc - optind;
    return true;
}

/* Wherever it stands: 'stemma lab run --help' is what people try first. */
static bool asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return true;
    return argc > 1 && !strcmp(argv[1], "help");
}

int main(int argc, char **argv) {
    struct arguments arguments = {.lab = {.seed = 1}, .folder = "lab-results"};
    const char *command = argc > 1 ? argv[1] : "";
    if (asks_for_help(argc, argv)) return fputs(usage, stdout), EXIT_DONE;
    if (!strcmp(command, "--version")) return printf("stemma-lab %s\n", stemma_version()), EXIT_DONE;
    if (!strcmp(command, "list") && argc == 2) return list();
    bool runs = !strcmp(command, "run"), reports = !strcmp(command, "report");
    if (!*command) return wrong_use("a command is needed: list, run or report");
    if (!strcmp(command, "list")) return wrong_use("list takes nothing else");
    if (!runs && !reports && is_begin(command))
        return wrong_use("'%s' names experiments: try 'stemma lab run %s'", command, command);
    if (!runs && !reports) return wrong_use("unknown command '%s': list, run or report", command);
    if (!parse(argc - 1, argv + 1, &arguments)) return EXIT_WRONG;
    if (runs) return run(&arguments);
    if (arguments.name_count > 1) return wrong_use("report takes one folder");
    if (arguments.name_count) arguments.folder = arguments.names[0];
    return report(&arguments);
}

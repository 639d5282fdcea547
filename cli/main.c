/*
 * stemma - the command line: finds the command, reads its options, runs it.
 *
 * Includes only stemma.h of the library. One cmd_*.c per command; options come from one table.
 */
#include "command.h"
#include "warnings.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

volatile int stop_requested;

const command *const command_list[COMMAND_COUNT] = {
#define COMMAND_PLACE(BIT, name) &command_##name,
    COMMAND_LIST(COMMAND_PLACE)
#undef COMMAND_PLACE
};

const command *command_named(const char *name) {
    for (size_t i = 0; name && i < COMMAND_COUNT; i++)
        if (!strcmp(command_list[i]->name, name)) return command_list[i];
    return NULL;
}

static void request_stop(int signal_number) {
    (void)signal_number;
    stop_requested = 1;
}

/* The second signal of its kind kills: a program that does not end is worse than one that ends badly. */
static void watch_signals(void) {
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

stemma_limits limits_from(const options *o) {
    stemma_limits limits = stemma_limits_default();
    if (o->memory) limits.memory = o->memory;
    limits.stop = &stop_requested;
    limits.encoding = o->encoding;
    limits.most_unpacked = o->unpacked;
    limits.warn = warn_of_document;
    limits.text_field = o->text_field;
    limits.id_field = o->id_field;
    return limits;
}

enum exit_code unknown_command(const char *name) {
    const char *known[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) known[i] = command_list[i]->name;
    const char *near = nearest_word(name, known, COMMAND_COUNT);
    if (near) return wrong_use(NULL, "unknown command '%s'; did you mean '%s'?", name, near);
    return wrong_use(NULL, "unknown command '%s'", name);
}

static enum exit_code print_version(void) {
    printf("stemma %s\n", stemma_version());
    return EXIT_DONE;
}

static enum exit_code run_command(const command *c, int argc, char **argv) {
    options o;
    if (c->start) return c->start(argv);
    if (!options_parse(&o, c->name, c->mask, argc, argv)) return EXIT_WRONG;
    if (o.help) {
        help_of_command(c);
        return EXIT_DONE;
    }
    return o.version ? print_version() : c->run(&o);
}

/* Without a command there are only --help and --version, which `help` knows. */
static enum exit_code run_program(int argc, char **argv) {
    options o;
    if (argc > 1 && !strcmp(argv[1], "version")) return print_version();
    if (argc > 1 && argv[1][0] != '-') {
        const command *c = command_named(argv[1]);
        return c ? run_command(c, argc - 1, argv + 1) : unknown_command(argv[1]);
    }
    if (!options_parse(&o, NULL, IN_HELP, argc, argv)) return EXIT_WRONG;
    if (o.version) return print_version();
    if (!o.help) {
        complain("a command is needed");
        help_in_brief(stderr);
        return EXIT_WRONG;
    }
    help_of_program();
    return EXIT_DONE;
}

/* Large pieces go back to the system when they are freed. Left to itself the allocator of glibc keeps ever
 * larger ones for the next, in holes that the next does not fit into: a long `add` took a third more memory
 * than a short one. */
static void bound_allocator(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
#endif
}

int main(int argc, char **argv) {
    bound_allocator();
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is then a write error, noticed in one place, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
    watch_signals();
    enum exit_code code = run_program(argc, argv);
    if (!stop_requested) code = graver(code, finish_output());
    if (stop_requested) { /* what is unwritten may wait for a reader for ever, also where _exit is wrapped */
        __fpurge(stdout);
        _exit(EXIT_INTERRUPTED);
    }
    return (int)code;
}

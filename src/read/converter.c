#include "read/converter.h"

#include "base/alloc.h"
#include "base/file.h"
#include "read/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    FILES_MOST =
        64, /* descriptors of the child; the program itself is open above, where it can never open another */
    PATIENCE = 100,   /* milliseconds between two looks at whether to stop */
    PIECE = 1 << 16,  /* bytes */
    NOT_STARTED = 127 /* exit code of a child that could not become the program */
};

/* ---- finding the program ---- */

static int open_program_at(const char *path) {
    int fd = access(path, X_OK) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, FILES_MOST), cause = errno;
    close(fd);
    errno = cause;
    return high;
}

/* Whether errno says that there is no such program, and not that it cannot be opened now. */
static bool is_missing(void) {
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ENAMETOOLONG || errno == ELOOP;
}

/* -1 and errno where it fails. Folders that are not named in full do not count: nobody is to find a program
 * where documents lie. */
static int open_program(const char *name) {
    const char *at = getenv("PATH");
    char path[4096];
    if (strchr(name, '/')) return open_program_at(name);
    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        bool looks = *at == '/' && size < (int)sizeof path;
        int fd = looks ? open_program_at(path) : -1;
        if (fd >= 0 || (looks && !is_missing())) return fd;
        at += length;
    }
    errno = ENOENT;
    return -1;
}

/* ---- the child ---- */

struct run {
    const struct converter *converter;
    const struct reading_limits *limits;
    int program, input;
    int output[2], words[2]; /* pipes: the end to read, the end to write */
    struct sandbox sandbox;
    const char *arguments[10];
    pid_t child;
    struct timespec deadline;
};

static unsigned seconds_most(const struct reading_limits *limits) {
    return limits->converter_seconds ? limits->converter_seconds : CONVERTER_SECONDS;
}

static size_t memory_most(const struct reading_limits *limits) {
    return limits->converter_memory ? limits->converter_memory : CONVERTER_MEMORY;
}

static bool set_limit(int resource, rlim_t most) {
    struct rlimit limit = {most, most};
    return !setrlimit((__rlimit_resource_t)resource, &limit);
}

static bool limit_resources(const struct reading_limits *limits) {
    return set_limit(RLIMIT_CPU, seconds_most(limits) + 1) && set_limit(RLIMIT_AS, memory_most(limits)) &&
           set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_NOFILE, FILES_MOST);
}

static bool take_descriptors(const struct run *run) {
    bool done = dup2(run->input, STDIN_FILENO) >= 0 && dup2(run->output[1], STDOUT_FILENO) >= 0 &&
                dup2(run->words[1], STDERR_FILENO) >= 0;
    /* ours close by themselves; this is for those that others in this process have open */
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
    return done;
}

static void unblock_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Between fork and exec: nothing but system calls, since other threads may hold any lock. */
static _Noreturn void become_program(const struct run *run) {
    static char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
    unblock_signals();
    bool ready = !setpgid(0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL) && !chdir("/") &&
                 take_descriptors(run) && limit_resources(run->limits) && sandbox_enter(&run->sandbox);
    if (ready)
        syscall(SYS_execveat, run->program, "", (char *const *)run->arguments, environment, AT_EMPTY_PATH);
    _exit(NOT_STARTED);
}

/* ---- what goes in ---- */

/* Descriptors below 3 would be in the way of the child's own. */
static int out_of_the_way(int fd) {
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
}

static stemma_status make_input(struct run *run, const uint8_t *bytes, size_t size, stemma_error *err) {
    run->input = out_of_the_way(memfd_create("document", MFD_CLOEXEC));
    int error = run->input < 0 ? errno : write_all(run->input, bytes, size);
    if (!error && lseek(run->input, 0, SEEK_SET) != 0) error = errno;
    return error ? fail(err, STEMMA_NO_MEMORY, "cannot hand the document to %s: %s", run->converter->program,
                        strerror(error))
                 : STEMMA_OK;
}

static bool make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC)) {
        ends[0] = ends[1] = -1;
        return false;
    }
    for (int i = 0; i < 2; i++) ends[i] = out_of_the_way(ends[i]);
    return ends[0] >= 0 && ends[1] >= 0;
}

static void close_one(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static stemma_status start(struct run *run, stemma_error *err) {
    if (!make_pipe(run->output) || !make_pipe(run->words))
        return fail(err, STEMMA_NO_MEMORY, "cannot start %s: %s", run->converter->program, strerror(errno));
    TRY(sandbox_init(&run->sandbox, run->program, err));
    run->arguments[0] = run->converter->program;
    memcpy(run->arguments + 1, run->converter->arguments, sizeof run->converter->arguments);
    clock_gettime(CLOCK_MONOTONIC, &run->deadline);
    run->deadline.tv_sec += seconds_most(run->limits);
    run->child = fork();
    if (run->child == 0) become_program(run);
    if (run->child < 0)
        return fail(err, STEMMA_NO_MEMORY, "cannot start %s: %s", run->converter->program, strerror(errno));
    close_one(&run->output[1]);
    close_one(&run->words[1]);
    close_one(&run->input);
    return STEMMA_OK;
}

/* ---- what comes out ---- */

/* Milliseconds until the deadline; 0: it has passed. */
static int time_left(const struct run *run) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long left =
        (run->deadline.tv_sec - now.tv_sec) * 1000LL + (run->deadline.tv_nsec - now.tv_nsec) / 1000000;
    return left < 0 ? 0 : left > PATIENCE ? PATIENCE : (int)left;
}

static stemma_status check_time(const struct run *run, stemma_error *err) {
    TRY(check_stop(run->limits->stop, err));
    if (time_left(run) > 0) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "%s takes longer than %u seconds", run->converter->program,
                seconds_most(run->limits));
}

/* The next bytes of a pipe; it is closed at its end. */
static size_t read_some(int *fd, uint8_t *bytes, size_t size) {
    ssize_t got = read(*fd, bytes, size);
    if (got == 0 || (got < 0 && errno != EINTR)) close_one(fd);
    return got > 0 ? (size_t)got : 0;
}

static stemma_status take_output(struct run *run, size_t most, struct buf *out, stemma_error *err) {
    if (!buf_reserve(out, PIECE)) return fail_memory(err);
    out->len += read_some(&run->output[0], out->data + out->len, PIECE);
    if (out->len <= most) return STEMMA_OK;
    return fail(err, TEXT_TOO_LONG, "its text is longer than %zu bytes: allow more memory", most);
}

/* What it says, as far as there is room: the line that begins at `line` may turn out to be chatter. */
struct said {
    char *words; /* [CONVERTER_WORDS] */
    size_t size, line;
};

static void end_line(struct said *said, const char *chatter) {
    said->words[said->size] = '\0';
    if (chatter && !strncmp(said->words + said->line, chatter, strlen(chatter))) said->size = said->line;
    if (said->size > said->line && said->size < CONVERTER_WORDS - 1) said->words[said->size++] = '\n';
    said->words[said->size] = '\0';
    said->line = said->size;
}

static void take_words(struct run *run, struct said *said) {
    uint8_t piece[1024];
    size_t got = read_some(&run->words[0], piece, sizeof piece);
    for (size_t i = 0; i < got; i++)
        if (piece[i] == '\n')
            end_line(said, run->converter->chatter);
        else if (said->size < CONVERTER_WORDS - 1)
            said->words[said->size++] = (char)(piece[i] < ' ' || piece[i] > '~' ? '?' : piece[i]);
    said->words[said->size] = '\0'; /* it may be stopped before the line ends */
    if (run->words[0] < 0) end_line(said, run->converter->chatter);
}

static stemma_status collect(struct run *run, size_t most, struct buf *out, char words[CONVERTER_WORDS],
                             stemma_error *err) {
    struct said said = {.words = words};
    while (run->output[0] >= 0 || run->words[0] >= 0) {
        struct pollfd pipes[2] = {{.fd = run->output[0], .events = POLLIN},
                                  {.fd = run->words[0], .events = POLLIN}};
        TRY(check_time(run, err));
        if (poll(pipes, 2, time_left(run)) <= 0) continue;
        if (pipes[0].revents) TRY(take_output(run, most, out, err));
        if (pipes[1].revents) take_words(run, &said);
    }
    return STEMMA_OK;
}

/* ---- how it ended ---- */

/* It has closed what it wrote to, so it is about to end, or never will. */
static stemma_status await(struct run *run, int *ending, stemma_error *err) {
    for (int pause = 1;; pause = pause < PATIENCE ? 2 * pause : pause) {
        pid_t ended = waitpid(run->child, ending, WNOHANG);
        if (ended != 0) {
            run->child = 0;
            return ended > 0 ? STEMMA_OK : fail(err, STEMMA_CORRUPT, "%s was lost", run->converter->program);
        }
        TRY(check_time(run, err));
        poll(NULL, 0, pause);
    }
}

static void kill_child(struct run *run) {
    int ending;
    if (run->child <= 0) return;
    kill(-run->child, SIGKILL); /* its group, where it has made one already */
    kill(run->child, SIGKILL);
    while (waitpid(run->child, &ending, 0) < 0 && errno == EINTR) {
    }
    run->child = 0;
}

/* A signal comes mostly of memory that was refused, or of a crash; the time it may compute is nearly that of
 * the clock. */
static stemma_status judge(const struct run *run, int ending, const char *words, stemma_error *err) {
    const char *program = run->converter->program;
    int length = (int)strcspn(words, "\n");
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0) return STEMMA_OK;
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == NOT_STARTED)
        return fail(err, STEMMA_UNSUPPORTED, "%s cannot be run under limits on this system", program);
    if (length) return fail(err, STEMMA_CORRUPT, "%s says: %.*s", program, length, words);
    if (WIFSIGNALED(ending))
        return fail(err, STEMMA_CORRUPT, "%s crashed (signal %d), within %zu MB of memory", program,
                    WTERMSIG(ending), memory_most(run->limits) >> 20);
    return fail(err, STEMMA_CORRUPT, "%s failed (exit %d)", program, WEXITSTATUS(ending));
}

static stemma_status run_through(struct run *run, const uint8_t *bytes, size_t size, struct buf *out,
                                 char words[CONVERTER_WORDS], stemma_error *err) {
    int ending = 0;
    TRY(make_input(run, bytes, size, err));
    TRY(start(run, err));
    TRY(collect(run, reading_text_most(run->limits), out, words, err));
    TRY(await(run, &ending, err));
    return judge(run, ending, words, err);
}

stemma_status converter_run(const struct converter *converter, const uint8_t *bytes, size_t size,
                            const struct reading_limits *limits, struct buf *out, char words[CONVERTER_WORDS],
                            stemma_error *err) {
    struct run run = {.converter = converter,
                      .limits = limits,
                      .program = open_program(converter->program),
                      .input = -1,
                      .output = {-1, -1},
                      .words = {-1, -1}};
    words[0] = '\0';
    if (run.program < 0)
        return is_missing()
                   ? fail(err, STEMMA_UNSUPPORTED, "%s", converter->advice)
                   : fail(err, STEMMA_NO_MEMORY, "cannot start %s: %s", converter->program, strerror(errno));
    stemma_status status = run_through(&run, bytes, size, out, words, err);
    kill_child(&run);
    for (int i = 0; i < 2; i++) {
        close_one(&run.output[i]);
        close_one(&run.words[i]);
    }
    close_one(&run.input);
    close_one(&run.program);
    sandbox_release(&run.sandbox);
    return status;
}

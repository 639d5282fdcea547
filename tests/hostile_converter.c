/*
 * A converter as a hostile document would make it.     hostile_converter WHAT
 *
 * What the system refuses it says on standard output, so that the test sees that it was tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const char *what, long result) {
    printf("%s: %s\n", what, result < 0 && (errno == EPERM || errno == EMFILE) ? "refused" : "done");
}

static void copy_input(void) {
    char piece[4096];
    ssize_t got;
    while ((got = read(STDIN_FILENO, piece, sizeof piece)) > 0) fwrite(piece, 1, (size_t)got, stdout);
}

static void try_everything(const char *victim) {
    char *arguments[] = {"sh", "-c", "echo started", NULL};
    tell("read", open("/etc/passwd", O_RDONLY));
    tell("write", open(victim, O_WRONLY));
    tell("create", open("made-by-a-converter", O_WRONLY | O_CREAT, 0600));
    tell("temporary", open("/tmp", O_TMPFILE | O_RDWR, 0600));
    tell("unlink", unlink(victim));
    tell("rename", rename(victim, "renamed-by-a-converter"));
    tell("mkdir", mkdir("made-by-a-converter", 0700));
    tell("chmod", chmod(victim, 0));
    tell("socket", socket(AF_INET, SOCK_STREAM, 0));
    tell("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    tell("fork", fork());
    tell("exec", execv("/bin/sh", arguments));
    tell("kill", kill(getppid(), SIGKILL));
    tell("limits", setrlimit(RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
}

static void eat_memory(void) {
    for (size_t piece = (size_t)1 << 24;;) {
        char *memory = malloc(piece);
        if (!memory) abort();
        memset(memory, 1, piece);
    }
}

static void crash(void) {
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static void open_many(void) {
    int fd = 0, most = 0;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0) most = fd;
    printf("%d", most);
}

static void flood(int fd) {
    char piece[4096];
    memset(piece, 'x', sizeof piece);
    while (write(fd, piece, sizeof piece) > 0) {
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(what, "copy")) copy_input();
    if (!strcmp(what, "try")) try_everything(argv[2]);
    if (!strcmp(what, "hang"))
        for (;;) pause();
    if (!strcmp(what, "spin"))
        for (volatile int i = 0;; i++) {
        }
    if (!strcmp(what, "quiet")) { /* it closes all, and stays */
        for (int fd = 0; fd < 3; fd++) close(fd);
        for (;;) pause();
    }
    if (!strcmp(what, "memory")) eat_memory();
    if (!strcmp(what, "flood")) flood(STDOUT_FILENO);
    if (!strcmp(what, "complain")) flood(STDERR_FILENO);
    if (!strcmp(what, "crash")) crash();
    if (!strcmp(what, "descriptors")) open_many();
    if (!strcmp(what, "environment")) {
        extern char **environ;
        for (char **entry = environ; *entry; entry++) printf("%s\n", *entry);
    }
    if (!strcmp(what, "chat")) { /* more than is kept of it, and something to say in between */
        for (int i = 0; i < 100; i++) fputs("Note: all is well so far, so there is nothing to say\n", stderr);
        fputs("Trouble: in", stderr);
        fputs(" the middle\nNote: the end", stderr);
    }
    if (!strcmp(what, "refuse")) return fputs("bad \033[31mdocument\nmore\n", stderr), 1;
    if (!strcmp(what, "fail")) return 3;
    return 0;
}

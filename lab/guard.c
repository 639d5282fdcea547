#include "guard.h"

#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child, which may do only what is safe beside threads: nobody waits for its output, nothing
 * interrupts it. */
static _Noreturn void keep_watch(int end, const char *folder) {
    char byte;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    if (dup2(end, 0) != 0) _exit(1);
    close_range(1, ~0U, 0);
    ssize_t got;
    do got = read(0, &byte, 1);
    while (got < 0 && errno == EINTR);
    execl("/bin/rm", "rm", "-rf", "--", folder, (char *)NULL);
    _exit(1);
}

static stemma_status start(struct guard *guard, stemma_error *err) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return fail_errno(err, "watch over", guard->folder, errno);
    pid_t child = fork();
    if (child == 0) keep_watch(ends[0], guard->folder);
    int cause = errno;
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return fail_errno(err, "watch over", guard->folder, cause);
    }
    guard->process = child;
    guard->end = ends[1];
    return STEMMA_OK;
}

/* It is watched over before it is there, so that it is never there alone; nobody else can have this name. */
stemma_status guard_folder(struct guard *guard, stemma_error *err) {
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return fail_errno(err, "name a folder in", temporary_directory(NULL), errno);
    snprintf(guard->folder, sizeof guard->folder, "%s/stemma-lab-%016" PRIx64, temporary_directory(NULL),
             random);
    TRY(start(guard, err));
    if (mkdir(guard->folder, 0700) == 0) return STEMMA_OK;
    const int cause = errno;
    guard_release(guard);
    return fail_errno(err, "make a folder in", temporary_directory(NULL), cause);
}

void guard_release(struct guard *guard) {
    if (!guard->process) return;
    close(guard->end);
    while (waitpid(guard->process, NULL, 0) < 0 && errno == EINTR) {
    }
    guard->process = 0;
}

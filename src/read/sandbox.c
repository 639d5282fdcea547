#include "read/sandbox.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a program needs that reads files and writes to what is open already. Names that this machine lacks are
 * left out. */
static const char *const allowed[] = {
    "access",
    "arch_prctl",
    "brk",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "close",
    "close_range",
    "dup",
    "exit",
    "exit_group",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fcntl",
    "fstat",
    "fstat64",
    "fstatfs",
    "futex",
    "getcwd",
    "getdents64",
    "getegid",
    "geteuid",
    "getgid",
    "getpid",
    "getppid",
    "getrandom",
    "getrlimit",
    "getrusage",
    "gettid",
    "gettimeofday",
    "getuid",
    "lseek",
    "lstat",
    "madvise",
    "membarrier",
    "mmap",
    "mmap2",
    "mprotect",
    "mremap",
    "munmap",
    "nanosleep",
    "newfstatat",
    "pread64",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "set_tid_address",
    "sigaltstack",
    "stat",
    "stat64",
    "statfs",
    "statx",
    "sysinfo",
    "time",
    "uname",
    "write",
    "writev",
};

/* Flags with which opening a file could change one. */
#define OPEN_CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | __O_TMPFILE)

static int allow(scmp_filter_ctx filter, const char *name) {
    int number = seccomp_syscall_resolve_name(name);
    int result = number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    return result == -EDOM ? 0 : result; /* a call of other machines */
}

/* Only with arguments like these. */
static int allow_if(scmp_filter_ctx filter, int number, const struct scmp_arg_cmp *arguments,
                    unsigned count) {
    int result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, arguments);
    return result == -EDOM ? 0 : result;
}

static int add_rules(scmp_filter_ctx filter, int program) {
    const struct scmp_arg_cmp start[] = {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)program, 0),
                                         SCMP_A4(SCMP_CMP_EQ, AT_EMPTY_PATH, 0)},
                              openat_reading[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_CHANGES, 0)},
                              open_reading[] = {SCMP_A1(SCMP_CMP_MASKED_EQ, OPEN_CHANGES, 0)},
                              ask_terminal[] = {SCMP_A1(SCMP_CMP_EQ, TCGETS, 0)},
                              ask_limits[] = {SCMP_A0(SCMP_CMP_EQ, 0, 0), SCMP_A2(SCMP_CMP_EQ, 0, 0)};
    int result = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !result; i++)
        result = allow(filter, allowed[i]);
    if (!result) result = allow_if(filter, SCMP_SYS(execveat), start, 2);
    if (!result) result = allow_if(filter, SCMP_SYS(openat), openat_reading, 1);
    if (!result) result = allow_if(filter, SCMP_SYS(open), open_reading, 1);
    if (!result) result = allow_if(filter, SCMP_SYS(ioctl), ask_terminal, 1);
    if (!result) result = allow_if(filter, SCMP_SYS(prlimit64), ask_limits, 2);
    return result;
}

/* The library's only way to hand the code out is a file. */
static stemma_status export_code(scmp_filter_ctx filter, struct sandbox *sandbox, stemma_error *err) {
    struct stat info;
    int fd = memfd_create("filter", MFD_CLOEXEC);
    if (fd < 0)
        return fail(err, STEMMA_NO_MEMORY, "cannot make a filter of system calls: %s", strerror(errno));
    bool done = !seccomp_export_bpf(filter, fd) && !fstat(fd, &info);
    sandbox->code = done ? mem_alloc((size_t)info.st_size) : NULL;
    done = sandbox->code && pread(fd, sandbox->code, (size_t)info.st_size, 0) == info.st_size;
    close(fd);
    if (done) sandbox->count = (unsigned short)((size_t)info.st_size / sizeof *sandbox->code);
    return done ? STEMMA_OK : fail_memory(err);
}

stemma_status sandbox_init(struct sandbox *sandbox, int program, stemma_error *err) {
    *sandbox = (struct sandbox){0};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter) return fail_memory(err);
    stemma_status status =
        add_rules(filter, program) == 0
            ? export_code(filter, sandbox, err)
            : fail(err, STEMMA_UNSUPPORTED, "this system cannot filter the calls of a converter");
    seccomp_release(filter);
    if (status != STEMMA_OK) sandbox_release(sandbox);
    return status;
}

void sandbox_release(struct sandbox *sandbox) {
    mem_free(sandbox->code);
    sandbox->code = NULL;
}

bool sandbox_enter(const struct sandbox *sandbox) {
    struct sock_fprog program = {sandbox->count, sandbox->code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

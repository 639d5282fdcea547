/*
 * Acting on files, held against a model: random trees, each action, cut off before every system call in turn,
 * or with that call failing, or with files that change in between. Afterwards every content is still there,
 * what was no target is as it was, and undoing (which is cut off, too) restores the tree.
 *
 * The linker puts the __wrap_ functions before the real ones, as in test_faults.c. What is cut off runs in a
 * child.
 */
#include "base/rng.h"
#include "effort.h"
#include "stemma.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t seed = 1;

/* ---- calls that do not come back, or fail ---- */

enum fate { NOTHING, KILL, FAIL, REFUSE }; /* REFUSE: an allocation */
static struct {
    enum fate fate;
    long left; /* calls until then */
    long calls;
    int error;
    bool no_rename; /* the file system cannot rename without replacing */
    bool kept_goes; /* while it is written to the disk */
    bool late;      /* a call that fails did what it was to do: of removing a name */
    bool mounted;   /* what is named "again" is seen through another mount */
    bool coarse;    /* the other file system has times of 2 s, and no modes */
} fault = {.error = EIO};

static dev_t near_device; /* of the tree */

static bool fails(void) {
    if (fault.fate == REFUSE) return false;
    fault.calls++;
    if (fault.fate == NOTHING || fault.left-- > 0) return false;
    if (fault.fate == KILL) kill(getpid(), SIGKILL);
    fault.fate = NOTHING;
    errno = fault.error;
    return true;
}

static bool refuses(void) {
    if (fault.fate != REFUSE) return false;
    fault.calls++;
    if (fault.left-- > 0) return false;
    fault.fate = NOTHING;
    return true;
}

#define WRAP(result, name, ...)                                                                              \
    result __real_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__);                                                                       \
    result __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size) {
    return refuses() ? NULL : __real_malloc(size);
}
WRAP(void *, calloc, size_t count, size_t size) {
    return refuses() ? NULL : __real_calloc(count, size);
}
WRAP(void *, realloc, void *old, size_t size) {
    return refuses() ? NULL : __real_realloc(old, size);
}
WRAP(int, openat, int at, const char *path, int flags, mode_t mode) {
    return fails() ? -1 : __real_openat(at, path, flags, mode);
}
WRAP(ssize_t, pread, int fd, void *bytes, size_t size, off_t at) {
    return fails() ? -1 : __real_pread(fd, bytes, size, at);
}
WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t size, off_t at) {
    return fails() ? -1 : __real_pwrite(fd, bytes, size, at);
}
/* A kill or a full disk may leave a part of what was written. */
WRAP(ssize_t, write, int fd, const void *bytes, size_t size) {
    if ((fault.fate == KILL || fault.fate == FAIL) && fault.left == 0 && size > 1)
        __real_write(fd, bytes, size / 2);
    return fails() ? -1 : __real_write(fd, bytes, size);
}
/* No power fails here: nothing has to wait for a disk. */
WRAP(int, fsync, int fd) {
    return fails() ? -1 : fd < 0;
}
WRAP(int, fdatasync, int fd) {
    char link[64], path[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fault.kept_goes) assert_true(readlink(link, path, sizeof path - 1) > 0 && unlink(path) == 0);
    return fails() ? -1 : fd < 0;
}
WRAP(int, linkat, int from_at, const char *from, int to_at, const char *to, int flags) {
    return fails() ? -1 : __real_linkat(from_at, from, to_at, to, flags);
}
WRAP(int, renameat, int from_at, const char *from, int to_at, const char *to) {
    return fails() ? -1 : __real_renameat(from_at, from, to_at, to);
}
WRAP(int, renameat2, int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    if (fault.no_rename) return errno = EINVAL, -1;
    return fails() ? -1 : __real_renameat2(from_at, from, to_at, to, flags);
}
WRAP(int, unlinkat, int at, const char *path, int flags) {
    if (fault.late && fault.fate == FAIL && fault.left == 0) __real_unlinkat(at, path, flags);
    return fails() ? -1 : __real_unlinkat(at, path, flags);
}
WRAP(int, mkdirat, int at, const char *path, mode_t mode) {
    return fails() ? -1 : __real_mkdirat(at, path, mode);
}
static int disguise(int result, const char *path, struct stat *info) {
    if (result == 0 && fault.mounted && !strcmp(path, "again")) {
        info->st_dev = makedev(0, 4000);
        info->st_nlink = 1;
    }
    return result;
}
WRAP(int, fstatat, int at, const char *path, struct stat *info, int flags) {
    return fails() ? -1 : disguise(__real_fstatat(at, path, info, flags), path, info);
}
WRAP(int, fstat, int fd, struct stat *info) {
    char link[64], path[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0) *path = 0;
    return disguise(__real_fstat(fd, info), basename(path), info);
}
static bool is_coarse(int fd) {
    struct stat info;
    return fault.coarse && fstat(fd, &info) == 0 && info.st_dev != near_device;
}
WRAP(int, fchmod, int fd, mode_t mode) {
    return fails() ? -1 : is_coarse(fd) ? 0 : __real_fchmod(fd, mode);
}
WRAP(int, futimens, int fd, const struct timespec times[2]) {
    const struct timespec coarse[2] = {{times[0].tv_sec & ~1L, 0}, {times[1].tv_sec & ~1L, 0}};
    return fails() ? -1 : __real_futimens(fd, is_coarse(fd) ? coarse : times);
}

/* ---- a world: a tree, and where files are moved to ---- */

enum { PATH_MOST = 512, FILES_MOST = 24, FILES_FEW = 11, TEXT_MOST = 4000, KINDS = 6 };

static char tree[PATH_MOST], aside_near[PATH_MOST], aside_far[PATH_MOST], log_path[PATH_MOST];
static char bases[2][PATH_MOST]; /* the second on another file system, if there is one */
static bool has_far;

static void make_bases(void) {
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    struct stat a, b;
    snprintf(bases[0], sizeof bases[0], "%s/act-XXXXXX", memory);
    snprintf(bases[1], sizeof bases[1], "/tmp/act-XXXXXX");
    for (int i = 0; i < 2; i++) assert_non_null(mkdtemp(bases[i]));
    near_device = stat(bases[0], &a) == 0 ? a.st_dev : 0;
    has_far = stat(bases[0], &a) == 0 && stat(bases[1], &b) == 0 && a.st_dev != b.st_dev;
    snprintf(tree, sizeof tree, "%.400s/tree", bases[0]);
    snprintf(aside_near, sizeof aside_near, "%.400s/made/aside", bases[0]);
    snprintf(aside_far, sizeof aside_far, "%.400s/aside", bases[1]);
    snprintf(log_path, sizeof log_path, "%.400s/log", bases[0]);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void clear(void) {
    char made[PATH_MOST];
    snprintf(made, sizeof made, "%.400s/made", bases[0]);
    const char *paths[] = {tree, made, aside_far};
    for (int i = 0; i < 3; i++) nftw(paths[i], remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    unlink(log_path);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void set_time(const char *path, time_t seconds) {
    struct timespec times[2] = {{seconds, 5}, {seconds, 7}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Kind 0 to 2: texts of their own; 3 to 5: near-duplicates of these. */
static void text_of(unsigned kind, char *out) {
    uint64_t words = 77 + kind % 3;
    size_t at = 0;
    for (unsigned i = 0; i < 200; i++) {
        uint64_t word = rng_below(&words, 100000);
        bool changed = kind >= 3 && i % 61 == 30;
        at += (size_t)sprintf(out + at, "%c%u ", changed ? 'x' : 'w', (unsigned)word);
    }
}

static void name_of(unsigned file, char *out) {
    static const char *const odd[] = {"plain%u.txt",     "sp ace %u", "br\neak%u.txt",
                                      "\xFF\xFElatin%u", "-dash%u",   "q\"uo\\te%u.md"};
    static const char *const folders[] = {"", "sub/", "sub/deep/", "o ther/"};
    char name[64];
    snprintf(name, sizeof name, odd[rng_below(&seed, 6)], file);
    snprintf(out, PATH_MOST, "%.200s/%s%s", tree, folders[rng_below(&seed, 4)], name);
}

static void make_file(const char *path) {
    char text[TEXT_MOST];
    text_of((unsigned)rng_below(&seed, KINDS), text);
    write_file(path, text);
    if (rng_below(&seed, 4) == 0) assert_int_equal(chmod(path, 0600), 0);
    if (rng_below(&seed, 6) == 0) setxattr(path, "user.kind", "odd", 3, 0);
    set_time(path, 1000000000 + (time_t)rng_below(&seed, 1000));
}

static void make_tree(uint64_t of, unsigned files) {
    static const char *const folders[] = {"", "/sub", "/sub/deep", "/o ther"};
    char path[PATH_MOST], link_path[PATH_MOST + 8];
    clear();
    seed = of;
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%.400s%s", tree, folders[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    for (unsigned i = 0; i < files; i++) {
        name_of(i, path);
        make_file(path);
        snprintf(link_path, sizeof link_path, "%s.l", path);
        unsigned more = (unsigned)rng_below(&seed, 8);
        if (more == 0) assert_int_equal(link(path, link_path), 0);
        if (more == 1) assert_int_equal(symlink(path, link_path), 0);
    }
}

/* ---- what there is: one line a file ---- */

struct listing {
    char *lines[4 * FILES_MOST];
    size_t count;
};

static void list(struct listing *out, const char *folder, bool links);

static void list_file(struct listing *out, const char *path, const struct stat *info, bool links) {
    char text[TEXT_MOST] = "", attribute[16] = "", line[TEXT_MOST + 2 * PATH_MOST];
    if (S_ISLNK(info->st_mode)) {
        assert_true(readlink(path, text, sizeof text - 1) > 0);
    } else {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        getxattr(path, "user.kind", attribute, sizeof attribute - 1);
    }
    snprintf(line, sizeof line, "%s|%o|%lld.%ld|%s|%d|%s", path, info->st_mode,
             S_ISLNK(info->st_mode) ? 0 : (long long)info->st_mtim.tv_sec,
             S_ISLNK(info->st_mode) ? 0 : info->st_mtim.tv_nsec, attribute, links ? (int)info->st_nlink : 0,
             text);
    assert_true(out->count < 4 * FILES_MOST);
    out->lines[out->count++] = strdup(line);
}

static void list_entry(struct listing *out, const char *path, bool links) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    if (S_ISDIR(info.st_mode))
        list(out, path, links);
    else
        list_file(out, path, &info, links);
}

static void list(struct listing *out, const char *folder, bool links) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MOST];
        snprintf(path, sizeof path, "%.300s/%.200s", folder, entries[i]->d_name);
        if (strcmp(entries[i]->d_name, ".") && strcmp(entries[i]->d_name, "..")) list_entry(out, path, links);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static void release(struct listing *l) {
    for (size_t i = 0; i < l->count; i++) free(l->lines[i]);
    l->count = 0;
}

static const char *text_in(const char *line) {
    return strrchr(line, '|') + 1;
}

/* ---- the operation ---- */

struct plan_kind {
    const char *name;
    stemma_action action;
    double near;
    bool far, coarse;
};
static const struct plan_kind kinds[] = {{"delete", STEMMA_ACT_DELETE, 0, false, false},
                                         {"hardlink", STEMMA_ACT_HARDLINK, 0, false, false},
                                         {"move", STEMMA_ACT_MOVE, 0, false, false},
                                         {"move far", STEMMA_ACT_MOVE, 0, true, false},
                                         {"move near", STEMMA_ACT_MOVE, .7, false, false},
                                         {"delete near", STEMMA_ACT_DELETE, .7, false, false},
                                         {"move to coarse times", STEMMA_ACT_MOVE, 0, true, true}};
enum { PLAN_KINDS = sizeof kinds / sizeof *kinds };

struct targets {
    char paths[FILES_MOST][PATH_MOST];
    stemma_outcome outcomes[FILES_MOST];
    size_t count;
};

static stemma_status take_target(void *context, const stemma_act_step *step, stemma_error *err) {
    struct targets *t = context;
    (void)err;
    snprintf(t->paths[t->count], PATH_MOST, "%s", step->path);
    t->outcomes[t->count++] = step->outcome;
    assert_true((step->outcome == STEMMA_STEP_DONE || step->outcome == STEMMA_STEP_POSSIBLE) ==
                !*step->cause);
    return STEMMA_OK;
}

static void change_nothing(void) {
}

/* Plans, lets the world change, then checks (if planned is wanted),
 * and carries out with a fault at a call. */
static stemma_status act(const struct plan_kind *kind, void (*change)(void), enum fate fate, long at,
                         struct targets *planned, struct targets *done) {
    stemma_error err;
    stemma_scan *scan;
    stemma_plan *plan;
    stemma_scan_options how = stemma_scan_options_default();
    how.threads = 1;
    how.contained = 0;
    stemma_limits limits = stemma_limits_default();
    limits.memory = 1 << 23; /* thousands of scans */
    assert_int_equal(stemma_scan_new(NULL, &how, &limits, &scan, &err), STEMMA_OK);
    assert_int_equal(stemma_scan_add_path(scan, tree, &err), STEMMA_OK);
    assert_int_equal(stemma_scan_run(scan, &err), STEMMA_OK);
    stemma_act_options options = stemma_act_options_default();
    options.action = kind->action;
    options.near = kind->near;
    options.directory = kind->far ? aside_far : aside_near;
    assert_int_equal(stemma_plan_new(scan, &options, &plan, &err), STEMMA_OK);
    change();
    if (planned) assert_int_equal(stemma_plan_check(plan, take_target, planned, NULL, &err), STEMMA_OK);
    fault.calls = 0;
    fault.left = at;
    fault.fate = fate;
    fault.coarse = kind->coarse;
    stemma_status status = stemma_plan_carry_out(plan, log_path, take_target, done, NULL, &err);
    fault.fate = NOTHING;
    stemma_plan_free(plan);
    stemma_scan_free(scan);
    return status;
}

static bool was_killed(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* In a child, which may be killed. Returns whether it was. */
static bool act_in_child(const struct plan_kind *kind, long at) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct targets done = {.count = 0};
        act(kind, change_nothing, KILL, at, NULL, &done);
        _exit(0);
    }
    return was_killed(child);
}

static bool undo_in_child(long at) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fault.left = at;
        fault.fate = KILL;
        stemma_undo(log_path, false, NULL, NULL, NULL, NULL, NULL);
        _exit(0);
    }
    return was_killed(child);
}

/* ---- what must hold ---- */

static bool has_text(const struct listing *l, const char *text) {
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(text_in(l->lines[i]), text)) return true;
    return false;
}

static bool has_line(const struct listing *l, const char *line) {
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->lines[i], line)) return true;
    return false;
}

static void require_line(const struct listing *l, const char *line) {
    if (!has_line(l, line)) fail_msg("not there: %.*s", (int)(strrchr(line, '|') + 30 - line), line);
}

static bool is_target(const struct targets *t, const char *line) {
    size_t size = (size_t)(strchr(line, '|') - line);
    for (size_t i = 0; i < t->count; i++)
        if (strlen(t->paths[i]) == size && !memcmp(t->paths[i], line, size)) return true;
    return false;
}

static void list_all(struct listing *out) {
    list(out, tree, false);
    list(out, aside_near, false);
    list(out, aside_far, false);
}

/* Every content is somewhere; what was no target is as it was. */
static void check_kept(const struct listing *before, const struct targets *targets,
                       const struct plan_kind *kind) {
    struct listing now = {.count = 0};
    list_all(&now);
    for (size_t i = 0; i < before->count; i++) {
        bool gone =
            kind->near > 0 && kind->action == STEMMA_ACT_DELETE && is_target(targets, before->lines[i]);
        assert_true(gone || has_text(&now, text_in(before->lines[i])));
        if (!is_target(targets, before->lines[i])) require_line(&now, before->lines[i]);
    }
    release(&now);
}

/* The tree is as it was, with its links, and nothing is left beside it. */
static void check_restored(const struct listing *before, const struct targets *targets,
                           const struct plan_kind *kind) {
    struct listing now = {.count = 0}, aside = {.count = 0};
    bool lossy = kind->near > 0 && kind->action == STEMMA_ACT_DELETE;
    list(&now, tree, true);
    list(&aside, aside_near, true);
    list(&aside, aside_far, true);
    assert_int_equal(aside.count, 0);
    assert_true(access(aside_near, F_OK) != 0);
    for (size_t i = 0; i < before->count; i++)
        if (!lossy || !is_target(targets, before->lines[i])) require_line(&now, before->lines[i]);
    for (size_t i = 0; i < now.count; i++) require_line(before, now.lines[i]);
    release(&now);
    release(&aside);
}

static void undo(void) {
    stemma_error err = {.message = ""};
    stemma_status status = stemma_undo(log_path, false, NULL, NULL, NULL, NULL, &err);
    if (access(log_path, F_OK) == 0 && status != STEMMA_CORRUPT) assert_string_equal(err.message, "");
}

/* What a run without faults would do. */
static void plan_only(const struct plan_kind *kind, struct targets *targets) {
    struct targets done = {.count = 0};
    uint64_t at = seed;
    targets->count = 0;
    act(kind, change_nothing, FAIL, 0, targets, &done); /* the log cannot be made */
    assert_int_equal(done.count, 0);
    seed = at;
}

/* ---- tests ---- */

/* A tree, what there is in it, and what a plan of a kind makes of it. */
struct scene {
    const struct plan_kind *kind;
    uint64_t seed;
    struct listing before, before_links;
    struct targets targets;
};

static void scene_open(struct scene *s, const struct plan_kind *kind, uint64_t of) {
    *s = (struct scene){.kind = kind, .seed = of};
    make_tree(of, FILES_FEW);
    list(&s->before, tree, false);
    list(&s->before_links, tree, true);
    plan_only(kind, &s->targets);
    assert_true(s->targets.count > 2);
}

static void scene_close(struct scene *s) {
    release(&s->before);
    release(&s->before_links);
}

/* Tools that are slow look at some of the calls. */
static long stride(void) {
    return effort_is_full() ? 1 : 37;
}

/* Returns whether the call was reached. */
typedef bool at_call(const struct scene *s, long at);

static void for_each_call(at_call *run, uint64_t of) {
    for (size_t k = 0; k < PLAN_KINDS; k++) {
        struct scene scene;
        bool reached = true;
        if (kinds[k].far && !has_far) continue;
        scene_open(&scene, &kinds[k], of + k);
        for (long at = 0; reached; at += stride()) {
            make_tree(scene.seed, FILES_FEW);
            reached = run(&scene, at);
            undo();
            check_restored(&scene.before_links, &scene.targets, scene.kind);
        }
        scene_close(&scene);
    }
}

/* Cut off before the call; undoing is cut off, too. */
static bool killed_at(const struct scene *s, long at) {
    bool killed = act_in_child(s->kind, at);
    check_kept(&s->before, &s->targets, s->kind);
    if (undo_in_child(at * 7 % 61)) check_kept(&s->before, &s->targets, s->kind);
    return killed;
}

static void test_killed(void **state) {
    (void)state;
    for_each_call(killed_at, 1000);
}

/* What is gone from its place was told. */
static void check_told(const struct scene *s, const struct targets *told) {
    for (size_t i = 0; i < s->targets.count; i++) {
        bool is_told = access(s->targets.paths[i], F_OK) == 0;
        for (size_t k = 0; k < told->count; k++) is_told |= !strcmp(told->paths[k], s->targets.paths[i]);
        if (!is_told) fail_msg("%s: call %ld: %s", s->kind->name, fault.calls, s->targets.paths[i]);
    }
}

/* The step fails, or all of it; nothing is lost. */
static bool fails_at(const struct scene *s, long at) {
    static const int errors[] = {EIO, ENOSPC, EACCES, ENOMEM};
    struct targets done = {.count = 0};
    fault.error = errors[at % 4];
    act(s->kind, change_nothing, FAIL, at, NULL, &done);
    check_told(s, &done);
    check_kept(&s->before, &s->targets, s->kind);
    return fault.calls > at;
}

static void test_failing_calls(void **state) {
    (void)state;
    for_each_call(fails_at, 2000);
}

/* As over a network, where the answer was lost: the name is gone. */
static bool late_at(const struct scene *s, long at) {
    static const int errors[] = {EIO, ENOENT};
    struct targets done = {.count = 0};
    fault.error = errors[at % 2];
    fault.late = true;
    act(s->kind, change_nothing, FAIL, at, NULL, &done);
    fault.late = false;
    check_kept(&s->before, &s->targets, s->kind);
    return fault.calls > at;
}

static void test_late_errors(void **state) {
    (void)state;
    for_each_call(late_at, 2000);
    fault.no_rename = true;
    for_each_call(late_at, 2000);
    fault.no_rename = false;
}

/* Of acting, and of undoing: all that is left undone can be taken up again. */
static bool refused_at(const struct scene *s, long at) {
    struct targets done = {.count = 0};
    stemma_status status = act(s->kind, change_nothing, REFUSE, at, NULL, &done);
    bool reached = fault.calls > at;
    if (status != (reached ? STEMMA_NO_MEMORY : STEMMA_OK))
        fail_msg("%s, allocation %ld: status %d", s->kind->name, at, (int)status);
    check_kept(&s->before, &s->targets, s->kind);
    fault.left = at * 7 % 61;
    fault.fate = REFUSE;
    stemma_undo(log_path, false, NULL, NULL, NULL, NULL, NULL);
    fault.fate = NOTHING;
    check_kept(&s->before, &s->targets, s->kind);
    return reached;
}

static void test_refused_memory(void **state) {
    (void)state;
    for_each_call(refused_at, 1000);
}

/* Some files change between the scan and the acting: in their bytes behind an old time, by being replaced, or
 * by going. */
static void change_some(void) {
    struct listing l = {.count = 0};
    list(&l, tree, false);
    for (size_t i = 0; i < l.count; i++) {
        char path[PATH_MOST];
        struct stat info;
        snprintf(path, sizeof path, "%.*s", (int)(strchr(l.lines[i], '|') - l.lines[i]), l.lines[i]);
        assert_int_equal(lstat(path, &info), 0);
        unsigned how = S_ISREG(info.st_mode) ? (unsigned)rng_below(&seed, 10) : 9;
        if (how > 2) continue;
        if (how == 0) assert_int_equal(unlink(path), 0); /* replaced: another inode */
        if (how < 2) {
            FILE *file = fopen(path, how ? "r+" : "w");
            assert_non_null(file);
            fputs(how ? "W" : text_in(l.lines[i]), file);
            fclose(file);
        }
        if (how == 2) assert_int_equal(unlink(path), 0);
        if (how < 2) set_time(path, info.st_mtim.tv_sec);
    }
    release(&l);
}

static struct listing after_change, after_change_links;
static void change_and_list(void) {
    change_some();
    list(&after_change, tree, false);
    list(&after_change_links, tree, true);
}

static void test_changed_files(void **state) {
    (void)state;
    for (size_t round = 0; round < effort(60); round++) {
        const struct plan_kind *kind = &kinds[round % PLAN_KINDS];
        struct targets planned = {.count = 0}, done = {.count = 0}, touched = {.count = 0};
        if (kind->far && !has_far) continue;
        make_tree(3000 + round, FILES_MOST);
        fault.no_rename = round % 3 == 0;
        assert_int_equal(act(kind, change_and_list, NOTHING, 0, &planned, &done), STEMMA_OK);
        assert_int_equal(planned.count, done.count);
        for (size_t i = 0; i < done.count; i++) { /* what is shown is what happens */
            assert_string_equal(planned.paths[i], done.paths[i]);
            assert_int_equal(planned.outcomes[i] == STEMMA_STEP_POSSIBLE,
                             done.outcomes[i] == STEMMA_STEP_DONE);
            if (done.outcomes[i] == STEMMA_STEP_DONE) strcpy(touched.paths[touched.count++], done.paths[i]);
        }
        check_kept(&after_change, &touched, kind);
        undo();
        check_restored(&after_change_links, &touched, kind);
        undo(); /* once more does no harm */
        check_restored(&after_change_links, &touched, kind);
        fault.no_rename = false;
        release(&after_change);
        release(&after_change_links);
    }
}

/* Somebody removes the kept file while it is waited for: the other one stays. */
static void test_kept_goes(void **state) {
    char text[TEXT_MOST], path[PATH_MOST];
    struct targets done = {.count = 0};
    struct listing now = {.count = 0};
    (void)state;
    clear();
    assert_int_equal(mkdir(tree, 0755), 0);
    text_of(0, text);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%.400s/%d", tree, i);
        write_file(path, text);
    }
    fault.kept_goes = true;
    assert_int_equal(act(&kinds[0], change_nothing, NOTHING, 0, NULL, &done), STEMMA_OK);
    fault.kept_goes = false;
    list(&now, tree, false);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.outcomes[0], STEMMA_STEP_SKIPPED);
    assert_int_equal(now.count, 1);
    release(&now);
}

/* One file under two names that do not tell: the copy that would go is the only one. */
static void test_other_mount(void **state) {
    char text[TEXT_MOST], path[PATH_MOST], again[PATH_MOST];
    struct targets done = {.count = 0};
    (void)state;
    clear();
    assert_int_equal(mkdir(tree, 0755), 0);
    text_of(0, text);
    snprintf(path, sizeof path, "%.400s/a", tree);
    snprintf(again, sizeof again, "%.400s/again", tree);
    write_file(path, text);
    assert_int_equal(link(path, again), 0);
    fault.mounted = true;
    assert_int_equal(act(&kinds[0], change_nothing, NOTHING, 0, NULL, &done), STEMMA_OK);
    fault.mounted = false;
    assert_int_equal(done.count, 1);
    assert_int_equal(done.outcomes[0], STEMMA_STEP_SKIPPED);
    assert_int_equal(access(path, F_OK) | access(again, F_OK), 0);
}

static int set_up(void **state) {
    (void)state;
    make_bases();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clear();
    return rmdir(bases[0]) || rmdir(bases[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),        cmocka_unit_test(test_failing_calls),
        cmocka_unit_test(test_late_errors),   cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_changed_files), cmocka_unit_test(test_kept_goes),
        cmocka_unit_test(test_other_mount),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

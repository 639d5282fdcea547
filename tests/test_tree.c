/* What a walk finds in folders made for it: order, patterns,
 * links, and everything that is not a plain file. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/long_path.h"
#include "effort.h"
#include "read/glob.h"
#include "read/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- patterns ---- */

struct glob_row {
    const char *pattern, *path; /* a path that ends with a slash is a folder */
    bool matches;
};

static const struct glob_row glob_rows[] = {
    {"a.txt", "a.txt", true},
    {"a.txt", "deep/down/a.txt", true},
    {"a.txt", "a.txt.bak", false},
    {"*.txt", "x/y.txt", true},
    {"*.txt", ".txt", true},
    {"*.txt", "x.txt/y", false},
    {"/a", "a", true},
    {"/a", "b/a", false},
    {"a/b", "a/b", true},
    {"a/b", "x/a/b", false},
    {"a/*", "a/b", true},
    {"a/*", "a/b/c", false},
    {"a*b", "a/b", false},
    {"a?b", "a/b", false},
    {"/a*b", "a/b", false},
    {"build/", "build/", true},
    {"build/", "x/build/", true},
    {"build/", "build", false},
    {"/build/", "x/build/", false},
    {"**/a", "a", true},
    {"**/a", "x/y/a", true},
    {"**/a/b", "x/a/a/b", true},
    {"**/a/b", "x/a/c/b", false},
    {"a/**", "a/x", true},
    {"a/**", "a/x/y", true},
    {"a/**", "a/", false},
    {"a/**/b", "a/b", true},
    {"a/**/b", "a/x/y/b", true},
    {"a/**/b", "a/x/y/c", false},
    {"a/**/b/**/c", "a/b/x/b/c", true},
    {"a/**/b/**/c", "a/x/c", false},
    {"a/**/**/b", "a/b", true},
    {"**", "anything/at/all", true},
    {"a**b", "axyb", true},
    {"/a**b", "ax/yb", false},
    {"**/x*y/**/z", "q/xay/z", true},
    {"?", "a", true},
    {"?", "ab", false},
    {"??", "\xc3\xa4", true},
    {"[abc]", "b", true},
    {"[abc]", "d", false},
    {"[a-c]x", "bx", true},
    {"[!a-c]", "d", true},
    {"[!a-c]", "b", false},
    {"[^a-c]", "d", true},
    {"[]]", "]", true},
    {"[!]]", "]", false},
    {"[a-]", "-", true},
    {"[\\]]", "]", true},
    {"[[:digit:]]*", "7up", true},
    {"[[:digit:]]*", "up", false},
    {"[[:alpha:]_]", "_", true},
    {"[[:nothing:]]", "n", false},
    {"[[:x", "x", false},
    {"[abc", "a", false},
    {"/a[x/y]b", "axb", true},
    {"/a[x/y]b", "a/b", false},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"\\!a", "!a", true},
    {"\\#a", "#a", true},
    {"a\\", "a", false},
    {"a ", "a", true},
    {"a\\ ", "a ", true},
    {"a\r", "a", true},
    {"*a*a*b", "xaxaxb", true},
    {"\xff*", "\xff\xfe", true},
    {"a\nb", "a\nb", true},
};

static void test_globs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof glob_rows / sizeof glob_rows[0]; i++) {
        const struct glob_row *row = &glob_rows[i];
        struct glob glob;
        size_t size = strlen(row->path);
        bool folder = row->path[size - 1] == '/';
        assert_true(glob_parse(row->pattern, strlen(row->pattern), &glob));
        if (glob_matches(&glob, row->path, size - folder, folder) != row->matches)
            fail_msg("'%s' %s '%s'", row->pattern, row->matches ? "should match" : "must not match",
                     row->path);
    }
}

static void test_no_globs(void **state) {
    (void)state;
    const char *lines[] = {"", "#comment", "   ", "/", "!", "\r", "!/"};
    struct glob glob;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(glob_parse(lines[i], strlen(lines[i]), &glob));
}

static void test_last_pattern_decides(void **state) {
    (void)state;
    struct glob_list globs = {0};
    const char lines[] = "\xef\xbb\xbf*.log\r\n\n# but\n!keep.log\nkeep.log.old";
    assert_true(glob_list_add_lines(&globs, lines, strlen(lines)));
    assert_int_equal(globs.count, 3);
    assert_int_equal(glob_list_judge(&globs, "a.log", 5, false), GLOB_MATCHED);
    assert_int_equal(glob_list_judge(&globs, "keep.log", 8, false), GLOB_NEGATED);
    assert_int_equal(glob_list_judge(&globs, "a.txt", 5, false), GLOB_SILENT);
    assert_int_equal(glob_list_judge(&globs, "x/keep.log.old", 14, false), GLOB_MATCHED);
    glob_list_release(&globs);
}

/* Backtracking to every star would take longer than the universe. */
static void test_glob_is_not_exponential(void **state) {
    (void)state;
    enum { STARS = 400, SIZE = 20000 };
    char *pattern = malloc(5 * STARS + 10), *path = malloc(2 * SIZE);
    size_t length = 0;
    for (int i = 0; i < STARS; i++) length += (size_t)sprintf(pattern + length, "*a");
    strcpy(pattern + length, "*b");
    memset(path, 'a', SIZE);
    struct glob glob;
    clock_t begin = clock();
    assert_true(glob_parse(pattern, strlen(pattern), &glob));
    assert_false(glob_matches(&glob, path, SIZE, false));

    length = 0;
    for (int i = 0; i < STARS; i++) length += (size_t)sprintf(pattern + length, "**/a/");
    strcpy(pattern + length, "b");
    for (int i = 0; i < SIZE; i++) memcpy(path + 2 * i, "a/", 2);
    assert_true(glob_parse(pattern, strlen(pattern), &glob));
    assert_false(glob_matches(&glob, path, 2 * SIZE - 1, false));
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    free(pattern);
    free(path);
}

/* ---- a place to walk in ---- */

static char root[64];

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)where;
    if (type == FTW_DNR) chmod(path, 0700);
    return remove(path);
}

static int make_root(void **state) {
    (void)state;
    strcpy(root, "/tmp/stemma-tree-XXXXXX");
    return mkdtemp(root) && chdir(root) == 0 ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    if (chdir("/") != 0) return -1;
    return nftw(root, remove_one, 20, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text) {
    char folder[200];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0700) != 0) assert_int_equal(errno, EEXIST);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

struct found {
    char paths[4000], problems[4000]; /* each followed by '|' */
    size_t files, problem_count;
    uint64_t passed_over;
    uint64_t bytes;
    stemma_status fail_with;
};

static stemma_status take_file(void *context, const struct tree_file *file, stemma_error *err) {
    struct found *found = context;
    size_t length = strlen(found->paths);
    snprintf(found->paths + length, sizeof found->paths - length, "%s|", file->path);
    found->files++;
    found->bytes += file->size;
    assert_int_equal(file->owner, getuid());
    assert_true(file->inode != 0 && file->modified > 0);
    return found->fail_with ? (fail)(err, found->fail_with, "enough") : STEMMA_OK;
}

static void take_problem(void *context, const char *path, const stemma_error *cause) {
    struct found *found = context;
    size_t length = strlen(found->problems);
    snprintf(found->problems + length, sizeof found->problems - length, "%s|", cause->message);
    found->problem_count++;
    assert_non_null(path);
}

static stemma_status walk(const char *path, const struct tree_options *options, struct found *found,
                          stemma_error *err) {
    stemma_status fail_with = found->fail_with;
    memset(found, 0, sizeof *found);
    found->fail_with = fail_with;
    struct tree_visitor visitor = {found, take_file, take_problem, &found->passed_over};
    return tree_walk(path, options, &visitor, err);
}

static void expect(const char *path, const struct tree_options *options, const char *paths,
                   const char *problems) {
    struct found found = {0};
    stemma_error err = {0};
    assert_int_equal(walk(path, options, &found, &err), STEMMA_OK);
    assert_string_equal(found.paths, paths);
    assert_string_equal(found.problems, problems);
}

static const struct tree_options plain;

static void test_order(void **state) {
    (void)state;
    const char *files[] = {"b", "a/z", "a/b/c", "a.txt", "B", "a-/x", "\xff\xfe", "new\nline", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) put(files[i], "text");
    expect(".", &plain, "./B|./a/b/c|./a/z|./a-/x|./a.txt|./b|./new\nline|./\xc3\xa4|./\xff\xfe|", "");
    expect("a/", &plain, "a/b/c|a/z|", "");
    expect("./a//b", &plain, "./a//b/c|", "");
    expect("a/z", &plain, "a/z|", "");
}

/* More names, and links, than are sorted in memory. */
struct ascending {
    char last[512];
    size_t count;
};

static stemma_status take_ascending(void *context, const struct tree_file *file, stemma_error *err) {
    struct ascending *ascending = context;
    (void)err;
    assert_true(strcmp(ascending->last, file->path) < 0);
    snprintf(ascending->last, sizeof ascending->last, "%s", file->path);
    ascending->count++;
    return STEMMA_OK;
}

static void test_many_names(void **state) {
    enum { COUNT = 7000 };
    const struct tree_options follow = {.follow = true};
    struct ascending files = {0}, links = {0};
    struct tree_visitor visitor = {&files, take_ascending, take_problem, NULL};
    char path[300], target[310];
    (void)state;
    assert_int_equal(mkdir("files", 0700), 0);
    assert_int_equal(mkdir("links", 0700), 0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof path, "files/%0*d", 200, i * 4447 % COUNT);
        put(path, "");
        snprintf(target, sizeof target, "../%s", path);
        memcpy(path, "links", 5);
        assert_int_equal(symlink(target, path), 0);
    }
    assert_int_equal(tree_walk("files", &plain, &visitor, NULL), STEMMA_OK);
    assert_int_equal(files.count, COUNT);
    visitor.context = &links;
    assert_int_equal(tree_walk("links", &follow, &visitor, NULL), STEMMA_OK);
    assert_int_equal(links.count, COUNT);
}

static void test_hidden(void **state) {
    (void)state;
    put(".hidden", "x");
    put(".git/config", "x");
    put("seen", "x");
    expect(".", &plain, "./seen|", "");
    expect(".", &(struct tree_options){.hidden = true}, "./.git/config|./.hidden|./seen|", "");
    expect(".hidden", &plain, ".hidden|", "");
    expect(".git", &plain, ".git/config|", "");
}

static void test_patterns(void **state) {
    (void)state;
    put("docs/a.txt", "x");
    put("docs/old/b.txt", "x");
    put("docs/b.log", "x");
    put("src/a.c", "x");
    put("a.txt", "x");
    const char *text[] = {"*.txt"}, *docs[] = {"docs", "!docs/old"}, *old[] = {"old/", "*.log", "/a.txt"};
    const char *source[] = {"src/"};
    expect(".", &(struct tree_options){.include = text, .include_count = 1},
           "./a.txt|./docs/a.txt|./docs/old/b.txt|", "");
    expect(".", &(struct tree_options){.include = docs, .include_count = 2}, "./docs/a.txt|./docs/b.log|",
           "");
    expect(".", &(struct tree_options){.exclude = old, .exclude_count = 3}, "./docs/a.txt|./src/a.c|", "");
    expect(".",
           &(struct tree_options){.include = text, .include_count = 1, .exclude = old, .exclude_count = 1},
           "./a.txt|./docs/a.txt|", "");
    expect(".", &(struct tree_options){.include = source, .include_count = 1}, "./src/a.c|", "");
    expect("docs/b.log",
           &(struct tree_options){.include = text, .include_count = 1, .exclude = old, .exclude_count = 3},
           "docs/b.log|", "");
    expect("docs", &(struct tree_options){.exclude = old, .exclude_count = 3}, "", "");
}

static void test_ignore_files(void **state) {
    (void)state;
    put(".stemmaignore", "*.log\nbuild/\n/top\n");
    put("a.log", "x");
    put("top", "x");
    put("build/x", "x");
    put("in/.stemmaignore", "!keep.log\n/only\n");
    put("in/keep.log", "x");
    put("in/lose.log", "x");
    put("in/only", "x");
    put("in/top", "x");
    put("in/deep/only", "x");
    put("in/deep/keep.log", "x");
    put("in/build/keep.log", "x");
    put("out/keep.log", "x");
    expect(".", &plain, "./in/deep/keep.log|./in/deep/only|./in/keep.log|./in/top|", "");
    expect("in", &plain, "in/build/keep.log|in/deep/keep.log|in/deep/only|in/keep.log|in/lose.log|in/top|",
           "");
    const char *again[] = {"!lose.log", "deep"};
    expect(".", &(struct tree_options){.exclude = again, .exclude_count = 2},
           "./in/keep.log|./in/lose.log|./in/top|", "");
    struct found found = {0};
    assert_int_equal(walk(".", &(struct tree_options){.no_ignore_file = true}, &found, NULL), STEMMA_OK);
    assert_int_equal(found.files, 11);
}

static void test_bad_ignore_files(void **state) {
    (void)state;
    put("a/x", "x");
    assert_int_equal(mkfifo("a/.stemmaignore", 0600), 0);
    put("b/x", "x");
    FILE *file = fopen("b/.stemmaignore", "w");
    assert_non_null(file);
    assert_int_equal(fseek(file, 2 << 20, SEEK_SET), 0);
    fputs("x\n", file);
    fclose(file);
    struct found found = {0};
    assert_int_equal(walk(".", &plain, &found, NULL), STEMMA_OK);
    assert_string_equal(found.paths, "./a/x|./b/x|");
    assert_int_equal(found.problem_count, 2);
    assert_non_null(strstr(found.problems, "cannot read './a/.stemmaignore': is not a regular file|"));
    assert_non_null(strstr(found.problems, "cannot read './b/.stemmaignore': it has more than"));
}

static void test_links(void **state) {
    (void)state;
    put("t/m/file", "x");
    put("outside/o", "x");
    put("outside/lonely", "x");
    assert_int_equal(symlink("m", "t/a-folder"), 0);
    assert_int_equal(symlink("m/file", "t/b-file"), 0);
    assert_int_equal(symlink("..", "t/m/up"), 0);
    assert_int_equal(symlink("self", "t/self"), 0);
    assert_int_equal(symlink("nowhere", "t/dangling"), 0);
    assert_int_equal(symlink("../outside", "t/c-outside"), 0);
    assert_int_equal(symlink("../t", "outside/back"), 0);
    assert_int_equal(symlink("outside/lonely", "to-file"), 0);
    assert_int_equal(link("t/m/file", "t/z-hard"), 0);
    expect("t", &plain, "t/m/file|t/z-hard|", "");
    expect("to-file", &plain, "to-file|", "");
    expect("t/a-folder", &plain, "t/a-folder/file|", "");
    struct found found = {0};
    assert_int_equal(walk("t", &(struct tree_options){.follow = true}, &found, NULL), STEMMA_OK);
    assert_string_equal(found.paths, "t/m/file|t/c-outside/lonely|t/c-outside/o|");
    assert_int_equal(found.problem_count, 2);
    assert_non_null(strstr(found.problems, "cannot read 't/dangling': no such file"));
    assert_non_null(strstr(found.problems, "cannot read 't/self': "));
}

/* Two links in each of many folders to the next: paths double with each, folders do not. */
static void test_link_lattice(void **state) {
    (void)state;
    char name[20], next[20];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "%02d/file", i);
        put(name, "x");
        for (int j = 0; j < 2 && i < 39; j++) {
            snprintf(name, sizeof name, "%02d/l%d", i, j);
            snprintf(next, sizeof next, "../%02d", i + 1);
            assert_int_equal(symlink(next, name), 0);
        }
    }
    struct found found = {0};
    assert_int_equal(walk("00", &(struct tree_options){.follow = true}, &found, NULL), STEMMA_OK);
    assert_int_equal(found.files, 40);
    assert_int_equal(found.problem_count, 0);
}

/* Rules of the folder that a link stands in hold for what it leads to. */
static void test_patterns_behind_links(void **state) {
    (void)state;
    put("t/.stemmaignore", "*.log\n/far/no\n/gone/\n");
    put("other/a.log", "x");
    put("other/no", "x");
    put("other/yes", "x");
    assert_int_equal(symlink("../other", "t/far"), 0);
    assert_int_equal(symlink("../other", "t/gone"), 0);
    expect("t", &(struct tree_options){.follow = true}, "t/far/yes|", "");
}

static void test_specials(void **state) {
    (void)state;
    put("f/a", "x");
    assert_int_equal(mkfifo("f/fifo", 0600), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "f/socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(symlink("/dev/null", "f/null"), 0);
    struct found found = {0};
    assert_int_equal(walk("f", &(struct tree_options){.follow = true}, &found, NULL), STEMMA_OK);
    assert_string_equal(found.paths, "f/a|");
    assert_string_equal(found.problems, "");
    assert_int_equal(found.passed_over, 3);
    const char *globs[] = {"fifo", "null"};
    found = (struct found){0};
    struct tree_options some = {.exclude = globs, .exclude_count = 1};
    assert_int_equal(walk("f", &some, &found, NULL), STEMMA_OK);
    assert_int_equal(found.passed_over, 2); /* the socket, and a link that is not followed */
    found = (struct found){0};
    some = (struct tree_options){.include = globs, .include_count = 2};
    assert_int_equal(walk("f", &some, &found, NULL), STEMMA_OK);
    assert_int_equal(found.passed_over, 2);
    expect("f/fifo", &plain, "", "cannot read 'f/fifo': is a FIFO, not a regular file|");
    expect("f/socket", &plain, "", "cannot read 'f/socket': is a socket, not a regular file|");
    expect("/dev/null", &plain, "", "cannot read '/dev/null': is a device, not a regular file|");
    expect("missing", &plain, "", "cannot read 'missing': no such file or directory|");
    expect("", &plain, "", "cannot read '': no such file or directory|");
    close(fd);
}

static void test_unreadable(void **state) {
    (void)state;
    if (geteuid() == 0) skip(); /* nothing is unreadable for root */
    put("a/x", "x");
    put("b/x", "x");
    assert_int_equal(chmod("a", 0), 0);
    expect(".", &plain, "./b/x|", "cannot read './a': permission denied|");
    assert_int_equal(chmod("a", 0700), 0);
}

static void test_sizes(void **state) {
    (void)state;
    put("empty", "");
    put("one", "1");
    put("five", "12345");
    put("nine.jsonl", "123456789");
    expect(".", &(struct tree_options){.min_size = 1}, "./five|./nine.jsonl|./one|", "");
    expect(".", &(struct tree_options){.max_size = 4}, "./empty|./nine.jsonl|./one|", "");
    expect(".", &(struct tree_options){.min_size = 5, .max_size = 5}, "./five|./nine.jsonl|", "");
}

static void test_ended_early(void **state) {
    (void)state;
    put("a", "x");
    put("b", "x");
    struct found found = {.fail_with = STEMMA_IO};
    stemma_error err = {0};
    assert_int_equal(walk(".", &plain, &found, &err), STEMMA_IO);
    assert_string_equal(err.message, "enough");
    assert_int_equal(found.files, 1);
    volatile int stop = 1;
    found.fail_with = STEMMA_OK;
    assert_int_equal(walk(".", &(struct tree_options){.stop = &stop}, &found, &err), STEMMA_INTERRUPTED);
    assert_int_equal(found.files, 0);
}

/* ---- deeper than a path can be ---- */

enum { DEPTH = 5000 };

struct deep_found {
    size_t files, problems;
    char *longest;
};

static stemma_status take_deep(void *context, const struct tree_file *file, stemma_error *err) {
    struct deep_found *found = context;
    found->files++;
    if (!found->longest || strlen(file->path) > strlen(found->longest)) {
        free(found->longest);
        found->longest = strdup(file->path);
    }
    return found->longest ? STEMMA_OK : fail_memory(err);
}

static void take_deep_problem(void *context, const char *path, const stemma_error *cause) {
    (void)path, (void)cause;
    ((struct deep_found *)context)->problems++;
}

static void make_deep(void) {
    int at = open(".", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEPTH; i++) {
        assert_int_equal(mkdirat(at, "dd", 0700), 0);
        int next = openat(at, "dd", O_RDONLY | O_DIRECTORY);
        int file =
            openat(next, "z", O_CREAT | O_WRONLY, 0600); /* the folder is needed again after those in it */
        assert_true(next >= 0 && file >= 0);
        close(file);
        close(at);
        at = next;
    }
    close(at);
}

/* nftw would not reach its ground. */
static void remove_deep(void) {
    int at = open(".", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEPTH; i++) {
        int next = openat(at, "dd", O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    for (int i = 0; i < DEPTH; i++) {
        int next = openat(at, "..", O_RDONLY | O_DIRECTORY);
        assert_int_equal(unlinkat(at, "z", 0), 0);
        assert_int_equal(unlinkat(next, "dd", AT_REMOVEDIR), 0);
        close(at);
        at = next;
    }
    close(at);
}

static void test_deep(void **state) {
    (void)state;
    make_deep();
    struct deep_found found = {0};
    struct tree_visitor visitor = {&found, take_deep, take_deep_problem, NULL};
    assert_int_equal(tree_walk(".", &plain, &visitor, NULL), STEMMA_OK);
    assert_int_equal(found.files, DEPTH);
    assert_int_equal(found.problems, 0);
    assert_int_equal(strlen(found.longest), 3 * DEPTH + 3);

    struct input input;
    assert_int_equal(input_open(&input, found.longest, NULL), STEMMA_OK);
    input_close(&input);
    found.longest[strlen(found.longest) - 1] = 'y';
    stemma_error err;
    assert_int_equal(input_open(&input, found.longest, &err), STEMMA_NOT_FOUND);
    memset(found.longest, 'x', strlen(found.longest));
    assert_int_equal(open_path(found.longest, O_RDONLY), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    free(found.longest);
    remove_deep();
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_no_globs),
        cmocka_unit_test(test_last_pattern_decides),
        cmocka_unit_test(test_glob_is_not_exponential),
        IN_ROOT(test_order),
        IN_ROOT(test_many_names),
        IN_ROOT(test_hidden),
        IN_ROOT(test_patterns),
        IN_ROOT(test_ignore_files),
        IN_ROOT(test_bad_ignore_files),
        IN_ROOT(test_links),
        IN_ROOT(test_link_lattice),
        IN_ROOT(test_patterns_behind_links),
        IN_ROOT(test_specials),
        IN_ROOT(test_unreadable),
        IN_ROOT(test_sizes),
        IN_ROOT(test_ended_early),
        IN_ROOT(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

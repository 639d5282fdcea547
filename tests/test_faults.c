/*
 * Every allocation and every system call fails once, in every public operation.
 *
 * The linker puts the __wrap_ functions of faults/calls.c before the real ones, so the library has no hooks.
 * An operation is run with its 0th, 1st, 2nd ... call failing until it gets through. Each time it must say
 * why, leave its outputs untouched, and leave nothing behind: no memory, no descriptor, no file.
 *
 * A new operation is one line in the table of its part (faults/NAME.c); a new way to fail is one line in
 * `faults`.
 */
#include "effort.h"
#include "faults/faults.h"

#include <dirent.h>
#include <errno.h>

static const struct operation *const parts[] = {
    sketches_operations, comparing_operations, aligning_operations, reading_operations, joining_operations,
    showing_operations,  asking_operations,    keeping_operations,  writing_operations, filling_operations};

struct fault_row {
    const char *name;
    enum call call;
    int error;
    stemma_status expected; /* OK: the library gets over it */
    unsigned how;
};

static const struct fault_row faults[] = {
    {"an allocation is refused", ALLOCATE, ENOMEM, STEMMA_NO_MEMORY, ONCE},
    {"allocations are refused from there on", ALLOCATE, ENOMEM, STEMMA_NO_MEMORY, LASTING},
    {"a document cannot be opened", OPEN, EACCES, STEMMA_UNREADABLE, ONCE},
    {"too many files are open", OPEN, EMFILE, STEMMA_NO_MEMORY, ONCE},
    {"an unnamed file is refused", OPEN_UNNAMED, EIO, STEMMA_IO, ONCE},
    {"the file system knows no unnamed files", OPEN_UNNAMED, EOPNOTSUPP, STEMMA_OK, ONCE},
    {"a named file is refused", OPEN_NAMED, EIO, STEMMA_IO, NAMED},
    {"a read fails", READ, EIO, STEMMA_IO, ONCE},
    {"a read is interrupted and short", READ, EINTR, STEMMA_OK, SHORT},
    {"the disk is full", WRITE, ENOSPC, STEMMA_NO_SPACE, LASTING},
    {"the disk is full under a name", WRITE, ENOSPC, STEMMA_NO_SPACE, LASTING | NAMED},
    {"a write fails", WRITE, EIO, STEMMA_IO, ONCE},
    {"a write is interrupted and short", WRITE, EINTR, STEMMA_OK, SHORT},
    {"the disk cannot be reached at the end", SYNC, EIO, STEMMA_IO, ONCE},
    {"an unnamed file cannot be named", LINK, EIO, STEMMA_IO, ONCE},
    {"a file cannot be renamed", RENAME, EIO, STEMMA_IO, ONCE},
    {"a named file cannot be renamed", RENAME, EIO, STEMMA_IO, NAMED},
};

static void check_outcome(const struct fault_row *row, const char *operation, long k, stemma_status status,
                          const stemma_error *error) {
    const bool got_over = status == STEMMA_OK && row->call == OPEN && fault.tidied;
    stemma_status expected = fault.fired ? row->expected : STEMMA_OK;
    if (status != expected && !got_over)
        fail_msg("%s, at %ld in '%s': status %d, expected %d (%s)", row->name, k, operation, (int)status,
                 (int)expected, error->message);
    if (status != STEMMA_OK && (error->status != status || !error->message[0]))
        fail_msg("%s, at %ld in '%s': failed without a message", row->name, k, operation);
}

static int count_entries(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

/* Runs one operation with its k-th call failing; false when there was no such call. */
static bool run_with_fault(const struct fault_row *row, const struct operation *operation, long k) {
    const char *name = operation->name;
    stemma_error error = {STEMMA_OK, ""};
    int descriptors = count_entries("/proc/self/fd"), files = count_entries(world.folder);
    long live = fault.live;
    fault.call = row->call;
    fault.error = row->error;
    fault.how = row->how;
    fault.left = k;
    fault.fired = fault.tidied = false;
    fault.armed = true;
    stemma_status status = operation->run(operation->argument, &error);
    fault.armed = false;
    fault.how = ONCE;
    check_outcome(row, name, k, status, &error);
    if (fault.live != live) fail_msg("%s, at %ld in '%s': %ld leaked", row->name, k, name, fault.live - live);
    if (count_entries("/proc/self/fd") != descriptors)
        fail_msg("%s, at %ld in '%s': open file", row->name, k, name);
    if (count_entries(world.folder) != files) fail_msg("%s, at %ld in '%s': file left", row->name, k, name);
    return fault.fired;
}

/* Far more calls than any operation needs: interrupted reads must not be tried without end. */
enum { CALLS_MOST = 20000 };

/* Each allocation once. Of the others the first, then fewer and fewer, since they are made in loops. With
 * little effort, every so many. */
static long next_call(const struct fault_row *row, long k) {
    long step = (long)effort_step();
    return row->call == ALLOCATE && row->how == ONCE ? k + step : k + step * (1 + k / 8);
}

static long run_operation_with_fault(const struct fault_row *row, const struct operation *operation) {
    long times = 0;
    for (long k = 0; run_with_fault(row, operation, k); k = next_call(row, k), times++)
        assert_true(k < CALLS_MOST);
    return times;
}

static void test_fault(void **state) {
    const struct fault_row *row = *state;
    long total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const struct operation *operation = parts[i]; operation->name; operation++)
            total += run_operation_with_fault(row, operation);
    print_message("%s: %ld times\n", row->name, total);
    assert_true(total > 0); /* a call that the library does not make tests nothing */
}

int main(void) {
    enum { COUNT = sizeof faults / sizeof faults[0] };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){faults[i].name, test_fault, NULL, NULL, (void *)&faults[i]};
    return _cmocka_run_group_tests("faults", tests, COUNT, make_world, end_world);
}

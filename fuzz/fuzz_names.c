/*
 * Any bytes as a list of names (--files-from, --pairs-from): names come out whole and in order, none with a NUL or a
 * line end in it, and a list that ends early says so.
 *
 * Input: one byte that chooses the separator, then the list.
 */
#include "names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"

/* What names.c needs of the program, silent. */
volatile int stop_requested;
static int complaints;

void complain(const char *format, ...) {
    (void)format;
    complaints++;
}

const char *cause_text(int number) {
    (void)number;
    return "";
}

void *need_memory(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}

static void check(int fd, const uint8_t *list, size_t size, bool null_separated) {
    char path[40], *name;
    name_list names;
    size_t at = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (names_open(&names, path, null_separated) != EXIT_DONE) abort();
    while (names_next(&names, &name)) {
        size_t length = strlen(name);
        if (length == 0 || (!null_separated && strchr(name, '\n'))) abort();
        const uint8_t *found = memmem(list + at, size - at, name, length);
        if (!found) abort();
        at = (size_t)(found - list) + length;
    }
    complaints = 0;
    enum exit_code code = names_close(&names);
    if ((code == EXIT_DONE) != (complaints == 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    int fd = memfd_create("list", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) abort();
    check(fd, data + 1, size - 1, data[0] & 1);
    close(fd);
    return 0;
}

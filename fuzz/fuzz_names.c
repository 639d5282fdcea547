/*
 * Any bytes as a list of names (--files-from, --pairs-from): names come out whole and in order, none with a
 * NUL or a line end in it, and a list that ends early says so.
 *
 * Input: one byte that chooses the separator, then the list.
 */
#include "fuzz.h"

#include "names.h"

#include <stdint.h>

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
    REQUIRE(memory);
    return memory;
}

static void check(int fd, const uint8_t *list, size_t size, bool null_separated) {
    char path[FUZZ_PATH], *name;
    name_list names;
    size_t at = 0;
    fuzz_path(fd, path);
    REQUIRE(names_open(&names, path, null_separated) == EXIT_DONE);
    while (names_next(&names, &name)) {
        size_t length = strlen(name);
        REQUIRE(length > 0 && (null_separated || !strchr(name, '\n')));
        const uint8_t *found = memmem(list + at, size - at, name, length);
        REQUIRE(found);
        at = (size_t)(found - list) + length;
    }
    complaints = 0;
    enum exit_code code = names_close(&names);
    REQUIRE((code == EXIT_DONE) == (complaints == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    int fd = fuzz_file(data + 1, size - 1);
    check(fd, data + 1, size - 1, data[0] & 1);
    close(fd);
    return 0;
}

/*
 * Any bytes as a saved result (stemma tree --from): trees are drawn in any format, or the file is refused
 * with one message; and nothing that is drawn holds a control character of the input.
 *
 * Input: one byte that chooses the format, then the file.
 */
#include "fuzz.h"

#include "tree_view.h"

#include "scan_report.h"

/* What the reader needs of the program; its complaints are counted instead of printed. */
volatile int stop_requested;
static int complaints;

void __wrap_complain(const char *format, ...);
void __wrap_complain(const char *format, ...) {
    (void)format;
    complaints++;
}

bool report_heard(void) {
    return true;
}

static void check_printed(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) REQUIRE((text[i] & 0xE0) || text[i] == '\n' || text[i] == '\t');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char path[FUZZ_PATH], *printed = NULL;
    size_t printed_size = 0;
    FILE *terminal = stdout;
    int fd = fuzz_file(data + 1, size - 1);
    fuzz_path(fd, path);
    stdout = open_memstream(&printed, &printed_size);
    REQUIRE(stdout);
    complaints = 0;
    enum exit_code code = tree_print_saved(path, (enum tree_format)(TREE_TEXT + data[0] % 4));
    fclose(stdout);
    stdout = terminal;
    REQUIRE(code == EXIT_DONE || code == EXIT_WRONG);
    REQUIRE((code == EXIT_DONE) == (complaints == 0) && complaints < 2);
    check_printed(printed, printed_size);
    free(printed);
    close(fd);
    return 0;
}

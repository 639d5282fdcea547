/* stemma lab: starts stemma-lab, a program of its own, which looks into the library. */
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The one that was installed, or built, with this program comes before any on the path. */
static void name_beside(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 5);
    path[length > 0 ? length : 0] = '\0';
    strcat(path, "-lab");
}

static enum exit_code start(char **argv) {
    char path[PATH_MAX];
    name_beside(path, sizeof path);
    argv[0] = "stemma-lab";
    signal(SIGPIPE, SIG_DFL); /* ignoring them would be inherited */
    signal(SIGXFSZ, SIG_DFL);
    execv(path, argv);
    execvp("stemma-lab", argv);
    complain("cannot start 'stemma-lab': %s", strerror(errno));
    return EXIT_WRONG;
}

const command command_lab = {
    .name = "lab",
    .summary = "make the papers' experiments again",
    .usage = "list\nrun [OPTION]... [EXPERIMENT]...\nreport [OPTION]... [FOLDER]",
    .purpose =
        "Starts stemma-lab: the experiments of five papers on near-duplicate documents, with our numbers "
        "beside theirs. 'stemma lab --help' has its options.",
    .examples = "  stemma lab list\n"
                "  stemma lab run hp        the experiments whose names begin with hp\n"
                "  stemma lab report        a page of what was run\n",
    .see_also = "stemma-lab(1)",
    .no = "something that must hold does not",
    .start = start,
};

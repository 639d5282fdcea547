/* stemma export: a collection as one file. */
#include "collections.h"
#include "command.h"
#include "new_file.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Who takes only the beginning has had what was wanted. */
static bool nobody_reads(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    stemma_error error;
    uint64_t documents;
    char text[64];
    const char *to = o->output ? o->output : "-";
    if (o->operand_count != 1)
        return wrong_use("export", "one collection is needed, %zu given", o->operand_count);
    if (!strcmp(to, "-") && isatty(STDOUT_FILENO))
        return wrong_use("export", "this is not for a terminal: name a file with --output");
    enum exit_code code = strcmp(to, "-") ? new_file_check(to, o->operands, 1, o->force) : EXIT_DONE;
    if (!code) code = collection_to_read(o, &c);
    if (code) return code;
    if (stemma_collection_export(c, to, &documents, &error))
        code = !strcmp(to, "-") && nobody_reads() ? EXIT_DONE : complain_of(&error);
    else if (!o->quiet && strcmp(to, "-"))
        printf("%s exported\n", count_of_documents(documents, text, sizeof text));
    stemma_collection_free(c);
    return code;
}

const command command_export = {
    .name = "export",
    .mask = IN_EXPORT,
    .summary = "a collection as one file, for another machine",
    .usage = "[OPTION]... COLLECTION",
    .purpose =
        "Writes the documents of a collection, with all that is kept of them, as one file: smaller than the "
        "collection, since indexes are made anew by 'stemma merge', which reads it.",
    .examples = "  stemma export --output=here.export contracts.stemma\n"
                "  stemma export contracts.stemma | ssh server stemma merge all.stemma -\n",
    .see_also = "stemma-export(1), stemma-merge(1), stemma-backup(1)",
    .run = run,
};

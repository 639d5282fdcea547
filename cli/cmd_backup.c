/* stemma backup: a collection once more, while it is in use. */
#include "collections.h"
#include "command.h"
#include "json.h"

static void warn_of_damage(const options *o, const stemma_error *error) {
    complain("%s", error->message);
    complain("warning: the backup is made, with the damage in it; 'stemma verify --repair %s' mends it",
             o->operands[1]);
}

static void print_done(const options *o, const stemma_collection_info *info, bool damaged) {
    char text[64], bytes[32];
    if (o->json) {
        json line = json_begin(stdout);
        json_name(&line, "backup", o->operands[1]);
        json_count(&line, "documents", info->documents);
        json_count(&line, "bytes", info->bytes);
        json_count(&line, "commits", info->commit);
        if (damaged) json_bool(&line, "damaged", true);
        json_end(&line);
    } else if (!o->quiet) {
        print_name(stdout, o->operands[1]);
        printf(": %s, ", count_of_documents(info->documents, text, sizeof text));
        printf("%s\n", format_bytes(info->bytes, bytes, sizeof bytes));
    }
}

static enum exit_code run(const options *o) {
    stemma_collection *c;
    stemma_collection_info info;
    stemma_error error;
    if (o->operand_count != 2)
        return wrong_use("backup", "a collection and a new folder are needed, %zu given", o->operand_count);
    enum exit_code code = collection_check_new(o->operands[1]);
    if (!code) code = collection_to_read(o, &c);
    if (code) return code;
    stemma_status status = stemma_collection_backup(c, o->operands[1], o->link, &error);
    const bool damaged = status == STEMMA_CORRUPT; /* it is made all the same */
    if (damaged) warn_of_damage(o, &error);
    if ((status && !damaged) || stemma_collection_get_info(c, &info, &error))
        code = complain_of(&error);
    else
        print_done(o, &info, damaged);
    if (!code && damaged) code = EXIT_NO;
    stemma_collection_free(c);
    return code;
}

const command command_backup = {
    .name = "backup",
    .mask = IN_BACKUP,
    .summary = "a copy of a collection, while it is in use",
    .usage = "[OPTION]... COLLECTION FOLDER",
    .purpose =
        "Copies a collection, as it was committed last, to a new folder, which is a collection then. Others may read "
        "and write the collection meanwhile. What is copied is checked: damage is told, and the copy made all the same. "
        "With --link files get a second name instead of a copy: that takes no "
        "time and no space, and guards against mistakes, but not against a failing disk.",
    .examples = "  stemma backup contracts.stemma /mnt/backup/contracts-$(date +%F).stemma\n"
                "  stemma backup --link contracts.stemma before-the-merge.stemma\n",
    .see_also = "stemma-backup(1), stemma-verify(1), stemma-export(1)",
    .no = "the backup is made, but something in it is damaged",
    .run = run,
};

/* What documents are called where a name has to do without its source: records of one data set by their ids,
 * of several, or among files, as in a collection: FILE:ID. */
#include "scan_report.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool is_same_source(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

/* By what was asked for, not by what turned out to be there: names stay what they are when files come and go.
 */
bool several_sources(const options *o) {
    struct stat info;
    if (o->operand_count != 1 || o->files_from) return true;
    return !stat(o->operands[0], &info) && S_ISDIR(info.st_mode);
}

/* FILE:LINE, of a record without an id, has the file already. */
char *name_with_source(const char *id, const char *source) {
    const size_t length = source ? strlen(source) : 0;
    if (!source || (!strncmp(id, source, length) && id[length] == ':')) return need_copy(id);
    char *name = need_memory(length + strlen(id) + 2);
    sprintf(name, "%s:%s", source, id);
    return name;
}

char *document_name(const scan_report *r, uint64_t number) {
    const stemma_scan_document d = stemma_scan_get_document(r->scan, number);
    return name_with_source(d.id, r->several ? d.source : NULL);
}

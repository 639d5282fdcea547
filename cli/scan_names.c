/* What documents are called where a name has to do without its source: records of one data set by their ids,
 * of several, or among files, as in a collection: FILE:ID. */
#include "scan_report.h"

#include <stdio.h>
#include <string.h>

bool is_same_source(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

bool several_sources(const scan_report *r) {
    const char *first = stemma_scan_get_document(r->scan, 0).source;
    for (uint64_t i = 1; i < r->summary.documents; i++)
        if (!is_same_source(first, stemma_scan_get_document(r->scan, i).source)) return true;
    return false;
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

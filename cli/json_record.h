/*
 * json_record.h - a document that is one line of JSON: its text, and its id if it has one.
 */
#ifndef STEMMA_CLI_JSON_RECORD_H
#define STEMMA_CLI_JSON_RECORD_H

#include <stddef.h>

typedef struct json_record {
    void *object;          /* what the others belong to */
    const char *text, *id; /* id NULL: none */
    size_t text_size;
} json_record;

/* Fields are "text" and "id" where they are NULL; "meta.text" is a field inside one. Returns why it cannot be
 * read, or NULL; then the record is to be released. */
const char *json_record_read(json_record *record, const char *line, size_t size, const char *text_field,
                             const char *id_field);
void json_record_release(json_record *record);

#endif
